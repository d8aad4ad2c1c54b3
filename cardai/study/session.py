"""Reviewing a file from its first hand to its last: with progress, kept on the way, stopped and gone on with."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from cardai.arena.records import Record, RecordFile, check_fits, other_game, unseen
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.format import LeftOut
from cardai.core.game import Game
from cardai.core.text import one_line
from cardai.study import saved
from cardai.study.graded import GradedHand
from cardai.study.grading import BATCH, Grader, JudgeGrader, Task
from cardai.study.judge import Judge
from cardai.study.review import Review, Setting, reviewed

KEPT_EVERY = 20.0
"""Seconds after which what was graded is on the disk."""
Progress = Callable[[int, int], None]


@frozen(eq=False)
class Job:
    """What is reviewed: hands to grade, those that cannot be counted by reason, how, and where it is kept."""

    setting: Setting
    grader: Grader
    tasks: Sequence[Task]
    left_out: Mapping[str, int]
    digest: str
    out: Path | None = None
    batch: int = BATCH
    """Hands that are graded together, and lost together where the work is stopped."""


def job_of(
    file: RecordFile, game: Game, hero: str, judge: Judge, out: Path | None = None, player: int | None = None
) -> Job:
    """Return the review of ``hero`` (or of the player of that number) in a file of hands of ``game``.

    Raises:
        UsageError: he does not play in it.
    """
    tasks, left_out = tasks_of(file, game, number_of(file, game, hero) if player is None else player)
    setting = Setting(
        registry.spec_of(game), hero, judge.name, judge.unit, game.unit, judge.mistake, judge.blunder, judge.floor
    )
    return Job(setting, JudgeGrader(judge), tasks, left_out, digest_of(file), out, BATCH)


def tasks_of(file: RecordFile, game: Game, who: int) -> tuple[list[Task], dict[str, int]]:
    """Return the hands of a file that the player of that number sits at, and the others counted by why they are none."""
    left_out: Counter[str] = Counter()
    tasks = []
    for number, record in enumerate(file.hands, 1):
        reason = _unfit(game, str(file.header["game"]), record, who)
        if reason:
            left_out[reason] += 1
        else:
            tasks.append(Task(number, record, record["seats"].index(who)))
    left_out.update(one.reason if isinstance(one, LeftOut) else "the line is damaged" for one in file.damaged)
    return tasks, dict(left_out)


def number_of(file: RecordFile, game: Game, hero: str) -> int:
    """Return the number of a player in a file's header. Raises UsageError where there is none, or several, of the name."""
    names = [str(name) for name in file.header.get("agents", ())]
    found = [number for number, name in enumerate(names) if name == hero]
    if len(found) == 1:
        return found[0]
    if not names and hero.isdecimal() and int(hero) < game.num_players:
        return int(hero)
    if found:
        raise UsageError(
            f"{len(found)} players of the file are called {hero!r}: whose decisions are meant is not known."
        )
    raise UsageError(
        f"The file holds hands of {' and '.join(map(one_line, names)) or 'nobody named'}, not of {hero!r}."
    )


def digest_of(file: RecordFile) -> str:
    """Return what tells a file's hands from others'."""
    told = hashlib.sha256(json.dumps(dict(file.header), sort_keys=True, default=str).encode())
    for record in file.hands:
        told.update(json.dumps([record["seed"], record["deck"], record["actions"]]).encode())
    return told.hexdigest()


def _unfit(game: Game, spec: str, record: Record, who: int) -> str:
    """Return why a hand cannot be graded, "" where it can."""
    if who not in record["seats"]:
        return "the player does not sit at it"
    if other_game(spec, record):
        return "it is of another game than the first"
    if record["seats"].index(who) in unseen(record):
        return "nobody saw the player's cards"
    try:
        check_fits(game, record)
    except DamagedFileError:
        return "it does not fit the game"
    return ""


def run(job: Job, resume: bool = False, progress: Progress | None = None) -> tuple[Review, bool]:
    """Return the review, and whether it is whole: Ctrl-C ends it before.

    Raises:
        UsageError: ``resume``, and what is kept is another review. WriteError: it cannot be kept.
    """
    held = saved.go_on(job.out, job.setting, job.digest) if resume and job.out is not None else None
    done = {hand.number: hand for hand in (held.hands if held else ())}
    broken: Counter[str] = Counter()
    tasks = [task for task in job.tasks if task.number not in done]
    kept = time.monotonic()
    whole = True
    try:
        for start in range(0, len(tasks), job.batch):
            for hand in _graded(job.grader, tasks[start : start + job.batch], broken):
                done[hand.number] = hand
                if progress:
                    progress(len(done) + sum(broken.values()), len(job.tasks))
                if time.monotonic() - kept > KEPT_EVERY:
                    _keep(job, _review(job, done, broken))
                    kept = time.monotonic()
    except KeyboardInterrupt:
        whole = False
    review = _review(job, done, broken)
    _keep(job, review)
    return review, whole


def _graded(grader: Grader, tasks: Sequence[Task], broken: Counter[str]) -> list[GradedHand]:
    """Return graded hands; where one of several cannot be replayed, each is tried by itself."""
    try:
        return list(grader.grade(tasks))
    except DamagedFileError:
        if len(tasks) == 1:
            broken["it cannot be replayed"] += 1
            return []
    return [hand for task in tasks for hand in _graded(grader, [task], broken)]


def _review(job: Job, done: Mapping[int, GradedHand], broken: Counter[str]) -> Review:
    return reviewed(job.setting, list(done.values()), dict(Counter(job.left_out) + broken))


def _keep(job: Job, review: Review) -> None:
    if job.out is not None:
        saved.write(job.out, review, job.digest)
