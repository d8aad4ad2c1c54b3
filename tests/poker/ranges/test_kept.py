"""What is kept of a solution: 16 bits a number, and nothing of the last street."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.core.errors import DamagedFileError, UsageError
from cardai.poker.ranges import reading
from cardai.poker.ranges.kept import KeptSolver
from cardai.poker.ranges.solution import Solution, load, prepare
from cardai.poker.ranges.spot import Spot
from tests.support import python, sizes

FLOP = Spot("Ks7h4d", 100, (300, 300), ("AA,KQs,87s,A5s", "QQ,KJs,65s,ATs"), "1/none")


@pytest.fixture(scope="module", params=sizes(32, 16))
def flop(request: pytest.FixtureRequest) -> Solution:
    """The solution in as many bits: kernels for 16 are compiled at night."""
    solution = prepare(FLOP, bits=request.param)
    solution.solver.run(30)
    solution.measure()
    return solution


@pytest.fixture(scope="module")
def kept(flop: Solution, tmp_path_factory: pytest.TempPathFactory) -> Solution:
    folder = tmp_path_factory.mktemp("kept")
    flop.save(folder, small=True)
    return load(folder)


IN_BOTH = """
import sys
import numpy as np
from cardai.poker.ranges._kept_kernels import remember, update
from cardai.poker.ranges.solution import load, prepare
from cardai.poker.ranges.spot import Spot

rng, f, units, fresh = np.random.default_rng(1), np.float32, np.zeros((2, 1, 1), np.float32), np.zeros((3, 50), np.float32)
small, large = ([np.zeros((5, 50), dtype) for _ in range(2)] for dtype in (np.int16, f))
for _ in range(4):
    values, reach = rng.normal(size=(3, 50)).astype(f), rng.random((3, 50)).astype(f)
    more = values, 0, values.mean(axis=0), (f(0.9), f(0.5), f(0.0)), 50
    update(small[0], units, fresh, (0, 0, 2), 3, *more)
    update(large[0], None, fresh, (0, 0, 2), 3, *more)
    remember(small[1], units, fresh, (0, 0, 2), 3, reach, 0, f(0.8), 50)
    remember(large[1], None, fresh, (0, 0, 2), 3, reach, 0, f(0.8), 50)
for kind in range(2):  # each of four steps is rounded to a unit
    assert np.abs(small[kind] * units[kind, 0, 0] - large[kind]).max() < 4 * units[kind, 0, 0]

spot = Spot("Ks7h4d2c9s", 100, (100, 100), ("AA,KQs,87s", "QQ,KJs,ATs"), "1/none")
packed, exact = (prepare(spot, bits=bits) for bits in (16, 32))
for one in (packed, exact):
    one.solver.run(30)
    one.measure()
assert {array.dtype.name for name, array in packed.solver.arrays().items() if array.dtype.kind == "i"} >= {"int16"}
assert packed.num_bytes < exact.num_bytes
assert abs(packed.exploitability - exact.exploitability) < 0.05, (packed.exploitability, exact.exploitability)
assert np.allclose(packed.values, exact.values, atol=0.05), (packed.values, exact.values)
packed.save(sys.argv[1], small=False)
again = load(sys.argv[1])
assert again.solver.packed
for name, array in packed.solver.arrays().items():
    assert (array == again.solver.arrays()[name]).all(), name
