"""Commands on full disks, without a home, with little memory, under signals, two at once: what happens, as a table.

    python benchmarks/mistreatment.py [--only WORD ...] [--write]

Each command of ``mistreatment_cases.py`` is called under each circumstance in a directory of its own, and called again
once the circumstance is over. At fault is a traceback, a hang, an exit code that does not fit, a failure without a
sentence, a process or a half-written file that is left behind, and whatever keeps the next call from ending with the same
bytes as one that nobody disturbed. ``--only`` takes words of commands and circumstances; ``--write`` writes the page
docs/reference/mistreatment.md, with ``--only`` those lines of it, ``--missing`` tries what the page does not have yet, what
took least elsewhere first. It works in a mount namespace of its own (``unshare``, Linux), so that disks can be small.
Kernels are kept from call to call (``$CARDAI_CACHE_DIR``): compiled anew they would take more than all else of a few lines.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import platform
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from statistics import fmean

from attrs import define, field, frozen
from mistreatment_cases import CASES, CIRCUMSTANCES, SHIM, Case, Circumstance

from cardai.commands.process import PLAIN
from cardai.core.files import user_cache

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "mistreatment.md"
SOLVED = (
    "solve",
    "--board",
    "KsTh7s4d2c",
    "--pot",
    "20",
    "--stack",
    "20",
    "--range",
    "AA,QQ",
    "--range",
    "KK,JJ",
    "--bets",
    "allin",
)
MATCH = ("run", "-g", "kuhn", "-a", "random", "-v", "random", "-n", "120")
"""What is read: a solved spot, and a person's matches."""
PATIENCE = 300.0
"""Seconds after which a process hangs."""
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Whose modes of files hold for root too."""


@define
class Process:
    """A process under way: a call of cardai in a session of its own."""

    case: Case
    child: subprocess.Popen[bytes]
    out: Path
    """Where standard output and error lie, or what the terminal was shown."""
    terminal: int = -1
    seen: bytes = b""
    typed: int = 0
    peak: int = 0
    """Bytes of address space, the most so far."""
    cpu: float = 0.0
    """CPU seconds when it was last looked at."""
    begun: float = field(factory=time.monotonic)

    def turn(self, typing: bool = True) -> bool:
        """Look after the process for a moment; whether it still runs."""
        if self.terminal >= 0:
            self._play(typing)
        else:
            time.sleep(0.02)
        try:
            status = Path(f"/proc/{self.child.pid}/status").read_text()
            found = re.search(r"VmPeak:\s+(\d+)", status)
            self.peak = max(self.peak, 1024 * int(found.group(1)) if found else 0)
        except OSError:
            pass
        worked = self.worked()
        self.cpu = worked if worked < float("inf") else self.cpu
        return self.child.poll() is None

    def worked(self) -> float:
        """Return the CPU seconds that it has taken, which a busy machine does not change; its end is as far as it gets."""
        try:
            words = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("inf")
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def _play(self, typing: bool) -> None:
        """Sit at the terminal: leave the game once it is there."""
        if select.select([self.terminal], [], [], 0.02)[0]:
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError:  # nobody is left to write
                time.sleep(0.02)
        steps = ((b"Your turn", b"q"), (b"The match is kept", b"y"))
        if typing and self.typed < 2 and steps[self.typed][0] in self.seen:
            os.write(self.terminal, steps[self.typed][1])
            self.typed += 1

    def end(self, since: float = 0.0) -> Ended:
        """Wait for its end."""
        limit = time.monotonic() + PATIENCE
        while self.turn() and time.monotonic() < limit:
            pass
        seconds = time.monotonic() - (since or self.begun)
        hung = self.child.poll() is None
        left = members(self.child.pid)
        limit = time.monotonic() + 10
        while left and not hung and time.monotonic() < limit:
            time.sleep(0.1)
            left = members(self.child.pid)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.child.wait()
        if self.terminal >= 0:
            os.close(self.terminal)
            self.out.with_suffix(".err").write_bytes(re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", self.seen))
        text = [self.out.with_suffix(end).read_text(errors="replace") for end in (".out", ".err")]
        return Ended(
            self.child.returncode, seconds, text[0], text[1], hung, 0 if hung else len(left), self.peak, self.cpu
        )


@frozen
class Ended:
    """How a process ended."""

    code: int
    seconds: float
    out: str
    err: str
    hung: bool
    left: int
    """Processes of its that were still there."""
    peak: int
    cpu: float = 0.0
    """CPU seconds that it took."""

    @property
    def said(self) -> str:
        """The sentence it ended with."""
        lines = [line.strip() for line in self.err.replace("\r", "\n").splitlines() if line.strip()]
        ours = [line for line in lines if "cardai: " in line]
        last = (ours or lines or [""])[-1]
        return last[max(0, last.rfind("cardai: ")) :]

    def faults(self, codes: tuple[int, ...], said: str = "") -> list[str]:
        """Return what is wrong with it, where ``codes`` fit, and ``said`` is in what a failure says."""
        found = ["it hung"] if self.hung else []
        found += [f"{self.left} processes left"] if self.left else []
        found += ["a traceback"] if "Traceback (most recent call last)" in self.err else []
        found += ["a mistake in the program"] if "mistake in the program" in self.err else []
        found += [f"exit code {self.code}"] if self.code not in codes and not self.hung else []
        if self.code and not self.hung:
            found += [] if "cardai: " in self.err or self.code in (129, 130, 143) else ["no sentence"]
            found += [f"{said!r} is not said"] if said and self.code in (1, 2) and said not in self.err else []
        return found


@frozen
class Row:
    """A line of the table."""

    case: Case
    circumstance: Circumstance
    ended: list[Ended]
    left: str
    after: str
    faults: list[str]

    @property
    def heading(self) -> str:
        """The heading of its table."""
        return self.circumstance.title

    def cells(self) -> list[str]:
        """Return the line's cells."""
        said = re.sub(r"\(\d+\)", "(PROCESS)", " / ".join(dict.fromkeys(one.said for one in self.ended if one.code)))
        codes = ", ".join(str(one.code) for one in self.ended)
        seconds = f"{max(one.seconds for one in self.ended):.1f}"
        verdict = "; ".join(self.faults) or "ok"
        said = said.replace("cardai: ", "").replace("|", "\\|")
        said = re.sub(r"[^ ']*/\d{3}-[a-z-]+(-beside)?/", "", said)  # the directory of this cell
        return [self.case.name, codes, seconds, said[:240], self.left, self.after, verdict]


