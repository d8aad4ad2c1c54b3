"""Best responses over samples of boards: kept, gone on with, and the same for any number of processes."""

from __future__ import annotations

import math
import os

import attrs
import numpy as np
import pytest

import cardai
from cardai import make
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.poker.responses.kept import Kept
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import measure
from cardai.poker.responses.preflop_response import FLOPS
from cardai.poker.responses.street_samples import FlopClasses, StreetOptions

GAME = "holdem_limit:max_raises=1+0+0+1"
RIVER = StreetOptions(GAME, "always_call", 3, 6, seed=1)


def stop_after(count):
    def progress(done, total):
        if done == count:
            raise KeyboardInterrupt

    return progress


@pytest.fixture(scope="module")
def whole():
    return measure(RIVER)


def test_a_bound_lies_in_its_interval(whole):
    assert (whole.done, whole.finished, whole.exact) == (6, True, False)
    assert 0 < whole.mbb.low < whole.mbb.mean < whole.mbb.high
    assert whole.mbb.mean == pytest.approx(1000 / whole.big_blind * whole.chips.mean)


def test_a_stopped_measure_goes_on_where_it_was(whole, tmp_path):
    file = tmp_path / "boards.npz"
    part = measure(RIVER, out=file, progress=stop_after(2))
    assert (part.done, part.finished) == (2, False)
    told = []
    assert measure(RIVER, out=file, progress=lambda done, total: told.append((done, total))) == whole
    assert told == [(3, 6), (4, 6), (5, 6), (6, 6)]


LOCAL = LocalOptions(GAME, "acpc_mix", seed=2)
PLAYED = StreetOptions(GAME, "always_call", 3, seed=2)


@pytest.mark.parametrize(
    ("options", "name"),
    [(LOCAL, "boards"), (LOCAL, "hands"), (PLAYED, "hands"), (attrs.evolve(PLAYED, game="holdem"), "hands")],
)
def test_more_boards_or_hands_go_on_from_a_file_of_fewer(options, name, tmp_path):
    file, told = tmp_path / "kept.npz", []
    few, many = (attrs.evolve(options, **{name: count}) for count in ((1, 2) if name == "boards" else (2, 4)))
    first, whole = measure(few, out=file), measure(many)
    assert measure(many, out=file, progress=lambda done, total: told.append(done)) == whole
    assert told == list(range(first.pieces + 1, whole.pieces + 1))
    assert measure(few, out=file) == first != whole
    assert measure(many, out=file, progress=lambda done, total: told.append(done)) == whole
    assert len(told) == whole.pieces - first.pieces  # those that are beyond the few were not lost


def test_boards_that_are_drawn_together_are_not_gone_on_with(tmp_path):
    """Those of a street are drawn in strata, as many as there are: others belong to another number."""
    measure(RIVER, out=tmp_path / "boards.npz", progress=stop_after(1))
    with pytest.raises(UsageError, match="number or other options"):
        measure(attrs.evolve(RIVER, boards=7), out=tmp_path / "boards.npz")


@pytest.mark.parametrize(
    "arrays",
    [{"done": np.ones(5, bool)}, {"found": np.zeros(5)}, {"done": np.bool_(True)}, {"found": np.zeros((6, 2))}],
)
def test_pieces_without_their_figures_are_a_damaged_file(arrays, tmp_path):
    file = tmp_path / "boards.npz"
    measure(RIVER, out=file, progress=stop_after(1))
    with np.load(file) as kept:
        np.savez(file, **{**kept, **arrays})
    with pytest.raises(DamagedFileError, match="is damaged"):
        measure(RIVER, out=file)


def test_figures_of_another_shape_are_a_damaged_file(tmp_path):
    kept = Kept("ab", 3, (2,), tmp_path / "kept.npz")
    kept.write()
    with pytest.raises(DamagedFileError, match="is damaged"):
        Kept("ab", 3, (3,), tmp_path / "kept.npz")


def test_two_processes_find_the_same(whole):
    assert measure(RIVER, jobs=2) == whole


