"""The public tree: what an onlooker without cards sees of a game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cardai.core.game import CHANCE
from cardai.solve.tree import GameTree


def public_nodes(tree: GameTree) -> Iterator[tuple[int, ...]]:
    """Yield the nodes of the public tree, each as the actions and public chance outcomes that lead to it.

    Chance outcomes that not everybody sees make no node; nor does what follows when nobody has a decision left (the
    board dealt after both are all-in).
    """
    decides = np.asarray(tree.player >= 0)
    for node in range(len(tree.player) - 1, 0, -1):
        decides[tree.parent[node]] |= decides[node]
    history: list[tuple[int, ...]] = [()] * len(tree.player)
    seen: set[tuple[int, ...]] = {()}
    yield ()
    for node in range(1, len(tree.player)):
        parent = int(tree.parent[node])
        hidden = tree.player[parent] == CHANCE and (not tree.public[parent] or not decides[parent])
        history[node] = history[parent] if hidden else (*history[parent], int(tree.action[node]))
        if history[node] not in seen:
            seen.add(history[node])
            yield history[node]
