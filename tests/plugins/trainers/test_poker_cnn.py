"""Value learning and betting in generations: what is taught, that it learns, that it resumes exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai import testing
from cardai.cards.draw.values import draw_values
from cardai.cards.poker.ranking import rank_high
from cardai.cards.poker.strength import win_rates
from cardai.core import registry
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.fields import empty_views
from cardai.core.rng import Rows, derive_many
from cardai.core.trainer import Training
from cardai.learn.choices import Choices, KeepChoices
from cardai.learn.selfplay import Cast, collect
from cardai.plugins.trainers.poker_cnn.acting import BettingAgent, Habits, changed, repaired
from cardai.plugins.trainers.poker_cnn.draws import exact_holds
from cardai.plugins.trainers.poker_cnn.heads import Heads
from cardai.plugins.trainers.poker_cnn.learning import PolicyLesson, losses, outputs
from cardai.plugins.trainers.poker_cnn.problems import problem_of
from cardai.plugins.trainers.poker_cnn.replay import Replay, excess_regret
from cardai.plugins.trainers.poker_cnn.targets import Teaching, thinned
from cardai.plugins.trainers.poker_cnn.validation import held_out
from cardai.plugins.trainers.poker_cnn.values import compressed
from cardai.testing import Case
from cardai.training.runs import Run
from cardai.training.session import Session

VALUES = "poker_cnn_ours:batch=64,every=5,anneal=20,threads=1,measure=false,validation=0,examples=2000"
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
        (f"{VALUES},replay=0.5,whole_suits=true", "video_poker", "grid_4x13:fields=hand", (7, 6)),
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
    spec = BETTING.replace("batch=64", "batch=4").replace("hands=400", "hands=120")
    whole = start(spec, "leduc", encoder)
    list(whole.train(120))
    first: Any = start(spec, "leduc", encoder)
    for _ in first.train(120):
        if first.minibatch:
            break
    assert first.minibatch > 0
    second = resumed(first, start(spec, "leduc", encoder), tmp_path / "half")
    list(second.train(1))
    assert second.step == whole.step == 120
    assert first.step == 119  # the last hand counts when the generation has been learned
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


def test_replay_is_part_of_a_minibatch_and_of_a_checkpoint(tmp_path: Path) -> None:
    training: Any = start(f"{VALUES},replay=0.25", "video_poker", "grid_4x13:fields=hand")
    list(training.train(3))
    index, shares = training._minibatch(np.full(2000, 2.0, np.float32))
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
    with pytest.raises(OptionError, match="no generation 0"):
        training.agent({"generation": "0"})
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


def test_holdem_labels_agree_with_exact_equity() -> None:
    """Exact figures from cardai.cards.poker.strength; categories on the river are certain."""
    problem = problem_of(cardai.game("holdem_limit"))
    views, values = problem.sampled(60, np.random.default_rng(1), 3000)
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
    assert np.allclose(problem.shares(views, pat), [1, 0.3, 1])


@pytest.mark.parametrize(
    ("game", "encoder", "network"),
    [
        ("triple_draw", "grid_4x13:fields=hand+draws_left", "suits"),
        ("poker_cnn_limit", "poker_cnn_limit:size=4x13", "suits"),
        ("video_poker", "poker_cnn_video", "cnn_16"),
    ],
)
def test_value_networks_play_their_games(game: str, encoder: str, network: str, tmp_path: Path) -> None:
    spec = f"poker_cnn_ours:network={network},examples=600,redraws={0 if game == 'triple_draw' else 20},batch=64"
    run = Run.create(tmp_path / "run", f"{spec},every=5,threads=1,measure=false", game, encoder, 1)
    Session.start(run).train(6)
    assert "validation_loss" in run.read_metrics()[-1]
    if game == "video_poker":
        return
    opponent = {"triple_draw": "draw_heuristic", "poker_cnn_limit": "always_call"}[game]
    result = cardai.play(game, [str(tmp_path / "run"), opponent], games=20, seed=1)
    assert len(result.hands) == 20


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
    brain = training.agent({}).brain
    rows = np.arange(20)
    views = tables.views(int(tables.current_players()[0]), rows)
    before = brain.outputs(views)
    later = views.copy()
    later["pot"] += 800
    later["history"][:, :2] = 2
    later["player"], later["button"] = 1, 1
    assert np.array_equal(brain.outputs(later), before)


def test_a_betting_run_draws_by_a_value_network_and_takes_over_its_layers(tmp_path: Path) -> None:
    encoder = "poker_cnn_triple_draw:size=4x13"
    run = Run.create(
        tmp_path / "draws", "poker_cnn_ours:examples=500,batch=64,threads=1,measure=false", "triple_draw", encoder, 1
    )
    Session.start(run).train(3)
    spec = "poker_cnn_betting_ours:hands=40,batch=64,epochs=1,threads=1,teachers=draw_heuristic,freeze_trunk=true"
    quoted = json.dumps(str(tmp_path / "draws"))
    training: Any = start(f"{spec},draws_by={quoted},warm_start={quoted}", "triple_draw", encoder)
    warm = training.network.trunk.dense.weight.detach().clone()
    assert training.choices.count == 9
    rows = [row for row in training.train(80) if row]
    assert [row["generation"] for row in rows] == [0, 1]
    assert torch.equal(training.network.trunk.dense.weight, warm)
    events = training.memory[0]
    drawing = events.legal[:, 3:].any(axis=1)
    assert drawing.any()
    assert (events.chosen[drawing] >= 3).all()


def test_the_published_preset_learns_and_plays(tmp_path: Path) -> None:
    """All its habits at once: 32 outputs with ReLU, policy weights, noise, repairs, boosts, thinning, draw counts."""
    spec = "poker_cnn_betting_paper:network=dense,hands=60,batch=50,epochs=1,threads=1,teachers=draw_heuristic"
    training: Any = start(spec, "triple_draw", "poker_cnn_triple_draw:size=4x13")
    rows = [row for row in training.train(120) if row]
    assert len(rows) == 2
    game = cardai.game("triple_draw")
    player = training.agent({"mix": "2"}).for_game(game)
    result = cardai.play(game, [player, "draw_heuristic"], games=20, seed=1)
    assert len(result.hands) == 20


def test_published_outputs_lie_where_the_publication_has_them() -> None:
    """Poker-CNN: 0-4 bet, raise, check, call, fold; 5-9 their weights; 15-20 keeping 0 to 5 cards."""
    game = cardai.game("triple_draw")
    views = empty_views(game.view_fields, 2)
    views["to_call"] = [0, 100]
    views["round_spent"][1] = [100, 200]
    columns = Heads(9, published=True, relu=True, weights=True).columns(views)
    assert columns[0].tolist() == [4, 2, 0, 15, 16, 17, 18, 19, 20, 9, 7, 5, 31, 31, 31, 31, 31, 31, 1, 3]
    assert columns[1].tolist()[:3] == [4, 3, 1]
    assert columns[1].tolist()[-2:] == [0, 2]


def test_what_the_publication_teaches_of_choices_not_taken() -> None:
    """Limit hold'em: last-round calls and checks behind that end the hand, no ties; folds everywhere; no bets."""
    game = cardai.game("poker_cnn_limit")
    random = cardai.agent("random").for_game(game)
    events = collect(game, Cast([random], np.zeros((400, 2), np.int64), (0,), Choices(3)), seed=4, first=0)
    _, mask = Teaching(unit=100, counterfactuals="published").targets(events, Choices(3))
    other = mask.copy()
    other[np.arange(len(events)), events.chosen] = 0
    assert (other[:, 0] == 1)[events.legal[:, 0] & (events.chosen != 0)].all()
    assert not other[:, 2].any()
    taught = other[:, 1] == 1
    assert taught.any()
    assert (events.views["round"][taught] == 3).all()
    position = events.views["button"] == events.views["player"]
    assert ((events.views["to_call"] > 0) | position)[taught].all()
    kept = thinned(events, 0.3, 1, 3)
    raises = (events.chosen == 2) & (events.views["round"] == 3)
    assert ((kept.chosen == 2) & (kept.views["round"] == 3)).sum() == raises.sum()
    assert 0.3 < len(kept) / len(events) < 0.8


