"""Discounted CFR over ranges in a public tree, alternating, and exact measures of what it has found.

Zinkevich et al. 2007 (CFR); Johanson et al., "Accelerating best response calculation in large extensive games" (2011), for
public trees and hands as vectors; Brown and Sandholm 2019 for the discounts. Averages are weighted by the player's reach.

>>> from cardai.subgames.menus import menus
>>> from cardai.subgames.hands import LeducHands
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.solve.discounting import VARIANTS
from cardai.subgames import _walk_kernels as kernels
from cardai.subgames.averaged_leaves import AveragedLeaves
from cardai.subgames.layout import Layout, shares
from cardai.subgames.tree import TERMINATED, Node

Vectors = npt.NDArray[Any]


class LeafEvaluator(Protocol):
    """Values the chance nodes that a subgame ends in."""

    def evaluate(self, player: int, reach: Vectors, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) what each hand of ``player`` is worth in net chips, times the opponent's reach it can meet.

        Args:
            reach: (2, C, n) both players' reach at the C chance nodes ``nodes``, in order of the board's hands.
        """


@frozen
class Measured:
    """What the average strategies are worth, in chips, over all pairs of hands that can meet."""

    values: tuple[float, float]
    """Net of what was put in before; they sum to 0."""
    responses: tuple[float, float]
    """What a best response earns in each seat."""

    @property
    def exploitability(self) -> float:
        """The mean over seats of what a best response gains, in chips."""
        return 0.5 * sum(self.responses) - 0.5 * sum(self.values)


