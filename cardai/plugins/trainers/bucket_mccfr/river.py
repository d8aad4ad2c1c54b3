"""CFR-BR on the river: the learner's buckets against best replies of real hands, board by board.

Johanson, Bard, Burch and Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012): the opponent
of an abstract player is replaced by a best response that knows its real hand. Here the streets before the river are
learned by MCCFR; on a sampled board the ranges with which both seats arrive (those of the average policy so far) go
through some of the river's subtrees, and each seat in turn learns against the other's best reply.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.cards.poker.buckets import Buckets
from cardai.cards.poker.combos import COUNT, pairs
from cardai.cards.poker.public_tree import DEAL, DECISION, SHOWDOWN, PublicTree
from cardai.cards.poker.ranges import BoardHands, board_hands
from cardai.core.rng import derive, derive_many
from cardai.plugins.trainers.bucket_mccfr import _river_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, STRIDE
from cardai.plugins.trainers.bucket_mccfr.layout import Layout

RIVER = 3
REFRESH = 250
"""The first board after which subtrees are weighed anew; then again after twice, four times, ... as many."""
WEIGHED_ON = 8
"""Boards that subtrees are weighed on."""
SPREAD = 0.1
"""The share of choices that is even over all subtrees."""
Table = npt.NDArray[np.float32]
_PAIRS = pairs().astype(np.int64)


@frozen(eq=False)
class Group:
    """The river's subtrees of one shape, S of them."""

    shape: kernels.Shape = field(repr=False)
    nodes: int
    """How many nodes the shape has."""
    roots: npt.NDArray[np.int64] = field(repr=False)
    """(S,) their first nodes in the public tree."""
    amount: npt.NDArray[np.float32] = field(repr=False)
    """(t, S) what is won at each end."""
    base: npt.NDArray[np.int64] = field(repr=False)
    """(d, S)."""
    stride: npt.NDArray[np.int64] = field(repr=False)
    """(S,)."""
    pot: npt.NDArray[np.float64] = field(repr=False)
    """(S,) the chips in the pot when the river comes."""


def groups_of(layout: Layout) -> list[Group]:
    """Return the river's subtrees by shape."""
    tree = layout.tree
    inside = np.flatnonzero(tree.street == RIVER)
    inside = inside[tree.kind[inside] != DEAL]
    by_shape: dict[bytes, list[npt.NDArray[np.int64]]] = {}
    for nodes in np.split(inside, np.flatnonzero(np.diff(tree.roots[inside])) + 1):
        if len(nodes) and tree.kind[nodes[0]] == DECISION:
            by_shape.setdefault(_signature(tree, nodes), []).append(nodes)
    return [_group(layout, np.stack(members)) for members in by_shape.values()]


def _signature(tree: PublicTree, nodes: npt.NDArray[np.int64]) -> bytes:
    """Return a text that subtrees of one shape, and no others, have in common."""
    child = np.where(tree.child[nodes] >= 0, tree.child[nodes] - nodes[0], -1)
    return np.concatenate([tree.small[nodes][:, :2], child], axis=1).tobytes()


def _group(layout: Layout, members: npt.NDArray[np.int64]) -> Group:
    """Return the group of subtrees ``members`` (S, m), each with its nodes in order."""
    tree, first = layout.tree, members[0]
    edge, decision, end = [], [], []
    for place, node in enumerate(first):
        seat = int(tree.actor[node])
        if tree.kind[node] == DECISION:
            below = tree.child[node, : tree.num_children[node]] - first[0]
            decision.append((place, seat, len(edge), len(edge) + len(below)))
            edge += [(place, int(child), seat) for child in below]
        else:
            end.append((place, -1 if tree.kind[node] == SHOWDOWN else seat))
    end_of = {place: number for number, (place, _) in enumerate(end)}
    edges = np.array([(*one, end_of.get(one[1], -1)) for one in edge], np.int64)
    ends, decisions = members[:, [place for place, _ in end]], members[:, [one[0] for one in decision]]
    loser = np.array([max(seat, 0) for _, seat in end])
    spent = tree.spent[ends]
    lost = np.take_along_axis(spent, np.broadcast_to(loser[None, :, None], (*ends.shape, 1)), axis=2)[..., 0]
    amount = np.where(tree.kind[ends] == SHOWDOWN, spent.min(axis=2), lost)
    node = layout.nodes.node
    return Group(
        kernels.Shape(edges, np.array(decision, np.int64), np.array(end, np.int64)),
        len(first),
        members[:, 0].copy(),
        np.ascontiguousarray(amount.T, np.float32),
        np.ascontiguousarray(node[decisions, BASE].T),
        node[members[:, 0], STRIDE].copy(),
        tree.spent[members[:, 0]].sum(axis=1).astype(np.float64),
    )