def test_impossible_values_are_repaired() -> None:
    game = cardai.game("poker_cnn_limit")
    views = empty_views(game.view_fields, 3)
    views["pot"], views["to_call"] = 400, [0, 0, 200]
    views["round"], views["player"], views["button"] = [0, 3, 3], 0, 0
    offered = np.array([[False, True, True], [False, True, True], [True, True, True]])
    values = np.array([[0.0, -0.3, 0.0], [0.0, 0.9, 0.0], [0.0, 0.9, 0.0]])
    got, changed = repaired(values, views, offered, 1000.0, 3)
    assert np.allclose(got[:, 1], [0.0, 0.4, 0.95 * 0.6])
    assert changed.all()


class Indifferent:
    """Stands for a network to which every choice is worth nothing."""

    def outputs(self, views: Any, offered: Any) -> Any:
        return np.zeros(offered.shape), offered / offered.sum(axis=1, keepdims=True)


def test_a_bonus_draws_as_the_best_hold_does_and_a_malus_avoids_pat_and_late_large_draws() -> None:
    game = cardai.game("triple_draw")
    cards = np.random.default_rng(2).random((3000, 52)).argsort(axis=1)[:, :5]
    legal = np.zeros((3000, 35), bool)
    legal[:, 3:] = True

    def frequencies(draws_left: int, **habits: float) -> Any:
        """Return the share of each number kept (6,) and how often it is the best hold's."""
        views = empty_views(game.view_fields, 3000)
        views["hand"], views["draws_left"], views["kept"] = cards, draws_left, -1 if draws_left == 3 else 3
        choices = KeepChoices(exact_holds)
        brain: Any = Indifferent()
        agent = BettingAgent((brain,), choices, Habits(noise=0.001, policy_mix=0.0, **habits), game, 100.0)
        chosen = agent.decide(views, choices.legal(legal), Rows(derive_many(1, "y", count=3000)))[0] - 3
        return np.bincount(chosen, minlength=6) / 3000, (chosen == choices.best(views)[1]).mean()

    plain, plain_best = frequencies(1)
    assert np.allclose(plain, 1 / 6, atol=0.03)  # 4 standard errors
    shares, best = frequencies(1, draw_noise=0.1)
    assert plain_best < 0.2
    assert best > 0.9
    assert shares[5] < 0.05
    no_bonus = frequencies(3, draw_noise=0.1)[0]
    assert no_bonus[5] < 0.02
    assert no_bonus[:4].sum() > shares[:4].sum()  # the first draw may be large


