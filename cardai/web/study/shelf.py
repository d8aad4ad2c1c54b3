"""Libraries of solved spots: the person's own in the folder of the data, and one that the owner named; and their reports."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import digest_of
from cardai.poker.ranges.flop_report import KeptReport, Row, kept_reports, row
from cardai.poker.ranges.library import Entry, Library
from cardai.poker.ranges.solution import KEPT, Solution, load, read_head
from cardai.poker.spot_options import arguments, command
from cardai.ui import kept
from cardai.web.study.bench import MOST_BYTES

OWN, NAMED = "mine", "library"
MOST_KEPT = 500
"""Spots that a page may keep in the person's own library."""
MOST_KEPT_BYTES = 1 << 30
"""What they may take on the disk."""
MOST_NAMED = 200
"""Ranges that a form offers by name."""
MOST_FLOPS = 200
"""Of a report on a page."""
MOST_ROWS = 5_000
"""Rows of reports that are remembered."""


@frozen(eq=False)
class Shelf:
    """The libraries, by their names here; ``named`` is the directory that the owner named."""

    named: Path | None = None
    rows: dict[tuple[Path, int, str], Row] = field(factory=dict)
    """Rows of reports that were read, by the spot's folder, when it was written, and the line."""

    def libraries(self) -> dict[str, Library]:
        """Return the libraries that are there."""
        found = {OWN: Library(kept.folder() / kept.SPOTS)}
        if self.named is not None:
            found[NAMED] = Library(self.named)
        return found

    def library(self, name: str) -> Library:
        """Return a library by its name here. Raises UsageError for any other."""
        known = self.libraries()
        if name not in known:
            raise UsageError("There is no such library here.")
        return known[name]

    def spots(self) -> tuple[list[tuple[str, Entry]], list[str]]:
        """Return all spots, each with its library's name, and what could not be read."""
        found, damaged = [], []
        for name, library in self.libraries().items():
            found += [(name, entry) for entry in library]
            damaged += library.damaged
        return found, damaged

    def named_ranges(self) -> list[tuple[str, str]]:
        """Return the ranges that the libraries have by position and pot type, each with its name; none of a damaged library."""
        found = []
        for library in self.libraries().values():
            with suppress(DamagedFileError):
                for start in library.starts():
                    name = f"{start.position} {start.raised}"
                    found += [(f"{name}, first to act", start.first), (f"{name}, button", start.button)]
        return found[:MOST_NAMED]

    def opened(self, name: str, key: str) -> tuple[Solution, str]:
        """Return a spot's solution, and its directory.

        Raises:
            UsageError: there is none of the name, or it is larger than a page may take. DamagedFileError.
        """
        library = self.library(name)
        entry = next((one for one in library if one.path.name == key), None)
        if entry is None:
            raise UsageError("There is no such spot in the library.")
        small = read_head(entry.path).arrays == KEPT.format(entry.iterations)
        if entry.spot.layout(small).num_bytes("int16") > MOST_BYTES:
            raise UsageError(f"This spot is too large for a page. Look at it with: {command('solve', str(entry.path))}")
        solution = load(entry.path)
        if solution.measured is None:  # whoever solved it was killed
            solution.measure()
        return solution, str(entry.path)

    def keep(self, solution: Solution) -> Path:
        """Keep a solution in the person's own library. Raises UsageError where that is full."""
        self.need_room(1)
        return self.library(OWN).keep(solution)

    def need_room(self, count: int) -> None:
        """Raise UsageError where the person's own library has no room for so many more spots."""
        library = self.library(OWN)
        held = [file for file in library.directory.rglob("*") if file.is_file()]
        if sum(file.name == "spot.json" for file in held) + count > MOST_KEPT or _size(held) > MOST_KEPT_BYTES:
            raise UsageError(f"The library in {library.directory} is full: remove folders of spots there first.")

    # -- reports -----------------------------------------------------------------------------------------------------

    def reports(self) -> list[tuple[str, str, KeptReport]]:
        """Return the reports that there are, each with its library's name and a key."""
        return [(name, key_of(one), one) for name, library in self.libraries().items() for one in kept_reports(library)]

    def report(self, name: str, key: str) -> KeptReport:
        """Return a report. Raises UsageError where there is none, or it has more flops than a page shows."""
        found = next((one for one in kept_reports(self.library(name)) if key_of(one) == key), None)
        if found is None:
            raise UsageError("There is no such report here.")
        if len(found.flops.flops) > MOST_FLOPS:
            raise UsageError(f"A page shows reports of up to {MOST_FLOPS} flops: {self.command(name, found, '')}")
        return found

    def rows_of(self, report: KeptReport, line: str) -> list[Row]:
        """Return a report's rows at a line, in order of the flops' weights. Raises UsageError where it leads nowhere."""
        found = []
        for flop, weight in zip(report.flops.flops, report.flops.weights, strict=True):
            path = report.entries[flop].path
            key = path, (path / "spot.json").stat().st_mtime_ns, line
            if key not in self.rows:
                if len(self.rows) >= MOST_ROWS:
                    self.rows.clear()
                self.rows[key] = row(load(path), line, 0.0)
            found.append({**self.rows[key], "weight": weight})
        return sorted(found, key=lambda one: -one["weight"])

    def command(self, name: str, report: KeptReport, line: str, only: str = "", sort: str = "") -> str:
        """Return the command that prints a report. Raises UsageError where no options of it say its spot."""
        spot = report.spot
        if spot.limit or spot.cap or spot.minimum or spot.aggressor >= 0 or spot.locks:
            raise UsageError("The options of cardai report do not say such a spot.")
        words, flops = arguments(spot)[2:], report.flops.flops
        chosen = ["--flops", f"{len(flops)}"] if report.chosen else [w for flop in flops for w in ("--board", flop)]
        more = [f"--{name}={text}" for name, text in (("at", line), ("only", only), ("sort", sort)) if text]
        return command("report", str(self.library(name).directory), *chosen, *words, "--to", f"{report.to:g}%", *more)


def _size(files: list[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def key_of(report: KeptReport) -> str:
    """Return what a report is called in an address: a digest of its spot without the flop."""
    told: dict[str, Any] = {**asdict(report.spot), "board": ""}
    return digest_of(told)[:16]
