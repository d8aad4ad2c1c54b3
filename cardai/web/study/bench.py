"""Spots that are being solved, one after another, and those that are: within limits, whoever asks.

A visitor has one spot on the way at a time. What a spot needs is known before it is begun (its tree and boards are laid out,
which takes a moment and some megabytes), and what needs more than :data:`MOST_BYTES` is refused with what would take less;
what takes longer than :data:`MOST_SECONDS` ends there, and what is there by then is shown.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from attrs import define, field

from cardai.core.errors import CardaiError, UsageError
from cardai.core.memory import free_memory
from cardai.core.text import clock
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.showing import effort
from cardai.poker.ranges.solution import Solution, fitting, packs, prepare, solve
from cardai.poker.ranges.spot import Spot
from cardai.poker.spot_options import MOST, arguments, command
from cardai.web.jobs import DONE, Job, Jobs, Line
from cardai.web.study.drawn import Plain, glimpse

T = TypeVar("T")
MOST_BYTES = 1 << 30
"""Of all solutions together."""
MOST_SECONDS = 600.0
"""Of solving a spot."""
GLIMPSE = 2.0
"""Seconds between two looks at what is solved so far, and a tenth of the time at most goes into them."""
WATCHED = 5.0
"""Seconds for which a page that asked how far a spot is counts as looking."""
LINE: Line = "spots"
MOST_KEPT = 12
"""Spots that can be looked at."""
PATIENCE = 30.0
"""Seconds that a page waits for another that reads in the same solution."""


@define(eq=False)
class Study(Job):
    """A spot on the bench. Percentages are of the pot."""

    spot: Spot
    to: float
    """The exploitability that is enough."""
    needed: int = 0
    """The bytes of its solution."""
    solution: Solution | None = None
    source: str = ""
    """The directory that it was read from."""
    curve: list[tuple[int, float, float]] = field(factory=list)
    """(iterations, seconds, exploitability), each time it was measured."""
    iterations: int = 0
    seconds: float = 0.0
    cut: bool = False
    """Whether somebody, or the time, ever stopped it: then its iterations are no round number of their own."""
    lock: threading.Lock = field(factory=threading.Lock)
    """Held while its solver's arrays are written or read through."""
    watched: tuple[float, str] = (0.0, "")
    """When a page last asked how far it is, and at which line."""
    seen: Plain | None = None
    """What was there at that line a moment ago."""
    next_look: float = 0.0

    def command(self, at: str = "", out: str = "") -> str:
        """Return the command that gives the same figures at a line of it; ``out``: and keeps it there."""
        where = [*(["--at", at] if at else []), *(["--out", out, "--keep", "all"] if out and not self.source else [])]
        if self.source:
            return command("solve", self.source, *where)
        stopped = ["--iterations", f"{self.iterations}"] if self.cut else []
        try:
            return command("solve", *arguments(self.spot), "--to", f"{self.to:.12g}%", *stopped, *where)
        except UsageError as error:  # a library's spot that was made in Python
            return str(error)


