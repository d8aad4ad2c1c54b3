"""The experiments on Poker-CNN's betting: one command that trains, plays, flips habits, compares networks and reports."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An experiment that takes seconds."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import poker_cnn_ablations
    import poker_cnn_generations as shared

    monkeypatch.setattr(poker_cnn_ablations, "RIVALS", poker_cnn_ablations.RIVALS[1:2])
    monkeypatch.setattr(poker_cnn_ablations, "BATCH", 16)
    every = poker_cnn_ablations.switches

    def switches(trainer: Any, draws: bool) -> Any:
        found = every(trainer, draws)
        assert {"policy_mix", "repair", "refold", "draw_shares", "draw_noise", "boost"} < found.keys()
        return {name: found[name] for name in ("noise", "mix")}

    monkeypatch.setattr(poker_cnn_ablations, "switches", switches)
    entry = shared.Entry(
        label="ours",
        encoder="poker_cnn_triple_draw:size=4x13",
        values="poker_cnn_ours:examples=300,batch=16,threads=1,measure=false,validation=100",
        value_steps=20,
        bets="poker_cnn_betting_ours:warm_start={values},freeze_trunk=true,noise=0.2,epochs=1,threads=1,branches=0",
        hands=100,
        generations=2,
    )
    return shared.Experiment("Tiny", "triple_draw", (entry,), ("draw_heuristic", "random"), (), {}, "hand+draws_left")


@pytest.mark.long
def test_one_command_trains_plays_and_reports_what_there_is(
    tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from poker_cnn_main import main

    def call(*arguments: str) -> str:
        places = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "report"), "--share", "0.005"]
        games = ["--games", "4", "--width", "1e9", "--acting-games", "4"]
        monkeypatch.setattr(sys, "argv", ["run.py", *places, *games, *arguments])
        main(tiny, tmp_path / "tiny" / "run.py", "What it does.")
        return (tmp_path / "report" / "report.md").read_text()

    first = call("--generations", "1")
    assert "## The last generation of ours" in first
    assert "## Acting options" not in first
    assert "## Value networks" not in first
    assert capsys.readouterr().out.count("draw_heuristic - random: 4 games") == 1
    second = call("--ablations")
    assert "draw_heuristic - random" not in capsys.readouterr().out  # what was played is not played again
    for words in ("| ours 1 | ", "## Acting options of ours 1", "| as trained |  | ", "| noise=0.0 | ", "| mix=2 | "):
        assert words in second
    assert "| noise=0.2 | " not in second  # as trained
    assert "| mix=3 | " not in second  # there are two generations
    assert "| network | minibatches | CPU s | validation loss | validation optimal | validation lost |" in second
    assert "| cnn 4x13 | 20 | " in second
    for picture in ("league.png", "learning.png", "networks.png", "filters.png"):
        assert (tmp_path / "report" / picture).stat().st_size > 5_000
