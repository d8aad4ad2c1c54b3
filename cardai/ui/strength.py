"""How strong a player is at a game: games against a reference player, by ``cardai run``'s own measure.

Those of the built-in players are in ``strength.json``, written by ``python benchmarks/strength.py``; what a person has
measured on this machine is kept beside the matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from cardai import __version__, make
from cardai.arena import match
from cardai.arena.asking import bound
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.schema import structure
from cardai.ui.kept import folder

REFERENCES = ("simple", "draw_heuristic", "holdem_heuristic", "random")
"""Players to measure against: the first that plays the game."""
SHIPPED = Path(__file__).with_name("strength.json")
GAMES = 1000


@frozen
class Strength:
    """A measured figure: what the mean is of, its half-width, against whom and in how many games."""

    mean: float
    half_width: float
    unit: str
    against: str
    games: int
    version: str = __version__

    def text(self) -> str:
        """Return "58.2 ± 2.7 % won against simple"."""
        figure = (
            f"{self.mean:{'+.2f' if self.unit != '%' else '.1f'}} ± {self.half_width:.{1 if self.unit == '%' else 2}f}"
        )
        if self.unit == "%":
            return f"{figure} % won against {self.against}"
        return f"{figure} {self.unit} a hand" + (f" against {self.against}" if self.against else "")


def reference(game: Game) -> str:
    """Return the player that others are measured against at ``game``, "" where it is played alone."""
    if game.num_players == 1:
        return ""
    for name in REFERENCES:
        try:
            bound(make.agent(name), game)
        except CardaiError:
            continue
        return name
    return REFERENCES[-1]


def measure(game: str, player: str, games: int = GAMES, seed: int = 0) -> Strength:
    """Play ``player`` against the reference player of ``game`` on duplicate deals.

    Raises:
        UsageError: it does not play the game. AgentError: it erred.
    """
    made = make.game(game)
    against = reference(made)
    games = -(-games // made.num_players) * made.num_players
    result = match.play(made, [player, *[against] * (made.num_players - 1)], games=games, seed=seed)
    if made.measure == "wins" and made.num_players > 1:
        figure, unit = result.win_rate(0).scaled(100), "%"
    else:
        figure, unit = result.mean_return(0), made.unit
    return Strength(round(figure.mean, 4), round(figure.half_width, 4), unit, against, games)


def shipped() -> dict[str, dict[str, Strength]]:
    """Return the built-in players' strengths by game and player."""
    return _read(SHIPPED)


def known_strengths(game: str) -> dict[str, Strength]:
    """Return what was measured at ``game``, by player: the built-in players' and what was measured here."""
    return {**shipped().get(game, {}), **_read(_own_file()).get(game, {})}


def keep(game: str, player: str, strength: Strength) -> None:
    """Keep a figure for the next time."""
    held = _read(_own_file())
    held.setdefault(game, {})[player] = strength
    _own_file().parent.mkdir(parents=True, exist_ok=True)
    write_json(_own_file(), as_plain(held))


def as_plain(strengths: Mapping[str, Mapping[str, Strength]]) -> dict[str, Any]:
    """Return strengths by game and player as plain values."""
    return {game: {player: asdict(s) for player, s in players.items()} for game, players in strengths.items()}


def _own_file() -> Path:
    return folder() / "strength.json"


def _read(file: Path) -> dict[str, dict[str, Strength]]:
    """Return a file's strengths; a file that is damaged or not there holds none."""
    try:
        return structure(read_json(file), dict[str, dict[str, Strength]], f"The file {file}")
    except DamagedFileError:
        return {}
