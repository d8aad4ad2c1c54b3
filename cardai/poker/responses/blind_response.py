"""The best response to a player of two-player hold'em that never looks at its cards, exactly, from before the flop.

Such a player's range stays even, so all that the responder needs of a board is how many of the 990 hands against its own
it beats. The river's subtrees are functions of that number; they differ in little more than the pot, and those that are
the same function are worked out once. From there the averages over the river, the turn and the flop go up, over all
classes of boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from cardai.cards.text import card_set
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.progress import tell
from cardai.poker.buckets.tables import all_river_strengths, starting_classes
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.combos import COUNT, compatible
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, PublicTree
from cardai.poker.responses import _blind_kernels as kernels
from cardai.poker.responses.street_response import StreetTree, need_late_showdowns, street_trees

_BLOCK = 32
_SHARES = np.arange(1981) / 990.0 - 1.0
"""By strength (twice the hands beaten plus those tied): the share of hands beaten minus that of hands that win."""


def blind_response(tree: PublicTree, policy: Float64s) -> float:
    """Return what a best response wins, chips a hand, mean over both seats; ``policy`` (N, A) is the player's at each node.

    It takes about a minute of CPU and at most a gigabyte. Raises UsageError where hands can be all-in before the river.
    """
    need_late_showdowns(tree)
    strengths = all_river_strengths()
    return float(np.mean([BlindResponder(tree, policy, seat).value(strengths) for seat in range(2)]))


class BlindResponder:
    """The responder in one seat."""

    def __init__(self, tree: PublicTree, policy: Float64s, seat: int) -> None:
        self.tree, self.policy, self.seat = tree, policy, seat
        self.streets: list[list[StreetTree]] = [[], [], [], []]
        reached = self._reached()
        for root, one in street_trees(tree).items():
            if reached[root]:
                self.streets[tree.street[root]].append(one)

    def _reached(self) -> Bools:
        """Return (N,) which nodes the player does not rule out."""
        out = np.ones(len(self.tree.small), np.bool_)
        for node in range(1, len(out)):
            parent = int(self.tree.parent[node])
            out[node] = out[parent]
            if self.tree.kind[parent] == DECISION and self.tree.actor[parent] != self.seat:
                out[node] &= self.policy[parent][self.tree.child[parent] == node][0] > 0
        return out

    def value(self, strengths: npt.NDArray[np.uint16]) -> float:
        """Return what it wins, chips a hand; ``strengths``: :func:`all_river_strengths`."""
        rivers, river_of = self.rivers()
        turns, turn_of = self.different(2, river_of)
        flops, flop_of = self.different(1, turn_of)
        after_flop = self.flop_values(flops, turn_of, self.turn_values(turns, river_of, rivers, strengths))
        classes = starting_classes()
        by_class = np.stack([np.bincount(classes, column, 169) for column in after_flop.T], axis=1)
        later = (by_class / np.bincount(classes)[:, None] / comb(50, 3))[classes]
        return float(np.mean(self.answer(self.streets[0][0], flop_of, later.T)))

    def rivers(self) -> tuple[Float64s, dict[int, int]]:
        """Return (1981, u) the different values of the river's subtrees by strength, and which each root's is."""
        found = np.stack([np.broadcast_to(self.answer(one, {}, None), 1981) for one in self.streets[3]])
        _, first, number = np.unique(np.round(found, 9), axis=0, return_index=True, return_inverse=True)
        roots = [one.root for one in self.streets[3]]
        return np.ascontiguousarray(found[first].T), dict(zip(roots, number.ravel().tolist(), strict=True))

    def different(self, street: int, below: dict[int, int]) -> tuple[list[StreetTree], dict[int, int]]:
        """Return subtrees that stand for all of a street, and which stands for each root.

        Two are the same function of what comes below if their nodes have the same kinds, amounts and probabilities, and
        the same comes below.
        """
        found: dict[bytes, int] = {}
        trees: list[StreetTree] = []
        number: dict[int, int] = {}
        for one in self.streets[street]:
            columns = np.array([below.get(int(root), -1) for root in one.deals])
            parts = (one.street.node, one.street.child, one.stakes, self.policy[one.nodes], columns)
            key = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
            number[one.root] = found.setdefault(key, len(found))
            if len(found) > len(trees):
                trees.append(one)
        return trees, number

    def turn_values(
        self, trees: Sequence[StreetTree], below: dict[int, int], rivers: Float64s, strengths: npt.NDArray[np.uint16]
    ) -> Float32s:
        """Return (16432, 1326, len(trees)): what hands are worth in each of ``trees`` on boards of four."""
        known, label = boards(4).cards, f"Best responses on the turn, seat {self.seat}"
        out = np.zeros((len(known), COUNT, len(trees)), np.float32)
        for start in range(0, len(out), _BLOCK):
            tell(label, start, len(out))
            part = slice(start, start + _BLOCK)
            out[part] = self.on_turns(known[part].astype(np.int64), trees, below, rivers, strengths)
        tell(label, len(out), len(out))
        return out

    def on_turns(
        self,
        cards: Int64s,
        trees: Sequence[StreetTree],
        below: dict[int, int],
        rivers: Float64s,
        strengths: npt.NDArray[np.uint16],
    ) -> Float64s:
        """Return (m, 1326, len(trees)): what hands are worth in each of ``trees`` on boards (m, 4)."""
        five, later = boards(5), np.empty((len(cards), COUNT, rivers.shape[1]))
        kernels.river_sums(cards, (five.class_of, five.renaming_of), hand_maps(), strengths, rivers, later)
        columns = np.ascontiguousarray(np.moveaxis(later, 2, 0)) / 46
        found = np.empty((*later.shape[:2], len(trees)))
        for k, one in enumerate(trees):
            found[:, :, k] = self.answer(one, below, columns)
        return found * _open(cards)[:, :, None]

    def flop_values(self, trees: Sequence[StreetTree], below: dict[int, int], turns: Float32s) -> Float64s:
        """Return (1326, len(trees)): what hands are worth in each of ``trees``, summed over all flops."""
        known, four = boards(3), boards(4)
        total, later = np.zeros((COUNT, len(trees))), np.empty((1, COUNT, turns.shape[2]))
        for number, flop in enumerate(known.cards.astype(np.int64)):
            kernels.turn_sums(flop[None], (four.class_of, four.renaming_of), hand_maps(), turns, later)
            columns = np.ascontiguousarray(later[0].T) / 47
            free = _open(flop[None])[0] * float(known.weights[number])
            for k, one in enumerate(trees):
                total[:, k] += free * self.answer(one, below, columns)
        return total

    def answer(self, one: StreetTree, below: dict[int, int], later: Float64s | None) -> Float64s:
        """Return the value at a subtree's root, of the shape of each of ``later`` (u, ...): what is below its DEALs.

        ``below`` says which of them belongs to each root of the next street that is ever reached. On the river (None):
        (1981,), by strength.
        """
        node, values = one.street.node, [np.zeros(())] * len(one.nodes)
        for i in range(len(node) - 1, -1, -1):
            kind, actor, count = node[i, :3]
            if kind == DEAL:
                assert later is not None
                column = below.get(int(one.deals[node[i, 4]]))
                values[i] = np.zeros(()) if column is None else later[column]
            elif kind == FOLD:
                values[i] = np.array(one.stakes[self.seat, node[i, 4]])
            elif kind != DECISION:
                values[i] = one.stakes[self.seat, node[i, 4]] * _SHARES
            else:
                children = [values[one.street.child[i, k]] for k in range(count)]
                chances = self.policy[one.nodes[i]]
                if actor == self.seat:
                    values[i] = _best(children)
                else:
                    values[i] = np.asarray(sum(p * child for p, child in zip(chances, children, strict=False) if p > 0))
        return values[0]


def _best(children: Sequence[Float64s]) -> Float64s:
    out = children[0]
    for child in children[1:]:
        out = np.maximum(out, child)
    return out


def _open(cards: Int64s) -> Bools:
    """Return (m, 1326) which hands boards (m, k) leave possible."""
    return compatible(np.array([card_set(board) for board in cards.tolist()], np.uint64))
