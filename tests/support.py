"""Packages for tests: built and unpacked as pip would, without the network."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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


def cardai(*arguments: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own."""
    return python("-c", "from cardai.cli import main; raise SystemExit(main())", *arguments, path=path, **environment)


def fake_distribution(target: Path, name: str, entry_points: str, modules: dict[str, str], metadata: str = "") -> None:
    """Put a distribution's metadata and modules into ``target``, as if it had been installed there."""
    info = target / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}")
    (info / "entry_points.txt").write_text(entry_points)
    for module, text in modules.items():
        (target / f"{module}.py").write_text(text)
