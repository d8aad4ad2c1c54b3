"""Other people's programs end whole: those that do not want to, what they have started, and with every end of ours."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cardai.core.errors import AgentError
from cardai.formats.acpc import groups
from cardai.formats.acpc.program import Program
from tests.support import ROOT, alive, sizes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these are POSIX groups of processes")

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = os.fork()
with open(sys.argv[1] + "/" + ("child" if child == 0 else "leader"), "w") as file:
    file.write(str(os.getpid()))
"""
"""A program that heeds no signal, and has a child that heeds none; both say which process they are."""
WAITS = STUBBORN + "time.sleep(300)\n"
CONNECTS = """
import socket
if child == 0:
    time.sleep(300)
wire = socket.create_connection((sys.argv[2], int(sys.argv[3])))
"""
GREETS = CONNECTS + "wire.sendall(b'VERSION:2.0.0\\n')\n"
BEGUN = "open(sys.argv[1] + '/begun', 'w').close()\n"


def until(reached: Callable[[], bool], seconds: float = 20.0) -> bool:
    limit = time.monotonic() + seconds
    while not reached() and time.monotonic() < limit:
        time.sleep(0.01)
    return reached()


def pids(folder: Path) -> list[int]:
    """Return the processes of a stubborn program, once both have said theirs."""
    files = [folder / "child", folder / "leader"]
    assert until(lambda: all(file.exists() and file.read_text() for file in files))
    return [int(file.read_text()) for file in files]


def program(folder: Path, text: str, seconds: float) -> Program:
    (folder / "bot.py").write_text(text)
    return Program(f"{sys.executable} {folder / 'bot.py'} {folder}", seconds)


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a program has is measured from where it has begun (and connected, and greeted) on: how long Python takes
    to start is this machine's."""
    start = groups.start

    def begun(words: list[str]) -> subprocess.Popen[bytes]:
        leader = start(words)
        pids(tmp_path)
        assert until((tmp_path / "begun").exists)
        return leader

    monkeypatch.setattr(groups, "start", begun)
    monkeypatch.setattr(groups, "PATIENCE", 0.1)


def test_a_group_is_asked_to_end_and_then_killed_with_what_it_has_started(tmp_path: Path) -> None:
    """One that ends when it is asked has no need of the patience."""
    for text, patience in ((WAITS, 0.2), (WAITS.replace("SIG_IGN", "SIG_DFL"), 100.0)):
        leader = groups.start([sys.executable, "-c", text, str(tmp_path)])
        both = pids(tmp_path)
        began = time.monotonic()
        groups.end(leader, patience)
        assert time.monotonic() - began < 50
        assert until(lambda both=both: not any(map(alive, both)))
        for file in ("child", "leader"):
            (tmp_path / file).unlink()


def test_what_a_program_has_started_ends_where_the_program_has_ended_before(tmp_path: Path) -> None:
    text = STUBBORN + "if child:\n    sys.exit(3)\ntime.sleep(300)\n"
    leader = groups.start([sys.executable, "-c", text, str(tmp_path)])
    child, _ = pids(tmp_path)
    assert leader.wait(20) == 3
    assert alive(child)
    groups.end(leader, 0.1)
    assert until(lambda: not alive(child))


def test_what_a_program_has_started_has_its_time_to_end_too(tmp_path: Path) -> None:
    """The program itself ends at once; its child puts something away first."""
    text = STUBBORN + (
        "if child:\n    sys.exit(0)\n"
        "def leave(*_):\n    time.sleep(0.3)\n    open(sys.argv[1] + '/saved', 'w').close()\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, leave)\nopen(sys.argv[1] + '/ready', 'w').close()\ntime.sleep(300)\n"
    )
    leader = groups.start([sys.executable, "-c", text, str(tmp_path)])
    assert until((tmp_path / "ready").exists)
    assert leader.wait(20) == 0
    groups.end(leader, 60.0)
    assert (tmp_path / "saved").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BEGUN + "time.sleep(300)", "did not connect in 0.3 seconds"),
        (CONNECTS + BEGUN + "time.sleep(300)", "gave no answer in 0.3 seconds"),
        (CONNECTS + BEGUN + "while True:\n    wire.sendall(b'x'); time.sleep(0.05)", "gave no answer in 0.3 sec"),
        (
            GREETS + "wire.sendall(b'x' * 9000)\n" + BEGUN + "while True:\n    wire.sendall(b'x' * 9000)",
            "cannot be asked: its line has no end",
        ),
        (GREETS + BEGUN + "while True:\n    wire.sendall(b'# so\\n' * 999)", "gave no answer in 0.3 seconds"),
    ],
    ids=["silent", "connected", "byte-by-byte", "endless-line", "endless-comments"],
)
def test_a_program_that_fails_in_whatever_way_is_named_in_time_and_ended_whole(
    text: str, said: str, tmp_path: Path, measured: None
) -> None:
    running = program(tmp_path, STUBBORN + text, 0.3)
    began = time.monotonic()
    with pytest.raises(AgentError, match=said):
        running.ask(b"MATCHSTATE:0:0::5d5c|")
    assert time.monotonic() - began < 60
    assert until(lambda: not any(map(alive, pids(tmp_path))))


