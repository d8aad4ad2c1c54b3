"""Directories of examples: npz shards that any library can read, and a manifest that says what is in them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import Attribute, evolve, field, frozen

from cardai.core import registry
from cardai.core.arrays import Bools, Float32s, Int16s, Int64s, Uint64s
from cardai.core.encoder import Layout
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import Views, misfitting, view_dtype
from cardai.core.files import LOCK, read_json, refuse_links, unfinished, vacant
from cardai.core.game import Game
from cardai.core.locks import DirectoryLock
from cardai.core.needs import write_own
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import file_name, structure, whole

FORMAT = 1
MANIFEST = "manifest.json"
COLUMNS: Mapping[str, tuple[type, str]] = {
    "label": (np.int16, "class of the action played"),
    "legal": (np.bool_, "(n, classes) which classes were legal"),
    "action": (np.int64, "the game's action; in games of amounts 2 or more is the chips raised to"),
    "hand": (np.int64, "number of the hand, from 0, over all sources"),
    "player": (np.int16, "who decided, an index into the manifest's players"),
    "later": (np.int16, "how many decisions of the same player follow in the hand"),
    "value": (np.float32, "the hand's result for the player, in the game's unit"),
    "deal": (np.uint64, "a key of the cards dealt before the first decision; equal keys, equal cards"),
    "test": (np.bool_, "whether the hand is held out for testing; equal deals are on one side"),
}
"""The columns of a shard, beside ``view_<field>`` for each field of the game's views and, in codes-*.npz, ``x``."""


def classes(game: Game) -> tuple[str, ...]:
    """Return the names of the classes of a game's decisions: its actions; in games of amounts fold, call and raise."""
    if game.amounts:
        return ("fold", "call", "raise")
    return tuple(game.action_to_string(action) for action in range(game.num_distinct_actions))


def rule(game: Game) -> str:
    """Return in words how actions become classes."""
    if game.amounts:
        return "0 fold, 1 check or call, 2 every bet and raise whatever its size; action has the chips raised to"
    return "the game's own actions"


@frozen(eq=False)
class Examples:
    """Decisions of recorded hands (n); see :data:`COLUMNS` for what each column means."""

    views: Views
    legal: Bools
    label: Int16s
    action: Int64s
    hand: Int64s
    player: Int16s
    later: Int16s
    value: Float32s
    deal: Uint64s
    test: Bools

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Any) -> Examples:
        """Return the examples ``rows`` alone."""
        return Examples(self.views[rows], **{name: getattr(self, name)[rows] for name in COLUMNS})


