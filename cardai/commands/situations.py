"""``cardai situations``: public states with ranges, solved, for counterfactual value networks to learn from."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Jobs, Json, On, note, out, print_json, progress
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.poker.values.flop_labels import BehindFlop
    from cardai.poker.values.situation_set import Recipe, SituationSet


CARDS = 4
"""Turns that an iteration on the flop looks at, unless told."""


class StreetName(StrEnum):
    """Where situations are."""

    flop = "flop"
    turn = "turn"
    river = "river"
    second = "second"


Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Where they are kept; gone on with if it is there.")]
Count = Annotated[
    int,
    typer.Option(
        "--count",
        "-n",
        metavar="N",
        min=0,
        max=10_000_000,  # the names of files have digits for a million, and a file may have ten
        help="How many it shall have in the end, rounded up to whole files (250 rivers, 10 turns or flops, 4000 of Leduc).",
    ),
]
StreetOption = Annotated[
    StreetName | None, typer.Option("--street", help="Where they are.", show_default="river, in Leduc second")
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, max=(1 << 63) - 1, help="The root of all randomness.", show_default="0"),
]
Iterations = Annotated[
    str | None,
    typer.Option(
        "--iterations",
        metavar="N",
        help="Of the solver: one number, or five joined by + for the five intervals of pots.",
        show_default="400+300+150+100+50, in Leduc 2000",
    ),
]
Intervals = Annotated[
    str | None,
    typer.Option("--intervals", metavar="K", help="Which of the five intervals pots are from, from 0: 1+2+3+4."),
]
Bets = Annotated[
    str | None,
    typer.Option("--bets", metavar="SIZES", help="As of cardai solve.", show_default="1+allin"),
]
Player = Annotated[
    str | None,
    typer.Option("--player", metavar="AGENT", help="Ranges from this player's self-play, instead of random ones."),
]
Game = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        help="The game of that self-play; without --player, no-limit Leduc instead of hold'em.",
    ),
]
Share = Annotated[
    float | None,
    typer.Option(
        "--share",
        metavar="F",
        help="With --player: of so many files the ranges are its, of the others at random.",
        show_default="1",
    ),
]
Neighbours = Annotated[
    int | None,
    typer.Option(
        "--rows",
        metavar="K",
        min=1,
        max=64,
        help="Situations of each solve: its own, and neighbours that are worth what its strategies win there.",
        show_default="1",
    ),
]
Values = Annotated[
    str,
    typer.Option(
        "--values",
        metavar="RUN",
        help="On the flop: the network of the turn (a run of counterfactual_values) that values what lies behind it.",
        show_default="the one in the box",
    ),
]
Cards = Annotated[
    int | None,
    typer.Option(
        "--cards",
        metavar="N",
        min=0,
        max=49,
        help="On the flop: turns that an iteration looks at, each iteration others; 0: all.",
        show_default="4",
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="cpu; cuda solves many at once on a GPU, the same but for rounding; auto: a GPU if there is one.",
    ),
]


def situations(
    directory: Directory,
    count: Count = 1000,
    street: StreetOption = None,
    seed: Seed = None,
    iterations: Iterations = None,
    intervals: Intervals = None,
    bets: Bets = None,
    player: Player = None,
    game: Game = None,
    share: Share = None,
    rows: Neighbours = None,
    values: Values = "",
    cards: Cards = None,
    jobs: Jobs = 1,
    on: On = "",
    device: Device = "cpu",
    json: Json = False,
) -> None:
    """Draw situations of no-limit hold'em or Leduc as DeepStack did, solve them to the end (flops: to the turn), and keep what every hand is worth.

    Example: cardai situations data/river --street river --count 2000 --jobs 2

    Then: cardai train --trainer counterfactual_values --set situations=data/river --game acpc_nolimit_2p --out runs/river
    """
    from cardai.poker.values.situation_set import produce

    given: dict[str, Any] = {"street": street, "seed": seed, "iterations": iterations, "intervals": intervals}
    given |= {"bets": bets, "player": player, "game": game, "share": share, "rows": rows, "cards": cards}
    recipe, behind = _recipe_of(directory, given, values)
    from cardai.commands.process import stopping_gently

    with progress("situations", "solved") as advance, stopping_gently() as stopped:

        def told(done: int, wanted: int) -> bool:
            if advance is not None:
                advance(done, wanted)
            return not stopped

        found = produce(directory, recipe, count, jobs=jobs, on=on, device=device, behind=behind, progress=told)
    _show(found, json)
    if stopped and len(found) < count:
        note(f"Stopped after {len(found):,} of {count:,}. Go on with: cardai situations {directory} --count {count}")
        raise typer.Exit(130)


def _recipe_of(directory: Path, given: dict[str, Any], values: str) -> tuple[Recipe, BehindFlop | None]:
    """Return the recipe of a directory: its own if it has one, else that of the options given (None: not given); and on the flop the
    network of the turn."""
    from cardai.poker.resolving.depth_limit import behind_flop
    from cardai.poker.values.situation_set import HEAD, load

    if not os.path.isfile(directory / HEAD):
        behind = behind_flop(given["street"], values)
        return _recipe(**given, behind=behind), behind
    known = load(directory).recipe
    behind = behind_flop(known.street, values)
    own: dict[str, Any] = {name: _text(getattr(known, name)) for name in given}
    for name, value in given.items():
        if value is not None and getattr(_recipe(**{**own, name: value}, behind=behind), name) != getattr(known, name):
            raise UsageError(
                f"{directory} has its own {name}, {own[name]}. Leave out --{name}, or choose another directory."
            )
    return known, behind


def _text(value: Any) -> Any:
    """Return a part of a recipe as its option is written."""
    return "+".join(map(str, value)) if isinstance(value, tuple) else value


def _recipe(
    street: StreetName | None,
    seed: int | None,
    iterations: str | None,
    intervals: str | None,
    bets: str | None,
    player: str | None,
    game: str | None,
    share: float | None,
    rows: int | None,
    cards: int | None,
    behind: BehindFlop | None,
) -> Recipe:
    """Return a new recipe of the options given, with what stands for those that are not."""
    from cardai.poker.values.recipe import PER_SHARD, Recipe
    from cardai.poker.values.situations import BETS, EVERY, INTERVALS, SECOND

    if player and not game:
        raise UsageError("Ranges from self-play need both --player and --game.")
    few = bool(game and not player)
    where = str(street or (SECOND if few else StreetName.river))
    counts = _whole(iterations or ("2000" if few else "400+300+150+100+50"), "--iterations", 1, 10**6)
    made = Recipe(
        street=where,
        seed=seed or 0,
        iterations=counts * len(INTERVALS) if len(counts) == 1 else counts,
        intervals=EVERY if intervals is None else _whole(intervals, "--intervals", 0, len(INTERVALS) - 1),
        bets=bets or BETS,
        player=player or "",
        game=game or "",
        share=1.0 if share is None else share,
        rows=1 if rows is None else rows,
        per_shard=PER_SHARD[where] * max(1, rows or 1),
        network="" if behind is None else behind.digest,
        cards=CARDS if cards is None and behind is not None else cards or 0,
    )
    made.check()
    return made


def _whole(text: str, option: str, low: int, high: int) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word.replace(",", "")) for word in text.split("+"))
    except ValueError:
        numbers = (-1,)
    if not all(low <= number <= high for number in numbers):
        raise UsageError(f"{option} takes whole numbers from {low} to {high:,}, joined by +. Got {text!r}.")
    return numbers


def _show(found: SituationSet, json: bool) -> None:
    """Print what a set holds, with how far its strategies are from equilibrium by interval."""
    recipe = found.recipe
    size = sum((found.directory / name).stat().st_size for name in found.shards)
    if json:
        print_json(
            {
                "directory": str(found.directory),
                "street": recipe.street,
                "situations": len(found),
                "seed": recipe.seed,
                "iterations": recipe.iterations,
                "intervals": recipe.intervals,
                "player": recipe.player or None,
                "game": recipe.game or None,
                "share": recipe.share,
                "rows": recipe.rows,
                "network": recipe.network or None,
                "cards": recipe.cards,
                "bytes": size,
            }
        )
        return
    whose = f"ranges of {recipe.player}" if recipe.player else "ranges at random"
    whose += f" in {recipe.game}" if recipe.game else ""
    whose += f" in {100 * recipe.share:.3g}% of the files, else at random" if recipe.share < 1 else ""
    whose += f", {recipe.rows} of each solve" if recipe.rows > 1 else ""
    street = "second round" if recipe.street == "second" else recipe.street
    out().print(
        f"{found.directory}: {len(found):,} situations of the {street}, {whose}, seed {recipe.seed}, "
        f"{size / 2**20:,.1f} MiB of values."
    )
    behind = f"; behind the flop the network {recipe.network[:8]}" if recipe.network else ""
    out().print(
        f"Iterations by interval of pots: {', '.join(map(str, recipe.iterations))}; bets {recipe.bets}{behind}."
    )