def members(session: int) -> list[int]:
    """Return the processes of a session, zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[3]) == session and words[0] != "Z":
                found.append(int(entry.name))
    return found


class Bench:
    """The folder in which all is tried, and how each command ends when nobody disturbs it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.hands = folder / "hands.jsonl"
        self.cache = os.environ.get("CARDAI_CACHE_DIR") or str(user_cache() / "mistreatment")
        words = ("run", "-g", "leduc", "-a", "random", "-v", "always_call", "-n", "20000", "--seed", "1", "--record")
        self.start(Case("hands", (*words, str(self.hands))), self.place("hands")).end()
        self.given = folder / "given"
        (self.given / "data/matches").mkdir(parents=True)
        self._make(SOLVED, "-o", str(self.given / "spot"))
        for day in range(1, 4):
            file = self.given / f"data/matches/2026-11-{day:02}-101500-kuhn.jsonl"
            self._make((*MATCH, "--seed", str(day)), "--record", str(file))
            file.write_text(file.read_text().replace('"agents":["random"', '"agents":["human"', 1))
        self._undisturbed: dict[str, tuple[Ended, dict[str, str], int]] = {}

    def _make(self, words: tuple[str, ...], *more: str) -> None:
        """Make what commands read."""
        done = self.start(Case("given", (*words, *more)), self.place("given")).end()
        if done.code:
            raise SystemExit(f"{' '.join(words)} fails ({done.code}): {done.err[-2000:]}")

    def place(self, name: str) -> Path:
        """Return a new directory."""
        self.count += 1
        path = self.folder / f"{self.count:03d}-{name.split()[0]}"
        path.mkdir()
        return path

    def start(
        self, case: Case, place: Path, circumstance: Circumstance | None = None, words: tuple[str, ...] = ()
    ) -> Process:
        """Start a command in a directory, under a circumstance."""
        env = {**os.environ, "HOME": str(place), "CARDAI_CACHE_DIR": self.cache, "COLUMNS": "120", "PYTHONPATH": ""}
        if "data" in case.reads:
            env["CARDAI_DATA_DIR"] = str(place / "data")
        limits = {}
        if circumstance is not None:
            for name, value in circumstance.environment.items():
                env.pop(name, None)
                if value is not None:
                    env[name] = value.format(folder=self._beside(place))
            limits = dict(circumstance.limits)
            if circumstance.memory:
                limits[resource.RLIMIT_AS] = int(circumstance.memory * self.undisturbed(case)[0].peak)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (env["PYTHONPATH"], str(ROOT))))
        self.count += 1
        out = self.folder / f"{self.count:03d}"
        master, slave = pty.openpty() if case.terminal else (-1, -1)
        if case.terminal:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            env["TERM"] = "xterm-256color"

        def limit() -> None:
            for each in (signal.SIGHUP, signal.SIGINT):  # nohup, and a shell's background, have them ignored
                signal.signal(each, signal.SIG_DFL)
            for kind, most in limits.items():
                resource.setrlimit(kind, (most, most))
            if case.terminal:
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        command = [*UNPRIVILEGED, sys.executable, "-m", "cardai", *(words or case.words)]
        out.with_suffix(".in").write_text(case.typed)
        with (
            out.with_suffix(".in").open("rb") as stdin,
            out.with_suffix(".out").open("wb") as stdout,
            out.with_suffix(".err").open("wb") as stderr,
        ):
            streams = (slave, slave, slave) if case.terminal else (stdin, stdout, stderr)
            child = subprocess.Popen(
                command, cwd=place, env=env, preexec_fn=limit, start_new_session=True,
                stdin=streams[0], stdout=streams[1], stderr=streams[2],
            )  # fmt: skip
        if case.terminal:
            os.close(slave)
        return Process(case, child, out, master)

    def _beside(self, place: Path) -> Path:
        return self.folder / f"{place.name}-beside"

    def undisturbed(self, case: Case) -> tuple[Ended, dict[str, str], int]:
        """Return how a command ends, the digests of what it makes, and the bytes that it writes."""
        if case.name not in self._undisturbed:
            place = self.place("undisturbed")
            self._give(case, place)
            ended = self.start(case, place).end()
            if ended.code:
                raise SystemExit(f"{case.name} fails undisturbed ({ended.code}): {ended.err[-2000:]}")
            size = blocks(place) - self._given(case)
            self._undisturbed[case.name] = (ended, digests(case, place, ended), size)
        return self._undisturbed[case.name]

    def _give(self, case: Case, place: Path) -> None:
        if case.hands:
            shutil.copy(self.hands, place)
        for name in case.reads:
            shutil.copytree(self.given / name, place / name)

    def _given(self, case: Case) -> int:
        """Return the bytes of a disk that take what a command reads."""
        hands = -(-self.hands.stat().st_size // 4096) * 4096 if case.hands else 0
        return hands + sum(blocks(self.given / name) for name in case.reads)

    # -- circumstances -------------------------------------------------------------------------------------------

    def harm(self, case: Case, circumstance: Circumstance, place: Path) -> None:
        """Make the circumstance of a directory."""
        beside = self._beside(place)
        (beside / "shim").mkdir(parents=True)
        (beside / "shim" / "sitecustomize.py").write_text(SHIM)
        kind, small = circumstance.place, circumstance.place in ("full", "filling")
        if small:
            room = max(4096, self.undisturbed(case)[2] // 2 // 4096 * 4096)
            mount("-t", "tmpfs", "-o", f"size={self._given(case) + room}", "tmpfs", str(place))
        self._give(case, place)
        if kind == "full":
            fill(place / "filler")
        elif kind == "refused":
            place.chmod(0o555)
        elif kind == "read-only":
            mount("--bind", str(place), str(place))
            mount("-o", "remount,ro,bind", str(place))
        elif kind in ("home", "cache", "cache full"):
            where = beside / kind.split()[0]
            where.mkdir()
            mount("-t", "tmpfs", "-o", "size=65536" + ("" if kind == "cache full" else ",ro"), "tmpfs", str(where))
            if kind == "cache full":
                fill(where / "filler")

    def mend(self, circumstance: Circumstance, place: Path) -> None:
        """Let the circumstance of a directory be over."""
        if circumstance.place in ("full", "filling"):
            mount("-o", "remount,size=256m", str(place))
            (place / "filler").unlink(missing_ok=True)
        elif circumstance.place == "refused":
            place.chmod(0o755)
        elif circumstance.place == "read-only":
            subprocess.run(["umount", str(place)], check=True)

    # -- one command under one circumstance --------------------------------------------------------------------------

    def row(self, case: Case, circumstance: Circumstance) -> Row:
        """Call a command under a circumstance, and again afterwards."""
        before = self.undisturbed(case)
        place = self.place(case.name)
        self.harm(case, circumstance, place)
        ended = self._called(case, circumstance, place)
        codes = circumstance.codes + ((2,) if circumstance.name in case.refused else ())
        codes += (0,) if circumstance.name in case.asks else ()
        if (circumstance.place and not any(case.same[:1])) or case.same == ("-",):
            codes = (0, *codes)  # it writes nothing there
        if circumstance.place == "filling" and before[2] <= 4 * 4096:
            codes = (0, *codes)  # so little may fit
        faults = [fault for one in ended for fault in one.faults(codes, circumstance.said)]
        if circumstance.second and not any(one.code == 0 for one in ended):
            faults.append("none of both ends")
        self.mend(circumstance, place)
        left, odd = listing(place)
        faults += odd
        done = next((one for one in ended if one.code == 0), None)
        if done is not None and digests(case, place, done) != before[1] and not faults:
            faults.append("another result")
        again = self.start(case, place, words=case.next_words(place)).end()
        faults += [f"afterwards: {fault}" for fault in again.faults((0,)) + listing(place, ENDINGS)[1]]
        if not again.code and digests(case, place, again) != before[1]:
            faults.append("afterwards another result")
        after = f"ends as undisturbed, {again.seconds:.1f} s" if not again.code else f"{again.code}: {again.said[:200]}"
        kept = case.kept and circumstance.signal and left != "nothing"
        if again.code == 2 and (kept or any(one.code == 0 for one in ended)):  # done, and said so
            after, faults = "done already", [fault for fault in faults if not fault.startswith("afterwards")]
        return Row(case, circumstance, ended, left, after, faults)

    def _called(self, case: Case, circumstance: Circumstance, place: Path) -> list[Ended]:
        words = case.words
        if circumstance.signal and case.jobs:
            words = (*words, "--jobs", "2")
        first = self.start(case, place, circumstance, words)
        if circumstance.second == "at once":
            apart = tuple(word.replace("out.", "second.") if circumstance.cold else word for word in case.words)
            second = self.start(case, place, circumstance, apart)
        elif circumstance.second or circumstance.signal:
            if not under_way(first, place, min(case.wait, WORKS * self.undisturbed(case)[0].cpu)):
                return [first.end()]
            if circumstance.second:
                second = self.start(case, place, circumstance)
        if circumstance.second:
            while first.turn() | second.turn():
                pass
            return [first.end(), second.end()]
        if not circumstance.signal:
            return [first.end()]
        since = time.monotonic()
        if first.terminal >= 0 and circumstance.signal == "SIGHUP":
            os.close(first.terminal)
            first.terminal = -1
        elif first.terminal >= 0 and circumstance.signal == "SIGINT":
            os.write(first.terminal, b"\x03")
        elif circumstance.signal == "SIGTERM":
            first.child.send_signal(signal.SIGTERM)
        else:
            os.killpg(first.child.pid, getattr(signal, circumstance.signal))
        return [first.end(since)]


WORKS = 0.6
"""The share of its CPU seconds after which a command works, at the latest: machines differ."""


def under_way(process: Process, place: Path, wait: float) -> bool:
    """Wait until a process works, where nothing shows that for ``wait`` CPU seconds; False: it ended before."""
    case, limit = process.case, time.monotonic() + PATIENCE
    while process.turn(typing=False) and time.monotonic() < limit:
        there = any(place.glob(case.begun)) if case.begun else process.worked() > wait
        if b"Your turn" in process.seen if case.terminal else there:
            time.sleep(min(0.3, wait / 4))
            return process.child.poll() is None
    return False


def mount(*words: str) -> None:
    """Mount something, in this process's namespace alone."""
    subprocess.run(["mount", *words], check=True)


def blocks(folder: Path) -> int:
    """Return the bytes that a folder takes on a disk of pages."""
    return sum(4096 * -(-file.stat().st_size // 4096) for file in folder.rglob("*") if file.is_file())


def fill(file: Path) -> None:
    """Fill a disk."""
    try:
        with file.open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
    except OSError:
        pass


def digests(case: Case, place: Path, ended: Ended) -> dict[str, str]:
    """Return the SHA-256 of what must be the same, by name."""
    files = [path for pattern in case.same if pattern != "-" for path in place.glob(pattern)]
    found = {str(path.relative_to(place)): sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}
    shown = ended.out.encode("ascii", PLAIN)  # as a terminal without suits has it
    return found | ({"-": sha256(shown).hexdigest()} if "-" in case.same else {})


ENDINGS = (".part", ".tmp", ".lock")
"""Of files that are there while something is written. A lock's stays where a process is killed, until the next one."""


def listing(place: Path, endings: tuple[str, ...] = ENDINGS[:2]) -> tuple[str, list[str]]:
    """Return what is left in a directory, in a few words, and what should not be there: what ends with ``endings``."""
    files = sorted(str(p.relative_to(place)) for p in place.rglob("*") if p.is_file())
    shown = [
        name
        for name in files
        if name not in ("hands.jsonl", "filler")
        and not name.startswith(("spot/", "data/matches"))
        and "events" not in name
    ]
    odd = [f"{name} is left" for name in shown if name.endswith(endings)]
    words = ", ".join(f"`{name}`" for name in shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
    return words or "nothing", odd


# -- the page --------------------------------------------------------------------------------------------------------


HEADINGS = ["command", "exit", "s", "what it said", "left", "called again afterwards", "verdict"]


def known_lines() -> dict[tuple[str, str], str]:
    """Return the lines of the page as it is, by circumstance and command."""
    found, heading = dict[tuple[str, str], str](), ""
    for line in PAGE.read_text().splitlines() if PAGE.exists() else ():
        heading = line.removeprefix("## ") if line.startswith("## ") else heading
        if line.startswith("| ") and not line.startswith(("| command |", "| --- |")):
            found[heading, line.split(" | ")[0].removeprefix("| ")] = line
    return found


def page(rows: list[Row]) -> str:
    """Return the page: a table for each circumstance, with the lines of ``rows`` in the place of those that it had."""
    lines_of = known_lines() | {(row.heading, row.case.name): f"| {' | '.join(row.cells())} |" for row in rows}
    wrong = [line for line in lines_of.values() if not line.endswith("| ok |")]
    with open("/proc/cpuinfo", encoding="ascii") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "unknown")
    whole = sum(wanted(case, circumstance, []) for circumstance in CIRCUMSTANCES for case in CASES)
    left = f"; {whole - len(lines_of)} of {whole} pairs are not tried yet" if whole > len(lines_of) else ""
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    python = platform.python_version()
    lines = [
        "# Full disks, signals, two at once",
        "",
        "What each command does where the world is against it. `python benchmarks/mistreatment.py --write` tries all of it and "
        f"writes this page, `--missing --write` what it lacks: last {today}, Python {python}, {platform.system()} {platform.release()}, {os.cpu_count()} x {model}.",
        "",
        "Each command is called in a directory of its own under the circumstance, and again when that is over; \"as "
        "undisturbed\" means that what it made is then, byte for byte, what a call makes that nobody disturbed. At fault is "
        "a traceback, a hang, an exit code that does not fit, a failure without a sentence, a process or a half-written "
        f"file that is left behind, and a next call that is kept from its end: {len(wrong)} of {len(lines_of)} are at fault{left}.",
    ]  # fmt: skip
    for circumstance in CIRCUMSTANCES:
        if mine := [lines_of[key] for case in CASES if (key := (circumstance.title, case.name)) in lines_of]:
            lines += ["", f"## {circumstance.title}", "", circumstance.how, ""]
            lines += [f"| {' | '.join(HEADINGS)} |", f"|{' --- |' * len(HEADINGS)}"]
            lines += mine
    return "\n".join(lines) + "\n"


def missing() -> list[tuple[Circumstance, Case]]:
    """Return what the page does not have, those commands first that took least where they were tried."""
    there, seconds = known_lines(), dict[str, list[float]]()
    for (_, name), line in there.items():
        seconds.setdefault(name, []).append(float(line.split(" | ")[2]))
    pairs = [(one, case) for one in CIRCUMSTANCES for case in CASES if (one.title, case.name) not in there]
    return sorted(pairs, key=lambda pair: fmean(seconds.get(pair[1].name, [0.0])))


def wanted(case: Case, circumstance: Circumstance, only: list[str]) -> bool:
    """Whether a command is tried under a circumstance: each word of ``only`` is one's or the other's."""
    if circumstance.cold and case is not CASES[0]:
        return False
    return all(word in case.name or word in circumstance.name for word in only)


def main() -> None:
    """Try all, print a line each, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="words of commands and circumstances")
    parser.add_argument("--missing", action="store_true", help="only what the page does not have yet")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    if "CARDAI_OWN_MOUNTS" not in os.environ:
        os.environ["CARDAI_OWN_MOUNTS"] = "1"
        own = ["unshare", "--mount", "--propagation", "private"] + (["--map-root-user"] if os.geteuid() else [])
        os.execvp(own[0], [*own, sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        try:
            bench, rows = Bench(Path(folder)), []
            pairs = missing() if arguments.missing else [(one, case) for one in CIRCUMSTANCES for case in CASES]
            for circumstance, case in pairs:
                if not wanted(case, circumstance, arguments.only):
                    continue
                rows.append(bench.row(case, circumstance))
                if arguments.write:  # at once: all of it takes an hour
                    PAGE.write_text(page(rows))
                sys.stdout.write(f"{circumstance.name} | {' | '.join(rows[-1].cells())}\n")
                if rows[-1].faults:
                    sys.stdout.writelines(
                        f"    {line}\n" for one in rows[-1].ended for line in one.err.splitlines()[-12:]
                    )
                sys.stdout.flush()
        finally:
            for line in reversed(Path("/proc/mounts").read_text().splitlines()):
                if line.split()[1].startswith(folder):
                    subprocess.run(["umount", line.split()[1]], check=True)
    faults = sum(bool(row.faults) for row in rows)
    sys.stdout.write(f"{len(rows)} tried, {faults} at fault\n")
    raise SystemExit(faults > 0)


if __name__ == "__main__":
    main()
