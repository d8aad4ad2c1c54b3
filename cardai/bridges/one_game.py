"""The games that one table plays: which hand comes next and when a game is over, and one seat of it played from outside.

Both play what the arena plays: group g of a root seed has the same cards, seats and random streams in
:func:`cardai.arena.match.play`, at a :class:`~cardai.arena.table.Table`, in :class:`~cardai.bridges.episodes.Episodes`
and here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from cardai.arena.asking import LegalBuffer, Request, own_copy, tell
from cardai.arena.lockstep import FIRST_HAND
from cardai.bridges.dealt_games import PASSED_OVER, Length
from cardai.bridges.episodes import check_seat, group_of, seated
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Float32s
from cardai.core.encoder import Layout
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import view_dtype
from cardai.core.game import Game
from cardai.core.one_table import INDEX, OneTable, one_table
from cardai.core.rng import below_int, derive, hash_int


class OneGame:
    """The hands of the groups of a root seed at one :attr:`table`, a hand each or games of hands."""

    def __init__(self, game: Game, layout: Layout, length: Length) -> None:
        self.game, self.length = game, length
        self.table: OneTable = one_table(game, layout)
        self._none = np.zeros((1, game.num_players))
        self._nothing = np.zeros(1, view_dtype(()))
        self._score = self._none
        self._hand = self._seed = 0

    def begin(self, deal_root: int, group: int) -> None:
        """Deal the first hand of ``group``; ``deal_root`` is the root seed's ``derive(seed, "deal")``."""
        self._seed = hash_int(deal_root, group)
        self._hand, self._score = 0, self._none
        self._deal(self.game.next_hands(None, self._none, self._none, self._nothing, self._seeds()))

    def end(self) -> bool:
        """Take note of a hand's end: deal the game's next, or return True where it was the last."""
        if self.length == "hand":
            return True
        returns = self.table.returns.copy()
        self._score = self.game.add_score(self._score, returns)
        self._hand += 1
        if self.game.matches_over(self._score, np.array([self._hand]))[0]:
            return True
        outcomes = self.table.tables.outcomes(INDEX)
        self._deal(self.game.next_hands(self._setups, self._score, returns, outcomes, self._seeds()))
        return False

    def _seeds(self) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        return np.array([hash_int(self._seed, self._hand + FIRST_HAND)], np.uint64)

    def _deal(self, setups: np.ndarray[tuple[int], np.dtype[np.void]]) -> None:
        self._setups = setups
        self.table.begin(hash_int(self._seed, self._hand), setups)


class OneSeat:
    """One table with a player from outside in ``seat`` (None: from seat to seat): :class:`Episodes` of one table, in numbers.

    Call :meth:`begin`, then for ever: look at ``own``, the seat from outside, ``over``, where :meth:`next_episode` is to be
    called, at :meth:`see` and the table's ``mask``, and :meth:`act`.
    """

    def __init__(
        self,
        game: Game,
        layout: Layout,
        opponent: Agent | str | Sequence[Agent | str],
        seat: int | None,
        length: Length,
    ) -> None:
        check_seat(game, seat, length)
        self.agents = seated(game, opponent)
        self.games = OneGame(game, layout, length)
        self.game, self.seat, self.table = game, seat, self.games.table
        self.own, self.over = 0, True
        self._before = 0.0  # what hands of the episode brought before the player from outside was asked
        self._private: dict[tuple[int, int], Agent] = {}
        self._legal = LegalBuffer()
        self._stateful = any(agent.stateful for agent in self.agents)

    def begin(self, seed: int) -> None:
        """Begin the first episode of ``seed``."""
        self._deal_root, self._agent_root = derive(seed, "deal"), derive(seed, "agent")
        self._episode = -1
        self.next_episode()

    def next_episode(self) -> None:
        """Begin the next episode in which the player from outside is asked.

        Raises:
            UsageError: it is not asked in any of a thousand.
        """
        seats = self.game.num_players
        for _ in range(PASSED_OVER):
            self._episode += 1
            group = group_of(self.game, self.seat, self._episode)
            self.own, self.over = group % seats, False
            stream = hash_int(self._agent_root, group)
            self._streams = [hash_int(stream, seat) for seat in range(seats)]
            self._decisions = [0] * seats
            if self._stateful:
                self._private = {(0, seat): own_copy(self._agent_in(seat), seat) for seat in self._others()}
            self.games.begin(self._deal_root, group)
            self._before = self._settle()
            if not self.over:
                return
        raise UsageError(f"In {PASSED_OVER:,} episodes nothing was asked of seat {self.own}.")

    def see(self) -> Float32s:
        """Return what the player from outside may know, as the layout has it."""
        return self.table.see(self.own)

    def act(self, action: int) -> float:
        """Play a legal action, let the opponents move, and return what hands that ended brought. Raises AgentError.

        Hands of a match that ended before the first action of all count with it.
        """
        self._decisions[self.own] += 1
        self.table.play(action)
        before, self._before = self._before, 0.0
        return before + self._settle()

    def _others(self) -> list[int]:
        return [seat for seat in range(self.game.num_players) if seat != self.own]

    def _agent_in(self, seat: int) -> Agent:
        return self.agents[(seat - self.own) % self.game.num_players - 1]

    def _settle(self) -> float:
        """Let opponents move until the player from outside is to act or the episode is over."""
        table, reward = self.table, 0.0
        while (seat := table.current) != self.own:
            if seat >= 0:
                self._move(seat)
                continue
            reward += table.returns.item(self.own)
            if self._stateful:
                self._tell()
            if self.games.end():
                self.over = True
                break
        return reward

    def _move(self, seat: int) -> None:
        """Have the opponent in ``seat`` play."""
        agent = self._agent_in(seat)
        seed = hash_int(self._streams[seat], self._decisions[seat])
        self._decisions[seat] += 1
        if agent.uniform:
            legal = self.table.listed()
            self.table.play(legal[below_int(seed, 0, len(legal))])
            return
        mask, seeds = self.table.mask[None].copy(), np.array([seed], np.uint64)
        ask = partial(Request, agent, self.table.tables, np.array([seat]), INDEX, mask)
        actions, faults = ask(self._legal.keep(mask), seeds, self._private).ask()
        for fault in faults:
            raise AgentError(f"The opponent {registry.spec_of(agent)!r} {fault.complaint}.") from fault.cause
        self.table.play(int(actions[0]))

    def _tell(self) -> None:
        """Tell opponents who remember of a hand's end."""
        for seat in self._others():
            view = self.table.tables.views(seat, INDEX)[0]
            tell(self._private[0, seat], self.game.view_fields, view, self.table.returns[0])
