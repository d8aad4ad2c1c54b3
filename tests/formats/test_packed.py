"""Files of hands packed by gzip."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from cardai.cli import main
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.formats import packed, read_hands
from cardai.formats.stream import sources, stream_hands
from tests.formats.acpc_table import DATA

LOG = DATA / "slumbot.log"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "slumbot.log.gz"
    path.write_bytes(gzip.compress(LOG.read_bytes()))
    return path


def test_a_packed_file_of_hands_reads_as_what_is_in_it(log: Path) -> None:
    assert read_hands(log).hands == read_hands(LOG).hands
    with stream_hands(log) as opened, stream_hands(LOG) as plain:
        assert list(opened.hands) == list(plain.hands)


def test_members_one_behind_the_other_and_padding_are_one_file(log: Path) -> None:
    lines = LOG.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(gzip.compress(line) for line in lines) + gzip.compress(b"") + b"\0" * 100)
    assert read_hands(log).hands == read_hands(LOG).hands


def test_standard_input_may_be_packed(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    assert read_hands("-").hands == read_hands(LOG).hands


def test_packed_files_in_directories_count_as_what_is_in_them(log: Path) -> None:
    for name in ("notes.txt.gz", "other.gz", "a.phh.gz", "b.jsonl"):
        (log.parent / name).write_bytes(b"")
    assert [Path(name).name for name in sources(str(log.parent))] == ["a.phh.gz", "b.jsonl", "slumbot.log.gz"]


def test_a_packed_file_that_is_cut_off_or_damaged_is_refused_by_name(log: Path) -> None:
    whole = log.read_bytes()
    for data, words in (
        (whole[:-20], "cut off"),
        (whole[:-4] + b"\1\1\1\1", "damaged"),
        (whole + b"more", "damaged"),
        (whole[:2] + b"\7" + whole[3:], "damaged"),
    ):
        log.write_bytes(data)
        with pytest.raises(DamagedFileError, match=f"{log.name}.*{words}"):
            read_hands(log)


@pytest.mark.parametrize("place", range(10, 200, 13))
def test_a_wrong_byte_is_never_a_mistake_in_the_program(place: int, log: Path) -> None:
    data = bytearray(log.read_bytes())
    data[place] ^= 0x55
    log.write_bytes(data)
    with pytest.raises(CardaiError):
        read_hands(log)


def test_what_swells_beyond_what_hands_do_is_refused_before_it_is_unpacked(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(packed, "ENOUGH", 1 << 16)
    given = []

    class Counted(packed.Unpacked):
        def readinto(self, buffer: Any) -> int:
            given.append(super().readinto(buffer))
            return given[-1]

    monkeypatch.setattr("cardai.formats.encodings.Unpacked", Counted)
    log.write_bytes(gzip.compress(LOG.read_bytes() + b"#" * (1 << 25)))
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(log), "-", "--to", "record"])
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert "200 times its size" in told
    assert log.name in told
    assert sum(given) < 1 << 22
    log.write_bytes(zlib.compress(b"#" * 30_000, wbits=zlib.MAX_WBITS | 16))  # swells as much, to little
    with pytest.raises(DamagedFileError, match="not say which game"):
        read_hands(log)
