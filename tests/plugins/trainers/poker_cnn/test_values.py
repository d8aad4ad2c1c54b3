"""Value learning: what is taught, that it plays, that it is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from attrs import evolve

import cardai
from cardai import testing
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.progress import listening
from cardai.core.rng import derive_many
from cardai.draw.values import draw_values
from cardai.plugins.trainers.poker_cnn.values import dataset
from cardai.plugins.trainers.poker_cnn.values._kernels import redraw_means
from cardai.plugins.trainers.poker_cnn.values.dataset import label
from cardai.plugins.trainers.poker_cnn.values.measures import held_out
from cardai.plugins.trainers.poker_cnn.values.problems import exact_holds, problem_of
from cardai.plugins.trainers.poker_cnn.values.published import compressed
from cardai.plugins.trainers.poker_cnn.values.replay import Replay, excess_regret
from cardai.poker.hands.ranking import rank_high
from cardai.poker.hands.strength import win_rates
from cardai.testing import Case
from cardai.training.runs import Run
from cardai.training.session import Session
from tests.plugins.trainers.poker_cnn.trainings import VALUES, resumed, start


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    training = start(VALUES, "video_poker", "grid_4x13:fields=hand")
    training.save(tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(DamagedFileError, match=r"weights\.safetensors cannot be read"):
        training.load(tmp_path)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(DamagedFileError, match=r"state\.json"):
        training.load(tmp_path)


def test_misplayed_hands_come_back_in_proportion_to_what_they_cost() -> None:
    replay = Replay(np.array([1, 1, 2, 1], np.float32))
    rng = np.random.default_rng(5)
    assert np.allclose(np.bincount(replay.draw(4000, rng), minlength=4) / 1000, 1, atol=0.15)  # nothing known yet
    values = torch.tensor([[1.0, 0.0], [0.5, 0.9], [0.2, 0.0]])
    aim = torch.softmax(values / 0.01, dim=1)
    regrets = excess_regret(values, aim, torch.tensor([[-50.0, 50.0], [-50.0, 50.0], [-50.0, 50.0]]))
    assert regrets.tolist() == pytest.approx([1.0, 0.0, 0.2], abs=1e-6)
    replay.note(np.array([0, 1, 2]), regrets)
    counts = np.bincount(replay.draw(7000, rng), minlength=4)  # chances 1.0 : 0 : 2 * 0.2 : 0
    assert counts[[1, 3]].sum() == 0
    assert counts[0] / counts[2] == pytest.approx(2.5, rel=0.1)


def test_a_minibatch_has_a_fresh_example_however_many_are_replayed() -> None:
    training: Any = start(f"{VALUES},replay=0.999", "video_poker", "grid_4x13:fields=hand")

    class Shown:
        weights = np.full(100, 2.0, np.float32)

        def __len__(self) -> int:
            return len(self.weights)

    training.replay = Replay(np.ones(100, np.float32))
    index, shares = training.minibatch(Shown())
    assert len(index) == 64
    assert list(shares) == [2.0] + [1.0] * 63


@pytest.mark.long
def test_replay_is_part_of_a_minibatch_and_of_a_checkpoint(tmp_path: Path) -> None:
    training: Any = start(f"{VALUES},replay=0.25", "video_poker", "grid_4x13:fields=hand")
    list(training.train(3))
    dataset = evolve(training._dataset, weights=np.full(2000, 2.0, np.float32))
    index, shares = training.minibatch(dataset)
    assert (len(index), list(np.unique(shares[:48])), list(np.unique(shares[48:]))) == (64, [2.0], [1.0])
    assert (training.replay.regrets > 0).sum() > 100
    second: Any = resumed(
        training, start(f"{VALUES},replay=0.25", "video_poker", "grid_4x13:fields=hand"), tmp_path / "a"
    )
    third: Any = resumed(second, start(f"{VALUES},replay=0.25", "video_poker", "grid_4x13:fields=hand"), tmp_path / "b")
    list(third.train(0))
    assert np.array_equal(third.replay.regrets, training.replay.regrets)


def test_payouts_are_compressed_as_published() -> None:
    """Poker-CNN's scale: 25 -> 8.58, 50 -> 10.78, 976 -> 35.2."""
    got = compressed(torch.tensor([0.5, 4.0, 25.0, 50.0, 976.0]))
    assert got.tolist() == pytest.approx([0.5, 4.0, 8.58, 10.78, 35.18], abs=0.01)


