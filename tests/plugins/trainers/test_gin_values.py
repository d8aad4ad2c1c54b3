"""The trainer gin_values passes the conformance kit, learns within a few generations, and refuses what it cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai import testing
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.registry import create
from cardai.core.trainer import Crew
from cardai.gin.selfplay import seats_for
from cardai.gin.values import ValueNetworks, read_values, write_values
from cardai.testing import Case

SMALL = "gin_values:hands=64,belief_hands=256,taught=1,batch=16,hidden=8"


@pytest.mark.long
@testing.parametrize_checks("trainer", SMALL, game="gin")
def test_trainer_conforms(check: Case) -> None:
    check()


@pytest.mark.long
def test_the_first_generation_measures_the_belief_and_later_ones_learn() -> None:
    training = create("trainer", "gin_values:hands=400,belief_hands=800,taught=3,batch=64,hidden=8").start(
        cardai.game("gin"), None, 1
    )
    rows = list(training.train(4))
    assert rows[0]["belief_log_loss"] < rows[0]["uniform_log_loss"] - 0.04
    assert "belief_log_loss" not in rows[1]
    assert rows[2]["loss_before_draw"] < rows[0]["loss_before_draw"] - 0.1
    assert rows[2]["loss_of_knocks"] < rows[0]["loss_of_knocks"] - 0.2
    assert [row["rate"] for row in rows] == [1e-3, 1e-3, 1e-3, 5e-4]


def test_who_sits_at_the_table_follows_the_league() -> None:
    game = cardai.game("gin")
    for league, expected in (("simple", {1}), ("self", {0}), ("self, simple, simple, greedy", {0, 1, 2})):
        names = tuple(league.split(", "))
        training = create("trainer", "gin_values").__class__(league=names).start(game, None, 1)
        seats = seats_for(np.random.default_rng(5), 600, training.cast.numbers)
        others = np.where(seats[:, 0] == 0, seats[:, 1], seats[:, 0])
        assert set(others.tolist()) == expected
        assert (seats.min(axis=1) == 0).all()
        assert (seats[:, 0] == 0).sum() > 200 or expected == {0}


def test_a_run_can_begin_with_values_and_go_on_without_their_file(tmp_path: Path) -> None:
    file = tmp_path / "values.npz"
    write_values(file, ValueNetworks.start(8, 4))
    trainer = create("trainer", f"gin_values:hands=64,batch=16,begin={file}")
    training = trainer.start(cardai.game("gin"), None, 1)
    assert (training.fitting.values.hidden_weight == ValueNetworks.start(8, 4).hidden_weight).all()
    (tmp_path / "saved").mkdir()
    training.save(tmp_path / "saved")
    file.unlink()
    again = trainer.resume(cardai.game("gin"), None, 1, tmp_path / "saved")
    assert (again.fitting.values.hidden_weight == training.fitting.values.hidden_weight).all()
    file.write_bytes(b"no archive")
    with pytest.raises(DamagedFileError, match=r"values\.npz"):
        trainer.start(cardai.game("gin"), None, 1)


def test_a_league_of_one_is_first_taken_for_the_player_of_the_file(tmp_path: Path) -> None:
    values = ValueNetworks.start(8, 4, 3)
    values.wins[0], values.belief[0] = 0.25, 2.0
    write_values(tmp_path / "values.npz", values)
    trainer = create("trainer", f"gin_values:hands=64,batch=16,league=simple,begin={tmp_path / 'values.npz'}")
    begun = trainer.start(cardai.game("gin"), None, 1).fitting.values
    assert (begun.hidden_weight[:, -7] == values.hidden_weight[:, -8]).all()
    assert (begun.wins[1] == 0.25).all()
    assert (begun.belief[1] == 2).all()
    usual = create("trainer", f"gin_values:hands=64,batch=16,league=self+simple,begin={tmp_path / 'values.npz'}")
    assert (usual.start(cardai.game("gin"), None, 1).fitting.values.belief[1] == 0).all()


@pytest.mark.long
def test_the_averaged_networks_play_and_the_newest_learn_on(tmp_path: Path) -> None:
    trainer = create("trainer", SMALL)
    training = trainer.start(cardai.game("gin"), None, 1)
    seen = []
    for _ in training.train(3):
        seen.append(training.fitting.values.head_bias.copy())
    training.save(tmp_path)
    averaged = read_values(tmp_path / "values.npz").head_bias
    assert averaged == pytest.approx(np.mean(seen, axis=0), abs=1e-6)
    again = trainer.resume(cardai.game("gin"), None, 1, tmp_path)
    assert (again.fitting.values.head_bias == seen[-1]).all()
    for one in (training, again):
        list(one.train(1))
    assert (training.fitting.player().head_bias == again.fitting.player().head_bias).all()


def test_exploration_is_halved_with_the_rate_down_to_a_quarter() -> None:
    training = create("trainer", f"{SMALL},halve=2,explore_discards=0.4").start(cardai.game("gin"), None, 1)
    found: list[float] = []

    class Asked(Crew):
        def do(self, function: Any, lasting: Any, state: Any, pieces: Any) -> list[Any]:
            found.append(state.rates[0])
            return [None]

    training.crew = Asked()
    for step in range(8):
        training.step = step
        training._played(1, 64)
    assert found == [0.4, 0.4, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1]


@pytest.mark.long
def test_fewer_situations_than_a_minibatch_are_learned_from() -> None:
    training = create("trainer", SMALL.replace("batch=16", "batch=100000")).start(cardai.game("gin"), None, 1)
    before = training.fitting.values.head_bias.copy()
    row = next(iter(training.train(1)))
    assert (training.fitting.values.head_bias != before).any(axis=1).all()
    assert row["loss_of_knocks"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"begin": "/no/such/values.npz"}, r"/no/such/values\.npz, is not there.*gin_values run"),
        ({"begin": "/"}, "is not there"),
        ({"league": ("self", "human")}, "human is a person"),
        ({"teacher": "human"}, "human is a person"),
        ({"teacher": "nobody"}, "no agent named 'nobody'"),
        ({"teacher": "always_call"}, "betting games"),
    ],
)
def test_what_cannot_be_played_with_is_refused_before_anything_is_learned(options: Any, message: str) -> None:
    trainer = create("trainer", "gin_values").__class__(**options)
    with pytest.raises(UsageError, match=message):
        trainer.start(cardai.game("gin"), None, 1)


@pytest.mark.parametrize("options", ["rate=inf", "rate=0", "hands=63", "hidden=0", "batch=0", "explore_knocks=1.1"])
def test_numbers_out_of_range_are_refused(options: str) -> None:
    with pytest.raises(OptionError, match=options.split("=", maxsplit=1)[0]):
        create("trainer", f"gin_values:{options}")


def test_other_games_rules_and_encoders_are_refused() -> None:
    trainer = create("trainer", SMALL)
    with pytest.raises(UsageError, match=r"gin_values learns gin rummy.*Kuhn"):
        trainer.start(cardai.game("kuhn"), None, 1)
    for rules in ({"oklahoma": True}, {"target": 50}, {"knock_limit": 5}):
        with pytest.raises(UsageError, match="other rules"):
            trainer.start(cardai.game("gin", **rules), None, 1)
    with pytest.raises(UsageError, match="takes no --encoder"):
        trainer.start(cardai.game("gin"), create("encoder", "flat"), 1)
