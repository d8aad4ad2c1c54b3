"""The review of a poker room's hand histories: before the flop by charts, pots for two by solving."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.poker.grading.flops import RangeBook
    from cardai.poker.preflop.charts import Chart
    from cardai.study.session import Job

BLINDS = "big blinds"
MISTAKE, BLUNDER = 0.25, 1.0
"""What a mistake and a blunder cost at least, in big blinds."""


@frozen
class Asked:
    """How hand histories are to be graded."""

    book: RangeBook
    bets: str
    raises: str
    to: float
    iterations: int
    threads: int
    recent: bool
    mistake: float | None
    blunder: float | None
    library: Path | None = None
    """Where charts of play before the flop lie, beside those of the box, and solved flops."""


def job_of_rooms(file: str, hero: str | None, asked: Asked, out: Path | None) -> Job | None:
    """Return the review of a room's hand history, None where ``file`` is none.

    Raises:
        UsageError: ranges that cannot be read, or nobody to grade.
    """
    from datetime import UTC, datetime

    from cardai.core.errors import DamagedFileError
    from cardai.formats.folders import digest
    from cardai.formats.rooms import room_hands
    from cardai.formats.rooms.flops import sorted_hands
    from cardai.poker.grading.before import ChartGrader
    from cardai.poker.grading.grader import SolvingGrader
    from cardai.poker.grading.spots import Effort, check_sizes
    from cardai.poker.grading.whole import WholeGrader
    from cardai.poker.ranges.library import Library
    from cardai.study.grading import Task
    from cardai.study.review import Setting
    from cardai.study.session import Job

    try:
        with room_hands(file) as hands:
            found = sorted_hands(hands, hero, asked.recent, datetime.now(UTC))
    except DamagedFileError:
        return None
    if not found.heroes:
        raise UsageError(f"{file} holds no hand of {hero!r}." if hero else f"{file} shows nobody's cards: give --hero.")
    book = asked.book
    check_sizes(asked.bets, asked.raises)
    effort = Effort(asked.bets, asked.raises, asked.to, asked.iterations, asked.threads, found.rake, found.rake_cap)
    mistake = MISTAKE if asked.mistake is None else asked.mistake
    blunder = max(BLUNDER if asked.blunder is None else asked.blunder, mistake)
    tables = {len(hand.before.stacks) for _, hand in found.hands if hand.before is not None}
    charts = charts_of(asked.library, tables)
    solving = SolvingGrader(book, effort, mistake, blunder, None if asked.library is None else Library(asked.library))
    grader = WholeGrader(ChartGrader(charts, mistake, blunder), solving)
    reasons = [grader.refused(hand) for _, hand in found.hands]
    left_out = Counter(found.left_out) + Counter(filter(None, reasons))
    tasks = [
        Task(number, hand, hand.seat) for (number, hand), reason in zip(found.hands, reasons, strict=True) if not reason
    ]
    called = f"{effort}; ranges {told(book)}; charts {', '.join(charts) or 'none'} {digest_of_charts(charts)}".rstrip()
    setting = Setting("holdem_nolimit", hero or found.heroes[0], called, BLINDS, BLINDS, mistake, blunder)
    return Job(setting, grader, tasks, left_out, digest(Path(file)), out, batch=1)


def charts_of(library: Path | None, tables: set[int]) -> dict[str, Chart]:
    """Return the charts of play before the flop of a library and of the box, by name, for tables of so many players.

    Raises UsageError where the library is no directory.
    """
    if library is not None and library.exists() and not library.is_dir():
        raise UsageError(f"A library is a directory. {library} is none.")
    from cardai.poker.preflop.starts import chart_of, charts, head_of

    known = [one.name for one in charts(library) if head_of(one).rules.players in tables]
    return {name: chart_of(library, name) for name in known}


def digest_of_charts(charts: dict[str, Chart]) -> str:
    """Return a digest of charts: a review goes on only with the same."""
    from attrs import asdict

    from cardai.core.files import digest_of

    return digest_of({name: asdict(chart.head) for name, chart in charts.items()})[:12] if charts else ""


def told(book: RangeBook) -> str:
    """Return a digest of ranges: a review goes on only with the same."""
    from cardai.core.files import digest_of

    return digest_of(dict(book.ranges))[:12]
