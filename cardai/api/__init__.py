"""The Python face of cardai: the same names as on the command line.

>>> import cardai
>>> gin = cardai.game("gin", target=50)
>>> result = cardai.play("gin", ["heisenbot", "simple"], games=1000, seed=1)  # doctest: +SKIP
>>> print(result)  # doctest: +SKIP
>>> run = cardai.train("cfr_plus", "leduc", steps=200)  # doctest: +SKIP
>>> run.exploitability()  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cardai import make
from cardai.api.progress import bar
from cardai.core.agent import Agent, FunctionAgent
from cardai.core.encoder import Encoder
from cardai.core.errors import need_whole, wrong_type
from cardai.core.game import Game
from cardai.core.spec import Spec, parse, write_value
from cardai.core.trainer import Trainer

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from cardai.arena.match import MatchResult
    from cardai.arena.tournament import Standings
    from cardai.bridges.gymnasium import CardEnv, CardVectorEnv
    from cardai.bridges.self_play import SelfPlayEnv

Player = str | Agent | Callable[..., int]
"""A player: its name with options, a run's directory, an Agent, or a function (view, legal, rng) -> action."""


def _spec(kind: str, spec: str, options: dict[str, Any]) -> Spec:
    if not isinstance(spec, (str, Path)):
        raise wrong_type(f"The name of {kind}", "a text", spec)
    return parse(str(spec)).with_options({key: write_value(value) for key, value in options.items()})


def game(spec: str, **options: Any) -> Game:
    """Return a game by name and options.

    >>> import cardai
    >>> cardai.game("gin", target=50).num_players
    2

    Raises:
        UsageError: a wrong name or option; the message says which there are.
    """
    return make.game(_spec("a game", spec, options))


def agent(spec: str | Callable[..., int], **options: Any) -> Agent:
    """Return an agent by name and options, a trained run's by its directory, or a function's as a player.

    >>> import cardai
    >>> threshold = cardai.agent("threshold")
    >>> checks = cardai.agent(lambda view, legal: legal[0])
    >>> cardai.play("leduc", [checks, "random"], games=2).agents[1]
    'random'

    Raises:
        UsageError: a wrong name or option. DamagedFileError: the run has no good checkpoint.
    """
    if callable(spec) and not isinstance(spec, type) and not options:
        return FunctionAgent(spec)
    return make.agent(_spec("an agent", spec, options))  # type: ignore[arg-type]  # checked there


def encoder(spec: str, **options: Any) -> Encoder:
    """Return an encoder by name and options.

    >>> import cardai
    >>> cardai.encoder("flat").for_game(cardai.game("kuhn")).shape
    (11,)

    Raises:
        UsageError: a wrong name or option.
    """
    return make.encoder(_spec("an encoder", spec, options))


def trainer(spec: str, **options: Any) -> Trainer:
    """Return a trainer by name and options.

    >>> import cardai
    >>> cardai.trainer("cfr_plus").step_unit
    'iterations'

    Raises:
        UsageError: a wrong name or option.
    """
    return make.trainer(_spec("a trainer", spec, options))


def play(
    game: str | Game,
    agents: Sequence[Player],
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    record: str | Path | None = None,
    resume: bool = False,
    progress: bool | None = None,
    on: str = "",
) -> MatchResult:
    """Play a match and return its result, which prints as the table of ``cardai run``.

    >>> import cardai
    >>> result = cardai.play("leduc", ["always_raise", "always_fold"], games=20, seed=1)
    >>> result.mean_return(0).mean > 0
    True

    Args:
        game: a name with options, or a Game.
        agents: a player a seat: names with options, directories of runs, Agents, or functions.
        games: games in all, those of the same deal in other seats counted.
        seed: the root of all randomness: the same seed, the same games.
        duplicate: whether each deal is played once in every seat.
        jobs: processes.
        record: a file for the hands, for ``cardai replay``.
        resume: go on with the match in ``record`` where it was stopped or killed.
        progress: show how far it is (default: in a notebook).
        on: a Ray cluster to play on, "ray" or "ray://HOST:PORT".

    Raises:
        UsageError: a wrong name, number of players or option. AgentError: a player erred.

    :func:`cardai.arena.match.play` has more options.
    """
    from cardai.arena import match

    seed = need_whole("The seed", seed)
    with bar("games", progress) as report:
        return match.play(
            game,
            agents,
            games=games,
            seed=seed,
            duplicate=duplicate,
            jobs=jobs,
            record=record,
            resume=resume,
            progress=report,
            on=on,
        )


