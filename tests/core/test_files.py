"""Files: written whole or not at all, and read only as what was expected."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import socket
import stat
import threading
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.core import files
from cardai.core.errors import DamagedFileError, UsageError, WriteError
from cardai.core.files import Output, limited_lines, read_json, write_atomically, write_json
from cardai.core.npz import map_npy, read_npz, write_npz

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and modes are POSIX's")

EXPECTED: dict[str, tuple[Any, tuple[int | None, ...]]] = {"step": (np.int64, ()), "rows": (np.float64, (None, 3))}
GOOD = {"step": np.int64(7), "rows": np.ones((2, 3))}


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", GOOD)
    found = read_npz(tmp_path / "a.npz", EXPECTED)
    assert found.keys() == GOOD.keys()
    assert int(found["step"]) == 7
    assert found["rows"].tolist() == GOOD["rows"].tolist()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"step": np.int64(7)}, "Missing or unknown: ['rows']"),
        (GOOD | {"more": np.zeros(1)}, "Missing or unknown: ['more']"),
        (GOOD | {"step": np.int32(7)}, "'step' in"),
        (GOOD | {"rows": np.ones((2, 4))}, "must be float64 of shape (None, 3). Got float64 of shape (2, 4)"),
        (GOOD | {"rows": np.ones(3)}, "Got float64 of shape (3,)"),
        (GOOD | {"rows": np.ones((2, 3), np.float32)}, "Got float32"),
    ],
)
def test_other_arrays_than_expected_are_refused(arrays: dict[str, Any], said: str, tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", arrays)
    with pytest.raises(DamagedFileError) as error:
        read_npz(tmp_path / "a.npz", EXPECTED)
    assert said in str(error.value)


def test_json_must_be_an_object(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"a": [1, 2]})
    assert read_json(tmp_path / "a.json") == {"a": [1, 2]}
    for text, said in (("[1]", "must hold a JSON object. Got list"), ("{", "not readable JSON")):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(DamagedFileError, match=said):
            read_json(tmp_path / "a.json")
    with pytest.raises(DamagedFileError, match="is missing"):
        read_json(tmp_path / "nowhere.json")


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_atomically(file, b"long and old")
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


# -- what is written -----------------------------------------------------------------------------------------------


def test_an_error_while_writing_leaves_the_older_file_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("older")
    for stops in (ValueError, KeyboardInterrupt):
        with pytest.raises(stops), Output(tmp_path / "a") as file:  # noqa: PT012 (what is raised inside is the point)
            file.write(b"half")
            raise stops
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "older")]


@posix
def test_a_link_is_followed_and_stays_one(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a").write_text("older")
    (tmp_path / "link").symlink_to("below/a")
    (tmp_path / "dangling").symlink_to("below/b")
    write_atomically(tmp_path / "link", b"new")
    write_atomically(tmp_path / "dangling", b"made")
    assert (tmp_path / "link").is_symlink()
    assert sorted((p.name, p.read_text()) for p in (tmp_path / "below").iterdir()) == [("a", "new"), ("b", "made")]


@posix
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_atomically(tmp_path / "pipe", b"all of it")
    reader.join(20)
    assert read == [b"all of it"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@posix
def test_a_device_is_written_into_and_stays_a_device(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    for path in (Path("/dev/null"), tmp_path / "null"):
        write_atomically(path, b"gone")
        assert stat.S_ISCHR(path.stat().st_mode)
    assert not list(Path("/dev").glob(f".*{files.UNFINISHED}"))


@posix
def test_an_open_file_of_a_process_is_written_into(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as held:
        before = os.fstat(held.fileno()).st_ino
        write_atomically(Path(f"/dev/fd/{held.fileno()}"), b"through it")
    assert (tmp_path / "a").read_bytes() == b"through it"
    assert (tmp_path / "a").stat().st_ino == before  # not another file of that name


@posix
def test_what_is_no_place_for_a_file_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("door")
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "file").touch()
        for path, said in (
            (tmp_path, "is a directory. Give the name of a file."),
            (Path("door"), "is a socket"),
            (Path("loop"), "cannot be written: Too many levels of symbolic links"),
            (Path("nowhere/x"), "cannot be written: No such file or directory"),
            (Path("file/x"), "cannot be written: Not a directory"),
            (Path("a\0b"), "embedded null"),  # a byte or a character, as Python words it
        ):
            with pytest.raises(UsageError) as error:
                write_atomically(path, b"x")
            assert said in str(error.value)


@posix
def test_a_full_disk_is_said_with_the_name_of_the_file() -> None:
    with pytest.raises(WriteError, match=r"The file '/dev/full' cannot be written: No space left on device\."):
        write_atomically(Path("/dev/full"), b"x" * 100_000)


@posix
def test_new_files_have_the_mode_that_the_umask_leaves_and_replaced_ones_keep_theirs(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", b"")
        write_npz(tmp_path / "new.npz", GOOD)
        (tmp_path / "mine").touch(0o600)
        write_atomically(tmp_path / "mine", b"")
    finally:
        os.umask(before)
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
    assert modes == {"new": "0o640", "new.npz": "0o640", "mine": "0o600"}


@posix
def test_the_directory_is_synced_after_the_renaming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[bool, bool]] = []
    whole = os.fsync

    def noting(handle: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(handle).st_mode), (tmp_path / "a").exists()))
        whole(handle)

    monkeypatch.setattr(os, "fsync", noting)
    write_atomically(tmp_path / "a", b"x")
    assert synced == [(False, False), (True, True)]  # the file before it has its name, the directory after


def test_minus_is_standard_output_which_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    print("before")  # noqa: T201
    with Output("-") as file:
        file.write(b"all of it\n")
    print("after")  # noqa: T201
    assert capsys.readouterr().out == "before\nall of it\nafter\n"


# -- what is read --------------------------------------------------------------------------------------------------


def test_a_line_without_an_end_is_read_as_far_as_lines_go() -> None:
    lines = limited_lines(io.StringIO("short\n" + "x" * 25 + "\nlast"), limit=10)
    assert list(lines) == ["short\n", "x" * 10, "last"]


def test_nothing_of_an_endless_line_is_held() -> None:
    class Endless(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            assert size == files.LINE_LIMIT
            return "x" * size

    assert len(next(limited_lines(Endless()))) == files.LINE_LIMIT
    lines = limited_lines(Endless())
    next(lines)
    with pytest.raises(DamagedFileError, match="has a line of more than 268,435,456 characters"):
        next(lines)


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 40 + "1" + "}" * 40, '{"a": 1' + "0" * 5000 + "}"]
)
def test_json_that_is_deeper_or_longer_than_ours_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DamagedFileError, match="is not readable JSON"):
        read_json(tmp_path / "a.json")


def test_json_that_is_larger_than_ours_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "JSON_LIMIT", 1000)
    (tmp_path / "a.json").write_text('{"a": "' + "x" * 2000 + '"}')
    with pytest.raises(DamagedFileError, match="more than 1,000 bytes"):
        read_json(tmp_path / "a.json")
    monkeypatch.setattr(files, "VALUES_LIMIT", 100)
    for text in ("[" + "[]," * 99 + "[]]", "[" + "{}," * 99 + "1]", "[" + "0," * 200 + "1]"):
        (tmp_path / "a.json").write_text('{"a": ' + text + "}")
        with pytest.raises(DamagedFileError, match="more than 100 values"):
            read_json(tmp_path / "a.json")


def bomb(path: Path, arrays: int = 1) -> None:
    """Write an archive of 100 kB that would unpack to 100 MB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(arrays):
            with archive.open(f"a{number}.npy", "w") as member:
                np.lib.format.write_array_header_1_0(
                    member, {"descr": "|u1", "fortran_order": False, "shape": (100 << 20,)}
                )
                for _ in range(100):
                    member.write(bytes(1 << 20))


