"""The network: what cards say and what betting says meet in the first of two hidden layers."""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from cardai.core.arrays import Float32s, Int64s
from cardai.learn.grid_networks import SuitTrunk
from cardai.poker.buckets.numbers import NUMBERS, HandNumbers
from cardai.poker.buckets.tables import PREFLOP, starting_classes
from cardai.poker.hands.combos import pairs
from cardai.poker.ranges.public_tree import DECISION, PublicTree

Sees = Literal["numbers", "planes"]
PLANES = 6
"""Hole cards, flop, turn, river, the whole board, all cards: 4x13 each."""
FEATURES = 128
STARTING = 64
"""What each of the 169 starting hands becomes beside the numbers."""
_PAIRS = pairs().astype(np.int64)


class Seen:
    """What the network sees of hands and a board, as rows of numbers: flat planes, or numbers and the starting hand."""

    def __init__(self, sees: Sees) -> None:
        self.sees, self._numbers, self._starting = sees, HandNumbers(), starting_classes()
        self.width = PLANES * 52 if sees == "planes" else NUMBERS + 1

    def of(self, hands: Int64s, board: tuple[int, ...]) -> Float32s:
        """Return (h, width) of ``hands`` (h,) on a board of 0, 3, 4 or 5 cards."""
        if self.sees == "planes":
            return card_planes(hands, board).reshape(len(hands), self.width)
        start = self._starting[hands].astype(np.float32)[:, None]
        return np.concatenate([self._numbers.of(board, hands), start], axis=1)


def card_planes(hands: Int64s, board: tuple[int, ...]) -> Float32s:
    """Return (h, 6, 4, 13) the planes of ``hands`` (h,) on a board of 0, 3, 4 or 5 cards."""
    out = np.zeros((len(hands), PLANES, 52), np.float32)
    rows = np.arange(len(hands))[:, None]
    out[rows, 0, _PAIRS[hands]] = 1.0
    for plane, cards in ((1, board[:3]), (2, board[3:4]), (3, board[4:5]), (4, board)):
        out[:, plane, list(cards)] = 1.0
    out[:, 5] = out[:, 0] + out[:, 4]
    return out.reshape(len(hands), PLANES, 4, 13)


class Betting:
    """What was said on each street up to a node, as places in one list: the one-hot code of betting, never all written out."""

    def __init__(self, tree: PublicTree) -> None:
        known: dict[tuple[int, tuple[int, ...]], int] = {}
        said: list[tuple[tuple[int, tuple[int, ...]], ...]] = [()] * tree.size
        said[0] = ((0, ()),)
        for node in range(1, tree.size):
            parent = int(tree.parent[node])
            if tree.kind[parent] == DECISION:
                action = int(tree.action[parent][tree.child[parent] == node][0])
                street, words = said[parent][-1]
                said[node] = (*said[parent][:-1], (street, (*words, action)))
            else:
                said[node] = (*said[parent], (int(tree.street[node]), ()))
        out = np.zeros((tree.size, 4), np.int64)
        for node in tree.decisions.tolist():
            for street, one in enumerate(said[node]):
                out[node, street] = known.setdefault(one, len(known) + 1)
        self.places: Int64s = out
        """(N, 4): the place of what was said on each street, 0 on streets to come (and at nodes that are no decisions)."""
        self.count = len(known) + 1


class RangeNetwork(nn.Module):
    """relu(W cards * (1 + G betting) + E betting), a second layer, the actions' logits."""

    def __init__(self, sees: Sees, words: int, actions: int, channels: int, hidden: int) -> None:
        super().__init__()
        self.trunk = SuitTrunk(PLANES, 13, channels, FEATURES, True) if sees == "planes" else None
        self.start = None if sees == "planes" else nn.Embedding(PREFLOP, STARTING)
        self.cards = nn.Linear(FEATURES if sees == "planes" else NUMBERS + STARTING, hidden)
        self.betting = nn.Embedding(words, hidden, padding_idx=0)
        self.gate = nn.Embedding(words, hidden, padding_idx=0)
        self.second = nn.Linear(hidden, hidden)
        self.policy = nn.Linear(hidden, actions)
        if self.start is not None:
            nn.init.normal_(self.start.weight, std=0.3)
        nn.init.normal_(self.betting.weight, std=0.3)
        nn.init.zeros_(self.gate.weight)
        with torch.no_grad():
            self.betting.weight[0] = 0.0

    def of_cards(self, seen: Tensor) -> Tensor:
        """Return (h, hidden) what the first layer makes of rows (h, width) as :class:`Seen` gives them."""
        if self.trunk is not None:
            return torch.as_tensor(self.cards(self.trunk(seen.reshape(-1, PLANES, 4, 13))))
        assert self.start is not None
        return torch.as_tensor(self.cards(torch.cat([seen[:, :-1], self.start(seen[:, -1].long())], dim=1)))

    def meet(self, cards: Tensor, said: Tensor) -> Tensor:
        """Return the logits (..., actions) of hands (..., hidden) where the betting is ``said`` (..., 4); axes of 1 stretch."""
        gate, shift = self.gate(said).sum(dim=-2), self.betting(said).sum(dim=-2)
        hidden = torch.relu(cards * (1 + gate) + shift)
        return torch.as_tensor(self.policy(torch.relu(self.second(hidden))))
