"""An index of kept matches, in SQLite: what a list shows of each, so that one does not read all of them every time.

It is kept beside the matches, and an entry counts only for a file of the same name, size and time; what has changed is read
anew. Nothing is made of what it says: whoever grades or plays a match reads the match itself, whose texts know their source.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.arena.journal import kept_in
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import write_atomically
from cardai.core.schema import structure, whole
from cardai.core.text import one_line
from cardai.core.trust import Foreign, Source
from cardai.study.sittings import Sitting, sitting


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
        numbers = all(map(math.isfinite, self.won)) and all(group >= 0 for group in self.groups)
        texts = all(one_line(text) == text for text in (self.game, *self.others))
        return len(self.won) == len(self.groups) and self.who <= len(self.others) and numbers and texts

    def row(self, player: str, name: str) -> tuple[Any, ...]:
        """Return what is kept of it: the columns of :data:`SCHEMA`."""
        numbers = np.array(self.won, "<f8").tobytes(), np.array(self.groups, "<i8").tobytes()
        return player, name, self.size, self.time, self.game, json.dumps(self.others), self.who, *numbers, self.why

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> Entry:
        """Return the entry of such a row, without player and name. Raises DamagedFileError, ValueError,
        TypeError, RecursionError: it has none."""
        size, time, game, others, who, won, groups, why = row
        said = {"size": size, "time": time, "game": game, "others": json.loads(others), "who": who, "why": why}
        numbers = {"won": np.frombuffer(won, "<f8").tolist(), "groups": np.frombuffer(groups, "<i8").tolist()}
        return structure({**said, **numbers}, Entry, "The index")


SCHEMA = (
    "CREATE TABLE matches (player TEXT, name TEXT, size INTEGER, time INTEGER, game TEXT, others TEXT, who INTEGER, "
    "won BLOB, groups BLOB, why TEXT, PRIMARY KEY (player, name)) WITHOUT ROWID"
)
"""All that is in the database; one that has more, or other things, is none of ours."""
LIMIT = 32 << 20
"""Bytes that are read of it, two million hands: what is larger is damaged so, and made anew."""
COLUMNS = ("name", "size", "time", "game", "others", "who", "won", "groups", "why")
_last: dict[Path, tuple[tuple[int, int, str], dict[str, Entry]]] = {}
"""What this process read last, by the file, with the file's size and time, and the player."""


def listed(
    folder: Path, player: str, file: Path, words: Iterable[str] = (), named: Callable[[str], str] = str
) -> tuple[list[Sitting], list[str]]:
    """Return what :func:`~cardai.study.sittings.sittings` does, without the matches' hands, by the index in ``file``."""
    wanted = [word.casefold() for word in words]
    known, new, there = _read(file, player), dict[str, Entry](), set[str]()
    found, damaged = [], []
    for path, held in kept_in(folder):
        try:
            told = held.stat()
        except OSError:  # it went meanwhile
            continue
        if not held.is_file():
            continue
        entry = known.get(path.name)
        if entry is None or (entry.size, entry.time) != (told.st_size, told.st_mtime_ns) or not entry.sound:
            entry = new[path.name] = _entry(path, player, told.st_size, told.st_mtime_ns)
        there.add(path.name)
        if entry.why:
            damaged.append(entry.why)
        elif entry.won:
            one = _sitting(path, entry)
            if one.has(wanted, named):
                found.append(one)
    gone = known.keys() - there
    if new or gone:
        write(file, player, new, gone)
        with suppress(OSError):
            told = file.lstat()
            kept = {name: entry for name, entry in known.items() if name not in gone}
            _last[file] = (told.st_size, told.st_mtime_ns, player), {**kept, **new}
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
    """Return the entries that are kept, by their matches' names; a file that is damaged, or another's, holds none."""
    with suppress(OSError, sqlite3.Error):
        if not _own(file):
            return {}
        told = file.stat()
        key = told.st_size, told.st_mtime_ns, player
        last = _last.get(file)
        if last is None or last[0] != key:
            found: dict[str, Entry] = {}
            with closing(_copy(file)) as base:
                for name, *row in base.execute(f"SELECT {', '.join(COLUMNS)} FROM matches WHERE player = ?", (player,)):
                    with suppress(DamagedFileError, ValueError, TypeError, RecursionError):
                        found[name] = Entry.of(tuple(row))
            last = _last[file] = key, found  # whole: other threads read it too
        return last[1]
    return {}


def write(file: Path, player: str, new: Mapping[str, Entry], gone: Collection[str]) -> None:
    """Keep new entries and leave out those of matches that are gone. Where that cannot be done, or another process does so
    at the same time, the next list takes longer."""
    rows = [entry.row(player, name) for name, entry in new.items() if _is_text(name, entry)]
    with suppress(OSError, sqlite3.Error, CardaiError):
        if os.path.lexists(file) and not _own(file):
            return
        try:
            base = _copy(file)
        except (OSError, sqlite3.Error):  # there is none, it is damaged, or it is none of ours
            base = sqlite3.connect(":memory:")
        with closing(base):
            with base:
                base.execute(SCHEMA.replace("TABLE", "TABLE IF NOT EXISTS", 1))
                base.executemany("DELETE FROM matches WHERE player = ? AND name = ?", [(player, name) for name in gone])
                base.executemany(f"INSERT OR REPLACE INTO matches VALUES (?{', ?' * len(COLUMNS)})", rows)
            write_atomically(file, base.serialize())


def _copy(file: Path) -> sqlite3.Connection:
    """Return the database, in memory. SQLite opens no file: it would delete any that a journal beside this one names, and
    write where links beside it lead. Raises OSError, sqlite3.Error: there is none, it is damaged, or it is none of ours."""
    with file.open("rb") as held:
        data = held.read(LIMIT + 1)
    if not 0 < len(data) <= LIMIT:
        raise sqlite3.DatabaseError("it is none of ours")
    base, patience = sqlite3.connect(":memory:"), iter(range(100))
    base.set_progress_handler(lambda: next(patience, None) is None, 1_000_000)  # pages may lead to one another
    try:
        base.deserialize(data)
        base.execute("PRAGMA trusted_schema = OFF")
        sound = [sql for (sql,) in base.execute("SELECT sql FROM sqlite_schema")] == [SCHEMA]
        if not sound or base.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
            raise sqlite3.DatabaseError("it holds other things")
    except BaseException as error:
        base.close()
        if isinstance(error, UnicodeError):  # a text in it, or SQLite's words about one, is none
            raise sqlite3.DatabaseError("it holds what is no text") from error
        raise
    return base


def _is_text(name: str, entry: Entry) -> bool:
    """Return whether all texts can be written as UTF-8: names of files and of agents may be none."""
    with suppress(UnicodeEncodeError):
        return bool("".join((name, entry.game, *entry.others, entry.why)).encode())
    return False


def _own(file: Path) -> bool:
    """Return whether there is a file: a pipe is waited for forever, and a link leads to what is none of ours."""
    return stat.S_ISREG(file.lstat().st_mode)
