"""Single deep CFR: traversals sample the right advantages, it learns, resumes bit for bit, and refuses what it cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai import testing
from cardai.core import registry
from cardai.core.errors import CardaiError, DamagedFileError, OptionError, UsageError
from cardai.core.rng import derive_many
from cardai.plugins.trainers.sd_cfr.player import policy_of
from cardai.plugins.trainers.sd_cfr.training import Memory
from cardai.plugins.trainers.sd_cfr.walkers import StateWalker, TreeWalker, Walker, traverse
from cardai.solve.tree import game_tree
from cardai.testing import Case

TINY = "traversals=20,updates=4,batch=16,hidden=8,layers=1,capacity=50"


@testing.parametrize_checks("trainer", f"sd_cfr:{TINY}", game="kuhn", encoder="flat", steps=4)
def test_it_conforms(check: Case) -> None:
    check()


def start(spec: str, game: str = "kuhn", encoder: str | None = None, seed: int = 1) -> Any:
    made = None if encoder is None else cardai.encoder(encoder)
    return registry.create("trainer", spec).start(cardai.game(game), made, seed)


def walkers() -> list[Walker]:
    game = cardai.game("kuhn")
    layout, tree = cardai.encoder("flat").for_game(game), game_tree(game, 1000)
    codes = layout.encode(tree.infosets.views).reshape(len(tree.infosets), -1)
    return [TreeWalker(tree, codes), StateWalker(game, layout)]


@pytest.mark.parametrize("walker", walkers(), ids=["tree", "states"])
def test_traversals_have_kuhns_counterfactual_advantages_as_their_mean(walker: Walker) -> None:
    """Against uniform play, both passing alike: by hand."""

    def uniform(seat: int, codes: Any, legal: Any) -> Any:
        return legal / np.maximum(1, legal.sum(axis=1, keepdims=True))

    count = 3_000
    codes, legal, advantages = traverse(walker, uniform, 0, derive_many(1, "hands", count=count))
    assert legal.all()
    game = cardai.game("kuhn")
    layout = cardai.encoder("flat").for_game(game)
    state = game.new_initial_state()
    state.apply_action(2)  # the king
    state.apply_action(0)
    from cardai.core.fields import pack_views

    king = layout.encode(pack_views(game.view_fields, [state.view(0)])).reshape(-1)
    mine = (codes == king).all(axis=1)
    assert mine.mean() * len(codes) / count == pytest.approx(1 / 3, abs=0.03)
    # a king that bets wins 1.5 from a caller by a half; one that passes 1 or, after a bet, 0.5 x 2 + 0.5 x (-1)
    worth = np.array([0.5 * 1 + 0.5 * 0.5, 1.5])
    wanted = worth - worth.mean()
    found = advantages[mine]
    assert (abs(found.mean(axis=0) - wanted) < 5 * found.std(axis=0) / np.sqrt(mine.sum()) + 1e-9).all()
    assert advantages.sum(axis=1) == pytest.approx(0, abs=1e-9)


def test_a_traversal_depends_on_its_stream_alone() -> None:
    walker, streams = walkers()[0], derive_many(3, "hands", count=40)

    def uniform(seat: int, codes: Any, legal: Any) -> Any:
        return legal / np.maximum(1, legal.sum(axis=1, keepdims=True))

    whole = traverse(walker, uniform, 1, streams)[2]
    parts = np.concatenate([traverse(walker, uniform, 1, part)[2] for part in np.array_split(streams, 4)])
    assert np.sort(whole, axis=0) == pytest.approx(np.sort(parts, axis=0))


@pytest.mark.long
def test_it_learns_kuhn_poker_and_its_players_are_the_average_drawn_or_whole() -> None:
    training = start("sd_cfr:traversals=300,updates=80,batch=128,hidden=32,layers=1", "kuhn", "flat")
    last = [metrics for metrics in training.train(12) if metrics][-1]
    # uniform play is exploitable by 11/24 = 0.4583
    assert last["exploitability"] < 0.15
    game = cardai.game("kuhn")
    assert cardai.evaluate(game, training.agent({})).exploitability == pytest.approx(last["exploitability"], abs=1e-9)
    current = cardai.evaluate(game, training.agent({"policy": "current"}))
    assert current.exploitability == pytest.approx(last["current_exploitability"], abs=1e-6)
    drawn = cardai.play(game, [training.agent({"policy": "drawn"}), training.agent({})], games=600, seed=2)
    assert abs(drawn.mean_return(0).mean) < 2 * drawn.mean_return(0).half_width


@pytest.mark.long("drawn")
@pytest.mark.parametrize("policy", ["average", "drawn"])
def test_a_hand_of_several_decisions_is_played_by_one_iteration_in_proportion_to_its_number(policy: str) -> None:
    """The first iteration calls and the second raises: against who calls, a hand of Leduc is then worth 1 or 1 + 2 + 4."""
    training = start(f"sd_cfr:{TINY}", "leduc", "leduc_30")
    for action in (1, 2):
        for networks in training.networks:
            made = torch.nn.Sequential(torch.nn.Linear(training.inputs, training.actions))
            with torch.no_grad():
                made[0].weight.zero_()
                made[0].bias.copy_(torch.nn.functional.one_hot(torch.tensor(action), training.actions))
            networks.append(made)
        training.step += 1
        training._add_to_average()
    hands = cardai.play("leduc", [training.agent({"policy": policy}), "always_call"], games=2_000, seed=4).hands
    worth = abs(hands["returns"][:, 0])
    assert set(worth) == {0, 1, 7}
    # 2 / 3 with a deviation of 0.011
    assert (worth == 7).sum() / (worth > 0).sum() == pytest.approx(2 / 3, abs=0.045)


def test_saved_and_loaded_training_goes_on_byte_for_byte(tmp_path: Path) -> None:
    whole, half, other = (start(f"sd_cfr:{TINY}", "leduc", "leduc_30") for _ in range(3))
    list(whole.train(4))
    list(half.train(2))
    for name in ("middle", "whole", "other"):
        (tmp_path / name).mkdir()
    half.save(tmp_path / "middle")
    other.load(tmp_path / "middle")
    list(other.train(2))
    whole.save(tmp_path / "whole")
    other.save(tmp_path / "other")
    for file in (tmp_path / "whole").iterdir():
        assert file.read_bytes() == (tmp_path / "other" / file.name).read_bytes(), file.name


def test_games_beyond_the_limit_are_walked_over_their_states_and_played_by_drawn_networks() -> None:
    training = start(f"sd_cfr:{TINY},measure_limit=10", "leduc", "leduc_30")
    last = list(training.train(2))[-1]
    assert "exploitability" not in last
    assert last["env_steps"] > 40
    result = cardai.play("leduc", [training.agent({}), "random"], games=20, seed=1)
    assert len(result.hands) == 20
    with pytest.raises(OptionError, match="policy=drawn"):
        training.agent({"policy": "average"})


def test_a_network_learns_advantages_weighted_by_their_iteration() -> None:
    """One situation, worth 1 in the first iteration and -1 in the third: (1 - 3) / 4 in the mean of both."""
    training = start("sd_cfr:traversals=10,updates=150,batch=256,hidden=8,layers=1,rate=0.02", "kuhn", "flat")
    code, legal = training.codes[:1], np.ones((1, 2), bool)
    for iteration, worth in ((1, 1.0), (3, -1.0)):
        for _ in range(20):
            training.memories[0].remember(code, legal, np.array([[worth, 0.0]]), iteration)
    network = training._learned(0, 3)
    assert network(torch.from_numpy(code))[0].tolist() == pytest.approx([-0.5, 0.0], abs=0.12)


def test_where_no_advantage_is_positive_the_best_is_played_alone() -> None:
    made = torch.nn.Sequential(torch.nn.Linear(1, 3))
    with torch.no_grad():
        made[0].weight.zero_()
        made[0].bias.copy_(torch.tensor([-1.0, -0.2, 3.0]))
    legal = np.array([[True, True, False], [True, True, True]])
    assert policy_of(made, np.zeros((2, 1), np.float32), legal).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_the_reservoir_keeps_early_and_late_decisions_alike() -> None:
    memory = Memory(1_000, 1, 2, 1)
    for iteration in range(1, 9):
        codes = np.zeros((2_500, 1), np.float32)
        memory.remember(codes, np.ones((2_500, 2), bool), np.zeros((2_500, 2)), iteration)
    counts = np.bincount(memory.iterations, minlength=9)[1:]
    # 125 each with a deviation of 10: a miss by 60 has probability 1e-8
    assert (abs(counts - 125) < 60).all()
    assert (memory.seen, len(memory.codes)) == (20_000, 1_000)


def test_a_checkpoint_that_was_changed_is_refused(tmp_path: Path) -> None:
    training = start(f"sd_cfr:{TINY}")
    list(training.train(1))
    training.save(tmp_path)
    with pytest.raises(DamagedFileError):
        start(f"sd_cfr:{TINY}".replace("hidden=8", "hidden=16")).load(tmp_path)
    with pytest.raises(DamagedFileError, match="reservoir"):
        start(f"sd_cfr:{TINY}".replace("capacity=50", "capacity=7")).load(tmp_path)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("holdem_nolimit", "Give it a ladder of bets"),
        ("leduc:players=3", "games for two"),
        ("openspiel:name=leduc_poker", ""),
    ],
)
def test_what_it_cannot_take_is_said(game: str, message: str) -> None:
    trainer = registry.create("trainer", "sd_cfr")
    if message:
        with pytest.raises(UsageError, match=message):
            trainer.check_game(cardai.game(game))
    else:
        trainer.check_game(cardai.game(game))


def test_it_stops_where_its_losses_are_no_numbers() -> None:
    training = start(f"sd_cfr:{TINY}", "kuhn", "flat")
    list(training.train(1))
    for memory in training.memories:
        memory.advantages[:] = np.nan
    with pytest.raises(CardaiError, match="no longer numbers"):
        list(training.train(1))
