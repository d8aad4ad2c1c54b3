"""Figures kept by the command that prints them."""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
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
            before = _cpu()
            done = subprocess.run([*_CARDAI, *map(str, words), "--json"], stdout=subprocess.PIPE, text=True, check=True)
            shown = json.loads(self.named(done.stdout))
            self.known[name] = {**shown, "cpu_seconds": round(_cpu() - before, 1)}
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
        subprocess.run([*_CARDAI, "train", *(start if path.exists() else [*given, "--out", str(path)])], check=True)
        self.note(name, path)

    def note(self, name: str, path: Path) -> None:
        """Keep how far a run is and what it took."""
        newest = max((path / "checkpoints").glob("step-*"))
        manifest = read_json(newest / "manifest.json")
        self.known[name] = {key: manifest[key] for key in ("step", "seconds", "cpu_seconds")}
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


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
