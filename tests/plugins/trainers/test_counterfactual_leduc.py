"""counterfactual_values in Leduc: it learns, goes on as if nothing had happened, and plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai import testing
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.npz import read_npz, write_npz
from cardai.core.registry import create
from cardai.poker.resolving.player import leduc_player
from cardai.testing import Case

SMALL = "leduc_values:solves=300,held_out=100,batch=50,hidden=16,layers=2,solve_iterations=30"


TINY = "leduc_values:solves=100,held_out=20,batch=50,hidden=4,layers=1,solve_iterations=3"


@testing.parametrize_checks("trainer", TINY, game="leduc_deepstack")
def test_trainer_conforms(check: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its players think 30 iterations, not 1,000."""

    def quick(game: Any, effort: Any, *rest: Any) -> Any:
        return leduc_player(game, evolve(effort, iterations=30), *rest)

    monkeypatch.setattr("cardai.poker.resolving.player.leduc_player", quick)
    check()


def trained(steps: int) -> tuple[Any, list[dict[str, float]]]:
    training = create("trainer", SMALL).start(cardai.game("leduc_deepstack"), None, seed=1)
    return training, [row for row in training.train(steps) if row]


def test_it_learns() -> None:
    _, rows = trained(30)
    assert rows[-1]["validation_huber"] < 0.8 * rows[0]["validation_huber"]


def test_stopped_and_resumed_is_the_same_run(tmp_path: Path) -> None:
    training, rows = trained(4)
    half, first = trained(2)
    half.save(tmp_path)
    again = create("trainer", SMALL).start(cardai.game("leduc_deepstack"), None, seed=1)
    again.load(tmp_path)
    assert first + [row for row in again.train(2) if row] == rows
    for name, tensor in training.learner.module.state_dict().items():
        assert (again.learner.module.state_dict()[name] == tensor).all(), name


def test_the_run_is_a_player_of_its_game(tmp_path: Path) -> None:
    run = tmp_path / "run"
    cardai.train(SMALL, "leduc_deepstack", steps=2, out=run)
    game = cardai.game("leduc_deepstack")
    state = game.new_initial_state()
    for outcome in (0, 3):
        state.apply_action(outcome)
    by_run = cardai.agent(f"{run}:iterations=20").strategy(state, game)
    by_name = cardai.agent(f"resolving:values={run},iterations=20").for_game(game).strategy(state, game)
    assert by_run == by_name
    assert sum(by_run.values()) == pytest.approx(1)


def test_a_damaged_network_is_refused(tmp_path: Path) -> None:
    training, _ = trained(0)
    training.save(tmp_path)
    arrays = read_npz(tmp_path / "values.npz")
    write_npz(tmp_path / "values.npz", {**arrays, "weight_0": np.full_like(arrays["weight_0"], np.nan)})
    trainer = create("trainer", SMALL)
    with pytest.raises(DamagedFileError, match="holds no network"):
        trainer.trained_agent(cardai.game("leduc_deepstack"), None, 1, tmp_path, {})


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="no-limit Leduc"):
        create("trainer", SMALL).start(cardai.game("leduc"), None, seed=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("counterfactual_values", "solves says how many situations"),
        ("leduc_values:solves=20", "solves says how many situations"),
        ("leduc_values:situations=data", "drawn and solved under way"),
        ("leduc_values:code=e_hs2", "drawn and solved under way"),
        ("leduc_values:skip=2000", "skip must be below"),
    ],
)
def test_what_leduc_has_no_use_for_is_refused(options: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        create("trainer", options).start(cardai.game("leduc_deepstack"), None, seed=0)


def test_the_best_epoch_is_played_with_not_the_last(tmp_path: Path) -> None:
    training, rows = trained(12)
    losses = [row["validation_huber"] for row in rows]
    assert rows[-1]["best_epoch"] == 1 + int(np.argmin(losses))
    training.best = {name: 0 * tensor for name, tensor in training.best.items()}
    training.save(tmp_path)
    assert not any(read_npz(tmp_path / "values.npz")[name].any() for name in ("weight_0", "weight_1", "bias_2"))
