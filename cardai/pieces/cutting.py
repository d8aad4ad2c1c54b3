"""How wide pieces are: several loads of many units (the groups of each match of a tournament) are cut for one queue.

A piece has costs of its own, so that a narrow one is dear, and a wide one keeps others waiting at the end. So:

- What nobody knows is begun by all, loads first of which no other tells: half an even share each, of a load that is more than that a
  quarter of it first, which soon tells how long its units take; where even shares are narrow already, all of it. Workers look at the
  clock and give back what would take too long.
- What is known is cut into pieces of a third of the seconds that are left to each worker (guided self-scheduling: Polychronopoulos
  and Kuck 1987), at most some seconds, as long as that is half a second of work and 512 units.
- At the end whoever is free gets a piece that ends when all the others do, a moment later rather than sooner; slow loads come first,
  and quick ones fill the gaps.

Where the work is too small for a cluster, fewer workers do it and it ends sooner. Processes of this machine are there anyway, and each
gets its share, however small: units may be slow.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

LEAST = 512
"""Units of a piece, at least, where more is to come and they take no longer than :data:`LONGEST`."""
SHORT, LONG, LONGEST = 0.5, 5.0, 10.0
"""Seconds: what a piece is to take at least where more is to come; at most; and what the least units may take."""
BRIEF = 0.03
"""Seconds that the last pieces are to take at least: a worker waits about as long for its next one."""
PIECE, OF_MANY = 0.001, 0.0002
"""Seconds that a piece costs the process that hands it out, and where workers are so many that foremen do it
(``benchmarks/cluster.py`` measures it)."""
MANY = 64
"""Workers that have no foremen."""
SPARE = 0.01
"""Seconds that a piece at the end may take beyond the others': what would be left over would cost one more, and a wait for it."""
FEWEST, MOST = 128, 1 << 14
"""Units of a piece of a load that nobody knows."""
EVEN = 3
"""How many times the least units an even share must be for some of it to be held back."""
FIRST = 0.5
"""The part of an even share that such a piece is: enough is left to make up for what loads turn out to take."""
FEW = 16
"""Units by which a narrow piece of such a load is measured first: what a piece costs however narrow shows in them."""
QUICK = 0.25
"""Seconds that one unit of such a load may take: where it takes longer, its worker gives back the rest."""


class Load(NamedTuple):
    """Units of one kind, in order, and what says how long they take: loads that share a trait tell of each other."""

    units: Sequence[int]
    traits: tuple[str, ...] = ()


class Cut(NamedTuple):
    """A piece: its number, its load, its units, and whether its worker is to find out what they take."""

    number: int
    load: int
    units: Sequence[int]
    probe: bool


def _known_by_others(loads: Sequence[Load]) -> set[int]:
    """Return the loads of which those before them tell, since they share their traits."""
    told, found = set[str](), set[int]()
    for k, load in enumerate(loads):
        if load.traits and told.issuperset(load.traits):
            found.add(k)
        elif len(load.units):
            told.update(load.traits)
    return found


class _Standing:
    """How a load stands."""

    def __init__(self, units: int) -> None:
        self.rest = units
        """Units that are to be cut."""
        self.pace: float | None = None
        """Seconds a unit, as far as they were measured."""
        self.narrow: tuple[int, float] | None = None
        self.wide = (0, 0.0)
        """The least and the most units that were measured, and their seconds."""
        self.pieces, self.begun, self.units = 0, 0.0, 0
        """Its pieces under way, the sum of the times at which they were begun, and their units."""


