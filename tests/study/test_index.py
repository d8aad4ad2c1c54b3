"""The index of kept matches: what it says counts only for the file that it was read from, whatever stands in its place."""

from __future__ import annotations

import os
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.study import index
from cardai.study.index import listed
from cardai.study.sittings import hands_of, sitting, sittings
from cardai.ui.match import Match

NUMBERS = np.array([float("nan"), 1.0]).tobytes()
HOSTILE: list[dict[str, Any]] = [
    {"groups": b"abc"}, {"groups": np.array([-1, 0]).tobytes()}, {"groups": b""}, {"who": 5}, {"won": NUMBERS}, {"won": 3},
    {"game": "kuhn\x1b[31m"}, {"game": b"kuhn"}, {"others": '["\\ud800"]'}, {"others": "[" * 100_000}, {"size": 1}, {"time": 1},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one match of two hands of Kuhn poker, and its index beside it."""
    path = tmp_path / "m" / "2026-11-24-183000-kuhn.jsonl"
    path.parent.mkdir()
    match = Match.begin("kuhn", ["random"], 5, path)
    for k in range(2):
        if k:
            match.next_hand()
        while not match.table.hand_over:
            match.step() if match.waiting else match.act(1)
    match.close()
    told(tmp_path)
    return tmp_path


def told(folder: Path) -> list[tuple[str, str, list[float], list[int]]]:
    """Return what a new process lists."""
    index._last.clear()
    found, damaged = listed(folder / "m", "human", folder / "index.sqlite")
    assert not damaged
    return [(one.path.name, str(one.game), one.won.tolist(), one.groups.tolist()) for one in found]


def whole(folder: Path) -> list[tuple[str, str, list[float], list[int]]]:
    """Return what the matches themselves say."""
    found, _ = sittings(folder / "m", "human")
    return [(one.path.name, str(one.game), one.won.tolist(), one.groups.tolist()) for one in found]


def test_the_index_says_what_the_matches_do_and_reads_none_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = whole(folder)
    monkeypatch.setattr(index, "sitting", lambda path, player: pytest.fail(f"{path} is read again"))
    assert told(folder) == first
    assert len(first[0][2]) == 2


def test_a_match_that_has_changed_is_read_anew_and_one_that_is_gone_is_no_more(folder: Path) -> None:
    path = next((folder / "m").iterdir())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert told(folder) == whole(folder)
    assert len(told(folder)[0][2]) == 1
    path.unlink()
    assert told(folder) == []


def test_what_a_journal_holds_counts_before_the_record_that_it_goes_on_from(folder: Path) -> None:
    path = next((folder / "m").iterdir())
    lines = path.read_bytes().splitlines(keepends=True)
    path.with_name(f"{path.name}.open").write_bytes(b"".join(lines[:-1]))
    assert told(folder) == whole(folder)
    assert len(told(folder)[0][2]) == 1
    path.unlink()
    assert len(told(folder)[0][2]) == 1
    path.with_name(f"{path.name}.open").rename(path)
    assert told(folder) == whole(folder)


def test_groups_of_hands_are_numbered_anew_however_large_a_file_has_them(folder: Path) -> None:
    path = next((folder / "m").iterdir())
    path.write_text(path.read_text().replace('"group":1', f'"group":{2**63 - 1}'))
    one = sitting(path, "human")
    assert one is not None
    assert one.groups[1] == 2**63 - 1
    assert [hand["group"] for hand in hands_of([one, one])] == [0, 1, 2, 3]


@pytest.mark.parametrize("wrong", HOSTILE, ids=str)
def test_an_entry_that_no_match_could_have_is_read_anew(folder: Path, wrong: dict[str, Any]) -> None:
    file = folder / "index.sqlite"
    ((column, value),) = wrong.items()
    with closing(sqlite3.connect(file)) as base, base:
        base.execute(f"UPDATE matches SET {column} = ?", (value,))
    assert told(folder) == whole(folder)


ANOTHERS = (
    "",
    "CREATE TABLE matches (name TEXT)",
    f"{index.SCHEMA}; CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM matches; END",
    f"CREATE VIEW matches AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k FROM n) SELECT {', '.join('k' * 10)} FROM n",
)


@pytest.mark.parametrize("sql", [None, *ANOTHERS], ids=str)
def test_an_index_that_is_damaged_or_anothers_is_made_anew(
    folder: Path, sql: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "index.sqlite"
    if sql is None:
        file.write_bytes(file.read_bytes()[:5000] + b"?" * 5000)
    else:
        file.unlink()
        with closing(sqlite3.connect(file)) as base:
            base.executescript(sql)
    assert told(folder) == whole(folder)
    monkeypatch.setattr(index, "sitting", lambda path, player: pytest.fail(f"{path} is read again"))
    assert told(folder)


def test_a_journal_beside_the_index_has_no_file_deleted_and_a_log_none_written(folder: Path) -> None:
    """SQLite deletes the super-journal that a hot journal names (pager.c, pager_delsuper), and writes its log where it lies."""
    file, mine = folder / "index.sqlite", folder / "mine.txt"
    mine.write_text("mine")
    name, magic = str(mine).encode(), bytes.fromhex("d9d505f920a163d7")
    head = magic + struct.pack(">5I", 0, 1, file.stat().st_size // 4096, 512, 4096)
    named = name + struct.pack(">2I", len(name), sum(name)) + magic
    journal = folder / "index.sqlite-journal"
    journal.write_bytes(head.ljust(512, b"\0") + struct.pack(">I", (1 << 30) // 4096 + 1) + named)
    assert told(folder) == whole(folder)
    assert mine.read_text() == "mine"
    journal.unlink()
    with closing(sqlite3.connect(file)) as base:
        base.execute("PRAGMA journal_mode = WAL")
    for ending in ("-wal", "-shm"):
        (folder / f"index.sqlite{ending}").symlink_to(folder / f"outside{ending}")
    assert told(folder) == whole(folder)
    assert not list(folder.glob("outside*"))


def test_an_index_whose_pages_lead_to_one_another_is_made_anew(folder: Path) -> None:
    """Read as it says, 17 levels of 30 branches to one page each have more than 30 ** 17 entries."""
    file = folder / "index.sqlite"
    data = file.read_bytes()
    leaf = data[4096:]
    start = int.from_bytes(leaf[5:7])  # the only cell, to the end of the page
    pages = [data[:4096]]
    for child in range(3, 20):
        cell, slots = struct.pack(">I", child) + leaf[start:], range(30)
        where = b"".join(struct.pack(">H", 4096 - len(cell) * (k + 1)) for k in slots)
        head = struct.pack(">B3HxI", 2, 0, len(slots), 4096 - len(cell) * len(slots), child) + where
        pages.append(head.ljust(4096 - len(cell) * len(slots), b"\0") + cell * len(slots))
    hostile = bytearray(b"".join((*pages, leaf)))
    hostile[28:32] = struct.pack(">I", len(hostile) // 4096)
    file.write_bytes(hostile)
    assert told(folder) == whole(folder)
    assert len(file.read_bytes()) == len(data)


@pytest.mark.parametrize("word", [b"matches", b"CREATE", b"PRIMARY", b"WITHOUT ROWID"])
def test_an_index_of_which_sqlite_s_own_words_are_no_text_is_made_anew(folder: Path, word: bytes) -> None:
    file = folder / "index.sqlite"
    data = file.read_bytes()
    assert word in data
    file.write_bytes(data.replace(word, word[:2] + b"\x92" + word[3:], 1))
    assert told(folder) == whole(folder)
    assert file.read_bytes() == data


@pytest.mark.skipif(os.name == "nt", reason="pipes and links")
@pytest.mark.parametrize("odd", ["pipe", "link", "folder"])
def test_no_pipe_is_waited_for_and_nothing_written_where_a_link_leads(folder: Path, odd: str) -> None:
    file, mine = folder / "index.sqlite", folder / "mine.txt"
    file.unlink()
    mine.write_text("mine")
    {"pipe": lambda: os.mkfifo(file), "link": lambda: file.symlink_to(mine), "folder": file.mkdir}[odd]()
    assert told(folder) == whole(folder)
    assert mine.read_text() == "mine"
