"""Files of hands are a plugin kind: a third party's format is told, read and written as ours are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cardai.cli import main
from cardai.core import registry
from cardai.formats import read_hands
from cardai.formats.stream import sources
from tests.formats.acpc_table import DATA

ROOM = '''
"""A room of its own."""
from attrs import frozen
from cardai import hookimpl
from cardai.core.format import Format, HandStream, LeftOut, Written

@frozen
class Room(Format):
    suffixes = (".room",)

    def detect(self, lines):
        return next((place for place, line in enumerate(lines) if line.startswith("ROOM")), None)

    def read(self, lines, name):
        setup = {"starter": 0, "score": [], "stacks": []}
        hand = {"seats": [0, 1], "seed": 0, "setup": setup, "deck": [0, 1, 2, 3], "actions": [0], "returns": [-50.0, 50.0]}
        bad = (LeftOut(f"{name}: no hand", "no hand") for line in lines if line.startswith("bad"))
        return HandStream(name, "holdem_nolimit", ["anna", "ben"], (item for part in ([hand], bad) for item in part))

    def write(self, header, hands):
        return Written("ROOM " + " ".join(header["agents"]) + "\\n", len(hands))

@hookimpl
def cardai_format():
    return Room
'''


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    plugin = tmp_path / "room.py"
    plugin.write_text(ROOM)
    registry.add_file(str(plugin))
    yield tmp_path
    registry.default.reset()


def test_ours_are_listed_as_formats_and_may_be_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert {"acpc", "phh", "record", "slumbot"} <= {entry.name for entry in registry.entries("format")}
    with pytest.raises(SystemExit) as ended:
        main(["describe", "format", "phh"])
    assert ended.value.code == 0
    assert "It is read and written. Names of such files end in .phh or .phhs." in capsys.readouterr().out


def test_a_third_partys_format_is_read_by_its_first_lines(room: Path) -> None:
    path = room / "hands.room"
    path.write_text("\nROOM\nbad\nbad\n")
    file = read_hands(path)
    assert file.header["agents"] == ["anna", "ben"]
    assert [hand["actions"] for hand in file.hands] == [[0]]
    assert file.damaged == [f"{path}: no hand"] * 2


def test_a_third_partys_files_are_found_in_a_directory(room: Path) -> None:
    (room / "a" / "b").mkdir(parents=True)
    (room / "a" / "b" / "x.room").write_text("ROOM\n")
    (room / "a" / "x.txt").write_text("ROOM\n")
    assert sources(str(room / "a")) == [str(room / "a" / "b" / "x.room")]


def test_what_is_left_out_is_counted_by_its_reason(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.core.kernel.interpret", lambda: None)
    (room / "hands.room").write_text("ROOM\nbad\nbad\n")
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(room / "hands.room"), str(room / "back.room")])
    assert ended.value.code == 0
    assert (room / "back.room").read_text() == "ROOM anna ben\n"
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"One hand written to {room / 'back.room'}; 2 left out.",
        "       2  no hand",
    ]


def test_a_broken_format_spoils_no_other(room: Path) -> None:
    broken = room / "broken.py"
    broken.write_text("import cardai\n@cardai.hookimpl\ndef cardai_format():\n    return int\n")
    registry.add_file(str(broken))
    assert len(read_hands(DATA / "slumbot.log").hands) == 5


@pytest.mark.parametrize(
    ("encoding", "ends"),
    [
        ("utf-8", "\n"),
        ("utf-8-sig", "\r\n"),
        ("utf-16", "\r\n"),
        ("utf-16-le", "\n"),
        ("cp1252", "\r"),
        ("utf-8", "\r"),
    ],
)
def test_files_are_read_in_every_encoding_that_occurs(encoding: str, ends: str, tmp_path: Path) -> None:
    text = (DATA / "slumbot.log").read_text().replace("moscow25", "Zoë€")
    path = tmp_path / "hands"
    path.write_bytes(text.replace("\n", ends).encode(encoding))
    file = read_hands(path)
    assert not file.damaged
    assert len(file.hands) == 5
    assert "Zoë€" in file.header["agents"]