def test_a_file_of_another_question_and_a_damaged_one_are_refused(tmp_path):
    file = tmp_path / "boards.npz"
    measure(RIVER, out=file, progress=stop_after(1))
    with pytest.raises(UsageError, match="another game, player"):
        measure(attrs.evolve(RIVER, seed=2), out=file)
    np.savez(file, found=np.zeros(3))
    with pytest.raises(DamagedFileError, match="no pieces of a measure"):
        measure(RIVER, out=file)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (StreetOptions("leduc", "random", 3, 1), "is for hold'em for two"),
        (StreetOptions("acpc_limit_3p", "always_call", 3, 1), "hold'em for two"),
        (StreetOptions("acpc_nolimit_2p", "always_call", 3, 1), "ladder"),
        (StreetOptions("holdem_fcpa", "always_call", 0, 1), "all-in before the river"),
        (StreetOptions(GAME, "human", 3, 1), "has no policy"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_work(question, message):
    with pytest.raises(UsageError, match=message):
        measure(question)


ALONG = LocalOptions(GAME, "random", hands=20)
ON_BOARDS = LocalOptions(GAME, "random", boards=4)
PLAYED = StreetOptions(GAME, "random", 3, hands=6)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        (RIVER, {"game": "holdem_limit:stack=400"}),
        (RIVER, {"agent": "random"}),
        (RIVER, {"street": 2}),
        (RIVER, {"boards": 7}),
        (RIVER, {"hands": 8}),
        (RIVER, {"seed": 5}),
        (PLAYED, {"street": 2}),
        (PLAYED, {"seed": 5}),
        (ALONG, {"bets": "fc"}),
        (ALONG, {"rounds": (3,)}),
        (ALONG, {"boards": 4}),
        (ALONG, {"seed": 5}),
        (ALONG, {"estimates": "always_call"}),
        (ALONG, {"samples": 7}),
        (ALONG, {"aivat": True}),
        (ON_BOARDS, {"branches": 2}),
        (ON_BOARDS, {"seed": 5}),
    ],
)
def test_what_a_measure_depends_on_tells_its_file_from_another(question, options):
    """The file of another measure would be gone on with, and its figures given out as these."""
    assert attrs.evolve(question, **options).identity() != question.identity()


def test_a_run_that_was_trained_on_is_another_player(tmp_path):
    run = tmp_path / "k"
    cardai.train("cfr", "kuhn", steps=1, out=run)
    player, own = StreetOptions(GAME, str(run), 3, 4), StreetOptions(GAME, f"{run}:step=1", 3, 4)
    local = LocalOptions(GAME, "random", estimates=str(run))
    before, kept = (player.identity(), local.identity()), own.identity()
    assert before == (player.identity(), local.identity())
    cardai.train("cfr", "kuhn", steps=2, out=run, resume=True)
    assert not {player.identity(), local.identity()} & set(before)
    assert own.identity() == kept


def test_rounds_are_a_set_whatever_their_order():
    orders = [attrs.evolve(ALONG, rounds=rounds).identity() for rounds in ((2, 3), (3, 2), (3, 2, 3))]
    assert len(set(orders)) == 1


def test_flops_done_out_of_order_are_added_up_in_order_and_none_is_lost(tmp_path):
    """Sums of floats depend on their order: the same bytes whatever is done first, also over a stop."""
    options, file = StreetOptions(GAME, "random", 0), tmp_path / "flops.npz"
    sampler = FlopClasses(make.game(GAME), make.agent("random"), options)
    roots = sampler.shape[0]
    assert (sampler.pieces, sampler.shape) == (1755, (roots, 2, 169))
    values = np.random.default_rng(1).normal(0, 10.0 ** np.arange(-4, 4).repeat(2)[:roots], (roots,))
    found = [np.full((roots, 2, 169), 1 / (number + 3)) * values[:, None, None] for number in range(9)]
    in_order = np.zeros(sampler.shape)
    for one in found:
        in_order += one
    given = options.identity(), 9, sampler.shape
    first = Kept(*given, file)
    for number in (3, 0, 2):
        first.add(number, found[number])
    first.write()
    second = Kept(*given, file)
    assert second.missing() == [1, 4, 5, 6, 7, 8]
    assert math.isnan(sampler.response(second.found, second.done).gains[0])
    for number in (8, 1, 4, 7, 6, 5):
        second.add(number, found[number])
    assert sampler.response(second.found, second.done).gains[0] == sampler.preflop.best(in_order / FLOPS)[0].mean()


@pytest.mark.long
def test_a_killed_worker_has_its_board_done_again(whole, tmp_path, monkeypatch):
    """Its player kills the worker process at its first board."""
    bots = tmp_path / "bots.py"
    bots.write_text(KILLER, encoding="utf-8")
    registry.add_file(str(bots))
    try:
        question = attrs.evolve(RIVER, agent=f"killer:mark={tmp_path / 'mark'},parent={os.getpid()}")
        assert measure(question, jobs=2).chips == whole.chips
        assert (tmp_path / "mark").exists()
    finally:
        registry.default.reset()


KILLER = '''"""Calls, and kills a worker process that asks it first."""

import os
import signal
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai import hookimpl
from cardai.core.agent import Agent
from cardai.core.spec import option


@frozen
class Killer(Agent):
    mark: str = option("", help="A file.")
    parent: int = option(0, help="The process that is spared.")

    def policy(self, views, legal):
        if os.getpid() != self.parent and not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        out = np.zeros(legal.shape)
        out[:, 1] = 1
        return out


@hookimpl
def cardai_agent():
    return {"killer": Killer}
'''
