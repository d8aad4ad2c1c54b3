"""What a subgame that stops early is worth where both players check to the end, in any game whose hands are declared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.progress import tell
from cardai.poker.ranges._rollout_kernels import add_wins, weigh_wins
from cardai.poker.ranges.hands import HOLDEM, Hands, holders
from cardai.poker.ranges.public_tree import Node
from cardai.poker.ranges.rake import NO_RAKE

EXACT = 20_000
"""So many ways to go on are all looked at; of more, ``SAMPLED`` random ones."""
SAMPLED = 3000


class CheckedDown:
    """Both players check to the end: every pair of hands is worth its expected showdown (:func:`showdowns`).

    Args:
        board: the cards at the leaves. numbers: (n,) the hands' numbers, in order of the vectors.
        dtype: of the products, float32 or float64.
    """

    def __init__(
        self, board: Sequence[int], numbers: Int64s, hands: Hands = HOLDEM, dtype: npt.DTypeLike = np.float32
    ) -> None:
        self._set(showdowns(board, hands)[np.ix_(numbers, numbers)], numbers, hands, dtype)

    def _set(self, wins: Float32s, numbers: Int64s, hands: Hands, dtype: npt.DTypeLike) -> None:
        self._wins = np.ascontiguousarray(wins, dtype)
        self._whose = hands, numbers

    @cached_property
    def _apart(self) -> npt.NDArray[Any]:
        hands, numbers = self._whose
        return np.ascontiguousarray(apart(hands)[np.ix_(numbers, numbers)], self._wins.dtype)

    @classmethod
    def of(cls, wins: Float32s, numbers: Int64s, hands: Hands = HOLDEM) -> CheckedDown:
        """Return the same of what pairs of the n hands win (n, n), as :func:`showdowns` says it."""
        made = cls.__new__(cls)
        made._set(wins, numbers, hands, np.float32)
        return made

    def evaluate(self, player: int, reach: npt.NDArray[np.floating], nodes: Sequence[Node]) -> Float64s:  # type: ignore[type-arg]
        """Return (C, n) the values of each hand of ``player`` (see :class:`~cardai.poker.ranges.solver.LeafEvaluator`)."""
        stakes = np.array([min(node.spent) for node in nodes], np.float64)
        other = np.ascontiguousarray(reach[1 - player], self._wins.dtype)
        won = self._won(other)
        rake = nodes[0].tree.rake if nodes else NO_RAKE
        if not rake:
            return np.asarray(stakes[:, None] * won, np.float64)
        paid = (
            rake.of(2.0 * stakes)[:, None] / 2
        )  # by who wins, and by half at ties: (1 + wins - losses) / 2 of the rake
        return np.asarray((stakes[:, None] - paid) * won - paid * (other @ self._apart.T), np.float64)

    def _won(self, other: npt.NDArray[np.floating]) -> Float64s:  # type: ignore[type-arg]
        """Return (C, n) what each hand wins of reach ``other`` (C, n), in stakes."""
        if self._wins.dtype != np.float32:
            return np.asarray(other @ self._wins.T, np.float64)
        found = np.empty_like(other)
        weigh_wins(self._wins, other, found)
        return np.asarray(found, np.float64)


def showdowns(board: Sequence[int], hands: Hands = HOLDEM) -> Float32s:
    """Return (K, K) how often the row's hand beats the column's, less how often it loses, over what can still come.

    Hands that the board blocks, and pairs that collide, have 0. Where more than ``EXACT`` boards can come (hold'em before the
    flop) it is an estimate from ``SAMPLED`` random ones.
    """
    return _showdowns(tuple(board), hands)


@lru_cache(8)
def _showdowns(board: tuple[int, ...], hands: Hands) -> Float32s:
    rest = [card for card in hands.deck if card not in board]
    missing = hands.whole - len(board)
    ways = comb(len(rest), missing)
    count = ways if ways <= EXACT else SAMPLED
    wins = np.zeros((len(hands.cards),) * 2, np.int16)
    for done, added in enumerate(_runouts(rest, missing, count)):
        whole = [*board, *added]
        strengths = np.where(holders(hands)[whole].any(axis=0), -1, hands.strengths(whole))
        add_wins(np.unique(strengths, return_inverse=True)[1].astype(np.int16) - np.int16(1), wins)
        if done % 50 == 0:
            tell("weighing what can come", done, count)
    tell("weighing what can come", 1, 1)
    free = comb(len(rest) - 2 * hands.held, missing) / ways  # how often a board blocks neither of two hands
    out = wins.astype(np.float32)
    out *= apart(hands) / np.float32(count * free)
    return out


def _runouts(rest: Sequence[int], missing: int, count: int) -> Iterator[Sequence[int]]:
    """Return ``count`` ways to complete a board from the cards ``rest``: all that there are, or random ones."""
    if count == comb(len(rest), missing):
        return itertools.combinations(rest, missing)
    generator = np.random.default_rng(5)
    return (np.array(rest)[generator.choice(len(rest), missing, replace=False)].tolist() for _ in range(count))


def apart(hands: Hands = HOLDEM) -> Float32s:
    """Return (K, K) 1 where two hands do not collide."""
    return _apart(hands)


@cache
def _apart(hands: Hands) -> Float32s:
    held = np.zeros((len(hands.cards), hands.places), np.float32)
    held[np.arange(len(held))[:, None], hands.cards] = 1.0
    return np.asarray(held @ held.T == 0, np.float32)
