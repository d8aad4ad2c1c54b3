"""``cardai solve``: a spot of hold'em over ranges, from the flop, the turn or the river."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from math import log
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer
from attrs import frozen

from cardai.commands import invocation, spot_options
from cardai.commands.invocation import Json, note, out, print_json, say
from cardai.core.errors import UsageError
from cardai.core.notes import show_state
from cardai.core.text import clock
from cardai.poker.spot_options import ENOUGH, MOST, Limits, SpotOptions, percent

if TYPE_CHECKING:
    from cardai.poker.ranges.layout import TreeLayout
    from cardai.poker.ranges.solution import Solution
    from cardai.poker.ranges.spot import Spot

LONG = 60.0
"""Seconds of CPU from which on somebody is asked first."""

Directory = Annotated[Path | None, typer.Argument(metavar="[DIR]", help="A solved spot, to look at or to go on with.")]
SAVE_SECONDS = 120.0
"""Seconds of solving between two saves, or more: a twentieth of the time may go into saving."""
_SAVED_SHARE = 20

To = Annotated[
    str | None, typer.Option("--to", metavar="PERCENT", help="Stop at this exploitability, in % of the pot.")
]
Iterations = Annotated[
    int | None,
    typer.Option("--iterations", metavar="N", min=1, help="Stop then in any case.", show_default="5000"),
]
Threads = Annotated[int, typer.Option("--threads", metavar="N", min=1, max=64, help="CPU threads.")]
DirectoryOut = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Where to keep the solution.")]
Bits = Annotated[
    int,
    typer.Option(
        "--bits", metavar="16|32", help="Of each number that is kept; 16 where it would be large.", show_default=False
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep", metavar="WHAT", help="all, to go on later, or small: the last street is solved when looked at."
    ),
]
At = Annotated[
    str, typer.Option("--at", metavar="LINE", help="The decision to show: actions and cards, 'x b1000 c / 2c'.")
]
Png = Annotated[str | None, typer.Option("--png", metavar="FILE", help="Draw the grid as a picture.")]


def solve(
    directory: Directory = None,
    board: spot_options.Board = None,
    pot: spot_options.Pot = None,
    stack: spot_options.Stack = None,
    range_: spot_options.Range = None,
    bets: spot_options.Bets = None,
    limit: spot_options.Limit = None,
    cap: spot_options.Cap = 0,
    minimum: spot_options.Minimum = 0,
    check_down: spot_options.CheckDown = False,
    rake: spot_options.RakeShare = None,
    rake_cap: spot_options.RakeCap = None,
    lock: spot_options.Locks = None,
    add_allin: spot_options.AddAllin = 0.0,
    force_allin: spot_options.ForceAllin = 0.0,
    merge: spot_options.Merge = 0.0,
    aggressor: spot_options.Aggressor = None,
    to: To = None,
    iterations: Iterations = None,
    threads: Threads = 1,
    directory_out: DirectoryOut = None,
    library: spot_options.LibraryOption = None,
    position: spot_options.Position = None,
    raised: spot_options.Raised = None,
    bits: Bits = 0,
    keep: Keep = None,
    at: At = "",
    png: Png = None,
    json: Json = False,
) -> None:
    """Solve a spot of hold'em over ranges, and show how often each hand does what, and what that is worth.

    Example: cardai solve --board KsTh7s4d --pot 2000 --stack 19000 --bets 0.5+1+allin --out spots/x

    Then: cardai solve spots/x --at "b1000 c / 2c"
    """
    _check(png)
    stop = Stop(None if to is None else percent(to, "--to"), iterations, threads, bits, _small(keep))
    given = SpotOptions(
        board, pot, stack, range_, bets, rake, rake_cap, Limits(cap, minimum, add_allin, force_allin, merge),
        limit=limit, checked_down=check_down, locks=lock, aggressor=aggressor,
        out=directory_out, library=library, position=position, raised=raised,
    )  # fmt: skip
    _show(_found(directory, given, stop, at), at, png, json)


def _check(png: str | None) -> None:
    """Raise UsageError before anything is solved where the picture cannot be drawn."""
    from cardai.commands.show.pictures import check_picture

    if png is not None:
        check_picture(png)


def _small(keep: str | None) -> bool | None:
    if keep not in (None, "all", "small"):
        raise UsageError(f"--keep is all or small. Got {keep!r}.")
    return None if keep is None else keep == "small"


def _found(directory: Path | None, given: SpotOptions, stop: Stop, at: str) -> Solution:
    """Return the solution of a new spot, or of a directory's."""
    if directory is not None and not directory.exists() and _is_board(str(directory)):
        raise UsageError(f"There is no solved spot in '{directory}'. Cards are given by --board: --board {directory}.")
    if directory is not None and (named := given.named()):
        raise UsageError(f"{directory} has its own {named[0].removeprefix('--')}. Leave out {named[0]}.")
    if directory is not None and not stop and (stop.bits or stop.small is not None):
        option = "--bits" if stop.bits else "--keep"
        raise UsageError(f"{option} says how {directory} is solved further: it needs --to or --iterations.")
    if given.out is not None and given.library is not None:
        raise UsageError("A spot is kept in --out or in --library. Leave one out.")
    if directory is None:
        return _solved(given, stop, at)
    with _kept_from_others(directory if stop else None):
        return _gone_on(directory, stop, at)