def test_an_archive_that_would_unpack_to_a_thousand_times_its_size_is_refused_unread(tmp_path: Path) -> None:
    bomb(tmp_path / "a.npz")
    assert (tmp_path / "a.npz").stat().st_size < 140_000
    tracemalloc.start()
    try:
        for expected in (None, {"a0": (np.uint8, (None,))}):
            with pytest.raises(DamagedFileError, match="would unpack to 104,857,"):
                read_npz(tmp_path / "a.npz", expected)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_an_archive_that_would_not_fit_into_memory_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_npz(tmp_path / "a.npz", {"a": np.arange(10 << 20)})
    monkeypatch.setattr("cardai.core.npz.free_memory", lambda: 70 << 20)
    with pytest.raises(DamagedFileError, match=r"would unpack to 83,886,\d+ bytes, and 73,400,320 of memory are free"):
        read_npz(tmp_path / "a.npz")


def test_a_large_array_of_the_wrong_name_or_shape_is_refused_unread(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros((64, 1 << 20), np.uint8))  # 64 MB on the disk, as a file may be
    tracemalloc.start()
    try:
        for expected in ({"y": (np.uint8, (None,))}, {"x": (np.uint8, (3, None))}):
            with pytest.raises(DamagedFileError):
                read_npz(tmp_path / "a.npz", expected)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def member(data: bytes, name: str = "a.npy", **more: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), data, **more)
    return out.getvalue()


