"""``cardai review``: what a player's decisions cost by the best judge there is, the dearest first."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import Jobs, Json, absolute, note, print_json, progress, say
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cardai.arena.records import RecordFile
    from cardai.poker.grading.flops import RangeBook
    from cardai.study.review import Review
    from cardai.study.session import Job

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Hands of run --record, of play, or of another format, a folder or zip of rooms' files; - is stdin.",
        show_default=False,
    ),
]
Hero = Annotated[
    str | None,
    typer.Option("--hero", metavar="NAME", help="Whose decisions.", show_default="human, or whoever plays alone"),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge", metavar="AGENT", help="Who says what actions are worth.", show_default="the best that is installed"
    ),
]
Floor = Annotated[
    float | None,
    typer.Option(
        "--floor", metavar="X", min=0, help="What costs no more is no mistake.", show_default="the judge's own error"
    ),
]
Mistake = Annotated[
    float | None,
    typer.Option("--mistake", metavar="X", min=0, help="What a mistake costs at least.", show_default="the judge's"),
]
Blunder = Annotated[
    float | None,
    typer.Option("--blunder", metavar="X", min=0, help="What a blunder costs at least.", show_default="the judge's"),
]
Top = Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many of the dearest decisions are shown.")]
Csv = Annotated[str | None, typer.Option("--csv", metavar="FILE", help="Write a row a decision here; - is stdout.")]
Out = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Keep the review here, for --resume and drills.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the review in --out.")]


Range = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="[NAME=]RANGE",
        help="Hand histories: with what players see the flop; a text or a file.",
        show_default="what the chart's line before the flop leaves",
    ),
]
Bets = Annotated[str, typer.Option("--bets", metavar="SIZES", help="Hand histories: bets beside those that were made.")]
Raises = Annotated[
    str, typer.Option("--raises", metavar="SIZES", help="Hand histories: raises beside those that were made.")
]
To = Annotated[
    float, typer.Option("--to", metavar="PERCENT", min=0, help="Hand histories: solve to so many % of the pot, ...")
]
Iterations = Annotated[int, typer.Option("--iterations", metavar="N", min=1, help="... or for so many iterations.")]
LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library",
        metavar="DIR",
        help="Hand histories: a library, whose charts and solved flops are used first, and where flops are kept.",
    ),
]
Recent = Annotated[bool, typer.Option("--recent", help="Hand histories: hands of the last day too.")]


def review(
    file: File,
    hero: Hero = None,
    judge: JudgeOption = None,
    floor: Floor = None,
    mistake: Mistake = None,
    blunder: Blunder = None,
    top: Top = 10,
    csv: Csv = None,
    out: Out = None,
    resume: Resume = False,
    range_: Range = None,
    bets: Bets = "0.66",
    raises: Raises = "none",
    to: To = 1.0,
    iterations: Iterations = 100,
    recent: Recent = False,
    library: LibraryOption = None,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Grade every decision of a player in recorded hands: what it cost, the dearest first, with the reason.

    A decision costs what the judge expects of the best action less what he expects of the one taken, where that is more than
    the judge's own error; how often others choose an action does not matter. Poker rooms' hand histories are graded by charts
    before the flop, and pots for two are solved from there on; what is neither is counted by why it is left out.

    Example: cardai review match.jsonl --hero human
    """
    if resume and out is None:
        raise UsageError("--resume goes on with the review that --out names: give --out FILE.")
    from cardai.formats.rooms.review import Asked, job_of_rooms
    from cardai.study.session import run

    place = _place(out, file)
    asked = Asked(_book_of(range_ or ()), bets, raises, to, iterations, jobs, recent, mistake, blunder, library)
    job = None if file == "-" else job_of_rooms(file, hero, asked, place)
    if job is None:
        if range_:
            raise UsageError(f"--range is for hand histories of poker rooms. {file} is something else.")
        job = _of_records(file, hero, judge, (floor, mistake, blunder), place)
    elif judge is not None or floor is not None:
        raise UsageError("Hand histories are graded by solving: leave out --judge and --floor.")
    with progress("Reviewing", "hands") as advance:
        found, whole = run(job, resume, advance)
    _show(found, top, csv, json)
    _end(found, len(job.tasks), whole, out)


def _book_of(given: Sequence[str]) -> RangeBook:
    """Return ranges from NAME=RANGE, where a range is a text or the name of a file of one. Raises UsageError."""
    from cardai.commands.range import range_given
    from cardai.poker.grading.flops import RangeBook

    ranges = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        key = name.strip() if equals else ""
        if key in ranges:
            raise UsageError(f"--range names {key or 'everybody'!r} twice.")
        ranges[key] = ",".join(filter(None, map(str.strip, range_given(value).splitlines())))
    return RangeBook(ranges)


def _place(out: str | None, file: str) -> Path | None:
    """Return where a review is kept. Raises UsageError where it would be written over the hands in ``file``."""
    kept = absolute(out)
    place = None if kept is None else Path(kept)
    if place is not None and place.exists() and os.path.exists(file) and place.samefile(file):
        raise UsageError("--out names the file of the hands: the review would be written over them. Give another name.")
    return place


def _of_records(
    file: str,
    hero: str | None,
    judge: str | None,
    limits: tuple[float | None, float | None, float | None],
    out: Path | None,
) -> Job:
    """Return the review of hands of our own formats by a judge of actions."""
    from cardai import make
    from cardai.formats import read_hands
    from cardai.formats.rooms.coach import coach_of
    from cardai.study.judge import judge_for
    from cardai.study.session import job_of

    held = read_hands(file)
    if not held.hands:
        raise DamagedFileError(f"{file} holds no finished hand.")
    game = make.game(held.header["game"])
    whose = hero or _hero(held)
    if judge is None and all(limit is None for limit in limits):
        return coach_of(game).job(held, whose, out=out)
    return job_of(held, game, whose, judge_for(game, judge, *limits), out)


def _show(found: Review, top: int, csv: str | None, json: bool) -> None:
    from cardai.core.files import write_atomically
    from cardai.study.report import csv_of, plain
    from cardai.study.review import text_of

    if csv is not None:
        write_atomically(Path(csv), csv_of(found).encode())
    if json:
        print_json(plain(found, top))
    elif csv != "-":
        say(text_of(found, top))


def _hero(file: RecordFile) -> str:
    """Return the person of a file, or its only player. Raises UsageError where nobody is meant."""
    names = [str(name) for name in file.header.get("agents", ())]
    people = [name for name in names if name == "human"]
    if len(names) == 1 or len(people) == 1:
        return (people or names)[0]
    raise UsageError(
        f"Say whose decisions are graded by --hero: {' or '.join(map(one_line, names)) or '0, 1, ... by seat'}."
    )


def _end(found: Review, wanted: int, whole: bool, out: str | None) -> None:
    if whole:
        return
    how = f" Go on with it: --out {out} --resume" if out else ""
    note(f"Stopped after {len(found.hands):,} of {wanted:,} hands.{how}")
    raise typer.Exit(130)
