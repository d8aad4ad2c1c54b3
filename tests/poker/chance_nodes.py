"""Chance nodes by themselves, as leaves are given them."""

from __future__ import annotations

import numpy as np

from cardai.poker.ranges.public_tree import DEAL, Node, PublicTree


def chance_node(spent: tuple[int, int], street: int = 0) -> Node:
    """Return a chance node at which seats have put in ``spent`` chips."""
    none = np.full((1, 2), -1, np.int32)
    small, chips = np.array([[DEAL, -1, street, -1, 0]], np.int32), np.array([spent], np.int32)
    return PublicTree(small, none, none, none, chips, spent, (0, 0), street, street + 2).root