def _is_board(text: str) -> bool:
    from cardai.poker.ranges.spot import parse_board

    try:
        return bool(parse_board(text))
    except UsageError:
        return False


def _kept_from_others(directory: Path | None) -> AbstractContextManager[object]:
    """Return what keeps other processes from writing the directory of a spot while it is solved, if there is one."""
    from cardai.core.locks import DirectoryLock

    return nullcontext() if directory is None else DirectoryLock(directory, "The spot in {} is being solved")


@frozen
class Stop:
    """When solving ends: at an exploitability in percent of the pot, or after iterations; None where neither is given. And how
    it is done and kept."""

    percent: float | None
    iterations: int | None
    threads: int = 1
    bits: int = 0
    small: bool | None = None

    def __bool__(self) -> bool:
        return self.percent is not None or self.iterations is not None


def _gone_on(directory: Path, stop: Stop, at: str) -> Solution:
    """Return a solved spot, solved further where that is asked for: to the iterations alone, whatever is reached."""
    from cardai.poker.ranges.solution import load

    solution = load(directory, stop.threads)
    solution.check_line(at)
    if stop:
        solution = _anew(solution, stop.percent or 0.0, stop)
        _go(solution, stop.percent or 0.0, stop.iterations or MOST, directory, stop.small)
    elif solution.measured is None:  # it was killed
        solution.measure()
    return solution


def _solved(given: SpotOptions, stop: Stop, at: str) -> Solution:
    """Return a new spot, solved to 0.25 % of the pot unless another end is given."""
    from cardai.poker.ranges.position import SAME

    spot, place, small = given.spot(), given.out, stop.small
    named, suits = spot, SAME
    if given.library is not None:
        from cardai.poker.ranges.library import Library, canonical, image

        spot, suits = image(named := canonical(spot))
        place, small = Library(given.library).place(spot), small if small is not None else True
    with _kept_from_others(place):
        solution = _taken_up(spot, place, stop)
        if given.library is not None:
            solution.label |= given.label()
        solution.renamed(named, suits).check_line(at)
        _go(solution, ENOUGH if stop.percent is None else stop.percent, stop.iterations or MOST, place, small)
    return solution.renamed(named, suits)


def _taken_up(spot: Spot, directory: Path | None, stop: Stop) -> Solution:
    """Return the spot as far as ``directory`` has it solved, or with no iteration done."""
    from cardai.core.files import vacant
    from cardai.poker.ranges.solution import SPOT, begun, load

    if directory is not None and (directory / SPOT).exists():
        known = load(directory, stop.threads)
        if known.spot != spot:
            raise UsageError(
                f"{directory} holds another spot. Choose another --out, or go on by: cardai solve {directory}"
            )
        note(f"{directory} has {known.iterations:,} iterations: going on with them.")
        return _anew(known, ENOUGH if stop.percent is None else stop.percent, stop)
    if directory is not None and not vacant(directory) and not (directory.is_dir() and begun(directory)):
        raise UsageError(f"{directory} is not empty, and holds no solved spot. Choose another --out.")
    return _begun(spot, stop)


def _anew(known: Solution, to: float, stop: Stop) -> Solution:
    """Return what is gone on with: a solution that was kept small, and is not as good as wanted, is begun anew."""
    from cardai.poker.ranges.kept import KeptSolver

    if not isinstance(known.solver, KeptSolver) or known.exploitability <= to:
        return known
    note(f"It was kept small, at {known.exploitability:.3g} % of the pot, so it is solved anew.")
    fresh = _begun(known.spot, stop)
    fresh.label = known.label
    return fresh


def _begun(spot: Spot, stop: Stop) -> Solution:
    """Return a spot with no iteration done, after a word where that takes long."""
    from cardai.core.kernel import when_compiling
    from cardai.poker.ranges.solution import packs, prepare

    with when_compiling(lambda: note("Compiling the solver, which is kept for the next time.")):
        layout = spot.layout()
        _ask(spot, layout, packs(layout, stop.bits))
        return prepare(spot, stop.threads, stop.bits, layout)


