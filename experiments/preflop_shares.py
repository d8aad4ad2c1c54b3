"""What hands win of a pot on the flop, fitted to solved flops: the numbers of cardai/poker/preflop/shares.py.

    cardai report LIBRARY --board Ks7d2c --board 9h2d2c ... --range CALLER --range OPENER --pot 5.5 --stack 97.5 --bets 0.5/allin --to 1%
    python experiments/preflop_shares.py LIBRARY

Each depth of the library's flops (those within a fifth of one another are one) is fitted by least squares to what each hand of who
acts first wins there, beside its equity. Printed: the numbers that stand in ``shares.FITTED``, and how far the rule is off.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.preflop.shares import Depth
from cardai.poker.ranges.library import Library
from cardai.poker.ranges.reading import equities
from cardai.poker.ranges.solution import Solution


@frozen
class Fit:
    """A fitted depth. Errors are root mean squares in shares of the pot, over hands by their weight."""

    depth: Depth
    flops: int
    error: float
    """Of the rule, hand by hand on these flops."""
    plain: float
    """Of taking the equity alone."""


def fitted(solutions: Sequence[Solution]) -> Fit:
    """Return the depth that is nearest, by least squares, to what hands win on solved flops of one depth."""
    rows, wins, weights = [], [], []
    for solution in solutions:
        one = solution.at("")
        if one.seat != 0 or len(one.board) != 3:
            raise UsageError("A share is fitted to flops.")
        _, equity = equities(one)
        own = one.weights[0] * one.met
        won = (one.strategy * np.nan_to_num(one.values)).sum(axis=0) / one.pot
        rows.append(np.column_stack([equity - 0.5, np.full(len(own), -0.5)]))
        wins.append(won - 0.5)
        weights.append(own / own.sum())
    x, y, w = np.concatenate(rows), np.concatenate(wins), np.concatenate(weights)
    use = (w > 0) & np.isfinite(x).all(axis=1)
    found = _least_squares(x[use], y[use], w[use])
    behind = float(np.mean([min(one.spot.stacks) / one.spot.pot for one in solutions]))
    return Fit(
        Depth(round(behind, 3), *(round(float(value), 4) for value in found)),
        len(solutions),
        _error(x[use] @ found - y[use], w[use]),
        _error(x[use, 0] - y[use], w[use]),
    )


def _least_squares(x: Float64s, y: Float64s, w: Float64s) -> Float64s:
    root = np.sqrt(w)
    return np.asarray(np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0])


def _error(apart: Float64s, w: Float64s) -> float:
    return float(np.sqrt((w * apart**2).sum() / w.sum()))


def depths_of(library: Library) -> list[list[Solution]]:
    """Return the solved flops of a library by what is behind over the pot, the least first."""
    found = sorted(
        (min(one.spot.stacks) / one.spot.pot, str(one.path), one) for one in library if len(one.spot.cards()) == 3
    )
    groups: list[list[Solution]] = []
    last = 0.0
    for behind, _, one in found:
        if not groups or behind > 1.2 * last:
            groups.append([])
            last = behind
        groups[-1].append(one.load())
    return groups


def _main() -> None:
    import sys

    for group in depths_of(Library(Path(sys.argv[1]))):
        fit = fitted(group)
        numbers = ", ".join(f"{name} {getattr(fit.depth, name):g}" for name in ("slope", "last"))
        print(
            f"{fit.depth.behind:g} pots behind, {fit.flops} flops: {numbers}; off by {100 * fit.error:.1f} % of the pot a hand "
            f"(equity alone: {100 * fit.plain:.1f} %)"
        )


if __name__ == "__main__":
    _main()
