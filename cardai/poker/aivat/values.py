"""Value functions of two-player board games for AIVAT: what a player's every hand is worth against the hand it meets.

The games are those of two hole cards, both of which may play (:class:`~cardai.poker.ranges.hands.HoleCards`): hold'em, short
deck. Hands of cards that are not in the deck have no weight.

A value function may be anything that does not look at the hands it is used on: the better it foretells the chips, the
smaller AIVAT's spread. :class:`EquityValues` is built in; :mod:`cardai.poker.aivat.played` learns one from play;
:class:`StateValues` makes one of any function of a :class:`OpenState`, which a player offers by having the method
``hand_values(situation) -> (1326,)``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import perm
from typing import Protocol, runtime_checkable

import numpy as np
from attrs import define, evolve, field, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.game import CHANCE, TERMINAL
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.hands.runouts import (
    Equities,
    Runouts,
    before_flop,
    dealt_from,
    random_boards,
    sampled_before_flop,
    without,
)
from cardai.poker.ranges.hands import HOLDEM, HoleCards

BOARDS = 100
"""Random boards by which an expected equity before the flop is estimated (without bias)."""
FLOPS = 8
"""Random flops by which an expected value of a :class:`StateValues` is."""


@frozen
class OpenState:
    """A state of a hand as seen by everybody, with the opponent's cards; the known player may hold anything else."""

    seat: int
    """The known player's."""
    opponent: tuple[int, int]
    """The opponent's hole cards."""
    board: tuple[int, ...]
    """The cards dealt so far, in order: 0, 3, 4 or 5."""
    own: float
    """Chips that the known player has put in, half of a dead ante among them, ..."""
    other: float
    """... and the opponent, the other half among them."""
    actor: int
    """The seat to act, -1 where board cards come first, -4 where hands are compared."""
    round: int
    """The betting round, from 0."""
    raises: int
    """Bets and raises in it, the blind not counted."""
    button: int
    """The seat of the button."""
    history: tuple[int, ...]
    """The actions so far, as the view's ``history`` has them."""
    dead: float = 0.0
    """Half of a dead ante."""

    @property
    def stake(self) -> float:
        """What each has put in once the smaller sum is called."""
        return max(self.own, self.other)


@define(eq=False)
class Cards:
    """The equities of one hand of the opponent on the boards of one deal; worked out when first asked for."""

    opponent: tuple[int, int]
    hands: HoleCards = HOLDEM
    _runouts: dict[tuple[int, ...], Runouts] = field(factory=dict, init=False)
    _before: Equities | None = field(default=None, init=False)

    @property
    def against(self) -> Bools:
        """(1326,) the hands that can be dealt against the opponent's."""
        return np.asarray(left_by(self.opponent) & dealt_from(self.hands.deck))

    def runouts(self, board: tuple[int, ...]) -> Runouts:
        """Return all that can come after the flop of ``board``."""
        flop = (board[0], board[1], board[2])
        if flop not in self._runouts:
            self._runouts[flop] = Runouts(self.opponent, flop, self.hands.deck, self.hands.rank)
        return self._runouts[flop]

    def on(self, board: tuple[int, ...]) -> Equities:
        """Return the equities of all hands on ``board`` (before the flop: roughly)."""
        if not board:
            if self._before is None:
                self._before = before_flop(self.opponent, self.hands.deck, self.hands.rank)
            return self._before
        runouts = self.runouts(board)
        if len(board) == 3:
            return runouts.on_flop
        return runouts.on_turn(board[3]) if len(board) == 4 else runouts.on_river(board[3], board[4])

    def strength(self, board: tuple[int, ...]) -> Float64s:
        """Return (1326,) how strong each hand is among all on a whole board."""
        return self.runouts(board).ranked(board[3], board[4])

    def next_cards(self, board: tuple[int, ...]) -> Int64s:
        """Return the cards that can come on a flop or turn (some hands hold one of them)."""
        cards = self.runouts(board).cards
        return cards[~np.isin(cards, board)]

    def random_boards(self, count: int, size: int, seed: int) -> Int64s:
        """Return (count, size) random cards that the opponent does not hold."""
        return random_boards(np.setdiff1d(self.hands.deck, self.opponent), count, size, seed)


