"""A spot and its solution: solved, kept in a directory, gone on with, looked at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, define, evolve, field, frozen
from attrs.validators import in_

from cardai.core.errors import DamagedFileError, TooLargeError, UsageError
from cardai.core.extras import need_extra
from cardai.core.files import read_json, refuse_links, unfinished, write_json
from cardai.core.memory import free_memory
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure, whole
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.kept import KeptSolver, kept_arrays
from cardai.poker.ranges.layout import TreeLayout, entries_of
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.position import SAME, Position, Suits, decision_at, look_at, look_at_kept
from cardai.poker.ranges.solver import Solver
from cardai.poker.ranges.spot import Spot

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

    from cardai.poker.ranges.grid_page import DecisionGrid

SPOT, ARRAYS, KEPT = "spot.json", "solution-{}.npz", "kept-{}.npz"
"""What solving goes on from, and what is kept small."""
FORMATS = ("cardai spot 2", "cardai spot 1")
"""What is written, and what older versions wrote."""
PACKED_FROM = 256 << 20
"""Solutions that would take so many bytes as float32 are solved in 16 bits, unless told."""
SMALL_FROM = 16 << 20
"""Solutions of so many bytes are kept small once they are solved, unless told."""
_MEMORY_SHARE = 0.8


@define(eq=False, repr=False)
class Solution:
    """A spot and how far it is solved. Percentages are of the pot."""

    spot: Spot
    solver: Solver
    measured: Measured | None = None
    measured_at: int = 0
    """The iterations that were done when it was measured."""
    label: dict[str, str] = field(factory=dict)
    """What a library calls it: its position and pot type."""
    suits: Suits = SAME
    """What the suits of the spot that was solved are called in this one, ..."""
    solved: Spot | None = None
    """... and that spot, where it is another."""

    def renamed(self, spot: Spot, suits: Suits) -> Solution:
        """Return the solution as that of ``spot``, whose suits are called otherwise (see :attr:`suits`)."""
        return self if spot == self.spot else evolve(self, spot=spot, suits=tuple(suits), solved=self.spot)

    @property
    def iterations(self) -> int:
        """The iterations done."""
        return self.solver.iterations

    @property
    def exploitability(self) -> float:
        """What a best response gains, the mean over seats, in % of the pot; infinite before it was measured.

        With rake the game is no longer zero-sum: it is still half the sum over both seats of what a best response earns more
        than the seat's own strategy, and no theorem says that iterations bring it to 0, though they do in practice.
        """
        return percent_of_pot(self.spot, self.measured)

    @property
    def values(self) -> tuple[float, float]:
        """What each seat expects to win of the pot, in chips; they sum to the pot, less what the house takes."""
        assert self.measured is not None
        scale, half = self.spot.scale, self.spot.pot * self.spot.scale / 2
        first, button = self.measured.values
        return (first + half) / scale, (button + half) / scale

    def measure(self) -> float:
        """Measure the average strategies, and return the exploitability in % of the pot."""
        self.measured, self.measured_at = self.solver.measure(), self.iterations
        return self.exploitability

    def at(self, line: str = "", *, best: bool = False, house: bool = False) -> Position:
        """Return the decision that a line such as "b1000 c / 2c" leads to ("" the first).

        Args:
            best: whether actions are worth what they bring to who plays on as well as can be against the other's average
                strategy, and not to who plays on by his own, which is loose where it never comes.
            house: whether it says what the house takes, without which the other seat's worth is not known where there is rake.

        Raises:
            UsageError: the line leads to no decision.
        """
        mode = RESPOND if best else EXPECT
        if isinstance(self.solver, KeptSolver):
            return look_at_kept(self.solver, self.spot.cards(), line, self.exploitability, self.suits, mode, house)
        return look_at(self.solver, self.spot.cards(), line, self.suits, mode, house)

    def grid(self, line: str = "") -> DecisionGrid:
        """Return the decision that ``line`` leads to as a grid of 13 x 13, which a notebook draws. Raises UsageError."""
        from cardai.poker.ranges.grid_page import DecisionGrid

        return DecisionGrid(self.at(line))

    def check_line(self, line: str) -> None:
        """Raise UsageError unless ``line`` leads to a decision; nothing need be solved."""
        if isinstance(self.solver, KeptSolver):
            self.at(line)
            return
        decision_at(self.solver, self.spot.cards(), line, self.suits)

    def __str__(self) -> str:
        from cardai.poker.ranges.showing import text

        return text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from cardai.poker.ranges.showing import page

        return page(self)

    def to_pandas(self, line: str = "") -> pandas.DataFrame:
        """Return a decision as a pandas DataFrame, a row a hand. Raises UsageError, PluginError (pandas is missing)."""
        need_extra("pandas", "to_pandas()")
        import pandas

        from cardai.poker.ranges.showing import columns

        return pandas.DataFrame(columns(self.at(line)))

    def to_json(self, line: str = "") -> dict[str, Any]:
        """Return the solution and a decision as plain values, as ``cardai solve --json`` prints them. Raises UsageError."""
        from cardai.poker.ranges.showing import as_json

        return as_json(self, self.at(line))

    @property
    def num_bytes(self) -> int:
        """The bytes of what solving goes on from."""
        return sum(array.nbytes for array in self.solver.arrays().values())

    def save(self, directory: str | Path, small: bool | None = None) -> None:
        """Write the spot and its solution into a directory.

        Args:
            small: whether it is kept without its last street, which is solved again for the board that is looked at; nobody
                can go on with it then. Default: where it is larger than SMALL_FROM, and was measured.

        Raises:
            UsageError, WriteError
        """
        path = Path(directory)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The directory {str(path)!r} cannot be made: {error.strerror}.") from error
        kept = isinstance(self.solver, KeptSolver)
        measured = self.measured is not None and self.measured_at == self.iterations
        if small is None:
            small = kept or (measured and self.num_bytes > SMALL_FROM)
        small = small and (kept or (self.solver.leaves is None and len(self.solver.layout.boards) > 1))
        name = (KEPT if small else ARRAYS).format(self.iterations)
        arrays = self.solver.arrays() if kept or not small else kept_arrays(self.solver)
        write_npz(path / name, arrays, level=6 if small else 0)
        head = {
            "format": FORMATS[0],
            "spot": asdict(self.solved or self.spot),
            "iterations": self.iterations,
            "measured": [*self.measured.values, *self.measured.responses] if measured and self.measured else None,
            "bits": 16 if self.solver.packed else 32,
            "label": self.label,
        }
        if small and arrays["worth"].itemsize == 4:
            head["worth_bits"] = 32
        write_json(path / SPOT, {**head, "arrays": name})
        for old in (*path.glob(ARRAYS.format("*")), *path.glob(KEPT.format("*"))):
            if old.name != name:
                old.unlink(missing_ok=True)


def begun(directory: Path) -> bool:
    """Whether all that a directory holds was left by a process that was killed while it saved a spot for the first time."""
    left = (
        unfinished(file) or (any(map(file.match, (ARRAYS.format("*"), KEPT.format("*")))) and not file.is_symlink())
        for file in directory.iterdir()
    )
    return all(left)


@frozen
class Head:
    """What spot.json holds."""

    format: str
    spot: Spot
    iterations: int = field(validator=whole())
    arrays: str
    measured: tuple[float, ...] | None = None
    bits: int = field(default=32, validator=in_((16, 32)))
    worth_bits: int = field(default=16, validator=in_((16, 32)))
    """Of what hands expect in a solution that is kept small: 32 where that is many pots."""
    label: dict[str, str] = field(factory=dict)

    def measure(self) -> Measured | None:
        """Return what was measured, if it was."""
        if self.measured is None or len(self.measured) != 4:
            return None
        a, b, c, d = self.measured
        return Measured((a, b), (c, d))


def percent_of_pot(spot: Spot, measured: Measured | None) -> float:
    """Return an exploitability in % of the pot, which is counted in chips of the tree; infinite where there is none."""
    pot = spot.pot * spot.scale
    return float("inf") if measured is None or not pot else 100 * measured.exploitability / pot


def read_spot(directory: str | Path) -> Spot:
    """Return the spot in ``directory``, without its solution. Raises UsageError (there is none), DamagedFileError."""
    return read_head(Path(directory)).spot


def read_head(path: Path) -> Head:
    """Return what the spot.json of a directory holds. Raises UsageError (there is none), DamagedFileError."""
    if not os.path.isfile(path / SPOT):
        raise UsageError(f"There is no solved spot in {str(path)!r}: it has no {SPOT}.")
    refuse_links(path)
    head = structure(read_json(path / SPOT), Head, f"The file {path / SPOT}")
    if head.format not in FORMATS or head.arrays not in (ARRAYS.format(head.iterations), KEPT.format(head.iterations)):
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: its format is {head.format[:40]!r}.")
    return head


def load(directory: str | Path, threads: int = 1) -> Solution:
    """Return the solution in ``directory``. Raises UsageError (there is none), DamagedFileError."""
    path = Path(directory)
    head = read_head(path)
    small = head.arrays == KEPT.format(head.iterations)
    try:
        layout = head.spot.layout(small)
    except UsageError as error:
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: {error}") from error
    if small:
        arrays = read_npz(path / head.arrays, KeptSolver.expected(layout, head.worth_bits))
        solution = Solution(head.spot, KeptSolver(layout, head.spot.weights(), head.iterations, arrays))
    else:
        solution = _prepared(head.spot, layout, threads, head.bits)
        expected = {name: (array.dtype, array.shape) for name, array in solution.solver.arrays().items()}
        solution.solver.restore(head.iterations, read_npz(path / head.arrays, expected))
    if (measured := head.measure()) is not None:
        solution.measured, solution.measured_at = measured, head.iterations
    solution.label = head.label
    return solution


def prepare(spot: Spot, threads: int = 1, bits: int = 0, layout: TreeLayout | None = None) -> Solution:
    """Return the spot with no iteration done; ``bits`` 16 or 32 to keep a number, 0 for 16 from PACKED_FROM on.

    ``layout`` is the spot's, where it is known.

    Raises:
        UsageError: the spot makes no sense, or needs more memory than there is.
    """
    return _prepared(spot, layout or spot.layout(), threads, bits)


def _prepared(spot: Spot, layout: TreeLayout, threads: int, bits: int) -> Solution:
    packed = packs(layout, bits)
    check_memory(spot, layout, packed)
    leaves = None
    if layout.leaves:
        leaves = CheckedDown(spot.cards(), layout.boards[0].hands[0], layout.hands)
    return Solution(spot, Solver(layout, spot.weights(), threads=threads, leaves=leaves, packed=packed))


def packs(layout: TreeLayout, bits: int) -> bool:
    """Whether a solution is kept in 16 bits a number."""
    if bits not in (0, 16, 32):
        raise UsageError(f"A number is kept in 16 or 32 bits. Got {bits}.")
    return bits == 16 or (bits == 0 and layout.num_bytes(np.float32) >= PACKED_FROM)


def check_memory(spot: Spot, layout: TreeLayout, packed: bool = False) -> None:
    """Raise TooLargeError if the solution would take more memory than the machine has free."""
    needed, free = layout.num_bytes(np.int16 if packed else np.float32), free_memory()
    if needed > _MEMORY_SHARE * free:
        sizes = " x ".join(f"{f.num_slots:,}" for f in layout.tree.streets)
        fits = fitting(spot, layout, 0.5 * free)
        offer = f' With --bets "{fits}" it would fit.' if fits else ""
        raise TooLargeError(
            f"The solution needs {needed / 2**30:.1f} GiB of memory, and {free / 2**30:.1f} GiB are free ({sizes} actions by "
            "street). Leave out bets, above all on the river, narrow the ranges, begin a street later, or take "
            f"--check-down (players check behind the first street).{offer}"
        )


SMALLER = ("0.5+1+allin", "0.33+1/3x+allin", "0.75/3x+allin", "0.75/allin", "0.75,river=1/none", "1/none")
"""Menus that are offered where one does not fit, from the richest."""


def fitting(spot: Spot, layout: TreeLayout, most: float) -> str:
    """Return the richest of SMALLER whose solution in 16 bits takes at most ``most`` bytes; "" if none does."""
    for bets in SMALLER:
        try:
            tree = evolve(spot, bets=bets, locks=(), limit=()).tree()
        except UsageError:
            continue
        if 2 * np.dtype(np.int16).itemsize * entries_of(tree, layout.boards) <= most:
            return bets
    return ""


def solve(
    solution: Solution,
    to: float,
    iterations: int,
    progress: Callable[[Solution], bool] | None = None,
) -> Solution:
    """Iterate until the exploitability is at most ``to`` % of the pot or ``iterations`` are done, measuring now and then.

    It is measured after the same iterations whether it was taken up or not, so that it ends after the same.
    ``progress(solution)`` is told after each measurement and at least every second or so; False stops.
    """
    second = max(1, int(0.5 / solution.solver.layout.seconds))
    measured_at = 0
    while solution.exploitability > to and solution.iterations < iterations:
        while (following := measured_at + max(10, measured_at // 4)) <= solution.iterations:
            measured_at = following
        goal = min(iterations, following)
        while solution.iterations < goal:
            solution.solver.run(min(second, goal - solution.iterations))
            if progress is not None and not progress(solution):
                solution.measure()
                return solution
        solution.measure()
        if progress is not None and not progress(solution):
            return solution
    if solution.measured_at < solution.iterations:
        solution.measure()
    return solution
