"""What an agent would do in place of the seat to act, with its probabilities where it has some."""

from __future__ import annotations

from contextlib import suppress

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

    def advise(self, table: Table, seed: int) -> list[tuple[str, float]]:
        """Return (action in words, probability) pairs, the likeliest first; nothing is played.

        An agent without probabilities answers with the one action that it draws from ``seed``.

        Raises:
            IllegalActionError: the hand is over. AgentError: the agent erred.
        """
        seat = table.to_act
        if seat is None:
            table.legal()  # says that the hand is over
            return []
        agent = self._by_seat.setdefault(seat, own_copy(self.agent, seat))
        rng = Rows(np.array([derive(seed, "advice", seat)], np.uint64))
        if type(agent).has_policy():
            with suppress(NotImplementedError):
                return self._likeliest(agent, table, rng)
        return [(action_name(self.game, table.ask(agent, rng), table.view()), 1.0)]

    def _likeliest(self, agent: Agent, table: Table, rng: Rows) -> list[tuple[str, float]]:
        views, legal, view = table.views(), table.legal(), table.view()
        policy = np.asarray(agent.policy(views, legal))[0]
        pairs: list[tuple[str, float]] = []
        for action in sorted(range(len(policy)), key=lambda a: -policy[a]):
            if policy[action] > LEAST or not pairs:
                raising = isinstance(legal, Amounts) and action == 2
                pairs.append(("raise" if raising else action_name(self.game, action, view), float(policy[action])))
        return pairs[:MOST]
