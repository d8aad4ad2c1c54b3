"""Which games the trainer takes, and where the numbers of an information set lie in its tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.poker.ranges import public_tree
from cardai.poker.ranges.public_tree import DEAL, DECISION, PublicTree


@frozen(eq=False)
class BucketLayout:
    """The public tree of a game and the places of its information sets.

    The numbers of all buckets of one street's subtree lie together, bucket by bucket, so that a walk through the subtree
    touches few lines of memory.
    """

    tree: PublicTree = field(repr=False)
    nodes: kernels.Nodes = field(repr=False)
    size: int
    """How many numbers a table has: a bucket's actions at every decision node."""
    information_sets: int


def holdem_tree(game: Game) -> PublicTree:
    """Return the public tree of a game that the trainers take. Raises UsageError for others."""
    return public_tree.holdem_tree(game, "bucket_mccfr")


def street_widths(tree: PublicTree) -> npt.NDArray[np.int64]:
    """Return (4,): how many actions all decision nodes of each street have together."""
    decisions = tree.decisions
    return np.bincount(tree.street[decisions], tree.num_children[decisions], minlength=4).astype(np.int64)


def street_nodes(tree: PublicTree) -> npt.NDArray[np.int64]:
    """Return (4,): how many decision nodes each street has."""
    return np.bincount(tree.street[tree.decisions], minlength=4)


def lay_out(tree: PublicTree, counts: tuple[int, ...]) -> BucketLayout:
    """Return the places for ``counts`` buckets on the four streets."""
    node = np.zeros((len(tree.small), 6), np.int64)
    columns = (tree.kind, tree.actor, tree.street, tree.num_children)
    for column, values in enumerate(columns):
        node[:, column] = values
    size = 0
    for root, nodes in tree.subtrees.items():
        group = nodes[tree.kind[nodes] == DECISION]
        widths = tree.num_children[group].astype(np.int64)
        node[group, kernels.BASE] = size + np.cumsum(widths) - widths
        node[group, kernels.STRIDE] = widths.sum()
        size += int(widths.sum()) * counts[tree.street[root]]
    sets = int(street_nodes(tree) @ np.array(counts))
    return BucketLayout(tree, kernels.Nodes(node, _without_deals(tree), tree.won[0].astype(np.float32)), size, sets)


def _without_deals(tree: PublicTree) -> npt.NDArray[np.int32]:
    """Return (N, A) the children with DEAL nodes replaced by what follows them."""
    child = tree.child.copy()
    deals = (child >= 0) & (tree.kind[child] == DEAL)
    child[deals] = tree.child[child[deals], 0]
    return child


def check_memory(game: Game, tree: PublicTree, counts: tuple[int, ...], gigabytes: float, bytes_each: int) -> None:
    """Raise UsageError, saying what would fit, if tables for ``counts`` buckets need more than ``gigabytes``.

    ``bytes_each`` is what an action of an information set takes, in all tables.
    """
    widths = street_widths(tree)
    needed = int(widths @ np.array(counts)) * bytes_each
    if needed <= gigabytes * 1e9:
        return
    sets = int(street_nodes(tree) @ np.array(counts))
    room = gigabytes * 1e9 / bytes_each - int(widths[0]) * counts[0]
    most = int(room // int(widths[1:].sum()))
    fits = (
        f"At most {most:,} buckets a street fit (flop={most},turn={most},river={most})"
        if most >= 1
        else "Not even one bucket a street fits: take a game with fewer bets or raises"
    )
    raise UsageError(
        f"{brief(game)} has {sets:,} information sets with {counts[1]:,}, {counts[2]:,} and {counts[3]:,} buckets: "
        f"{needed / 1e9:.2f} GB of tables, and the option memory allows {gigabytes:g} GB. {fits}, or raise memory."
    )


__all__ = ["DECISION", "BucketLayout", "check_memory", "holdem_tree", "lay_out"]