def test_a_program_that_does_not_read_what_it_is_told_is_named(tmp_path: Path, measured: None) -> None:
    running = program(tmp_path, STUBBORN + GREETS + BEGUN + "time.sleep(300)\n", 0.3)
    with pytest.raises(AgentError, match=r"did not read in 0\.3 seconds what it was told"):
        running.tell(b"MATCHSTATE:0:0::5d5c|" + b"x" * 50_000_000)  # more than the kernel holds back for it


OURS = """
import signal, sys
from cardai.commands.process import signals
from cardai.formats.acpc import groups
from cardai.formats.acpc.program import Program
groups.PATIENCE = 0.1
running = Program(sys.argv[1], 300.0)
try:
    with signals():
        running.ask(b"MATCHSTATE:0:0::5d5c|")
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("number", sizes(signal.SIGHUP, signal.SIGTERM, signal.SIGINT))
def test_a_program_ends_with_ours_whatever_ended_that(number: int, tmp_path: Path) -> None:
    running = program(tmp_path, STUBBORN + CONNECTS + "time.sleep(300)", 300)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ours = subprocess.Popen([sys.executable, "-c", OURS, running.command], env=env)
    try:
        both = pids(tmp_path)
        ours.send_signal(number)
        assert ours.wait(20) == 7
    finally:
        ours.kill()
        ours.wait()
    assert until(lambda: not any(map(alive, both)))


def test_a_program_ends_with_what_it_has_started_where_ours_is_killed(tmp_path: Path) -> None:
    """SIGKILL leaves us no time to end anything."""
    asked = "wire.recv(9)\nopen(sys.argv[1] + '/asked', 'w').close()\ntime.sleep(300)"
    running = program(tmp_path, STUBBORN + GREETS + asked, 300)
    ours = subprocess.Popen([sys.executable, "-c", OURS, running.command], env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        assert until((tmp_path / "asked").exists)
        both = pids(tmp_path)
    finally:
        ours.kill()
        ours.wait()
    try:
        assert until(lambda: not any(map(alive, both)))
    finally:
        for pid in both:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_a_program_that_ends_when_it_is_asked_is_waited_for_no_longer(tmp_path: Path) -> None:
    """Whatever else is in its group has ended too, and left no zombie that would count as alive."""
    leader = groups.start([sys.executable, "-c", "import time; time.sleep(300)"])
    group = os.getpgid(leader.pid)
    assert group != leader.pid, "the guard was there first: were we killed now, it would end the program"
    begun = time.monotonic()
    groups.end(leader, 60.0)
    assert time.monotonic() - begun < 20
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


FORKED = """
import os, sys, tempfile, time
from pathlib import Path
from cardai.formats.acpc import groups
def work(name):
    Path(sys.argv[1], name).write_text(str(os.getpid()))
    time.sleep(300)
with tempfile.TemporaryFile() as notes:
    both = [groups.fork(lambda name=name: work(name), None, notes) for name in ("leader", "child")]
    Path(sys.argv[1], "guarded").touch()
    time.sleep(300)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_forked_processes_end_where_ours_is_killed(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ours = subprocess.Popen([sys.executable, "-c", FORKED, str(tmp_path)], env=env)
    try:
        assert until((tmp_path / "guarded").exists)
        both = pids(tmp_path)
    finally:
        ours.kill()
        ours.wait()
    assert until(lambda: not any(map(alive, both)))


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_a_forked_process_says_how_it_ended_and_what_it_printed(tmp_path: Path) -> None:
    text = (
        "import os, sys\nfrom cardai.formats.acpc import groups\n"
        "with open('notes', 'wb') as notes:\n"
        "    said = groups.fork(lambda: print('hello'), None, notes, out=True)\n"
        "    assert said.stdout.read() == b'hello\\n' and said.wait() == 0\n"
        "    groups.end(said)\n"
        "    for work, code in ((lambda: sys.exit(3), 3), (lambda: 1 / 0, 1), (lambda: os.kill(os.getpid(), 9), -9)):\n"
        "        ended = groups.fork(work, None, notes)\n"
        "        assert ended.wait() == code, ended.returncode\n"
        "        groups.end(ended)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-W", "error", "-c", text], cwd=tmp_path, check=True, timeout=60, env=env)
    assert (tmp_path / "notes").read_text().count("ZeroDivisionError: division by zero") == 1
