"""The hands of a subgame and its boards: which hands a board leaves, in what order, and what a dealt card makes of them.

A hand is two *places* of cards that collide: hold'em's two cards, or Leduc's one card and a place of its own. So one set of
kernels takes both.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.contract import FRENCH, HIGH, HOLDEM_BOARD, PAIR, SHORT_HIGH, Hole, Ranking, board_game, described
from cardai.poker.hands import combos
from cardai.poker.hands.equity import river_strengths
from cardai.poker.hands.ranking import Values, rank_high, rank_short_deck

Ints = npt.NDArray[np.int64]
PAD = 16


class Hands(Protocol):
    """What a game has for hands; equal where the declarations are."""

    def __hash__(self) -> int:
        """Return the same for equal declarations."""

    @property
    def cards(self) -> Int64s:
        """(K, 2) the places of each hand's cards, below ``places``."""

    @property
    def places(self) -> int:
        """How many places there are."""

    @property
    def deck(self) -> tuple[int, ...]:
        """The deck's cards; a card is its own place."""

    @property
    def held(self) -> int:
        """How many of the deck's cards a hand holds."""

    @property
    def whole(self) -> int:
        """How many cards a whole board has."""

    def strengths(self, board: Sequence[int]) -> Int64s:
        """Return (K,) how strong each hand that a whole board leaves is on it; more is better."""

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        """Return what suits can be renamed without changing the board as a set: (cards (places,), hands (K,)), new numbers.

        The first changes nothing.
        """


