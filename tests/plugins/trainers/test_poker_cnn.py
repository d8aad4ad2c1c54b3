"""Value learning and betting in generations: what is taught, that it learns, that it resumes exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.rng import Rows, derive_many
from cardai.core.trainer import Training
from cardai.learn.choices import Choices
from cardai.learn.selfplay import Cast, collect
from cardai.plugins.trainers.poker_cnn.targets import Teaching
from cardai.plugins.trainers.poker_cnn.values import compressed

VALUES = "poker_cnn_ours:batch=64,every=5,anneal=20,threads=1,measure=false,examples=2000"
BETTING = "poker_cnn_betting_ours:network=dense,hands=400,unit=2,batch=64,epochs=1,threads=1,league=always_call,league_share=0.3"


def start(spec: str, game: str, encoder: str, seed: int = 3) -> Training:
    training: Training = registry.create("trainer", spec).start(cardai.game(game), cardai.encoder(encoder), seed)
    return training


def weights(training: Any) -> list[np.ndarray[Any, Any]]:
    return [t.detach().numpy() for t in training.network.state_dict().values()]


def resumed(first: Training, second: Training, folder: Path) -> Training:
    folder.mkdir()
    first.save(folder)
    second.load(folder)
    return second


@pytest.mark.parametrize(
    ("spec", "game", "encoder", "steps"),
    [
        (VALUES, "video_poker", "grid_4x13:fields=hand", (7, 6)),
        (BETTING, "leduc", "grid_4x13:fields=hole+board+history+player", (450, 550)),
    ],
)
def test_an_interrupted_training_ends_with_the_same_weights(
    tmp_path: Path, spec: str, game: str, encoder: str, steps: tuple[int, int]
) -> None:
    whole = start(spec, game, encoder)
    list(whole.train(steps[0] + steps[1]))
    first = start(spec, game, encoder)
    list(first.train(steps[0]))
    second = resumed(first, start(spec, game, encoder), tmp_path / "half")
    list(second.train(steps[1]))
    assert second.step == whole.step
    assert all(np.array_equal(a, b) for a, b in zip(weights(whole), weights(second), strict=True))


def test_interrupted_between_minibatches_of_a_generation(tmp_path: Path) -> None:
    encoder = "grid_4x13:fields=hole+board+history+player"
    spec = BETTING.replace("batch=64", "batch=4")
    whole = start(spec, "leduc", encoder)
    list(whole.train(400))
    first: Any = start(spec, "leduc", encoder)
    for _ in first.train(400):
        if first.minibatch:
            break
    assert first.minibatch > 0
    second = resumed(first, start(spec, "leduc", encoder), tmp_path / "half")
    list(second.train(1))
    assert second.step == whole.step == 400
    assert all(np.array_equal(a, b) for a, b in zip(weights(whole), weights(second), strict=True))


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    training = start(VALUES, "video_poker", "grid_4x13:fields=hand")
    training.save(tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(DamagedFileError, match=r"weights\.safetensors cannot be read"):
        training.load(tmp_path)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(DamagedFileError, match=r"state\.json"):
        training.load(tmp_path)


def test_payouts_are_compressed_as_published() -> None:
    """Poker-CNN's scale: 25 -> 8.58, 50 -> 10.78, 976 -> 35.2."""
    got = compressed(torch.tensor([0.5, 4.0, 25.0, 50.0, 976.0]))
    assert got.tolist() == pytest.approx([0.5, 4.0, 8.58, 10.78, 35.18], abs=0.01)


def test_events_of_a_betting_game_are_worth_what_they_brought() -> None:
    """Leduc: the return is the value less what was put in before; ending actions are known exactly."""
    game = cardai.game("leduc")
    random = cardai.agent("random").for_game(game)
    cast = Cast([random], np.zeros((300, 2), np.int64), (0,), Choices(3))
    events = collect(game, cast, seed=1, first=0, tables=300)
    again = collect(game, cast, seed=1, first=0, tables=64)
    assert np.array_equal(events.values, again.values)
    assert np.array_equal(events.views, again.views)
    folds = events.chosen == 0
    assert folds.any()
    assert (events.values[folds] == 0).all()
    assert (events.known[folds, 0] == 0).all()
    rows = np.arange(len(events))
    exact = ~np.isnan(events.known[rows, events.chosen])
    assert exact.sum() > folds.sum()  # calls that lead to the showdown too
    assert np.allclose(events.known[rows, events.chosen][exact], events.values[exact])
    target, mask = Teaching(unit=2.0, illegal=-2.0).targets(events, Choices(3))
    assert (target[~events.legal] == -2.0).all()
    assert (mask[rows, events.chosen] == 1).all()
    assert np.allclose(target[rows, events.chosen], events.values / 2)


def test_discounting_leaves_pot_and_bet_alone() -> None:
    game = cardai.game("leduc")
    random = cardai.agent("random").for_game(game)
    events = collect(game, Cast([random], np.zeros((200, 2), np.int64), (0,), Choices(3)), seed=2, first=0)
    target, _ = Teaching(unit=1.0, discount=0.9, counterfactuals="none").targets(events, Choices(3))
    got = target[np.arange(len(events)), events.chosen]
    pot, bet = events.views["pot"], events.views["to_call"]
    inside = (events.values <= pot) & (events.values >= -bet)
    assert np.allclose(got[inside], events.values[inside])
    above = events.values > pot
    assert above.any()
    assert np.allclose(got[above], pot[above] + 0.9 * (events.values - pot)[above])


def test_every_generation_is_a_player() -> None:
    game = cardai.game("leduc")
    training = start(BETTING, "leduc", "grid_4x13:fields=hole+board+history+player")
    with pytest.raises(UsageError, match="not finished a generation"):
        training.agent({})
    list(training.train(800))
    for options in (
        {"generation": "0"},
        {"generation": "1", "mix": "2"},
        {"noise": "0.1", "repair": "true", "policy_mix": "0.5"},
    ):
        player = training.agent(options).for_game(game)
        tables = game.tables(50)
        tables.reset(derive_many(0, "x", count=50))
        rows = np.flatnonzero(tables.current_players() == 0)
        legal = tables.legal(rows)
        assert isinstance(legal, np.ndarray)
        chosen = player.act(tables.views(0, rows), legal, Rows(derive_many(1, "y", count=len(rows))))
        assert legal[np.arange(len(rows)), chosen].all()
        assert np.allclose(player.policy(tables.views(0, rows), legal).sum(axis=1), 1)


def test_a_game_without_values_is_refused() -> None:
    with pytest.raises(UsageError, match="neither video poker"):
        start(VALUES, "leduc", "grid_4x13")
