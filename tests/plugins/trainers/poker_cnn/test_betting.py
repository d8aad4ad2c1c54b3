"""Betting in generations: what is taught, that it learns, that it resumes exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai import testing
from cardai.core import registry
from cardai.core.errors import OptionError, UsageError
from cardai.core.progress import listening
from cardai.core.rng import Rows, derive_many
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Seating, collect
from cardai.learn.tensors import in_chunks
from cardai.plugins.trainers.poker_cnn.betting.dataset import outputs
from cardai.plugins.trainers.poker_cnn.betting.learning import losses, make_targets
from cardai.plugins.trainers.poker_cnn.betting.options import LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.ranges import RangeBettingAgent
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.range_policy import RangeAdapter, range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.testing import Case
from cardai.training.runs import Run
from cardai.training.session import Session
from tests.plugins.trainers.poker_cnn.trainings import BETTING, VALUES, resumed, start, weights


@pytest.mark.long("video_poker")
@pytest.mark.parametrize(
    ("spec", "game", "encoder", "steps"),
    [  # with replay and whole suits the plain way is gone, too
        (VALUES, "video_poker", "grid_4x13:fields=hand", (7, 6)),
        (f"{VALUES},replay=0.5,whole_suits=true", "video_poker", "grid_4x13:fields=hand", (7, 6)),
        (BETTING.replace("hands=400", "hands=40"), "leduc", "grid_4x13:fields=hole+board+history+player", (45, 55)),
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


@pytest.mark.long
def test_interrupted_between_minibatches_of_a_generation(tmp_path: Path) -> None:
    encoder = "grid_4x13:fields=hole+board+history+player"
    spec = BETTING.replace("batch=64", "batch=4").replace("hands=400", "hands=25")
    whole = start(spec, "leduc", encoder)
    list(whole.train(25))
    first: Any = start(spec, "leduc", encoder)
    for _ in first.train(25):
        if first.minibatch:
            break
    assert first.minibatch > 0
    second = resumed(first, start(spec, "leduc", encoder), tmp_path / "half")
    list(second.train(1))
    assert second.step == whole.step == 25
    assert first.step == 24  # the last hand counts when the generation has been learned
    assert all(np.array_equal(a, b) for a, b in zip(weights(whole), weights(second), strict=True))


def test_a_league_with_a_solved_player_plays_hands_that_begin_as_it_knows_them(tmp_path: Path) -> None:
    """A tabular run of Leduc knows hands that seat 0 begins alone: training ended in the middle with a view unknown to it."""
    run = tmp_path / "solved"
    cardai.train("cfr_plus", "leduc", steps=1, out=run)
    spec = f"{BETTING.replace('hands=400', 'hands=12').replace('always_call', json.dumps(str(run)))},league_share=0.9"
    spec = spec.replace(",league_share=0.3", "")
    training: Any = start(spec, "leduc", "grid_4x13:fields=hole+board+history+player")
    assert any("as a match's first" in note for note in training.notes)
    list(training.train(24))
    views = training.memory[0].views
    assert (views["button"] == 0).all()
    assert set(views["player"]) == {0, 1}
    other: Any = start(BETTING, "leduc", "grid_4x13:fields=hole+board+history+player")
    assert other.cast.anywhere


def test_events_of_a_betting_game_are_worth_what_they_brought() -> None:
    """Leduc: the return is the value less what was put in before; ending actions are known exactly."""
    game = cardai.game("leduc")
    random = cardai.agent("random").for_game(game)
    seating = Seating([random], np.zeros((300, 2), np.int64), (0,), ActionAbstraction(3))
    events = collect(game, seating, seed=1, first=0, tables=300)
    again = collect(game, seating, seed=1, first=0, tables=64)
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
    target, mask = make_targets(events, game, ActionAbstraction(3), LearningOptions(unit=2.0, teach_illegal=True))
    assert (target[~events.legal] == -2.0).all()
    assert (mask[rows, events.chosen] == 1).all()
    assert np.allclose(target[rows, events.chosen], events.values / 2)


def test_discounting_leaves_pot_and_bet_alone() -> None:
    game = cardai.game("leduc")
    random = cardai.agent("random").for_game(game)
    events = collect(game, Seating([random], np.zeros((200, 2), np.int64), (0,), ActionAbstraction(3)), seed=2, first=0)
    target, _ = make_targets(
        events, game, ActionAbstraction(3), LearningOptions(unit=1.0, discount=0.9, counterfactuals="published")
    )
    got = target[np.arange(len(events)), events.chosen]
    pot, bet = events.views["pot"], events.views["to_call"]
    inside = (events.values <= pot) & (events.values >= -bet)
    assert np.allclose(got[inside], events.values[inside])
    above = events.values > pot
    assert above.any()
    assert np.allclose(got[above], pot[above] + 0.9 * (events.values - pot)[above])


def test_every_generation_is_a_player() -> None:
    game = cardai.game("leduc")
    spec = BETTING.replace("hands=400", "hands=100")
    training = start(spec, "leduc", "grid_4x13:fields=hole+board+history+player")
    with pytest.raises(OptionError, match="no generation 0"):
        training.agent({"generation": "0"})
    list(training.train(200))
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


@pytest.mark.long
def test_a_betting_run_draws_by_a_value_network_and_takes_over_its_layers(tmp_path: Path) -> None:
    encoder = "poker_cnn_triple_draw:size=4x13"
    run = Run.create(
        tmp_path / "draws",
        "poker_cnn_ours:examples=200,batch=64,threads=1,measure=false,validation=0",
        "triple_draw",
        encoder,
        1,
    )
    Session.start(run).train(3)
    spec = "poker_cnn_betting_ours:hands=8,batch=64,epochs=1,threads=1,teachers=draw_heuristic,freeze_trunk=true"
    quoted = json.dumps(str(tmp_path / "draws"))
    training: Any = start(f"{spec},draws_by={quoted},warm_start={quoted}", "triple_draw", encoder)
    warm = training.network.trunk.dense.weight.detach().clone()
    assert training.abstraction.count == 9
    rows = [row for row in training.train(16) if row]
    assert [row["generation"] for row in rows] == [0, 1]
    assert torch.equal(training.network.trunk.dense.weight, warm)
    events = training.memory[0]
    drawing = events.legal[:, 3:].any(axis=1)
    assert drawing.any()
    assert (events.chosen[drawing] >= 3).all()


@testing.parametrize_checks(
    "trainer",
    "poker_cnn_betting:network=dense,hands=4,unit=2,batch=4,epochs=1,threads=1",
    game="leduc",
    encoder="grid_4x13:fields=hole+board",
)
def test_betting_conforms(check: Case) -> None:
    check()


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


def whole(generator: Any) -> Any:
    """Return what a generator returns in the end."""
    while True:
        try:
            next(generator)
        except StopIteration as done:
            return done.value


@pytest.mark.parametrize("preset", ["ours:network=dense", "paper:network=dense"])
def test_a_minibatch_lies_on_one_device(preset: str) -> None:
    """The device without memory refuses most operations that mix it with another one, as a GPU does."""
    spec = f"poker_cnn_betting_{preset},hands=20,threads=1,teachers=draw_heuristic,branches=0"
    training: Any = start(spec, "triple_draw", "poker_cnn_triple_draw:size=4x13")
    training._play(20, 20)
    training.memory = training.parts
    training.device = torch.device("meta")
    training.network.to("meta")
    batch = whole(training._dataset()).batch(np.arange(8))
    raw = outputs(training.network, training.heads, batch)
    value_loss, policy_loss = losses(raw, training.heads, batch, training.options)
    (value_loss + policy_loss).backward()
    assert {p.grad.device.type for p in training.network.parameters()} == {"meta"}


@pytest.mark.long
def test_learning_leaves_the_number_of_threads_alone() -> None:
    before = torch.get_num_threads()
    spec = BETTING.replace("threads=1", f"threads={before + 1}").replace("hands=400", "hands=40")
    list(start(spec, "leduc", "grid_4x13:fields=hole").train(40))
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


@pytest.mark.long
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


@pytest.mark.long
def test_a_finished_generation_is_saved_at_once(tmp_path: Path) -> None:
    spec = BETTING.replace("hands=400", "hands=60")
    run = Run.create(tmp_path / "run", spec, "leduc", "grid_4x13:fields=hole", 1)
    Session.start(run).train(150, checkpoint_every=10**6, keep=99)
    assert run.steps() == [60, 120, 150]
    assert cardai.agent(f"{run.path}:step=120,generation=1")


def test_gin_is_learned_too() -> None:
    """Its hand is a set of cards, its history says no betting, and it has no pot: nothing of that is taken for poker's."""
    spec = "poker_cnn_betting:hands=8,network=dense,batch=16,epochs=1,keep_share=0.3,discount=0.9,counterfactuals=published"
    training: Any = start(f"{spec},repair=true,boost=true,refold=true", "gin:target=1", "grid_4x13:fields=hand")
    (row,) = [row for row in training.train(8) if row]
    assert row["events"] > 0
    assert cardai.play("gin:target=1", [training.agent({}), "simple"], games=2, seed=1)


