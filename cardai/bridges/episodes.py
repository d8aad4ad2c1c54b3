"""Many tables in lock step at which one seat is played from outside: what vectorised environments are made of.

An *episode* is one hand, or one game of hands (a match: gin to 100 points). Table i of n plays the episodes i, i + n,
i + 2 n, ... of the root seed; episode e is group e of :func:`cardai.arena.match.play` without duplicates (with a fixed
seat: group seat + e P), so it has the same cards, seats and random streams there, at one :class:`~cardai.arena.table.Table`
and here, however many tables there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardai import make
from cardai.arena.asking import LegalBuffer, Request, bound, own_copy, tell
from cardai.bridges.dealt_games import PASSED_OVER, DealtGames, Length, check_length
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import AgentError, UsageError, need_whole
from cardai.core.fields import Views, empty_views
from cardai.core.game import Game, IntArray
from cardai.core.rng import derive, hash_rows


def seated(game: Game, opponent: Agent | str | Sequence[Agent | str]) -> list[Agent]:
    """Return the players 1, 2, ... ready for ``game``: one opponent in all other seats, or one each.

    Raises:
        UsageError: as many opponents as there are other seats were not given, or one cannot play the game.
    """
    others: list[Any] = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent] * (game.num_players - 1)
    if len(others) != game.num_players - 1:
        raise UsageError(f"The game has {game.num_players - 1} other seats. Got {len(others)} opponents.")
    return [bound(other, game) for other in others]


def check_seat(game: Game, seat: int | None, episode: str) -> None:
    """Raise UsageError for a seat that the game has not, or a length of episodes that nobody knows."""
    need_whole("seat", 0 if seat is None else seat)
    if seat is not None and not 0 <= seat < game.num_players:
        raise UsageError(f"seat must be 0 to {game.num_players - 1}, or None to change seats. Got {seat!r}.")
    check_length(episode)


def group_of(game: Game, seat: int | None, episode: Any) -> Any:
    """Return the group that an episode (or each of several) plays: with ``seat``, one in which player 0 sits there."""
    return episode if seat is None else int(seat) + episode * game.num_players


class Episodes:
    """``count`` tables of ``game`` with a player from outside at each, in ``seat`` (None: from seat to seat).

    ``opponent`` is an agent, a spec, or one a seat in the order of players 1, 2, ... Call :meth:`begin`, then for ever:
    look at ``own`` (n,) int64, the seat from outside at each table, ``over`` (n,) bool, where :meth:`next_episodes` is to be
    called, at :meth:`views` and :meth:`legal`, and :meth:`act`.
    """

    def __init__(
        self,
        game: Game | str,
        opponent: Agent | str | Sequence[Agent | str],
        count: int,
        seat: int | None = None,
        episode: Length = "hand",
    ) -> None:
        self.game: Game = make.as_game(game)
        check_seat(self.game, seat, episode)
        self._games = DealtGames(self.game, count, episode)
        self.agents = seated(self.game, opponent)
        self.count, self.seat = count, seat
        self.tables = self._games.tables
        self.seats = self.game.num_players
        self.own = np.zeros(count, np.int64)
        self._episode = np.zeros(count, np.int64)
        self._stream = np.zeros((count, self.seats), np.uint64)
        self._decisions = np.zeros((count, self.seats), np.int64)
        self._private: dict[tuple[int, int], Agent] = {}
        self._stateful = any(agent.stateful for agent in self.agents)
        self._legal_buffer = LegalBuffer()
        self._all = np.arange(count)
        self.over = np.zeros(count, np.bool_)
        self._before = np.zeros(count)  # what hands of the episode brought before the player from outside was asked

    def begin(self, seed: int) -> None:
        """Begin the first episode of ``seed`` at every table."""
        self._deal_root, self._agent_root = np.uint64(derive(seed, "deal")), np.uint64(derive(seed, "agent"))
        self._episode[:] = self._all - self.count
        self.next_episodes(self._all)

    def next_episodes(self, rows: IntArray) -> None:
        """Begin each table's next episode at ``rows``, and let the opponents move where they come first.

        An episode that ends before the player from outside is asked is passed over: there is nothing to learn in it.

        Raises:
            UsageError: that player is not asked in any of a thousand episodes.
        """
        for _ in range(PASSED_OVER):
            self._begin(rows)
            rows = rows[self.over[rows]]
            if not len(rows):
                return
        raise UsageError(f"In {PASSED_OVER:,} episodes nothing was asked of seat {int(self.own[rows[0]])}.")

    def _begin(self, rows: IntArray) -> None:
        self._episode[rows] += self.count
        groups = group_of(self.game, self.seat, self._episode[rows])
        self.own[rows] = groups % self.seats
        streams = hash_rows(np.full(len(rows), self._agent_root), groups)
        for seat in range(self.seats):
            self._stream[rows, seat] = hash_rows(streams, seat)
        self._decisions[rows], self.over[rows] = 0, False
        if self._stateful:
            self._fresh(rows)
        self._games.begin(rows, self._deal_root, groups)
        self._before[rows] = 0
        self._settle(rows, self._before)

    def legal(self, rows: IntArray | None = None) -> Any:
        """Return the legal actions of the seats from outside (of no meaning where an episode is over)."""
        return self.tables.legal(self._all if rows is None else rows)

    def views(self, rows: IntArray | None = None) -> Views:
        """Return what the player from outside may know at each table."""
        rows = self._all if rows is None else rows
        own = self.own[rows]
        if (own == own[:1]).all() and len(own):
            return self.tables.views(int(own[0]), rows)
        out = empty_views(self.game.view_fields, len(rows))
        for seat in range(self.seats):
            at = np.flatnonzero(own == seat)
            if len(at):
                out[at] = self.tables.views(seat, rows[at])
        return out

    def act(self, rows: IntArray, actions: Int64s) -> tuple[Float64s, Bools]:
        """Play legal ``actions`` (m,) at ``rows``, let the opponents move, and return the player's results.

        They are (rewards (m,) in the game's unit, whether the episode is over (m,)). A hand that ends within a match is
        followed by the next; one that ended before the first action of all counts with it.

        Raises:
            AgentError: an opponent erred.
        """
        self._decisions[rows, self.own[rows]] += 1
        self.tables.apply_checked(rows, actions)
        rewards = self._before.copy()
        self._before[rows] = 0
        self._settle(rows, rewards)
        return rewards[rows], self.over[rows].copy()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _settle(self, rows: IntArray, rewards: Float64s) -> None:
        """Let opponents move at ``rows`` until the player from outside is to act or the episode is over."""
        while len(rows):
            current = self.tables.current_players()[rows].astype(np.int64)
            over = rows[current < 0]
            for seat in range(self.seats):
                theirs = rows[(current == seat) & (self.own[rows] != seat)]
                if len(theirs):
                    self._move(seat, theirs)
            rows = rows[(current >= 0) & (current != self.own[rows])]
            if len(over):
                rows = np.concatenate([rows, self._end(over, rewards)])

    def _move(self, seat: int, rows: IntArray) -> None:
        """Ask the opponents in ``seat`` at ``rows`` and play what they answer."""
        player = (seat - self.own[rows]) % self.seats  # numbered from the player from outside
        for who in np.unique(player) if self.seats > 2 else (1,):
            at = rows[player == who] if self.seats > 2 else rows
            legal = self.tables.legal(at)
            seeds = hash_rows(self._stream[at, seat], self._decisions[at, seat])
            agent = self.agents[int(who) - 1]
            ours, seats = self._legal_buffer.keep(legal), np.full(len(at), seat)
            request = Request(agent, self.tables, seats, at, legal, ours, seeds, self._private)
            actions, faults = request.ask()
            for fault in faults:
                raise AgentError(f"The opponent {registry.spec_of(agent)!r} {fault.complaint}.") from fault.cause
            self._decisions[at, seat] += 1
            self.tables.apply_checked(at, actions)

    def _end(self, rows: IntArray, rewards: Float64s) -> IntArray:
        """Note the hands that are over, deal the next of matches that go on, and return where one was dealt."""
        returns = self.tables.returns(rows)
        rewards[rows] += returns[np.arange(len(rows)), self.own[rows]]
        if self._stateful:
            self._tell(rows, returns)
        done = self.over[rows] = self._games.end(rows, returns)
        return rows[~done]

    def _fresh(self, rows: IntArray) -> None:
        for row in map(int, rows):
            for who, agent in enumerate(self.agents, 1):
                seat = (int(self.own[row]) + who) % self.seats
                self._private[row, seat] = own_copy(agent, seat)

    def _tell(self, rows: IntArray, returns: Float64s) -> None:
        for (row, seat), agent in self._private.items():
            for place in np.flatnonzero(rows == row):
                view = self.tables.views(seat, np.array([row]))[0]
                tell(agent, self.game.view_fields, view, returns[place])
