"""Situations drawn at random, as DeepStack drew them, and what they are worth: the examples of counterfactual value networks.

Moravcik et al., "DeepStack" (2017), supplement: a pot from five intervals, a board at random, and ranges that spread their
weight over the hands in order of strength, halving at random. A situation is named by a seed and its number: the same
number is the same situation, whoever makes it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from attrs import frozen

from cardai.cards.poker.combos import COUNT
from cardai.cards.poker.equity import range_equity, uniform_range
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.rng import Rows, derive
from cardai.subgames.hands import HoldemHands, deal_boards
from cardai.subgames.layout import Layout
from cardai.subgames.menus import menus
from cardai.subgames.solver import Solver
from cardai.subgames.tree import betting_tree, street_betting

STACK = 20_000
"""Each player's chips before the hand: 200 big blinds of 100."""
INTERVALS = ((100, 100), (200, 399), (400, 1999), (2000, 5999), (6000, 19_950))
"""What each player has put in, from and to; each interval is as likely as the others, each number within as the others."""
STREETS = ("turn", "river")


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


def situation(seed: int, number: int, street: str = "turn") -> Situation:
    """Return situation ``number`` (from 0) of ``seed``.

    Raises:
        UsageError: a street that is neither turn nor river.
    """
    if street not in STREETS:
        raise UsageError(f"Situations are drawn on the {' and the '.join(STREETS)}. Got {street!r}.")

    def uniform(what: str, count: int) -> Float64s:
        return Rows(np.array([derive(seed, street, number, what)], np.uint64)).random(count).reshape(-1)

    least, most = INTERVALS[int(len(INTERVALS) * uniform("interval", 2)[0])]
    half_pot = least + int((most - least + 1) * uniform("pot", 2)[0])
    dealt = np.argsort(uniform("board", 52), kind="stable")[: 4 + STREETS.index(street)]
    board = tuple(int(card) for card in dealt)
    strengths = range_equity(uniform_range(), uniform_range(), board).by_hand[0]
    hands = np.flatnonzero(~np.isin(HoldemHands().cards, board).any(axis=1))
    ranges = np.zeros((2, COUNT))
    for seat in range(2):
        ties = uniform(f"ties {seat}", len(hands))
        order = hands[np.lexsort((ties, np.round(strengths[hands], 9)))]
        ranges[seat] = random_range(order, uniform(f"range {seat}", len(hands)))
    return Situation(seed, number, board, half_pot, ranges)


def random_range(order: Int64s, uniforms: Float64s) -> Float64s:
    """Return (1326,) probabilities over hands ``order`` (n,), the weakest first: R(S, p) of the supplement with p = 1.

    The weaker half (rounded down) gets a part of the probability that is uniform in ``uniforms`` (n - 1 or more), the
    stronger half the rest, and so on down to single hands.
    """
    out = np.zeros(COUNT)
    parts, used = [(0, len(order), 1.0)], 0
    while parts:
        first, end, probability = parts.pop()
        if end - first == 1:
            out[order[first]] = probability
            continue
        middle = first + (end - first) // 2
        weaker = probability * float(uniforms[used])
        used += 1
        parts += [(middle, end, probability - weaker), (first, middle, weaker)]
    return out


def labels(
    one: Situation, iterations: int, divisor: Literal["player", "pot"] = "player", bets: str = "1+allin"
) -> Labels:
    """Solve a situation to the end of the game, and return what every hand is worth.

    Args:
        divisor: values are in units of what each player has put in, or of the whole pot.
    """
    streets = STREETS[len(one.board) - 4 :]
    pot = 2 * one.half_pot
    tree = betting_tree(street_betting(pot, len(streets), minimum=100), (STACK, STACK), menus(bets, streets))
    boards = deal_boards(HoldemHands(), one.board, len(streets), one.ranges, every=True)
    solver = Solver(Layout(tree, HoldemHands(), boards), one.ranges)
    solver.run(iterations)
    out = np.zeros((2, COUNT), np.float32)
    for seat in range(2):
        out[seat, solver.hands] = solver.root_values(seat) / (one.half_pot if divisor == "player" else pot)
    return Labels(out, 100 * solver.measure().exploitability / pot)
