"""Figures kept by the command that prints them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cardai.core.files import read_json, write_json

Result = dict[str, Any]


class Figures:
    """The JSON results of commands, in a file: each is asked for once. ``places`` are directories and their names in it."""

    def __init__(self, file: Path, places: Mapping[str, str]) -> None:
        self.file, self.places = file, {path: name for path, name in sorted(places.items(), reverse=True) if path}
        self.known: dict[str, Result] = read_json(file) if file.exists() else {}

    def get(self, *words: object) -> Result | None:
        """Return what a command printed, if it was ever asked."""
        return self.known.get(self._name(words))

    def measure(self, *words: object) -> Result:
        """Return what ``cardai WORDS --json`` prints, asking for it now if need be."""
        name = self._name(words)
        if name not in self.known:
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()
            text, spent = _call(*words, "--json")
            self.known[name] = {**json.loads(self.named(text)), **spent}
            self.save()
        return self.known[name]

    def train(self, path: Path, *words: object) -> None:
        """Train a run as far as its options say, from where it is; ``--steps`` must be among ``words``."""
        name = self._name(("train", *words, "--out", path))
        if name in self.known:
            return
        given = list(map(str, words))
        start = ["--resume", str(path), *given[given.index("--steps") : given.index("--steps") + 2]]
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        _, spent = _call("train", *(start if path.exists() else [*given, "--out", str(path)]))
        newest = max((path / "checkpoints").glob("step-*"))
        manifest = read_json(newest / "manifest.json")
        self.known[name] = {**spent, **{key: manifest[key] for key in ("step", "seconds", "cpu_seconds")}}
        self.save()

    def make_tables(self, *words: object) -> None:
        """Measure what ``cardai WORDS`` takes where no table of buckets is kept yet."""
        name = self._name(words)
        if name not in self.known:
            with TemporaryDirectory() as cache:
                self.known[name] = _call(*words, "--json", env={"CARDAI_CACHE_DIR": cache})[1]
            self.save()

    def save(self) -> None:
        """Write what is known."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_json(self.file, self.known)

    def named(self, text: str) -> str:
        """Return a text with names for directories."""
        for path, name in self.places.items():
            text = text.replace(path, name)
        return text

    def _name(self, words: tuple[object, ...]) -> str:
        return self.named(shlex.join(["cardai", *map(str, words)]))


_CARDAI = (sys.executable, "-m", "cardai", "--quiet")


def _call(*words: object, env: Mapping[str, str] = {}) -> tuple[str, Result]:
    """Return what ``cardai WORDS`` prints, and the CPU seconds and most megabytes of memory that it took."""
    process = subprocess.Popen(
        [*_CARDAI, *map(str, words)], stdout=subprocess.PIPE, text=True, env={**os.environ, **env}
    )
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    seconds = round(used.ru_utime + used.ru_stime, 1)
    return text, {"cpu_seconds": seconds, "megabytes": used.ru_maxrss // 1024}
