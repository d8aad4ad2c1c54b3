"""Leaves of a round that a network of the next street values, card by card.

In hold'em a network over hands takes milliseconds a board and pot, so an iteration may look at a few of the cards that can
come, each iteration at others; what each card says is averaged over the iterations that looked at it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.rng import derive
from cardai.poker.ranges.averaged_leaves import AveragedLeaves
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.public_tree import Node
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.values.flop_turns import FlopTurns, flop_turns
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.plain_network import PlainNetwork
from cardai.poker.values.prepared import Prepared, prepare
from cardai.poker.values.situations import Situation

N = TypeVar("N")


class LeafValues(Protocol):
    """What leaves need of a :class:`~cardai.poker.values.network.ValueNetwork`."""

    def values(self, data: Prepared) -> Float32s:
        """Return (n, 2, H) counterfactual values in units of what each player has put in."""


class LeavesInTurn(AveragedLeaves):
    """Values chance nodes by what somebody says of the boards behind them, of which each iteration looks at some.

    Args:
        hands, count, cards, each, stack: those of :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`; ``cards`` are what
            can come, by name. looks: how many of them an iteration looks at; 0: all. first: what their order is drawn by.
        few: whether hands are so few that all boards are asked about at once, and for each player anew. starter: the seat that acts
            first behind the chance nodes: networks know players by that, not by seats.
    """

    def __init__(
        self,
        hands: Int64s,
        count: int,
        cards: Sequence[int],
        each: float,
        stack: int,
        looks: int,
        first: Sequence[int],
        few: bool = False,
        starter: int = 0,
    ) -> None:
        super().__init__(hands, count, cards, each, stack)
        self.looks, self.few, self.starter = looks or len(cards), few, starter
        order = np.random.default_rng(derive(0, "cards", *first)).permutation(len(cards))
        self._order, self._next = np.asarray(order, np.int64), 0
        self._other: Float64s | None = None
        """What the hands of who was not asked about last are worth."""
        self._ready: Float64s | None = None
        """That, for the second player of an iteration."""

    @abstractmethod
    def _values(self, reach: Float64s, half_pots: list[int], cards: Int64s) -> Float64s:
        """Return (2, C, b, n) what both players' hands are worth; ``reach`` (2, C, n). Who acts first behind the nodes comes first."""

    def sample(self, player: int) -> Int64s:
        """Return the next cards of a fixed order; both players of an iteration look at the same."""
        if player == 0:
            self._next += self.looks
        self._ready = self._other if player == 1 and not self.few else None
        places = (self._next + np.arange(min(self.looks, len(self.cards)))) % len(self.cards)
        return np.sort(self._order[places])

    def boards(self, player: int, reach: Any, nodes: Sequence[Node], cards: Int64s) -> Float64s:
        """Return (C, b, n): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`.

        The network values both players at once; in an iteration of hold'em the second takes what was said to the first.
        """
        if self._ready is not None:
            found, self._ready = self._ready, None
            return found
        in_turn = np.asarray(reach, np.float64)[:: -1 if self.starter else 1]
        both = self._values(in_turn, [min(node.spent) for node in nodes], cards)
        self._other = both[1 - (player ^ self.starter)]
        return np.asarray(both[player ^ self.starter])


class LeavesByCard(LeavesInTurn, Generic[N]):
    """Values the chance nodes of one board by what a network says of the next street.

    Args:
        numbers: (n,) the hands' numbers, in order of the vectors. looks: cards of an iteration; 0: all. starter: the seat that acts
            first on the next street.
    """

    def __init__(
        self,
        network: N,
        board: Sequence[int],
        numbers: Int64s,
        game: RangeGame,
        looks: int = 0,
        starter: int = 0,
    ) -> None:
        hands = game.hands
        cards = [card for card in hands.deck if card not in board]
        each, stack = len(cards) - 2 * hands.held, min(game.stacks)
        super().__init__(numbers, len(hands.cards), cards, each, stack, looks, board, hands.held == 1, starter)
        self.network, self.board, self.game = network, tuple(board), game
        self._down  # noqa: B018 - now: what an iteration takes is measured with the first

    @cached_property
    def _down(self) -> CheckedDown:
        """What hands are worth where nothing is decided any more."""
        return CheckedDown(self.board, self.hands, self.game.hands, np.float64 if self.few else np.float32)

    def closed(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`."""
        return self._down.evaluate(player, reach, nodes)


