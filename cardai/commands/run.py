"""``cardai run``: play games between agents and report who is better."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import frozen

from cardai.commands.invocation import Jobs, Json, On, absolute, current, note, out, print_json, progress, take_stdout
from cardai.commands.show.figures import estimate_json
from cardai.commands.show.going_on import is_file, next_command, saying_what_is_kept
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.arena.match import MatchResult
    from cardai.core.agent import Agent
    from cardai.core.game import Game

DEFAULT_GAMES = 1000


GameOption = Annotated[
    str,
    typer.Option("--game", "-g", metavar="GAME", help="The game, such as gin or gin:target=50.", show_default=False),
]
AgentOption = Annotated[
    str,
    typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.", show_default=False),
]
Vs = Annotated[
    list[str] | None,
    typer.Option("--vs", "-v", metavar="AGENT", help="Its opponent; repeat it for each further seat."),
]
Games = Annotated[
    int | None,
    typer.Option(
        "--games",
        "-n",
        metavar="N",
        min=1,
        help="Games, both of a duplicate pair counted.",
        show_default="1000; with a human one match, or single hands until you stop",
    ),
]
NoDuplicate = Annotated[
    bool, typer.Option("--no-duplicate", help="New cards every game, instead of each deal once in every seat.")
]
Record = Annotated[
    str | None,
    typer.Option("--record", metavar="FILE", help="Keep every hand as a JSON line, for replay; - is stdout."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the match in --record, where it was stopped or killed.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="The root of all randomness: the same seed, the same games.",
        show_default="0; drawn with a human",
    ),
]
Aivat = Annotated[
    str | None,
    typer.Option("--aivat", metavar="AGENT", help="Take the luck out of what this player wins (see evaluate aivat)."),
]
Values = Annotated[
    str | None,
    typer.Option("--values", metavar="SPEC", help="The value function of --aivat.", show_default="as evaluate aivat"),
]


def run(
    game: GameOption,
    agent: AgentOption,
    vs: Vs = None,
    games: Games = None,
    no_duplicate: NoDuplicate = False,
    record: Record = None,
    resume: Resume = False,
    seed: Seed = None,
    aivat: Aivat = None,
    values: Values = None,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Play games between two agents (or more, or one, as the game has seats) and report who is better.

    Each deal is played once in every seat, so luck with the cards cancels out; intervals are 95%.
    Agents and games take options: simple:knock=5, gin:target=50. A trained run's directory is an agent too.
    """
    from cardai import make

    file = absolute(record)
    take_stdout(file)
    made = make.game(game)
    agents = seated(game, made.num_players, agent, vs or [])
    options = RunOptions(
        game, agents, games, seed, not no_duplicate, record, file, resume, aivat, values, jobs, on, json
    )
    players = [make.agent(spec) for spec in agents]
    human = any(player.interactive for player in players)
    _check(options, human)
    if human:
        _play_with_people(options, made, players)
    else:
        _play_programs(options, made, players)


@frozen
class RunOptions:
    """What a call of ``run`` asks for, by the names of its options."""

    game: str
    agents: Sequence[str]
    """The specs of the players, by seat."""
    games: int | None
    seed: int | None
    duplicate: bool
    record: str | None
    """As it was given, for messages."""
    file: str | None
    """The record's absolute path, or -."""
    resume: bool
    aivat: str | None
    values: str | None
    jobs: int
    on: str
    json: bool


def _check(options: RunOptions, human: bool) -> None:
    """Refuse options that do not go together before anything is played. ``human``: a person is at the table."""
    record = options.record
    if options.resume and record in (None, "-"):
        raise UsageError("--resume goes on with a match that was kept: name its file with --record FILE.")
    if human and options.on:
        raise UsageError(f"A person plays at this machine: leave out --on {options.on}.")
    if options.aivat is None:
        if options.values is not None:
            raise UsageError("--values is the value function of --aivat AGENT: give both.")
        return
    if human:
        raise UsageError("--aivat is for programs. Keep your hands with --record FILE, then: cardai evaluate aivat.")
    if record == "-" or (record is not None and os.path.exists(record) and not os.path.isfile(record)):
        raise UsageError(f"--aivat reads the hands again: give --record the name of a file. Got {record}.")