def test_a_game_without_values_is_refused() -> None:
    with pytest.raises(UsageError, match="neither video poker"):
        start(VALUES, "leduc", "grid_4x13")


def test_holdem_labels_agree_with_exact_equity() -> None:
    """Exact figures from cardai.poker.hands.strength; categories on the river are certain."""
    problem = problem_of(cardai.game("holdem_limit"))
    rng = np.random.default_rng(1)
    views, values = problem.random(60, rng), np.empty((60, problem.outputs))
    assert list(label(problem, views, 3000, rng, values)) == [60]
    exact = win_rates(views["hole"], views["board"], 3000)
    river = views["board"][:, 4] >= 0
    assert river.any()
    assert not river.all()
    assert np.allclose(values[river, 0], exact[river])
    assert np.abs(values[:, 0] - exact).max() < 0.06  # 4 standard errors of two samples of 3,000
    assert np.allclose(values[:, 1:].sum(axis=1), 1)
    assert set(np.unique(values[river, 1:])) == {0.0, 1.0}
    named = rank_high(np.concatenate([views["hole"], views["board"]], axis=1)[river]) >> 26
    # high card, pair (two kinds here), two pair, ...
    place = values[river, 1:].argmax(axis=1)
    assert np.array_equal(np.maximum(place - (place >= 2), 0)[named < 8], named[named < 8])


def test_draw_labels_are_the_exact_values_of_holds() -> None:
    problem = problem_of(cardai.game("triple_draw"))
    assert problem.size == 3 * 134_459
    views, values, weights = problem.situations(np.array([0, 134_459, 5 + 2 * 134_459]))
    assert list(views["draws_left"]) == [1, 2, 3]
    assert (views["kept"] == -1).all()
    assert np.allclose(values[2], draw_values().holds(views["hand"][2:], 3)[0] / 1000)
    assert (weights > 0).all()
    # Poker-CNN's sampling by pat value: all up to 0.08 and from 0.5 on, 30% at 0.1
    pat = np.zeros((3, 32))
    pat[:, 31] = 0.05, 0.1, 0.7
    assert np.allclose(problem.shares(pat), [1, 0.3, 1])


@pytest.mark.long(but="video_poker")
@pytest.mark.parametrize(
    ("game", "encoder", "network"),
    [
        ("triple_draw", "grid_4x13:fields=hand+draws_left", "suits"),
        ("poker_cnn_limit", "poker_cnn_limit:size=4x13", "suits"),
        ("video_poker", "poker_cnn_video", "cnn_16"),
    ],
)
def test_value_networks_play_their_games(game: str, encoder: str, network: str, tmp_path: Path) -> None:
    spec = f"poker_cnn_ours:network={network},examples=200,redraws={0 if game == 'triple_draw' else 20},batch=64"
    run = Run.create(tmp_path / "run", f"{spec},every=5,threads=1,measure=false,validation=50", game, encoder, 1)
    Session.start(run).train(6)
    assert "validation_loss" in run.read_metrics()[-1]
    if game == "video_poker":
        return
    opponent = {"triple_draw": "draw_heuristic", "poker_cnn_limit": "always_call"}[game]
    result = cardai.play(game, [str(tmp_path / "run"), opponent], games=2, seed=1)
    assert len(result.hands) == 2


@pytest.mark.parametrize(
    ("game", "encoder", "network"),
    [
        ("triple_draw", "poker_cnn_triple_draw", "cnn_16"),
        ("poker_cnn_limit", "poker_cnn_limit:size=4x13", "suits"),
    ],
)
def test_a_value_network_is_asked_about_cards_alone(game: str, encoder: str, network: str) -> None:
    """It was taught with empty pots and histories: what happened in the hand must not reach it."""
    training: Any = start(f"{VALUES},network={network},redraws=0", game, encoder)
    tables = cardai.game(game).tables(20)
    tables.reset(derive_many(1, "deal", count=20))
    network = training.agent({}).network
    rows = np.arange(20)
    views = tables.views(int(tables.current_players()[0]), rows)
    before = network.outputs(views)
    later = views.copy()
    later["pot"] += 800
    later["history"][:, :2] = 2
    later["player"], later["button"] = 1, 1
    assert np.array_equal(network.outputs(later), before)