class NetworkLeaves(LeavesByCard[LeafValues]):
    """Values them by a network of the next street, of any game."""

    @cached_property
    def _legal(self) -> list[Int64s]:
        """By card: the numbers of the hands that it and the board leave."""
        return [legal_hands([*self.board, card], self.game.hands) for card in self.cards]

    @cached_property
    def _left(self) -> list[Int64s]:
        """By card: their places in the vectors, of those that are in them."""
        return [np.flatnonzero(np.isin(self.hands, legal)) for legal in self._legal]

    def _values(self, reach: Float64s, half_pots: list[int], cards: Int64s) -> Float64s:
        out = np.zeros((2, len(half_pots), len(cards), len(self.hands)))
        at_once = len(cards) if self.few else 1
        for first in range(0, len(cards), at_once):
            part = cards[first : first + at_once]
            known = [self._ranges(reach, card) for card in part]
            asked = [
                Situation(0, 0, (*self.board, self.cards[card]), half_pot, ranges[:, k], self.game)
                for card, (_, ranges) in zip(part, known, strict=True)
                for k, half_pot in enumerate(half_pots)
            ]
            found = self.network.values(prepare(asked)).astype(np.float64).reshape(len(part), len(half_pots), 2, -1)
            for k, (card, (mass, _)) in enumerate(zip(part, known, strict=True)):
                left = self._left[card]
                of_hand = np.searchsorted(self._legal[card], self.hands[left])
                scale = np.array(half_pots) * mass[::-1]  # (2, C): the other's reach
                out[:, :, first + k, left] = found[k].transpose(1, 0, 2)[:, :, of_hand] * scale[:, :, None]
        return out

    def _ranges(self, reach: Float64s, card: int) -> tuple[Float64s, Float64s]:
        """Return the reach (2, C) that a card leaves, and both ranges (2, C, K)."""
        left, legal = self._left[card], self._legal[card]
        ranges = np.zeros((*reach.shape[:2], self.count))
        ranges[:, :, self.hands[left]] = reach[:, :, left]
        mass = ranges.sum(axis=2)
        for seat, node in np.argwhere(mass <= 0):  # nobody gets here: what he would win is asked all the same
            ranges[seat, node, legal] = 1.0
        return mass, ranges / ranges.sum(axis=2, keepdims=True)


class TurnLeaves(LeavesByCard[PlainNetwork]):
    """The same behind a flop of hold'em, for a network over hands: in a twentieth of the time (:mod:`.flop_turns`).

    The network may have learned of other stacks: its values are those of pots and stacks in proportion.
    """

    @cached_property
    def _turns(self) -> FlopTurns:
        """What is counted once of the flop."""
        return flop_turns(self.board, self.hands)

    @cached_property
    def _down(self) -> CheckedDown:
        return CheckedDown.of(self._turns.showdowns, self.hands)

    def _values(self, reach: Float64s, half_pots: list[int], cards: Int64s) -> Float64s:
        out = np.zeros((2, len(half_pots), len(cards), len(self.hands)))
        for k, card in enumerate(cards.tolist()):
            left, order = self._turns.left[card], self._turns.order(card)
            shown = partial(self._turns.inputs, card)
            out[:, :, k, order] = said(self.network, shown, left, order, reach, half_pots, self.stack)
        return out


def said(
    network: PlainNetwork,
    shown: Callable[[Float64s, Float64s, Float64s], tuple[Float32s, Float32s, Float32s]],
    left: Int64s,
    order: Int64s,
    reach: Float64s,
    half_pots: Sequence[int],
    stack: int,
) -> Float64s:
    """Return (2, C, H) what hands on a board are worth, in chips times the reach that they meet, by a network over hands.

    Args:
        shown: makes the network's inputs of ranges (2, C, n), half pots and stacks (C,), hands in the order ``order`` (H,).
        left: (H,) the places of the hands that the board leaves. reach: (2, C, n).
    """
    half, known = np.array(half_pots, np.float64), network.description
    stacks = np.minimum(stack, half * (known.stack / known.least))  # deeper than it learned counts as that
    ranges = np.zeros(reach.shape)
    ranges[:, :, left] = reach[:, :, left]
    mass = ranges.sum(axis=2)
    for seat, node in np.argwhere(mass <= 0):  # nobody gets here: what he would win is asked all the same
        ranges[seat, node, left] = 1.0
    ranges /= ranges.sum(axis=2, keepdims=True)
    context, hands, met = shown(ranges, half, stacks)
    own = np.ascontiguousarray(ranges[:, :, order].transpose(1, 0, 2), np.float32)
    found = network.of_shown(context, hands, met, own)
    scale = half * mass[::-1]  # (2, C): the other's reach
    return np.asarray(found.transpose(1, 0, 2) * scale[:, :, None], np.float64)
