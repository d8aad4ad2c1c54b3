"""Why table 1 has other ratios here than in the publication: what was left open there, varied one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from value_sections import BUCKETED, RECIPES, Plan

from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.solver import Solver
from cardai.poker.values.match_ups import legal_hands, strength_moments
from cardai.poker.values.measures import huber
from cardai.poker.values.network import bucket_means, hand_buckets, of_hands
from cardai.poker.values.prepared import Prepared, prepare
from cardai.poker.values.range_codes import equal_bins, range_code
from cardai.poker.values.situations import Situation, situation, situation_tree

TURNS, DEEP = 24, 6
"""Situations of the four larger intervals of pots, and of the pot of 100 a player: a fifth of all, as in the publication."""
ITERATIONS = (5, 10, 20, 80)
NOISE = (0.1, 0.15, 0.2, 0.25)
Buckets = np.ndarray


def reasons(plan: Plan) -> None:
    """Measure the three encodings of table 1 under other readings of it."""
    if "turn" in plan.streets:
        plan.keep("reasons turn", lambda: {"rows": _rows(), "turns": TURNS, "deep": DEEP})


def _rows() -> list[dict[str, Any]]:
    recipe = RECIPES["turn"]
    drawn = [recipe.situation(number) for number in range(TURNS)]
    drawn += [situation(recipe.seed, number, "turn", (0,)) for number in range(DEEP)]
    solved = np.stack([_solved(one) for one in drawn], axis=1)  # (iterations, n, 2, H)
    data = prepare(drawn)
    own = [hand_buckets(range_code(spec), data) for spec in BUCKETED]
    last, large = solved[-1], data.intervals > 0
    rows = [
        _row("as in table 1, pots of 200 and more", own, last, large),
        _row("with the pot of 100 too, a fifth of all", own, last),
        _row("values twice as large", own, 2 * last),
        _row("values four times as large", own, 4 * last),
    ]
    rows += [_row(name, [own[0], buckets, own[2]], last) for name, buckets in _nested(data, drawn).items()]
    for count, values in zip(ITERATIONS[:-1], solved[:-1], strict=True):
        rows.append(_row(f"labels after {count} iterations, not {ITERATIONS[-1]}", own, values))
    rng = np.random.default_rng(0)
    for size in NOISE:
        rows.append(
            _row(f"labels off by {size:g} at random, each hand's alone", own, last + rng.normal(0, size, last.shape))
        )
    return rows


def _solved(one: Situation) -> np.ndarray:
    """Return (iterations, 2, H) a situation's values per player after each of ITERATIONS."""
    tree = situation_tree(one)
    boards = deal_boards(HOLDEM, one.board, 2, one.ranges, every=True)
    solver = Solver(TreeLayout(tree, HOLDEM, boards), one.ranges, variant=(1.5, 0.5, 4.0))
    order = np.searchsorted(legal_hands(one.board), solver.hands)
    out = np.zeros((len(ITERATIONS), 2, len(order)))
    for k, count in enumerate(ITERATIONS):
        solver.run(count - solver.iterations)
        for seat in range(2):
            out[k, seat, order] = solver.root_values(seat)[0] / one.half_pot
    return out


def _nested(data: Prepared, drawn: list[Situation]) -> dict[str, Buckets]:
    """Return other readings of the 100 buckets of E[HS^2] on a cluster of boards."""
    moments = np.stack([strength_moments(one.board)[:, legal_hands(one.board)] for one in drawn])
    mean, square = moments[:, 0], moments[:, 1]
    pool = np.sort(square.ravel())
    by_board = square.argsort(axis=1, kind="stable").argsort(axis=1) / square.shape[1]

    def bins(values: np.ndarray, count: int) -> Buckets:
        return equal_bins(values, count).astype(np.int64)

    return {
        "nested: hundredths of all hands, not equal bins": bins(np.searchsorted(pool, square) / len(pool), 100),
        "nested: hundredths of the board's hands": bins(by_board, 100),
        "nested: bins of E[HS]": bins(mean, 100),
        "nested: 200 bins": bins(square, 200),
        "nested: 400 bins": bins(square, 400),
    }


def _row(name: str, buckets: list[Buckets], values: np.ndarray, rows: Any = slice(None)) -> dict[str, Any]:
    losses = [float(_loss(one, values)[rows].mean()) for one in buckets]
    return {"name": name, "huber_player": losses}


def _loss(buckets: Buckets, values: np.ndarray) -> np.ndarray:
    """Return (n,) what is lost where each hand's value is its bucket's mean."""
    means, _ = bucket_means(buckets, values, int(buckets.max()) + 1)
    return np.asarray(huber(of_hands(means, buckets) - values).mean(axis=(1, 2)))
