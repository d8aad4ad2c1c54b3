"""Situations solved side by side in torch, on a GPU if there is one (:mod:`cardai.learn.batch_cfr`).

Situations whose trees have one shape are one batch. Values are equal to those of :func:`.situations.labels` but for rounding:
by far most hands within 1e-3 of the pot. Where hands are indifferent rounding decides, as it does between float32 and float64
of the other solver. A CPU is faster by sweeps: this is for GPUs, and runs on a CPU to be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cardai.cards.poker.combos import COUNT, pairs
from cardai.cards.poker.equity import river_strengths
from cardai.core.arrays import Float64s, Int64s
from cardai.learn.batch_cfr import BatchCfr, Deal, StreetData, dealt, room
from cardai.solve.discounting import discount, kept
from cardai.subgames.batch_shapes import Shape, forest_shape, gains, shape_of, stakes
from cardai.subgames.situations import BETS, FASTER, Labels, Situation, legal_hands, situation_tree
from cardai.subgames.solver import meetings
from cardai.subgames.tree import Tree


def solve_situations(
    situations: Sequence[Situation],
    iterations: Sequence[int],
    *,
    bets: str = BETS,
    discounts: tuple[float, float, float] = FASTER,
    device: str = "auto",
    kind: str = "float32",
    batch: int = 0,
    progress: Callable[[int, int], bool] | None = None,
) -> list[Labels]:
    """Return what each situation is worth, per player (see :func:`.situations.labels`), after its number of ``iterations``.

    Args:
        situations: all on one street. kind: float32 or float64.
        batch: how many are solved at once at most; 0: as many as memory holds.
        progress: told (solved, all) after each batch; False stops, and what is not solved is not returned.

    Raises:
        UsageError: torch does not see such a device.
    """
    trees = [situation_tree(one, bets) for one in situations]
    groups: dict[tuple[Shape, int], list[int]] = {}
    for k, tree in enumerate(trees):
        groups.setdefault((shape_of(tree), iterations[k]), []).append(k)
    found: dict[int, Labels] = {}
    for (_, count), group in groups.items():
        each = _numbers(trees[group[0]], len(situations[group[0]].board)) * np.dtype(kind).itemsize
        size = batch or max(1, room(device) // each)
        for first in range(0, len(group), size):
            chosen = group[first : first + size]
            members = [situations[k] for k in chosen]
            solved = _solve(members, [trees[k] for k in chosen], count, discounts, device, kind)
            found |= dict(zip(chosen, solved, strict=True))
            if progress is not None and not progress(len(found), len(situations)):
                return [found[k] for k in sorted(found)]
    return [found[k] for k in range(len(situations))]


def _solve(
    situations: Sequence[Situation],
    trees: Sequence[Tree],
    iterations: int,
    discounts: tuple[float, float, float],
    device: str,
    kind: str,
) -> list[Labels]:
    """Return what situations whose trees have one shape are worth."""
    cards, streets = len(situations[0].board), len(trees[0].streets)
    hands = [legal_hands(one.board) for one in situations]
    ranges = np.stack([one.ranges[:, own] for one, own in zip(situations, hands, strict=True)])
    deal = Deal(*dealt(52 - cards), 1.0 / (52 - cards - 4)) if streets > 1 else None

    def weights(t: int) -> tuple[float, float, float]:
        return discount(t - 1, discounts[0]), discount(t - 1, discounts[1]), kept(t, discounts[2], 0.0)

    data = [_street(situations, trees, number) for number in range(streets)]
    solver = BatchCfr(data, ranges, weights, deal=deal, device=device, kind=kind)
    solver.run(iterations)
    values, responses = solver.values()
    out = []
    for m, (one, own) in enumerate(zip(situations, hands, strict=True)):
        worth = np.zeros((2, COUNT), np.float32)
        worth[:, own] = values[:, m] / one.half_pot
        gap = float(((responses[:, m] - values[:, m]) * ranges[m]).sum()) / 2 / _matches(ranges[m], own)
        out.append(Labels(worth, 100 * gap / (2 * one.half_pot)))
    return out


def _street(situations: Sequence[Situation], trees: Sequence[Tree], number: int) -> StreetData:
    cards = len(situations[0].board)
    shape = forest_shape(trees[0].streets[number])
    return StreetData(
        shape=shape,
        boards=52 - cards if number else 1,
        left=52 - cards - number,
        shown=stakes(trees, number, shape.shown),
        folded=(gains(trees, number, shape.folded, 0), gains(trees, number, shape.folded, 1)),
        strengths=_strengths(situations) if len(shape.shown) else None,
    )


def _strengths(situations: Sequence[Situation]) -> Int64s:
    """Return (rows, H) how strong hands are on every board of five cards, a situation's boards one after another."""
    boards: list[list[int]] = []
    for one in situations:
        rest = [[card] for card in range(52) if card not in one.board] if len(one.board) == 4 else [[]]
        boards += [[*one.board, *more] for more in rest]
    return np.stack([river_strengths(board)[legal_hands(board)] for board in boards])


def _matches(ranges: Float64s, hands: Int64s) -> float:
    """Return the weight of all pairs of hands of both ranges (2, H) that share no card."""
    return float(ranges[0] @ meetings(pairs().astype(np.int64)[hands], ranges[1], 52))


def _numbers(tree: Tree, cards: int) -> int:
    """Return how many numbers a situation with such a tree takes."""
    total, boards = 0, 1
    for street, forest in enumerate(tree.streets):
        left = 52 - cards - street
        hands = left * (left - 1) // 2
        last = street + 1 == len(tree.streets)
        total += boards * hands * (7 * forest.num_slots + 2 * len(forest.nodes) + (hands + 200) * last)
        boards *= left
    return total
