"""Packages and processes for tests: built and unpacked as pip would, without the network; run, and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest

from cardai import testing
from cardai.core.kernel_sources import _cache_home

ROOT = Path(__file__).resolve().parents[1]


def sizes(sample: Any, *whole: Any) -> list[Any]:
    """Return sizes of an oracle to parametrise a test by: a sample that always runs, and what ``--long`` runs beside it.

    A size is one value, or a tuple of the values of several names.
    """
    several = (size if isinstance(size, tuple) else (size,) for size in whole)
    return [sample, *(pytest.param(*values, marks=pytest.mark.long) for values in several)]


def checks_passed(kind: str, spec: str, game: str) -> int:
    """Run the conformance kit for a plugin and return how many checks it passed; those of what it does not claim are passed over."""
    passed = 0
    for case in testing.checks_for(kind, spec, game=game):
        try:
            case()
            passed += 1
        except SkipTest:
            continue
    return passed


def install(project: Path, target: Path) -> None:
    """Install ``project`` into the directory ``target`` (its wheel, by its own build backend)."""
    wheels = target.parent / f"{target.name}-wheels"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)


def python(*arguments: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the installed packages of ``path`` and return what it printed."""
    env = {**os.environ, **environment, "PYTHONPATH": os.pathsep.join([*([str(path)] if path else []), str(ROOT)])}
    return subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=300)


INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}
"""A process that plays few hands is sooner through without numba: importing and preparing it takes most of its time."""


def cardai(*arguments: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own, in which kernels are ordinary Python."""
    program = "from cardai.cli import main; raise SystemExit(main())"
    return python("-c", program, *arguments, path=path, **{**INTERPRETED, **environment})


def own_cache(patch: pytest.MonkeyPatch, directory: Path) -> None:
    """Let what can be made again be kept in ``directory``, also by processes that are started, but for the compiled kernels: a
    process that has none compiles for 20 seconds."""
    known = _cache_home() / "cardai"
    known.mkdir(parents=True, exist_ok=True)
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / "cardai").exists():
        (directory / "cardai").symlink_to(known)
    patch.setenv("CARDAI_CACHE_DIR", str(directory))


def fake_distribution(target: Path, name: str, entry_points: str, modules: dict[str, str], metadata: str = "") -> None:
    """Put a distribution's metadata and modules into ``target``, as if it had been installed there."""
    info = target / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}")
    (info / "entry_points.txt").write_text(entry_points)
    for module, text in modules.items():
        (target / f"{module}.py").write_text(text)


WAITS = '''"""A player that plays the highest legal action and once waits to be interrupted."""

import time
from pathlib import Path

from attrs import frozen

from cardai import hookimpl
from cardai.core.agent import ScalarAgent
from cardai.core.spec import option

decisions = 0


@frozen
class Waits(ScalarAgent):
    at: int = option(help="the decision at which it waits, unless the file is there already")
    file: str = option(help="the file that it makes when it begins to wait")

    def choose(self, view, legal, rng):
        global decisions
        decisions += 1
        if decisions == self.at and not Path(self.file).exists():
            Path(self.file).touch()
            time.sleep(300)
        return legal[-1]


@hookimpl
def cardai_agent():
    return Waits
'''


def interrupted(*arguments: str | Path, when: Path) -> subprocess.CompletedProcess[str]:
    """Run Python without numba beside the file ``when``, press Ctrl-C as soon as that has been made, and return what was said."""
    if os.name == "nt":
        pytest.skip("there is no such signal for one process")
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=when.parent
    )
    limit = time.monotonic() + 240
    while not when.exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert when.exists(), err
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.is_file() and status.read_text().rpartition(")")[2].split()[0] == "Z")
