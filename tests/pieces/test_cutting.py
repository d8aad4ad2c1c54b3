"""Pieces are cut by what they were measured to take: wide ones, every load before thin ones, no more than workers at the end."""

from __future__ import annotations

import heapq
import math

import pytest

from cardai.pieces import cutting
from cardai.pieces.cutting import Cutter, Load

FIXED = 0.05


def played(
    loads: list[Load], workers: int, paces: list[float], fewer: bool = True
) -> tuple[float, Cutter, list[tuple[int, list[int]]]]:
    """Return when all is done by workers whose pieces take FIXED seconds and a pace a unit, and the pieces in order."""
    now, free, busy, found = 0.0, workers, [], []  # type: ignore[var-annotated]
    cutter = Cutter(loads, workers, fewer=fewer, clock=lambda: now)
    while True:
        while free and (cut := cutter.take()) is not None:
            assert len(cut.units) > 0
            one = FIXED + paces[cut.load]
            times, done = [(len(cut.units), FIXED + paces[cut.load] * len(cut.units))], len(cut.units)
            if cut.probe and done > 1:
                times, done = [(1, one)], 1 if one < cutting.QUICK else 2
                if one < cutting.QUICK:
                    done = min(len(cut.units), 1 + int((cutting.LONGEST - FIXED) / paces[cut.load]))
                    times.append((done - 1, FIXED + paces[cut.load] * (done - 1)))
            heapq.heappush(busy, (now + sum(s for _, s in times), cut.number, times, cut.units[done:]))
            found.append((cut.load, list(cut.units[:done])))
            free -= 1
        if not busy:
            return now, cutter, found
        now, number, times, left = heapq.heappop(busy)
        free += 1
        cutter.ended(number, times, left)


@pytest.mark.parametrize("workers", [1, 7, 64, 1000])
@pytest.mark.parametrize("fewer", [True, False])
@pytest.mark.parametrize("counts", [[3], [20_000], [700, 0, 5000, 1], [3000] * 40])
def test_every_unit_is_done_once(counts: list[int], fewer: bool, workers: int) -> None:
    loads = [Load(range(10, 10 + count), (str(k % 5), str(k % 7))) for k, count in enumerate(counts)]
    _, _, found = played(loads, workers, [0.0001 * (1 + k % 3) for k in range(len(counts))], fewer)
    for k, load in enumerate(loads):
        assert sorted(unit for number, units in found if number == k for unit in units) == list(load.units)


def test_a_large_job_keeps_its_workers_busy() -> None:
    work, workers = 500_000 * 0.00025, 64
    ended, cutter, found = played([Load(range(500_000))], workers, [0.00025])
    assert work / (workers * ended) > 0.85
    assert cutter.used == workers
    assert len(found) < 200


