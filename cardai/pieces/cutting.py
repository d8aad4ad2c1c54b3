"""How wide pieces are: several loads of many units (the groups of each match of a tournament) are cut for one queue.

A piece that is narrow pays for its steps without sharing them, one that is wide keeps others waiting at the end. So widths go by
what units were measured to take: a third of each worker's share of what is left (guided self-scheduling: Polychronopoulos and
Kuck 1987), at least 512 units and half a second of work, at most some seconds; further loads come before thinner pieces. Where
the shares are small, each worker gets one even piece; where they would be too small for a cluster, fewer workers do the work and it
ends sooner. Processes of this machine are there anyway, and each gets its share, however small: units may be slow.
Of a load that nobody knows, pieces are even shares too, whose workers look at the clock and give back what would take too long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LEAST = 512
"""Units of a piece, at least, where they take no longer than :data:`LONG`."""
SHORT, LONG, LONGEST = 0.5, 5.0, 10.0
"""Seconds: what a piece is to take at least; at most; and what the least units may take before there are fewer."""
PIECE = 0.001
"""Seconds that a piece costs the process that hands it out (``benchmarks/cluster.py`` measures it)."""
FEWEST, MOST = 128, 1 << 14
"""Units of a piece of a load that nobody knows."""
QUICK = 0.25
"""Seconds that one unit of such a load may take: where it takes longer, its worker gives back the rest."""


class Load(NamedTuple):
    """Units of one kind, in order, and what says how long they take: loads that share a trait tell of each other."""

    units: Sequence[int]
    traits: tuple[str, ...] = ()


class Cut(NamedTuple):
    """A piece: its load, its units, and whether its worker is to find out what they take."""

    load: int
    units: Sequence[int]
    probe: bool


class Cutter:
    """Cuts ``loads`` for ``workers``: call :meth:`take` where a worker is free, :meth:`measured` when its piece is done.

    The worker of a probe does one unit, and one more where that took longer than :data:`QUICK`: what is compiled and loaded first
    is no measure. Where that took as long, it gives back the rest, else does and measures it, and gives back what is not done
    after :data:`LONGEST`.
    """

    def __init__(self, loads: Sequence[Load], workers: int, rounds: int = 1, fewer: bool = True) -> None:
        """``rounds``: in how many a worker's share of what nobody knows is cut, so that large results do not all come at once.
        ``fewer``: small work is left to some of the workers; else each gets its share.
        """
        self._loads, self._workers, self._fewer = loads, workers, fewer
        self._at = [0] * len(loads)
        self._open = [k for k, load in enumerate(loads) if len(load.units)]
        self._left = sum(len(load.units) for load in loads)
        self._back: dict[int, Sequence[int]] = {}
        self._narrow: dict[int, tuple[int, float]] = {}
        self._wide: dict[int, tuple[int, float]] = {}
        self._paces: dict[int, float] = {}
        self._traits: dict[str, float] = {}
        self._mean = 0.0
        share = self._left / workers
        width = min(MOST, share / min(rounds, max(1, int(share / 4 / LEAST))))
        self._share = max(FEWEST, width) if fewer else width
        self._even: float | None = None
        self.used = min(workers, sum(self._even_pieces(k, self._share) for k in self._open))
        """How many workers have something to do; fewer than there are where more would not end it sooner."""

    def measured(self, load: int, count: int, seconds: float) -> None:
        """Take note that ``count`` units of a load took some seconds together.

        What a unit takes is the difference between a wide piece and a narrow one by their units: their steps cost alike.
        """
        now = (count, max(seconds, 1e-6))
        self._narrow[load] = min(now, self._narrow.get(load, now))
        wide = self._wide.get(load, now)
        self._wide[load] = max(now, wide, key=lambda piece: (piece[0], -piece[1]))
        (few, short), (many, long) = self._narrow[load], self._wide[load]
        whole = long / many
        pace = (long - short) / (many - few) if many >= 4 * few else whole
        self._paces[load] = pace if pace > 0.05 * whole else whole
        for trait in self._loads[load].traits:
            self._traits[trait] = min(self._paces[load], self._traits.get(trait, math.inf))
        self._mean = sum(self._paces.values()) / len(self._paces)

    def give_back(self, load: int, units: Sequence[int]) -> None:
        """Take units that were cut but not done: they are cut anew."""
        self._back[load] = [*self._back.get(load, ()), *units]
        self._left += len(units)
        if load not in self._open:
            self._open.insert(0, load)

    def take(self) -> Cut | None:
        """Return the next piece; None where nothing is left to be cut."""
        if not self._open:
            return None
        load = self._open[0]
        pace = self._pace(load)
        if pace is not None:
            return self._cut(load, self._width(load, pace))
        return self._cut(load, math.ceil(self._rest(load) / self._even_pieces(load, self._share)), probe=True)

    def _even_pieces(self, load: int, width: float) -> int:
        """Return how many even pieces of a load are about so wide: not narrower, or where each worker gets some not wider."""
        return max(1, int(self._rest(load) / width + (0.01 if self._fewer else 0.99)))

    def _pace(self, load: int) -> float | None:
        """Return the seconds a unit as far as they are known: the load's own, or the slowest of its traits."""
        known = [self._traits.get(trait) for trait in self._loads[load].traits]
        own = self._paces.get(load)
        if own is not None or not known or None in known:
            return own
        return max(pace for pace in known if pace is not None)

    def _rest(self, load: int) -> int:
        return len(self._loads[load].units) - self._at[load] + len(self._back.get(load, ()))

    def _width(self, load: int, pace: float) -> int:
        """Return how many units the next piece of a load has."""
        least = max(1, round(min(max(LEAST, SHORT / pace), max(1.0, LONGEST / pace))))
        work, rest = self._left * self._mean, self._rest(load)
        share = work / self._workers
        if self._even is None and share >= 3 * least * pace:
            width = max(least, min(round(share / 3 / pace), round(LONG / pace)))
            return rest if rest - width < least else width
        if self._even is None:
            few = self._workers
            if self._fewer:
                soonest = math.sqrt(work / PIECE)  # work / n + n * PIECE is smallest there
                few = max(1, min(few, round(soonest), self._left // min(LEAST, least)))
            rounds = max(1, int(share / (least * pace))) if few == self._workers else 1
            self._even = work / (few * rounds)
            self.used = max(self.used, few)
        return math.ceil(rest / self._even_pieces(load, self._even / pace))

    def _cut(self, load: int, width: int, probe: bool = False) -> Cut:
        if load in self._back:
            units = self._back[load][:width]
            self._back[load] = self._back[load][width:]
            if not self._back[load]:
                del self._back[load]
        else:
            units = self._loads[load].units[self._at[load] : self._at[load] + width]
            self._at[load] += len(units)
        self._left -= len(units)
        if not self._rest(load):
            self._open.remove(load)
        return Cut(load, units, probe)
