"""``cardai tournament``: every pair of several agents, the crosstable, and a heat map where matplotlib is there."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Jobs, Json, On, Seed, absolute, note, out, print_json, progress
from cardai.commands.run import tell_compiling
from cardai.commands.show.figures import estimate_json
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.arena.tournament import Standings


class Format(StrEnum):
    """Who meets whom."""

    roundrobin = "roundrobin"
    gauntlet = "gauntlet"


def tournament(
    game: Annotated[
        str,
        typer.Option("--game", "-g", metavar="GAME", help="A game for two.", show_default=False),
    ],
    agent: Annotated[
        list[str],
        typer.Option("--agent", "-a", metavar="AGENT", help="A player; repeat it.", show_default=False),
    ],
    games: Annotated[int, typer.Option("--games", "-n", metavar="N", min=1, help="Games a pairing.")] = 1000,
    form: Annotated[
        Format, typer.Option("--format", help="Each against each, or the first against every other.")
    ] = Format.roundrobin,
    directory: Annotated[
        str | None, typer.Option("--out", "-o", metavar="DIR", help="Save every finished pair here, at once.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the tournament in --out.")] = False,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Draw a heat map (needs matplotlib).")
    ] = None,
    no_duplicate: Annotated[
        bool, typer.Option("--no-duplicate", help="New cards every game, instead of each deal once in every seat.")
    ] = False,
    forfeit: Annotated[
        bool, typer.Option("--forfeit", help="An agent that errs loses the game; the tournament goes on.")
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Play every pair of agents and print who beats whom, Elo and alpha-rank, with 95% intervals.

    Ctrl-C prints what is finished; with --out nothing finished is lost and --resume goes on.
    """
    from cardai import make
    from cardai.arena import tournament as library
    from cardai.commands.show.pictures import check_picture

    if resume and directory is None:
        raise UsageError("--resume goes on with a saved tournament: name its directory with --out DIR.")
    folder, picture = absolute(directory), absolute(plot)
    made, players = make.game(game), [make.agent(spec) for spec in agent]
    people = [spec for spec, player in zip(agent, players, strict=True) if player.interactive]
    if people:
        raise UsageError(f"A tournament is for programs. Play with {people[0]!r} by: cardai run.")
    if plot:
        check_picture(plot)
    with progress("tournament") as advance, tell_compiling():
        report = None if advance is None else _overall(advance, agent, form, games)
        standings = library.play_pairings(
            made,
            players,
            games=games,
            seed=seed,
            duplicate=not no_duplicate,
            jobs=jobs,
            form=form.value,
            out=folder,
            resume=resume,
            forfeit=forfeit,
            progress=report,
            on=on,
        )
    if json:
        print_json(as_json(standings, game, seed))
    else:
        show(standings, game)
    _keep(standings, game, seed, folder, picture)
    if standings.interrupted:
        note(_how_to_go_on(game, agent, games, form, directory, no_duplicate, forfeit, seed, on))
        raise typer.Exit(130)


def _overall(advance: Any, agents: list[str], form: Format, games: int) -> Any:
    """Return a progress function over all pairings from one that hears of games done of games in all."""
    count = len(agents)
    pairings = count * (count - 1) // 2 if form is Format.roundrobin else count - 1
    done: dict[str, int] = {}

    def report(pairing: str, played: int, _: int) -> None:
        done[pairing] = played
        advance(sum(done.values()), pairings * games)

    return report


def _how_to_go_on(
    game: str,
    agents: list[str],
    games: int,
    form: Format,
    directory: str | None,
    no_duplicate: bool,
    forfeit: bool,
    seed: int,
    on: str = "",
) -> str:
    from cardai.core import registry

    if directory is None:
        return "Nothing of this is saved. With --out DIR it would be, and --resume would go on from there."
    words = ["cardai", "tournament", "--game", game]
    for agent in agents:
        words += ["--agent", agent]
    words += ["--games", str(games), "--format", form.value, "--seed", str(seed), "--out", directory, "--resume"]
    words += ["--no-duplicate"] if no_duplicate else []
    words += ["--forfeit"] if forfeit else []
    words += ["--on", on] if on else []
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