def test_pairs_of_other_paces_end_together() -> None:
    """190 pairs of 10,000 units on 1,024 workers, some twice as slow as others: even pieces of all would end one after another."""
    loads = [Load(range(10_000), (str(k % 20), str(k // 10))) for k in range(190)]
    paces = [0.0003 + 0.0003 * (k * 7 % 190) / 190 for k in range(190)]
    ended, cutter, found = played(loads, 1024, paces)
    assert (
        sum(paces) * 10_000 / (1024 * ended) > 0.75
    )  # pieces cost 0.05 s each of 0.84, and none can do with less than two
    assert cutter.used == 1024
    assert len(found) < 2.5 * 1024
    alone, _, pieces = played(loads, 64, paces)
    assert sum(paces) * 10_000 / (64 * alone) > 0.9
    assert len(pieces) < 800


def test_a_job_too_small_for_its_workers_takes_some_of_them() -> None:
    ended, cutter, found = played([Load(range(10_000))], 1024, [0.00025])
    assert 1 < cutter.used < 100
    assert len(found) <= cutter.used
    assert min(len(units) for _, units in found) >= cutting.FEWEST
    assert ended < 10_000 * 0.00025 / 5


@pytest.mark.parametrize("counts", [[199], [3], [10], [100] * 3, [7, 1]])
@pytest.mark.parametrize("workers", [2, 3, 4, 8])
def test_on_one_machine_nobody_is_idle_while_there_are_units(counts: list[int], workers: int) -> None:
    """Of what nobody knows all get some at once, and no piece is wider than an even share."""
    cutter = Cutter([Load(range(count)) for count in counts], workers, fewer=False)
    begun = [cutter.take() for _ in range(workers)]
    share = math.ceil(sum(counts) / workers)
    assert all(len(cut.units) <= share for cut in begun if cut)
    assert sum(cut is not None for cut in begun) == workers or cutter.take() is None


def test_on_one_machine_slow_units_are_done_by_all() -> None:
    """Ten seconds a unit, and a tenth of one, which is found out only by those who play the first pieces."""
    for pace, count in ((10.0, 19), (0.1, 199)):
        ended, _, _ = played([Load(range(count))], 2, [pace], fewer=False)
        assert ended < 0.6 * pace * count
    cutter = Cutter([Load(range(9))], 2, fewer=False)
    cuts = [cut for cut in (cutter.take(), cutter.take()) if cut]
    assert [len(cut.units) for cut in cuts] == [5, 4]
    cutter.ended(cuts[0].number, [(1, 1.0), (1, 1.0)], cuts[0].units[2:])
    assert [list(cut.units) for cut in (cutter.take(), cutter.take()) if cut] == [[2, 3, 4]]


def test_what_a_piece_costs_however_narrow_is_no_pace() -> None:
    """A second, and half a millisecond a unit: a piece of five seconds has as many units as take four."""
    cutter = Cutter([Load(range(1_000_000))], 8)
    cuts = [cut for cut in (cutter.take(), cutter.take()) if cut]
    cutter.ended(cuts[0].number, [(100, 1.05)], cuts[0].units[100:])
    cutter.ended(cuts[1].number, [(1000, 1.5)], cuts[1].units[1000:])
    cut = cutter.take()
    assert cut is not None
    assert len(cut.units) == 8_000


def test_what_is_left_of_a_large_job_is_no_small_one() -> None:
    """Six pairs for two workers keep both busy, however little the last pieces are."""
    _, cutter, _ = played([Load(range(1000), (str(k),)) for k in range(6)], 2, [0.00001] * 6)
    assert cutter.used == 2


def test_units_that_take_long_are_not_bound_together() -> None:
    """A minute a unit: at most a unit or two a piece, so that no worker has the last ten; probes give back what they had."""
    _, _, found = played([Load(range(300))], 20, [60.0])
    assert max(len(units) for _, units in found) <= 2


def test_of_what_nobody_knows_a_narrow_piece_of_each_is_begun_first_and_looked_at() -> None:
    cutter = Cutter([Load(range(10_000), ("a", "b")), Load(range(10_000), ("b", "c"))], 4)
    cuts = [cut for cut in (cutter.take(), cutter.take(), cutter.take()) if cut]
    assert [(cut.load, len(cut.units), cut.probe) for cut in cuts] == [(0, 625, True), (1, 625, True), (0, 2500, True)]
    cutter.ended(cuts[2].number, [(1, 0.01), (1, 0.01)], cuts[2].units[2:])
    assert [cut.load for cut in (cutter.take(),) if cut] == [1]  # until all workers have one
    known = cutter.take()
    assert known is not None
    assert (known.load, known.probe, known.units[0]) == (0, False, 627)
    assert cutter.take() is None  # four have something to do


def test_a_loads_pace_is_guessed_by_its_traits() -> None:
    loads = [Load(range(2), ("a", "b")), Load(range(2), ("c", "d")), Load(range(600), ("a", "c"))]
    cutter = Cutter(loads, 2)
    first, second = cutter.take(), cutter.take()
    assert first is not None
    assert second is not None
    cutter.ended(first.number, [(1, 0.001), (1, 0.001)])
    unknown = cutter.take()  # nothing is known of c
    assert unknown is not None
    assert (unknown.load, unknown.probe) == (2, True)
    cutter.ended(second.number, [(1, 5.0)], second.units[1:])
    cut = cutter.take()
    assert cut is not None
    assert not cut.probe
    assert len(cut.units) <= 2  # as slow as c's other load


def test_loads_of_which_others_tell_come_last_and_small_ones_are_no_thin_slices() -> None:
    """Of four players everybody is met in three of six pairs; a load of less than half an even share is a piece."""
    loads = [Load(range(600), (str(i), str(j))) for i in range(4) for j in range(i)]
    cutter = Cutter(loads, 2)
    cuts = [cut for cut in (cutter.take(), cutter.take()) if cut]
    assert [(cut.load, len(cut.units)) for cut in cuts] == [(0, 600), (1, 600)]
    for cut in cuts:
        cutter.ended(cut.number, [(600, 0.6)])
    last = cutter.take()
    assert last is not None
    assert (last.load, last.probe) == (3, True)  # the fourth player's first


def test_a_piece_ends_when_those_of_unknown_pace_do_too() -> None:
    """Three of four workers are busy with what nobody knows: a known load's piece is as long as they may take."""
    cutter = Cutter([Load(range(40_000), ("a",)), Load(range(40_000), ("b",))], 4, clock=lambda: 0.0)
    cuts = [cut for cut in (cutter.take() for _ in range(4)) if cut]
    assert [len(cut.units) for cut in cuts] == [2500, 2500, 10_000, 10_000]
    cutter.ended(cuts[0].number, [(2500, 0.025)])
    cut = cutter.take()
    assert cut is not None
    assert 0.00001 * len(cut.units) == pytest.approx(0.775 / 4 + cutting.SPARE, rel=0.01)


def test_as_many_workers_as_loads_have_something_to_do() -> None:
    """A piece each is handed out anyway, whoever does it."""
    _, cutter, _ = played([Load(range(5000), (str(k % 20), str(k // 10))) for k in range(190)], 256, [0.000006] * 190)
    assert cutter._few == 190
