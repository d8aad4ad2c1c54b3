"""A public tree as flat arrays, its nodes by street, and one node at a time: see :mod:`cardai.poker.ranges.public_tree`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.poker.ranges import _public_tree_kernels as kernels
from cardai.poker.ranges.rake import NO_RAKE, Rake

DECISION, DEAL, SHOWDOWN, FOLD = kernels.DECISION, kernels.DEAL, kernels.SHOWDOWN, kernels.FOLD
TERMINATED = kernels.TERMINATED
"""The end of a gadget: its player takes the values that it was promised (see :func:`.public_tree.gadget`)."""
TERMINATE, FOLLOW = -1, -2
"""A gadget's actions."""
PREFLOP_STREETS = 4
"""The streets of a hand that begins before the flop."""
Ints = npt.NDArray[np.int32]


@frozen
class Action:
    """An edge: 0 fold, 1 check or call, 2 bet or raise to ``amount`` chips (of the whole hand); TERMINATE, FOLLOW."""

    kind: int
    amount: int = 0


@frozen(eq=False)
class PublicTree:
    """N nodes, A actions, P seats; node 0 is the root, and a node's subtree follows it without a gap."""

    small: Ints = field(repr=False)
    """(N, 5): kind, actor, street, parent (-1), number of children."""
    child: Ints = field(repr=False)
    """(N, A): the children in order of actions, -1 after the last."""
    action: Ints = field(repr=False)
    """(N, A): the game's action behind each child (0 fold, 1 check or call, 2 ... raise or rung), -1 after the last."""
    amount: Ints = field(repr=False)
    """(N, A): how the history notes it (limit: the action; no limit: the chips raised to), -1 after the last."""
    spent: Ints = field(repr=False)
    """(N, P): the chips each seat has put in."""
    stacks: tuple[int, ...]
    """(P,) all chips of each seat, those put in before included."""
    opening: tuple[int, ...]
    """(P,) the chips that each seat had put in when the root's street began."""
    until: int
    """The last street that was grown; where others follow, its DEAL nodes have no child."""
    num_streets: int
    """The streets of the hand, from its first on."""
    scale: int = 1
    """How many chips here make one of those that people see: pots that are odd, or have cents, are counted in smaller ones."""
    rake: Rake = NO_RAKE
    """In chips of the tree, of every pot in which a flop was seen."""
    below: int = 0
    """How many bets of the menus lie below the least raise, at all decisions, and were left out."""
    _nodes: dict[int, Node] = field(factory=dict, init=False, repr=False)

    @property
    def kind(self) -> Ints:
        """(N,): DECISION, DEAL, SHOWDOWN, FOLD (all but one have folded) or TERMINATED."""
        return self.small[:, 0]

    @property
    def actor(self) -> Ints:
        """(N,): the seat to act; at FOLD the seat that folded last; else -1."""
        return self.small[:, 1]

    @property
    def street(self) -> Ints:
        """(N,): the betting round, from 0; at DEAL the one that is over."""
        return self.small[:, 2]

    @property
    def parent(self) -> Ints:
        """(N,): the node before, -1 at the root."""
        return self.small[:, 3]

    @property
    def num_children(self) -> Ints:
        """(N,): how many children there are: 1 at DEAL (0 on the last street that was grown), 0 at the end."""
        return self.small[:, 4]

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.small)

    @property
    def root(self) -> Node:
        """The first node."""
        return self.node(0)

    def node(self, number: int) -> Node:
        """Return a node to be read one at a time; the same object for the same number."""
        found = self._nodes.get(number)
        if found is None:
            kind, actor, street = self.small[number, :3].tolist()
            chips = tuple(self.spent[number].tolist()), tuple(self.begun[number].tolist())
            found = self._nodes[number] = Node(self, number, kind, actor, street, *chips)
        return found

    @cached_property
    def decisions(self) -> Int64s:
        """The decision nodes, ascending."""
        return np.flatnonzero(self.kind == DECISION)

    @property
    def edges(self) -> int:
        """How many actions all decision nodes have together."""
        return int(self.num_children[self.decisions].sum())

    @cached_property
    def roots(self) -> Int64s:
        """(N,): the first node of the same street above each node (or itself): the root of its street's subtree."""
        begins = (self.kind[self.parent] == DEAL).tolist()
        out = [0] * len(begins)
        for node, parent in enumerate(self.parent.tolist()):
            if node:
                out[node] = node if begins[node] else out[parent]
        return np.array(out, np.int64)

    @cached_property
    def subtrees(self) -> dict[int, Int64s]:
        """The nodes of each street's subtree, ascending, by its root; ascending too."""
        order = np.argsort(self.roots, kind="stable")
        roots, counts = np.unique(self.roots, return_counts=True)
        return dict(zip(roots.tolist(), np.split(order, np.cumsum(counts)[:-1]), strict=True))

    @cached_property
    def won(self) -> Float64s:
        """(2, N): what each of two seats wins by a FOLD, and what the better hand wins at a SHOWDOWN; else 0."""
        out = np.zeros((2, self.size))
        compared, folds = np.flatnonzero(self.kind == SHOWDOWN), np.flatnonzero(self.kind == FOLD)
        out[:, compared] = self.spent[compared].min(axis=1)
        out[:, folds] = self.spent[folds, self.actor[folds]]
        out[self.actor[folds], folds] *= -1.0
        return out

    @cached_property
    def raked(self) -> Float64s:
        """(N,): what the house takes of the pot at each end; 0 elsewhere, and where the hand ends before its second street
        of four."""
        ends = (self.kind == SHOWDOWN) | (self.kind == FOLD)
        folded = (self.kind == FOLD) & (self.street == 0) & (self.num_streets == PREFLOP_STREETS)
        pots = 2.0 * np.where(ends & ~folded, self.spent[:, :2].min(axis=1), 0)
        return self.rake.of(pots)

    @cached_property
    def begun(self) -> Ints:
        """(N, P): the chips that each seat had put in when the node's street began."""
        return np.where(self.roots[:, None] > 0, self.spent[self.roots], np.array(self.opening, np.int32))

    @cached_property
    def streets(self) -> tuple[Forest, ...]:
        """The nodes by street, from the root's on; an empty one last where the tree ends before the hand does."""
        forests, roots = [], np.zeros(1, np.int64)
        for _ in range(int(self.street[0]), self.until + 1):
            forests.append(self._forest(roots))
            numbers = forests[-1].numbers
            dealt = numbers[(self.kind[numbers] == DEAL) & (self.num_children[numbers] > 0)]
            roots = self.child[dealt, 0].astype(np.int64)
        if self.until + 1 < self.num_streets:
            forests.append(self._forest(np.zeros(0, np.int64)))
        return tuple(forests)

    def _forest(self, roots: Int64s) -> Forest:
        levels = [roots]
        while len(levels[-1]):
            decided = levels[-1][self.kind[levels[-1]] == DECISION]
            child = self.child[decided]
            levels.append(child[child >= 0].astype(np.int64))
        return Forest(self, np.concatenate(levels), len(roots))

    def path(self, node: int) -> list[int]:
        """Return the game's actions that lead to a node."""
        out = []
        while node > 0:
            parent = int(self.parent[node])
            if self.kind[parent] == DECISION:
                out.append(int(self.action[parent][self.child[parent] == node][0]))
            node = parent
        return out[::-1]

    def find(self, history: npt.NDArray[Any]) -> Int64s:
        """Return (n,) the decision nodes that histories (n, L) lead to (-1 after the last action); -1: not in the tree."""
        out = np.empty(len(history), np.int64)
        kernels.find_nodes(np.ascontiguousarray(history, np.int32), self.small, self.child, self.amount, out)
        return out


