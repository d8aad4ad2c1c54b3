"""An index of kept matches: what a list shows of each, so that one does not read all of them every time.

It is kept beside the matches, and an entry counts only for a file of the same name, size and time; what has changed is read
anew. Nothing is made of what it says: whoever grades or plays a match reads the match itself, whose texts know their source.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import asdict, field, frozen

from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import read_json, write_json
from cardai.core.schema import structure, whole
from cardai.core.text import one_line
from cardai.core.trust import Foreign, Source
from cardai.study.sittings import Sitting, sitting

VERSION = 1


@frozen
class Entry:
    """What is known of a file: its size and time (ns) when it was read, and what it holds; a match that is not the player's, or
    that cannot be read (``why``), has no hands."""

    size: int = field(validator=whole())
    time: int = field(validator=whole())
    game: str = ""
    others: tuple[str, ...] = ()
    who: int = field(default=0, validator=whole())
    won: tuple[float, ...] = ()
    groups: tuple[int, ...] = ()
    why: str = ""

    @property
    def sound(self) -> bool:
        """Whether it can be shown: as many groups as hands, a place at its table, figures and texts as a match has them."""
        numbers = all(map(math.isfinite, self.won)) and all(0 <= group < 2**63 for group in self.groups)
        texts = all(one_line(text) == text for text in (self.game, *self.others))
        return len(self.won) == len(self.groups) and self.who <= len(self.others) and numbers and texts


@frozen
class Index:
    """All entries, by the files' names."""

    player: str
    version: int = VERSION
    matches: dict[str, Entry] = field(factory=dict)


_last: dict[Path, tuple[tuple[int, int], Index]] = {}
"""The index that this process read or wrote last, by its file, with the file's size and time."""


def listed(
    folder: Path, player: str, file: Path, words: Iterable[str] = (), named: Callable[[str], str] = str
) -> tuple[list[Sitting], list[str]]:
    """Return what :func:`~cardai.study.sittings.sittings` does, without the matches' hands, by the index in ``file``."""
    wanted = [word.casefold() for word in words]
    known, fresh, changed = _read(file, player), dict[str, Entry](), False
    found, damaged = [], []
    for path in sorted(folder.glob("*.jsonl"), key=lambda one: one.name, reverse=True):
        try:
            told = path.stat()
        except OSError:  # it went meanwhile
            continue
        if not path.is_file():
            continue
        entry = known.get(path.name)
        if entry is None or (entry.size, entry.time) != (told.st_size, told.st_mtime_ns) or not entry.sound:
            entry, changed = _entry(path, player, told.st_size, told.st_mtime_ns), True
        fresh[path.name] = entry
        if entry.why:
            damaged.append(entry.why)
        elif entry.won:
            one = _sitting(path, entry)
            if one.has(wanted, named):
                found.append(one)
    if changed or len(fresh) != len(known):
        _write(file, Index(player, matches=fresh))
    return found, damaged


def _entry(path: Path, player: str, size: int, time: int) -> Entry:
    try:
        one = sitting(path, player)
    except CardaiError as error:
        return Entry(size, time, why=str(error))
    if one is None:
        return Entry(size, time)
    return Entry(size, time, str(one.game), tuple(map(str, one.others)), one.who, tuple(one.won.tolist()), tuple(one.groups.tolist()))  # fmt: skip


def _sitting(path: Path, entry: Entry) -> Sitting:
    source = Source(str(path), "")  # nobody has trusted this: what is to be made is read from the match
    texts = [Foreign(text, source) for text in (entry.game, *entry.others)]
    groups = np.array(entry.groups, np.int64)
    return Sitting(path, texts[0], tuple(texts[1:]), entry.who, (), np.array(entry.won, np.float64), groups)


def _read(file: Path, player: str) -> dict[str, Entry]:
    """Return the entries that are kept; a file that is damaged, or another's, holds none."""
    with suppress(OSError, DamagedFileError):
        if not _own(file):
            return {}
        told = file.stat()
        key = told.st_size, told.st_mtime_ns
        if file not in _last or _last[file][0] != key:
            _last[file] = key, structure(read_json(file), Index, f"The index {file}")
        found = _last[file][1]
        if (found.player, found.version) == (player, VERSION):
            return found.matches
    return {}


def _write(file: Path, index: Index) -> None:
    """Keep an index; where that cannot be done, the next list takes longer."""
    with suppress(CardaiError, OSError):
        if os.path.lexists(file) and not _own(file):
            return
        write_json(file, asdict(index))
        told = file.stat()
        _last[file] = (told.st_size, told.st_mtime_ns), index


def _own(file: Path) -> bool:
    """Return whether there is a file: a pipe is waited for forever, and a link leads to what is none of ours."""
    return stat.S_ISREG(file.lstat().st_mode)
