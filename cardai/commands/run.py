"""``cardai run``: play games between agents and report who is better."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Jobs, Json, On, absolute, current, note, out, print_json, progress, take_stdout
from cardai.commands.show.figures import estimate_json
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.arena.match import MatchResult
    from cardai.core.agent import Agent
    from cardai.core.game import Game

DEFAULT_GAMES = 1000


def run(
    game: Annotated[
        str,
        typer.Option(
            "--game", "-g", metavar="GAME", help="The game, such as gin or gin:target=50.", show_default=False
        ),
    ],
    agent: Annotated[
        str,
        typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.", show_default=False),
    ],
    vs: Annotated[
        list[str] | None,
        typer.Option("--vs", "-v", metavar="AGENT", help="Its opponent; repeat it for each further seat."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            min=1,
            help="Games, both of a duplicate pair counted.",
            show_default="1000; with a human one match, or single hands until you stop",
        ),
    ] = None,
    no_duplicate: Annotated[
        bool, typer.Option("--no-duplicate", help="New cards every game, instead of each deal once in every seat.")
    ] = False,
    record: Annotated[
        str | None,
        typer.Option("--record", metavar="FILE", help="Keep every hand as a JSON line, for replay; - is stdout."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with your own match, where --record left off.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            help="The root of all randomness: the same seed, the same games.",
            show_default="0; drawn with a human",
        ),
    ] = None,
    aivat: Annotated[
        str | None,
        typer.Option(
            "--aivat", metavar="AGENT", help="Take the luck out of what this player wins (see evaluate aivat)."
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            "--values", metavar="SPEC", help="The value function of --aivat.", show_default="as evaluate aivat"
        ),
    ] = None,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Play games between two agents (or more, or one, as the game has seats) and report who is better.

    Each deal is played once in every seat, so luck with the cards cancels out; intervals are 95%.
    Agents and games take options: simple:knock=5, gin:target=50. A trained run's directory is an agent too.
    """
    from cardai import make

    kept = absolute(record)
    take_stdout(kept)
    made = make.game(game)
    agents = seated(game, made.num_players, agent, vs or [])
    players = [make.agent(spec) for spec in agents]
    human = any(player.interactive for player in players)
    if resume and (not human or record is None):
        raise UsageError("--resume goes on with a match of your own, one with a human, kept in --record FILE.")
    if human and on:
        raise UsageError(f"A person plays at this machine: leave out --on {on}.")
    command, corrected = "", None
    if aivat is not None:
        function = _aivat_values(aivat, made, agents, players, human, record, values)
    elif values is not None:
        raise UsageError("--values is the value function of --aivat AGENT: give both.")
    if human:
        result, to_go_on = _sit(made, players, agents, games, seed, kept, resume)
    else:
        size = 1 if no_duplicate else made.num_players
        games = -(-DEFAULT_GAMES // size) * size if games is None else games
        with _kept_for(aivat, kept) as file:
            result = _match(made, players, agents, games, seed or 0, not no_duplicate, jobs, on, file)
            if aivat is not None and result.played.hands_count:
                corrected = _aivat(made, players, agents, aivat, file, values, function, seed or 0)
        command = reproduce(game, agents, games, seed or 0, no_duplicate)
    if json:
        print_json(as_json(result, game, command) | ({"aivat": corrected[1]} if corrected else {}))
    else:
        show(result, command, in_turn=human)
        if corrected:
            out().print()
            corrected[0]()
    if record and result.played.hands_count and os.path.isfile(record):  # not a device, nor "-"
        note(f"The hands are in {record}. See them with: cardai replay {shlex.quote(record)}")
    if human and to_go_on:
        note(_how_to_go_on(game, agents, games, record))
    if result.interrupted and not human:
        raise typer.Exit(130)


def _match(
    game: Game,
    players: list[Agent],
    names: list[str],
    games: int,
    seed: int,
    duplicate: bool,
    jobs: int,
    on: str,
    record: str | None,
) -> MatchResult:
    """Play a match of programs."""
    from cardai.arena import match

    with progress(f"{' - '.join(names)}") as advance, tell_compiling():
        return match.play(
            game,
            players,
            names=names,
            games=games,
            seed=seed,
            duplicate=duplicate,
            jobs=jobs,
            progress=advance,
            record=record,
            on=on,
        )


def _aivat_values(
    aivat: str,
    game: Game,
    agents: Sequence[str],
    players: Sequence[Agent],
    human: bool,
    record: str | None,
    values: str | None,
) -> Any:
    """Return the value function for --aivat; refuse what cannot be measured before anything is played."""
    from cardai.commands.evaluate_aivat import number_of, prepared

    if human:
        raise UsageError("--aivat is for programs. Keep your hands with --record FILE, then: cardai evaluate aivat.")
    if record == "-" or (record is not None and os.path.exists(record) and not os.path.isfile(record)):
        raise UsageError(f"--aivat reads the hands again: give --record the name of a file. Got {record}.")
    return prepared(game, players[number_of(agents, aivat, "The match")], aivat, values)


@contextmanager
def _kept_for(aivat: str | None, record: str | None) -> Iterator[str | None]:
    """Give the file in which hands are kept: one for a while, where AIVAT alone asks for them."""
    if aivat is None or record is not None:
        yield record
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        yield str(Path(folder) / "hands.jsonl")


def _aivat(
    game: Game,
    players: Sequence[Agent],
    agents: Sequence[str],
    aivat: str,
    file: str | None,
    values: str | None,
    function: Any,
    seed: int,
) -> tuple[Callable[[], None], Any]:
    """Return AIVAT of the hands in ``file``: a function that shows it, and its plain values."""
    from cardai.arena.records import read
    from cardai.commands import evaluate_aivat

    assert file is not None
    who = agents.index(aivat)
    found = evaluate_aivat.measure(game, players[who], aivat, read(file).hands, who, function, seed)
    plain = {"agent": aivat, "values": values, **evaluate_aivat.as_json(found, game)}
    return lambda: evaluate_aivat.show(found, game, aivat, values), plain


def _sit(
    game: Game,
    players: list[Agent],
    names: list[str],
    games: int | None,
    seed: int | None,
    record: str | None,
    resume: bool,
) -> tuple[MatchResult, bool]:
    """Let people play; return the finished games, and whether there is a hand to go on with."""
    from cardai.commands.show.sitting import Sitting

    with tell_compiling():
        fresh = _any_seed() if seed is None and not resume else seed
        sitting = Sitting(game, players, names, games, fresh, record, resume)
        try:
            sitting.play()
        finally:
            sitting.close()
    return sitting.result(), sitting.table.unfinished is not None


def _how_to_go_on(game: str, agents: Sequence[str], games: int | None, record: str | None) -> str:
    if record is None or record == "-":
        return "The hand under way is not kept: --record FILE would keep it."
    words = _words(game, agents) + (["--games", str(games)] if games is not None else [])
    return (
        f"The hand under way is kept. Go on with: {shlex.join([*words, '--record', record, '--resume', *_plugins()])}"
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


def _any_seed() -> int:
    import secrets

    return secrets.randbelow(10**9)


def reproduce(game: str, agents: Sequence[str], games: int, seed: int, no_duplicate: bool) -> str:
    """Return the command line that plays the same games again."""
    words = [*_words(game, agents), "--games", str(games), "--seed", str(seed)]
    words += ["--no-duplicate"] if no_duplicate else []
    return shlex.join([*words, *_plugins()])


def _words(game: str, agents: Sequence[str]) -> list[str]:
    words = ["cardai", "run", "--game", game, "--agent", agents[0]]
    for other in agents[1:]:
        words += ["--vs", other]
    return words


def _plugins() -> list[str]:
    from cardai.core import registry

    return [word for file in registry.plugin_files() for word in ("--plugin", file)]


# -- what is shown -------------------------------------------------------------------------------------------------


def show(result: MatchResult, command: str, in_turn: bool = False) -> None:
    """Print the result for a person. ``in_turn``: games were played one after the other."""
    from rich.text import Text

    from cardai.arena.report import INTERVAL, match_parts

    console = out()
    for part in match_parts(result, in_turn):
        console.print(part)
    played = result.played.games
    if not played:
        return
    speed = played / max(result.seconds, 1e-9)
    console.print(f"\n{speed:,.{0 if speed >= 10 else 1}f} games a second, {result.seconds:.1f} s in all. {INTERVAL}")
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
        "games_per_second": round(result.played.games / max(result.seconds, 1e-9), 1),
        "command": command,
    }
