"""Situations drawn at random, as DeepStack drew them, and what they are worth: the examples of counterfactual value networks.

Moravcik et al., "DeepStack" (2017), supplement: a pot from five intervals, a board at random, and ranges that spread their
weight over the hands in order of strength, halving at random. A situation is named by a seed and its number: the same
number is the same situation, whoever makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.rng import Rows, derive
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.hands.equity import range_equity, uniform_range
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import Layout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import PublicTree, betting_tree, street_betting
from cardai.poker.ranges.solver import Solver

STACK = 20_000
"""Each player's chips before the hand: 200 big blinds of 100."""
INTERVALS = ((100, 100), (200, 399), (400, 1999), (2000, 5999), (6000, 19_950))
"""What each player has put in, from and to; each interval is as likely as the others, each number within as the others."""
EVERY = tuple(range(len(INTERVALS)))
STREETS = ("turn", "river")
BETS = "1+allin"
"""The sizes of bets on both streets, if none are named."""
FASTER = (1.5, 0.5, 4.0)
"""Discounts by which values settle soonest: negative regrets are kept longer than by DCFR's (1.5, 0, 2), early iterations
count less. benchmarks/labels.py prints how far values are from those of a long solve by either."""


@frozen(eq=False)
class Situation:
    """A public state and both ranges."""

    seed: int
    number: int
    board: tuple[int, ...]
    half_pot: int
    """The chips that each player has put in."""
    ranges: Float64s
    """(2, 1326) probabilities by seat (seat 0 acts first); zero for hands that the board blocks."""

    @property
    def interval(self) -> int:
        """The number of the interval that the pot is from."""
        return next(k for k, (_, most) in enumerate(INTERVALS) if self.half_pot <= most)


@frozen(eq=False)
class Labels:
    """What a situation is worth."""

    values: Float32s
    """(2, 1326) what each hand wins, net, of the opponent's range: counterfactual values, in chips divided by the divisor."""
    exploitability: float
    """How far the strategies behind it are from equilibrium, in % of the whole pot."""


def situation(seed: int, number: int, street: str = "turn", intervals: Sequence[int] = EVERY) -> Situation:
    """Return situation ``number`` (from 0) of ``seed``, with a pot from one of ``intervals``.

    Raises:
        UsageError: a street that is neither turn nor river.
    """
    if street not in STREETS:
        raise UsageError(f"Situations are drawn on the {' and the '.join(STREETS)}. Got {street!r}.")

    def uniform(what: str, count: int) -> Float64s:
        return Rows(np.array([derive(seed, street, number, what)], np.uint64)).random(count).reshape(-1)

    half_pot = pot_law(uniform("interval", 2)[0], uniform("pot", 2)[0], intervals)
    dealt = np.argsort(uniform("board", 52), kind="stable")[: 4 + STREETS.index(street)]
    board = tuple(int(card) for card in dealt)
    strengths = range_equity(uniform_range(), uniform_range(), board).by_hand[0]
    hands = legal_hands(board)
    ranges = np.zeros((2, COUNT))
    for seat in range(2):
        ties = uniform(f"ties {seat}", len(hands))
        order = hands[np.lexsort((ties, np.round(strengths[hands], 9)))]
        ranges[seat] = random_range(order, uniform(f"range {seat}", len(hands)))
    return Situation(seed, number, board, half_pot, ranges)


def legal_hands(board: Sequence[int]) -> Int64s:
    """Return (H,) the numbers of the hands that ``board`` leaves, in order."""
    return np.flatnonzero(left_by(board))


def pot_law(interval: float, pot: float, intervals: Sequence[int] = EVERY) -> int:
    """Return what each player has put in, from two uniform numbers: one chooses the interval, one the chips in it."""
    least, most = INTERVALS[intervals[int(len(intervals) * interval)]]
    return least + int((most - least + 1) * pot)


def random_range(order: Int64s, uniforms: Float64s) -> Float64s:
    """Return (1326,) probabilities over hands ``order`` (n,), the weakest first: R(S, p) of the supplement with p = 1.

    The weaker half (rounded down) gets a part of the probability that is uniform in ``uniforms`` (n - 1 or more), the
    stronger half the rest, and so on down to single hands.
    """
    mass = np.zeros(len(order))
    mass[:1] = 1.0
    for firsts, middles, used in _halvings(len(order)):
        whole = mass[firsts]
        mass[firsts] = whole * uniforms[used]
        mass[middles] = whole - mass[firsts]
    out = np.zeros(COUNT)
    out[order] = mass
    return out


@cache
def _halvings(count: int) -> list[tuple[Int64s, Int64s, Int64s]]:
    """Return how ``count`` hands are halved, level by level: where parts begin, their middles, and which uniforms part them.

    A part's probability stands where it begins. The uniforms are used in order of depth, the weaker halves first.
    """
    levels: list[tuple[Int64s, Int64s, Int64s]] = []
    parts = [(0, count, 0)]
    while parts := [part for part in parts if part[1] - part[0] > 1]:
        first, end, used = np.array(parts, np.int64).T
        middle = first + (end - first) // 2
        levels.append((first, middle, used))
        weaker, stronger = (first, middle, used + 1), (middle, end, used + middle - first)
        parts = [*zip(*weaker, strict=True), *zip(*stronger, strict=True)]
    return levels


def situation_tree(one: Situation, bets: str = BETS) -> PublicTree:
    """Return the public tree of a situation to the end of the game. Raises UsageError: ``bets`` cannot be read."""
    streets = STREETS[len(one.board) - 4 :]
    betting = street_betting(2 * one.half_pot, len(streets), minimum=100)
    return betting_tree(betting, (STACK, STACK), menus(bets, streets))


def labels(
    one: Situation,
    iterations: int,
    divisor: Literal["player", "pot"] = "player",
    bets: str = BETS,
    discounts: str | tuple[float, float, float] = "dcfr",
) -> Labels:
    """Solve a situation to the end of the game, and return what every hand is worth.

    Args:
        divisor: values are in units of what each player has put in, or of the whole pot.
        discounts: as a :class:`~cardai.poker.ranges.solver.Solver` takes them for its ``variant``.
    """
    tree, pot = situation_tree(one, bets), 2 * one.half_pot
    boards = deal_boards(HOLDEM, one.board, len(tree.streets), one.ranges, every=True)
    solver = Solver(Layout(tree, HOLDEM, boards), one.ranges, variant=discounts)
    solver.run(iterations)
    out = np.zeros((2, COUNT), np.float32)
    for seat in range(2):
        out[seat, solver.hands] = solver.root_values(seat)[0] / (one.half_pot if divisor == "player" else pot)
    return Labels(out, 100 * solver.measure().exploitability / pot)
