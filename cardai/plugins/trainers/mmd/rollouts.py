"""Play in lock step: whole hands, every decision of the learner with what it led to.

The learner's one policy plays all seats, or one seat against a fixed player, from hand to hand another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from cardai.arena.asking import Request
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.errors import AgentError, UsageError
from cardai.core.game import TERMINAL, Amounts, Game
from cardai.core.legal import copy_legal
from cardai.core.rng import Rows, derive_many, hash_rows
from cardai.learn.distinct import distinct

Ask = Callable[[Float32s, Bools], Float64s]
"""The policy that plays: probabilities (n, A) for codes (n, I) and legal actions (n, A)."""


@frozen(eq=False)
class Batch:
    """N decisions of the learner in H hands, those of a hand in order.

    ``hands`` and ``seats`` (N,) say whose, ``codes`` (N, I) what the seat saw, ``policies`` (N, A) how it played and
    ``chosen`` (N,) what; ``returns`` (H, P) are the hands' results in the game's unit. ``whole`` (N, P x I) is what all
    seats saw, the one to act first, then those after it in order; (N, 0) where nobody asked for it.
    """

    hands: Int64s
    seats: Int64s
    codes: Float32s
    legal: Bools
    policies: Float64s
    chosen: Int64s
    returns: Float64s
    whole: Float32s

    def __len__(self) -> int:
        return len(self.chosen)


class Rollouts:
    """Plays hands of ``game`` at ``tables`` tables. Hand h depends on (seed, h), the policy and the rival alone.

    With a ``rival``, ready to play the game, the policy plays one seat, in hand h seat h // P modulo P, and the rival all
    others.
    """

    def __init__(
        self, game: Game, layout: Layout, tables: int, seed: int, whole: bool, rival: Agent | None = None
    ) -> None:
        self.game, self.layout, self.seed, self.whole, self.rival = game, layout, seed, whole, rival
        self.tables = game.tables(tables)
        self.own = np.zeros(tables, np.int64)  # the learner's seat at each table, where there is a rival
        nothing = np.zeros((1, game.num_players))
        self._rotates = not bool(game.matches_over(nothing, np.ones(1, np.int64))[0])

    def play(self, ask: Ask, decisions: int, first: int) -> Batch:
        """Play the hands ``first``, ``first`` + 1, ... until at least so many decisions are made, each to its end.

        A table whose hand is over begins the next one until then.
        """
        count = self.tables.count
        hand, made = np.zeros(count, np.int64), np.zeros(count, np.int64)
        streams, steps, returns = np.zeros(count, np.uint64), [], np.zeros((0, self.game.num_players))
        free, done = np.arange(count), 0
        while True:
            if done < decisions and len(free):
                hand[free], made[free] = len(returns) + np.arange(len(free)), 0
                self.own[free] = (first + hand[free]) // self.game.num_players % self.game.num_players
                streams[free] = self._deal(free, first + len(returns))
                returns = np.concatenate([returns, np.zeros((len(free), returns.shape[1]))])
                free = free[:0]
            current = self.tables.current_players().astype(np.int64)
            current[free] = TERMINAL
            if self.rival is not None:
                self._answer(np.flatnonzero((current >= 0) & (current != self.own)), current, streams, made)
                current[current != self.own] = TERMINAL
            rows = np.flatnonzero(current >= 0)
            if len(rows):
                steps.append(self._decide(ask, current, hand, streams, made))
                done += len(rows)
            over = np.setdiff1d(np.flatnonzero(self.tables.current_players() == TERMINAL), free)
            returns[hand[over]] = self.tables.returns(over)
            free = np.union1d(free, over)
            if len(free) == count and done >= decisions:
                break
        hands, seats, codes, legal, policies, chosen, whole = (
            np.concatenate(parts) for parts in zip(*steps, strict=True)
        )
        return Batch(hands, seats, codes, legal, policies, chosen, returns, whole)

    def _deal(self, rows: Int64s, first: int) -> Any:
        """Begin the hands ``first``, ... at ``rows``; return their streams of random numbers."""
        game, count = self.game, len(rows)

        def drawn(name: str) -> Any:
            return derive_many(self.seed, name, count=count, start=first)

        nothing = np.zeros((count, game.num_players))
        setups = game.next_hands(None, nothing, nothing, np.zeros(count, np.dtype([])), drawn("setup"))
        if self._rotates:  # later hands of a match begin at another seat
            setups["starter"] = np.arange(first, first + count) % game.num_players
        self.tables.reset(drawn("deal"), None, rows, setups)
        return drawn("players")

    def _answer(self, rows: Int64s, current: Int64s, streams: Any, made: Int64s) -> None:
        """Let the rival decide at ``rows``. Raises AgentError where it does not answer as it should."""
        assert self.rival is not None
        if not len(rows):
            return
        legal, seeds = self.tables.legal(rows), hash_rows(streams[rows], made[rows])
        asked = Request(self.rival, self.tables, current[rows], rows, legal, copy_legal(legal), seeds, {})
        actions, faults = asked.ask()
        if faults:
            raise AgentError(f"The player in the other seats {faults[0].complaint}.") from faults[0].cause
        made[rows] += 1
        self.tables.apply_checked(rows, actions)

    def _decide(self, ask: Ask, current: Int64s, hand: Int64s, streams: Any, made: Int64s) -> tuple[Any, ...]:
        """Make a decision at every table; return what :class:`Batch` holds of each, up to ``chosen``, and ``whole``."""
        seats = range(self.game.num_players)
        groups = [np.flatnonzero(current == seat) for seat in seats]
        rows = np.concatenate(groups)
        codes, whole = [], []
        for seat, mine in enumerate(groups):
            if not len(mine):
                continue
            seen = [self._code((seat + k) % len(seats), mine) for k in (seats if self.whole else range(1))]
            codes.append(seen[0])
            whole.append(np.concatenate(seen, axis=1) if self.whole else seen[0][:, :0])
        code, legal = np.concatenate(codes), self.tables.legal(rows)
        if isinstance(legal, Amounts):
            raise UsageError("Policy gradients need a mask of actions, and this game's are amounts of chips.")
        first, inverse = distinct(np.concatenate([code, legal], axis=1, dtype=np.float32))
        policies = ask(code[first], legal[first])[inverse]
        chosen = Rows(hash_rows(streams[rows], made[rows])).choice(policies)
        made[rows] += 1
        self.tables.apply(rows, chosen)
        return hand[rows], current[rows], code, legal, policies, chosen, np.concatenate(whole)

    def _code(self, seat: int, rows: Int64s) -> Float32s:
        return self.layout.encode(self.tables.views(seat, rows)).reshape(len(rows), -1)
