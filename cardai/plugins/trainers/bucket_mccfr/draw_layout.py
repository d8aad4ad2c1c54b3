"""What the solver of draw poker remembers of a hand's betting and draws, and where an information set's numbers lie.

The public tree is that of the betting (:mod:`cardai.poker.ranges.public_tree`); where a board game deals, here both seats
draw, the first after the button first. Numbers of nodes are shared (imperfect recall) where these are alike:

* the round, and what was said in it (betting), or who draws (draws);
* of the rounds before: who raised last in the one before, and about how many chips each seat has put in (``SIZES``);
* of each seat's draws: the last one, and the one before it where that tells much (:data:`REMEMBERED`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.draw.buckets import CHOICES
from cardai.draw.contract import DrawPoker, is_draw_poker
from cardai.plugins.trainers.bucket_mccfr import _draw_kernels as kernels
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, SHOWDOWN, PublicTree, public_tree
from cardai.poker.rules.betting import Betting

SIZES = (1, 2, 3, 4, 6, 8)
"""Chips that each seat has put in, in bets of the first round: these, those between, and more."""
REMEMBERED = ((0, 1, 2, 3), (4, 5, 6, 6), (7, 7, 7, 8), (9, 9, 9, 9))
"""By the last draw and the one before (none, one, two, three or more cards): the class of a path of two draws or more.

