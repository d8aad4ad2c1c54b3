"""The games that many tables play in lock step, each a hand or a game of hands: which hand comes next, and what it is dealt from."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from cardai.arena.lockstep import FIRST_HAND
from cardai.core.arrays import Bools, Float64s, Int64s, Uint64s
from cardai.core.errors import UsageError
from cardai.core.fields import view_dtype
from cardai.core.game import Game, IntArray, setup_dtype
from cardai.core.rng import hash_rows

Length = Literal["hand", "match"]
PASSED_OVER = 1000  # episodes in which nothing is asked


def check_length(episode: str) -> None:
    """Raise UsageError for a length of episodes that nobody knows."""
    if episode not in ("hand", "match"):
        raise UsageError(f"episode must be 'hand' or 'match'. Got {episode!r}.")


class DealtGames:
    """Games of groups of a root seed at ``count`` tables: group g has the hands of :func:`cardai.arena.match.play`'s."""

    def __init__(self, game: Game, count: int, length: Length) -> None:
        check_length(length)
        if count < 1:
            raise UsageError(f"There must be at least one table. Got {count}.")
        self.game, self.count, self.length = game, count, length
        self.tables = game.tables(count)
        self._seed = np.zeros(count, np.uint64)
        self._hand = np.zeros(count, np.int64)
        self._score = np.zeros((count, game.num_players))
        self._setup = np.zeros(count, setup_dtype(game.num_players))

    def begin(self, rows: IntArray, deal_root: np.uint64, groups: Int64s) -> None:
        """Deal the first hand of ``groups`` (m,) at ``rows``; ``deal_root`` is the root seed's ``derive(seed, "deal")``."""
        self._seed[rows] = hash_rows(np.full(len(rows), deal_root), groups)
        self._hand[rows], self._score[rows] = 0, 0
        none, nothing = np.zeros((len(rows), self.game.num_players)), np.zeros(len(rows), view_dtype(()))
        self._deal(rows, self.game.next_hands(None, none, none, nothing, self._seeds(rows)))

    def end(self, rows: IntArray, returns: Float64s) -> Bools:
        """Take note that the hands at ``rows`` ended with ``returns`` (m, P): deal the next of games that go on, and say
        which ended with their hand, (m,).
        """
        if self.length == "hand":
            return np.ones(len(rows), np.bool_)
        self._score[rows] = self.game.add_score(self._score[rows], returns)
        self._hand[rows] += 1
        done = self.game.matches_over(self._score[rows], self._hand[rows])
        going = rows[~done]
        if len(going):
            outcomes = self.tables.outcomes(going)
            last, score = self._setup[going], self._score[going]
            self._deal(going, self.game.next_hands(last, score, returns[~done], outcomes, self._seeds(going)))
        return done

    def _seeds(self, rows: IntArray) -> Uint64s:
        """The seeds of what setups draw."""
        return hash_rows(self._seed[rows], self._hand[rows] + FIRST_HAND)

    def _deal(self, rows: IntArray, setups: np.ndarray[Any, np.dtype[Any]]) -> None:
        self._setup[rows] = setups
        self.tables.reset(hash_rows(self._seed[rows], self._hand[rows]), None, rows, setups)
