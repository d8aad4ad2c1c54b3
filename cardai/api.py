"""The Python face of cardai: the same names as on the command line.

>>> import cardai
>>> gin = cardai.game("gin", target=50)
>>> result = cardai.play("gin", ["heisenbot", "simple"], games=1000, seed=1)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.spec import parse, write_value

if TYPE_CHECKING:
    from cardai.core.match import MatchResult


def _make(kind: str, spec: str, options: dict[str, Any]) -> Any:
    return registry.create(kind, parse(spec).with_options({k: write_value(v) for k, v in options.items()}))


def game(spec: str, **options: Any) -> Game:
    """Return a game by name and options. Raises UsageError for a wrong name or option."""
    made: Game = _make("game", spec, options)
    return made


def agent(spec: str, **options: Any) -> Agent:
    """Return an agent by name and options, or a trained run's by its directory."""
    made: Agent = _make("agent", spec, options)
    return made


def encoder(spec: str, **options: Any) -> Encoder:
    """Return an encoder by name and options."""
    made: Encoder = _make("encoder", spec, options)
    return made


def play(
    game: str | Game,
    agents: Sequence[str | Agent],
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    record: str | None = None,
) -> MatchResult:
    """Play a match and return its result; ``record`` names a file for its hands.

    :func:`cardai.core.match.play` has more options.
    """
    from cardai.core import match

    return match.play(game, agents, games=games, seed=seed, duplicate=duplicate, jobs=jobs, record=record)