Who stands pat is told apart by the draw before in full, who draws one by none, one or more, who draws two by up to two or
more, and who draws three is one class."""


@frozen(eq=False)
class DrawLayout:
    """The public tree of a draw game and the places of its information sets."""

    tree: PublicTree = field(repr=False)
    nodes: kernels.Nodes = field(repr=False)
    size: int
    """How many numbers a table has."""
    information_sets: int
    room: int
    """The most nodes that wait in a walk."""


def draw_game(game: Game, who: str = "bucket_mccfr_draw") -> DrawPoker:
    """Return a game that the solver takes. Raises UsageError for others."""
    if not is_draw_poker(game) or game.num_players != 2 or not 1 <= game.draws <= 3 or game.num_chance_outcomes != 52:
        raise UsageError(
            f"{who} solves deuce-to-seven draw poker of two players and up to three draws. Got {brief(game)}."
        )
    if game.betting.no_limit or game.stacks:
        raise UsageError(f"{who} solves limit betting without a bound on stacks. Got {brief(game)}.")
    return game


def path_classes(draws: int) -> tuple[Int64s, Int64s]:
    """Return (draws + 1, paths) the class of what is remembered of each path, and (draws + 1,) how many there are."""
    out, counts = np.zeros((draws + 1, CHOICES**draws), np.int64), np.ones(draws + 1, np.int64)
    table = np.array(REMEMBERED)
    for done in range(1, draws + 1):
        paths = np.arange(CHOICES**done)
        last, before = paths % CHOICES, paths // CHOICES % CHOICES
        out[done, : len(paths)] = last if done == 1 else table[last, before]
        counts[done] = CHOICES if done == 1 else table.max() + 1
    return out, counts


def lay_out(game: DrawPoker, buckets: tuple[int, ...]) -> DrawLayout:
    """Return the places for hands of so many ``buckets`` after each number of draws (draws + 1,): nobody may write there."""
    return _laid_out(game.betting, game.draws, tuple(buckets))


@lru_cache(maxsize=2)  # half a second each: a run that goes on and the players of two seats have one
def _laid_out(betting: Betting, draws: int, buckets: tuple[int, ...]) -> DrawLayout:
    tree = public_tree(betting)
    deals = np.flatnonzero(tree.kind == DEAL)
    node = np.zeros((tree.size + len(deals), 7), np.int64)
    child = np.full((len(node), max(CHOICES, tree.child.shape[1])), -1, np.int32)
    action = np.tile(np.arange(child.shape[1], dtype=np.int32), (len(node), 1))
    payoff = np.zeros(len(node), np.float32)
    payoff[: tree.size] = tree.won[0]
    kinds = {DECISION: kernels.DECISION, DEAL: kernels.DRAW, SHOWDOWN: kernels.SHOWDOWN, FOLD: kernels.FOLD}
    node[: tree.size, kernels.KIND] = [kinds[int(kind)] for kind in tree.kind]
    node[: tree.size, kernels.ACTOR] = np.maximum(tree.actor, 0)
    node[: tree.size, kernels.COUNT] = np.where(tree.kind == DECISION, tree.num_children, 0)
    child[: tree.size, : tree.child.shape[1]] = tree.child
    action[: tree.size, : tree.action.shape[1]] = tree.action
    drawn = np.minimum(tree.street, draws)
    node[: tree.size, kernels.DRAWN] = node[: tree.size, kernels.DRAWN + 1] = drawn
    first = betting.offset % 2  # the seat that draws first, with the button at seat 0
    for second, at in enumerate(deals.tolist(), tree.size):
        node[[at, second], kernels.ACTOR] = first, 1 - first
        node[[at, second], kernels.KIND], node[[at, second], kernels.COUNT] = kernels.DRAW, CHOICES
        node[second, kernels.DRAWN : kernels.DRAWN + 2] = drawn[at]
        node[second, kernels.DRAWN + first] += 1
        child[second, :CHOICES] = tree.child[at, 0]
        child[at, :] = -1
        child[at, :CHOICES] = second
        action[at] = np.arange(child.shape[1])
    classes, counts = path_classes(draws)
    size, sets = _give_places(tree, deals, _before(betting, tree), node, counts, buckets)
    nodes = kernels.Nodes(node, child, action, payoff, classes, counts, np.array(buckets, np.int64))
    return DrawLayout(tree, nodes, size, sets, _most_waiting(nodes))


def _before(betting: Betting, tree: PublicTree) -> list[tuple[int, int]]:
    """Return what is remembered of the betting up to and with the round of each node: (who raised last, size of the pot)."""
    last = [-1] * tree.size
    for node in range(1, tree.size):
        parent = int(tree.parent[node])
        if tree.kind[parent] != DECISION:
            continue
        said = int(tree.action[parent][tree.child[parent] == node][0])
        last[node] = int(tree.actor[parent]) if said >= 2 else last[parent]
    unit = betting.raise_sizes[0]
    sizes = np.searchsorted(SIZES, np.ceil(tree.spent.max(axis=1) / unit))
    return [(raiser, int(size)) for raiser, size in zip(last, sizes, strict=True)]


def _give_places(
    tree: PublicTree,
    deals: Int64s,
    before: list[tuple[int, int]],
    node: Int64s,
    counts: Int64s,
    buckets: tuple[int, ...],
) -> tuple[int, int]:
    """Fill base and stride of all nodes; return how many numbers and how many information sets there are."""
    places: dict[Any, int] = {}
    size = sets = 0

    def share(key: Any, at: Int64s, widths: Int64s) -> None:
        nonlocal size, sets
        done = node[at[0], kernels.DRAWN : kernels.DRAWN + 2]
        each = int(counts[done[0]] * counts[done[1]]) * buckets[int(done[node[at[0], kernels.ACTOR]])]
        if key not in places:
            places[key] = size
            size += each * int(widths.sum())
            sets += each * len(at)
        node[at, kernels.BASE] = places[key] + np.cumsum(widths) - widths
        node[at, kernels.STRIDE] = widths.sum()

    for root, inside in tree.subtrees.items():
        known = before[int(tree.parent[root])] if root else ()
        decided = inside[tree.kind[inside] == DECISION]
        shape = (tree.actor[decided] + 2 * tree.num_children[decided]).tobytes()
        for actor in range(2):  # the seats' hands are told apart by different numbers of draws where one has drawn
            own = decided[tree.actor[decided] == actor]
            share((int(tree.street[root]), known, actor, shape), own, tree.num_children[own].astype(np.int64))
    for second, at in enumerate(deals.tolist(), len(tree.small)):
        for one in (at, second):
            key = ("draw", int(tree.street[at]), before[at], int(node[one, kernels.ACTOR]))
            share(key, np.array([one]), np.array([CHOICES]))
    return size, sets


def _most_waiting(nodes: kernels.Nodes) -> int:
    """Return the most nodes that can wait in a walk: all of a seat's own actions, one of the other's."""
    most = np.ones((2, len(nodes.node)), np.int64)
    order = _children_first(nodes)
    for at in order:
        row = nodes.node[at]
        if row[kernels.KIND] > kernels.DRAW:
            continue
        below = most[:, nodes.child[at, : row[kernels.COUNT]]]
        most[row[kernels.ACTOR], at] = 1 + below[row[kernels.ACTOR]].sum()
        most[1 - row[kernels.ACTOR], at] = below[1 - row[kernels.ACTOR]].max()
    return int(most[:, 0].max()) + 1


def _children_first(nodes: kernels.Nodes) -> list[int]:
    """Return all nodes below the root, children before their parents."""
    out, open_ = [], [0]
    while open_:
        at = open_.pop()
        out.append(at)
        if nodes.node[at, kernels.KIND] <= kernels.DRAW:
            open_ += sorted({int(one) for one in nodes.child[at, : nodes.node[at, kernels.COUNT]]})
    return out[::-1]
