"""experiments/cnn_valuation/imitation.py: how well a player says what others did."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cardai.core.errors import CardaiError
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert
from tests.formats.acpc_table import DATA
from tests.support import ROOT


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("data") / "examples"
    convert([str(DATA / "2p.limit.seed0.log")], stream_hands, out, Settings(test_share=0.4))
    return str(out)


@pytest.fixture
def imitation(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "experiments" / "cnn_valuation"), *sys.path])
    return importlib.import_module("imitation")


def test_wrong_calls_are_refused_in_a_sentence(tmp_path: Path, data: str, imitation: Any) -> None:
    for words, said in (
        (["--agent", "random", "--data", str(tmp_path)], "There are no examples"),
        (["--agent", "random", "--data", data, "--player", "x"], "Known: p1, p2"),
        (["--agent", "opponent_model", "--data", data], "no probabilities, only actions"),
    ):
        with pytest.raises(CardaiError, match=said):
            imitation.main(words)


def test_a_teacher_reaches_its_ceiling_and_does_not_diverge_from_itself(data: str, imitation: Any, capsys: Any) -> None:
    call = ["--agent", "acpc_mix", "--data", data, "--teacher", "acpc_mix"]
    imitation.main([*call, "--json"])
    value = json.loads(capsys.readouterr().out)
    everything = value["places"]["all"]
    assert everything["divergence"] == 0.0
    # the mix plays call and raise with 0.47 each: 0.47 with all legal, 0.5 without a fold, more where a raise is not
    assert 0.47 < everything["ceiling"] < 1.0
    streets = [part for place, part in value["places"].items() if place != "all"]
    counts = [part["guessers"]["acpc_mix"]["count"] for part in streets]
    assert sum(counts) == everything["guessers"]["acpc_mix"]["count"] == value["held_out"]
    imitation.main(call)
    printed = capsys.readouterr().out
    for words in ("ceiling of acpc_mix", "KL(acpc_mix, acpc_mix)", "strength and price", "river"):
        assert words in printed