@frozen(eq=False)
class Forest:
    """The m nodes of one street: roots first, then the child behind each slot (an action at a decision) in order.

    So the child behind slot s is in the place ``roots + s``, and parents come before children.
    """

    tree: PublicTree = field(repr=False)
    numbers: Int64s = field(repr=False)
    """(m,) their numbers in the tree."""
    roots: int
    """How many of them begin the street."""

    @cached_property
    def kind(self) -> Ints:
        """(m,)."""
        return self.tree.kind[self.numbers]

    @cached_property
    def actor(self) -> Ints:
        """(m,)."""
        return self.tree.actor[self.numbers]

    @cached_property
    def spent(self) -> Ints:
        """(m, P)."""
        return self.tree.spent[self.numbers]

    @cached_property
    def won(self) -> Float64s:
        """(2, m)."""
        return np.ascontiguousarray(self.tree.won[:, self.numbers])

    @cached_property
    def raked(self) -> Float64s:
        """(m,)."""
        return self.tree.raked[self.numbers]

    @cached_property
    def num_actions(self) -> Ints:
        """(m,) 0 unless it is a decision."""
        return np.where(self.kind == DECISION, self.tree.num_children[self.numbers], 0).astype(np.int32)

    @cached_property
    def first_slot(self) -> Ints:
        """(m,) the slot of the first action; where there is none, of the next decision's."""
        return (np.cumsum(self.num_actions) - self.num_actions).astype(np.int32)

    @property
    def num_slots(self) -> int:
        """How many actions all decisions have together."""
        return int(self.num_actions.sum())

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes, to be read one at a time."""
        return [self.tree.node(int(number)) for number in self.numbers]

    @property
    def chance(self) -> list[Node]:
        """The nodes that the next street follows, in order of its roots."""
        return [self.nodes[place] for place in np.flatnonzero(self.kind == DEAL)]

    def ends(self, kind: int) -> Int64s:
        """Return the places of the nodes of a kind."""
        return np.flatnonzero(self.kind == kind)


@frozen(eq=False)
class Node:
    """A node of a tree, to be read by itself."""

    tree: PublicTree = field(repr=False)
    number: int

    kind: int
    """DECISION, DEAL, SHOWDOWN, FOLD or TERMINATED."""
    actor: int
    """The seat to act; at FOLD the seat that folded last; else -1."""
    street: int
    """The betting round, from 0; at DEAL the one that is over."""
    spent: tuple[int, ...]
    """(P,) the chips each seat has put in."""
    begun: tuple[int, ...]
    """(P,) those that it had put in when the street began."""

    @cached_property
    def children(self) -> tuple[Node, ...]:
        """The node behind each action; at DEAL the one that follows, if it was grown."""
        child = self.tree.child[self.number, : self.tree.num_children[self.number]]
        return tuple(self.tree.node(number) for number in child.tolist())

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The actions of a decision."""
        if self.kind != DECISION:
            return ()
        kinds = self.tree.action[self.number].tolist()
        return tuple(
            Action(2, child.spent[self.actor]) if kind >= 2 else Action(kind)
            for kind, child in zip(kinds, self.children, strict=False)
        )

    @cached_property
    def index(self) -> int:
        """Its place in its street's forest."""
        forest = self.tree.streets[self.street - int(self.tree.street[0])]
        return int(np.flatnonzero(forest.numbers == self.number)[0])
