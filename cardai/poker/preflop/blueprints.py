"""Ranges of two players by the no-limit player in the box: its table of play before the flop, solved with a network of what
comes after it, which charts leave out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import CLASSES
from cardai.poker.preflop.charts import POTS, class_shares, range_of
from cardai.poker.ranges.library import Start
from cardai.poker.ranges.public_tree import DECISION, Node
from cardai.poker.resolving.box import PREFLOP, box
from cardai.poker.resolving.preflop import PreflopTable, read_table

NAME = re.compile(r"blueprint(\d{1,4})")
"""What a chart is called that is the table's: "blueprint100" at 100 big blinds."""
_SEATS = {"SB-BB": (0, 1), "BB-SB": (1, 0)}
"""Who raised first, the other: seat 0 has the button."""


def blueprint_start(depth: int, seats: str, raised: str, called: str) -> Start:
    """Return what two players come to the flop with at a depth of the table in the box.

    Raises:
        UsageError: the player is not installed, or has no such depth or pot.
    """
    folder = box()
    if folder is None:
        raise UsageError("Ranges of the blueprint are those of the no-limit player in the box: pip install ./players.")
    table = _table(folder / PREFLOP)
    if depth not in table.depths:
        raise UsageError(f"The blueprint has stacks of {', '.join(map(str, table.depths))} big blinds. Got {depth}.")
    if seats not in _SEATS or raised not in POTS:
        raise UsageError(
            f"The blueprint has pots of {' and '.join(_SEATS)}, {', '.join(POTS)}. Got {seats[:20]} {raised[:20]}."
        )
    node, ranges = _followed(table, depth, _SEATS[seats], POTS.index(raised))
    behind = depth - max(node.spent) / 100
    texts = [range_of(ranges[seat]) for seat in (1, 0)]  # the big blind acts first after the flop
    return Start(called, raised, texts[0], texts[1], sum(node.spent) / 100, (behind, behind))


@cache
def _table(folder: Path) -> PreflopTable:
    return read_table(folder)


def _followed(table: PreflopTable, depth: int, order: tuple[int, int], raises: int) -> tuple[Node, Float64s]:
    """Return where so many raises lead to, the one that comes most of several, and both ranges by class."""
    node, ranges, raised = table.trees[depth].root, np.ones((2, CLASSES)), 0
    while node.kind == DECISION:
        play, turn = table.strategy(depth, node), node.actor == order[raised % 2]
        kind = 2 if raised < raises and turn else 1
        most = depth * 100
        found = [
            k for k, action in enumerate(node.actions) if action.kind == kind and (kind < 2 or action.amount < most)
        ]
        if not found:
            raise UsageError(f"With {depth} big blinds the blueprint has no such pot: all are all-in before.")
        own = ranges[node.actor] * class_shares()
        chosen = max(found, key=lambda k: float(own @ play[k]))
        ranges[node.actor] = ranges[node.actor] * play[chosen]
        raised += kind == 2
        node = node.children[chosen]
    if raised != raises:
        raise UsageError("The blueprint has no such pot.")
    return node, ranges