class Solver:
    """CFR under way in one subgame.

    Args:
        ranges: (2, K) weights of all hands, by seat.
        variant: a name of :data:`cardai.solve.discounting.VARIANTS` without prediction, or (alpha, beta, gamma).
        dtype: float32 or float64. threads: 1 or more; the result is the same for any number.
        promised: (K,) what each hand gets that terminates at a gadget, in the units of :meth:`root_values`.
    """

    def __init__(
        self,
        layout: Layout,
        ranges: Float64s,
        *,
        variant: str | tuple[float, float, float] = "dcfr",
        dtype: npt.DTypeLike = np.float32,
        threads: int = 1,
        leaves: LeafEvaluator | None = None,
        promised: Float64s | None = None,
    ) -> None:
        if layout.leaves and leaves is None:
            raise UsageError("The subgame ends before its last street: give it a leaf evaluator.")
        self.layout, self.leaves, self.threads = layout, leaves, threads
        self.rule = np.array(VARIANTS[variant][:3] if isinstance(variant, str) else variant, np.float64)
        if isinstance(variant, str) and VARIANTS[variant][3]:
            raise UsageError(f"{variant} predicts regrets, which is not done over ranges. Take dcfr or cfr_plus.")
        self.iterations = 0
        self._works = layout.works(dtype)
        self._averages = tuple(work._replace(regrets=work.sums) for work in self._works)
        self._numbers = shares().astype(dtype)
        first = layout.boards[0]
        self.hands = first.hands[0]
        """The numbers of the hands, in order of the root's vectors."""
        self.ranges = np.array(ranges[:, self.hands], np.float64)
        for seat in range(2):
            self._works[0].reach[seat, : len(self.hands)] = self.ranges[seat]
        for node in layout.tree.streets[0].nodes:
            if node.kind == TERMINATED:
                assert promised is not None
                self._works[0].values[node.index, : len(self.hands)] = promised[self.hands]
        below = layout.streets[1]
        children = int(layout.streets[0].num_children[0])
        self._out = np.zeros((children, below.roots, below.low.shape[1]), dtype)
        self._by_thread: dict[bool, list[tuple[kernels.Work, ...]]] = {}
        self._matches = self._meetings()
        if self._matches <= 0:
            raise UsageError(
                "The ranges can never meet: every pair of their hands shares a card, or a card of the board."
            )

    # -- solving -----------------------------------------------------------------------------------------------------

    def run(self, count: int) -> None:
        """Do ``count`` more iterations."""
        if self.leaves is None and self.threads == 1:
            self._iterate(self._works, count, (0, 2), kernels.TRAIN)
            self.iterations += count
            return
        with self._workers() as pool:
            for _ in range(count):
                self.iterations += 1
                kernels.set_discounts(self.iterations, self.rule, self._numbers)
                for player in range(2):
                    self._walk(self._works, player, kernels.TRAIN, pool)

    def measure(self) -> Measured:
        """Return the values of the average strategies and of the best responses to them."""
        values: list[float] = []
        responses: list[float] = []
        with self._workers() as pool:
            for player in range(2):
                for mode, found in ((kernels.EXPECT, values), (kernels.RESPOND, responses)):
                    self._walk(self._averages, player, mode, pool)
                    found.append(float(self.ranges[player] @ self._root_values()) / self._matches)
        return Measured((values[0], values[1]), (responses[0], responses[1]))

    def root_values(self, player: int, mode: int = kernels.EXPECT) -> Float64s:
        """Return (n,) what each hand is worth at the root in net chips, times the opponent's weight it can meet."""
        with self._workers() as pool:
            self._walk(self._averages, player, mode, pool)
        return self._root_values()

    # -- looking -----------------------------------------------------------------------------------------------------

    def look(self, boards: Sequence[int], player: int, mode: int = kernels.EXPECT) -> kernels.Work:
        """Return the arrays of the board at ``boards`` (its number on each street after the first), on its street.

        Reach, sigma and values there are those of the average strategies, the values the player's (in the mode RESPOND:
        those of its best response). They are overwritten by whatever is done next.
        """
        if boards:
            self._iterate(self._averages, 1, (player, player + 1), mode, (len(boards), boards[-1]))
            return self._averages[len(boards)]
        with self._workers() as pool:
            self._walk(self._averages, player, mode, pool)
        return self._averages[0]

    def dealt(self, player: int, node: Node, card: int) -> Float64s:
        """Return (K,) what each hand of ``player`` is worth behind the chance node ``node`` once ``card`` has come.

        The subgame ends there, in leaves that are valued board by board.
        """
        assert isinstance(self.leaves, AveragedLeaves)
        self.look((), player)
        nodes = self.layout.tree.streets[0].chance
        number = next(k for k, one in enumerate(nodes) if one is node)
        return self.leaves.dealt(player, self._leaf_reach(self._averages), nodes, number, card)

    def forget_average(self) -> None:
        """Begin the average strategies anew: what was done so far is left out of them."""
        for work in self._works:
            work.sums[:] = 0.0
        if isinstance(self.leaves, AveragedLeaves):
            self.leaves.forget()

    def average(self, boards: Sequence[int], node: Node) -> tuple[npt.NDArray[np.int64], Float64s]:
        """Return the hands' numbers (n,) and the average strategy (A, n) of a decision on the board at ``boards``."""
        street, board = len(boards), boards[-1] if boards else 0
        numbers, work = self.layout.boards[street].hands[board], self._works[street]
        first = board * len(work.sigma) + int(self.layout.streets[street].first_slot[node.index])
        rows = work.sums[first : first + len(node.children), : len(numbers)].astype(np.float64)
        total = rows.sum(axis=0)
        even = np.full(rows.shape, 1.0 / len(rows))
        return numbers, np.where(total > 0, rows / np.where(total > 0, total, 1.0), even)

    # -- stopping and going on ---------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Vectors]:
        """Return what a solver goes on from: regrets and sums by street."""
        count = len(self.layout.boards)
        return {f"{name}_{k}": getattr(self._works[k], name) for k in range(count) for name in ("regrets", "sums")}

    def restore(self, iterations: int, arrays: dict[str, Vectors]) -> None:
        """Go on from the ``arrays`` of a solver of the same subgame after ``iterations``."""
        for name, own in self.arrays().items():
            own[:] = arrays[name]
        self.iterations = iterations

    # -- inside ------------------------------------------------------------------------------------------------------

    def _walk(self, works: tuple[kernels.Work, ...], player: int, mode: int, pool: Pool | None) -> None:
        streets, numbers = self.layout.streets, self._numbers
        if self.leaves is None and pool is None:
            self._iterate(works, 1, (player, player + 1), mode)
            return
        kernels.begin(streets[0], works[0], player, mode, numbers)
        if self.leaves is not None:
            self._value_leaves(works, player, mode)
        elif pool is not None:
            pool.visit(streets, self._each_thread(works), player, mode, numbers, self._out)
            kernels.collect(streets, works, self._out)
        kernels.finish(streets[0], works[0], player, mode, numbers)

    def _iterate(
        self,
        works: tuple[kernels.Work, ...],
        count: int,
        players: tuple[int, int],
        mode: int,
        stop: tuple[int, int] = (-1, -1),
    ) -> None:
        kernels.iterate(
            self.layout.streets,
            works,
            self.iterations,
            count,
            self.rule,
            self._numbers,
            self._out,
            players,
            mode,
            *stop,
        )

    def _value_leaves(self, works: tuple[kernels.Work, ...], player: int, mode: int) -> None:
        assert self.leaves is not None
        reach, nodes, n = self._leaf_reach(works), self.layout.tree.streets[0].chance, len(self.hands)
        if mode == kernels.TRAIN and isinstance(self.leaves, AveragedLeaves):
            found = self.leaves.learn(player, reach, nodes, float(self._numbers[kernels.KEEP]))
        else:
            found = self.leaves.evaluate(player, reach, nodes)
        works[0].passed[:, :n] = found

    def _leaf_reach(self, works: tuple[kernels.Work, ...]) -> Vectors:
        street, n = self.layout.streets[0], len(self.hands)
        return np.stack([works[0].reach[street.row_of[seat, street.chance], :n] for seat in range(2)])

    def _each_thread(self, works: tuple[kernels.Work, ...]) -> list[tuple[kernels.Work, ...]]:
        """Return the arrays of each thread: those of ``works``, and copies that share its regrets and sums."""
        training = works is self._works
        if training not in self._by_thread:
            copies = [self.layout.copies(works) for _ in range(self.threads - 1)]
            self._by_thread[training] = [works, *copies]
        return self._by_thread[training]

    @contextmanager
    def _workers(self) -> Iterator[Pool | None]:
        if self.threads == 1 or not len(self._out):
            yield None
            return
        with ThreadPoolExecutor(self.threads) as executor:
            yield Pool(executor, self.threads)

    def _root_values(self) -> Float64s:
        return np.array(self._averages[0].values[0, : len(self.hands)], np.float64)

    def _meetings(self) -> float:
        """Return the weight of all pairs of hands that share no card."""
        cards = self.layout.hands.cards[self.hands]
        return float(self.ranges[0] @ meetings(cards, self.ranges[1], self.layout.hands.places))


@frozen
class Pool:
    """Threads, each with a share of the first street's children."""

    executor: ThreadPoolExecutor
    threads: int

    def visit(self, streets: Any, works: list[Any], player: int, mode: int, numbers: Vectors, out: Vectors) -> None:
        """Walk all children of the first board, as one thread would; ``works`` has each thread's arrays."""
        bounds = np.linspace(0, len(out), self.threads + 1).astype(int)
        jobs = []
        for k in range(self.threads):
            first, last = int(bounds[k]), int(bounds[k + 1])
            arguments = (streets, works[k], first, last, player, mode, numbers, out[first:last], -1, -1)
            jobs.append(self.executor.submit(kernels.visit, *arguments))
        for job in jobs:
            job.result()


def meetings(cards: npt.NDArray[np.int64], weights: Float64s, places: int) -> Float64s:
    """Return (n,) the weight of the hands that share no place with each hand; ``cards`` (n, 2), ``weights`` (n,)."""
    by_place = np.bincount(cards.ravel(), np.repeat(weights, 2), places)
    return np.asarray(weights.sum() - by_place[cards].sum(axis=1) + weights)
