"""Ranges by name: "BTN-BB" in a pot raised "single" is what a library keeps by that name, or what a chart says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from attrs import frozen

from cardai.core.errors import UsageError
from cardai.core.files import refuse_link
from cardai.poker.preflop.blueprints import NAME, blueprint_start
from cardai.poker.preflop.charts import HEAD, POTS, Chart, Head, read_chart, read_head
from cardai.poker.ranges.library import Library, Start

DEFAULT = "6max"
"""The chart that is meant where a position names none."""
FOLDER = "preflop"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")


@frozen
class Known:
    """A chart that can be named. ``directory`` None: it comes with cardai."""

    name: str
    directory: Path | None

    @property
    def place(self) -> str:
        """Where it lies, in words."""
        return "in the box" if self.directory is None else str(self.directory)


def charts(library: Path | None) -> list[Known]:
    """Return the charts of a library and of the box, by name; a library's holds over the box's of the same name."""
    found = {}
    box = files("cardai.poker.preflop").joinpath("charts")
    if box.is_dir():
        found = {one.name: Known(one.name, None) for one in box.iterdir() if one.joinpath(HEAD).is_file()}
    if library is not None:
        for path in sorted((library / FOLDER).glob("*")):
            if (path / HEAD).is_file():
                found[path.name] = Known(path.name, path)
    return [found[name] for name in sorted(found)]


def place_of(library: Path, name: str) -> Path:
    """Return where a library keeps the chart of a name. Raises UsageError: it is no name. DamagedFileError: a link is there."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"A chart's name is letters, digits, - and _, such as 6max or hu20. Got {name[:60]!r}.")
    path = library / FOLDER / name
    for each in (path.parent, path):  # what is written through a link is elsewhere
        refuse_link(each)
    return path


def chart_of(library: Path | None, name: str) -> Chart:
    """Return the chart of a name. Raises UsageError: there is none. DamagedFileError."""
    known = {one.name: one for one in charts(library)}
    if name not in known:
        raise UsageError(
            f"There is no chart {name[:40]!r} of play before the flop. Known: {', '.join(known) or 'none'}. Make one: "
            "cardai preflop LIBRARY --name NAME --players 6 --stack 100 --iterations 400"
        )
    place = known[name].directory
    return _boxed(name) if place is None else read_chart(place)


def head_of(known: Known) -> Head:
    """Return the head of a chart. Raises DamagedFileError."""
    return _boxed(known.name).head if known.directory is None else read_head(known.directory)


@cache
def _boxed(name: str) -> Chart:
    with as_file(files("cardai.poker.preflop").joinpath("charts", name)) as path:
        return read_chart(path)


def start_of(library: Path | None, position: str, raised: str) -> Start:
    """Return the ranges, pot and stacks that a position and a pot type begin with at the flop.

    A library's own ranges (:meth:`Library.add`) come first, then charts: "BTN-BB" of :data:`DEFAULT`, "hu100.SB-BB" of the chart
    hu100, "blueprint100.SB-BB" of the player in the box (:mod:`.blueprints`); the one who raised first before the other.

    Raises:
        UsageError: there are none.
    """
    if library is not None:
        own = Library(library)
        if any((one.position, one.raised) == (position, raised) for one in own.starts()):
            return own.start(position, raised)
    name, dot, seats = position.rpartition(".")
    if (found := NAME.fullmatch(name)) is not None:
        return blueprint_start(int(found[1]), seats, raised, position)
    chart = chart_of(library, name if dot else DEFAULT)
    start = _start(chart, seats, raised, position)
    if start is None:
        known = ", ".join(f"{one.position} {one.raised}" for one in starts_in(chart))
        more = "" if library is None else f", nor ranges of {position} {raised} in {library}"
        raise UsageError(f"The chart {name or DEFAULT} has no pot {seats[:20]} {raised[:20]}{more}. Known: {known}.")
    return start


def starts_in(chart: Chart) -> Iterator[Start]:
    """Yield what a chart has ranges for: all pairs of seats and kinds of pots that two see the flop of."""
    names = chart.head.rules.positions
    for raised in POTS:
        for first in chart.head.rules.order:
            for other in chart.head.rules.order:
                found = _start(chart, f"{names[first]}-{names[other]}", raised, "")
                if found is not None:
                    yield found


def _start(chart: Chart, seats: str, raised: str, called: str) -> Start | None:
    names = chart.head.rules.positions
    parts = seats.split("-")
    if len(parts) != 2 or parts[0] == parts[1] or not all(part in names for part in parts) or raised not in POTS:
        return None
    pair = names.index(parts[0]), names.index(parts[1])
    try:
        node = chart.line_of(*pair, POTS.index(raised))
        first, button = sorted(pair)
        pot, behind = chart.pot(node)
        ranges = [chart.range_at(node, seat) for seat in (first, button)]
    except UsageError:
        return None
    return (
        Start(called or seats, raised, ranges[0], ranges[1], round(pot, 4), (round(behind, 4),) * 2)
        if behind > 0
        else None
    )