class Bench:
    """All spots, by their names."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        self.jobs = jobs or Jobs()
        self._studies: dict[str, Study] = {}
        self._lock = threading.Lock()
        self._warm: Job | None = None

    def warm(self, work: Callable[[], object]) -> None:
        """Have ``work`` done once, before anything is solved: it compiles what solving and looking need."""
        with self._lock:
            if self._warm is None:
                self._warm = Job()
                self.jobs.begin(LINE, self._warm, work)

    @property
    def compiling(self) -> bool:
        """Whether kernels are compiled before the first spot is solved."""
        return self._warm is not None and self._warm.under_way and self._warm.compiling

    @property
    def cold(self) -> bool:
        """Whether what solving needs is still being compiled."""
        return self._warm is not None and self._warm.under_way

    def of(self, visitor: str) -> list[Study]:
        """Return a visitor's spots, the newest first."""
        return [one for one in reversed(self._studies.values()) if one.visitor == visitor]

    def get(self, name: str) -> Study | None:
        """Return the spot of that name, None where there is none (any more)."""
        found = self._studies.get(name)
        if found is not None:
            found.used = time.monotonic()
        return found

    def ahead(self, study: Study) -> int:
        """Return how many spots are solved before one that waits."""
        waiting = [one for one in self.jobs.waiting(LINE) if one is not self._warm]
        return waiting.index(study) if study in waiting else 0

    def needs(self, spot: Spot) -> tuple[TreeLayout, str]:
        """Return a spot's layout and what solving it takes, in words.

        Raises:
            UsageError: the spot makes no sense, or takes more than is given here.
        """
        layout = spot.layout()
        spot.weights()
        packed = packs(layout, 0)
        needed, least = layout.num_bytes("int16" if packed else "float32"), 100 * layout.seconds
        most = min(MOST_BYTES, free_memory() // 2)
        if needed > most or least > MOST_SECONDS:
            fits = fitting(spot, layout, min(most, needed * MOST_SECONDS / max(least, 1e-9)))
            offer = f' With the bets "{fits}" it would do.' if fits else ""
            raise UsageError(
                f"This takes {needed / 2**30:.2g} GiB of memory and from {clock(least)} on, and a page may take "
                f"{most / 2**30:.2g} GiB and {clock(MOST_SECONDS)}. Look at fewer bets, above all on the river, narrow the ranges, "
                f"begin a street later, or let nobody bet behind this street.{offer}"
            )
        return layout, effort(layout, packed)

    def begin(self, spot: Spot, to: float, visitor: str) -> Study:
        """Have a spot solved to ``to`` % of the pot, and return it.

        While what solving needs is compiled, nobody waits for this answer: a spot that takes too much has failed then.

        Raises:
            UsageError: it makes no sense, takes too much, or the visitor has one on the way.
        """
        study = Study(spot, to, visitor=visitor)
        layout = None if self.cold else self._laid_out(study)
        with self._lock:
            self.jobs.need_turn(LINE, visitor, "A spot")
            self._make_room(study.needed)
            self._studies[study.name] = study
            self._do(study, lambda: prepare(spot, layout=layout or self._fitted(study)))
        return study

    def _laid_out(self, study: Study) -> TreeLayout:
        """Return a spot's layout, and take down what it needs. Raises UsageError as :meth:`needs` does."""
        layout, study.words = self.needs(study.spot)
        study.needed = layout.num_bytes("int16" if packs(layout, 0) else "float32")
        return layout

    def _fitted(self, study: Study) -> TreeLayout:
        """Return the layout of a spot that is on the bench already, and make room for it. Raises UsageError."""
        layout = self._laid_out(study)
        with self._lock:
            self._make_room(0)
        return layout

    def go_on(self, study: Study, to: float) -> None:
        """Solve a spot further. Raises UsageError as :meth:`begin` does."""
        if study.source:
            raise UsageError("This spot was kept, without what it could be solved further from. Solve it anew.")
        if study.solution is None or study.solution.exploitability <= to:
            raise UsageError(f"It is solved to {to:g} % of the pot already.")
        with self._lock:
            self.jobs.need_turn(LINE, study.visitor, "A spot")
            study.to = to
            self._do(study, lambda: study.solution)

    def add(self, solution: Solution, source: str, visitor: str) -> Study:
        """Put a solution that was read from a directory on the bench."""
        with self._lock:
            known = next((one for one in self.of(visitor) if one.source == source), None)
            if known is not None:
                return known
            to, needed = solution.exploitability, solution.num_bytes
            study = Study(solution.spot, to, needed, visitor=visitor, state=DONE)
            study.solution, study.source, study.iterations = solution, source, solution.iterations
            self._make_room(needed)
            self._studies[study.name] = study
        return study

    def look(self, study: Study, work: Callable[[Solution], T]) -> T:
        """Return what ``work`` reads in a solution. Raises UsageError where there is none yet."""
        if study.under_way or not study.lock.acquire(timeout=PATIENCE):
            raise UsageError("This spot is not solved yet, or somebody looks at it for long. Come again in a moment.")
        try:
            if study.solution is None or study.under_way:
                raise UsageError("This spot is not solved yet.")
            return work(study.solution)
        finally:
            study.lock.release()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _make_room(self, needed: int) -> None:
        """Let go of what was looked at the longest time ago."""
        done = sorted((one for one in self._studies.values() if not one.under_way), key=lambda one: one.used)
        while (
            len(self._studies) >= MOST_KEPT or sum(one.needed for one in self._studies.values()) + needed > MOST_BYTES
        ):
            if not done:
                raise UsageError(
                    "The spots that are being solved take all the memory there is for them. Come again in a moment."
                )
            del self._studies[done.pop(0).name]

    def _do(self, study: Study, made: Callable[[], Solution | None]) -> None:
        self.jobs.begin(LINE, study, lambda: self._solve(study, made))

    def _solve(self, study: Study, made: Callable[[], Solution | None]) -> None:
        """Solve, in the thread for it. Raises KeyboardInterrupt where it was stopped."""
        with study.lock:
            try:
                study.solution = made()
                assert study.solution is not None
                begun = time.monotonic() - study.seconds
                solve(study.solution, study.to, MOST, lambda now: self._told(study, now, begun))
            except Exception:
                study.needed = 0
                raise
            whole = study.solution.exploitability <= study.to or study.iterations >= MOST
            self._note(study, study.solution)
            study.cut, study.seen = study.cut or not whole, None
        if not whole:
            raise KeyboardInterrupt

    def _told(self, study: Study, now: Solution, begun: float) -> bool:
        """Take down how far it is; return whether it goes on."""
        study.seconds, study.compiling = time.monotonic() - begun, False
        self._note(study, now)
        asked, line = study.watched
        if time.monotonic() - asked < WATCHED and time.monotonic() >= study.next_look:
            looked = time.monotonic()
            with contextlib.suppress(CardaiError):  # a line that leads nowhere
                study.seen = {**glimpse(now, line), "iterations": now.iterations}
            study.next_look = time.monotonic() + max(GLIMPSE, 10 * (time.monotonic() - looked))
        return not study.stopping.is_set() and study.seconds < MOST_SECONDS

    def _note(self, study: Study, now: Solution) -> None:
        study.iterations = now.iterations
        if now.measured is not None and (not study.curve or study.curve[-1][0] < now.measured_at):
            study.curve.append((now.measured_at, study.seconds, now.exploitability))
