"""Plants small bugs one by one in a copy of the checkout and says which ones the tests catch.

    python benchmarks/mutations.py [--only TEXT ...] [--group NAME ...] [--jobs 2] [--seconds 300] [--check]

``mutations.toml`` beside this file lists them: a file, one line of it, what the line becomes, and the tests that ought to
fail. Nothing is changed in place: each job has a copy of the checkout, with kernels cached apart from everybody's. The
tests that are named must pass before anything is planted. A mutation is caught when they fail or run out of time.

``--only cardai/ui`` plants those of one folder, and a share is printed for each folder that was tried.

Exit code 0 if at least 85 % are caught in every folder, 1 if fewer or if something is wrong with the list (a line that is no longer
found, or found twice; tests that fail by themselves).
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_name("mutations.toml")
ENOUGH = 0.85
HOUSES = ("poker", "plugins")
"""Folders each of whose rooms counts by itself."""
ENDED = (-signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)
"""What tests return that somebody else ended."""


@frozen
class Mutation:
    """A line of ``file`` (without its indentation) that becomes ``new``; ``tests`` are pytest's arguments."""

    group: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = field(converter=tuple)

    def planted(self, text: str) -> str:
        """Return ``text`` with the mutation in it. Raises ValueError where the line is not there exactly once."""
        lines = text.splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if line.strip() == self.old]
        if len(found) != 1:
            raise ValueError(f"{self.file}: the line is there {len(found)} times, not once: {self.old}")
        line = lines[found[0]]
        indentation = line[: len(line) - len(line.lstrip())]
        lines[found[0]] = f"{indentation}{self.new}\n"
        return "".join(lines)

    def __str__(self) -> str:
        return f"{self.file.removeprefix('cardai/')}: {self.old}  ->  {self.new}"


@frozen
class Verdict:
    """What the tests said: whether they failed, the first test that did (or "time"), and the seconds it took."""

    caught: bool
    by: str
    seconds: float