@testing.parametrize_checks(
    "trainer",
    "poker_cnn_betting:network=dense,hands=4,unit=2,batch=4,epochs=1,threads=1",
    game="leduc",
    encoder="grid_4x13:fields=hole+board",
)
def test_betting_conforms(check: Case) -> None:
    check()


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


def test_habits_of_a_trained_player_are_options() -> None:
    trained = Habits(noise=0.2)
    given = {"noise": "0", "refold": "true", "draw_shares": ["1", "0.6"], "draw_noise": "0.1", "generation": "3"}
    assert changed(trained, given) == Habits(refold=True, draw_shares=(1.0, 0.6), draw_noise=0.1)
    assert changed(trained, {"draw_shares": "0.5"}) == Habits(noise=0.2, draw_shares=(0.5,))
    for options, message in (
        ({"boost": "maybe"}, "boost of the trained player must be true or false. Got 'maybe'"),
        ({"noise": "loud"}, "noise of the trained player must be a number"),
        ({"draw_shares": ""}, "one number or more"),
    ):
        with pytest.raises(OptionError, match=message):
            changed(trained, options)


@pytest.mark.parametrize(
    ("spec", "game", "encoder"),
    [(VALUES, "video_poker", "grid_4x13:fields=hand"), (BETTING, "leduc", "grid_4x13:fields=hole")],
)
def test_a_device_that_is_not_there_is_refused_but_no_player_needs_it(
    spec: str, game: str, encoder: str, tmp_path: Path
) -> None:
    elsewhere = registry.create("trainer", f'{spec},device="xpu:7"')
    with pytest.raises(UsageError, match=r"cannot use the device 'xpu:7'.*Give auto, cpu or cuda"):
        elsewhere.start(cardai.game(game), cardai.encoder(encoder), 3)
    start(f"{spec},device=cpu", game, encoder).save(tmp_path)
    assert elsewhere.trained_agent(cardai.game(game), cardai.encoder(encoder), 3, tmp_path, {})


@pytest.mark.parametrize("preset", ["ours:network=dense", "paper:network=dense"])
def test_a_lesson_lies_on_one_device(preset: str) -> None:
    """The device without memory refuses most operations that mix it with another one, as a GPU does."""
    spec = f"poker_cnn_betting_{preset},hands=20,threads=1,teachers=draw_heuristic,branches=0"
    training: Any = start(spec, "triple_draw", "poker_cnn_triple_draw:size=4x13")
    training.memory = [training._play(0, 20)]
    training.device = torch.device("meta")
    training.network.to("meta")
    lessons = training._lessons()
    batch = lessons.batch(np.arange(8))
    o = training.options
    lesson = PolicyLesson(o.policy, o.step_size, o.shrink)
    raw = outputs(training.network, training.heads, batch)
    value_loss, policy_loss = losses(raw, training.heads, batch, lesson, -2.0)
    (value_loss + policy_loss).backward()
    assert {p.grad.device.type for p in training.network.parameters()} == {"meta"}


def test_learning_leaves_the_number_of_threads_alone() -> None:
    before = torch.get_num_threads()
    list(start(BETTING.replace("threads=1", f"threads={before + 1}"), "leduc", "grid_4x13:fields=hole").train(400))
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("spec", "game", "encoder"),
    [
        (VALUES, "video_poker", "grid_4x13:fields=hand"),
        (f"{VALUES},redraws=0", "poker_cnn_limit", "poker_cnn_limit:size=4x13"),
        (BETTING, "leduc", "grid_4x13:fields=hole+board+history+player"),
    ],
)
def test_a_run_refuses_a_game_that_it_was_not_trained_on(spec: str, game: str, encoder: str) -> None:
    training: Any = start(spec, game, encoder)
    assert training.agent({}).for_game(cardai.game(game))
    with pytest.raises(UsageError, match=r"was trained on .*: it cannot play TripleDraw"):
        training.agent({}).for_game(cardai.game("triple_draw"))


@pytest.mark.parametrize(("keep", "kept"), [("true", [1, 2, 3]), ("false", [1, 1, 2])])
def test_the_teachers_events_are_forgotten_after_the_first_generation(keep: str, kept: list[int]) -> None:
    encoder = "grid_4x13:fields=hole+board+history+player"
    spec = BETTING.replace("hands=400", "hands=60") + f",keep_teachers={keep}"
    training: Any = start(spec, "leduc", encoder)
    found = []
    for _ in range(3):
        list(training.train(60))
        found.append(len(training.memory))
    assert found == kept
