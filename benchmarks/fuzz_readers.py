"""Readers of files, tried end to end: a directory that is whole but for one damaged file, and what reads it.

Nobody lists which class a file is of: the good directory is read once, and what ``structure`` is handed then says it.
"""

from __future__ import annotations

import ast
import importlib
import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import cattrs
import numpy as np
from attrs import Factory, define, field, frozen
from fuzz_values import damaged, damaged_bytes, damaged_text, json_text, made

import cardai
from cardai.arena.inspection import inspect
from cardai.core.schema import structure

Target = Callable[[Random], tuple[str, Callable[[], Any]]]
"""Makes an input, and returns what was made (for the report) and what reads it."""
Seen = list[tuple[Any, Any]]
"""What ``structure`` was handed: (annotation, value)."""

# -- what there is to try ------------------------------------------------------------------------------------------


def structured() -> dict[str, Any]:
    """Return every annotation that cardai hands to ``structure``, by module and name: found in the sources.

    Raises:
        ValueError: a call does not name it.
    """
    root = Path(cardai.__file__).parent
    found = {}
    for file in sorted(root.rglob("*.py")):
        module = ".".join(("cardai", *file.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        text = file.read_text(encoding="utf-8")
        if "structure(" in text and module != "cardai.core.schema":
            tree = ast.parse(text)
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "structure":
                    name = ast.unparse(call.args[1])
                    found[f"{module}:{name}"] = _named(module, name, tree)
    return found


def _named(module: str, name: str, tree: ast.AST) -> Any:
    """Return what an expression means in a module, also by what its functions import."""
    known: dict[str, Any] = dict(vars(importlib.import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cardai."):
            for alias in node.names:
                if alias.name in name:
                    known[alias.asname or alias.name] = getattr(importlib.import_module(str(node.module)), alias.name)
    try:
        return eval(name, known)
    except NameError:
        raise ValueError(f"{module} hands {name} to structure: name the class there.") from None


@contextmanager
def observed() -> Iterator[Seen]:
    """Collect what is structured inside."""
    seen: Seen = []
    plain = cattrs.Converter.structure

    def noting(self: Any, value: Any, wanted: Any) -> Any:
        seen.append((wanted, value))
        return plain(self, value, wanted)

    cattrs.Converter.structure = noting  # type: ignore[method-assign, assignment]
    try:
        yield seen
    finally:
        cattrs.Converter.structure = plain  # type: ignore[method-assign]


def unread(kinds: dict[str, Any], seen: Seen) -> list[str]:
    """Return the names of those that no fixture's files were structured as."""
    known = [wanted for wanted, _ in seen]
    return [name for name, kind in kinds.items() if kind not in known]


def schema_target(kinds: dict[str, Any], seen: Seen) -> Target:
    """Every annotation by itself: what is taken has the types that it says, what is not is refused by a sentence."""
    good: dict[str, list[Any]] = {name: [] for name in kinds}
    for name, kind in kinds.items():
        good[name] += [value for wanted, value in seen if wanted is kind or wanted == kind][:5]

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        name = rng.choice(sorted(kinds))
        value = _copied(rng.choice(good[name])) if good[name] and rng.random() < 0.7 else made(kinds[name], rng)
        text = json_text(damaged(value, kinds[name], rng))

        def read() -> None:
            try:
                parsed = json.loads(text)
            except (ValueError, RecursionError):
                return
            structure(parsed, kinds[name], "The file x")

        return f"{name} {text}", read

    return target


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


_WAYS = 4
"""How often a good directory is read, to see all of its readers."""


# -- directories ---------------------------------------------------------------------------------------------------


@frozen
class Fixture:
    """A directory that is read as a person's is: how it is filled, what reads it, and what makes its checksums fit again.

    ``read`` is given random numbers, to choose which of several ways it goes on.
    """

    kind: str
    name: str
    make: Callable[[Path], Any]
    read: Callable[[Path, Random], Any]
    seal: Callable[[Path, Path], Any] = lambda folder, file: None
    spared: tuple[str, ...] = field(default=(".lock",))
    """Ends of names of files that are left alone."""
    compiled: bool = False
    """Whether kernels that run as ordinary Python would take minutes to fill it."""


@define
class Held:
    """A fixture's directory that was filled, and its files as they were."""

    fixture: Fixture
    folder: Path
    good: dict[Path, bytes] = Factory(dict)
    stats: dict[Path, tuple[int, int]] = Factory(dict)
    kinds: dict[Path, Any] = Factory(dict)
    seen: Seen = Factory(list)

    @classmethod
    def of(cls, fixture: Fixture, folder: Path) -> Held:
        """Take the files in ``folder``, read them once, and note of which class each is."""
        held = cls(fixture, folder)
        held.good = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
        with observed() as held.seen:
            for way in range(_WAYS):
                fixture.read(folder, Random(way))
                held.fresh(everything=not held.stats)
        for path in held.good:
            for value in _values_in(path):
                kind = next((wanted for wanted, known in held.seen if known == value and wanted is not Any), None)
                held.kinds[path] = held.kinds.get(path) or kind
        return held

    def fresh(self, everything: bool = False) -> None:
        """Put the directory back as it was, whatever was done to it."""
        for path, data in self.good.items():
            stat = path.stat() if path.is_file() and not path.is_symlink() else None
            if everything or stat is None or self.stats.get(path) != (stat.st_size, stat.st_mtime_ns):
                _clear(path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                stat = path.stat()
                self.stats[path] = (stat.st_size, stat.st_mtime_ns)
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path not in self.good and (not path.is_dir() or path.is_symlink() or not any(path.iterdir())):
                _clear(path)

    def harm(self, rng: Random) -> str:
        """Damage one file, seldom two; return what was done."""
        self.fresh()
        files = [path for path in self.good if not path.name.endswith(self.fixture.spared)]
        told = []
        for path in rng.sample(files, min(len(files), 2 if rng.random() < 0.08 else 1)):
            told.append(f"{path.relative_to(self.folder)}: {self._harmed(path, rng)}")
            if rng.random() < 0.85 and path.is_file():
                with suppress(Exception):  # what can no longer be sealed is read as it is
                    self.fixture.seal(self.folder, path)
        return "; ".join(told)

    def _harmed(self, path: Path, rng: Random) -> str:
        if rng.random() < 0.02:
            return _replaced(path, rng)
        data, kind = self.good[path], self.kinds.get(path)
        if rng.random() < 0.08:
            data = damaged_bytes(data, rng)
        elif path.suffix == ".json":
            data = _encoded(json_text(damaged(json.loads(data), kind or Any, rng)))
        elif _is_lines(path):
            data = _damaged_lines(data, kind, self.seen, rng)
        elif path.suffix == ".phh":
            data = _encoded(_toml(damaged(tomllib.loads(data.decode()), kind, rng)))
        elif path.suffix in (".npz", ".npy"):
            data = damaged_arrays(path.suffix, data, rng)
        elif path.suffix == ".safetensors":
            data = _damaged_tensors(data, rng)
        else:
            data = _encoded(damaged_text(data.decode("utf-8", "replace"), rng))
        path.write_bytes(data)
        return repr(data[:3000])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _replaced(path: Path, rng: Random) -> str:
    """Take a file away, or put something else in its place."""
    path.unlink()
    way = rng.choice(["missing", "a directory", "a link to itself", "a link to nowhere", "empty"])
    if way == "a directory":
        path.mkdir()
    elif way.startswith("a link"):
        os.symlink(path if "itself" in way else path.parent / "nowhere", path)
    elif way == "empty":
        path.touch()
    return way


def _is_lines(path: Path) -> bool:
    return ".jsonl" in path.suffixes


def _values_in(path: Path) -> list[Any]:
    """Return the values that a text file holds: one, or one a line."""
    if path.suffix == ".phh":
        return [tomllib.loads(path.read_text())]
    if path.suffix == ".json":
        return [json.loads(path.read_bytes())]
    return [json.loads(line) for line in path.read_text().splitlines()] if _is_lines(path) else []


def _damaged_lines(data: bytes, kind: Any, seen: Seen, rng: Random) -> bytes:
    """Damage one line, each of its own class, or the text."""
    rows = [json.loads(line) for line in data.decode().splitlines()]
    if not rows or rng.random() < 0.15:
        return _encoded(damaged_text(data.decode(), rng))
    at = min(rng.choice([0, 1, 1, 2, rng.randrange(len(rows))]), len(rows) - 1)
    own = next((wanted for wanted, known in seen if known == rows[at]), kind)
    texts = [json_text(row) for row in rows]
    texts[at] = json_text(damaged(rows[at], own or Any, rng))
    return _encoded("".join(text + "\n" for text in texts))


def _toml(value: Any) -> str:
    """Return a damaged object as TOML, or as what is none."""
    if not isinstance(value, dict):
        return json_text(value)
    return "".join(f"{key} = {_toml_value(item)}\n" for key, item in value.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml_value(item)}" for key, item in value.items()) + "}"
    return json_text(value).replace("NaN", "nan").replace("Infinity", "inf")


def damaged_arrays(suffix: str, data: bytes, rng: Random) -> bytes:
    """Return an npz or npy file with other arrays, another head, or other bytes."""
    kind = rng.randrange(5)
    if kind == 0 and suffix == ".npz":
        return _other_arrays(data, rng)
    if kind == 1 and b"{'descr'" in data:
        at = data.index(b"{'descr'")
        head = damaged_text(
            data[at : at + 100].decode("latin-1"), rng, ("'|O'", "<f8", "<U9", "(9,)", "9" * 18, "-1", "True")
        )
        return data[:at] + head[:100].ljust(100).encode("latin-1", "replace") + data[at + 100 :]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 2, 8])):
        marks = [m for m in range(len(changed) - 3) if changed[m : m + 2] == b"PK"] if len(changed) < 20_000 else []
        at = rng.choice(marks) + rng.randrange(60) if marks and kind == 2 else rng.randrange(len(changed))
        changed[min(len(changed) - 1, at)] = rng.randrange(256)
    return bytes(changed) if kind < 4 else damaged_bytes(data, rng)


def _other_arrays(data: bytes, rng: Random) -> bytes:
    with np.load(io.BytesIO(data)) as held:
        arrays = {name: held[name] for name in held.files}
    name = rng.choice(sorted(arrays) or ["x"])
    own = arrays.get(name, np.zeros(1))
    changed = [np.zeros(0), np.array(1.5), np.zeros((1000, 1000), np.int8), own[..., None] * 1.0, np.zeros_like(own), np.array(["x"]),
               np.full(own.shape, -1).astype(own.dtype), np.full(own.shape, np.nan), own[:0] if own.ndim else own, np.concatenate([own, own]) if own.ndim else own,
               np.full(own.shape, 1 << 60).astype(own.dtype), np.full(own.shape, 127, own.dtype)]  # fmt: skip
    arrays[rng.choice([name, name, name, "../x", "x"])] = rng.choice(changed)
    if rng.random() < 0.1:
        arrays.pop(name, None)
    out = io.BytesIO()
    (np.savez_compressed if rng.random() < 0.3 else np.savez)(out, **arrays)
    return out.getvalue()


def _damaged_tensors(data: bytes, rng: Random) -> bytes:
    """Return safetensors with another head (JSON behind its length), or other bytes."""
    size = int.from_bytes(data[:8], "little")
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    head = _encoded(json_text(damaged(json.loads(data[8 : 8 + size]), Any, rng)))
    length = len(head) if rng.random() < 0.9 else rng.choice([0, 1, 2**31, 2**63, 2**64 - 1])
    return length.to_bytes(8, "little") + head + data[8 + size :]


def directories_target(several: list[Held]) -> Target:
    """One kind's directories, each input one of them with a damaged file."""

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        held = rng.choice(several)
        told = held.harm(rng)

        def read() -> None:
            if rng.random() < 0.05:
                inspect(held.folder)
            held.fixture.read(held.folder, rng)

        return f"{held.fixture.name} {told}", read

    return target
