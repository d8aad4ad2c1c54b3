"""Best responses over samples of boards: kept, gone on with, and the same for any number of processes."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from cardai.core.errors import DamagedFileError, UsageError
from cardai.solve.response_measure import Question, best_response

GAME = "holdem_limit:max_raises=1+0+0+1"
RIVER = Question(GAME, "always_call", 3, 6, 1)


def stop_after(count):
    def progress(done, total):
        if done == count:
            raise KeyboardInterrupt

    return progress


@pytest.fixture(scope="module")
def whole():
    return best_response(RIVER)


def test_a_bound_lies_in_its_interval(whole):
    assert (whole.done, whole.finished, whole.exact) == (6, True, False)
    assert 0 < whole.mbb.low < whole.mbb.mean < whole.mbb.high
    assert whole.mbb.mean == pytest.approx(1000 / whole.big_blind * whole.gain.mean)


def test_a_stopped_measure_goes_on_where_it_was(whole, tmp_path):
    file = tmp_path / "boards.npz"
    part = best_response(RIVER, out=file, progress=stop_after(2))
    assert (part.done, part.finished) == (2, False)
    told = []
    assert best_response(RIVER, out=file, progress=lambda done, total: told.append((done, total))) == whole
    assert told == [(3, 6), (4, 6), (5, 6), (6, 6)]


def test_two_processes_find_the_same(whole):
    assert best_response(RIVER, jobs=2) == whole


def test_a_file_of_another_question_and_a_damaged_one_are_refused(tmp_path):
    file = tmp_path / "boards.npz"
    best_response(RIVER, out=file, progress=stop_after(1))
    with pytest.raises(UsageError, match="another game, player, street"):
        best_response(attrs.evolve(RIVER, seed=2), out=file)
    np.savez(file, found=np.zeros(3))
    with pytest.raises(DamagedFileError, match="no boards of a best response"):
        best_response(RIVER, out=file)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Question("leduc", "random", 3, 1, 0), "plays hold'em"),
        (Question("acpc_limit_3p", "always_call", 3, 1, 0), "hold'em for two"),
        (Question("acpc_nolimit_2p", "always_call", 3, 1, 0), "ladder"),
        (Question("holdem_fcpa", "always_call", 2, 1, 0), "all-in before the river"),
        (Question(GAME, "human", 3, 1, 0), "has no policy"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_work(question, message):
    with pytest.raises(UsageError, match=message):
        best_response(question)
