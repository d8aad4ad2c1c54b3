"""What a step learns: a board, states to which a teacher comes while the other may do anything, and its hands there.

Who answers a player best chooses where hands go by its own actions, and the player by its own. So states are those to which the
teacher comes with one seat while the other plays evenly over its actions, or as the teacher does; a hand weighs how likely
the teacher would have come there with it, and a state what is in the pot.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.rng import derive
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import RangePolicy
from cardai.poker.ranges.public_tree import DECISION, PublicTree

STREETS = (0.1, 0.25, 0.3, 0.35)
"""How often a board of each street is learned of."""
RIVER = 3
SUBTREES = 2
"""Of the river on a board: there a player may ask for ranges, which are found a subtree at a time."""
EVERY_HAND = 0.02
"""What a hand weighs with which the teacher never comes."""
SPREAD = 0.15
"""The share of hands that are drawn evenly, not as the teacher comes with them."""
_WALKS = 200
_KEPT = 4_000


@frozen(eq=False)
class Lesson:
    """What a step learns: hands on a board at states of one street, and how the teacher plays them."""

    board: tuple[int, ...]
    nodes: Int64s
    """(m,)"""
    hands: Int64s
    """(h,)"""
    chances: Float32s
    """(m, h, A) the teacher's."""
    weights: Float32s
    """(m, h) that add up to 1."""