def _ask(spot: Spot, layout: TreeLayout, packed: bool) -> None:
    """Ask whoever sits there before much memory or time is taken, and offer a menu that takes less."""
    from cardai.core.memory import free_memory
    from cardai.poker.ranges.solution import fitting

    needed, seconds, free = layout.num_bytes("int16" if packed else "float32"), 200 * layout.seconds, free_memory()
    if (needed <= free / 2 and seconds <= LONG) or needed > 0.8 * free:  # more is refused
        return
    fits = fitting(spot, layout, min(free / 2, needed * LONG / seconds))
    offer = f' --bets "{fits}" would take less.' if fits else ""
    note(
        f"This takes {needed / 2**30:.2g} of {free / 2**30:.3g} GiB that are free, and from {clock(seconds)} on.{offer}"
    )
    if sys.stdin.isatty() and sys.stderr.isatty() and not typer.confirm("Solve it?", default=True, err=True):
        raise typer.Exit(130)


def _go(solution: Solution, to: float, iterations: int, directory: Path | None, small: bool | None) -> None:
    """Solve with a live line; what is done is kept now and then, and when somebody stops it."""
    from cardai.commands.process import stopping_gently
    from cardai.core.kernel import when_compiling
    from cardai.poker.ranges.showing import effort
    from cardai.poker.ranges.solution import solve

    note(effort(solution.solver.layout, solution.solver.packed))
    live = Live(to)
    due = monotonic() + SAVE_SECONDS

    def told(now: Solution) -> bool:
        nonlocal due
        live.show(now)
        if directory is not None and (begun := monotonic()) > due:
            now.save(directory, small=False)
            due = monotonic() + max(SAVE_SECONDS, _SAVED_SHARE * (monotonic() - begun))
        return not stopped

    compiling = when_compiling(lambda: note("Compiling the solver, which is kept for the next time."))
    with stopping_gently() as stopped, compiling:
        solve(solution, to, iterations, told)
    live.close()
    if directory is not None:
        solution.save(directory, False if stopped else small)
    if stopped:
        say(
            f"Stopped after {solution.iterations:,} iteration{'s' * (solution.iterations != 1)}, at {solution.exploitability:.3g} % of the pot."
        )
        if directory is not None:
            goal = f"--to {to:g}%" if to else f"--iterations {iterations}"
            say(f"Go on with: cardai solve {directory} {goal}")
        raise typer.Exit(130)


class Live:
    """A line on stderr that says how far the solving is; nothing where that is no terminal, or with --quiet."""

    def __init__(self, to: float) -> None:
        self._to, self._begun, self._points = to, monotonic(), [(0, 0.0, float("inf"))]
        self._shown = sys.stderr.isatty() and not invocation.current().quiet

    def show(self, solution: Solution) -> None:
        """Show the solution's state."""
        now = (solution.iterations, monotonic() - self._begun, solution.exploitability)
        if now[2] != self._points[-1][2]:
            self._points.append(now)
        if self._shown:
            found = "" if now[2] == float("inf") else f", exploitability {now[2]:.3f} % of the pot"
            show_state(f"{now[0]:,} iterations{found}, {clock(now[1])}{self._left(now)}")

    def _left(self, now: tuple[int, float, float]) -> str:
        """Guess the time left: exploitability falls with a power of the iterations."""
        known = [point for point in self._points[1:] if point[2] < float("inf")]
        if len(known) < 2 or known[-1][2] >= known[-2][2] or now[0] == 0:
            return ""
        (i, _, a), (j, _, b) = known[-2:]
        power = log(a / b) / log(j / i) if j > i else 0.0
        if power <= 0.1 or b <= self._to or not self._to:
            return ""
        goal = j * (b / self._to) ** (1 / power)
        return f", about {clock(max(0.0, now[1] * (goal / now[0] - 1)))} left"

    def close(self) -> None:
        """End the line."""
        if self._shown:
            show_state()


def _show(solution: Solution, line: str, png: str | None, json: bool) -> None:
    from cardai.commands.show import range_grid
    from cardai.poker.ranges import showing
    from cardai.poker.ranges.grid import shown_actions

    position = solution.at(line)
    title = position.title
    if png is not None:
        range_grid.draw(position, title, png)
    if json:
        print_json(showing.as_json(solution, position))
        return
    console = out()
    console.print(showing.standing(solution))
    console.print(f"\n{title}")
    console.print(position.table("--at"))
    _, words = shown_actions(position.actions)
    console.print(f"How often each hand {words}, in % (- is not in the range):")
    console.print(range_grid.text_grid(position))
    if png is not None:
        console.print(f"Drawn: {png}")
