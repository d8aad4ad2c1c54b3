"""``cardai tournament``: every pair of several agents, the crosstable, and a heat map where matplotlib is there."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import frozen

from cardai.commands.invocation import Jobs, Json, On, Seed, absolute, note, out, print_json, progress
from cardai.commands.run import tell_compiling
from cardai.commands.show.figures import estimate_json
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.arena.tournament import Standings
    from cardai.core.agent import Agent
    from cardai.core.game import Game


class Format(StrEnum):
    """Who meets whom."""

    roundrobin = "roundrobin"
    gauntlet = "gauntlet"


GameOption = Annotated[
    str,
    typer.Option("--game", "-g", metavar="GAME", help="A game for two.", show_default=False),
]
AgentOption = Annotated[
    list[str],
    typer.Option("--agent", "-a", metavar="AGENT", help="A player; repeat it.", show_default=False),
]
Games = Annotated[int, typer.Option("--games", "-n", metavar="N", min=1, help="Games a pairing.")]
Form = Annotated[Format, typer.Option("--format", help="Each against each, or the first against every other.")]
Directory = Annotated[
    str | None, typer.Option("--out", "-o", metavar="DIR", help="Save every finished pair here, at once.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the tournament in --out.")]
Plot = Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Draw a heat map (needs matplotlib).")]
NoDuplicate = Annotated[
    bool, typer.Option("--no-duplicate", help="New cards every game, instead of each deal once in every seat.")
]
Forfeit = Annotated[bool, typer.Option("--forfeit", help="An agent that errs loses the game; the tournament goes on.")]


def tournament(
    game: GameOption,
    agent: AgentOption,
    games: Games = 1000,
    form: Form = Format.roundrobin,
    directory: Directory = None,
    resume: Resume = False,
    plot: Plot = None,
    no_duplicate: NoDuplicate = False,
    forfeit: Forfeit = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Play every pair of agents and print who beats whom, Elo and alpha-rank, with 95% intervals.

    Ctrl-C prints what is finished; with --out nothing finished is lost and --resume goes on.
    """
    from cardai import make
    from cardai.commands.show.pictures import check_picture

    if resume and directory is None:
        raise UsageError("--resume goes on with a saved tournament: name its directory with --out DIR.")
    options = TournamentOptions(game, agent, games, form, directory, resume, not no_duplicate, forfeit, seed, jobs, on)
    folder, picture = absolute(directory), absolute(plot)
    made = make.game(game)
    players = _programs(agent)
    if plot:
        check_picture(plot)
    standings = _play(options, made, players, folder)
    if json:
        print_json(as_json(standings, game, seed))
    else:
        show(standings, game)
    _keep(standings, game, seed, folder, picture)
    if standings.interrupted:
        note(_how_to_go_on(options))
        raise typer.Exit(130)


@frozen
class TournamentOptions:
    """What a call of ``tournament`` plays, by the names of its options."""

    game: str
    agents: list[str]
    games: int
    form: Format
    directory: str | None
    resume: bool
    duplicate: bool
    forfeit: bool
    seed: int
    jobs: int
    on: str


def _programs(agents: list[str]) -> list[Agent]:
    """Return the players that specs name. Raises UsageError where one is a person."""
    from cardai import make

    players = [make.agent(spec) for spec in agents]
    people = [spec for spec, player in zip(agents, players, strict=True) if player.interactive]
    if people:
        raise UsageError(f"A tournament is for programs. Play with {people[0]!r} by: cardai run.")
    return players


def _play(options: TournamentOptions, game: Game, players: list[Agent], folder: str | None) -> Standings:
    """Play the pairings, with a bar; ``folder`` is where they are saved."""
    from cardai.arena import tournament as library

    with progress("tournament") as advance, tell_compiling():
        report = None if advance is None else _overall(advance, options)
        return library.play_pairings(
            game,
            players,
            games=options.games,
            seed=options.seed,
            duplicate=options.duplicate,
            jobs=options.jobs,
            form=options.form.value,
            out=folder,
            resume=options.resume,
            forfeit=options.forfeit,
            progress=report,
            on=options.on,
        )