class Cutter:
    """Cuts ``loads`` for ``workers``: call :meth:`take` where a worker is free, :meth:`ended` when its piece is done.

    The worker of a probe lets one unit go ahead for a moment: the others join where that was quick. Where they do not, it does the
    unit, and one more where that took longer than :data:`QUICK`: what is compiled and loaded first is no measure. Where units take as
    long, it gives back the rest. What is not done after :data:`LONGEST` is given back too.
    """

    def __init__(
        self, loads: Sequence[Load], workers: int, fewer: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``fewer``: small work is left to some of the workers; else each gets its share. ``clock`` returns seconds."""
        self._loads, self._workers, self._fewer, self._clock = loads, workers, fewer, clock
        self._standing = [_Standing(len(load.units)) for load in loads]
        self._at = [0] * len(loads)
        self._back: dict[int, Sequence[int]] = {}
        self._open = {k: None for k, load in enumerate(loads) if len(load.units)}
        self._unknown = deque(sorted(self._open, key=_known_by_others(loads).__contains__))  # they come last
        self._begun: set[int] = set()
        self._traits: dict[str, float] = {}
        self._out: dict[int, tuple[int, int, float]] = {}
        self._number, self._few, self._current = 0, 0, -1
        # of all loads together: pieces under way and the sum of the times at which they were begun; of those that nobody knows units that
        # are left and under way; of the others how many they are, the sum of their paces, the seconds that are left and under way
        self._units = sum(one.rest for one in self._standing)
        self._known, self._paces, self._left, self._pieces, self._times, self._busy = 0, 0.0, 0.0, 0, 0.0, 0.0
        self._away = 0
        self._fixed = 0.0
        """Seconds that a piece takes beside its units'."""
        share = self._units / workers
        least = FEWEST if fewer else max(1.0, min(FEWEST, share))
        several = len(self._open) > 1
        self._even = not several or share < EVEN * LEAST
        part = 1 / min(3, max(1, int(share / 4 / LEAST))) if self._even else FIRST
        self._first = max(least, min(MOST, part * share))
        self._narrow = self._first if self._even else max(least, self._first / 4)
        # results of one load are large, and here they may be written down: nobody waits for a next piece until that is done
        self._ahead = 1 if several and fewer else 2
        self.used = min(workers, sum(self._even_pieces(k, self._first) for k in self._open))
        """How many workers have something to do; fewer than there are where more would not end it sooner."""

    def take(self) -> Cut | None:
        """Return the next piece; None where nothing is to be begun before another piece has ended, or nothing is left."""
        if len(self._out) >= self._ahead * self._workers:
            return None
        while self._unknown and (self._unknown[0] not in self._open or self._pace(self._unknown[0]) is not None):
            self._unknown.popleft()
        if self._unknown and (self._number < self._ahead * self._workers or self._unknown[0] not in self._begun):
            load = self._unknown[0]
            self._unknown.rotate(-1)
            width = self._first if load in self._begun or self._rest(load) <= self._first else self._narrow
            if self._even:
                width = self._rest(load) / self._even_pieces(load, width)
            self._begun.add(load)
            return self._cut(load, math.ceil(width), probe=True)
        if self._current not in self._open:
            paces = {load: pace for load in self._open if (pace := self._pace(load)) is not None}
            self._current = max(paces, key=paces.__getitem__, default=-1)
        if self._current >= 0:
            width = self._width(self._current, self._pace(self._current) or 0.0)
            return self._cut(self._current, width) if width else None
        if self._out or not self._open:
            return None
        return self._cut(next(iter(self._open)), math.ceil(self._first), probe=True)

    def _even_pieces(self, load: int, width: float) -> int:
        """Return how many even pieces of a load are about so wide: not narrower, or where each worker gets some not wider."""
        return max(1, int(self._rest(load) / width + (0.01 if self._fewer else 0.99)))

    def _width(self, load: int, pace: float) -> int:
        """Return how many units of a load the next piece has, 0: none is to be begun now; ``pace``: seconds a unit."""
        now, fixed = self._clock(), self._fixed
        mean = self._paces / self._known if self._known else pace
        left = self._left + self._units * mean
        if not self._few:
            self._few = self._soonest(left) if self._fewer else self._workers
            self.used = max(self.used, self._few)
        if len(self._out) >= self._ahead * self._few:
            return 0
        busy = max(0.0, self._times + self._busy + self._away * mean + (fixed - now) * self._pieces)
        seconds = (left + busy) / self._few + fixed  # until all end, if they end together
        least = min(max(LEAST * pace, SHORT), max(pace, LONGEST))
        if seconds >= 3 * least:
            seconds = max(least, min(seconds / 3, LONG))
        else:
            parts = max(1, int(seconds / least))
            seconds = seconds / parts if parts > 1 else seconds + SPARE
        brief = max(2 * fixed, BRIEF) + pace
        width, rest = round((max(seconds, brief) - fixed) / pace), self._rest(load)
        return rest if (rest - width) * pace < brief / 2 else max(1, width)

    def _soonest(self, seconds: float) -> int:
        """Return how many workers end work of so many seconds soonest: seconds / n + n * PIECE is smallest there.

        Each load is a piece at least, whoever does it.
        """
        few = math.sqrt(seconds / PIECE)
        if few > MANY:
            few = max(MANY, math.sqrt(seconds / OF_MANY))
        return max(1, min(self._workers, max(round(few), len(self._open))))

    def ended(self, number: int, times: Sequence[tuple[int, float]], left: Sequence[int] = ()) -> None:
        """Take note that a piece is done: how many units took how many seconds together, and the units that are given back."""
        load, count, begun = self._out.pop(number)
        one = self._standing[load]
        self._count(load, -1)
        one.pieces, one.begun, one.units = one.pieces - 1, one.begun - begun, one.units - count
        if len(left):
            self._back[load] = [*self._back.get(load, ()), *left]
            self._open[load] = None
            one.rest += len(left)
        for many, seconds in times:
            self._measured(load, many, seconds)
        self._count(load, 1)

    def _measured(self, load: int, count: int, seconds: float) -> None:
        """Take note that ``count`` units of a load took some seconds together.

        What a unit takes is the difference between a wide piece and a narrow one by their units: their steps cost alike.
        """
        one, now = self._standing[load], (count, max(seconds, 1e-6))
        one.narrow = min(now, one.narrow or now)
        one.wide = max(now, one.wide, key=lambda piece: (piece[0], -piece[1]))
        (few, short), (many, long) = one.narrow, one.wide
        one.pace = long / many
        if many >= 4 * few:
            pace = (long - short) / (many - few)
            one.pace = pace if pace > 0.05 * one.pace else one.pace
            self._fixed = max(0.0, short - one.pace * few)
        for trait in self._loads[load].traits:
            self._traits[trait] = min(one.pace, self._traits.get(trait, math.inf))

    def _count(self, load: int, sign: int) -> None:
        """Add a load to the sums of all, or (-1) take it away: before and after anything is changed about it."""
        one = self._standing[load]
        self._pieces, self._times = self._pieces + sign * one.pieces, self._times + sign * one.begun
        if one.pace is None:
            self._units, self._away = self._units + sign * one.rest, self._away + sign * one.units
            return
        self._known, self._paces = self._known + sign, self._paces + sign * one.pace
        self._left += sign * one.rest * one.pace
        self._busy += sign * one.units * one.pace

    def _pace(self, load: int) -> float | None:
        """Return the seconds a unit as far as they are known: the load's own, or the slowest of its traits."""
        pace = self._standing[load].pace
        if pace is not None:
            return pace
        for trait in self._loads[load].traits:
            if trait not in self._traits:
                return None
            pace = max(pace or 0.0, self._traits[trait])
        return pace

    def _rest(self, load: int) -> int:
        return self._standing[load].rest

    def _cut(self, load: int, width: int, probe: bool = False) -> Cut:
        if load in self._back:
            units = self._back[load][:width]
            self._back[load] = self._back[load][width:]
            if not self._back[load]:
                del self._back[load]
        else:
            units = self._loads[load].units[self._at[load] : self._at[load] + width]
            self._at[load] += len(units)
        one, now = self._standing[load], self._clock()
        self._count(load, -1)
        one.rest -= len(units)
        one.pieces, one.begun, one.units = one.pieces + 1, one.begun + now, one.units + len(units)
        self._count(load, 1)
        if not one.rest:
            del self._open[load]
        self._number += 1
        self._out[self._number] = load, len(units), now
        return Cut(self._number, load, units, probe)
