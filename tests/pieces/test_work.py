"""Who does which piece, in which order and how often: by a queue alone, without processes or a cluster."""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from cardai import pieces
from cardai.core.errors import PluginError, UsageError
from cardai.pieces import Work
from cardai.pieces.cluster import _within, host_of
from cardai.pieces.doers import Doer
from cardai.pieces.parcels import ALONG, Parcel, at_hand, opened
from cardai.pieces.workers import Here, Lost


def named(shared: str, number: int) -> str:
    return f"{shared}{number}"


class Crowd:
    """Workers that finish in an order of their own; each piece named in ``deaths`` is lost so many times first."""

    others = False

    def __init__(self, count: int, newest_first: bool = False, deaths: dict[int, int] | None = None) -> None:
        self.count = count
        self.newest_first = newest_first
        self.deaths = deaths or {}
        self.begun: list[int] = []
        self.most = 0
        self.closed: list[bool] = []

    def begin(self, arguments: tuple[Any, ...]) -> int:
        self.begun.append(arguments[0])
        return len(self.begun) - 1

    def finished(self, under_way: Sequence[int]) -> int:
        self.most = max(self.most, len(under_way))
        return max(under_way) if self.newest_first else min(under_way)

    def result(self, handle: int) -> int:
        number = self.begun[handle]
        if self.deaths.get(number, 0):
            self.deaths[number] -= 1
            raise Lost("gone")
        return number

    def close(self, done: bool) -> None:
        self.closed.append(done)


def working(crowd: Crowd, count: int, close: bool = False) -> Work:
    work = Work(named, pieces=[(str(k), (k,)) for k in range(count)], close=close)
    work._workers = crowd
    return work


def test_pieces_are_done_in_order_and_added_ones_before_those_to_come() -> None:
    work = Work(named, "n", pieces=[(str(k), (k,)) for k in range(4)])
    done = []
    for name, result in work.run():
        done.append((name, result))
        if name == "0":
            work.add("first added", 10)
            work.add("second added", 11)
    names = [name for name, _ in done]
    assert names == ["0", "1", "first added", "second added", "2", "3"]
    assert dict(done)["second added"] == "n11"


def test_two_pieces_a_worker_are_under_way_and_no_more() -> None:
    crowd = Crowd(3)
    assert len(list(working(crowd, 20).run())) == 20
    assert crowd.most == 6
    assert crowd.closed == [True]


def test_with_close_no_piece_runs_far_ahead_of_the_oldest_under_way() -> None:
    """The first piece is never finished while others are: eight a worker are begun, it among them."""
    for close, begun in ((True, 16), (False, 30)):
        crowd = Crowd(2, newest_first=True)
        results = [result for _, result in working(crowd, 30, close).run()]
        assert sorted(results) == list(range(30))
        assert results.index(0) == begun - 1


def test_a_lost_piece_is_begun_five_times_and_its_place_in_the_queue_stays() -> None:
    crowd = Crowd(1, deaths={1: 4})
    assert sorted(result for _, result in working(crowd, 3).run()) == [0, 1, 2]
    assert crowd.begun.count(1) == 5
    deadly = Crowd(1, deaths={1: 5})
    with pytest.raises(PluginError, match="The worker of the piece '1' was killed 5 times: gone"):
        list(working(deadly, 3).run())
    assert deadly.closed == [False]


class Machines(Crowd):
    """Machines of which the first piece's never answers."""

    others = True

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.dropped: list[int] = []

    def finished(self, under_way: Sequence[int]) -> int | None:
        time.sleep(0.002)
        return min((handle for handle in under_way if handle), default=None)

    def drop(self, handle: int) -> None:
        self.dropped.append(handle)


def test_a_late_piece_is_done_twice_and_counts_once() -> None:
    machines = Machines(3)
    assert sorted(result for _, result in working(machines, 8).run()) == list(range(8))
    assert machines.begun.count(0) == 2
    assert machines.dropped == [0]
    assert machines.closed == [True]


def test_late_is_who_takes_twice_the_median_of_those_that_are_done() -> None:
    machines = Machines(3)
    work, standing = working(machines, 0), pieces._UnderWay(machines)
    standing.begin(pieces._Begun(0, ("a", (0,)), 1, time.monotonic() - 5.0))
    for took, late in (([1.0, 2.0, 90.0], True), ([1.0, 3.0, 3.0], False), ([], False)):
        assert (work._late(standing, took) is not None) == late


