"""Kills whatever writes, at random moments, goes on, and compares the end with that of a run that nobody stopped.

    python benchmarks/kill.py [--writers run tournament ...] [--kills 200] [--seed 1] [--least 0.6] [--write]

A writer is a command that leaves files: a match, a tournament, a sweep, a solved spot, situations, conversions, a match of a
person, reports, reviews, measures, matches at sites (``benchmarks/kill_studies.py``), and the training of every trainer that
``cardai list-plugins`` shows (``benchmarks/kill_writers.py``). Each is run
once undisturbed. Then again and again: begun, killed by SIGKILL at a moment drawn evenly over the time it takes, gone on
with as its user would (a third of the time killed once more), and at the end compared: records, tables and what is printed
byte by byte, arrays and metrics number by number, without clock readings. A line a writer says how many processes were
killed, how many runs ended as the undisturbed one, how many were said to be broken (with the sentence), in how many something
that was finished before a kill was gone after it, and how many ended otherwise. It ends with 1 if any did. ``--write``
puts each line into the page docs/reference/kills.md as it comes, with its date and options; other writers' lines stay.

A process is a fork of one in which everything is imported and compiled, so that a kill falls into the work.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import define, field

sys.path.insert(0, str(Path(__file__).resolve().parent))

from kill_writers import Writer, all_writers

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/kills.md"
AGAIN = 1 / 3
"""How often a process that goes on is killed, too."""
_PATIENCE = 20  # times the undisturbed run's length, and a minute, that a process may take
_TRIES = 50  # processes of one run


@define
class Tally:
    """What came of a writer."""

    kills: int = 0
    runs: int = 0
    same: int = 0
    broken: int = 0
    lost: int = 0
    different: int = 0
    said: Counter[str] = field(factory=Counter)
    """Sentences and differences, and how often each came."""

    @property
    def failed(self) -> bool:
        """Whether anything was lost, or ended otherwise."""
        return self.lost + self.different > 0 or self.same + self.broken + self.different < self.runs


def call(words: Sequence[str], place: Path, answers: str, out: Path) -> int:
    """Run a command line of cardai in this process, in ``place``, and return its exit code. Output goes to ``out``."""
    from cardai.cli import main
    from cardai.core import registry

    os.chdir(place)
    (out.parent / "answers").write_text(answers)
    for number, name, flags in (
        (0, out.parent / "answers", os.O_RDONLY),
        (1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, out.with_suffix(".err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        handle = os.open(name, flags, 0o666)
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin = os.fdopen(0, closefd=False)
    registry.default.reset()
    sys.argv = ["cardai", *words]
    try:
        main(list(words))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def begin(words: Sequence[str], place: Path, answers: str, out: Path) -> int:
    """Fork a process that runs a command line, the leader of a group of its own; return its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    number = os.fork()
    if number:
        return number
    code = 70
    try:
        os.setsid()
        code = call(words, place, answers, out)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(number: int, seconds: float) -> int | None:
    """Wait so long for a process and return its exit code, None if it is still at work."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(min(0.002, max(0.0, limit - time.monotonic())))
    return None


def kill(number: int) -> None:
    """Kill a process and all of its group."""
    try:
        os.killpg(number, signal.SIGKILL)
    except ProcessLookupError:  # it has just begun, and leads no group yet
        os.kill(number, signal.SIGKILL)
    os.waitpid(number, 0)


class Trial:
    """A writer's folder: its undisturbed run, and runs that are killed."""

    def __init__(self, writer: Writer, folder: Path, rng: random.Random) -> None:
        self.writer, self.folder, self.rng = writer, folder, rng
        self.out = folder / "out.txt"
        self.tally = Tally()
        writer.prepare(folder)
        (folder / "warm").mkdir()
        if call((writer.warm or writer.start)(writer.size), folder / "warm", writer.answers, self.out):
            raise RuntimeError(f"{writer.name} failed undisturbed:\n{self._error()[-3000:]}")
        while True:
            place = folder / f"whole-{writer.size}"
            begun = time.monotonic()
            self._whole(place)
            self.seconds = time.monotonic() - begun
            if self.seconds >= writer.least or not writer.longer(self.seconds):
                break
        self.expected = writer.result(place, self.out.read_text())

    def _whole(self, place: Path) -> None:
        place.mkdir()
        number = begin(self.writer.command(place), place, self.writer.answers, self.out)
        if (code := ended(number, 600.0)) != 0:
            raise RuntimeError(f"{self.writer.name} failed undisturbed ({code}):\n{self._error()[-3000:]}")

    def run(self, number: int) -> None:
        """Kill one run, go on with it to its end, and compare."""
        place, tally, done = self.folder / f"killed-{number}", self.tally, 0
        place.mkdir()
        tally.runs += 1
        for attempt in range(_TRIES):
            words = self.writer.command(place)
            if not words:
                self._compare(place, 0)
                return
            process = begin(words, place, self.writer.answers, self.out)
            dying = attempt == 0 or (attempt < _TRIES - 1 and self.rng.random() < AGAIN)
            code = ended(process, self.rng.random() * self.seconds if dying else _PATIENCE * self.seconds + 60)
            if code is None:
                kill(process)
                if not dying:
                    self._differs("it did not end")
                    return
                tally.kills += 1
            before, done = done, self.writer.finished(place)
            if done < before:
                tally.lost += 1
                tally.said[f"{before} were finished, then {done}"] += 1
                return
            if code is not None:
                self._compare(place, code)
                return

    def _compare(self, place: Path, code: int) -> None:
        error = self._error()
        if code:
            sentence = next((line for line in error.splitlines() if line.startswith("cardai: ")), "")
            self.tally.broken += bool(sentence)
            self.tally.said[sentence.replace(str(place), "") or f"exit code {code}: {error[-500:]}"] += 1
            return
        found = self.writer.result(place, self.out.read_text())
        names = sorted(found.keys() | self.expected.keys())
        wrong = [name for name in names if found.get(name) != self.expected.get(name)]
        if wrong:
            self._differs(", ".join(wrong[:4]))
        else:
            self.tally.same += 1

    def _differs(self, what: str) -> None:
        self.tally.different += 1
        self.tally.said[f"otherwise: {what}"] += 1

    def _error(self) -> str:
        return self.out.with_suffix(".err").read_text(errors="replace")


