"""Play before the flop, solved with a network of the flop behind it, as a table.

DeepStack's network before the flop learned what its flop network says on average (Moravcik et al. 2017, supplement); here that
average is taken over few flops that stand for all, while the table is solved, and no network is needed before the flop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from attrs import asdict, evolve, field, frozen

from cardai.core.arrays import Float32s
from cardai.core.errors import UsageError
from cardai.core.files import read_json, vacant, write_json
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.core.schema import structure, whole
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.flops import Subset, subset
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.solver import Solver
from cardai.poker.resolving.preflop import BLIND, PreflopTable, by_class, ladder_tree, write_table
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.flop_leaves import FlopLeaves, flop_inputs
from cardai.poker.values.plain_network import PlainNetwork
from cardai.poker.values.situations import FASTER

RECIPE, DEPTH = "recipe.json", "depth-{}.npz"


@frozen
class TableRecipe:
    """All that a table depends on."""

    network: str
    """The SHA-256 of the network of the flop."""
    ladder: tuple[float, ...]
    iterations: int = field(validator=whole(1))
    flops: int
    """How many stand for all (:func:`cardai.poker.ranges.flops.subset`)."""
    looks: int = field(validator=whole())
    """Flops that an iteration looks at, each iteration others; 0: all."""


@frozen(eq=False)
class FlopsBehind:
    """What lies behind play before the flop."""

    network: PlainNetwork
    """Of the flop."""
    flops: Subset
    inputs: Sequence[FlopInputs]
    """Those of the flops."""
    looks: int = 0
    """Flops that an iteration looks at, each iteration others; 0: all."""
    leaves: type[FlopLeaves] = FlopLeaves
    """What values the ends."""

    @classmethod
    def of(cls, network: PlainNetwork, flops: int, looks: int = 0) -> FlopsBehind:
        """Return so many flops that stand for all."""
        chosen = subset(flops)
        return cls(network, chosen, flop_inputs(chosen), looks)


def solver_of(behind: FlopsBehind, ladder: Sequence[float], depth: int) -> Solver:
    """Return the solver of play before the flop on a ladder of bets, stacks of ``depth`` big blinds."""
    ranges = np.ones((2, COUNT))
    boards = deal_boards(HOLDEM, (), 1, ranges, every=True, isomorphic=False)
    leaves = behind.leaves(behind.network, behind.flops, behind.inputs, depth * BLIND, behind.looks)
    layout = TreeLayout(ladder_tree(ladder, depth), HOLDEM, boards)
    return Solver(layout, ranges, variant=FASTER, leaves=leaves)


def solve_depth(behind: FlopsBehind, ladder: Sequence[float], depth: int, iterations: int) -> tuple[Float32s, Measured]:
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


def worth(behind: FlopsBehind, tables: Sequence[PreflopTable], depth: int) -> Measured:
    """Return what two players win before the flop by their tables, seat 0 on the button, and what a best response to each would.

    In chips of which a big blind is 100, by what the network says of all flops at the ranges that both bring there.

    Raises UsageError: their ladders differ.
    """
    if tables[0].ladder != tables[1].ladder:
        raise UsageError(f"Tables are compared on one ladder of bets. Got {tables[0].ladder} and {tables[1].ladder}.")
    solver, classes = solver_of(evolve(behind, looks=0), tables[0].ladder, depth), class_of()
    tree = solver.layout.tree
    for number in tree.decisions.tolist():
        node = tree.node(number)
        solver.play(node, tables[node.actor].strategy(depth, node)[:, classes])
    return solver.measure()


def _kept(directory: Path) -> list[int]:
    """Return the depths that were solved into ``directory``."""
    names = (file.name.removeprefix("depth-").removesuffix(".npz") for file in directory.glob(DEPTH.format("*")))
    return [int(name) for name in names if name.isdecimal() and name.isascii()]


def solve_table(
    directory: Path,
    network: PlainNetwork,
    recipe: TableRecipe,
    depths: Sequence[int],
    said: Callable[[int, Measured], object] = lambda depth, found: None,
) -> PreflopTable:
    """Solve play before the flop at stacks of ``depths`` big blinds, each kept as soon as it is solved, and write the table of them and of those that lie there.

    Args:
        said: told each depth that was solved, and what it is worth.

    Raises:
        UsageError: ``directory`` holds a table by another recipe, or something else, or the recipe is of another network.
        DamagedFileError: a depth that was solved is not as it was written.
    """
    if recipe.network != network.digest:
        raise UsageError("The recipe of the table before the flop is of another network than the one that is given.")
    file, known, behind = directory / RECIPE, dict[int, Float32s](), None
    directory.mkdir(parents=True, exist_ok=True)
    if file.is_file():
        if structure(read_json(file), TableRecipe, f"The file {file}") != recipe:
            raise UsageError(f"{directory} holds a table by another recipe. Choose another directory.")
    elif not vacant(directory):
        raise UsageError(
            f"{directory} is not empty, and holds no table that was begun there. Choose another directory."
        )
    write_json(file, asdict(recipe))
    for depth in sorted({*depths, *_kept(directory)}):
        kept, rows = directory / DEPTH.format(depth), (np.float32, (ladder_tree(recipe.ladder, depth).edges, CLASSES))
        if not kept.is_file():
            behind = FlopsBehind.of(network, recipe.flops, recipe.looks) if behind is None else behind
            chances, found = solve_depth(behind, recipe.ladder, depth, recipe.iterations)
            write_npz(kept, {"chances": chances})
            said(depth, found)
        known[depth] = read_npz(kept, {"chances": rows})["chances"]
    table = PreflopTable(recipe.ladder, tuple(sorted(known)), known)
    write_table(table, directory)
    return table
