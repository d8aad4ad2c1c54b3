"""A spot and its solution: solved, kept in a directory, gone on with, looked at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, define, field, frozen

from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.extras import need_extra
from cardai.core.files import read_json, refuse_links, unfinished, write_json
from cardai.core.memory import free_memory
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure, whole
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.position import Position, decision_at, look_at
from cardai.poker.ranges.solver import Solver
from cardai.poker.ranges.spot import Spot

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

SPOT, ARRAYS = "spot.json", "solution-{}.npz"
FORMATS = ("cardai spot 2", "cardai spot 1")
"""What is written, and what older versions wrote."""
_MEMORY_SHARE = 0.8


@define(eq=False, repr=False)
class Solution:
    """A spot and how far it is solved. Percentages are of the pot."""

    spot: Spot
    solver: Solver
    measured: Measured | None = None
    measured_at: int = 0
    """The iterations that were done when it was measured."""

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
        return float("inf") if self.measured is None else 100 * self.measured.exploitability / self._pot

    @property
    def values(self) -> tuple[float, float]:
        """What each seat expects to win of the pot, in chips; they sum to the pot, less what the house takes."""
        assert self.measured is not None
        first, button = (value + self._pot / 2 for value in self.measured.values)
        return first / self.spot.scale, button / self.spot.scale

    @property
    def _pot(self) -> float:
        """The pot in chips of the tree."""
        return float(self.spot.pot * self.spot.scale)

    def measure(self) -> float:
        """Measure the average strategies, and return the exploitability in % of the pot."""
        self.measured, self.measured_at = self.solver.measure(), self.iterations
        return self.exploitability

    def at(self, line: str = "") -> Position:
        """Return the decision that a line such as "b1000 c / 2c" leads to ("" the first). Raises UsageError."""
        return look_at(self.solver, self.spot.cards(), line)

    def check_line(self, line: str) -> None:
        """Raise UsageError unless ``line`` leads to a decision; nothing need be solved."""
        decision_at(self.solver, self.spot.cards(), line)

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

    def save(self, directory: str | Path) -> None:
        """Write the spot and its solution into a directory. Raises UsageError, WriteError."""
        path = Path(directory)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The directory {str(path)!r} cannot be made: {error.strerror}.") from error
        name = ARRAYS.format(self.iterations)
        write_npz(path / name, self.solver.arrays())
        measured = None
        if self.measured is not None and self.measured_at == self.iterations:
            measured = [*self.measured.values, *self.measured.responses]
        head = {
            "format": FORMATS[0],
            "spot": asdict(self.spot),
            "iterations": self.iterations,
            "measured": measured,
        }
        write_json(path / SPOT, {**head, "arrays": name})
        for old in path.glob(ARRAYS.format("*")):
            if old.name != name:
                old.unlink(missing_ok=True)


def begun(directory: Path) -> bool:
    """Whether all that a directory holds was left by a process that was killed while it saved a spot for the first time."""
    left = (
        unfinished(file) or (file.match(ARRAYS.format("*")) and not file.is_symlink()) for file in directory.iterdir()
    )
    return all(left)


@frozen
class _Head:
    """What spot.json holds."""

    format: str
    spot: Spot
    iterations: int = field(validator=whole())
    arrays: str
    measured: tuple[float, ...] | None = None


def read_spot(directory: str | Path) -> Spot:
    """Return the spot in ``directory``, without its solution. Raises UsageError (there is none), DamagedFileError."""
    return _read_head(Path(directory)).spot


def _read_head(path: Path) -> _Head:
    if not os.path.isfile(path / SPOT):
        raise UsageError(f"There is no solved spot in {str(path)!r}: it has no {SPOT}.")
    refuse_links(path)
    head = structure(read_json(path / SPOT), _Head, f"The file {path / SPOT}")
    if head.format not in FORMATS or head.arrays != ARRAYS.format(head.iterations):
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: its format is {head.format[:40]!r}.")
    return head


def load(directory: str | Path, threads: int = 1) -> Solution:
    """Return the solution in ``directory``. Raises UsageError (there is none), DamagedFileError."""
    path = Path(directory)
    head = _read_head(path)
    try:
        layout = head.spot.layout()
    except UsageError as error:
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: {error}") from error
    solution = _prepared(head.spot, layout, threads)
    own = solution.solver.arrays()
    expected = {name: (array.dtype, array.shape) for name, array in own.items()}
    solution.solver.restore(head.iterations, read_npz(path / head.arrays, expected))
    if head.measured is not None and len(head.measured) == 4:
        a, b, c, d = head.measured
        solution.measured, solution.measured_at = Measured((a, b), (c, d)), head.iterations
    return solution


def prepare(spot: Spot, threads: int = 1) -> Solution:
    """Return the spot with no iteration done.

    Raises:
        UsageError: the spot makes no sense, or needs more memory than there is.
    """
    return _prepared(spot, spot.layout(), threads)


def _prepared(spot: Spot, layout: TreeLayout, threads: int) -> Solution:
    check_memory(layout)
    leaves = None
    if layout.leaves:
        leaves = CheckedDown(spot.cards(), layout.boards[0].hands[0], layout.hands)
    return Solution(spot, Solver(layout, spot.weights(), threads=threads, leaves=leaves))


def check_memory(layout: TreeLayout) -> None:
    """Raise UsageError if the solution would take more memory than the machine has free."""
    needed, free = layout.num_bytes(np.float32), free_memory()
    if needed > _MEMORY_SHARE * free:
        sizes = " x ".join(f"{f.num_slots:,}" for f in layout.tree.streets)
        raise UsageError(
            f"The solution needs {needed / 2**30:.1f} GiB of memory, and {free / 2**30:.1f} GiB are free ({sizes} actions by "
            "street). Leave out bets, above all on the river, narrow the ranges, begin a street later, or take "
            "--check-down (players check behind the first street)."
        )


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
