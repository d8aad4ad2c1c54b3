"""Situations solved side by side in torch, on a GPU if there is one (:mod:`cardai.poker.ranges.torch_cfr`).

Situations whose trees have one shape are one batch. Values are equal to those of :func:`.situations.labels` but for rounding:
by far most hands within 1e-3 of the pot. Where hands are indifferent rounding decides, as it does between float32 and float64
of the other solver. A CPU is faster by sweeps: this is for GPUs, and runs on a CPU to be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cardai.poker.ranges.public_tree import PublicTree
from cardai.poker.ranges.torch_cfr import Shape, TorchSolver, room, shape_of
from cardai.poker.values.situations import BETS, FASTER, Labels, Situation, labels_of, situation_tree


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
    trees: Sequence[PublicTree],
    iterations: int,
    discounts: tuple[float, float, float],
    device: str,
    kind: str,
) -> list[Labels]:
    """Return what situations whose trees have one shape are worth."""
    boards, ranges = [one.board for one in situations], np.stack([one.ranges for one in situations])
    solver = TorchSolver(trees, boards, ranges, variant=discounts, device=device, kind=kind)
    solver.run(iterations)
    return labels_of(solver, solver.hands, situations)


def _numbers(tree: PublicTree, cards: int) -> int:
    """Return how many numbers a situation with such a tree takes."""
    total, boards = 0, 1
    for street, forest in enumerate(tree.streets):
        left = 52 - cards - street
        hands = left * (left - 1) // 2
        last = street + 1 == len(tree.streets)
        total += boards * hands * (7 * forest.num_slots + 2 * len(forest.numbers) + (hands + 200) * last)
        boards *= left
    return total
