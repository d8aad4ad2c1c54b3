"""The public tree of a betting game as flat arrays: what an onlooker without cards sees, boards left open.

It is enumerated from the rules' own :class:`~cardai.cards.poker.betting.Betting`, in depth-first order, for a hand with the
button at seat 0. A hand with another button has the same tree with the seats turned round. Board cards are not in it: a
DEAL node has the one child that any cards lead to. Where everybody is all-in early, SHOWDOWN stands at the street of the
last action, and the rest of the board is still to come.

>>> from cardai.cards.poker.betting import Betting
>>> acpc = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))
>>> tree = public_tree(acpc)
>>> len(tree.decisions), int((tree.kind >= SHOWDOWN).sum()), tree.edges
(6378, 10206, 16583)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.cards.poker import _public_tree_kernels as kernels
from cardai.cards.poker.betting import MAX_ACTIONS, MAX_PLAYERS, Betting, row_fields, rules_fields
from cardai.core.errors import UsageError

DECISION, DEAL, SHOWDOWN, FOLD = kernels.DECISION, kernels.DEAL, kernels.SHOWDOWN, kernels.FOLD
MOST_NODES = 8_000_000
"""The largest tree that is laid out (about half a gigabyte)."""
Ints = npt.NDArray[np.int32]


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
    """(N, A): how the history notes it (limit: the action; a ladder: the chips raised to), -1 after the last."""
    spent: Ints = field(repr=False)
    """(N, P): the chips each seat has put in."""

    @property
    def kind(self) -> Ints:
        """(N,): DECISION, DEAL, SHOWDOWN or FOLD (all but one have folded)."""
        return self.small[:, 0]

    @property
    def actor(self) -> Ints:
        """(N,): the seat to act; at FOLD the seat that folded last; else -1."""
        return self.small[:, 1]

    @property
    def street(self) -> Ints:
        """(N,): the betting round, from 0."""
        return self.small[:, 2]

    @property
    def parent(self) -> Ints:
        """(N,): the node before, -1 at the root."""
        return self.small[:, 3]

    @property
    def num_children(self) -> Ints:
        """(N,): how many children there are: 1 at DEAL, 0 at the end."""
        return self.small[:, 4]

    @cached_property
    def decisions(self) -> npt.NDArray[np.int64]:
        """The decision nodes, ascending."""
        return np.flatnonzero(self.kind == DECISION)

    @property
    def edges(self) -> int:
        """How many actions all decision nodes have together."""
        return int(self.num_children[self.decisions].sum())

    @cached_property
    def roots(self) -> npt.NDArray[np.int64]:
        """(N,): the first node of the same street above each node (or itself): the root of its street's subtree."""
        out = np.zeros(len(self.small), np.int64)
        for node in range(1, len(out)):
            parent = self.parent[node]
            out[node] = node if self.kind[parent] == DEAL else out[parent]
        return out

    def find(self, history: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return (n,) the decision nodes that histories (n, L) lead to (-1 after the last action); -1: not in the tree."""
        out = np.empty(len(history), np.int64)
        kernels.find_nodes(np.ascontiguousarray(history, np.int32), self.small, self.child, self.amount, out)
        return out


def public_tree(
    betting: Betting, ladder: Sequence[float] = (), stacks: Sequence[int] = (), most: int = MOST_NODES
) -> PublicTree:
    """Return the tree of ``betting``, with the rungs of a no-limit ladder (fractions of the pot, -1 all-in).

    ``stacks`` by seat default to unlimited chips.

    Raises:
        UsageError: full no-limit betting (no ladder), or more than ``most`` nodes.
    """
    if betting.no_limit and not len(ladder):
        raise UsageError(
            "Full no-limit betting is too rich for a tree: give the game a ladder of bets (bets=pot+allin)."
        )
    room = 1 << 15
    while room <= 2 * most:
        found = _lay_out(betting, ladder, stacks, min(room, most))
        if found is not None:
            return found
        room *= 4
    raise UsageError(
        f"The betting tree has more than {most:,} nodes. Take fewer or larger bets, fewer raises, or less chips."
    )


_ROUNDS, _RUNGS, _HISTORY = 8, 64, 8 * MAX_ACTIONS
_RULES = np.dtype([*rules_fields(MAX_PLAYERS, _ROUNDS), ("rungs", "i8"), ("fractions", "f8", (_RUNGS,))])
_ROW = np.dtype([("current", "i1"), *row_fields(MAX_PLAYERS, _HISTORY)])
"""One dtype with room for every game, so that the kernel is compiled once."""


def _put(rows: npt.NDArray[Any], name: str, value: Any) -> None:
    """Write a number or a list into a field of the first row."""
    if isinstance(value, list):
        rows[name][0, : len(value)] = value
    else:
        rows[name][0] = value


def _lay_out(betting: Betting, ladder: Sequence[float], stacks: Sequence[int], room: int) -> PublicTree | None:
    actions = 2 + (len(ladder) or 1)
    rules, depth = np.zeros(1, _RULES), betting.history_length + 2
    for name, value in {**betting.rules(), "rungs": len(ladder), "fractions": list(ladder)}.items():
        _put(rules, name, value)
    rows = np.zeros(depth, _ROW)
    for name, value in betting.new_row(0, stacks).items():
        _put(rows, name, value)
    small, spent = np.zeros((room, 5), np.int32), np.zeros((room, betting.num_players), np.int32)
    by_action = [np.full((room, actions), -1, np.int32) for _ in range(3)]
    count = int(kernels.lay_out(rules[0], rows, np.zeros((depth, 3), np.int64), small, *by_action, spent))
    if count < 0:
        return None
    return PublicTree(small[:count].copy(), *(one[:count].copy() for one in by_action), spent[:count].copy())
