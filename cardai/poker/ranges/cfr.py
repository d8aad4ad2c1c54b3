"""The loop of discounted CFR over ranges, and what it has found; back ends walk the tree.

Zinkevich et al. 2007 (CFR); Johanson et al., "Accelerating best response calculation in large extensive games" (2011), for
public trees and hands as vectors; Brown and Sandholm 2019 for the discounts. Updates alternate, averages are weighted by the
player's reach. A back end solves M subgames that differ in ranges, boards or chips, and not in the shape of their trees:

lanes   one subgame, streets behind streets, in vector instructions (:mod:`.solver`)
rows    many small ones on one board, the vectors over subgames (:mod:`.rows`)
torch   many large ones, dense showdowns on a GPU (:mod:`.torch_cfr`)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from attrs import field, frozen, validators

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.schema import whole
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.hands import Hands
from cardai.solve.discounting import VARIANTS, discount, kept

Variant = str | tuple[float, float, float]
"""A name of :data:`cardai.solve.discounting.VARIANTS` without prediction, or (alpha, beta, gamma)."""


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


class RangeCfr(ABC):
    """CFR under way in M subgames.

    Args:
        numbers: (M, n) the hands' numbers, in order of the vectors. ranges: (M, 2, n) their weights by seat.

    Raises:
        UsageError: the variant predicts regrets.
    """

    def __init__(self, hands: Hands, numbers: Int64s, ranges: Float64s, variant: Variant) -> None:
        self.rule = np.array(VARIANTS[variant][:3] if isinstance(variant, str) else variant, np.float64)
        if isinstance(variant, str) and VARIANTS[variant][3]:
            raise UsageError(f"{variant} predicts regrets, which is not done over ranges. Take dcfr or cfr_plus.")
        self.iterations = 0
        self._hands, self._numbers, self._ranges = hands, numbers, ranges

    def run(self, count: int) -> None:
        """Do ``count`` more iterations."""
        self.iterate(count)
        self.iterations += count

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations after ``self.iterations``: this loop, or the same compiled."""
        alpha, beta, gamma = self.rule.tolist()
        for t in range(self.iterations + 1, self.iterations + count + 1):
            for player in range(2):
                self.half(player, (discount(t - 1, alpha), discount(t - 1, beta), kept(t, gamma, 0.0)))

    def half(self, player: int, discounts: tuple[float, float, float]) -> None:
        """Do the player's half of an iteration: strategies and reach down the tree, values up, regrets.

        Args:
            discounts: what positive and negative regrets are multiplied with, and what is kept of the average.
        """
        raise NotImplementedError  # by those whose loop is compiled

    @abstractmethod
    def forget_average(self) -> None:
        """Begin the average strategies anew: what was done so far is left out of them."""

    @abstractmethod
    def root_values(self, player: int, mode: int = EXPECT) -> Float64s:
        """Return (M, n) what each hand is worth at the root in net chips, times the opponent's weight it can meet.

        Args:
            mode: EXPECT: of the average strategies; RESPOND: of the player's best response to the other's.
        """

    def _met(self, ranges: Float64s) -> None:
        """Measure by other ranges (M, 2, n) from here on."""
        self._ranges = ranges
        self.__dict__.pop("matches", None)

    @cached_property
    def matches(self) -> list[float]:
        """The weight of all pairs of hands that share no card, by subgame."""
        each, cards, places = zip(self._numbers, self._ranges, strict=True), self._hands.cards, self._hands.places
        return [float(both[0] @ meetings(cards[own], both[1], places)) for own, both in each]

    def measures(self) -> list[Measured]:
        """Return the values of the average strategies, and of the best responses to them, of each subgame."""
        found = [[self.root_values(player, mode) for player in range(2)] for mode in (EXPECT, RESPOND)]
        out = []
        for m, (both, matches) in enumerate(zip(self._ranges, self.matches, strict=True)):
            worth = [[float(both[player] @ one[player][m]) / matches for player in range(2)] for one in found]
            out.append(Measured((worth[0][0], worth[0][1]), (worth[1][0], worth[1][1])))
        return out


def meetings(cards: Int64s, weights: Float64s, places: int) -> Float64s:
    """Return (n,) the weight of the hands that share no place with each hand; ``cards`` (n, 2), ``weights`` (n,)."""
    by_place = np.bincount(cards.ravel(), np.repeat(weights, 2), places)
    return np.asarray(weights.sum() - by_place[cards].sum(axis=1) + weights)


@frozen
class SolverSettings:
    """How a subgame is solved, at a decision or as an example.

    The average strategy leaves out the first ``skip`` of ``iterations``. With ``seconds`` it is played from the last iteration
    that was finished in this time.
    """

    iterations: int | tuple[int, ...] = 1000
    """One number, or one a round."""
    skip: int = field(default=0, validator=whole())
    variant: Variant = "dcfr"
    gadget: bool = True
    """Whether the opponent may take what it was promised; without ("unsafe") it holds the range that the last solution
    gave it."""
    believed: float = field(default=0.0, validator=[validators.ge(0), validators.lt(1)])
    """Behind a gadget: how much of the opponent's hands hold that range, and play on whatever was promised; the others are any."""
    seconds: float = 0.0
    hand_seconds: float = 0.0
    """The time for all decisions of a hand; each takes at most half of what is left. 0: no limit."""
    reuse: bool = False
    """Whether a decision that lies in a solution of the same round is taken from it instead of being solved again."""
    threads: int = 1
    dtype: str = "float32"

    def of_round(self, round_: int) -> int:
        """Return the iterations of a decision in ``round_``."""
        return self.iterations if isinstance(self.iterations, int) else self.iterations[round_]