def tournament(
    game: str | Game,
    agents: Sequence[Player],
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    form: Literal["roundrobin", "gauntlet"] = "roundrobin",
    out: str | Path | None = None,
    resume: bool = False,
    progress: bool | None = None,
    on: str = "",
) -> Standings:
    """Play every pair of several agents, ``games`` games each, and return the crosstable, which prints as such.

    >>> import cardai
    >>> crosstable = cardai.tournament("kuhn", ["random", "equilibrium"], games=200)
    >>> crosstable.cell(1, 0).mean > 0
    True

    ``form="gauntlet"``: the first against every other. With ``out`` every finished pair is saved there, and
    ``resume=True`` goes on with it. The rest is as in :func:`play`.

    Raises:
        UsageError: fewer than two players, one named twice, or a game not for two.
    """
    from cardai.api.progress import overall
    from cardai.arena.tournament import play_pairings

    seed = need_whole("The seed", seed)
    games = need_whole("The number of games", games)
    with bar("games", progress) as report:
        return play_pairings(
            game,
            agents,
            games=games,
            seed=seed,
            duplicate=duplicate,
            jobs=jobs,
            form=form,
            out=out,
            resume=resume,
            progress=overall(report, len(agents), form, games),
            on=on,
        )


def make_env(
    game: str | Game,
    seat: int | None = None,
    opponent: str | Agent | Sequence[str | Agent] = "random",
    encoder: str | Encoder | None = None,
    *,
    episode: Literal["hand", "match"] = "hand",
    illegal: Literal["lowest", "raise"] = "lowest",
    render_mode: str | None = None,
) -> CardEnv:
    """Return one table as a Gymnasium environment with the opponents inside.

    >>> import cardai
    >>> env = cardai.make_env("leduc", seat=0, opponent="random")
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape == env.observation_space.shape
    True

    ``seat`` None changes seats from episode to episode; ``opponent`` is one for all other seats or one each; ``encoder``
    None is gin_compact, holdem_compact or flat. ``episode`` is a hand or a whole match; in place of an ``illegal`` action
    the lowest legal one is played and said in ``info``, or it is an error; ``render_mode`` is "human", "ansi", "rgb_array".

    Raises:
        PluginError: gymnasium is not installed. UsageError: a wrong name, seat or option, or a game of amounts.
    """
    from cardai.bridges import need

    need("gymnasium")
    from cardai.bridges.gymnasium import CardEnv

    return CardEnv(game, seat, opponent, encoder, episode=episode, illegal=illegal, render_mode=render_mode)


def vector_env(
    game: str | Game,
    num_envs: int = 1024,
    seat: int | None = None,
    opponent: str | Agent | Sequence[str | Agent] = "random",
    encoder: str | Encoder | None = None,
    *,
    episode: Literal["hand", "match"] = "hand",
    illegal: Literal["lowest", "raise"] = "lowest",
    autoreset_mode: AutoresetMode | str = "NextStep",
    render_mode: str | None = None,
) -> CardVectorEnv:
    """Return ``num_envs`` tables in lock step as a Gymnasium vector environment; as :func:`make_env` otherwise.

    >>> import cardai
    >>> envs = cardai.vector_env("leduc", 8, opponent="random")
    >>> observations, info = envs.reset(seed=1)
    >>> len(observations)
    8

    ``autoreset_mode`` is one of gymnasium.vector.AutoresetMode, or its value.
    """
    from cardai.bridges import need

    need("gymnasium")
    from cardai.bridges.gymnasium import CardVectorEnv

    num_envs = need_whole("num_envs", num_envs)
    return CardVectorEnv(
        game, num_envs, seat, opponent, encoder,
        episode=episode, illegal=illegal, autoreset_mode=autoreset_mode, render_mode=render_mode,
    )  # fmt: skip


def selfplay_env(
    game: str | Game,
    num_envs: int = 1024,
    encoder: str | Encoder | None = None,
    *,
    episode: Literal["hand", "match"] = "hand",
    rotate: bool = False,
    everyone: bool = False,
) -> SelfPlayEnv:
    """Return ``num_envs`` tables in lock step at which every seat is played from outside, for self-play.

    >>> import cardai
    >>> env = cardai.selfplay_env("leduc", 8)
    >>> env.reset(seed=0)
    >>> env.mask.shape == (8, env.num_actions)
    True

    ``encoder`` None is gin_compact, holdem_compact or flat. ``episode`` is a hand or a whole match; with ``rotate`` players
    change seats from episode to episode; with ``everyone`` what players see who wait is shown, too.

    Raises:
        UsageError: a wrong name or option, or a game of amounts.
    """
    from cardai.bridges.self_play import SelfPlayEnv

    num_envs = need_whole("num_envs", num_envs)
    return SelfPlayEnv(game, num_envs, encoder, episode=episode, rotate=rotate, everyone=everyone)


def to_openspiel(game: str | Game, encoder: str | Encoder = "flat", **options: Any) -> Any:
    """Register a game with OpenSpiel as ``cardai_NAME`` and return it, a ``pyspiel.Game``; ``encoder`` makes its tensors.

    >>> import cardai
    >>> cardai.to_openspiel("kuhn").num_distinct_actions()  # doctest: +SKIP
    2

    Raises:
        PluginError: open_spiel is not installed. UsageError: a wrong name or option.
    """
    from cardai.bridges import need

    need("pyspiel")
    from cardai.bridges import openspiel

    return openspiel.to_openspiel(game, encoder, **options)