class ValueFunction(Protocol):
    """A value function u of a two-player game. What it says of hands that share a card with others is not looked at."""

    def chips(self, situation: OpenState, cards: Cards) -> Float64s:
        """Return (1326,) the chips that the known player wins on average in the whole hand, by the hand it holds."""

    def dealt(self, before: OpenState, after: OpenState, cards: Cards, seed: int) -> tuple[Float64s, Float64s]:
        """Return (1326,) the value of ``before`` as the mean over all boards that can come of the value after them, and
        the value of ``after``, in which cards came.

        The mean may be an estimate from ``seed``, if its own mean is right.
        """


@runtime_checkable
class HasHandValues(Protocol):
    """A player that says what hands are worth."""

    def hand_values(self, situation: OpenState) -> Float64s:
        """Return (1326,) the chips that the known player wins on average in the whole hand, by the hand it holds."""


@frozen
class EquityValues:
    """Each hand wins its equity of what is in once the smaller sum is called, as if nobody bet any more."""

    def chips(self, situation: OpenState, cards: Cards) -> Float64s:
        return cards.on(situation.board).x * situation.stake

    def dealt(self, before: OpenState, after: OpenState, cards: Cards, seed: int) -> tuple[Float64s, Float64s]:
        return expected_x(before, cards, seed) * before.stake, cards.on(after.board).x * after.stake


def expected_x(before: OpenState, cards: Cards, seed: int) -> Float64s:
    """Return (1326,) the mean of x over boards to come: x itself, before the flop an estimate whose mean is right."""
    if before.board:
        return cards.on(before.board).x
    boards = cards.random_boards(BOARDS, 5, seed)
    return sampled_before_flop(before.opponent, boards, cards.hands.deck, cards.hands.rank)


def mean_over_next(
    before: OpenState, after: OpenState, cards: Cards, value: Callable[[OpenState], Float64s]
) -> Float64s:
    """Return (1326,) the mean of ``value`` over every card that can come on the flop or turn of ``before``."""
    total = np.zeros(COUNT)
    coming = cards.next_cards(before.board)
    for card in coming.tolist():
        total += value(evolve(after, board=(*before.board, card))) * without(card)
    return total / (len(coming) - 2)  # of the cards that a hand does not hold


@frozen(eq=False)
class StateValues:
    """A value function made of one of situations with cards dealt, such as a trained player's own."""

    function: Callable[[OpenState], Float64s]

    def chips(self, situation: OpenState, cards: Cards) -> Float64s:
        if situation.actor in (CHANCE, TERMINAL):  # nobody decides: the player need not know such states
            return EquityValues().chips(situation, cards)
        return self.function(situation)

    def dealt(self, before: OpenState, after: OpenState, cards: Cards, seed: int) -> tuple[Float64s, Float64s]:
        if after.actor in (CHANCE, TERMINAL):
            return EquityValues().dealt(before, after, cards, seed)
        if before.board:
            return mean_over_next(before, after, cards, self.function), self.function(after)
        total = np.zeros(COUNT)
        for flop in cards.random_boards(FLOPS, 3, seed).tolist():
            fits = without(flop[0]) & without(flop[1]) & without(flop[2])
            total += self.function(evolve(after, board=tuple(flop))) * fits
        # A flop misses a hand's two cards with (in hold'em) 48 * 47 * 46 / (50 * 49 * 48): see sampled_before_flop.
        free = len(cards.hands.deck) - 2
        return total / FLOPS * perm(free, 3) / perm(free - 2, 3), self.function(after)
