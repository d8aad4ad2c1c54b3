"""Leaves of the flop that a network of the turn values, card by card.

A network over hands takes milliseconds a board and pot, so an iteration looks at a few of the 49 cards that can come, each
iteration at others; what each card says is averaged over the iterations that looked at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.contract import board_game
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.averaged_leaves import AveragedLeaves
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import Node, PublicTree
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solver import LeafEvaluator
from cardai.poker.resolving.holdem import FLOP, HoldemDepthLimit
from cardai.poker.resolving.resolver import Public
from cardai.poker.values.prepared import Prepared, prepare
from cardai.poker.values.situations import Situation, legal_hands

STREET = "turn"


class Values(Protocol):
    """What leaves need of a :class:`~cardai.poker.values.network.ValueNetwork`."""

    def values(self, data: Prepared, *, stack: float) -> Float32s:
        """Return (n, 2, H) counterfactual values in units of what each player has put in."""


class BoardLeaves(AveragedLeaves):
    """Values the chance nodes of one board by a network of the next street.

    Args:
        hands: (n,) the hands' numbers. stack: a player's chips before the hand. looks: cards of an iteration; 0: all.
    """

    def __init__(self, network: Values, board: Sequence[int], hands: Int64s, stack: int, looks: int = 0) -> None:
        cards = [card for card in range(52) if card not in board]
        super().__init__(hands, COUNT, cards, len(cards) - 4, stack)
        self.network, self.board, self.looks = network, tuple(board), looks or len(cards)
        order = np.random.default_rng(derive(0, "cards", *self.board)).permutation(len(cards))
        self._order, self._next = np.asarray(order, np.int64), 0
        self._down = CheckedDown(self.board, self.hands)
        self._other: Float64s | None = None
        """What the hands of who was not asked about last are worth."""
        self._ready: Float64s | None = None
        """That, for the second player of an iteration."""

    def sample(self, player: int) -> Int64s:
        """Return the next cards of a fixed order; both players of an iteration look at the same."""
        if player == 0:
            self._next += self.looks
        self._ready = self._other if player == 1 else None
        places = (self._next + np.arange(min(self.looks, len(self.cards)))) % len(self.cards)
        return np.sort(self._order[places])

    def boards(self, player: int, reach: Any, nodes: Sequence[Node], cards: Int64s) -> Float64s:
        """Return (C, b, n): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`.

        The network values both players at once; in an iteration the second player takes what was said to the first.
        """
        if self._ready is not None:
            found, self._ready = self._ready, None
            return found
        both = self._values(np.asarray(reach, np.float64), [float(min(node.spent)) for node in nodes], cards)
        self._other = both[1 - player]
        return np.asarray(both[player])

    def closed(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`."""
        return self._down.evaluate(player, reach, nodes)

    def _values(self, reach: Float64s, half_pots: list[float], cards: Int64s) -> Float64s:
        """Return (2, C, b, n) what both players' hands are worth; ``reach`` (2, C, n)."""
        out = np.zeros((2, len(half_pots), len(cards), len(self.hands)))
        for place, card in enumerate(self.cards[k] for k in cards):
            legal = legal_hands([*self.board, card])
            left = np.flatnonzero(np.isin(self.hands, legal))
            ranges = np.zeros((2, len(half_pots), COUNT))
            ranges[:, :, self.hands[left]] = reach[:, :, left]
            mass = ranges.sum(axis=2)
            for seat, node in np.argwhere(mass <= 0):  # nobody gets here: what he would win is asked all the same
                ranges[seat, node, legal] = 1.0
            ranges /= ranges.sum(axis=2, keepdims=True)
            board = (*self.board, card)
            asked = [Situation(0, 0, board, int(half), ranges[:, k]) for k, half in enumerate(half_pots)]
            found = self.network.values(prepare(asked), stack=self.stack).astype(np.float64)  # (C, 2, H)
            of_hand = np.searchsorted(legal, self.hands[left])
            scale = np.array(half_pots) * mass[::-1]  # (2, C): the other's reach
            out[:, :, place, left] = found.transpose(1, 0, 2)[:, :, of_hand] * scale[:, :, None]
        return out


@frozen
class NetworkDepthLimit(HoldemDepthLimit):
    """As :class:`HoldemDepthLimit`, with a network of the turn behind the flop.

    What it says of a card is promised if each iteration looks at all of them.
    """

    network: Values = field(kw_only=True)
    stack: int = field(kw_only=True)
    looks: int = field(kw_only=True)

    def promises(self, round_: int) -> bool:
        return round_ >= 2 or (round_ == FLOP and not self.looks)

    def leaves(self, public: Public, tree: PublicTree, hands: Int64s) -> LeafEvaluator | None:
        if public.round != FLOP:
            return super().leaves(public, tree, hands)
        return BoardLeaves(self.network, public.board, hands, self.stack, self.looks)


def network_depth_limit(path: str, game: RangeGame, looks: int) -> NetworkDepthLimit:
    """Return the depth limit of a run of counterfactual_values in ``game``.

    Raises:
        UsageError: it is no such run, has no checkpoint, or is of another street, game, stack or menu. PluginError: no torch.
    """
    need_extra("torch", "A network of values", "torch")
    from cardai.poker.values.network import latest_checkpoint, load_network

    run, checkpoint = latest_checkpoint(Path(path))
    network, made_for = load_network(checkpoint), run.game()
    if network.description.street != STREET:
        raise UsageError(
            f"The values in {path!r} are those of the {network.description.street}. Behind the flop the turn's are needed."
        )
    theirs = board_game(made_for)
    if theirs is None or (theirs.betting, tuple(theirs.stacks)) != (game.betting, game.stacks):
        raise UsageError(f"The values in {path!r} are those of {brief(made_for)}. They are no use in this game.")
    bets = network.description.bets
    if game.menus and menus(bets, (STREET, "river"))[0] != game.menus[2]:
        raise UsageError(
            f"The values in {path!r} are those of bets {bets} on the turn. resolving looks at others there: give it "
            f"bets=...,turn={bets},... or values of its own bets."
        )
    return NetworkDepthLimit(network=network, stack=game.stacks[0], looks=looks)
