"""A warm start is read once, says what it took, and is not needed afterwards; neither are the runs that keep cards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai.core.errors import UsageError
from cardai.training.runs import Run
from cardai.training.session import Session
from tests.plugins.trainers.poker_cnn.trainings import BETTING, start

ENCODER = "poker_cnn_triple_draw:size=4x13"
SMALL = "hands=6,batch=16,epochs=1,teachers=draw_heuristic"


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the quoted path of a value network's run."""
    path = tmp_path_factory.mktemp("values") / "draws"
    run = Run.create(path, "poker_cnn_ours:examples=300,batch=64,measure=false,validation=0", "triple_draw", ENCODER, 1)
    Session.start(run).train(2)
    return str(path)


def betting(path: str, more: str) -> Any:
    return start(f"poker_cnn_betting_ours:{SMALL},warm_start={json.dumps(path)}{more}", "triple_draw", ENCODER)


def test_it_takes_what_fits_and_names_what_does_not(values: str) -> None:
    training = betting(values, "")
    # the trunk's three layers (own weight and bias, shared, row), its dense layer, and the body's two: 12 + 2 + 4; the
    # value network has 32 outputs and this one 9, so both heads (weight and bias each) begin anew
    (note,) = training.notes
    assert note == (
        f"The warm start took 18 of 22 tensors from {values} (random: value.weight, value.bias, policy.weight, policy.bias)."
    )
    fresh: Any = start(f"poker_cnn_betting_ours:{SMALL}", "triple_draw", ENCODER)
    assert not fresh.notes
    own, other = training.network.state_dict(), fresh.network.state_dict()
    assert not torch.equal(own["trunk.dense.weight"], other["trunk.dense.weight"])
    assert torch.equal(own["value.weight"], other["value.weight"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (",freeze_trunk=true,network=dense", "freeze_trunk=true is for network=suits. Got network=dense"),
        (
            ",freeze_trunk=true,whole_suits=false",
            r"do not fit: trunk\.layers\.0\.row\.weight, trunk\.layers\.1\.row\.weight, trunk\.layers\.2\.row\.weight\.",
        ),
        (",network=dense", "shares no layer with this one"),
    ],
)
def test_what_would_stay_random_is_refused(values: str, more: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        betting(values, more)


def test_freezing_without_a_warm_start_is_refused() -> None:
    with pytest.raises(UsageError, match=r"there is none: they would stay random\. Give warm_start=RUN"):
        start(f"poker_cnn_betting_ours:{SMALL},freeze_trunk=true", "triple_draw", ENCODER)


@pytest.mark.long
def test_a_run_goes_on_and_plays_where_the_runs_it_came_from_are_not(values: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(values, kept)
    quoted = json.dumps(str(kept))
    spec = f"poker_cnn_betting_ours:{SMALL},warm_start={quoted},freeze_trunk=true,draws_by={quoted}"
    run = Run.create(tmp_path / "bets", spec, "triple_draw", ENCODER, 2)
    Session.start(run).train(12)
    copied = Run.open(Path(shutil.copytree(run.path, tmp_path / "elsewhere")))
    before = played(str(run.path))
    Session.resume(run).train(18)
    shutil.rmtree(kept)
    assert np.array_equal(played(str(copied.path)), before)
    Session.resume(copied).train(18)
    assert tensors(copied) == tensors(run)


def played(agent: str) -> Any:
    """Return what an agent earns in 2 games, hand by hand."""
    return cardai.play("triple_draw", [agent, "draw_heuristic"], games=2, seed=1).hands["returns"]


def tensors(run: Run) -> dict[str, bytes]:
    checkpoint, refused = run.latest()
    assert checkpoint is not None
    assert not refused
    return {file.name: file.read_bytes() for file in sorted(checkpoint.path.glob("*.safetensors"))}


@pytest.mark.long
def test_a_player_needs_no_league(tmp_path: Path) -> None:
    other = Run.create(
        tmp_path / "other", BETTING.replace("hands=400", "hands=20"), "leduc", "grid_4x13:fields=hole", 1
    )
    Session.start(other).train(20)
    spec = BETTING.replace("hands=400", "hands=20").replace("always_call", json.dumps(str(other.path)))
    run = Run.create(tmp_path / "run", spec, "leduc", "grid_4x13:fields=hole", 1)
    Session.start(run).train(40)
    shutil.rmtree(other.path)
    assert len(cardai.play("leduc", [str(run.path), "random"], games=10, seed=1).hands) == 10
    with pytest.raises(UsageError, match="There is no training run in"):
        Session.resume(run).train(60)
