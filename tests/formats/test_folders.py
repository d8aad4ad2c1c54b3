"""Folders and zip archives of hands from strangers: nothing outside is read, and nothing swells without bound."""

from __future__ import annotations

import gzip
import io
import os
import struct
import zipfile
from pathlib import Path

import pytest

from cardai.core.errors import DamagedFileError
from cardai.core.format import LeftOut
from cardai.formats import folders, packed, read_hands
from cardai.formats.rooms import room_hands
from cardai.formats.stream import sources
from tests.formats.rooms.texts import CASH, GG

MANY = 2000


def zipped(**files: bytes) -> bytes:
    """Return an archive of files whose names end in .txt."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.txt", data)
    return held.getvalue()


def overlapping(archive: bytes, count: int) -> bytes:
    """Return an archive of so many entries that all lead to the one file in ``archive``."""
    start, end = archive.index(b"PK\1\2"), archive.rindex(b"PK\5\6")
    entries = archive[start:end] * count
    return archive[:start] + entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), start, 0)


def test_links_that_lead_out_of_a_folder_of_hands_are_left_out_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    folder.mkdir()
    (tmp_path / "mine.txt").write_text(CASH)
    (folder / "a.txt").symlink_to(tmp_path / "mine.txt")
    (folder / "b.txt").write_text(GG)
    (folder / "c.txt").symlink_to(folder / "b.txt")  # a second name in the folder is a file of it
    os.mkfifo(folder / "d.txt")  # it is waited for by nobody
    with room_hands(folder) as hands:
        found = [hand.reason if isinstance(hand, LeftOut) else hand.room for hand in hands]
    assert found == ["GGPoker", "GGPoker", "a link that leads out of the folder"]
    digest = folders.digest(folder)
    (tmp_path / "mine.txt").write_text("other hands")
    (folder / "notes.md").write_text("no hands")
    assert folders.digest(folder) == digest
    (folder / "b.txt").write_text(CASH)
    assert folders.digest(folder) != digest
    (folder / "b.txt").unlink()
    with pytest.raises(DamagedFileError, match=r"no file of hands .*; 1 x a link that leads out of the folder"):
        read_hands(folder)


def test_a_pipe_or_a_link_that_leads_out_of_a_directory_of_records_is_refused_and_not_waited_for(
    tmp_path: Path,
) -> None:
    directory = tmp_path / "records"
    directory.mkdir()
    os.mkfifo(directory / "a.jsonl")
    with pytest.raises(DamagedFileError, match=r"a\.jsonl is no file but a pipe"):
        sources(str(directory))
    (directory / "a.jsonl").unlink()
    (tmp_path / "mine.jsonl").write_text("{}")
    (directory / "a.jsonl").symlink_to(tmp_path / "mine.jsonl")
    with pytest.raises(DamagedFileError, match=r"a\.jsonl is a link that leads out of the directory"):
        sources(str(directory))
    (directory / "a.jsonl").unlink()
    (directory / "b.jsonl").write_text("{}")
    (directory / "a.jsonl").symlink_to(directory / "b.jsonl")
    assert len(sources(str(directory))) == 2


@pytest.mark.parametrize("kind", ["overlapping", "packed twice", "packed twice, several"])
def test_an_archive_that_swells_in_all_is_refused_before_it_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(folders, "ENOUGH", 1 << 16)
    monkeypatch.setattr(packed, "ENOUGH", 1 << 16)
    once = (CASH + "\n\n").encode() * 40
    if kind == "overlapping":  # each of them holds what hands do
        data = overlapping(zipped(a=once), MANY)
    elif kind == "packed twice":  # 200 times and 200 times again
        data = zipped(a=gzip.compress(once * 250))
    else:
        data = zipped(**{f"a{k}": gzip.compress(once * 6) for k in range(12)})
    assert len(data) * packed.SWELLING < len(once) * (MANY if kind == "overlapping" else 200) or len(data) < 1 << 16
    (tmp_path / "hands.zip").write_bytes(data)
    read = iter(range(10 * MANY))
    with pytest.raises(DamagedFileError, match="more than"), room_hands(tmp_path / "hands.zip") as hands:
        assert all(next(read, None) is not None for _ in hands), "nobody ended it"


def test_what_is_in_an_archive_is_counted_no_further_than_asked() -> None:
    archive = io.BytesIO(zipped(a=b"x" * 100, b=gzip.compress(b"y" * 100)))
    assert not folders.swells(archive, 200)
    assert folders.swells(archive, 199)
    with pytest.raises(DamagedFileError, match="cannot be unpacked"):
        folders.swells(io.BytesIO(archive.getvalue()[:-30]), 200)
