"""Play before the flop, solved with a network of the flop behind it, as a table.

DeepStack's network before the flop learned what its flop network says on average (Moravcik et al. 2017, supplement); here that
average is taken over few flops that stand for all, while the table is solved, and no network is needed before the flop.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float32s
from cardai.core.progress import tell
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.flops import Subset
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.solver import Solver
from cardai.poker.resolving.preflop import BLIND, by_class, ladder_tree
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.flop_leaves import FlopLeaves
from cardai.poker.values.plain_network import PlainNetwork
from cardai.poker.values.situations import FASTER


@frozen(eq=False)
class Behind:
    """What lies behind play before the flop."""

    network: PlainNetwork
    """Of the flop."""
    flops: Subset
    inputs: Sequence[FlopInputs]
    """Those of the flops."""
    looks: int = 4
    """Flops that an iteration looks at, each iteration others; 0: all."""


def solver_of(behind: Behind, ladder: Sequence[float], depth: int) -> Solver:
    """Return the solver of play before the flop on a ladder of bets, stacks of ``depth`` big blinds."""
    ranges = np.ones((2, COUNT))
    boards = deal_boards(HOLDEM, (), 1, ranges, every=True, isomorphic=False)
    leaves = FlopLeaves(behind.network, behind.flops, behind.inputs, depth * BLIND, behind.looks)
    layout = TreeLayout(ladder_tree(ladder, depth), HOLDEM, boards)
    return Solver(layout, ranges, variant=FASTER, leaves=leaves)


def solve_depth(behind: Behind, ladder: Sequence[float], depth: int, iterations: int) -> tuple[Float32s, Measured]:
    """Return (actions, 169) what each class of hands does, rows of a decision behind one another in order of the tree's nodes, and
    what that is worth by what the network said on average, in chips of which a big blind is 100."""
    solver = solver_of(behind, ladder, depth)
    for done in range(iterations):
        tell(f"before the flop, {depth} big blinds", done, iterations)
        solver.run(1)
    tell(f"before the flop, {depth} big blinds", 1, 1)
    tree = solver.layout.tree
    rows = [solver.average((), tree.node(number))[1] for number in tree.decisions.tolist()]
    return by_class(np.concatenate(rows)), solver.measure()
