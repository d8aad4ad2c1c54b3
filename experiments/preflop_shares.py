"""What hands win of a pot on the flop, fitted to flops solved here: the numbers of cardai/poker/preflop/shares.py.

    python experiments/preflop_shares.py DIRECTORY [--flops 12] [--only single] [--bets 0.66/none] [--to 1]

Pots for two at 100 big blinds, :data:`SPOTS`, on the first so many flops of the 25 in the box (``cardai report --flops 25``), each to so
many percent of the pot. DIRECTORY is a library: what is there is not solved again, so that a run that was stopped goes on. Printed: CPU
seconds, the numbers that stand in ``shares.FITTED``, and how far three rules are off on flops that they were *not* fitted to (those of
even places by a fit to the odd ones, and the other way round), hand by hand and for each starting hand's mean over flops, in % of the pot.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.core.files import read_json, write_json
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.ranges.flops import CALLER, OPENER, subset
from cardai.poker.ranges.library import Library
from cardai.poker.ranges.reading import equities
from cardai.poker.ranges.solution import Solution
from cardai.poker.ranges.spot import Spot

THREE_BETTOR = "99+,A9s+,A5s-A4s,KTs+,QTs+,JTs,T9s,98s,76s,AQo+"
THREE_CALLER = "JJ-55,AQs-A8s,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AQo-AJo,KQo"


@frozen
class Pot:
    """A pot on the flop, in big blinds: who acts first comes with ``first``, the other with ``last``."""

    first: str
    last: str
    pot: float
    stack: float


SPOTS = {
    "single": Pot(CALLER, OPENER, 5.5, 97.5),  # the big blind called the button
    "single_first": Pot(OPENER, CALLER, 5.5, 97.5),  # the same ranges the other way round: what place alone is worth
    "3bet": Pot(THREE_BETTOR, THREE_CALLER, 20.5, 90.0),
    "3bet_last": Pot(THREE_CALLER, THREE_BETTOR, 20.5, 90.0),
}
SECONDS = "cpu_seconds.json"


@frozen(eq=False)
class Rows:
    """Hands of who acts first on solved flops: equity, what is won of the pot, weight (1 a flop in all), flop, class."""

    equity: Float64s
    won: Float64s
    weight: Float64s
    flop: Int64s
    hand: Int64s

    def of(self, flops: Sequence[int]) -> Rows:
        """Return the rows of some flops."""
        use = np.isin(self.flop, flops)
        return Rows(self.equity[use], self.won[use], self.weight[use], self.flop[use], self.hand[use])


Rule = Callable[[Rows], Callable[[Rows], Float64s]]
"""Is given what to fit to, and returns what says what hands win."""


def rows_of(solution: Solution, flop: int) -> Rows:
    """Return a solved flop's hands."""
    one = solution.at("")
    _, equity = equities(one)
    weight = one.weights[0] * one.met
    won = (one.strategy * np.nan_to_num(one.values)).sum(axis=0) / one.pot
    use = (weight > 0) & np.isfinite(equity)
    each = weight[use] / weight[use].sum()
    return Rows(equity[use], won[use], each, np.full(int(use.sum()), flop), class_of()[one.hands[use]])


def together(rows: Sequence[Rows]) -> Rows:
    """Return rows behind one another."""
    return Rows(*(np.concatenate([getattr(one, name) for one in rows]) for name in Rows.__annotations__))


def line(rows: Rows) -> Float64s:
    """Return slope and worth of acting last, by least squares (the rule of shares.py)."""
    x = np.column_stack([rows.equity - 0.5, np.full(len(rows.equity), -0.5)])
    root = np.sqrt(rows.weight)
    return np.asarray(np.linalg.lstsq(x * root[:, None], (rows.won - 0.5) * root, rcond=None)[0])


def by_line(rows: Rows) -> Callable[[Rows], Float64s]:
    """The rule of shares.py."""
    slope, last = line(rows)
    return lambda others: np.asarray(0.5 + slope * (others.equity - 0.5) - last / 2)


def by_factor(rows: Rows) -> Callable[[Rows], Float64s]:
    """Equity times one factor (what players call equity realised)."""
    factor = (rows.weight * rows.won).sum() / (rows.weight * rows.equity).sum()
    return lambda others: np.asarray(factor * others.equity)


def by_equity(rows: Rows) -> Callable[[Rows], Float64s]:
    """Equity as it is."""
    return lambda others: others.equity


def errors(rows: Rows, rule: Rule) -> tuple[float, float]:
    """Return the root mean square, in shares of the pot, of a rule on flops that it was not fitted to: by hand, and of the means
    of classes over those flops."""
    flops = np.unique(rows.flop)
    by_hand = by_class = weight = 0.0
    for fold in range(2):
        tried = rows.of(flops[fold::2].tolist())
        apart = tried.won - rule(rows.of(flops[1 - fold :: 2].tolist()))(tried)
        by_hand += float((tried.weight * apart**2).sum())
        mass = np.bincount(tried.hand, tried.weight, CLASSES)
        mean = np.bincount(tried.hand, tried.weight * apart, CLASSES) / np.maximum(mass, 1e-12)
        by_class += float((mass * mean**2).sum())
        weight += float(tried.weight.sum())
    return (by_hand / weight) ** 0.5, (by_class / weight) ** 0.5


def solved(library: Library, pot: Pot, flop: str, to: float, bets: str) -> tuple[Solution, float]:
    """Return a pot on a flop, solved, and the CPU seconds that this took in all its runs."""
    spot = Spot(flop, pot.pot, (pot.stack, pot.stack), (pot.first, pot.last), bets=bets)
    file, key = library.directory / SECONDS, library.place(spot).name
    known = dict(read_json(file)) if file.exists() else {}
    begun = time.process_time()
    solution = library.solve(spot, to)
    if key not in known:
        write_json(file, known | {key: round(time.process_time() - begun, 2)})
    return solution, float(dict(read_json(file))[key])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--flops", type=int, default=12)
    parser.add_argument("--only", choices=SPOTS, action="append")
    parser.add_argument("--bets", default="0.66/none")
    parser.add_argument("--to", type=float, default=1.0)
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    library, flops, depths = Library(given.directory), subset(25).flops[: given.flops], dict[float, list[Rows]]()
    for name in given.only or SPOTS:
        pot, seconds, rows = SPOTS[name], 0.0, []
        for number, flop in enumerate(flops):
            solution, took = solved(library, pot, flop, given.to, given.bets)
            seconds += took
            rows.append(rows_of(solution, number))
            _say(f"{name} {flop}: {took:.1f} CPU s, to {solution.exploitability:.2f} % of the pot")
        _told(f"{name}, {seconds:.0f} CPU s in all", together(rows))
        depths.setdefault(round(pot.stack / pot.pot, 3), []).extend(rows)
    for behind, rows in depths.items():
        _told(f"{behind:g} pots behind", together(rows))


def _told(name: str, rows: Rows) -> None:
    slope, last = line(rows)
    _say(
        f"{name}, {len(np.unique(rows.flop))} flops: slope {slope:.4f}, last {last:.4f}; off on other flops by, in % of the pot:"
    )
    for called, rule in (("the line", by_line), ("equity times a factor", by_factor), ("equity", by_equity)):
        by_hand, by_class = errors(rows, rule)
        _say(f"  {called}: {100 * by_hand:.1f} hand by hand, {100 * by_class:.1f} a starting hand")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _main()
