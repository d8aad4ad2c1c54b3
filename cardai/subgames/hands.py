"""The hands of a subgame and its boards: which hands a board leaves, in what order, and what a dealt card makes of them.

A hand is two *places* of cards that collide: hold'em's two cards, or Leduc's one card and a place of its own. So one set of
kernels takes both.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from cardai.cards.poker import combos
from cardai.cards.poker.equity import river_strengths
from cardai.core.arrays import Bools, Float64s, Int64s

Ints = npt.NDArray[np.int64]
PAD = 16


class Hands(Protocol):
    """What a family of games has for hands."""

    @property
    def cards(self) -> Int64s:
        """(K, 2) the places of each hand's cards, below ``places``."""

    @property
    def places(self) -> int:
        """How many places there are."""

    @property
    def deck(self) -> int:
        """How many cards the deck has; they are the first places."""

    @property
    def held(self) -> int:
        """How many of the deck's cards a hand holds."""

    @property
    def whole(self) -> int:
        """How many cards a whole board has."""

    def strengths(self, board: Sequence[int]) -> Int64s:
        """Return (K,) how strong each hand is on a whole board; more is better."""

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        """Return what suits can be renamed without changing the board as a set: (cards (deck,), hands (K,)), new numbers.

        The first changes nothing.
        """


@frozen
class HoldemHands:
    """The 1,326 hands of :mod:`cardai.cards.poker.combos`."""

    cards: Int64s = field(factory=lambda: combos.pairs().astype(np.int64), repr=False)
    places: int = 52
    deck: int = 52
    held: int = 2
    whole: int = 5

    def strengths(self, board: Sequence[int]) -> Int64s:
        return river_strengths(list(board))

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        found = []
        for suits in itertools.permutations(range(4)):
            cards = np.array([13 * suits[card // 13] + card % 13 for card in range(52)])
            if set(cards[list(board)].tolist()) == set(board):
                found.append((cards, combos.pair_index(*cards[self.cards].T)))
        return found


@frozen
class LeducHands:
    """One card of a deck of two suits, numbered 2 x rank + suit."""

    ranks: int = 3

    @property
    def cards(self) -> Int64s:
        return np.stack([np.arange(2 * self.ranks), 2 * self.ranks + np.arange(2 * self.ranks)], axis=1)

    @property
    def places(self) -> int:
        return 4 * self.ranks

    @property
    def deck(self) -> int:
        return 2 * self.ranks

    @property
    def held(self) -> int:
        return 1

    @property
    def whole(self) -> int:
        return 1

    def strengths(self, board: Sequence[int]) -> Int64s:
        rank = np.arange(2 * self.ranks) // 2
        return np.where(rank == board[0] // 2, self.ranks + rank, rank)

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        cards = np.arange(2 * self.ranks)
        swapped = cards ^ 1
        return [(cards, cards)] + ([] if board else [(swapped, swapped)])


@define(eq=False)
class Boards:
    """The boards of one street, in the order in which a walk meets them."""

    boards: list[tuple[int, ...]] = field(factory=list, repr=False)
    hands: list[Ints] = field(factory=list, repr=False)
    """A board's hands by number; on a whole board from the weakest to the strongest."""
    ends: list[Ints] = field(factory=list, repr=False)
    ups: list[list[Ints]] = field(factory=list, repr=False)
    """By board and image: the place of each hand among those of the board before."""
    images: list[list[tuple[Ints, Ints]]] = field(factory=list, repr=False)
    """By board and image: the new number of each card and of each hand."""
    first_child: list[int] = field(factory=list, repr=False)
    num_children: list[int] = field(factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def width(self) -> int:
        """The most hands of a board, rounded up to whole lanes."""
        return PAD * -(-max(len(hands) for hands in self.hands) // PAD)


def deal_boards(
    hands: Hands, board: Sequence[int], streets: int, ranges: Float64s, isomorphic: bool = True, every: bool = False
) -> list[Boards]:
    """Return the boards of this street and ``streets - 1`` more, a card each, up to the names of suits where that is exact.

    Args:
        ranges: (2, K) weights. Hands that neither player holds are left out unless ``every``. Suits are renamed only
            where both ranges stay the same.
    """
    kept = np.asarray((ranges > 0).any(axis=0) | every, np.bool_)
    group = hands.renamings(board)
    group = [one for one in group if (ranges[:, one[1]] == ranges).all()] if isomorphic else group[:1]
    out = [Boards() for _ in range(streets)]
    _deal(hands, tuple(board), kept, group, out, 0)
    return out


def _deal(
    hands: Hands, board: tuple[int, ...], kept: Bools, group: list[tuple[Ints, Ints]], out: list[Boards], street: int
) -> None:
    """Append ``board`` to the boards of its street, and what follows it to the later ones."""
    mine = out[street]
    free = kept & ~np.isin(hands.cards, board).any(axis=1)
    numbers = np.flatnonzero(free)
    ends = np.full(len(numbers), len(numbers))
    if len(board) == hands.whole:
        strengths = hands.strengths(board)[numbers]
        order = np.argsort(strengths, kind="stable")
        numbers, strengths = numbers[order], strengths[order]
        ends = np.searchsorted(strengths, strengths, side="right")
    mine.boards.append(board)
    mine.hands.append(numbers)
    mine.ends.append(ends)
    if street == 0:
        mine.ups.append([np.arange(len(numbers))])
        mine.images.append([(np.arange(hands.deck), np.arange(len(kept)))])
    if street + 1 == len(out):
        mine.first_child.append(0)
        mine.num_children.append(0)
        return
    later, place = out[street + 1], np.zeros(len(kept), np.int64)
    place[numbers] = np.arange(len(numbers))
    mine.first_child.append(len(later))
    met: set[int] = set(board)
    dealt = 0
    for card in range(hands.deck):
        if card in met:
            continue
        orbit: dict[int, tuple[Ints, Ints]] = {}
        for cards, renamed in group:
            orbit.setdefault(int(cards[card]), (cards, renamed))
        met |= set(orbit)
        stable = [(cards, renamed) for cards, renamed in group if cards[card] == card]
        before = len(later)
        _deal(hands, (*board, card), kept, stable, out, street + 1)
        later.ups.append([place[renamed[later.hands[before]]] for _, renamed in orbit.values()])
        later.images.append(list(orbit.values()))
        dealt += 1
    mine.num_children.append(dealt)
