"""``cardai range``: shown, counted, combined, written for other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai.cli import main
from cardai.poker.notation import parse_range


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["range", *arguments])
    assert ended.value.code == code
    said = capsys.readouterr()
    return said.out, said.err


def test_a_range_is_shown_as_a_grid_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "22+,AKs:0.5")
    lines = out.splitlines()
    assert lines[0].startswith(" AA 100  AKs 50  AQs  - ")
    assert lines[13:] == ["80 of 1,326 hands, 6.03 %", "22+,AKs:0.5"]


def test_ranges_are_combined_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "TT+", "--union", "AKs", "--minus", "QQ+", "--and", "22+,AK", "--dead", "TsAc", "--json")
    found = json.loads(out)
    assert found["combos"] == 3 + 6 + 3  # tens without the spade, jacks, ace-king without the club
    assert (parse_range(found["notation"]) > 0).sum() == 12


def test_a_file_is_read_and_another_form_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "range.txt").write_text("// from a solver\nAA,KK:0.5\n")
    assert run(capsys, str(tmp_path / "range.txt"), "--to", "gtoplus")[0] == "AA,[50]KK[/50]\n"
    numbers, _ = run(capsys, "AA", "--to", "pio")
    (tmp_path / "pio.txt").write_text(numbers)
    assert run(capsys, str(tmp_path / "pio.txt"), "--to", "notation")[0] == "AA\n"


@pytest.mark.long
def test_a_picture_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    run(capsys, "15%", "--png", str(tmp_path / "range.png"))
    assert (tmp_path / "range.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["A1s"], "cannot be read"),
        (["nofile.txt"], "'nofile.txt' is no range, and there is no such file"),
        (["."], "cannot be read"),
        (["./"], "'./' is a directory"),
        (["AA", "--to", "excel"], "Known: notation, pio, gtoplus, equilab, grid"),
        (["AA", "--dead", "Zz"], "--dead 'Zz' cannot be read"),
        (["AA", "--minus", "KK:x"], "a weight is a number"),
    ],
)
def test_what_is_no_range_is_said(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = run(capsys, *arguments, code=2)
    assert says in err
