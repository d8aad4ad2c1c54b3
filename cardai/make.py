"""From a spec to the thing it names: a plugin, or the player of a trained run. The only place that knows both.

>>> from cardai import make
>>> make.agent("simple:knock=5")  # doctest: +SKIP
>>> make.agent("runs/leduc:step=200")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardai.core import registry
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
        SpecError, UnknownNameError, OptionError, PluginError: as for a plugin.
        UsageError, DamagedFileError: there is no such run, or no good checkpoint in it.
    """
    parsed = parse(spec) if isinstance(spec, str) else spec
    if not parsed.is_run or parsed.name.endswith(".py"):
        return registry.create("agent", parsed)
    from cardai.training.runs import run_agent

    made = run_agent(parsed)
    registry.remember(made, str(parsed))
    return made