# -- programs ------------------------------------------------------------------------------------------------------


def _play_programs(options: RunOptions, game: Game, players: list[Agent]) -> None:
    """Play a match of programs, with AIVAT where it is asked for, and print the result."""
    from cardai.arena.journal import journal_of

    seats = game.num_players if options.duplicate else 1
    games = -(-DEFAULT_GAMES // seats) * seats if options.games is None else options.games
    seed = options.seed or 0
    corrected = None
    function = None if options.aivat is None else _aivat_values(options, game, players)
    command = next_command(options.game, options.agents, games, seed, not options.duplicate)
    elsewhere = [
        *(["--jobs", str(options.jobs)] if options.jobs > 1 else []),
        *(["--on", options.on] if options.on else []),
    ]
    if options.resume and options.file is not None and not os.path.exists(journal_of(options.file)):
        note(f"There is no {options.record} yet: the match begins.")
    going_on = f"{command} {shlex.join([*elsewhere, '--record', str(options.record), '--resume'])}"
    with _kept_for(options) as file:
        with saying_what_is_kept(file, going_on):
            result = _match(options, game, players, games, seed, file)
        if options.aivat is not None and result.played.hands_count:
            corrected = _aivat(options, game, players, file, function, seed)
    _print(options, result, command, corrected)
    if result.interrupted:
        if result.played.games and is_file(options.file):
            note(f"Go on with: {going_on}")
        raise typer.Exit(130)


def _match(
    options: RunOptions, game: Game, players: list[Agent], games: int, seed: int, record: str | None
) -> MatchResult:
    """Play a match of programs."""
    from cardai.arena import match

    with progress(f"{' - '.join(options.agents)}") as advance, tell_compiling():
        return match.play(
            game,
            players,
            names=list(options.agents),
            games=games,
            seed=seed,
            duplicate=options.duplicate,
            jobs=options.jobs,
            progress=advance,
            record=record,
            resume=options.resume,
            on=options.on,
        )


def _aivat_values(options: RunOptions, game: Game, players: Sequence[Agent]) -> Any:
    """Return the value function for --aivat; refuse what cannot be measured before anything is played."""
    from cardai.commands.evaluate_aivat import number_of, prepared

    assert options.aivat is not None
    player = players[number_of(options.agents, options.aivat, "The match")]
    return prepared(game, player, options.aivat, options.values)


@contextmanager
def _kept_for(options: RunOptions) -> Iterator[str | None]:
    """Give the file in which hands are kept: one for a while, where AIVAT alone asks for them."""
    if options.aivat is None or options.file is not None:
        yield options.file
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        yield str(Path(folder) / "hands.jsonl")


def _aivat(
    options: RunOptions, game: Game, players: Sequence[Agent], file: str | None, function: Any, seed: int
) -> tuple[Callable[[], None], Any]:
    """Return AIVAT of the hands in ``file``: a function that shows it, and its plain values."""
    from cardai.arena.records import read
    from cardai.commands import evaluate_aivat

    assert file is not None
    assert options.aivat is not None
    name, values = options.aivat, options.values
    seat = options.agents.index(name)
    found = evaluate_aivat.measure(game, players[seat], name, read(file).hands, seat, function, seed)
    plain = {"agent": name, "values": values, **evaluate_aivat.as_json(found, game)}
    return lambda: evaluate_aivat.show(found, game, name, values), plain


# -- people --------------------------------------------------------------------------------------------------------


def _play_with_people(options: RunOptions, game: Game, players: list[Agent]) -> None:
    """Let people play, print the finished games, and say how to go on with a hand under way."""
    import secrets

    from cardai.commands.show.table_session import TableSession

    with tell_compiling():
        seed = secrets.randbelow(10**9) if options.seed is None and not options.resume else options.seed
        names = list(options.agents)
        session = TableSession(game, players, names, options.games, seed, options.file, options.resume)
        try:
            session.play()
        finally:
            session.close()
    _print(options, session.result(), "", in_turn=True)
    if session.table.unfinished is not None:
        kept = options.record if options.record != "-" else None
        again = next_command(options.game, options.agents, options.games, record=kept)
        note(
            f"The hand under way is kept. Go on with: {again}"
            if kept
            else "The hand under way is not kept: --record FILE would keep it."
        )


def seated(game: str, seats: int, agent: str, vs: Sequence[str]) -> list[str]:
    """Return the agents in order of seats. Raises UsageError when they do not fill them."""
    if len(vs) + 1 == seats:
        return [agent, *vs]
    if seats == 1:
        raise UsageError(f"{game} has one seat, for --agent. Leave out --vs {' --vs '.join(vs)}.")
    needs = "--vs once" if seats == 2 else f"--vs {seats - 1} times, once for each further seat"
    raise UsageError(f"{game} has {seats} seats: give {needs}. Got {len(vs) or 'none'}.")


def tell_compiling() -> AbstractContextManager[None]:
    """Return a context in which a line says so when rules or players are compiled for the first time."""
    from cardai.core.kernel import when_compiling

    text = "Compiling the rules and players to machine code. This happens once and takes up to half a minute."
    return when_compiling(lambda: note(text))


# -- what is shown -------------------------------------------------------------------------------------------------


def _print(
    options: RunOptions,
    result: MatchResult,
    command: str,
    corrected: tuple[Callable[[], None], Any] | None = None,
    in_turn: bool = False,
) -> None:
    """Print a result, with AIVAT's figures if there are any, and where its hands are."""
    if options.json:
        print_json(as_json(result, options.game, command) | ({"aivat": corrected[1]} if corrected else {}))
    else:
        show(result, command, in_turn)
        if corrected:
            out().print()
            corrected[0]()
    record = options.record
    if record and result.played.hands_count and os.path.isfile(record):  # not a device, nor "-"
        note(f"The hands are in {record}. See them with: cardai replay {shlex.quote(record)}")


def show(result: MatchResult, command: str, in_turn: bool = False) -> None:
    """Print the result for a person. ``in_turn``: games were played one after the other."""
    from rich.text import Text

    from cardai.arena.report import INTERVAL, match_parts

    console = out()
    for part in match_parts(result, in_turn):
        console.print(part)
    played = result.played.games - result.resumed
    if not result.played.games:
        return
    speed = played / max(result.seconds, 1e-9)
    before = f"{result.resumed:,} games were played before. " if result.resumed else ""
    took = f"{speed:,.{0 if speed >= 10 else 1}f} games a second, {result.seconds:.1f} s in all. " if played else ""
    console.print(f"\n{before}{took}{INTERVAL}")
    if command and not current().quiet:
        console.print(Text.assemble("Again: ", (command, "cyan")), soft_wrap=True)


def as_json(result: MatchResult, game: str, command: str) -> dict[str, Any]:
    """Return the result as plain values."""
    from cardai import __version__

    players = []
    for a, name in enumerate(result.agents):
        player: dict[str, Any] = {"agent": name}
        if len(result.agents) > 1:
            player["win_rate"] = estimate_json(result.win_rate(a), rate=True)
        player["mean_return"] = estimate_json(result.mean_return(a))
        player["summary"] = dict(result.summary(a)) if result.played.hands_count else {}
        found = result.figures(a) if result.played.hands_count else {}
        player["figures"] = {name: estimate_json(figure) for name, figure in found.items()}
        players.append(player)
    return {
        "cardai": __version__,
        "game": game,
        "unit": result.game.unit,
        "players": players,
        "games": result.played.games,
        "hands": result.played.hands_count,
        "wanted": result.wanted,
        "interrupted": result.interrupted,
        "duplicate": result.duplicate,
        "seed": result.seed,
        "seconds": round(result.seconds, 3),
        "games_per_second": round((result.played.games - result.resumed) / max(result.seconds, 1e-9), 1),
        "resumed": result.resumed,
        "command": command,
    }