def _overall(advance: Any, options: TournamentOptions) -> Any:
    """Return a progress function over all pairings from one that hears of games done of games in all."""
    count = len(options.agents)
    pairings = count * (count - 1) // 2 if options.form is Format.roundrobin else count - 1
    done: dict[str, int] = {}

    def report(pairing: str, played: int, _: int) -> None:
        done[pairing] = played
        advance(sum(done.values()), pairings * options.games)

    return report


def _how_to_go_on(options: TournamentOptions) -> str:
    from cardai.core import registry

    if options.directory is None:
        return "Nothing of this is saved. With --out DIR it would be, and --resume would go on from there."
    words = ["cardai", "tournament", "--game", options.game]
    for agent in options.agents:
        words += ["--agent", agent]
    words += ["--games", str(options.games), "--format", options.form.value, "--seed", str(options.seed)]
    words += ["--out", options.directory, "--resume"]
    words += [] if options.duplicate else ["--no-duplicate"]
    words += ["--forfeit"] if options.forfeit else []
    words += ["--on", options.on] if options.on else []
    for file in registry.plugin_files():
        words += ["--plugin", file]
    return f"Go on with: {shlex.join(words)}"


def _keep(standings: Standings, game: str, seed: int, directory: str | None, plot: str | None) -> None:
    """Write the crosstable beside the saved pairings, and the heat map where one can be drawn."""
    from cardai.core.files import write_json

    if directory:
        file = Path(directory) / "crosstable.json"
        write_json(file, as_json(standings, game, seed))
        if plot is None and importlib.util.find_spec("matplotlib") is not None:
            plot = str(Path(directory) / "crosstable.png")
    if plot and not any(len(pairing) for pairing in standings.pairings.values()):
        note("Nothing is finished yet: there is no heat map to draw.")
    elif plot:
        from cardai.commands.show.heatmap import draw

        draw(standings, game, plot)
        note(f"Heat map: {plot}")


def show(standings: Standings, game: str) -> None:
    """Print the crosstable: a row's agent against a column's."""
    from cardai.arena.report import standings_parts

    console = out()
    for part in standings_parts(standings, game):
        if not sys.stdout.isatty():  # a log has room for every name and figure
            console.width = max(
                console.width, console.measure(part, options=console.options.update(max_width=10_000)).maximum
            )
        console.print(part)


def _ratings_json(standings: Standings) -> dict[str, Any]:
    """Return the ratings as plain values: Elo and alpha-rank by agent, null where there is none."""
    from cardai.arena.ratings import ratings
    from cardai.arena.report import SHARES

    found = ratings(standings)
    ranked = found.alpha_rank or [None] * len(found.agents)
    return {
        "of": SHARES[standings.game.measure],
        "elo": {name: estimate_json(one) for name, one in zip(found.agents, found.elo, strict=True)},
        "alpha_rank": {
            name: None if one is None else estimate_json(one, rate=True)
            for name, one in zip(found.agents, ranked, strict=True)
        },
    }


def as_json(standings: Standings, game: str, seed: int) -> dict[str, Any]:
    """Return the standings as plain values."""
    cells = []
    for (i, j), pairing in standings.pairings.items():
        cells.append(
            {
                "agents": [standings.agents[i], standings.agents[j]],
                "groups": len(pairing),
                "hands": pairing.hands,
                "win_rate": estimate_json(pairing.win_rate(), rate=True),
                "mean_return": estimate_json(pairing.mean_return()),
            }
        )
    means = {name: standings.row_mean(i) for i, name in enumerate(standings.agents)}
    return {
        "game": game,
        "unit": standings.game.unit,
        "measure": standings.game.measure,
        "seed": seed,
        "games": standings.games,
        "interrupted": standings.interrupted,
        "agents": list(standings.agents),
        "means": {name: None if value != value else value for name, value in means.items()},
        "pairings": cells,
        "ratings": _ratings_json(standings),
    }