def npy(shape: str, data: bytes, descr: str = "<i8") -> bytes:
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    "data",
    [
        member(npy("(2,)", bytes(8))),  # declares more than it holds
        member(npy("(1000000000000,)", bytes(8))),
        member(npy("(-1,)", bytes(8))),
        member(npy("(1,)", bytes(16))),  # holds more than it declares
        member(npy("(1,)", bytes(8), "|O")),
        member(npy("(1,)", bytes(8), "|S8")),
        member(npy("(1,)", bytes(8)), "../a.npy"),
        member(npy("(1,)", bytes(8)), "a.txt"),
        member(npy("(1,)", bytes(8)), compress_type=zipfile.ZIP_BZIP2),
        member(b"no array"),
        b"PK\x05\x06" + bytes(6) + b"\xff\xff" + bytes(10),  # 65,535 members
        b"",
    ],
)
def test_an_archive_that_does_not_hold_what_it_declares_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(DamagedFileError, match=r"a\.npz is not a readable npz archive"):
        read_npz(tmp_path / "a.npz")


def test_a_good_archive_of_the_same_making_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(member(npy("(1,)", b"\x07" + bytes(7))))
    assert read_npz(tmp_path / "a.npz")["a"].tolist() == [7]


def test_compressed_arrays_of_ours_are_read(tmp_path: Path) -> None:
    arrays = {"zeros": np.zeros(2_000_000, np.int64), "count": np.arange(1000)}
    write_npz(tmp_path / "a.npz", arrays, level=6)
    assert (tmp_path / "a.npz").stat().st_size < 100_000
    found = read_npz(tmp_path / "a.npz")
    assert all((found[name] == array).all() for name, array in itertools.chain(arrays.items()))


def test_a_table_is_mapped_if_it_is_what_was_written_and_refused_by_a_sentence_if_not(tmp_path: Path) -> None:
    file = tmp_path / "table.npy"
    np.save(file, np.arange(40, dtype=np.float32))
    assert isinstance(map_npy(file, np.float32, (40,)), np.memmap)
    assert (map_npy(file, np.float32, (None,)) == np.arange(40)).all()
    good = file.read_bytes()
    head = good.index(b"}")
    cut = [good[:at] for at in (0, 5, 9, 60, 100, len(good) - 1)]
    changed = [good[:head] + other + good[head + 1 :] for other in (b"(", b"]", b"'", b"\\x00")]
    shapes = [good.replace(b"(40,)", shape) for shape in (b"(99,)", b"(-4,)", b"(4.)", b"[40,]", b"(4e)")]
    kinds = [good.replace(b"'<f4'", kind) for kind in (b"'|O' ", b"'<f8'", b"'x' ")]
    for data in (*cut, *changed, *shapes, *kinds, b"PK" + good[2:]):
        file.write_bytes(data)
        with pytest.raises(DamagedFileError, match=r"table\.npy"):
            map_npy(file, np.float32, (40,))
    for path in (tmp_path, tmp_path / "nowhere.npy", tmp_path / ("x" * 300)):
        with pytest.raises(DamagedFileError):
            map_npy(path, np.float32, (40,))


def test_a_pickle_in_a_tables_place_is_not_run(tmp_path: Path) -> None:
    class Program:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "ran"),)

    (tmp_path / "table.npy").write_bytes(pickle.dumps(Program()))
    with pytest.raises(DamagedFileError, match="not a readable table"):
        map_npy(tmp_path / "table.npy", np.float32, (40,))
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_the_place_of_a_file_of_ours_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    from cardai.study import saved

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for read in (read_json, read_npz, saved.read):
        for name in ("pipe", "link"):
            with pytest.raises(DamagedFileError, match="is no file but a pipe"):
                read(tmp_path / name)


def test_an_array_that_is_half_written_is_said_to_want_a_larger_disk(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"No space left on device, it seems \(445 requested and 360 written\)"):  # noqa: SIM117
        with Output(tmp_path / "a.npy"):
            raise OSError("445 requested and 360 written")  # as numpy's tofile does
