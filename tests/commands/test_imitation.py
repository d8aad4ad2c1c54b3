from __future__ import annotations

import json
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


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("data") / "examples"
    assert main(["convert", LOG, "--to", "examples", "--out", str(out), "--test", "0.4", "--quiet"]) == 0
    return str(out)


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


def test_wrong_calls_are_refused_in_a_sentence(tmp_path: Path, data: str, capsys: Any) -> None:
    for words, said in (
        (["convert", LOG, "--to", "examples"], "--out DIR"),
        (["convert", LOG], "OUT is missing"),
        (["convert", LOG, str(tmp_path / "x.log"), "--player", "p1"], "belong to --to examples"),
        (["convert", LOG, "--to", "examples", "--out", str(tmp_path / "a"), "--player", "x"], "Known: p1, p2"),
        (["convert", LOG, "--to", "examples", "--out", str(tmp_path / "a"), "--encoder", "leduc_30"], "leduc_30"),
        (["evaluate", "imitation", "--agent", "random", "--data", str(tmp_path)], "There are no examples"),
        (["evaluate", "imitation", "--agent", "random", "--data", data, "--player", "x"], "Known: p1, p2"),
        (["evaluate", "imitation", "--agent", "opponent_model", "--data", data], "no probabilities, only actions"),
    ):
        assert main(words) == 2, words
        assert said in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_a_teacher_reaches_its_ceiling_and_does_not_diverge_from_itself(data: str, capsys: Any) -> None:
    call = ["evaluate", "imitation", "--agent", "acpc_mix", "--data", data, "--teacher", "acpc_mix"]
    assert main([*call, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    everything = value["places"]["all"]
    assert everything["divergence"] == 0.0
    # the mix plays call and raise with 0.47 each: 0.47 with all legal, 0.5 without a fold, more where a raise is not
    assert 0.47 < everything["ceiling"] < 1.0
    streets = [part for place, part in value["places"].items() if place != "all"]
    counts = [part["guessers"]["acpc_mix"]["count"] for part in streets]
    assert sum(counts) == everything["guessers"]["acpc_mix"]["count"] == value["held_out"]
    assert main(call) == 0
    printed = capsys.readouterr().out
    for words in ("ceiling of acpc_mix", "KL(acpc_mix, acpc_mix)", "strength and price", "river"):
        assert words in printed