def joined(parts: Sequence[Examples]) -> Examples:
    """Return several parts (at least one) as one."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    return Examples(np.concatenate([part.views for part in parts]), **columns)


def _check_file(instance: Shard, attribute: Attribute[str], value: str) -> None:
    if not file_name(value):
        raise ValueError("must be the name of a file in the directory")


@frozen
class Shard:
    """A file of a directory and how many examples it holds."""

    file: str = field(validator=_check_file)
    examples: int = field(validator=whole(0, 2**40))


@frozen
class Manifest:
    """What a directory of examples holds, and where it came from."""

    game: str
    classes: tuple[str, ...]
    rule: str
    players: tuple[str, ...]
    sources: tuple[str, ...]
    hands: int
    examples: int
    test_share: float
    seed: int
    shards: tuple[Shard, ...]
    encoder: str = ""
    shape: tuple[int, ...] = ()
    left_out: int = 0
    """Hands and lines that could not be read or do not fit the rules."""
    repeated: int = 0
    """Hands that were there before with the same cards, players and actions; they are left out too."""
    same_deal: int = 0
    """Hands whose cards were dealt before, to others or in other seats (duplicate matches)."""
    interrupted: bool = False
    format: int = FORMAT


class ExampleWriter:
    """Writes shards of about ``size`` examples into ``directory``, and the manifest when it is finished.

    With ``layout``, an encoder's for the game, each shard has its codes (n, *shape) float32 beside it.

    Raises:
        UsageError: ``directory`` is not empty, or another process writes it.
    """

    def __init__(self, directory: Path, game: Game, layout: Layout | None = None, size: int = 50_000) -> None:
        _check_free(directory)
        self._lock = DirectoryLock(directory, "Examples are being written to {}")
        _check_free(directory)  # another process may have ended meanwhile
        self.directory, self.layout, self.size = directory, layout, size
        self.shards: list[Shard] = []
        self._names = view_dtype(game.view_fields).names or ()
        self._waiting: list[Examples] = []
        for file in directory.iterdir():  # a process that was killed before it had a manifest
            if file.name != LOCK:
                file.unlink()

    @property
    def written(self) -> int:
        """How many examples are in finished shards."""
        return sum(shard.examples for shard in self.shards)

    def add(self, examples: Examples) -> None:
        """Append examples. Raises WriteError."""
        self._waiting.append(examples)
        if sum(map(len, self._waiting)) >= self.size:
            self._write()

    def finish(self, manifest: Manifest) -> Manifest:
        """Write what is left and the manifest, whose shards and number of examples are filled in; return it."""
        if self._waiting and sum(map(len, self._waiting)):
            self._write()
        shape = () if self.layout is None else tuple(self.layout.shape)
        whole_one = evolve(manifest, shards=tuple(self.shards), examples=self.written, shape=shape)
        named = [("game", whole_one.game), ("encoder", whole_one.encoder)]
        write_own(registry.load, self.directory / MANIFEST, {"cardai": "examples", **_plain(whole_one)}, named)
        self._lock.release()
        return whole_one

    def discard(self) -> None:
        """Take away what was written."""
        for shard in self.shards:
            (self.directory / shard.file).unlink(missing_ok=True)
            (self.directory / _codes(shard.file)).unlink(missing_ok=True)
        self._lock.release()
        with suppress(OSError):  # gone with the lock
            self.directory.rmdir()

    def _write(self) -> None:
        part = joined(self._waiting)
        name = f"examples-{len(self.shards):05d}.npz"
        columns: dict[str, Any] = {column: getattr(part, column) for column in COLUMNS}
        columns |= {f"view_{field}": part.views[field] for field in self._names}
        if self.layout is not None:
            codes = np.concatenate([self.layout.encode(part.views[k : k + 4096]) for k in range(0, len(part), 4096)])
            write_npz(self.directory / _codes(name), {"x": codes}, level=1)
        write_npz(self.directory / name, columns, level=1)
        self.shards.append(Shard(name, len(part)))
        self._waiting = []  # an interrupted write is made again by finish


def _check_free(directory: Path) -> None:
    """Raise UsageError unless a directory holds nothing but what a conversion left that was killed."""
    if not vacant(directory) and not (directory.is_dir() and all(map(_left, directory.iterdir()))):
        raise UsageError(f"{directory} is not empty. Give --out a directory that is new or empty.")


def _left(file: Path) -> bool:
    """Whether a file is what a conversion leaves that was killed: a shard, or half a file. With a manifest none is that."""
    return unfinished(file) or re.fullmatch(r"(examples|codes)-[0-9]{5}\.npz", file.name) is not None


def _codes(name: str) -> str:
    return name.replace("examples-", "codes-")


def _plain(manifest: Manifest) -> dict[str, Any]:
    from attrs import asdict

    columns = {name: text for name, (_, text) in COLUMNS.items()}
    return {**asdict(manifest), "columns": columns}


def read_manifest(directory: str | Path) -> Manifest:
    """Return the manifest of a directory of examples.

    Raises:
        UsageError: there is no such directory, or none in it. DamagedFileError: the manifest is not readable.
    """
    path = Path(directory) / MANIFEST
    if not os.path.isfile(path):
        raise UsageError(
            f"There are no examples in {str(directory)!r}. Make them with: cardai convert LOG --to examples --out DIR."
        )
    refuse_links(Path(directory))
    value = read_json(path)
    if value.get("cardai") != "examples" or value.get("format") != FORMAT:
        raise DamagedFileError(f"The file {path} is no manifest of examples of format {FORMAT}.")
    return structure(value, Manifest, f"The file {path}")


def read_examples(
    directory: str | Path, game: Game, keep: Callable[[Examples], Examples] | None = None
) -> tuple[Manifest, Examples]:
    """Return the manifest and the examples of a directory, made for ``game``; ``keep`` takes some of each shard.

    Raises:
        UsageError: there are none, or they are of another game. DamagedFileError: a shard is not what the manifest says.
    """
    manifest = read_manifest(directory)
    check_game(manifest, game, directory)
    parts = [part if keep is None else keep(part) for part in shards(directory, manifest, game)]
    if not parts:
        raise UsageError(f"There is not one decision in the examples {str(directory)!r}.")
    return manifest, joined(parts)


def numbers_of(manifest: Manifest, players: Sequence[str], directory: str | Path) -> list[int]:
    """Return the numbers of ``players`` in the examples (none: of all). Raises UsageError for one who is not in them."""
    for name in players:
        if name not in manifest.players:
            known = ", ".join(manifest.players[:20])
            raise UsageError(f"The player {name!r} is not in the examples {str(directory)!r}. Known: {known}.")
    return [manifest.players.index(name) for name in players] or list(range(len(manifest.players)))


def check_game(manifest: Manifest, game: Game, directory: str | Path) -> None:
    """Raise UsageError unless the examples are decisions of ``game``."""
    from cardai import make
    from cardai.core.registry import spec_of

    made = make.game(manifest.game)
    same = view_dtype(made.view_fields) == view_dtype(game.view_fields) and classes(made) == classes(game)
    if not same or manifest.rule != rule(game):
        raise UsageError(f"The examples in {str(directory)!r} are of {manifest.game}, not of {spec_of(game)}.")


def shards(directory: str | Path, manifest: Manifest, game: Game) -> Iterator[Examples]:
    """Yield the examples shard by shard. Raises DamagedFileError, naming the file."""
    dtype, columns = view_dtype(game.view_fields), len(classes(game))
    for shard in manifest.shards:
        n = shard.examples
        expected: dict[str, Any] = {name: (kind, (n,)) for name, (kind, _) in COLUMNS.items()}
        expected["legal"] = (np.bool_, (n, columns))
        expected |= {f"view_{name}": (dtype[name].base, (n, *dtype[name].shape)) for name in dtype.names or ()}
        path = Path(directory) / shard.file
        arrays = read_npz(path, expected)
        views = np.empty(n, dtype)
        for name in dtype.names or ():
            views[name] = arrays[f"view_{name}"]
        part = Examples(views, **{name: arrays[name] for name in COLUMNS})
        chosen = np.clip(part.label, 0, columns - 1)
        if n and not (part.legal[np.arange(n), chosen] & (chosen == part.label)).all():
            raise DamagedFileError(f"The file {path} has labels that are not legal there.")
        if name := misfitting(game.view_fields, views):
            raise DamagedFileError(f"The file {path} holds in {name!r} what no view of the game does: it is damaged.")
        yield part