def test_features_of_frozen_layers_are_made_piece_by_piece(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The training can be stopped between two pieces, and the features are those of all events at once."""
    from cardai.plugins.trainers.poker_cnn.betting import dataset

    encoder = "poker_cnn_limit:size=4x13"
    values = Run.create(
        tmp_path / "values", "poker_cnn_ours:examples=60,redraws=9,batch=8,validation=0", "poker_cnn_limit", encoder, 1
    )
    Session.start(values).train(1)
    spec = (
        f"poker_cnn_betting_ours:hands=60,batch=8,epochs=1,freeze_trunk=true,warm_start={json.dumps(str(values.path))}"
    )
    training: Any = start(spec, "poker_cnn_limit", encoder)
    training._play(60, 60)
    training.memory = training.parts
    whole_ = whole(training._dataset()).features
    training._features = {}
    monkeypatch.setattr(dataset, "_AT_ONCE", 100)
    heard: list[tuple[int, int]] = []
    with listening(lambda label, done, total: heard.append((done, total))):
        yields = list(training._dataset())
    events = len(training.memory[0])
    assert yields == [{}] * len(heard)
    assert heard == [(start, events) for start in range(0, events, 100)]
    assert all(np.array_equal(a, b) for a, b in zip(whole(training._dataset()).features, whole_, strict=True))


SUITS = BETTING.replace("network=dense", "network=suits")


def test_hands_that_share_cards_or_situations_are_answered_as_each_alone() -> None:
    game = cardai.game("poker_cnn_limit")
    network = start(SUITS, "poker_cnn_limit", "poker_cnn_limit:size=4x13").agent({}).networks[0]  # type: ignore[attr-defined]
    tables, rng = game.tables(40), np.random.default_rng(0)
    tables.reset(np.arange(40, dtype=np.uint64))
    rows = np.arange(40)
    for _ in range(6):  # some are on the flop then, some before it
        rows = rows[tables.current_players()[rows] >= 0]
        tables.apply(rows, np.array([rng.choice(np.flatnonzero(offered)) for offered in tables.legal(rows)]))
    rows = rows[tables.current_players()[rows] == 0]
    views, offered = np.repeat(tables.views(0, rows), 4), np.repeat(tables.legal(rows), 4, axis=0)
    views["hole"][1::2] = views["hole"][1]  # the same cards in other situations, other cards in the same
    assert len({int(view["round"]) for view in views}) > 1
    codes = network.layout.encode(network.form(views)[0])
    plain = in_chunks(lambda x: network.heads.raw(network.module, x), codes, network.device)
    assert np.array_equal(network.outputs(views, offered)[0], plain[:, : network.heads.actions])
    assert len(np.unique(plain, axis=0)) > len(rows)


@pytest.mark.long
def test_whole_ranges_are_what_asking_for_every_hand_says() -> None:
    game = cardai.game("poker_cnn_limit")
    player: Any = start(SUITS, "poker_cnn_limit", "poker_cnn_limit:size=4x13").agent({})
    tree, board = holdem_tree(game, "it"), [3, 17, 30, 44, 50]
    asked, live = RangeAdapter(game, player.plain, tree), board_hands(board).hands
    for street, size in enumerate((0, 3, 4, 5)):
        nodes = tree.decisions[tree.street[tree.decisions] == street][::901]
        expected = asked.range_policy(nodes, board[:size])[:, live]
        assert player.range_policy(nodes, board[:size])[:, live] == pytest.approx(expected, abs=1e-6)
        assert np.ptp(expected, axis=1).max() > 1e-4  # it looks at its cards
    assert isinstance(range_player(game, player, tree), RangeBettingAgent)
    assert not isinstance(range_player(cardai.game("acpc_limit_2p"), player, tree), RangeBettingAgent)