def test_a_piece_that_its_second_worker_loses_is_not_begun_again_while_the_first_has_it() -> None:
    machines = Machines(2)
    machines.deaths = {0: 1}
    results = working(machines, 4).run()
    assert sorted(next(results)[1] for _ in range(3)) == [1, 2, 3]
    assert next(results)[1] == 0  # the third time: the second was lost, and the first still says nothing
    assert machines.begun.count(0) == 3


def test_where_nothing_can_be_begun_now_the_queue_waits_for_a_result() -> None:
    done: list[int] = []

    def coming() -> Iterator[pieces.Piece | None]:
        yield "0", (0,)
        while not done:
            yield None
        yield "1", (1,)

    crowd = Crowd(2)
    work = working(crowd, 0)
    work.pieces = coming()
    for _, result in work.run():
        assert crowd.begun == list(range(result + 1))
        done.append(result)
    assert done == [0, 1]


def test_whoever_leaves_the_loop_drops_what_is_under_way() -> None:
    crowd = Crowd(2)
    results = working(crowd, 9).run()
    next(results)
    results.close()
    assert crowd.closed == [False]


def test_here_nothing_is_kept_of_what_is_done() -> None:
    here = Here([pieces.Parcel((named, "n"))])
    first, second = here.begin((1,)), here.begin((2,))
    assert here.finished([second, first]) == first
    assert here.result(first) == "n1"
    with pytest.raises(KeyError):
        here.result(first)
    here.close(True)
    with pytest.raises(KeyError):
        here.result(second)


def test_the_thread_that_connects_to_a_cluster_stays() -> None:
    """Ray's processes ask Linux to kill them when the thread that began them ends: --on ray ended without a word."""
    threads: list[threading.Thread] = []
    assert _within(5, lambda: threads.append(threading.current_thread()), stays=True)
    assert _within(5, lambda: threads.append(threading.current_thread()))
    threads[1].join(5)
    assert [thread.is_alive() for thread in threads] == [True, False]
    assert threads[0].daemon


@pytest.mark.parametrize(
    ("on", "place"),
    [
        ("ray://head:10001", ("head", 10001)),
        ("ray://[::1]:65535", ("::1", 65535)),
        ("ray://head:0", None),
        ("ray://head:65536", None),
        ("ray://head", None),
        ("ray://a b:1", None),
        ("http://head:1", None),
    ],
)
def test_a_clusters_place_is_a_host_and_a_port(on: str, place: tuple[str, int] | None) -> None:
    assert host_of(on) == place
    if place is None:
        with pytest.raises(UsageError, match="ray or ray://HOST:PORT"):
            pieces.check_place(on)


def test_what_a_clusters_worker_cannot_take_is_said_of_its_pieces() -> None:
    doer = Doer()
    doer.take(0, pickle.dumps((named, "n")))
    assert doer.do(1, (3,)) == ("n3", None)
    doer.take(0, b"cno_such_module\nname\n.")
    result, raised = doer.do(1, (3,))
    assert result is None
    assert "could not begin: ModuleNotFoundError: No module named 'no_such_module'" in str(raised)
    doer.take(0, pickle.dumps((named, "m")))
    doer.take(1, pickle.dumps("lasting"))
    assert doer.do(1, (3,)) == ("m3", None)
    doer.meet({}, "0.0.0", False)
    assert "has cardai" in str(doer.do(1, (3,))[1])


def test_a_worker_is_given_a_parcel_once_and_keeps_it() -> None:
    fetched: list[str] = []

    def bring(name: str) -> bytes:
        fetched.append(name)
        return pickle.dumps([name])

    first = opened("test", b"1", lambda: bring("a"))
    assert opened("test", b"1", lambda: bring("b")) is first
    assert opened("test", b"2", lambda: bring("c")) == ["c"]
    assert fetched == ["a", "c"]
    small, large = Parcel("x"), Parcel("x" * (ALONG + 1))
    assert isinstance(small.label[1], bytes)
    assert at_hand("test", large.label) == large.value
    if isinstance(large.label[1], str):  # a file of no name: nothing is left behind
        assert " (deleted)" in os.readlink(large.label[1])