@pytest.mark.long("deterministic", "damage")
@testing.parametrize_checks(
    "trainer",
    "poker_cnn:network=dense,batch=16,every=2,threads=1,measure=false,validation=0,examples=50",
    game="video_poker",
    encoder="grid_4x13:fields=hand",
)
def test_value_learning_conforms(check: Case) -> None:
    check()


class KnowsAll:
    """Stands for a network: answers with what it is given, but for an error in the first output."""

    by_policy = False

    def __init__(self, answers: Any, error: float) -> None:
        self.answers = answers + error * (np.arange(answers.shape[1]) == 0)

    def outputs(self, views: Any, by_policy: bool = False) -> Any:
        return self.answers


@pytest.mark.parametrize(
    ("game", "named"), [("holdem_limit", "category_accuracy"), ("triple_draw", "validation_optimal")]
)
def test_held_out_situations_measure_errors_and_are_always_the_same(game: str, named: str) -> None:
    problem = problem_of(cardai.game(game))
    fixed, again = (held_out(problem, 40, compressed) for _ in range(2))
    assert np.array_equal(fixed.views, again.views)
    assert np.array_equal(fixed.values, again.values)
    perfect: Any = KnowsAll(fixed.targets, 0.0)
    assert fixed.metrics(perfect, relu=False)["validation_loss"] == 0
    assert fixed.metrics(perfect, relu=True)[named] == 1
    wrong: Any = KnowsAll(fixed.targets, -0.25)
    measured = fixed.metrics(wrong, relu=False)
    assert measured["validation_loss"] == pytest.approx(0.25**2 / problem.outputs)
    if game == "holdem_limit":
        assert measured["win_error"] == pytest.approx(0.25)
        assert measured[named] == 1


def test_a_royal_flush_counts_whole_only_for_holds_that_are_part_of_it() -> None:
    hands = np.array([[47, 48, 49, 50, 51], [46, 47, 48, 49, 50]], np.int8)  # Ts Js Qs Ks As; 9s Ts Js Qs Ks
    pays = np.array([0, 1, 2, 3, 4, 6, 9, 25, 50, 976])
    out = np.empty((2, 32))
    redraw_means(hands, pays, 4000, np.arange(2, dtype=np.uint64), out)
    assert out[:, 31].tolist() == [976, 50]
    # Ts Js Qs Ks and one of 47 cards: a royal flush, 7 flushes (the nine is gone), 6 straights, 9 pairs of court cards
    exact = (976 + 7 * 6 + 6 * 4 + 9 * 1) / 47
    assert out[1, 0b11110] == pytest.approx(exact, abs=4 * 976 / np.sqrt(40_000 * 47))


def test_labels_are_made_piece_by_piece_and_are_the_same_in_any_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = f"{VALUES.replace('examples=2000', 'examples=250')},redraws=20"
    made: list[Any] = []
    heard: list[tuple[str, int, int]] = []
    for piece in (2048, 100):
        monkeypatch.setattr(dataset, "_PIECE", piece)
        training: Any = start(spec, "video_poker", "grid_4x13:fields=hand")
        heard.clear()
        with listening(lambda *told: heard.append(told)):
            yields = list(training._examples())
        made.append(training._dataset)
    assert [told for told in heard if told[0] == "labels"] == [("labels", done, 250) for done in (100, 200, 250)]
    assert yields == [{}] * len(heard)
    assert np.array_equal(made[0].values, made[1].values)
    assert np.array_equal(made[0].shown, made[1].shown)


def test_the_published_preset_learns_draw_games_from_exact_labels() -> None:
    """As the publication: its labels of triple draw come from a program that searches all draws."""
    training: Any = start(
        "poker_cnn_paper:network=dense,examples=200", "triple_draw", "poker_cnn_triple_draw:size=4x13"
    )
    assert training.notes == ["The labels of this game are exact: redraws=1000 is left aside."]
    list(training.train(1))
    views = training.problem.random(200, np.random.default_rng([3, 0]))
    shares = training.problem.shares(exact_holds(views))
    assert 0 < len(training._dataset) < 200  # thinned
    assert (shares == 1).sum() <= len(training._dataset)


def test_one_thread_learns_unless_more_are_asked_for() -> None:
    for name in ("poker_cnn", "poker_cnn_betting", "poker_cnn_video_ours", "poker_cnn_betting_paper"):
        assert registry.create("trainer", name).threads == 1  # type: ignore[attr-defined]
