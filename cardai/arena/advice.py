"""What an agent would do in place of the seat to act, with its probabilities and values where it has some."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from cardai.arena.asking import bound, own_copy
from cardai.arena.display import action_name
from cardai.arena.table import Table
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.legal import Amounts
from cardai.core.rng import Rows, derive

MOST = 6
"""How many actions are told."""
LEAST = 0.005
"""Less likely actions are not told."""


class Advised(NamedTuple):
    """One action: in words, with its probability, and with what the player expects of it (None where it does not say)."""

    words: str
    probability: float
    value: float | None = None


class Adviser:
    """A player that is asked and does not play. ``agent`` is an agent or its spec.

    Raises:
        UsageError: it does not play ``game``, or is a person.
    """

    def __init__(self, agent: Agent | str, game: Game, name: str = "") -> None:
        self.game = game
        self.name = name or str(agent)
        self.agent = bound(agent, game)
        if self.agent.interactive:
            raise UsageError(f"{self.name} is a person: only a program can be asked what it would do.")
        self._by_seat: dict[int, Agent] = {}

    @property
    def values_of(self) -> str:
        """What its values of actions are, in words."""
        return self.agent.values_of or f"{self.game.unit} of the hand"

    def rest(self) -> None:
        """Let go of what was kept of the hand."""
        for agent in (self.agent, *self._by_seat.values()):
            agent.rest()

    def advise(self, table: Table, seed: int) -> list[Advised]:
        """Return the actions that it would take, the likeliest first, and those it values next; nothing is played.

        An agent without probabilities answers with the one action that it draws from ``seed``, with probability 1.

        Raises:
            IllegalActionError: the hand is over. AgentError: the agent erred.
        """
        seat = table.to_act
        if seat is None:
            table.legal()  # says that the hand is over
            return []
        agent = self._by_seat.setdefault(seat, own_copy(self.agent, seat))
        rng = Rows(np.array([derive(seed, "advice", seat)], np.uint64))
        legal, view = table.legal(), table.view()
        values = self._values(agent, table)
        found: dict[int, float] = {}
        if type(agent).has_policy():
            with suppress(NotImplementedError):
                policy = np.asarray(agent.policy(table.views(), legal))[0]
                found = {a: float(p) for a, p in enumerate(policy) if p > LEAST or p == policy.max()}
        if not found:
            action = table.ask(agent, rng)
            if isinstance(legal, Amounts):
                return [Advised(action_name(self.game, action, view), 1.0, values.get(min(action, 2)))]
            found = {action: 1.0}
        ordered = sorted(found, key=lambda a: -found[a])
        ordered += sorted((a for a in values if a not in found), key=lambda a: -values[a])
        raising = 2 if isinstance(legal, Amounts) else None
        return [
            Advised("raise" if a == raising else action_name(self.game, a, view), found.get(a, 0.0), values.get(a))
            for a in ordered[:MOST]
        ]

    def _values(self, agent: Agent, table: Table) -> dict[int, float]:
        """Return what the agent expects of each action that it has an expectation of."""
        with suppress(NotImplementedError):
            row = np.asarray(agent.action_values(table.views(), table.legal()), np.float64)[0]
            return {a: float(value) for a, value in enumerate(row) if np.isfinite(value)}
        return {}
