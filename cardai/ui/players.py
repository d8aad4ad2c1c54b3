"""Who can play a game: the agents and trained runs that fit it, each with a line about itself and its measured strength."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from cardai import make
from cardai.arena.asking import bound
from cardai.core import registry
from cardai.core.discovery import Entry
from cardai.core.errors import CardaiError
from cardai.core.game import Game
from cardai.ui.strength import Strength, known_strengths

RUNS = "runs"
"""The folder, in the working directory, whose trained runs are offered."""


@frozen
class Player:
    """A player that fits: its spec, a line about it, and its strength where it was measured."""

    spec: str
    about: str
    strength: Strength | None = None


def games() -> list[tuple[str, str]]:
    """Return (name, a line about it) for every game that is installed, the presets under their general game.

    A game that needs options, or whose plugin cannot be loaded, is left out.
    """
    entries = [entry for entry in registry.entries("game") if entry.status == "ok" and _is_made(entry.name)]
    rows = []
    for entry in entries:
        if not entry.preset_of:
            rows.append((entry.name, entry.summary()))
            rows += [(e.name, _about(e)) for e in entries if e.preset_of == entry.name]
    return rows


def _is_made(game: str) -> bool:
    try:
        make.game(game)
    except (CardaiError, ImportError, OSError):
        return False
    return True


def fitting(game: Game, spec: str) -> list[Player]:
    """Return the programs that play ``game``, whose spec is ``spec``: agents, then runs in ``runs/``.

    An agent that needs options, or whose plugin cannot be loaded, is left out.
    """
    strengths = known_strengths(spec)
    found = []
    for entry in registry.entries("agent"):
        about = _about(entry)
        if entry.status == "ok" and _fits(entry.name, game):
            found.append(Player(entry.name, about, strengths.get(entry.name)))
    for run in sorted(Path(RUNS).glob("*/run.json")):
        name = f"{RUNS}/{run.parent.name}"
        if _fits(name, game):
            found.append(Player(name, "a trained run", strengths.get(name)))
    return found


AT_ONCE = {"holdem": "nolimit_resolving"}
"""Games by whose name one sits down against a player of the box, without being asked against whom."""
STRONG = ("champion", "nolimit_resolving", "ismcts")
"""Who is pointed at first, where it plays the game: a champion, else the search that plays any."""


def strong(players: list[Player]) -> int:
    """Return the place in ``players`` of the opponent that is pointed at first."""
    specs = [player.spec for player in players]
    return next((specs.index(name) for name in STRONG if name in specs), 0)


def at_once(game: str) -> str:
    """Return whom one sits down against at once who names ``game`` alone; "" where one chooses, as where it is not installed."""
    spec = AT_ONCE.get(game, "")
    here = any(entry.name == spec and entry.status == "ok" for entry in registry.entries("agent"))
    return spec if here else ""


def _fits(spec: str, game: Game) -> bool:
    try:
        return not bound(make.agent(spec), game).interactive
    except (CardaiError, ImportError, OSError):
        return False


def _about(entry: Entry) -> str:
    """Return a line about a plugin; of a preset that says nothing of itself, what options it has."""
    options = "" if entry.preset_line() else _options(entry)
    return f"{entry.preset_of} with {options}" if options else entry.summary()


def _options(entry: Entry) -> str:
    """Return a preset's options: "draw=immediate, knock=rules"; nothing of a general plugin, which is not imported."""
    if not entry.preset_of:
        return ""
    try:
        options: Mapping[str, object] = registry.load(entry.kind, entry.name)[1]
    except CardaiError:
        return ""
    return ", ".join(f"{key}={_value(value)}" for key, value in options.items())


def _value(value: object) -> str:
    return "+".join(str(v) for v in value) if isinstance(value, (tuple, list)) else str(value)
