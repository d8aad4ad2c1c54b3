"""Actors: a training's files follow from how many there are, not from who does their pieces, in which order, or how often."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.trainer import Crew, Training, shares
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.actors import ActorsTraining, round_end
from cardai.plugins.trainers.gin_values import GinValuesTraining
from cardai.plugins.trainers.nfsp.actors import ROUND, Actors
from cardai.training.crew import Hands
from tests.pieces.functions import dying_once
from tests.support import own_cache

TINY = "holdem_limit:max_raises=1+0+1+1"
GIN = "gin_values:hands=64,belief_hands=256,taught=0,hidden=8,league=self+simple"
NFSP = "nfsp:hidden=8,tables=16,rl_capacity=2000,sl_capacity=2000,min_data=100,batch=16,eval_every=70"
BUCKETS = "bucket_mccfr:flop=1,turn=1,river=1"
POKER = "poker_cnn_betting_ours:hands=90,epochs=0.2,batch=64,league=always_call,network=dense,unit=2,threads=1"
MMD = "mmd:hidden=8,layers=1,batch=64,tables=10,advantages=all_actions"
VALUES = "leduc_values:width=8,context=16,blocks=1,batch=20,situations="
CASES = {
    "gin": (GIN, "gin", None, 2),
    "nfsp": (NFSP, "leduc", "leduc_30", 130),
    "buckets": (BUCKETS, TINY, None, 5000),
    "poker": (POKER, "leduc", "grid_4x13:fields=hole+board+history+player", 100),
    "mmd": (MMD, "leduc", "leduc_30", 3),
    "values": (VALUES, "leduc_deepstack", None, 2),
}


@pytest.fixture(scope="module")
def situations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from cardai.poker.values.situation_set import Recipe, produce

    with pytest.MonkeyPatch.context() as patch:
        own_cache(patch, tmp_path_factory.mktemp("cache"))
        recipe = Recipe("second", 3, (20,) * 5, game="leduc_deepstack", per_shard=100)
        yield str(produce(tmp_path_factory.mktemp("data") / "leduc", recipe, 100).directory)


def begun(case: str, situations: str = "", actors: int = 3) -> Training:
    spec, game, encoder, _ = CASES[case]
    trainer = cardai.trainer(spec + (situations if case == "values" else ""), actors=actors)
    return trainer.start(cardai.game(game), None if encoder is None else cardai.encoder(encoder), 3)


def files(training: Training, folder: Path) -> dict[str, bytes]:
    folder.mkdir(parents=True)
    training.save(folder)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


class Elsewhere(Crew):
    """Does pieces in the other order, each with what was sent anew, and twice: nothing that is given may be changed."""

    def do(
        self, function: Callable[..., Any], lasting: Any, state: Any, pieces: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        found = []
        for piece in reversed(pieces):
            called, given = pickle.loads(cloudpickle.dumps((function, (lasting, state, *piece))))
            called(*given)
            result = called(*given)
            found.append(pickle.loads(cloudpickle.dumps(result)))
        return found[::-1]


@pytest.mark.long("gin", "nfsp")
@pytest.mark.parametrize("case", CASES)
def test_the_files_are_the_same_wherever_the_pieces_are_done(case: str, tmp_path: Path, situations: str) -> None:
    pytest.importorskip("torch")
    here, there = begun(case, situations), begun(case, situations)
    there.crew = Elsewhere()
    for training in (here, there):
        list(training.train(CASES[case][3]))
    assert here.step == CASES[case][3]
    assert files(here, tmp_path / "here") == files(there, tmp_path / "there")


@pytest.mark.long("nfsp")
@pytest.mark.parametrize("case", ["nfsp", "buckets"])
def test_a_round_that_is_cut_short_ends_as_one_that_is_not(case: str, tmp_path: Path) -> None:
    whole, cut, steps = begun(case), begun(case), CASES[case][3]
    list(whole.train(steps))
    first = steps // 2 + 7  # inside a round
    list(cut.train(first))
    assert cut.step == first
    files(cut, tmp_path / "cut")
    again = begun(case)
    again.load(tmp_path / "cut")
    assert files(again, tmp_path / "same") == {
        file.name: file.read_bytes() for file in sorted((tmp_path / "cut").iterdir())
    }
    list(again.train(steps - first))
    assert files(again, tmp_path / "again") == files(whole, tmp_path / "whole")


def test_any_number_of_actors_plays_the_same_hands_of_poker_cnn() -> None:
    pytest.importorskip("torch")
    few, many = begun("poker", actors=2), begun("poker", actors=7)
    for training in (few, many):
        list(training.train(80))
    assert all(np.array_equal(one, other, equal_nan=True) for one, other in zip(played(few), played(many), strict=True))


def played(training: Any) -> list[Any]:
    return [np.concatenate([getattr(part, name) for part in training.parts]) for name in ("hands", "values", "known")]


def test_actors_play_hands_of_their_own() -> None:
    gin = begun("gin")
    assert isinstance(gin, GinValuesTraining)
    returns = gin._played(5, 60).returns.reshape(3, 20, 2)
    assert not any(np.array_equal(returns[k], returns[k - 1]) for k in range(3))
    nfsp: Any = begun("nfsp")
    assert isinstance(nfsp.actors, Actors)
    assert len({int(play.random[0]) for play in nfsp.actors.plays}) == 3
    mmd: Any = begun("mmd")
    batch = mmd._played()
    first = [batch.codes[batch.hands == hand][0] for hand in (0, int(batch.hands.max()) // 2)]
    assert len(batch) >= 64
    assert (np.diff(np.unique(batch.hands)) == 1).all()
    assert len(batch.returns) == batch.hands.max() + 1
    assert not np.array_equal(*first)


def test_an_iteration_of_nfsp_takes_in_an_iteration_of_each_actor() -> None:
    training: Any = begun("nfsp")
    list(training.train(ROUND + 3))
    assert training.play.counts[0] == ROUND + 3
    assert training.play.counts[1] == 3 * 16 * (ROUND + 3)
    decided = sum(int(play.counts[1]) for play in training.actors.plays)
    waiting = sum(int((play.last_row >= 0).sum()) for play in training.actors.plays)
    assert training.memory.seen[:, 0].sum() == decided - waiting  # a decision is a transition once its seat acts again


def test_rounds_of_hands_follow_from_the_steps_so_far() -> None:
    assert [round_end(step, 4) for step in (0, 4096, 1 << 20)] == [4096, 8192, (1 << 20) + 4 * 8192]
    training = begun("buckets")
    assert isinstance(training, ActorsTraining)
    list(training.train(round_end(0, 3)))
    assert training._begun is None


def test_what_actors_walk_from_the_same_regrets_is_summed() -> None:
    training: Any = begun("buckets")
    list(training.train(round_end(0, 3)))
    first, last = training.step, round_end(training.step, 3)
    total, part = training.regret.copy(), (last - first) // 3
    for k in range(3):
        own, at = training.regret.copy(), first + 1 + k * part
        tables = own, own, np.zeros_like(own)
        kernels.iterate(training.layout.nodes, training.cards, at, at + part, (0, 2), training.seed, *tables)
        total += own - training.regret
    assert not np.allclose(total, training.regret)
    list(training.train(last - first))
    assert np.allclose(training.regret, total, rtol=1e-5)


def test_several_actors_learn_as_one_does(situations: str) -> None:
    """Leduc's few hands are all shown, so the mean of the shares' gradients is the gradient."""
    pytest.importorskip("torch")
    one, several = begun("values", situations, actors=1), begun("values", situations)
    losses = [[row["loss"] for row in training.train(2)] for training in (one, several)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize(("count", "actors"), [(7, 3), (2, 5), (0, 2)])
def test_shares_are_even_and_all_there_is(count: int, actors: int) -> None:
    parts = shares(count, actors)
    assert [unit for part in parts for unit in part] == list(range(count))
    assert count == 0 or all(parts)
    found = [len(part) for part in parts]
    assert sum(found) == count
    assert max(found) - min(found) <= 1


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_actor_costs_its_piece_and_results_come_in_order(tmp_path: Path) -> None:
    crew, pieces = Hands("", 2), [(k,) for k in range(5)]
    assert crew.do(dying_once, str(tmp_path), 10, pieces) == [10, 11, 12, 13, 14]
    assert (tmp_path / "killed").exists()


@pytest.mark.parametrize(
    ("trainer", "message"),
    [
        ("cfr", "The trainer cfr learns in one process and has no actors. Leave out --jobs 2"),
        (GIN, "--jobs 2 has nothing to hand out: this run has one actor.*--actors 4"),
    ],
)
def test_what_has_nothing_to_hand_out_is_said_before_there_is_a_run(trainer: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        cardai.train(trainer, "gin" if "gin" in trainer else "kuhn", steps=1, out=tmp_path / "run", jobs=2)
    assert not (tmp_path / "run").exists()
