"""``cardai export``: a player's policy as a table for other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cardai.commands.invocation import absolute, note, take_stdout


class To(StrEnum):
    """The form of the table."""

    csv = "csv"
    json = "json"
    parquet = "parquet"


Agent = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A trained run's directory, or any player.", show_default=False),
]
ToOption = Annotated[To, typer.Option("--to", help="The form: Parquet needs polars (the extra frames) and --out.")]
Out = Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The file; - is stdout.")]
Game = Annotated[
    str | None,
    typer.Option("--game", "-g", metavar="GAME", help="The game.", show_default="the run's own"),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Nodes of the largest game tree to walk.")]


def export(
    agent: Agent,
    to: ToOption = To.csv,
    out: Out = "-",
    game: Game = None,
    limit: Limit = 2_000_000,
) -> None:
    """Write how a player plays in every information set of a small game: a row a set, a column an action.

    Each row says who is to act, what that player sees, in words, and the probability of each action.

    Example: cardai export runs/leduc --to csv --out leduc.csv
    """
    from pathlib import Path

    from cardai import make
    from cardai.core.errors import UsageError
    from cardai.core.spec import parse
    from cardai.solve.policy_file import policy_table, write_policy
    from cardai.training.runs import Run
    from cardai.training.specs import short_spec

    file = absolute(out)
    assert file is not None
    take_stdout(file)
    spec = parse(agent)
    if game is None and not spec.is_run:
        raise UsageError(f"{agent!r} is no run, so its game is not known. Give --game GAME.")
    named = short_spec("game", Run.open(Path(spec.name)).game_spec) if game is None else game
    rows = policy_table(make.game(named), make.agent(agent), agent, limit)
    write_policy(file, rows, to.value, {"game": named, "agent": agent})
    note(f"{len(rows):,} information sets of {named}." + ("" if out == "-" else f" They are in {out}."))
