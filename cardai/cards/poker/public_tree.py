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
from cardai.cards.poker.boards import BOARD_SIZES
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief

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

    def path(self, node: int) -> list[int]:
        """Return the game's actions that lead to a node."""
        out = []
        while node > 0:
            parent = int(self.parent[node])
            if self.kind[parent] == DECISION:
                out.append(int(self.action[parent][self.child[parent] == node][0]))
            node = parent
        return out[::-1]

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


def holdem_tree(game: Game, who: str) -> PublicTree:
    """Return the public tree of two-player hold'em in limit or laddered no-limit betting; ``who`` begins the messages.

    Raises:
        UsageError: another game, more players, unequal stacks, no ladder, or too large a tree.
    """
    betting = getattr(game, "betting", None)
    sizes = {f.name: f.size for f in game.view_fields}
    shown = getattr(game, "board_cards", ())
    if not isinstance(betting, Betting) or (sizes.get("hole"), tuple(shown)) != (2, BOARD_SIZES):
        raise UsageError(
            f"{who} plays hold'em: two hole cards, a flop, a turn and a river. Got {brief(game)}. "
            "Take acpc_limit_2p, or see: cardai list-plugins."
        )
    if game.num_players != 2:
        raise UsageError(f"{who} plays hold'em for two. Got {brief(game)} with {game.num_players} players.")
    ladder, stacks = _call(game, "ladder"), _call(game, "seat_stacks")
    if len(set(stacks)) > 1:
        raise UsageError(f"{who} needs both seats to start with the same chips. Got the stacks {stacks}.")
    return public_tree(betting, ladder, stacks)


def _call(game: Game, name: str) -> tuple[Any, ...]:
    """Return what a method that betting games have says, or nothing where this one does not have it."""
    method = getattr(game, name, None)
    return () if method is None else tuple(method())


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
    child, action, amount = (np.full((room, actions), -1, np.int32) for _ in range(3))
    waiting = np.zeros((depth, 3), np.int64)
    count = int(kernels.lay_out(rules[0], rows, waiting, small, child, action, amount, spent))
    if count < 0:
        return None
    return PublicTree(*(one[:count].copy() for one in (small, child, action, amount, spent)))
