"""A spot of hold'em: a board, a pot, stacks, two ranges and the bets that are looked at, and its solution.

>>> import cardai
>>> solved = cardai.solve_spot("KsTh7s4d2c", pot=2000, stack=19000, bets="1+allin", to=1.0)  # doctest: +SKIP
>>> solved.exploitability < 1.0, solved.at("").frequencies  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, define, field, frozen

from cardai.cards.text import cards_text, parse_cards
from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_links, unfinished, write_json
from cardai.core.memory import free_memory
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure, whole
from cardai.poker.hands.combos import COUNT
from cardai.poker.notation import parse_range, range_text
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.menus import ALL_IN, Menu, menus
from cardai.poker.ranges.position import Position, decision_at, look_at
from cardai.poker.ranges.public_tree import PublicTree, betting_tree, street_betting
from cardai.poker.ranges.solver import Solver
from cardai.poker.rules.betting import MAX_CHIPS

STREETS = ("flop", "turn", "river")
SPOT, ARRAYS = "spot.json", "solution-{}.npz"
_MEMORY_SHARE = 0.8


@frozen
class Spot:
    """What is solved. Seat 0 acts first on every street, seat 1 has the button."""

    board: str
    """Three, four or five cards."""
    pot: int = field(validator=whole(0, 2**31))
    """Chips in the pot, half from each."""
    stacks: tuple[int, ...] = field(validator=whole(0, 2**31))
    """The chips behind, of each seat."""
    ranges: tuple[str, ...] = ("random", "random")
    """In the notation of :mod:`cardai.poker.notation`."""
    bets: str = "0.5+1+allin"
    """In the notation of :mod:`cardai.poker.ranges.menus`."""
    limit: tuple[int, ...] = ()
    """The sizes of limit bets on each street to come; empty for no limit."""
    cap: int = 0
    minimum: int = 0
    checked_down: bool = False
    """Whether players check to the end behind the first street."""
    isomorphic: bool = True
    """Whether cards that differ by the names of suits alone are solved once, where both ranges allow it."""

    def cards(self) -> list[int]:
        """Return the board. Raises UsageError."""
        try:
            cards = parse_cards(self.board)
        except ValueError as error:
            raise UsageError(f"The board cannot be read: {error}") from None
        if len(cards) not in (3, 4, 5):
            raise UsageError(f"A board has 3, 4 or 5 cards. Got {len(cards)}: {self.board!r}.")
        return cards

    @property
    def streets(self) -> tuple[str, ...]:
        """The names of the streets to come, this one first."""
        return STREETS[len(self.cards()) - 3 :]

    def tree(self) -> PublicTree:
        """Return the public tree. Raises UsageError."""
        if len(self.stacks) != 2 or min(self.stacks) <= 0:
            raise UsageError(f"Both stacks must hold chips: one number, or two joined by +. Got {self.stacks}.")
        streets = self.streets
        if self.limit and len(self.limit) != len(streets):
            raise UsageError(
                f"Limit bets have a size for each street to come ({', '.join(streets)}): {len(streets)}. "
                f"Got {len(self.limit)}: {'+'.join(map(str, self.limit))}."
            )
        for name, value in (("size of limit bets", self.limit), ("cap", (self.cap,)), ("minimum", (self.minimum,))):
            if any(not 0 <= number <= MAX_CHIPS for number in value):
                raise UsageError(f"A {name} is from 0 to {MAX_CHIPS:,}. Got {'+'.join(map(str, value))[:60]}.")
        betting = street_betting(self.pot, len(streets), self.limit, self.cap, self.minimum)
        chips = (self.stacks[0] + self.pot // 2, self.stacks[1] + self.pot // 2)
        if chips[0] > MAX_CHIPS or chips[1] > MAX_CHIPS:
            raise UsageError(
                f"A player's stack and half of the pot are at most {MAX_CHIPS:,} chips. Got {max(chips):,}."
            )
        bets = () if self.limit else menus(self.bets, streets)
        for menu in bets[:1]:
            self._check_bets(menu)
        tree = betting_tree(betting, chips, bets)
        if len(tree.root.actions) < 2:
            raise UsageError(
                f"Nobody can bet: the stack {min(self.stacks):,} is below every bet of {self.bets!r}. Add allin, or smaller bets."
            )
        return tree

    def _check_bets(self, menu: Menu) -> None:
        """Raise UsageError where no first bet can be made as it is written."""
        rungs, stack = menu(0), min(self.stacks)
        if rungs and ALL_IN not in rungs and min(rungs) * self.pot > stack:
            raise UsageError(
                f"The bets {self.bets!r} are more than there is: the smallest is {round(min(rungs) * self.pot):,} chips into a "
                f"pot of {self.pot:,}, and the shorter stack has {stack:,}. Add allin, or smaller bets."
            )

    def weights(self) -> Float64s:
        """Return (2, 1326) the ranges, without hands that the board blocks. Raises UsageError."""
        if len(self.ranges) != 2:
            raise UsageError(
                f"Two ranges are needed, that of who acts first and that of the button. Got {len(self.ranges)}."
            )
        board = self.cards()
        out = np.stack([parse_range(text) for text in self.ranges])
        blocked = np.isin(HOLDEM.cards, board).any(axis=1)
        out[:, blocked] = 0.0
        for text, weights in zip(self.ranges, out, strict=True):
            if not weights.any():
                raise UsageError(f"The range {text!r} holds no hand that the board {cards_text(board)} leaves.")
        return out

    def layout(self) -> TreeLayout:
        """Return the tree on its boards, before any memory is taken for its solution. Raises UsageError."""
        tree, ranges = self.tree(), self.weights()
        streets = 1 if self.checked_down else len(self.streets)
        boards = deal_boards(HOLDEM, self.cards(), streets, ranges, self.isomorphic)
        return TreeLayout(tree, HOLDEM, boards)


@define(eq=False)
class Solution:
    """A spot and how far it is solved. Percentages are of the pot."""

    spot: Spot
    solver: Solver
    measured: Measured | None = None
    measured_at: int = 0
    """The iterations that were done when it was measured."""

    @property
    def iterations(self) -> int:
        """The iterations done."""
        return self.solver.iterations

    @property
    def exploitability(self) -> float:
        """What a best response gains, the mean over seats, in % of the pot; infinite before it was measured."""
        return float("inf") if self.measured is None else 100 * self.measured.exploitability / self.spot.pot

    @property
    def values(self) -> tuple[float, float]:
        """What each seat expects to win of the pot, in chips; they sum to the pot."""
        assert self.measured is not None
        half = self.spot.pot / 2
        return self.measured.values[0] + half, self.measured.values[1] + half

    def measure(self) -> float:
        """Measure the average strategies, and return the exploitability in % of the pot."""
        self.measured, self.measured_at = self.solver.measure(), self.iterations
        return self.exploitability

    def at(self, line: str = "") -> Position:
        """Return the decision that a line such as "b1000 c / 2c" leads to ("" the first). Raises UsageError."""
        return look_at(self.solver, self.spot.cards(), line)

    def check_line(self, line: str) -> None:
        """Raise UsageError unless ``line`` leads to a decision; nothing need be solved."""
        decision_at(self.solver, self.spot.cards(), line)

    def save(self, directory: str | Path) -> None:
        """Write the spot and its solution into a directory. Raises UsageError, WriteError."""
        path = Path(directory)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The directory {str(path)!r} cannot be made: {error.strerror}.") from error
        name = ARRAYS.format(self.iterations)
        write_npz(path / name, self.solver.arrays())
        measured = None
        if self.measured is not None and self.measured_at == self.iterations:
            measured = [*self.measured.values, *self.measured.responses]
        head = {
            "format": "cardai spot 1",
            "spot": asdict(self.spot),
            "iterations": self.iterations,
            "measured": measured,
        }
        write_json(path / SPOT, {**head, "arrays": name})
        for old in path.glob(ARRAYS.format("*")):
            if old.name != name:
                old.unlink(missing_ok=True)


def begun(directory: Path) -> bool:
    """Whether all that a directory holds was left by a process that was killed while it saved a spot for the first time."""
    left = (
        unfinished(file) or (file.match(ARRAYS.format("*")) and not file.is_symlink()) for file in directory.iterdir()
    )
    return all(left)


@frozen
class _Head:
    """What spot.json holds."""

    format: str
    spot: Spot
    iterations: int = field(validator=whole())
    arrays: str
    measured: tuple[float, ...] | None = None


def read_spot(directory: str | Path) -> Spot:
    """Return the spot in ``directory``, without its solution. Raises UsageError (there is none), DamagedFileError."""
    return _read_head(Path(directory)).spot


def _read_head(path: Path) -> _Head:
    if not os.path.isfile(path / SPOT):
        raise UsageError(f"There is no solved spot in {str(path)!r}: it has no {SPOT}.")
    refuse_links(path)
    head = structure(read_json(path / SPOT), _Head, f"The file {path / SPOT}")
    if head.format != "cardai spot 1" or head.arrays != ARRAYS.format(head.iterations):
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: its format is {head.format[:40]!r}.")
    return head


def load(directory: str | Path, threads: int = 1) -> Solution:
    """Return the solution in ``directory``. Raises UsageError (there is none), DamagedFileError."""
    path = Path(directory)
    head = _read_head(path)
    try:
        layout = head.spot.layout()
    except UsageError as error:
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: {error}") from error
    solution = _prepared(head.spot, layout, threads)
    own = solution.solver.arrays()
    expected = {name: (array.dtype, array.shape) for name, array in own.items()}
    solution.solver.restore(head.iterations, read_npz(path / head.arrays, expected))
    if head.measured is not None and len(head.measured) == 4:
        a, b, c, d = head.measured
        solution.measured, solution.measured_at = Measured((a, b), (c, d)), head.iterations
    return solution


def prepare(spot: Spot, threads: int = 1) -> Solution:
    """Return the spot with no iteration done.

    Raises:
        UsageError: the spot makes no sense, or needs more memory than there is.
    """
    return _prepared(spot, spot.layout(), threads)


def _prepared(spot: Spot, layout: TreeLayout, threads: int) -> Solution:
    check_memory(layout)
    leaves = None
    if layout.leaves:
        leaves = CheckedDown(spot.cards(), layout.boards[0].hands[0], layout.hands)
    return Solution(spot, Solver(layout, spot.weights(), threads=threads, leaves=leaves))


def check_memory(layout: TreeLayout) -> None:
    """Raise UsageError if the solution would take more memory than the machine has free."""
    needed, free = layout.num_bytes(np.float32), free_memory()
    if needed > _MEMORY_SHARE * free:
        sizes = " x ".join(f"{f.num_slots:,}" for f in layout.tree.streets)
        raise UsageError(
            f"The solution needs {needed / 2**30:.1f} GiB of memory, and {free / 2**30:.1f} GiB are free ({sizes} actions by "
            "street). Leave out bets, above all on the river, narrow the ranges, begin a street later, or take "
            "--check-down (players check behind the first street)."
        )


def solve(
    solution: Solution,
    to: float,
    iterations: int,
    progress: Callable[[Solution], bool] | None = None,
) -> Solution:
    """Iterate until the exploitability is at most ``to`` % of the pot or ``iterations`` are done, measuring now and then.

    It is measured after the same iterations whether it was taken up or not, so that it ends after the same.
    ``progress(solution)`` is told after each measurement and at least every second or so; False stops.
    """
    second = max(1, int(0.5 / solution.solver.layout.seconds))
    measured_at = 0
    while solution.exploitability > to and solution.iterations < iterations:
        while (following := measured_at + max(10, measured_at // 4)) <= solution.iterations:
            measured_at = following
        goal = min(iterations, following)
        while solution.iterations < goal:
            solution.solver.run(min(second, goal - solution.iterations))
            if progress is not None and not progress(solution):
                solution.measure()
                return solution
        solution.measure()
        if progress is not None and not progress(solution):
            return solution
    if solution.measured_at < solution.iterations:
        solution.measure()
    return solution


def solve_spot(
    board: str,
    *,
    pot: int,
    stack: int | Sequence[int],
    ranges: Sequence[str | Float64s] = ("random", "random"),
    bets: str = "0.5+1+allin",
    to: float = 0.25,
    iterations: int = 5000,
    threads: int = 1,
    out: str | Path | None = None,
    **more: Any,
) -> Solution:
    """Solve a spot of hold'em to an exploitability of ``to`` % of the pot.

    Args:
        board: three, four or five cards, such as "KsTh7s4d".
        pot: the chips in the pot. stack: the chips behind, one number or one a seat.
        ranges: of who acts first and of the button, as text ("22+,A2s+") or (1326,) weights.
        bets: fractions of the pot and allin, a menu a street and a raise if wished (:mod:`cardai.poker.ranges.menus`).
        out: a directory for the solution. more: further fields of :class:`Spot`.

    Raises:
        UsageError: the spot makes no sense, or needs more memory than there is.
    """
    stacks = (stack, stack) if isinstance(stack, int) else tuple(stack)
    for what, chips in (("The pot", pot), *(("A stack", one) for one in stacks)):
        check_chips(what, chips)
    texts = tuple(one if isinstance(one, str) else range_text(_weights(one)) for one in ranges)
    spot = Spot(cards_text(parse_board(board)), pot, stacks, texts, bets, **more)
    solution = solve(prepare(spot, threads), to, iterations)
    if out is not None:
        solution.save(out)
    return solution


def check_chips(what: str, chips: int) -> None:
    """Raise UsageError unless ``chips`` are more than none and not too many; ``what`` has them."""
    if not 0 < chips <= MAX_CHIPS:
        raise UsageError(f"{what} must be from 1 to {MAX_CHIPS:,} chips. Got {chips:,}.")


def parse_board(board: str) -> list[int]:
    """Return the cards of ``board``. Raises UsageError."""
    return Spot(board, 2, (1, 1)).cards()


def _weights(given: Float64s) -> Float64s:
    weights = np.array(given, np.float64)
    if weights.shape != (COUNT,) or not np.isfinite(weights).all() or weights.min() < 0 or weights.max() > 1:
        raise UsageError(f"A range is a text, or {COUNT} weights from 0 to 1. Got the shape {weights.shape}.")
    return weights


__all__ = ["Position", "Solution", "Spot", "check_memory", "load", "prepare", "solve", "solve_spot"]
