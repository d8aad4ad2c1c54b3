"""``cardai acpc match``: matches of every pair of players over the competition's wire, with curve and crosstable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json, show_work
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.formats.acpc.series import Pairing, Series


Game = Annotated[
    str,
    typer.Option(
        "--game",
        "-g",
        metavar="GAMEDEF",
        help="A game for two: a definition's file, a shipped one's name, or a game of cardai (acpc_limit_2p).",
    ),
]
Agent = Annotated[
    list[str],
    typer.Option(
        "--agent",
        "-a",
        metavar="AGENT",
        help="A player, a trained run, or the command line of a program, which gets host and port as its last two "
        "words. Repeat it: each pair meets.",
    ),
]
Directory = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where logs, curve and crosstable go.")]
Hands = Annotated[int, typer.Option("--hands", "-n", metavar="N", min=1, help="Hands of a match.")]
Seeds = Annotated[
    str, typer.Option("--seeds", metavar="S", help="Of the cards: one, several (1,2,3) or a range (0-9).")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the matches in --out.")]
InProcess = Annotated[
    bool, typer.Option("--in-process", help="Agents only, without processes and sockets: the same logs, sooner.")
]
Compiled = Annotated[
    bool,
    typer.Option(
        "--compiled/--interpreted", help="Agents compile their kernels; a few hands are sooner played without."
    ),
]
Plays = Annotated[
    str, typer.Option("--as", metavar="GAME", help="The game agents play.", show_default="the definition's")
]


def match(
    game: Game,
    agent: Agent,
    directory: Directory,
    hands: Hands = 1000,
    seeds: Seeds = "0",
    resume: Resume = False,
    in_process: InProcess = False,
    compiled: Compiled = True,
    plays: Plays = "",
    json: Json = False,
) -> None:
    """Play matches of the poker competition between every pair of players: agents of cardai and foreign programs.

    Every pair gets the same cards for each seed, once in each seating. Dealer and players are processes that talk over
    sockets. --out gets a log a match, curve.png (mean winnings a hand, by hand), and crosstable.json. Ctrl-C loses no
    finished match; --resume goes on.
    """
    from cardai.core.locks import DirectoryLock
    from cardai.formats.acpc import series as library

    try:
        planned = library.Series(game, tuple(agent), hands, seeds_of(seeds))
    except ValueError as error:
        raise UsageError(f"{error} Give --agent for each.") from error
    planned.definition()
    if not compiled:
        from cardai.core.kernel import interpret

        interpret()
    _check_players(agent, in_process)
    directory = directory.absolute()
    with DirectoryLock(directory, "The matches in {} are being played"):
        library.begin(planned, directory, resume, plays)
        try:
            _play_all(planned, directory, in_process, compiled, plays)
        except KeyboardInterrupt:
            _report(planned, directory, json)
            note(f"Stopped before the end. What is finished is in {directory}; the same command with --resume goes on.")
            raise typer.Exit(130) from None
        _report(planned, directory, json)


def seeds_of(text: str) -> tuple[int, ...]:
    """Return the seeds that "3", "1,2,3" and "0-9" name. Raises UsageError."""
    seeds: list[int] = []
    for word in text.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", word)
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not low <= high < 2**32 or high - low >= 100_000:
            raise UsageError(f"--seeds must be whole numbers below 2^32: 3, or 1,2,3, or 0-9. Got {text!r}.")
        seeds += range(low, high + 1)
    if len(set(seeds)) != len(seeds):
        raise UsageError(f"--seeds names a seed twice: {text!r}. The same cards again tell nothing new.")
    return tuple(seeds)


def _check_players(players: list[str], in_process: bool) -> None:
    """Raise what is wrong with an agent's spec now rather than in a process of its own; refuse programs in this one."""
    from cardai.core.spec import parse
    from cardai.formats.acpc.series import is_command

    programs = [text for text in players if is_command(text)]
    if in_process and programs:
        raise UsageError(f"{programs[0]!r} is a program: it plays over sockets only, without --in-process.")
    for spec in players:
        if spec not in programs and not parse(spec).is_run:  # a run's player is made where it plays
            from cardai import make

            make.agent(spec)


def _play_all(planned: Series, directory: Path, in_process: bool, compiled: bool, plays: str) -> None:
    """Play every match whose log is not there whole."""
    from cardai.formats.acpc.inprocess import play_agents
    from cardai.formats.acpc.processes import play_by_processes
    from cardai.formats.acpc.series import finished

    matches = list(planned.matches())
    for number, (seats, one) in enumerate(matches):
        show_work("Matches:", number, len(matches))
        if finished(directory / f"{one.name}.log", one.hands):
            continue
        if in_process:
            play_agents(planned, one, seats, directory, plays)
        else:
            players = [planned.players[k] for k in seats]
            seeds = [planned.client_seed(one, seat) for seat in range(2)]
            play_by_processes(one, players, seeds, directory, compiled, plays)
    show_work("Matches:", len(matches), len(matches))


def _report(planned: Series, directory: Path, json: bool) -> None:
    """Print the crosstable, write it, and draw the curve."""
    from cardai.core.files import write_json
    from cardai.formats.acpc.series import results

    found = results(planned, directory)
    value = as_json(planned, found)
    write_json(directory / "crosstable.json", value)
    if json:
        print_json(value)
    else:
        _show(planned, found)
    if found:
        from cardai.commands.show.winnings import draw

        draw(planned, found, directory / "curve.png")


def as_json(planned: Series, found: Mapping[tuple[int, int], Pairing]) -> dict[str, Any]:
    """Return the results as plain values; ``mean`` is what the first of two won a hand, in mbb."""
    pairs = []
    for (i, j), pairing in found.items():
        estimate = pairing.mean()
        pairs.append(
            {
                "players": [planned.players[i], planned.players[j]],
                "mean": estimate.mean,
                "half_width": estimate.half_width if estimate.half_width == estimate.half_width else None,
                "hands": 2 * estimate.count,
            }
        )
    return {"game": planned.game, "unit": "mbb/g", "hands": planned.hands, "seeds": list(planned.seeds), "pairs": pairs}


def _show(planned: Series, found: Mapping[tuple[int, int], Pairing]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = out()
    console.print(
        Text(
            f"{planned.game}, {planned.hands:,} hands a match, {len(planned.seeds)} seed(s), both seatings: what the row "
            "won of the column, in mbb a hand; ± is half a 95% interval over pairs of hands with the same cards.\n"
        )
    )
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("", justify="right")
    table.add_column("")
    count = len(planned.players)
    for k in range(count):
        table.add_column(str(k + 1), justify="right", no_wrap=True)
    table.add_column("mean", justify="right")
    for i, name in enumerate(planned.players):
        cells, means = [], []
        for j in range(count):
            pairing = found.get((min(i, j), max(i, j))) if i != j else None
            if pairing is None:
                cells.append("-")
                continue
            estimate = pairing.mean().scaled(1.0 if i < j else -1.0)
            means.append(estimate.mean)
            cells.append(estimate.text(0, sign=True))
        mean = f"{sum(means) / len(means):+.0f}" if len(means) == count - 1 else "-"
        table.add_row(str(i + 1), Text(name, style="bold"), *cells, mean)
    console.print(table)
