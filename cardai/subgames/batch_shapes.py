"""What public trees of one shape have in common, as the index arrays of :mod:`cardai.learn.batch_cfr`.

Two trees have one shape if they differ in chips alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.learn.batch_cfr import ForestShape, Layer, Side
from cardai.subgames.tree import CHANCE, COMPARED, DECISION, FOLDED, Forest, Tree

Shape = tuple[tuple[tuple[str, int, int], ...], ...]


def shape_of(tree: Tree) -> Shape:
    """Return what trees of one shape have alike: kind, actor and number of actions of every node, by street."""
    return tuple(
        tuple((n.kind, n.actor if n.kind == DECISION else -1, len(n.actions)) for n in forest.nodes)
        for forest in tree.streets
    )


def forest_shape(forest: Forest) -> ForestShape:
    """Return the index arrays of a forest."""
    depth, before = _depths(forest)
    kinds = {kind: _nodes(forest, kind) for kind in (COMPARED, FOLDED, CHANCE)}
    slots = [_ordered_slots(forest, player) for player in range(2)]
    places = np.zeros(forest.num_slots, np.int64)
    for mine in slots:
        places[mine] = np.arange(len(mine))
    sides = [_side(forest, player, slots[player], places, depth, before[player]) for player in range(2)]
    count = len(forest.nodes)
    return ForestShape(forest.roots, count, kinds[COMPARED], kinds[FOLDED], kinds[CHANCE], (sides[0], sides[1]))


def stakes(trees: Sequence[Tree], street: int, nodes: Int64s) -> Float64s:
    """Return (E, M) what a showdown at each of ``nodes`` is about in each of M trees: the chips that each has put in."""
    return np.array([[min(tree.streets[street].nodes[n].spent) for tree in trees] for n in nodes], np.float64).reshape(
        len(nodes), len(trees)
    )


def gains(trees: Sequence[Tree], street: int, nodes: Int64s, player: int) -> Float64s:
    """Return (E, M) what a fold at each of ``nodes`` brings ``player``; negative where it is his."""
    found = np.zeros((len(nodes), len(trees)))
    for k, n in enumerate(nodes):
        for m, tree in enumerate(trees):
            node = tree.streets[street].nodes[n]
            found[k, m] = node.spent[node.actor] * (-1.0 if node.actor == player else 1.0)
    return found


def _nodes(forest: Forest, kind: str) -> Int64s:
    return np.array([node.index for node in forest.nodes if node.kind == kind], np.int64)


def _depths(forest: Forest) -> tuple[Int64s, Int64s]:
    """Return (N,) how many decisions are before each node, and (2, N) how many of each player's."""
    before = np.zeros((2, len(forest.nodes)), np.int64)
    for node in forest.nodes:
        for child in node.children if node.kind == DECISION else ():
            before[:, child.index] = before[:, node.index]
            before[node.actor, child.index] += 1
    return before.sum(axis=0), before


def _decisions(forest: Forest, player: int) -> list[tuple[int, int]]:
    """Return (actions, node) of the player's decisions, those with the fewest actions first."""
    return sorted((len(n.children), n.index) for n in forest.nodes if n.kind == DECISION and n.actor == player)


def _ordered_slots(forest: Forest, player: int) -> Int64s:
    firsts = forest.first_slot
    return np.array([firsts[n] + k for actions, n in _decisions(forest, player) for k in range(actions)], np.int64)


def _side(forest: Forest, player: int, slots: Int64s, places: Int64s, depth: Int64s, before: Int64s) -> Side:
    decisions = _decisions(forest, player)
    blocks, start = [], 0
    for actions, group in groupby(decisions, key=lambda one: one[0]):
        end = start + actions * len(list(group))
        blocks.append((start, end, actions))
        start = end
    parents = np.array([node for actions, node in decisions for _ in range(actions)], np.int64)
    row_of = np.arange(len(forest.nodes))
    for node in forest.nodes:  # parents before children
        for k, child in enumerate(node.children if node.kind == DECISION else ()):
            place = places[forest.first_slot[node.index] + k]
            row_of[child.index] = forest.roots + place if node.actor == player else row_of[node.index]
    down = []
    for level in sorted(set(before[parents].tolist())):
        chosen = np.flatnonzero(before[parents] == level)
        down.append((chosen, row_of[parents[chosen]]))
    return Side(slots, parents, tuple(blocks), row_of, tuple(down), _layers(forest, player, places, depth))


def _layers(forest: Forest, player: int, places: Int64s, depth: Int64s) -> tuple[Layer, ...]:
    def kind(index: int) -> tuple[int, int, int]:
        node = forest.nodes[index]
        return -int(depth[index]), node.actor, len(node.children)

    layers = []
    decisions = sorted(_nodes(forest, DECISION).tolist(), key=kind)
    for (_, actor, actions), group in groupby(decisions, key=kind):
        nodes = np.array(list(group), np.int64)
        slots = forest.first_slot[nodes][:, None] + np.arange(actions)
        layers.append(Layer(actor == player, nodes, forest.roots + slots, places[slots]))
    return tuple(layers)
