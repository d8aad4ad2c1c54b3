"""CFR in one subgame, street behind street, in vector instructions: the back end of :mod:`.cfr` for a CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.ranges import _walk_kernels as kernels
from cardai.poker.ranges.averaged_leaves import AveragedLeaves
from cardai.poker.ranges.cfr import Measured, RangeCfr, Variant
from cardai.poker.ranges.layout import TreeLayout, shares
from cardai.poker.ranges.public_tree import TERMINATED, Node

Vectors = npt.NDArray[Any]


class LeafEvaluator(Protocol):
    """Values the chance nodes that a subgame ends in."""

    def evaluate(self, player: int, reach: Vectors, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) what each hand of ``player`` is worth in net chips, times the opponent's reach it can meet.

        Args:
            reach: (2, C, n) both players' reach at the C chance nodes ``nodes``, in order of the board's hands.
        """


class Solver(RangeCfr):
    """CFR under way in one subgame.

    Args:
        ranges: (2, K) weights of all hands, by seat.
        dtype: float32 or float64. packed: whether regrets and averages are kept as int16, with a unit a decision, in half of
            the memory of float32 (their rounding moves the exploitability by some hundredths of a percent of the pot).
        threads: 1 or more; the result is the same for any number.
        promised: (K,) what each hand gets that terminates at a gadget, in the units of :meth:`root_values`.
    """

    def __init__(
        self,
        layout: TreeLayout,
        ranges: Float64s,
        *,
        variant: Variant = "dcfr",
        dtype: npt.DTypeLike = np.float32,
        packed: bool = False,
        threads: int = 1,
        leaves: LeafEvaluator | None = None,
        promised: Float64s | None = None,
    ) -> None:
        if layout.leaves and leaves is None:
            raise UsageError("The subgame ends before its last street: give it a leaf evaluator.")
        self.layout, self.leaves, self.threads, self.packed = layout, leaves, threads, packed
        self.hands = layout.boards[0].hands[0]
        """The numbers of the hands, in order of the root's vectors."""
        self.ranges = np.array(ranges[:, self.hands], np.float64)
        super().__init__(layout.hands, self.hands[None], self.ranges[None], variant)
        if self.matches[0] <= 0:
            raise UsageError(
                "The ranges can never meet: every pair of their hands shares a card, or a card of the board."
            )
        self._works = layout.works(dtype, packed)
        self._averages = tuple(work._replace(regrets=work.sums) for work in self._works)
        self._discounts = shares().astype(dtype)
        for seat in range(2):
            self._works[0].reach[seat, : len(self.hands)] = self.ranges[seat]
        for place in layout.tree.streets[0].ends(TERMINATED):
            assert promised is not None
            self._works[0].values[place, : len(self.hands)] = promised[self.hands]
        below = layout.streets[1]
        children = int(layout.streets[0].num_children[0])
        self._out = np.zeros((children, below.roots, below.low.shape[1]), dtype)
        self._pool: ThreadPoolExecutor | None = None
        self._by_thread: dict[bool, list[tuple[kernels.WalkBuffers, ...]]] = {}

    # -- solving -----------------------------------------------------------------------------------------------------

    def iterate(self, count: int) -> None:
        assert self._works is not self._averages, "the solver was settled"
        with self._workers():
            if self.leaves is None and self._pool is None:
                self._walk_all(self._works, self.iterations, count, (0, 2), kernels.TRAIN)
            else:
                super().iterate(count)

    def half(self, player: int, discounts: tuple[float, float, float]) -> None:
        self._discounts[kernels.POSITIVE : kernels.KEEP + 1] = discounts
        self._walk(self._works, player, kernels.TRAIN)

    def measure(self) -> Measured:
        """Return the values of the average strategies and of the best responses to them."""
        with self._workers():
            return self.measures()[0]

    def root_values(self, player: int, mode: int = kernels.EXPECT) -> Float64s:
        """Return (1, n): see :class:`~cardai.poker.ranges.cfr.RangeCfr`."""
        with self._workers():
            self._walk(self._averages, player, mode)
        return np.array(self._averages[0].values[:1, : len(self.hands)], np.float64)

    def meet(self, ranges: Float64s) -> None:
        """Let other ranges (1, 2, K), weights of all hands by seat, come to the root: what is asked for then is what the average
        strategies win there. No iteration may follow; ranges that tell suits apart need boards that are not ``isomorphic``."""
        self.ranges = np.array(ranges[0][:, self.hands], np.float64)
        self._met(self.ranges[None])
        for seat in range(2):
            self._works[0].reach[seat, : len(self.hands)] = self.ranges[seat]

    def settle(self) -> None:
        """Give up what only further iterations need: what was found can be looked at as before, and no iteration can follow."""
        self._works = self._averages
        self._by_thread.clear()
        self.threads = 1

    # -- looking -----------------------------------------------------------------------------------------------------

    def look(self, boards: Sequence[int], player: int, mode: int = kernels.EXPECT) -> kernels.WalkBuffers:
        """Return the arrays of the board at ``boards`` (its number on each street after the first), on its street.

        Reach, sigma and values there are those of the average strategies, the values the player's (in the mode RESPOND:
        those of its best response). They are overwritten by whatever is done next.
        """
        if boards:
            self._walk_all(self._averages, 0, 1, (player, player + 1), mode, (len(boards), boards[-1]))
            return self._averages[len(boards)]
        with self._workers():
            self._walk(self._averages, player, mode)
        return self._averages[0]

    def boards(self, player: int) -> Iterator[tuple[int, kernels.WalkBuffers]]:
        """Yield each board of the second street and its arrays, as :meth:`look` has them, in one walk."""
        streets, works, numbers = self.layout.streets, self._averages, self._discounts
        kernels.enter(streets[0], works[0], 0, player, kernels.EXPECT, numbers)
        for board in range(len(self.layout.boards[1])):
            kernels.visit(streets, works, board, board + 1, player, kernels.EXPECT, numbers, self._out[:1], -1, -1)
            yield board, works[1]

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
        played = np.where(total > 0, rows / np.where(total > 0, total, 1.0), even)
        fixed = kernels.first_locked(self.layout.streets[street], node.index, board)
        if fixed >= 0:
            given = self.layout.streets[street].locked[fixed : fixed + len(rows), : len(numbers)]
            played = np.where(given >= 0, given, played)
        return numbers, played

    def play(self, node: Node, chances: Float64s) -> None:
        """Let a decision of the first street be played with these chances (A, n) from here on; no iteration may follow."""
        first = int(self.layout.streets[0].first_slot[node.index])
        self._works[0].sums[first : first + len(chances), : chances.shape[1]] = chances

    # -- stopping and going on ---------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Vectors]:
        """Return what a solver goes on from: regrets and sums by street."""
        count, names = len(self.layout.boards), ("regrets", "sums", *(["units"] if self.packed else []))
        return {f"{name}_{k}": getattr(self._works[k], name) for k in range(count) for name in names}

    def restore(self, iterations: int, arrays: dict[str, Vectors]) -> None:
        """Go on from the ``arrays`` of a solver of the same subgame after ``iterations``."""
        for name, own in self.arrays().items():
            own[:] = arrays[name]
        self.iterations = iterations

    # -- inside ------------------------------------------------------------------------------------------------------

    def _walk(self, works: tuple[kernels.WalkBuffers, ...], player: int, mode: int) -> None:
        streets, numbers, pool = self.layout.streets, self._discounts, self._pool
        if self.leaves is None and pool is None:
            self._walk_all(works, self.iterations, 1, (player, player + 1), mode)
            return
        kernels.enter(streets[0], works[0], 0, player, mode, numbers)
        if self.leaves is not None:
            self._value_leaves(works, player, mode)
        elif pool is not None:
            self._visit(pool, works, player, mode)
            kernels.collect(streets, works, self._out)
        kernels.leave(streets[0], works[0], 0, player, mode, numbers)

    def _walk_all(
        self,
        works: tuple[kernels.WalkBuffers, ...],
        done: int,
        count: int,
        players: tuple[int, int],
        mode: int,
        stop: tuple[int, int] = (-1, -1),
    ) -> None:
        rates = self.rule, self._discounts
        kernels.iterate(self.layout.streets, works, done, count, *rates, self._out, players, mode, *stop)

    def _value_leaves(self, works: tuple[kernels.WalkBuffers, ...], player: int, mode: int) -> None:
        assert self.leaves is not None
        reach, nodes, n = self._leaf_reach(works), self.layout.tree.streets[0].chance, len(self.hands)
        if mode == kernels.TRAIN and isinstance(self.leaves, AveragedLeaves):
            found = self.leaves.learn(player, reach, nodes, float(self._discounts[kernels.KEEP]))
        else:
            found = self.leaves.evaluate(player, reach, nodes)
        works[0].passed[:, :n] = found

    def _leaf_reach(self, works: tuple[kernels.WalkBuffers, ...]) -> Vectors:
        street, n = self.layout.streets[0], len(self.hands)
        return np.stack([works[0].reach[street.row_of[seat, street.chance], :n] for seat in range(2)])

    def _visit(self, pool: ThreadPoolExecutor, works: tuple[kernels.WalkBuffers, ...], player: int, mode: int) -> None:
        """Walk all children of the first board as one thread would, each thread its share of them."""
        bounds, jobs = np.linspace(0, len(self._out), self.threads + 1).astype(int).tolist(), []
        for own, first, last in zip(self._each_thread(works), bounds[:-1], bounds[1:], strict=True):
            where = (self.layout.streets, own, first, last, player, mode, self._discounts, self._out[first:last])
            jobs.append(pool.submit(kernels.visit, *where, -1, -1))
        for job in jobs:
            job.result()

    def _each_thread(self, works: tuple[kernels.WalkBuffers, ...]) -> list[tuple[kernels.WalkBuffers, ...]]:
        """Return the arrays of each thread: those of ``works``, and copies that share its regrets and sums."""
        training = works is self._works
        if training not in self._by_thread:
            copies = [self.layout.copies(works) for _ in range(self.threads - 1)]
            self._by_thread[training] = [works, *copies]
        return self._by_thread[training]

    @contextmanager
    def _workers(self) -> Iterator[None]:
        """Have threads, if they are wanted and not there yet."""
        if self._pool is not None or self.threads == 1 or not len(self._out):
            yield
            return
        with ThreadPoolExecutor(self.threads) as self._pool:
            try:
                yield
            finally:
                self._pool = None