@frozen
class HoleCards:
    """Two hole cards from a deck, of which any number plays on a board of five: hold'em, and short deck.

    Hands are numbered in order of :mod:`cardai.poker.hands.combos`, those of cards that are not in the deck left out.
    """

    deck: tuple[int, ...] = FRENCH.cards
    """Cards 13 * suit + rank. Suits are renamed where that leaves the deck as it is."""
    ranking: Ranking = HIGH
    """HIGH or SHORT_HIGH."""
    places: ClassVar[int] = 52
    held: ClassVar[int] = 2
    whole: ClassVar[int] = 5

    @property
    def cards(self) -> Int64s:
        return _pairs_of(self.deck)

    @property
    def rank(self) -> Callable[[Any], Values]:
        """How hands of five to seven cards are compared."""
        return rank_high if self.ranking == HIGH else rank_short_deck

    def strengths(self, board: Sequence[int]) -> Int64s:
        if self.ranking == HIGH:
            return river_strengths(list(board))[_numbers_of(self.deck)]
        free = np.flatnonzero(~np.isin(self.cards, board).any(axis=1))
        out = np.full(len(self.cards), -1, np.int64)
        out[free] = self.rank(np.hstack([self.cards[free], np.tile(board, (len(free), 1))]))
        return out

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        number = np.full(combos.COUNT, -1, np.int64)
        number[combos.pair_index(*self.cards.T)] = np.arange(len(self.cards))
        found = []
        for suits in itertools.permutations(range(4)):
            cards = np.array([13 * suits[card // 13] + card % 13 for card in range(52)])
            if all(set(cards[list(kept)].tolist()) == set(kept) for kept in (self.deck, board)):
                found.append((cards, number[combos.pair_index(*cards[self.cards].T)]))
        return found


@lru_cache(8)
def _pairs_of(deck: tuple[int, ...]) -> Int64s:
    every = combos.pairs().astype(np.int64)
    found = every[np.isin(every, deck).all(axis=1)]
    found.flags.writeable = False  # it is handed out again
    return found


@lru_cache(8)
def _numbers_of(deck: tuple[int, ...]) -> Int64s:
    """Return the number of each of a deck's hands among the 1,326."""
    return combos.pair_index(*_pairs_of(deck).T)


HOLDEM = HoleCards()
"""The 1,326 hands of :mod:`cardai.poker.hands.combos`."""


@frozen
class LeducHands:
    """One card of a deck of two suits, numbered 2 x rank + suit."""

    ranks: int = 3
    held: ClassVar[int] = 1
    whole: ClassVar[int] = 1

    @property
    def cards(self) -> Int64s:
        return np.stack([np.arange(2 * self.ranks), 2 * self.ranks + np.arange(2 * self.ranks)], axis=1)

    @property
    def places(self) -> int:
        return 4 * self.ranks

    @property
    def deck(self) -> tuple[int, ...]:
        return tuple(range(2 * self.ranks))

    def strengths(self, board: Sequence[int]) -> Int64s:
        rank = np.arange(2 * self.ranks) // 2
        return np.where(rank == board[0] // 2, self.ranks + rank, rank)

    def renamings(self, board: Sequence[int]) -> list[tuple[Ints, Ints]]:
        cards, hands = np.arange(self.places), np.arange(2 * self.ranks)
        return [(cards, hands)] + ([] if board else [(cards ^ 1, hands ^ 1)])


def hole_cards(game: Game) -> HoleCards | None:
    """Return what a game of two hole cards, both of which may play on a board of five, declares; None: it is another game."""
    said = board_game(game)
    if said is None or (said.hole, said.board) != (Hole(2), HOLDEM_BOARD) or said.ranking not in (HIGH, SHORT_HIGH):
        return None
    return HoleCards(said.deck.cards, said.ranking)


def hands_of(game: Game, who: str) -> Hands:
    """Return what the game declares as the hands of ranges; ``who`` begins the message.

    Raises:
        UsageError: its hands are none that collide in two places at most, or its ranking is not known here.
    """
    said, two = board_game(game), hole_cards(game)
    if two is not None:
        return two
    if said is not None and (said.hole, said.board, said.ranking) == (Hole(1), (0, 1), PAIR):
        if said.deck.cards == tuple(range(len(said.deck.cards) // 2 * 2)):
            return LeducHands(len(said.deck.cards) // 2)
        raise UsageError(f"{who} plays a deck of two suits whose cards are numbered from 0. Got {said.deck.cards}.")
    raise UsageError(
        f"{who} plays ranges of one hole card or of two that both may play: what hands of more cards block of each other is "
        f"not a sum over two cards. {brief(game)} is {described(game)}."
    )


@define(eq=False)
class DealtBoards:
    """The boards of one street, in the order in which a walk meets them."""

    boards: list[tuple[int, ...]] = field(factory=list, repr=False)
    hands: list[Ints] = field(factory=list, repr=False)
    """A board's hands by number; on a whole board from the weakest to the strongest."""
    ends: list[Ints] = field(factory=list, repr=False)
    ups: list[list[Ints]] = field(factory=list, repr=False)
    """By board and image: the place of each hand among those of the board before."""
    images: list[list[tuple[Ints, Ints]]] = field(factory=list, repr=False)
    """By board and image: the new number of each card (places,) and of each hand."""
    first_child: list[int] = field(factory=list, repr=False)
    num_children: list[int] = field(factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def width(self) -> int:
        """The most hands of a board, rounded up to whole lanes."""
        return PAD * -(-max(len(hands) for hands in self.hands) // PAD)


def deal_boards(
    hands: Hands,
    board: Sequence[int],
    streets: int,
    ranges: Float64s,
    isomorphic: bool = True,
    every: bool = False,
    keeps: Callable[[tuple[Ints, Ints]], bool] = lambda renaming: True,
) -> list[DealtBoards]:
    """Return the boards of this street and ``streets - 1`` more, a card each, up to the names of suits where that is exact.

    Args:
        ranges: (2, K) weights. Hands that neither player holds are left out unless ``every``. Suits are renamed only
            where both ranges stay the same, and where ``keeps`` of a renaming (cards, hands) says that all else does.
    """
    kept = np.asarray((ranges > 0).any(axis=0) | every, np.bool_)
    group = hands.renamings(board)
    group = [one for one in group if (ranges[:, one[1]] == ranges).all() and keeps(one)] if isomorphic else group[:1]
    out = [DealtBoards() for _ in range(streets)]
    kept &= ~holders(hands)[list(board)].any(axis=0)
    _deal(hands, tuple(board), kept, group, out, 0)
    return out


@lru_cache(8)
def holders(hands: Hands) -> Bools:
    """Return (places, K) which hands hold each card: not to be changed."""
    return np.asarray((hands.cards == np.arange(hands.places)[:, None, None]).any(axis=2))


def _ordered(hands: Hands, board: tuple[int, ...], numbers: Ints) -> tuple[Ints, Ints]:
    """Return hands (n,), on a whole board by strength, and where those end that are no stronger than each (n,)."""
    if len(board) != hands.whole:
        return numbers, np.full(len(numbers), len(numbers))
    strengths = hands.strengths(board)[numbers]
    order = np.argsort(strengths, kind="stable")
    return numbers[order], np.searchsorted(strengths[order], strengths[order], side="right")


def _deal(
    hands: Hands,
    board: tuple[int, ...],
    kept: Bools,
    group: list[tuple[Ints, Ints]],
    out: list[DealtBoards],
    street: int,
) -> None:
    """Append ``board``, which leaves the hands ``kept`` (K,), to those of its street, and what follows it to the later ones."""
    mine = out[street]
    numbers, ends = _ordered(hands, board, np.flatnonzero(kept))
    mine.boards.append(board)
    mine.hands.append(numbers)
    mine.ends.append(ends)
    if street == 0:
        mine.ups.append([np.arange(len(numbers))])
        mine.images.append([(np.arange(hands.places), np.arange(len(kept)))])
    if street + 1 == len(out):
        mine.first_child.append(0)
        mine.num_children.append(0)
        return
    later, place = out[street + 1], np.zeros(len(kept), np.int64)
    place[numbers] = np.arange(len(numbers))
    mine.first_child.append(len(later))
    met: set[int] = set(board)
    dealt = 0
    for card in hands.deck:
        if card in met:
            continue
        orbit: dict[int, tuple[Ints, Ints]] = {}
        for cards, renamed in group:
            orbit.setdefault(int(cards[card]), (cards, renamed))
        met |= set(orbit)
        stable = [(cards, renamed) for cards, renamed in group if cards[card] == card]
        before = len(later)
        _deal(hands, (*board, card), kept & ~holders(hands)[card], stable, out, street + 1)
        later.ups.append([place[renamed[later.hands[before]]] for _, renamed in orbit.values()])
        later.images.append(list(orbit.values()))
        dealt += 1
    mine.num_children.append(dealt)
