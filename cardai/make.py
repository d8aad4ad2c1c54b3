"""From a spec to the thing it names: a plugin, or the player of a trained run. The only place that knows both.

>>> from cardai import make
>>> make.agent("simple:knock=5")  # doctest: +SKIP
>>> make.agent("runs/leduc:step=200")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cardai.core import registry
from cardai.core.errors import wrong_type
from cardai.core.needs import check
from cardai.core.spec import Spec, parse

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.core.encoder import Encoder
    from cardai.core.game import Game
    from cardai.core.trainer import Trainer


def game(spec: Spec | str) -> Game:
    """Return the game that ``spec`` names. Raises SpecError, UnknownNameError, OptionError, PluginError."""
    return registry.create("game", spec)


def encoder(spec: Spec | str) -> Encoder:
    """Return the encoder that ``spec`` names. Raises SpecError, UnknownNameError, OptionError, PluginError."""
    return registry.create("encoder", spec)


def trainer(spec: Spec | str) -> Trainer:
    """Return the trainer that ``spec`` names. Raises SpecError, UnknownNameError, OptionError, PluginError."""
    return registry.create("trainer", spec)


def agent(spec: Spec | str) -> Agent:
    """Return the player that ``spec`` names: a plugin's, or that of the newest (or given) checkpoint of a trained run.

    Raises:
        SpecError, UnknownNameError, OptionError, PluginError, UntrustedError: as for a plugin.
        UsageError, DamagedFileError: there is no such run, or no good checkpoint in it.
    """
    parsed = parse(spec) if isinstance(spec, str) else spec
    if not parsed.is_run or parsed.name.endswith(".py"):
        return registry.create("agent", parsed)
    from cardai.training.runs import run_agent

    check(registry.load, "agent", parsed)
    made = run_agent(parsed)
    registry.remember(made, str(parsed))
    return made


def step_now(spec: str) -> int:
    """Return the step of the checkpoint that a run's spec means today, as :func:`cardai.training.specs.step_now` does."""
    from cardai.training import specs

    return specs.step_now(spec)


def at_step(spec: str, step: int) -> str:
    """Return a run's spec with the step of a checkpoint, as :func:`cardai.training.specs.at_step` does."""
    from cardai.training import specs

    return specs.at_step(spec, step)


def spec_now(one: Any) -> str:
    """Return what tells a game or a player, given by its spec or as itself, from others: of a run at the step of today."""
    spec = one if isinstance(one, str) else registry.spec_of(one)
    return at_step(spec, step_now(spec))


def takes(kind: str, name: str, game: Game) -> bool:
    """Whether an encoder, agent or trainer, with the options that ``name`` has of itself, can be had for ``game``."""
    try:
        plugin = registry.create(kind, name)
        if kind == "trainer":
            plugin.check_game(game)
        else:
            plugin.for_game(game)
    except Exception:  # whatever a plugin raises: it cannot be had
        return False
    return True


def as_game(given: Game | str) -> Game:
    """Return a game that is given as itself or by its spec. Raises UsageError for anything else."""
    from cardai.core.game import Game

    if isinstance(given, Game):
        return given
    if not isinstance(given, (str, Spec)):
        raise wrong_type("A game", "a name with options, such as 'gin:target=50', or a Game", given)
    return game(given)


def as_encoder(given: Encoder | str) -> Encoder:
    """Return an encoder that is given as itself or by its spec. Raises UsageError for anything else."""
    from cardai.core.encoder import Encoder

    if isinstance(given, Encoder):
        return given
    if not isinstance(given, (str, Spec)):
        raise wrong_type(
            "An encoder", "a name with options, such as 'grid_4x13:fields=hole+board', or an Encoder", given
        )
    return encoder(given)


def as_agent(given: Agent | Callable[..., int] | str) -> Agent:
    """Return a player that is given as itself, by its spec, or as a function (view, legal, rng) -> action.

    Raises UsageError for anything else.
    """
    from cardai.core.agent import Agent, FunctionAgent

    if isinstance(given, Agent):
        return given
    if isinstance(given, (str, Spec)):
        return agent(given)
    if callable(given) and not isinstance(given, type):
        return FunctionAgent(given)
    raise wrong_type("An agent", "a name with options, a run's directory, an Agent or a function", given)
