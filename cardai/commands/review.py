"""``cardai review``: what a player's decisions cost by the best judge there is, the dearest first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import Json, absolute, note, print_json, progress, say
from cardai.core.errors import DamagedFileError, UsageError

if TYPE_CHECKING:
    from cardai.arena.records import RecordFile
    from cardai.study.review import Review

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Hands of run --record, of play, or of another format; - is stdin.", show_default=False
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
    json: Json = False,
) -> None:
    """Grade every decision of a player in recorded hands: what it cost, the dearest first, with the reason.

    A decision costs what the judge expects of the best action less what he expects of the one taken, where that is more than
    the judge's own error; how often others choose an action does not matter.

    Example: cardai review match.jsonl --hero human
    """
    if resume and out is None:
        raise UsageError("--resume goes on with the review that --out names: give --out FILE.")
    from cardai import make
    from cardai.core.files import write_atomically
    from cardai.formats import read_hands
    from cardai.study.judge import judge_for
    from cardai.study.report import csv_of, plain
    from cardai.study.review import text_of
    from cardai.study.session import job_of, run

    held = read_hands(file)
    if not held.hands:
        raise DamagedFileError(f"{file} holds no finished hand.")
    game = make.game(held.header["game"])
    whose = hero or _hero(held)
    chosen = judge_for(game, judge, floor, mistake, blunder)
    kept = absolute(out)
    job = job_of(held, game, whose, chosen, None if kept is None else Path(kept))
    with progress("Reviewing", "hands") as advance:
        found, whole = run(job, resume, advance)
    if csv is not None:
        write_atomically(Path(csv), csv_of(found).encode())
    if json:
        print_json(plain(found, top))
    elif csv != "-":
        say(text_of(found, top))
    _end(found, len(job.tasks), whole, out)


def _hero(file: RecordFile) -> str:
    """Return the person of a file, or its only player. Raises UsageError where nobody is meant."""
    names = [str(name) for name in file.header.get("agents", ())]
    people = [name for name in names if name == "human"]
    if len(names) == 1 or len(people) == 1:
        return (people or names)[0]
    raise UsageError(f"Say whose decisions are graded by --hero: {' or '.join(names) or '0, 1, ... by seat'}.")


def _end(found: Review, wanted: int, whole: bool, out: str | None) -> None:
    if whole:
        return
    how = f" Go on with it: --out {out} --resume" if out else ""
    note(f"Stopped after {len(found.hands):,} of {wanted:,} hands.{how}")
    raise typer.Exit(130)
