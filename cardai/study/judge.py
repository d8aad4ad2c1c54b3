"""Judges: players whose values of actions say what another's decision cost, and how far those values may be off.

A judge is any agent with ``action_values`` and ``value_noise``. Which one is asked by default, the plugins say themselves
(``Agent.judges``): the highest that plays the game.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen

from cardai import make
from cardai.arena.asking import bound
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import AgentError, CardaiError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal
from cardai.core.spec import brief

SHARES = (0.02, 0.1)
"""A mistake and a blunder, as shares of the most that a hand can bring, where a judge does not say what they cost."""


@frozen(eq=False)
class Judge:
    """A player that is asked what others' decisions cost, ready for one game.

    ``floor`` replaces what it says of its own error; None: it is asked. ``mistake`` and ``blunder`` are what these cost at least.
    """

    name: str
    game: Game
    agent: Agent
    floor: float | None
    mistake: float
    blunder: float

    @property
    def unit(self) -> str:
        """What values are, in words: "points", "chance to win the match, %"."""
        return self.agent.values_of or self.game.unit

    def values(self, views: Views, legal: Legal) -> tuple[Float64s, Float64s]:
        """Return what every action is worth (n, A), NaN where the judge does not know, and how far it may be off (n, A).

        Raises:
            UsageError: it has no values, or does not say how far they are off and no floor was given.
            AgentError: it answers with another shape.
        """
        if isinstance(legal, Amounts):
            raise UsageError(f"{self.name} judges games of few actions. {brief(self.game)} has amounts.")
        mask = np.asarray(legal)
        values, noise = self._asked(views, legal)
        for found in (values, noise):
            if found.shape != mask.shape:
                raise AgentError(f"The values of {self.name} must have the shape {mask.shape}. Got {found.shape}.")
        return np.where(mask, values, np.nan), noise

    def _asked(self, views: Views, legal: Legal) -> tuple[Float64s, Float64s]:
        try:
            values = np.array(self.agent.judged(views, legal), np.float64)
        except NotImplementedError:
            raise UsageError(f"{self.name} has no values of actions: it cannot judge.") from None
        if self.floor is not None:
            return values, np.full(values.shape, self.floor)
        try:
            return values, np.asarray(self.agent.value_noise(views, legal), np.float64)
        except NotImplementedError:
            raise UsageError(
                f"{self.name} does not say how far its values may be off. Give what to disregard by --floor."
            ) from None

    def verdict(self, lost: float, floor: float) -> str:
        """Return what a decision that lost so much is called."""
        return verdict(lost, floor, self.mistake, self.blunder)


VERDICTS = ("good", "inaccuracy", "mistake", "blunder")


def verdict(lost: float, floor: float, mistake: float, blunder: float) -> str:
    """Return what of :data:`VERDICTS` a decision is called that lost so much, where these cost ``mistake`` and ``blunder``."""
    if lost <= floor:
        return "good"
    return "blunder" if lost >= blunder else "mistake" if lost >= mistake else "inaccuracy"


def judge_for(
    game: Game,
    spec: str | Agent | None = None,
    floor: float | None = None,
    mistake: float | None = None,
    blunder: float | None = None,
) -> Judge:
    """Return the judge of ``game``: the player ``spec``, or the best that is installed.

    Raises:
        UsageError: nobody judges the game, or ``spec`` does not play it, or thresholds that are none.
    """
    agent, name = _best(game) if spec is None else (bound(spec, game), _called(spec))
    if agent.interactive:
        raise UsageError(f"{name} is a person: only a program can be asked what actions are worth.")
    classes = _classes(game, spec if spec is not None else name)
    least = classes[0] if mistake is None else mistake
    most = max(classes[1], least) if blunder is None else blunder
    for what, value in (("--floor", floor or 0.0), ("--mistake", least), ("--blunder", most)):
        if not 0 <= value < np.inf:
            raise UsageError(f"{what} must be a number from 0 on. Got {value}.")
    if most < least:
        raise UsageError(f"A blunder costs at least as much as a mistake. Got {most:g} and {least:g}.")
    return Judge(name, game, agent, floor, least, most)


def _called(spec: str | Agent) -> str:
    return spec if isinstance(spec, str) else registry.spec_of(spec)


def _classes(game: Game, spec: str | Agent) -> tuple[float, float]:
    """Return what a mistake and a blunder cost by this judge, or by the game's largest return."""
    own = make.as_agent(spec).value_classes
    if any(own):
        return own
    return SHARES[0] * game.max_utility, SHARES[1] * game.max_utility


def _best(game: Game) -> tuple[Agent, str]:
    """Return the best judge of a game that is installed, with its name."""
    for name in judges(2 if game.amounts else 1):  # of many amounts a search tries a few
        try:
            return bound(name, game), name
        except (CardaiError, ImportError, OSError):
            continue
    raise UsageError(
        f"Nobody who is installed judges {game.title or brief(game)}. On the command line --judge names a player with values "
        "of actions, and --floor what to disregard."
    )


def judges(least: int = 1) -> Iterator[str]:
    """Yield the names of the agents that offer themselves as judges of at least that rank, the best first."""
    found = []
    for entry in registry.entries("agent"):
        if entry.status != "ok" or entry.preset_of:
            continue
        try:
            found.append((-_rank(registry.load("agent", entry.name)[0]), entry.name))
        except (CardaiError, ImportError, OSError):
            continue
    yield from (name for rank, name in sorted(found) if -rank >= least)


def _rank(plugin: type) -> int:
    return plugin.judges if issubclass(plugin, Agent) else 0
