from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardai.cli import main as enter
from cardai.learn.imitation.examples import read_manifest
from tests.formats.acpc_table import DATA

LOG = str(DATA / "2p.limit.seed0.log")


def main(arguments: list[str]) -> int:
    """Call the command line and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        enter(arguments)
    return int(ended.value.code or 0)


def test_a_log_becomes_examples_and_says_how_many(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "examples"
    assert main(["convert", LOG, str(out), "--to", "examples", "--player", "p1"]) == 0
    assert "decisions of 18 hands written to" in capsys.readouterr().err
    assert read_manifest(out).hands == 18
    assert main(["convert", LOG, str(out), "--to", "examples"]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_bad_hands_are_reported_and_counted_and_strict_ends_with_one(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "cut.log"
    log.write_text(Path(LOG).read_text()[:-60])
    for strict, code in (([], 0), (["--strict"], 1)):
        out = tmp_path / f"examples-{code}"
        assert main(["convert", str(log), "--to", "examples", "--out", str(out), *strict]) == code
        said = capsys.readouterr().err
        assert "cut off" in said
        assert f"left out: {read_manifest(out).left_out} bad hands and lines" in said


def test_wrong_calls_are_refused_in_a_sentence(tmp_path: Path, capsys: Any) -> None:
    for words, said in (
        (["convert", LOG, "--to", "examples"], "--out DIR"),
        (["convert", LOG], "OUT is missing"),
        (["convert", LOG, str(tmp_path / "x.log"), "--player", "p1"], "belong to --to examples"),
        (["convert", LOG, "--to", "examples", "--out", str(tmp_path / "a"), "--player", "x"], "Known: p1, p2"),
        (["convert", LOG, "--to", "examples", "--out", str(tmp_path / "a"), "--encoder", "leduc_30"], "leduc_30"),
    ):
        assert main(words) == 2, words
        assert said in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
