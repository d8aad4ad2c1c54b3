"""The Python face of cardai: the same names as on the command line.

>>> import cardai
>>> gin = cardai.game("gin", target=50)
>>> result = cardai.play("gin", ["heisenbot", "simple"], games=1000, seed=1)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cardai import make
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.spec import Spec, parse, write_value

if TYPE_CHECKING:
    from cardai.arena.match import MatchResult
    from cardai.bridges.gymnasium import CardEnv, CardVectorEnv
    from cardai.subgames.spot import Solution


def _spec(spec: str, options: dict[str, Any]) -> Spec:
    return parse(spec).with_options({key: write_value(value) for key, value in options.items()})


def game(spec: str, **options: Any) -> Game:
    """Return a game by name and options. Raises UsageError for a wrong name or option."""
    return make.game(_spec(spec, options))


def agent(spec: str, **options: Any) -> Agent:
    """Return an agent by name and options, or a trained run's by its directory."""
    return make.agent(_spec(spec, options))


def encoder(spec: str, **options: Any) -> Encoder:
    """Return an encoder by name and options."""
    return make.encoder(_spec(spec, options))


def play(
    game: str | Game,
    agents: Sequence[str | Agent],
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    record: str | None = None,
    on: str = "",
) -> MatchResult:
    """Play a match and return its result; ``record`` names a file for its hands, ``on`` a Ray cluster to play on.

    :func:`cardai.arena.match.play` has more options.
    """
    from cardai.arena import match

    return match.play(game, agents, games=games, seed=seed, duplicate=duplicate, jobs=jobs, record=record, on=on)


def make_env(
    game: str | Game,
    seat: int | None = None,
    opponent: str | Agent | Sequence[str | Agent] = "random",
    encoder: str | Encoder | None = None,
    **options: Any,
) -> CardEnv:
    """Return one table as a Gymnasium environment with the opponents inside.

    ``seat`` None changes seats from episode to episode; ``opponent`` is one for all other seats or one each; ``encoder``
    None is gin_compact, holdem_compact or flat. ``options``: ``episode`` ("hand", "match"), ``illegal`` ("lowest": it is
    played in place of an illegal action and said in ``info``; "raise"), ``render_mode`` ("ansi", "rgb_array").

    Raises:
        PluginError: gymnasium is not installed. UsageError: a wrong name, seat or option, or a game of amounts.
    """
    from cardai.bridges import need

    need("gymnasium")
    from cardai.bridges.gymnasium import CardEnv

    return CardEnv(game, seat, opponent, encoder, **options)


def vector_env(
    game: str | Game,
    num_envs: int = 1024,
    seat: int | None = None,
    opponent: str | Agent | Sequence[str | Agent] = "random",
    encoder: str | Encoder | None = None,
    **options: Any,
) -> CardVectorEnv:
    """Return ``num_envs`` tables in lock step as a Gymnasium vector environment; as :func:`make_env` otherwise.

    ``options`` has ``autoreset_mode`` too: gymnasium.vector.AutoresetMode, default NEXT_STEP.
    """
    from cardai.bridges import need

    need("gymnasium")
    from cardai.bridges.gymnasium import CardVectorEnv

    return CardVectorEnv(game, num_envs, seat, opponent, encoder, **options)


def to_openspiel(game: str | Game, encoder: str | Encoder = "flat", **options: Any) -> Any:
    """Register a game with OpenSpiel as ``cardai_NAME`` and return it, a ``pyspiel.Game``; ``encoder`` makes its tensors.

    Raises:
        PluginError: open_spiel is not installed. UsageError: a wrong name or option.
    """
    from cardai.bridges import need

    need("pyspiel")
    from cardai.bridges import openspiel

    return openspiel.to_openspiel(game, encoder, **options)


def solve_spot(board: str, *, pot: int, stack: int | Sequence[int], **more: Any) -> Solution:
    """Solve a spot of hold'em over ranges: :func:`cardai.subgames.spot.solve_spot` has all options."""
    from cardai.subgames import spot

    return spot.solve_spot(board, pot=pot, stack=stack, **more)
