"""``cardai evaluate aivat``: what a player won in recorded hands, with the luck taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.arena.report import between, signed
from cardai.commands.invocation import Json, Seed, note, out, print_json, progress
from cardai.commands.show.figures import estimate_json, interval_json
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.notes import tell
from cardai.core.text import one_line

if TYPE_CHECKING:
    from cardai.arena.records import Record
    from cardai.core.agent import Agent
    from cardai.core.game import Game
    from cardai.poker.aivat.values import ValueFunction
    from cardai.solve.aivat import Aivat

VALUES = (
    "The value function: a player or a run (against itself); in hold'em and short deck also equity (their "
    "default), in hold'em played[:opponent=AGENT,hands=N,seed=N]. Small games' default: the player itself."
)


RECORD = Annotated[
    str,
    typer.Option("--record", metavar="FILE", help="Hands of run --record, an ACPC log or a PHH file; - is stdin."),
]


def aivat(
    record: RECORD,
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.")],
    values: Annotated[str | None, typer.Option("--values", metavar="SPEC", help=VALUES, show_default=False)] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Its name in the record.", show_default="as --agent"),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print what a player won in recorded hands with the luck taken out (AIVAT, Burch et al. 2018).

    What chance and the player itself did is weighed against what they might have done, and the player's hand against all
    that it could have held. The mean stays right whatever the value function; the better that is, the narrower the interval.

    Example: cardai evaluate aivat --record hands.jsonl --agent threshold --values played
    """
    from cardai import make
    from cardai.formats import read_hands

    file = read_hands(record)
    for message in file.damaged:
        tell(f"cardai: {message}")
    if not file.hands:
        raise DamagedFileError(f"{record} holds no finished hand.")
    who = number_of(file.header.get("agents", ()), player or agent, record)
    game = make.game(file.header["game"])
    measured = make.agent(agent)
    function = prepared(game, measured, agent, values)
    found = measure(game, measured, agent, file.hands, who, function, seed)
    if json:
        print_json({"game": file.header["game"], "agent": agent, "values": values, **as_json(found, game)})
    else:
        show(found, game, agent, values)
    if len(found.chips) < sum(who in hand["seats"] for hand in file.hands):
        note(f"Stopped after {len(found.chips):,} of {len(file.hands):,} hands.")
        raise typer.Exit(130)


def number_of(agents: Sequence[Any], wanted: str, file: str) -> int:
    """Return the number of a player in a record. Raises UsageError where it is not in it."""
    names = [str(name) for name in agents]
    if wanted not in names:
        raise UsageError(
            f"{file} holds hands of {' and '.join(map(one_line, names)) or 'nobody named'}, not of {wanted}. If it is one of them, say "
            "which with --player NAME."
        )
    return names.index(wanted)


def prepared(game: Game, player: Agent, name: str, values: str | None) -> ValueFunction | Agent | None:
    """Return the value function named ``values``. Raises UsageError for what cannot be measured, before any work."""
    from cardai.poker.aivat.named import values_named
    from cardai.solve.aivat import refuse

    refuse(game, player, name)
    return values_named(values, game, player)


def measure(
    game: Game,
    player: Agent,
    name: str,
    hands: Sequence[Record],
    who: int,
    function: ValueFunction | Agent | None,
    seed: int,
) -> Aivat:
    """Return AIVAT of recorded hands, with progress."""
    from cardai.solve.aivat import aivat as library

    with progress("AIVAT", "hands") as advance:
        return library(game, player, hands, who, values=function, name=name, seed=seed, progress=advance)


def show(found: Aivat, game: Game, agent: str, values: str | None) -> None:
    """Print the chips and AIVAT, one below the other."""
    console = out()
    if not len(found.chips):
        console.print("No hand was worked out.")
        return
    chips, corrected = found.deviations
    by = f", values {values}" if values else ""
    console.print(f"AIVAT of {agent}, {len(found.chips):,} hands{by}:")
    console.print(f"won     {signed(found.won, game.unit)} a hand, standard deviation {chips:.4g}")
    console.print(f"AIVAT   {between(found.corrected, game.unit)} a hand, standard deviation {corrected:.4g}")
    if chips and corrected:
        console.print(
            f"{found.ratio:.3g} of the spread: as good as {(chips / corrected) ** 2:,.1f} times as many hands. "
            "± and brackets: 95% intervals."
        )


def as_json(found: Aivat, game: Game) -> Mapping[str, Any]:
    """Return what was found as plain values."""
    chips, corrected = found.deviations
    return {
        "unit": game.unit,
        "hands": len(found.chips),
        "won": estimate_json(found.won),
        "aivat": interval_json(found.corrected),
        "deviation": {"won": chips, "aivat": corrected},
        "ratio": None if found.ratio != found.ratio else found.ratio,
    }
