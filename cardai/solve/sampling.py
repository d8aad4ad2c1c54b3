"""A game's tree laid out for samplers: one short record a node, chance drawn in constant time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s
from cardai.core.game import CHANCE
from cardai.core.kernel import kernel
from cardai.solve.tree import GameTree


class Nodes(NamedTuple):
    """The tree as samplers take it, N nodes and T finished ones."""

    node: Any  # (N, 4) int32: player, first child (finished: row of returns), number of children, first sequence
    # (at chance nodes: 0 if the outcomes are equally likely)
    threshold: Any  # (N,) float64, alias (N,) int32: Walker's alias table of a chance node, stored at its children
    alias: Any
    returns: Any  # (T, P) float64


PLAYER, CHILD, COUNT, SEQUENCE = 0, 1, 2, 3
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_TO_UNIT = 1.0 / 4294967296.0  # 2**-32


@lru_cache(maxsize=8)
def sampling_nodes(tree: GameTree) -> Nodes:
    """Return the tree of a game as :class:`Nodes`."""
    node = np.zeros((len(tree.player), 4), np.int32)
    node[:, PLAYER] = tree.player
    node[:, CHILD] = tree.first_child
    node[:, COUNT] = tree.num_children
    node[tree.terminals, CHILD] = np.arange(len(tree.terminals))
    acting = tree.player >= 0
    node[acting, SEQUENCE] = tree.infosets.first_sequence[tree.infoset[acting]]
    threshold, alias = np.ones(len(node)), np.zeros(len(node), np.int32)
    for chance in np.flatnonzero(tree.player == CHANCE):
        children = slice(tree.first_child[chance], tree.first_child[chance] + tree.num_children[chance])
        threshold[children], alias[children] = alias_table(tree.probability[children])
        node[chance, SEQUENCE] = int(bool((threshold[children] < 1 - 1e-12).any()))
    return Nodes(node, threshold, alias, np.ascontiguousarray(tree.terminal_returns))


def alias_table(probability: Float64s) -> tuple[Float64s, npt.NDArray[np.int32]]:
    """Return (threshold, alias), each (n,), by which one of n is drawn in constant time (Walker 1977)."""
    scaled = probability * len(probability) / probability.sum()
    threshold, alias = np.ones(len(scaled)), np.arange(len(scaled), dtype=np.int32)
    small = [i for i in range(len(scaled)) if scaled[i] < 1]
    large = [i for i in range(len(scaled)) if scaled[i] >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        threshold[low], alias[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        if scaled[high] < 1:
            small.append(large.pop())
    return threshold, alias


@kernel
def draw_chance(nodes: Nodes, node: Any, number: Any) -> Any:
    """Return the child (uint64) that the random ``number`` (uint64) draws at a chance node."""
    first, count = np.uint64(nodes.node[node, 1]), np.uint64(nodes.node[node, 2])
    k = ((number >> _HALF) * count) >> _HALF
    if nodes.node[node, 3] == 0:  # all outcomes alike
        return first + k
    fraction = np.float64(((number >> _HALF) * count) & _LOW) * _TO_UNIT
    if fraction < nodes.threshold[first + k]:
        return first + k
    return first + np.uint64(nodes.alias[first + k])


@kernel
def match(regret: Any, first: Any, end: Any, behaviour: Any) -> None:
    """Set ``behaviour`` of the sequences ``first`` to ``end`` by regret matching: positive regrets, or uniform."""
    total = 0.0
    for s in range(first, end):
        behaviour[s] = max(regret[s], 0.0)
        total += behaviour[s]
    if total > 0.0:
        scale = 1.0 / total
        for s in range(first, end):
            behaviour[s] *= scale
    else:
        for s in range(first, end):
            behaviour[s] = 1.0 / np.float64(end - first)


@kernel
def pick(behaviour: Any, first: Any, end: Any, threshold: float) -> Any:
    """Return which action (uint64, from 0) the ``threshold`` in [0, 1) falls on; never one of probability 0."""
    last = first
    left = threshold
    for s in range(first, end):
        if behaviour[s] > 0.0:
            last = s
            left -= behaviour[s]
            if left < 0.0:
                break
    return np.uint64(last - first)