print("as far")
"""


def test_a_river_in_sixteen_bits_is_as_far_from_equilibrium_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """The same kernels as ordinary Python, where compiling them for another dtype takes as long as thirty such tests."""
    done = python("-c", IN_BOTH, str(tmp_path / "kept"), NUMBA_DISABLE_JIT="1")
    assert done.stdout == "as far\n", done.stderr


@pytest.mark.long
def test_sixteen_bits_take_half_the_memory_and_are_as_far_from_equilibrium() -> None:
    packed, exact = (prepare(FLOP, bits=bits) for bits in (16, 32))
    for one in (packed, exact):
        one.solver.run(30)
        one.measure()
    assert packed.num_bytes < 0.54 * exact.num_bytes  # of 24 hands; with more the unit of a decision weighs nothing
    assert packed.exploitability == pytest.approx(exact.exploitability, abs=0.05)
    assert packed.values == pytest.approx(exact.values, abs=0.05)


@pytest.mark.long("32")
def test_a_solution_goes_on_where_it_was_stopped(flop: Solution, tmp_path: Path) -> None:
    flop.save(tmp_path, small=False)
    again = load(tmp_path)
    assert again.solver.packed == flop.solver.packed
    for name, array in flop.solver.arrays().items():
        assert (array == again.solver.arrays()[name]).all(), name


@pytest.mark.parametrize("line", ["", "x b100", "x x / 2c", "b100 c / 7s x"])
def test_what_was_kept_is_what_was_solved(flop: Solution, kept: Solution, line: str) -> None:
    one, other = flop.at(line), kept.at(line)
    assert one.tokens == other.tokens
    assert one.hands.tolist() == other.hands.tolist()
    assert other.strategy == pytest.approx(one.strategy, abs=0.005)
    assert other.weights == pytest.approx(one.weights, abs=0.002)
    reached = one.weights[one.seat] * one.met > 1e-3
    assert other.values[:, reached] == pytest.approx(one.values[:, reached], abs=1.5)
    assert other.value == pytest.approx(one.value, abs=1.0)  # of pots of 100 to 300


def test_the_last_street_is_solved_when_it_is_looked_at(flop: Solution, kept: Solution) -> None:
    for line, near in (("b100 c / 9d x x / 8d", 8.0), ("b100 c / 9d x x / 8d x", 8.0)):
        one, other = flop.at(line), kept.at(line)
        assert (other.line, other.board, other.tokens) == (line, one.board, one.tokens)
        assert set(other.hands.tolist()) <= set(one.hands.tolist())
        assert other.value == pytest.approx(one.value, abs=near)  # of a pot of 300, both near an equilibrium of it


def test_a_kept_solution_is_small_and_says_what_it_cannot_do(flop: Solution, kept: Solution, tmp_path: Path) -> None:
    kept.save(tmp_path)
    assert isinstance(load(tmp_path).solver, KeptSolver)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 0.05 * flop.num_bytes
    assert kept.values == flop.values
    with pytest.raises(UsageError, match="kept small"):
        kept.solver.run(1)
    with pytest.raises(UsageError, match="a showdown"):
        kept.at("b100 c / 2c b200 c / 9d x")
    with pytest.raises(UsageError, match="lies on the board"):
        kept.at("x x / 2c x x / 2c")


def test_a_hand_that_expects_many_pots_is_kept_as_it_is(tmp_path: Path) -> None:
    """Aces win a hundred pots where nobody folds to all-in: in 16 bits they were kept at no more than 16."""
    options = {"pot": 2, "stack": 200, "ranges": ("AdAh", "QQ"), "bets": "none,river=allin", "to": 1.0}
    solved = cardai.solve("As7d2c3h", **options, locks=["x x * a: c=1"])
    solved.save(tmp_path, small=True)
    load(tmp_path).save(tmp_path)
    assert solved.at("").value > 200
    assert load(tmp_path).at("").value == pytest.approx(solved.at("").value, abs=0.01)


def test_a_kept_solution_plays(kept: Solution, tmp_path: Path) -> None:
    kept.save(tmp_path)
    found = cardai.play(
        f"holdem_spot:directory={tmp_path}", [f"solved_spot:directory={tmp_path}", "random"], games=6, seed=2
    )
    assert len(found.hands) == 6


def test_a_damaged_kept_solution_is_refused(kept: Solution, tmp_path: Path) -> None:
    kept.save(tmp_path)
    (file,) = tmp_path.glob("kept-*.npz")
    np.savez(file, worth=np.zeros(3))
    with pytest.raises(DamagedFileError):
        load(tmp_path)


def test_who_plays_on_as_well_as_can_be_gets_what_a_best_response_does(flop: Solution, kept: Solution) -> None:
    root = flop.at("", best=True)
    share = flop.at("").weights[0] * root.met
    measured = flop.solver.measure().responses[0] / flop.spot.scale + FLOP.pot / 2
    assert root.values.max(axis=0) @ share / share.sum() == pytest.approx(measured, abs=1e-3)
    for line in ("", "x b100", "b100 c / 7s x"):
        usual, best, small = flop.at(line), flop.at(line, best=True), kept.at(line, best=True)
        reached = usual.weights[usual.seat] * usual.met > 1e-3
        assert (best.values >= usual.values - 1e-3)[:, reached].all()
        assert (kept.at(line).values - 1e-3 <= small.values)[:, reached].all()
        assert (small.values <= best.values + 1.5)[
            :, reached
        ].all()  # the last street of what is kept is the solution's


def test_locks_hold_on_a_street_that_is_solved_again(tmp_path: Path) -> None:
    options = {"pot": 100, "stack": 100, "ranges": ("AA,KQs", "QQ,KJs"), "bets": "1/none", "to": 5.0}
    solved = cardai.solve("Ks7h4d2c", **options, locks=["x x / *: KQs: b100=1", "x x / 9d: x=1"])
    solved.save(tmp_path, small=True)
    found = load(tmp_path)
    assert set(found.at("x x / 9d").strategy[1].tolist()) == {0.0}
    assert 1.0 in found.at("x x / 8d").strategy[1].tolist()


def test_where_nobody_comes_a_kept_solution_shows_as_much_as_a_whole_one(tmp_path: Path) -> None:
    """Who bets and who calls hold the same ace: their ranges never meet, on no river."""
    options = {"pot": 20, "stack": 60, "ranges": ("QQ,AsAh", "KcKd,AsAd"), "bets": "1", "iterations": 10}
    locks = [": AsAh: b20=1", ": QQ: x=1", "b20: AsAd: c=1", "b20: KcKd: f=1"]
    solved = cardai.solve("KsTh7s4d", **options, locks=locks)
    solved.save(tmp_path, small=True)
    found = load(tmp_path)
    for one in (solved, found):
        share, each = reading.equities(one.at("b20 c 2c"))
        assert np.isnan([*share, *each]).all()
        assert one.at("b20 c 2c x").tokens == ("x", "b40")
        assert one.at("b20 c As").frequencies == (0.0, 0.0)  # nobody is left a hand
    assert len(reading.next_cards(found, "b20 c")) == 48