def read(file: Path = LIST) -> list[Mutation]:
    """Return the mutations of a list; raise ValueError naming all whose line is not in the checkout exactly once."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [Mutation(group, **entry) for group, entries in table.items() for entry in entries]
    wrong = []
    for mutation in found:
        try:
            mutation.planted((ROOT / mutation.file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            wrong.append(str(error))
        wrong += [f"{name}: there is no such test file" for name in mutation.tests if _missing(name)]
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def _missing(argument: str) -> bool:
    return argument.startswith("tests") and not (ROOT / argument.partition("::")[0]).exists()


class Copy:
    """A copy of the checkout in which tests are run."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "checkout", folder / "kernels"
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in listed.splitlines():
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        where = subprocess.run(
            [sys.executable, "-c", "import cardai; print(cardai.__file__)"],
            cwd=self.root, env=self.environment(), capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        if not Path(where.strip()).is_relative_to(self.root):
            raise RuntimeError(f"The tests would run {where.strip()}, which is not the copy.")
        self.passed: dict[tuple[str, ...], float] = {}
        self.process: subprocess.Popen[str] | None = None

    def environment(self) -> dict[str, str]:
        """Return the environment in which every process, those that tests start included, uses the copy."""
        threads = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        places = {"PYTHONPATH": str(self.root), "CARDAI_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**os.environ, **threads, **places}

    def test(self, tests: tuple[str, ...], seconds: float) -> Verdict:
        """Run tests until the first failure."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
        began = time.perf_counter()
        self.process = process = subprocess.Popen(
            command, cwd=self.root, env=self.environment(), text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Verdict(True, "time", time.perf_counter() - began)
        if process.returncode in ENDED:
            raise RuntimeError(f"The tests were ended from outside (signal {-process.returncode}): that is no verdict.")
        first = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
        crashed = f"a crash (signal {-process.returncode})" if process.returncode < 0 else said.strip()[-300:]
        return Verdict(process.returncode != 0, first[1] if first else crashed, time.perf_counter() - began)

    def stop(self) -> None:
        """End the tests under way."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def passing(self, tests: tuple[str, ...]) -> float:
        """Return the seconds that tests take as the checkout has them (run once). Raises RuntimeError where they fail."""
        if tests not in self.passed:
            verdict = self.test(tests, 3600)
            if verdict.caught:
                raise RuntimeError(f"These tests fail without any mutation: {' '.join(tests)} ({verdict.by})")
            self.passed[tests] = verdict.seconds
        return self.passed[tests]

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[None]:
        """Plant a mutation for a while. Kernels compiled meanwhile are thrown away."""
        file, known = self.root / mutation.file, _entries(self.cache)
        original, times = file.read_bytes(), file.stat()
        file.write_text(mutation.planted(original.decode()), encoding="utf-8")
        try:
            yield
        finally:
            file.write_bytes(original)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            for folder in _entries(self.cache) - known:
                shutil.rmtree(folder)

    def judge(self, mutation: Mutation, seconds: float) -> Verdict:
        """Return whether a mutation's tests catch it, within ``seconds`` more than twice their usual time."""
        limit = seconds + 2 * self.passing(mutation.tests)
        with self.planted(mutation):
            return self.test(mutation.tests, limit)


def _entries(folder: Path) -> set[Path]:
    return set(folder.iterdir()) if folder.is_dir() else set()


def judged(mutations: list[Mutation], folder: Path, jobs: int, seconds: float) -> Iterator[tuple[Mutation, Verdict]]:
    """Yield each mutation with its verdict, in the list's order."""
    copies = [Copy(folder / str(job)) for job in range(jobs)]
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def work(mutation: Mutation) -> Verdict:
        copy = free.get()
        try:
            return copy.judge(mutation, seconds)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        verdicts = [pool.submit(work, mutation) for mutation in mutations]
        try:
            for mutation, verdict in zip(mutations, verdicts, strict=True):
                yield mutation, verdict.result()
        finally:  # Ctrl-C ends what is under way
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in copies:
                copy.stop()


def folder_of(mutation: Mutation) -> str:
    """Return the folder that a mutation counts for: a room, or a room of the house of a family (cardai/poker/ranges)."""
    parts = Path(mutation.file).parts
    return "/".join(parts[: 3 if parts[1] in HOUSES and len(parts) > 3 else 2])


def by_folder(mutations: list[Mutation], survivors: list[Mutation]) -> list[tuple[str, int, int]]:
    """Return (folder, caught, planted) of each folder, in order of names."""
    planted = Counter(map(folder_of, mutations))
    survived = Counter(map(folder_of, survivors))
    return [(folder, planted[folder] - survived[folder], planted[folder]) for folder in sorted(planted)]


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def asked() -> argparse.Namespace:
    """Return the options given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="mutations whose file or line has a TEXT")
    parser.add_argument("--group", nargs="+", default=[], metavar="NAME", help="mutations of these groups of the list")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at a time")
    parser.add_argument("--seconds", type=float, default=300, help="for the tests, beyond twice their usual time")
    parser.add_argument("--check", action="store_true", help="only look whether every line is still there")
    return parser.parse_args()


def chosen(mutations: list[Mutation], given: argparse.Namespace) -> list[Mutation]:
    """Return the mutations that the options mean."""
    of_groups = [m for m in mutations if not given.group or m.group in given.group]
    return [m for m in of_groups if not given.only or any(text in m.file or text in m.old for text in given.only)]


def main() -> None:
    """Plant, test, and print the table."""
    given = asked()
    try:
        mutations = chosen(read(), given)
    except ValueError as error:
        raise SystemExit(f"Mend {LIST.name}:\n{error}") from error
    if given.check:
        raise SystemExit(say(f"{len(mutations)} mutations, every line is there once."))
    if not mutations:
        raise SystemExit("No mutation of the list is meant.")
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        for mutation, verdict in judged(mutations, Path(folder), given.jobs, given.seconds):
            say(f"{'caught' if verdict.caught else 'SURVIVED':<9}{verdict.seconds:>6.1f} s  {mutation}")
            say(f"{'':<19}{verdict.by if verdict.caught else 'by none of ' + ' '.join(mutation.tests)}")
            survivors += [] if verdict.caught else [mutation]
    share = 1 - len(survivors) / len(mutations)
    folders = by_folder(mutations, survivors)
    for folder, caught, planted in folders:
        say(f"{folder:<32}{caught:>4} of {planted:>3}: {100 * caught / planted:>5.1f} %")
    say(f"{len(mutations) - len(survivors)} of {len(mutations)} mutations caught: {100 * share:.1f} %")
    for mutation in survivors:
        say(f"survived: {mutation}")
    raise SystemExit(any(caught < ENOUGH * planted for _, caught, planted in folders))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # the tests under way end too
    try:
        main()
    except RuntimeError as error:
        raise SystemExit(str(error)) from error
