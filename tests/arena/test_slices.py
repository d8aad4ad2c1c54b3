"""Groups of which nobody knows what they take: one goes ahead, the others join where that was quick, else they are given back."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cardai.arena import lockstep, match, slices
from cardai.arena.lockstep import LockStep, Loop
from cardai.arena.slices import _probed
from cardai.pieces.cutting import FEW, LONGEST, QUICK


@pytest.fixture(scope="module")
def engine() -> LockStep:
    return match.prepare("kuhn", ("random", "random"), None, 3, duplicate=True)


def test_groups_that_join_later_play_as_they_would_alone(engine: LockStep, monkeypatch: pytest.MonkeyPatch) -> None:
    together = slices._joined(engine.game, list(engine.run(range(30))))
    for quick, played in ((60.0, 30), (0.0, 1)):
        monkeypatch.setattr(lockstep, "_QUICK", quick)
        loop = Loop(engine, range(1), range(1, 30))
        part = slices._joined(engine.game, list(loop.run()))
        assert len(loop.later) == 30 - played
        assert part.hands.tobytes() == together.hands[: len(part.hands)].tobytes()
        assert part.games.tolist() == list(range(2 * played))


@pytest.mark.parametrize("on", ["", "ray"])
def test_processes_get_a_share_each_and_a_cluster_may_leave_workers_out(
    on: str, engine: LockStep, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(loads: object, workers: int, fewer: bool = True) -> None:
        raise LookupError(f"{workers} workers, fewer: {fewer}")

    monkeypatch.setattr(slices, "Cutter", cut)
    monkeypatch.setattr(slices.pieces, "Work", lambda *_, **options: SimpleNamespace(workers=3))
    with pytest.raises(LookupError, match=f"3 workers, fewer: {on == 'ray'}"):
        next(slices._elsewhere([engine], [range(9)], 3, on, slices._as_it_is))


def test_a_narrow_piece_is_measured_twice_and_a_wide_one_once(
    engine: LockStep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lockstep, "_QUICK", 60.0)
    for count, widths in ((5, [5]), (100, [FEW, 100 - FEW]), (600, [600])):
        parts, left, times = _probed(engine, range(count))
        assert [many for many, _ in times] == widths
        assert not len(left)
        assert sorted(int(game) for part in parts for game in part.games) == list(range(2 * count))


def test_groups_that_joined_go_on_where_one_of_them_is_quick(engine: LockStep, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first few take longer together than one may, and less than so many may."""
    monkeypatch.setattr(lockstep, "_QUICK", 60.0)
    ticks = iter(range(100))
    monkeypatch.setattr(slices.time, "perf_counter", lambda: 1.1 * QUICK * next(ticks))
    _, left, times = _probed(engine, range(100))
    assert [many for many, _ in times] == [FEW, 100 - FEW]
    assert QUICK < times[0][1] < FEW * QUICK
    assert not len(left)


def test_slow_groups_are_given_back_after_two(engine: LockStep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "_QUICK", 0.0)
    ticks = iter(range(100))
    monkeypatch.setattr(slices.time, "perf_counter", lambda: 2 * QUICK * next(ticks))
    parts, left, times = _probed(engine, range(7, 20))
    assert list(left) == list(range(9, 20))
    assert [many for many, _ in times] == [1]
    assert sorted({int(game) // 2 for part in parts for game in part.games}) == [7, 8]


def test_what_takes_too_long_is_given_back_at_once(engine: LockStep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "_QUICK", 60.0)
    ticks = iter(range(100))
    monkeypatch.setattr(slices.time, "perf_counter", lambda: 2 * LONGEST * next(ticks))
    parts, left, times = _probed(engine, range(9000))
    played = {int(game) // 2 for part in parts for game in part.games}
    assert [many for many, _ in times] == [len(played)]
    assert len(left) == 9000 - len(played) > 0
