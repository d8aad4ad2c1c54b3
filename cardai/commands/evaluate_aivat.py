"""``cardai evaluate aivat``: what a player won in recorded hands or wins in a match, with the luck taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.arena.report import between, signed
from cardai.commands.evaluate_response import KEEP, ended, measured_by
from cardai.commands.invocation import Jobs, Json, On, Seed, note, out, print_json, progress
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
    str | None,
    typer.Option(
        "--record",
        metavar="FILE",
        help="Hands of run --record, an ACPC log or a PHH file; - is stdin.",
        show_default=False,
    ),
]
GAME = Annotated[
    str | None,
    typer.Option("--game", "-g", metavar="GAME", help="With --vs: hold'em of two players.", show_default=False),
]
VS = Annotated[
    str | None,
    typer.Option(
        "--vs",
        metavar="AGENT",
        help="Instead of a record: play --hands against this one and weigh each while what was solved for it is known.",
        show_default=False,
    ),
]
HANDS = Annotated[
    int | None,
    typer.Option(
        "--hands",
        metavar="N",
        min=2,
        max=1_000_000,
        help="With --vs: how many, each deal in both seats.",
        show_default="2000",
    ),
]


def aivat(
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.")],
    record: RECORD = None,
    values: Annotated[str | None, typer.Option("--values", metavar="SPEC", help=VALUES, show_default=False)] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Its name in the record.", show_default="as --agent"),
    ] = None,
    game: GAME = None,
    vs: VS = None,
    hands: HANDS = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    keep: KEEP = None,
    json: Json = False,
) -> None:
    """Print what a player won in recorded hands, or wins in a match, with the luck taken out (AIVAT, Burch et al. 2018).

    What chance and the player itself did is weighed against what they might have done, and the player's hand against all
    that it could have held. The mean stays right whatever the value function; the better that is, the narrower the interval.

    Example: cardai evaluate aivat --record hands.jsonl --agent threshold --values played
    """
    if vs is not None:
        _check_played(record, player, game)
        _played(str(game), agent, vs, 2000 if hands is None else hands, values, seed, jobs, on, keep, json)
        return
    _check_recorded(
        {"--game": game, "--hands": hands, "--on": on or None, "--out": keep, "--jobs": jobs if jobs > 1 else None}
    )
    if record is None:
        raise UsageError(
            "AIVAT weighs hands. Give --record FILE, or have them played: --game GAME --vs AGENT --hands N."
        )
    _recorded(record, agent, values, player, seed, json)


def _check_played(record: str | None, player: str | None, game: str | None) -> None:
    """Raise UsageError for options that a match does not go with."""
    if record is not None or player is not None:
        raise UsageError("--vs has hands played, --record and --player tell of hands that were. Give one or the other.")
    if game is None:
        raise UsageError("--vs has hands played: name the game with --game too.")


def _check_recorded(given: Mapping[str, Any]) -> None:
    """Raise UsageError for options that recorded hands do not go with."""
    odd = [name for name, value in given.items() if value is not None]
    if odd:
        raise UsageError(f"{odd[0]} is of hands that are played: name the opponent with --vs AGENT, or leave it out.")


def _played(
    game: str,
    agent: str,
    other: str,
    hands: int,
    values: str | None,
    seed: int,
    jobs: int,
    on: str,
    keep: str | None,
    json: bool,
) -> None:
    """Play a match, weigh it, and print what was found."""
    from cardai.poker.aivat.matches import MatchOptions

    options = MatchOptions(game, agent, other, hands, seed, values)
    found = measured_by(options, "AIVAT", "hands", 2, keep, jobs, on)
    if json:
        asked = {"game": game, "agent": agent, "vs": other, "values": values, "seed": seed, "hands": 2 * found.done}
        aivat = {"aivat": interval_json(found.corrected)} if found.corrected else {}
        print_json(asked | {"won": estimate_json(found.spread), "unit": "mbb/g"} | aivat)
    elif found.corrected and found.done:
        console = out()
        console.print(f"{agent} against {other} in {game}, {2 * found.done:,} hands, each deal in both seats:")
        console.print(f"won     {found.spread.text(1, sign=True)} mbb a hand")
        console.print(f"AIVAT   {found.corrected.text(1, sign=True)} mbb a hand")
        console.print("± and brackets: 95% intervals over deals.")
    ended(found, "hands", 2, keep)


def _recorded(record: str, agent: str, values: str | None, player: str | None, seed: int, json: bool) -> None:
    """Weigh recorded hands, and print what was found."""
    from cardai import make
    from cardai.arena.records import other_game
    from cardai.formats import read_hands

    file = read_hands(record)
    if file.not_shown:
        why = "the other cards were not shown, and which they are is no accident"
        raise UsageError(f"No AIVAT: in {file.not_shown:,} hands {why}.")
    for message in file.damaged:
        tell(f"cardai: {message}")
    if not file.hands:
        raise DamagedFileError(f"{record} holds no finished hand.")
    if other := next((hand for hand in file.hands if other_game(str(file.header["game"]), hand)), None):
        raise UsageError(f"AIVAT is of one game. {record} has hands of {file.header['game']} and of {other['game']}.")
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
