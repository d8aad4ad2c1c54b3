"""What work costs in pieces, and what that makes of clusters of 8, 64 and 1,024 workers.

    python benchmarks/cluster.py [--ray] [--check] [--costs FILE]

Prints, measured on one core:

- the width curve: games a CPU second of a piece of so many groups (a duplicate pair each);
- what a piece costs the process that hands it out: to begin it, to fetch its result, by the byte, to add it up. With ``--ray`` Ray on this
  machine hands it out, else a process of this machine;
- with ``--ray`` too, what a foreman costs that process: where workers are many, foremen hand out pieces (``cardai.pieces.link``), an
  exchange with one costs so much, and a piece in it so much more; the foreman pays for the piece what this process did before;
- from these, how five jobs go on clusters: the same queue (``cardai.pieces.cutting``) is played through with those costs, for workers
  that have loaded what they need. Efficiency is the work of all games in the widest pieces, divided by workers times the seconds
  until the last result is there. No network is in it: bytes travel at once. What begins before (a connection, workers that load and
  compile) is not in it, and stands beside it as it was measured here.

``--costs`` keeps what was measured in a file, or predicts from one that is there: another queue over the same costs.
``--check`` then plays a job with as many worker processes as there are cores and prints what was predicted for it.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import os
import pickle
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from cardai import pieces
from cardai.arena import match, slices
from cardai.arena.lockstep import LockStep
from cardai.arena.pairing import Pairing
from cardai.arena.played import Played
from cardai.arena.tournament import _row_for_a_group
from cardai.pieces import cluster
from cardai.pieces.cutting import FEW, LEAST, QUICK, Cut, Cutter, Load
from cardai.pieces.link import AHEAD, DIRECT, LINGER, Foreman, widths
from cardai.pieces.parcels import Parcel

WIDTHS = (1, 8, 64, 128, 256, 512, 1024, 2048, 4096)
WORKERS = (8, 64, 1024)
ROUNDS = 7
PAIRS = (("gin", "simple", "simple"), ("gin", "heisenbot", "greedy"), ("leduc", "random", "always_call"),
         ("holdem_limit", "random", "always_call"))  # fmt: skip


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Costs(NamedTuple):
    """What groups of a pair cost: seconds at :data:`WIDTHS`, and a group the seconds to add up hands, the bytes of hands and of rows.

    ``hands`` is how many a game has.
    """

    seconds: tuple[float, ...]
    hands_added: float
    hands_bytes: float
    rows_bytes: float
    hands: float = 1.0

    def of(self, width: int) -> float:
        """Return the CPU seconds of a piece; wider ones than were measured cost a group what the widest does."""
        if width > WIDTHS[-1]:
            return self.seconds[-1] * width / WIDTHS[-1]
        return float(np.interp(width, WIDTHS, self.seconds))

    @property
    def group(self) -> float:
        """Seconds a group, as in the widest pieces."""
        return self.seconds[-1] / WIDTHS[-1]


def measured(pairs: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str, str], Costs]:
    """Measure pairs and print their width curves.

    All widths of all pairs take turns. A width's seconds are the median over the rounds of what they are to the widest's just then,
    times the best of the widest: other work must not look like a curve.
    """
    engines = {pair: match.prepare(pair[0], pair[1:], None, 1, duplicate=True) for pair in pairs}
    took: dict[tuple[str, str, str], list[list[float]]] = {pair: [] for pair in pairs}
    part, at = dict[tuple[str, str, str], Any](), 2
    for engine in engines.values():
        slices._slice(([engine], slices._as_it_is), 0, range(2), False)
    for _ in range(ROUNDS):
        for pair, engine in engines.items():
            took[pair].append([])
            for first in itertools.accumulate(WIDTHS[:-1], initial=at):
                groups = range(first, first + WIDTHS[len(took[pair][-1])])
                began = time.process_time()
                part[pair] = slices._slice(([engine], slices._as_it_is), 0, groups, False)[3]
                took[pair][-1].append(time.process_time() - began)
        at += sum(WIDTHS)
    costs = {}
    for pair, engine in engines.items():
        seconds = np.array(took[pair])
        found = np.median(seconds / seconds[:, -1:], axis=0) * seconds[:, -1].min()
        say(f"{pair[0]:<14}{' - '.join(pair[1:]):<24}" + "".join(f"{2 * w / s:>9,.0f}" for w, s in zip(WIDTHS, found, strict=True)))  # fmt: skip
        hands = len(part[pair].hands) / len(part[pair].games)
        costs[pair] = Costs(tuple(np.maximum.accumulate(found)), *added(engine, part[pair], WIDTHS[-1]), hands)
    return costs


def added(engine: LockStep, part: Any, groups: int) -> tuple[float, float, float]:
    """Return the seconds a group to add up a match's hands, the best of some, and the bytes a group of hands and of rows."""
    numbers, best = sorted({int(n) // engine.group_size for n in part.games}), np.inf
    for _ in range(5):
        played = Played(engine.game, engine.names, engine.group_size, numbers)
        began = time.process_time()
        played.add(part)
        best = min(best, time.process_time() - began)
    hands, rows = (len(pickle.dumps(made)) for made in (part, _row_for_a_group(engine, part)))
    return best / groups, hands / groups, rows / groups


def nothing(shared: Any, number: int) -> int:
    """Do nothing, as a piece."""
    return number


def piece_cost(on: str, count: int) -> tuple[float, float]:
    """Return the CPU seconds that a piece costs this process, and the seconds until the first was done."""
    with pieces.one_connection():
        began = time.monotonic()
        list(pieces.Work(nothing, None, on=on, jobs=2, pieces=[("first", (0,))]).run())
        first = time.monotonic() - began
        work = pieces.Work(nothing, None, on=on, jobs=2, pieces=((str(k), (k,)) for k in range(count)))
        spent = time.process_time()
        list(work.run())
        return (time.process_time() - spent) / count, first


def same(shared: Any, number: int) -> Any:
    """Return what is shared, as a piece."""
    return shared


def byte_cost(on: str, piece: float, count: int = 60) -> float:
    """Return the CPU seconds that a byte of a result costs this process, beside what a piece costs: hands of gin, 3 MB a piece."""
    engine = match.prepare(PAIRS[0][0], PAIRS[0][1:], None, 1, duplicate=True)
    part = slices._slice(([engine], slices._as_it_is), 0, range(2048), False)[3]
    with pieces.one_connection():
        spent = 0.0
        for number in (4, count):  # the first have workers begin
            work = pieces.Work(same, part, on=on, jobs=2, pieces=[(str(k), (k,)) for k in range(number)])
            spent = time.process_time()
            for _ in work.run():
                pass
            spent = time.process_time() - spent
    return max(0.0, spent / count - piece) / len(pickle.dumps(part))


class Instant:
    """Workers that have done a piece as soon as somebody asks."""

    others = True

    def __init__(self, count: int, made: Any) -> None:
        self.count, self._made, self._begun, self.clock = count, made, deque[tuple[int, Any]](), Clock()
        self._number = 0
        self.first: tuple[int, float] | None = None
        """How many pieces were begun before the first result, and the CPU seconds of this process until then."""

    def begin(self, arguments: Any) -> int:
        """Begin a piece."""
        self._number += 1
        self._begun.append((self._number, arguments))
        return self._number

    def finished(self, under_way: Any) -> int:
        """Return the oldest."""
        self.first = self.first or (self._number, time.process_time())
        self.clock.now += 0.0005
        return self._begun[0][0]

    def result(self, handle: int) -> Any:
        """Return what comes of it: 0.2 ms a group."""
        _, (load, units, _) = self._begun.popleft()
        return load, [], [(len(units), 0.0002 * len(units))], self._made[: len(units)]

    def drop(self, handle: int) -> None:
        """Nothing is done twice."""

    def close(self, done: bool) -> None:
        """Nobody has to go."""


def queue_cost(workers: int = 1024) -> tuple[float, float]:
    """Return the CPU seconds that a piece costs the process that has a queue of 190 pairs: to cut it; to keep what comes of it."""
    players, made = [Pairing("a", "b") for _ in range(190)], np.zeros(1 << 14, Pairing("a", "b").rows.dtype)
    found = []
    for _ in range(7):
        work, cuts = pieces.Work(nothing), dict[str, int]()
        work._workers = crowd = Instant(workers, made)
        engines = [SimpleNamespace(names=names) for names in traits(190)]
        cutter = Cutter([Load(range(10_000), names) for names in traits(190)], workers, clock=crowd.clock.read)
        work.pieces = slices._pieces(engines, cutter, cuts)  # type: ignore[arg-type]
        began, count = time.process_time(), 0
        for name, (k, left, times, rows) in work.run():
            cutter.ended(cuts.pop(name), times, left)
            players[k].rows.append(rows)
            count += 1
        assert crowd.first is not None
        cut = (crowd.first[1] - began) / crowd.first[0]
        found.append((cut, (time.process_time() - began) / count - cut))
    return min(found, key=sum)


class Handing(NamedTuple):
    """CPU seconds that handing out takes: a piece and a byte of its result, whoever does it; an exchange with a foreman, a piece in it.

    ``cut`` and ``kept`` are what a piece costs the process that has the queue, whoever hands it out, before and after it is done.
    """

    piece: float
    byte: float
    exchange: float = 0.0
    within: float = 0.0
    cut: float = 0.0
    kept: float = 0.0


def exchange_cost(times: int = 20) -> tuple[float, float]:
    """Return the CPU seconds that an exchange with a foreman costs this process, and a piece in it, by least squares."""
    import ray

    with pieces.one_connection():
        list(pieces.Work(nothing, None, on="ray", pieces=[("first", (0,))]).run())
        # Its one worker waits for a CPU until the others are gone.
        foreman: Any = ray.remote(num_cpus=0)(Foreman).remote(1)
        for kept in list(cluster._kept.values()):
            for hand in kept.hands:
                ray.kill(hand.actor)
        foreman.meet.remote({}, version("cardai"), False)
        foreman.take.remote(0, Parcel((nothing, None)).packed)
        rows, spent = [], []
        for count in [1, 2, 16, 32, 64] * times:
            began, exchanges, back = time.process_time(), 0, 0
            given = [(k, (k,)) for k in range(count)]
            while back < count:
                back += len(ray.get(foreman.exchange.remote(1, given)))
                given, exchanges = [], exchanges + 1
            rows.append((exchanges, count))
            spent.append(time.process_time() - began)
        rows, spent = rows[5:], spent[5:]  # the first have the worker begin
        found = np.linalg.lstsq(np.array(rows, float), np.array(spent), rcond=None)[0]
        if found[1] < 0:  # other work hides what a piece costs
            found = [sum(spent) / sum(exchanges for exchanges, _ in rows), 0.0]
    return float(found[0]), float(found[1])


class Job(NamedTuple):
    """A job: what it is called, its pairs' costs, groups a pair, and whether hands or rows come back."""

    name: str
    costs: list[Costs]
    groups: int
    tournament: bool


def predicted(job: Job, workers: int, cost: Handing) -> tuple[float, float, int, float]:
    """Return (seconds until the last result, efficiency, workers that have something to do, their CPU seconds) of a job.

    Who hands out takes results and begins pieces one after another. Where there are foremen, pieces are theirs to begin and to
    take, each foreman's own, and this process pays for exchanges; a foreman tells what it has ``LINGER`` after the first result.
    """
    names = traits(len(job.costs))
    loads = [Load(range(job.groups), names[k]) for k in range(len(job.costs))]
    clock = Clock()
    cutter = Cutter(loads, workers, clock=clock.read)
    foremen = widths(workers) if cost.exchange else [0] * workers
    seconds, spent = (
        _through(job, cutter, clock, foremen, cost) if foremen[0] else _directly(job, cutter, clock, workers, cost)
    )
    work = sum(each.group for each in job.costs) * job.groups
    return seconds, work / (workers * seconds), cutter.used, spent


def _taken(job: Job, cutter: Cutter, piece: Done) -> float:
    """Tell the cutter of a piece that is done, and return what adding it up costs."""
    cutter.ended(piece.number, piece.times, piece.left)
    return 0.0 if job.tournament else job.costs[piece.load].hands_added * piece.done


def _carried(job: Job, piece: Done, cost: Handing) -> float:
    """Return what it costs to take the bytes of a piece's result."""
    costs = job.costs[piece.load]
    return (costs.rows_bytes if job.tournament else costs.hands_bytes) * piece.done * cost.byte


class Clock:
    """The seconds since a job began, in a world that is played through."""

    now = 0.0

    def read(self) -> float:
        """Return them."""
        return self.now


class Slots:
    """Workers who have up to ``AHEAD`` pieces each and do them one after another; a further one goes to who has fewest."""

    def __init__(self, workers: int) -> None:
        self._pieces, self._free = [0] * workers, [0.0] * workers
        self._queue = [(0, k) for k in range(workers)]
        self.room = AHEAD * workers
        """How many more pieces they can be given."""

    def give(self, now: float, took: float) -> tuple[float, int]:
        """Return when a piece that is given now is done, and by whom."""
        while True:
            pieces, k = heapq.heappop(self._queue)
            if pieces == self._pieces[k]:
                break
        self.room -= 1
        self._pieces[k] += 1
        if self._pieces[k] < AHEAD:
            heapq.heappush(self._queue, (self._pieces[k], k))
        self._free[k] = max(self._free[k], now) + took
        return self._free[k], k

    def done(self, k: int) -> None:
        """Take note that a worker has done a piece."""
        self.room += 1
        self._pieces[k] -= 1
        heapq.heappush(self._queue, (self._pieces[k], k))


def _directly(job: Job, cutter: Cutter, clock: Clock, workers: int, cost: Handing) -> tuple[float, float]:
    """Return the seconds of a job whose pieces this process hands out, and the CPU seconds of its workers."""
    driver = spent = 0.0
    slots, number = Slots(workers), 0
    busy: list[tuple[float, int, int, Done]] = []
    while True:
        clock.now = driver
        while slots.room and (cut := cutter.take()) is not None:
            driver, done = driver + cost.piece / 2 + cost.cut, Done.of(job, cut)
            number, spent = number + 1, spent + done.took
            end, k = slots.give(driver, done.took)
            heapq.heappush(busy, (end, number, k, done))
        if not busy:
            return driver, spent
        now, _, k, done = heapq.heappop(busy)
        slots.done(k)
        driver = max(driver, now) + cost.piece / 2 + cost.kept + _carried(job, done, cost) + _taken(job, cutter, done)


def _through(job: Job, cutter: Cutter, clock: Clock, foremen: list[int], cost: Handing) -> tuple[float, float]:
    """Return the same of a job whose pieces foremen hand out. A foreman takes bytes and gives them on."""
    driver = spent = 0.0
    clocks, asked, slots, told = (
        [0.0] * len(foremen),
        [0.0] * len(foremen),
        [Slots(width) for width in foremen],
        [list[Done]() for _ in foremen],
    )
    events: list[tuple[float, int, int, int, Done | None]] = []
    number, at = 0, -1

    def give(k: int, batch: list[Done]) -> None:
        nonlocal driver, number, spent
        driver += cost.exchange / 2 + cost.within / 2 * len(batch)
        asked[k] = driver
        clocks[k] = max(clocks[k], driver) if batch else clocks[k]
        for done in batch:
            clocks[k] += cost.piece / 2
            number, spent = number + 1, spent + done.took
            end, who = slots[k].give(clocks[k], done.took)
            heapq.heappush(events, (end, number, k, who, done))

    while True:
        clock.now = driver
        batches = [list[Done]() for _ in foremen]
        rooms = [each.room for each in slots]
        heard = [k for k, width in enumerate(foremen) if rooms[k] and (rooms[k] == AHEAD * width or k == at)]
        idle, whole = deque(k for k in heard if rooms[k] == AHEAD * foremen[k]), list[Done]()
        while heard and (cut := cutter.take()) is not None:
            driver += cost.cut
            whole.append(Done.of(job, cut))
            if idle and len(whole) == foremen[idle[0]]:
                k = idle.popleft()
                heard.remove(k)
                give(k, whole)
                whole = []
        for done in whole:
            k = max(heard, key=lambda k: rooms[k] / foremen[k])
            batches[k].append(done)
            rooms[k] -= 1
        for k, batch in enumerate(batches):
            if batch or (k == at and k in heard):
                give(k, batch)
        while True:  # to the next that a foreman tells
            if not events:
                return driver, spent
            now, _, at, who, ended = heapq.heappop(events)
            if ended is None and told[at]:
                break
            if ended is None:  # it has told all that it had
                continue
            number += 1
            if not told[at]:
                heapq.heappush(events, (max(now, asked[at]) + LINGER, number, at, -1, None))
            told[at].append(ended)
            slots[at].done(who)
            clocks[at] = max(clocks[at], now) + cost.piece / 2 + 2 * _carried(job, ended, cost)
            if slots[at].room == AHEAD * foremen[at]:
                break
        driver = max(driver, now, clocks[at]) + cost.exchange / 2
        for ended in told[at]:
            driver += cost.within / 2 + cost.kept + _carried(job, ended, cost) + _taken(job, cutter, ended)
        told[at] = []


class Done(NamedTuple):
    """A piece: its number and load, its steps, (units, seconds), how many units are done, and those that are given back."""

    number: int
    load: int
    times: list[tuple[int, float]]
    done: int
    left: Sequence[int]

    @property
    def took(self) -> float:
        """The CPU seconds of its worker."""
        return sum(seconds for _, seconds in self.times)

    @classmethod
    def of(cls, job: Job, cut: Cut) -> Done:
        """Return what comes of a piece."""
        times, done = spent_on(job.costs[cut.load], cut)
        return cls(cut.number, cut.load, times, done, cut.units[done:])


def spent_on(cost: Costs, cut: Cut) -> tuple[list[tuple[int, float]], int]:
    """Return what a worker spends on steps of a piece, (units, seconds), and how many units it does.

    Of what nobody knows a hand is played alone first.
    """
    count = len(cut.units)
    if not cut.probe or count < 2:
        return [(count, cost.of(count))], count
    alone = cost.of(1) / cost.hands
    if cost.of(1) > QUICK:
        return [(1, cost.of(1))], 2
    if not 4 * FEW <= count < LEAST:
        return [(count, alone + cost.of(count))], count
    return [
        (FEW, alone + cost.of(FEW)),
        (count - FEW, cost.of(count - FEW)),
    ], count  # none here takes as long as is given back


def traits(pairs: int) -> Sequence[tuple[str, ...]]:
    """Return who meets whom in so many pairs."""
    players = 2
    while players * (players - 1) // 2 < pairs:
        players += 1
    return [(str(i), str(j)) for i in range(players) for j in range(i)][:pairs]


def jobs_of(costs: dict[tuple[str, str, str], Costs]) -> list[Job]:
    """Return five jobs that people have."""
    gin, mixed, leduc, limit = (costs[pair] for pair in PAIRS)
    return [
        Job("1,000,000 games of gin", [gin], 500_000, False),
        Job("20,000 games of gin", [gin], 10_000, False),
        Job("20 gin players, 20,000 games a pair", [(gin, mixed)[k % 2] for k in range(190)], 10_000, True),
        Job("8 Leduc players, 100,000 games a pair", [leduc] * 28, 50_000, True),
        Job("20 limit players, 200,000 games a pair", [limit] * 190, 100_000, True),
    ]


def check(costs: Costs, games: int, cost: Handing) -> None:
    """Play a match of gin with a process a core, and print what it took beside what was predicted."""
    workers = os.cpu_count() or 1
    engine = match.prepare(PAIRS[0][0], PAIRS[0][1:], None, 5, duplicate=True)
    for count in (1000, games // 2):  # the first has the workers load and compile
        began, before, own = time.monotonic(), children(), time.process_time()
        for part in slices.play_slices(engine, range(count), workers, ""):
            Played(engine.game, engine.names, 2, range(count)).add(part)
        took, used, own = time.monotonic() - began, children() - before, time.process_time() - own
    seconds, efficiency, _, spent = predicted(Job("", [costs], games // 2, False), workers, cost)
    say(f"\n{games:,} games of gin with {workers} processes: they spent {used:.1f} CPU seconds (predicted {spent:.1f}), this one {own:.1f}; "
        f"{took:.1f} s at a load of {os.getloadavg()[0]:.0f} (predicted {seconds:.1f} on idle cores, an efficiency of {efficiency:.0%})")  # fmt: skip


def children() -> float:
    """Return the CPU seconds that the living processes that this one began have spent (Linux)."""
    spent = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = file.read_text().rpartition(")")[2].split()
            spent += (int(words[11]) + int(words[12])) * (int(words[1]) == os.getpid())
    return spent / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the curve, the costs, the predictions, and a check of one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--ray", action="store_true", help="pieces are handed out by Ray on this machine")
    parser.add_argument("--check", action="store_true", help="play a job with as many processes as cores")
    parser.add_argument("--costs", type=Path, help="a JSON file of what was measured: kept there, or taken from it")
    parser.add_argument("--games", type=int, default=100_000, help="games of the check")
    options = parser.parse_args()
    kept = options.costs is not None and options.costs.is_file()
    costs, handing = read(options.costs) if kept else all_measured(options.ray)
    if options.costs is not None and not kept:
        pairs = [[pair, cost._asdict()] for pair, cost in costs.items()]
        options.costs.write_text(json.dumps({"pairs": pairs, "handing": handing._asdict()}))
    say(f"\n{'job':<42}" + "".join(f"{f'{workers:,} workers':>26}" for workers in WORKERS))
    for job in jobs_of(costs):
        told = [predicted(job, workers, handing) for workers in WORKERS]
        say(f"{job.name:<42}" + "".join(f"{f'{seconds:,.1f} s {efficiency:>4.0%} ({used:,} used)':>26}" for seconds, efficiency, used, _ in told))  # fmt: skip
    job, most = jobs_of(costs)[2], WORKERS[-1]
    seconds, efficiency, _, spent = predicted(job, most, handing)
    busy = spent / (most * seconds)
    say(
        f"{job.name} on {most:,} workers: they play {busy:.0%} of the time, {busy - efficiency:.0%} for pieces being narrower"
    )
    if options.check:
        check(costs[PAIRS[0]], options.games, handing)


def read(file: Path) -> tuple[dict[tuple[str, str, str], Costs], Handing]:
    """Return the costs that a file holds. Raises SystemExit for a file that this benchmark did not write."""
    try:
        kept = json.loads(file.read_text())
        costs = {tuple(pair): Costs(**cost | {"seconds": tuple(cost["seconds"])}) for pair, cost in kept["pairs"]}
        handing = Handing(**kept["handing"])
        return {pair: costs[pair] for pair in PAIRS}, handing if handing.cut else handing._replace(
            **dict(zip(("cut", "kept"), queue_cost(), strict=True))
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SystemExit(
            f"--costs takes a file that this benchmark wrote. {file} is none: {error!r}. Name a new one."
        ) from None


def all_measured(ray: bool) -> tuple[dict[tuple[str, str, str], Costs], Handing]:
    """Measure and print what pairs and pieces cost."""
    say(f"{'games a CPU s':<14}{'groups a piece':<24}" + "".join(f"{width:>9,}" for width in WIDTHS))
    costs = measured(PAIRS)
    piece, first = piece_cost("ray" if ray else "", 2000)
    byte = byte_cost("ray" if ray else "", piece)
    where, gin = "Ray" if ray else "processes", costs[PAIRS[0]]
    say(f"\na piece costs {1e6 * piece:,.0f} CPU us by {where}, a megabyte of its result {1e12 * byte:,.0f}; the first was done after {first:.1f} s; "
        f"a game of gin costs {1e6 * gin.hands_added / 2:.2f} us to add to a match, and is {gin.hands_bytes / 2:,.0f} bytes there, {gin.rows_bytes / 2:,.0f} in a tournament")  # fmt: skip
    handing = Handing(piece, byte, *(exchange_cost() if ray else (0.0, 0.0)), *queue_cost())
    say(
        f"the queue of a tournament on 1,024 workers costs {1e6 * handing.cut:,.0f} us to cut a piece, {1e6 * handing.kept:,.0f} to keep what comes of it"
    )
    if ray:
        say(f"an exchange with a foreman costs {1e6 * handing.exchange:,.0f} CPU us, a piece in it {1e6 * handing.within:,.0f}; "
            f"foremen where there are more than {DIRECT} workers")  # fmt: skip
    return costs, handing


if __name__ == "__main__":
    main()