class Lessons:
    """The lessons of ``teacher`` in ``tree``; number k is the same however it is come to."""

    def __init__(
        self, teacher: RangePolicy, tree: PublicTree, seed: int, nodes: int, hands: int, off_path: float
    ) -> None:
        self.teacher, self.tree, self.seed = teacher, tree, seed
        self.nodes, self.hands, self.off_path = nodes, hands, off_path
        self.actions = int(tree.action.max()) + 1
        self._river = tree.decisions[tree.street[tree.decisions] == RIVER]
        self._played: OrderedDict[tuple[int, tuple[int, ...]], Float64s] = OrderedDict()

    def lesson(self, number: int) -> Lesson:
        """Return what step ``number`` learns."""
        rng = np.random.default_rng(derive(self.seed, "lesson", number))
        street = int(rng.choice(4, p=STREETS))
        board = tuple(int(card) for card in rng.permutation(52)[: BOARD_SIZES[street]])
        nodes, live = self.states(street, board, rng), np.flatnonzero(left_by(board))
        reach = self.reaches(nodes, board)[:, live]
        drawn, odds = self.drawn(reach, rng)
        pots = self.tree.spent[nodes].sum(axis=1).astype(np.float64)
        weights = (reach[:, drawn] + EVERY_HAND) / odds * pots[:, None]
        hands = live[drawn]
        chances = self.chances_at(nodes, board)[:, hands]
        return Lesson(board, nodes, hands, chances.astype(np.float32), (weights / weights.sum()).astype(np.float32))

    def drawn(self, reach: Float64s, rng: np.random.Generator) -> tuple[Int64s, Float64s]:
        """Return places of hands that are learned (h,), most of them such that come to the states, and about their odds (h,)."""
        count = min(self.hands, reach.shape[1])
        shares = (reach / np.maximum(reach.sum(axis=1, keepdims=True), 1e-12)).mean(axis=0) + SPREAD / reach.shape[1]
        shares /= shares.sum()
        drawn = np.sort(rng.choice(len(shares), count, replace=False, p=shares))
        return drawn, np.minimum(1.0, shares[drawn] * count)

    def states(self, street: int, board: tuple[int, ...], rng: np.random.Generator) -> Int64s:
        """Return decision nodes (m,) of a street; on the river all of the teacher's seat in a subtree that is come to."""
        if street < RIVER:
            came = [self.walk(street, board, rng) for _ in range(self.nodes)]
            return np.unique([node for node, _ in came])
        tree, found = self.tree, []
        for node, seat in [self.walk(street, board, rng) for _ in range(SUBTREES)]:
            inside = tree.roots[self._river] == tree.roots[node]
            found.append(self._river[inside & (tree.actor[self._river] == seat)])
        return np.unique(np.concatenate(found))

    def walk(self, street: int, board: tuple[int, ...], rng: np.random.Generator) -> tuple[int, int]:
        """Return a decision node of ``street`` that the teacher comes to, and its seat: the last of some on the way."""
        every = self.tree.decisions[self.tree.street[self.tree.decisions] == street]
        for _ in range(_WALKS):
            held = rng.choice(np.flatnonzero(left_by(board)), 2)
            seat, loose = int(rng.integers(2)), rng.random() < self.off_path
            came = self._hand(street, board, held, (seat, loose), rng)
            if came is not None:
                return came, seat
        node = int(rng.choice(every))  # a teacher that never comes to the street
        return node, int(self.tree.actor[node])

    def _hand(
        self, street: int, board: tuple[int, ...], held: Int64s, who: tuple[int, bool], rng: np.random.Generator
    ) -> int | None:
        """Return where a hand comes to on ``street`` with the teacher in a seat, the other playing evenly if it is loose."""
        tree, node, came = self.tree, 0, None
        seat, loose = who
        while tree.kind[node] <= 1:
            if tree.kind[node] != DECISION:
                node = int(tree.child[node, 0])
                continue
            actor, at = int(tree.actor[node]), int(tree.street[node])
            if at == street == RIVER:
                return node
            if at == street and actor == seat:
                came = node
                if rng.random() < 0.5:
                    return came
            if at > street:
                return came
            if actor != seat and loose:
                chosen = rng.choice(np.flatnonzero(tree.action[node, : int(tree.num_children[node])] != 0))
            else:
                own = self._plays(node, board[: BOARD_SIZES[at]])[:, held[actor]]
                chosen = rng.choice(len(own), p=own / own.sum())
            node = int(tree.child[node, int(chosen)])
        return came

    def _plays(self, node: int, board: tuple[int, ...]) -> Float64s:
        """Return (actions, 1326) of one node; kept, for walks begin alike."""
        key = node, board
        if key not in self._played:
            self._played[key] = self.teacher.range_policy(np.array([node]), board)
            if len(self._played) > _KEPT:
                self._played.popitem(last=False)
        return self._played[key]

    def reaches(self, nodes: Int64s, board: tuple[int, ...]) -> Float64s:
        """Return (m, 1326) how likely the teacher comes to each node with each hand of who acts there, as far as it decides."""
        tree, steps = self.tree, []
        for row, node in enumerate(nodes.tolist()):
            actor, child = tree.actor[node], node
            while child:
                parent = int(tree.parent[child])
                if tree.kind[parent] == DECISION and tree.actor[parent] == actor:
                    steps.append((row, parent, int(np.flatnonzero(tree.child[parent] == child)[0])))
                child = parent
        out = np.ones((len(nodes), COUNT))
        before = np.unique(np.array([parent for _, parent, _ in steps], np.int64))
        for street in range(4):
            own = before[tree.street[before] == street]
            if len(own):
                rows = self.teacher.range_policy(own, board[: BOARD_SIZES[street]])
                first = dict(zip(own.tolist(), np.cumsum(tree.num_children[own]) - tree.num_children[own], strict=True))
                for row, parent, chosen in steps:
                    if parent in first:
                        out[row] *= rows[first[parent] + chosen]
        return out

    def chances_at(self, nodes: Int64s, board: tuple[int, ...]) -> Float64s:
        """Return (m, 1326, A) how the teacher plays every hand at ``nodes`` (m,) of one street."""
        rows, out = self.teacher.range_policy(nodes, board), np.zeros((len(nodes), COUNT, self.actions))
        first = 0
        for k, node in enumerate(nodes.tolist()):
            count = int(self.tree.num_children[node])
            out[k][:, self.tree.action[node, :count]] = rows[first : first + count].T
            first += count
        return out
