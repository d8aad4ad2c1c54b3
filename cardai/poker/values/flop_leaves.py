"""Play before the flop ends in flops: few that stand for all, valued by a network of the flop."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from cardai.cards.text import parse_cards
from cardai.core.arrays import Float64s, Int64s
from cardai.core.progress import tell
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.combos import COUNT
from cardai.poker.preflop.equities import class_equities, meetings
from cardai.poker.ranges.flops import Subset
from cardai.poker.ranges.public_tree import Node
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.network_leaves import LeavesInTurn, said
from cardai.poker.values.plain_network import PlainNetwork

EACH = comb(48, 3) / comb(52, 3)
"""The share of all flops that two hands leave."""


def flop_inputs(flops: Subset) -> list[FlopInputs]:
    """Return the flops of a subset as a network is asked about them; half a second and 11 MB each."""
    made = []
    for done, flop in enumerate(flops.flops):
        tell("counting flops", done, len(flops.flops))
        made.append(FlopInputs(parse_cards(flop)))
    tell("counting flops", 1, 1)
    return made


class FlopLeaves(LeavesInTurn):
    """Values the chance nodes before the flop, for ranges that do not tell the suits of a class of hands apart.

    What a class wins on a flop is the mean over its hands, and so over the flop's images under renamings of suits.

    Seat 0 has the button, as in :func:`~cardai.poker.resolving.preflop.ladder_tree`: on the flop seat 1 acts first.

    Args:
        network: of the flop. flops: few with their weights. inputs: theirs. looks: flops that an iteration looks at; 0: all.
    """

    def __init__(
        self, network: PlainNetwork, flops: Subset, inputs: Sequence[FlopInputs], stack: int, looks: int = 0
    ) -> None:
        super().__init__(np.arange(COUNT), COUNT, range(len(inputs)), EACH, stack, looks, (len(inputs),), starter=1)
        self.network, self._inputs = network, inputs
        weights = np.array(flops.weights)
        self._shares, self._size = weights / weights.sum(), np.bincount(class_of(), minlength=CLASSES)
        self._showdowns = (2 * class_equities() - 1) * meetings() / self._size[:, None]

    def _values(self, reach: Float64s, half_pots: list[int], cards: Int64s) -> Float64s:
        out = np.zeros((2, len(half_pots), len(cards), COUNT))
        for k, flop in enumerate(cards.tolist()):
            one = self._inputs[flop]
            hands = np.zeros((*out.shape[:2], COUNT))
            hands[:, :, one.order] = self.said(one, reach, half_pots)
            out[:, :, k] = self._shares[flop] * self._by_class(hands)
        return out

    def said(self, one: FlopInputs, reach: Float64s, half_pots: Sequence[int]) -> Float64s:
        """Return (2, C, H) what hands on a flop are worth, in its order, as :func:`~.network_leaves.said` does."""
        return said(self.network, one.inputs, one.order, one.order, reach, half_pots, self.stack)

    def _by_class(self, values: Float64s) -> Float64s:
        """Return (2, C, 1326) the mean of each hand's class."""
        flat = values.reshape(-1, COUNT)
        sums = np.zeros((len(flat), CLASSES))
        np.add.at(sums.T, class_of(), flat.T)
        return np.asarray((sums / self._size)[:, class_of()].reshape(values.shape))

    def closed(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, 1326) what each hand is worth where both are all-in: exact."""
        other = np.zeros((len(nodes), CLASSES))
        np.add.at(other.T, class_of(), np.asarray(reach[1 - player], np.float64).T)
        won = (other / self._size) @ self._showdowns.T
        return np.asarray(won[:, class_of()] * np.array([[min(node.spent)] for node in nodes], np.float64))