def tried(writer: Writer, kills: int, seed: int) -> Tally:
    """Kill a writer so often and return what came of it."""
    import shutil

    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(writer, Path(folder), random.Random(f"{seed} {writer.name}"))
        number = 0
        while trial.tally.kills < kills:
            trial.run(number)
            shutil.rmtree(Path(folder) / f"killed-{number}", ignore_errors=True)
            number += 1
        return trial.tally


def apart(writer: Writer, kills: int, seed: int) -> Any:
    """Return what comes of a writer, tried in a process of its own, or the text of what went wrong."""
    import pickle

    reading, writing = os.pipe()
    number = os.fork()
    if not number:
        os.close(reading)
        try:
            found: Any = tried(writer, kills, seed)
        except BaseException:
            found = traceback.format_exc()
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(found, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(number, 0)
    return pickle.loads(data) if data else "its process died"


# -- the page --------------------------------------------------------------------------------------------------------

HEADINGS = ["writer", "kills", "runs", "same", "broken", "lost", "otherwise", "what was said", "when, and how"]


def row(writer: Writer, tally: Tally, options: str) -> str:
    """Return a writer's line of the page."""
    said = "; ".join(f"{times} x {text[:160]}" for text, times in tally.said.most_common(3)).replace("|", "\\|")
    counts = [tally.kills, tally.runs, tally.same, tally.broken, tally.lost, tally.different]
    return f"| {' | '.join([writer.name, *map(str, counts), said, options])} |"


def write_page(name: str, line: str) -> None:
    """Put a writer's line into the page, in the place of the one that it had."""
    names = [writer.name for writer in all_writers()]
    known = PAGE.read_text().splitlines() if PAGE.exists() else []
    lines = {one.split(" | ")[0].removeprefix("| "): one for one in known if one.startswith("| ")} | {name: line}
    held = [lines[each] for each in names if each in lines]
    missing = [each for each in names if each not in lines]
    kills = sum(int(one.split(" | ")[1]) for one in held)
    text = [
        "# Killed at any moment",
        "",
        "What comes of each command that leaves files where it is killed (SIGKILL, the whole group of processes) at a random "
        "moment and gone on with, a third of the time killed once more: `python benchmarks/kill.py --kills 200 --least 0.25 "
        "--seed N --writers NAME --write` writes its line, with the seed at the end of it. *Same* are runs whose records, "
        "tables, tensors, metrics and printed results are at the end those of a run that nobody stopped, byte for byte but for "
        "clock readings; *broken* those that were refused in a sentence; *lost* those in which something finished before a kill "
        "was gone after it; *otherwise* all others.",
        "",
        "What follows on a flop is a stand-in in the best response from before the flop (a real one takes minutes; what is kept is "
        "kept the same way). At Slumbot's a hand that was left is gone, and other cards are dealt: same is there that all hands "
        "were played, each whole. At both sites a hand whose last action was taken as the process was killed has ended there and "
        "is not in the record: at GTO Wizard's those behind it are then other hands, which is what is *otherwise* there.",
        "",
        f"{kills:,} kills of {len(held)} writers. " + (f"Not here yet: {', '.join(missing)}." if missing else "All are here."),
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|{' --- |' * len(HEADINGS)}",
        *held,
    ]  # fmt: skip
    PAGE.write_text("\n".join(text) + "\n")


def main() -> None:
    """Kill, go on, compare, and print the table."""
    os.environ["OMP_NUM_THREADS"] = "1"  # no threads that a fork would lack
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    writers = all_writers()
    parser.add_argument("--writers", nargs="*", choices=[writer.name for writer in writers], metavar="NAME")
    parser.add_argument("--kills", type=int, default=200, help="of each writer")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--least", type=float, default=0.6, help="seconds that an undisturbed run takes, or more")
    parser.add_argument("--write", action="store_true", help=f"put the lines into {PAGE.name}")
    arguments = parser.parse_args()
    head = f"{'writer':<40}{'kills':>7}{'runs':>7}{'same':>7}{'broken':>8}{'lost':>6}{'otherwise':>11}{'seconds':>9}"
    sys.stdout.write(head + "\n")
    failed = False
    for writer in writers:
        if arguments.writers and writer.name not in arguments.writers:
            continue
        begun = time.monotonic()
        writer.least = arguments.least
        tally = apart(writer, arguments.kills, arguments.seed)
        if isinstance(tally, str):
            sys.stdout.write(f"{writer.name:<40}{tally}\n")
            failed = True
            continue
        counts = f"{tally.kills:>7}{tally.runs:>7}{tally.same:>7}{tally.broken:>8}{tally.lost:>6}{tally.different:>11}"
        sys.stdout.write(f"{writer.name:<40}{counts}{time.monotonic() - begun:>9.0f}\n")
        sys.stdout.writelines(f"  {times} x {text}\n" for text, times in tally.said.most_common(8))
        sys.stdout.flush()
        failed |= tally.failed
        if arguments.write:
            how = f"{datetime.now(UTC):%Y-%m-%d}, `--seed {arguments.seed} --least {arguments.least:g}`"
            write_page(writer.name, row(writer, tally, how))
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