class RiverLearner:
    """Learns the river on one board after the other; board k draws from a stream of its own.

    ``chances`` (all subtrees, group after group) says how often each subtree is chosen: it follows from the average
    policy at certain boards, so a checkpoint must hold it.
    """

    def __init__(self, layout: Layout, buckets: Buckets, seed: int, lanes: int) -> None:
        self.layout, self.buckets, self.lanes = layout, buckets, lanes
        self.seed = seed
        self.groups = groups_of(layout)
        self.roots = np.concatenate([group.roots for group in self.groups])
        self.pots = np.concatenate([group.pot for group in self.groups])
        self.chances = np.full(len(self.roots), 1.0 / len(self.roots))
        self._trunk = _Trunk(layout, self.roots)
        self._starts = np.cumsum([0, *(len(group.roots) for group in self.groups)])

    def learn(self, number: int, regret: Table, average: Table) -> None:
        """Do board ``number`` (from 1): update the river's numbers in both tables, weighing it ``number``."""
        if number == 1 or (number % REFRESH == 0 and (number // REFRESH).bit_count() == 1):
            self._weigh(number, average)
        draws = derive_many(derive(self.seed, "river", number), count=52 + 1 + len(self.roots))
        board = [int(card) for card in np.argsort(draws[:52])[:5]]
        hands = board_hands(board)
        group, chosen = self._choose(draws[52:].astype(np.float64) / 2.0**64)
        start = self._trunk.ranges(board, hands, group.roots[chosen], self.buckets, average)
        used, own = np.unique(self.buckets.of(board, hands.hands), return_inverse=True)
        lanes = kernels.Lanes(
            np.ascontiguousarray(group.amount[:, chosen]),
            np.ascontiguousarray(group.base[:, chosen]),
            group.stride[chosen],
        )
        cards = _PAIRS[hands.hands, 0].copy(), _PAIRS[hands.hands, 1].copy(), hands.ends
        room = _room(group, len(hands.hands), len(used), len(chosen))
        kernels.cfr_br(
            group.shape, lanes, cards, own.astype(np.int64), used, start, np.float32(number), regret, average, room
        )

    def _choose(self, draws: npt.NDArray[np.float64]) -> tuple[Group, npt.NDArray[np.int64]]:
        """Return a group, drawn by its chance, and different members of it, likelier ones more often."""
        by_group = np.add.reduceat(self.chances, self._starts[:-1])
        number = min(
            int(np.searchsorted(np.cumsum(by_group), draws[0] * by_group.sum(), side="right")), len(by_group) - 1
        )
        inside = slice(self._starts[number], self._starts[number + 1])
        # the smallest of exponential times with these rates: a sample without replacement (Efraimidis and Spirakis 2006)
        times = -np.log1p(-draws[1:][inside]) / self.chances[inside]
        count = min(self.lanes, len(times))
        return self.groups[number], np.sort(np.argpartition(times, count - 1)[:count])

    def _weigh(self, number: int, average: Table) -> None:
        """Set the chances by how much is at stake in each subtree: (pot times how often it is reached) ** (2 / 3).

        That power spends boards where they lower the sum of errors most, if an error falls with the square root of the
        number of boards.
        """
        mass = np.zeros(len(self.roots))
        for k in range(WEIGHED_ON):
            draws = derive_many(derive(self.seed, "weigh", number, k), count=52)
            board = [int(card) for card in np.argsort(draws)[:5]]
            hands = board_hands(board)
            ranges = self._trunk.ranges(board, hands, self.roots, self.buckets, average)
            for s in range(len(self.roots)):
                other = np.zeros(COUNT)
                other[hands.hands] = ranges[1, :, s]
                mass[s] += ranges[0, :, s] @ hands.fold(other)[hands.hands]
        stake = (mass * self.pots) ** (2 / 3)
        self.chances = (1 - SPREAD) * stake / max(stake.sum(), 1e-300) + SPREAD / len(stake)


def _room(group: Group, n: int, used: int, lanes: int) -> tuple[npt.NDArray[np.float32], ...]:
    """Return the arrays that :func:`_river_kernels.cfr_br` works in."""
    ends, edges = len(group.shape.end), len(group.shape.edge)
    shapes: list[tuple[int, ...]] = [(n, ends, lanes)] * 3
    shapes += [(2, 53, ends * lanes), (used, edges, lanes), (used, edges, lanes), (used, lanes)]
    shapes += [(group.nodes, lanes)] * 2
    return tuple(np.empty(shape, np.float32) for shape in shapes)


class _Trunk:
    """The streets before the river: with which ranges both seats arrive."""

    def __init__(self, layout: Layout, roots: npt.NDArray[np.int64]) -> None:
        self.layout = layout
        self.places = {int(root): k for k, root in enumerate(roots)}
        parent = np.full(len(layout.nodes.node), -1, np.int64)
        for node in layout.tree.decisions:
            parent[layout.nodes.child[node, : layout.tree.num_children[node]]] = node
        self._parent = parent

    def ranges(
        self, board: list[int], hands: BoardHands, roots: npt.NDArray[np.int64], buckets: Buckets, average: Table
    ) -> npt.NDArray[np.float32]:
        """Return (2, n, s): both seats' ranges over ``hands`` at ``roots`` (s,) of the river."""
        slot = np.full(len(self._parent), -1, np.int64)
        needed: set[int] = set()
        for root in roots.tolist():
            node = root
            while node >= 0 and node not in needed:
                needed.add(node)
                node = int(self._parent[node])
        order = np.array(sorted(needed), np.int64)
        slot[order] = np.arange(len(order))
        known = [buckets.of(board[:size], hands.hands) for size in (0, 3, 4)]
        reaches = np.empty((len(order), 2, len(hands.hands)), np.float32)
        kernels.trunk(self.layout.nodes.node, self.layout.nodes.child, order, slot, np.stack(known), average, reaches)
        return np.ascontiguousarray(reaches[slot[roots]].transpose(1, 2, 0))


__all__ = ["Group", "RiverLearner", "groups_of"]
