"""Exact video poker, jacks or better: what every hold of every hand is worth under any pay table, without sampling.

All 2,598,960 hands and 32 holds follow from one sum for every set of at most five cards, by inclusion and exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int8s, Int64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import empty_views
from cardai.core.game import Game
from cardai.draw import _video_poker_kernels as kernels
from cardai.draw.holds import (
    EXACT,
    HANDS,
    HOLDS,
    HoldValues,
    add_hands,
    canonical_hands,
    every_hand,
    new_sums,
)
from cardai.poker.hands.ranking import PAYING_HANDS, paying_category, rank_high

PAY_TABLES = {
    "976-9-6": (0, 1, 2, 3, 4, 6, 9, 25, 50, 976),
    "800-9-6": (0, 1, 2, 3, 4, 6, 9, 25, 50, 800),
}
"""Payouts for a stake of 1 by category (nothing, jacks or better, ..., royal flush). 976-9-6 is the table of Poker-CNN
(Yakovenko et al., AAAI 2016); 800-9-6 is the common "9/6" machine with its maximum bet."""

TINY, SMALL = 0.08, 0.25
"""A mistake costs less than 0.08 stakes (tiny), less than 0.25 (small), or more (big): the classes of Poker-CNN."""
Pays = tuple[int, ...]
Policy = Callable[[Int8s], npt.NDArray[np.floating]]


def pay_table(entries: tuple[str, ...]) -> Pays:
    """Return the payouts by category for a table's name, or for nine numbers from jacks or better to the royal flush.

    Raises:
        ValueError: naming the known tables, for anything else.
    """
    if len(entries) == 1 and entries[0] in PAY_TABLES:
        return PAY_TABLES[entries[0]]
    if len(entries) == 9 and all(entry.isdecimal() for entry in entries):
        return (0, *(int(entry) for entry in entries))
    raise ValueError(
        f"pay_table must be one of {', '.join(PAY_TABLES)}, or nine whole numbers joined with + for {PAYING_HANDS[1]}, "
        f"{', '.join(PAYING_HANDS[2:])}. Got {'+'.join(entries)!r}."
    )


@lru_cache(maxsize=8)
def hold_values(pays: Pays) -> HoldValues:
    """Return the expected payouts of holds under a pay table, computed once a process (0.4 s of CPU, 23 MB)."""
    sums, table = new_sums(np.int64), np.array(pays, np.int64)
    for hands in every_hand():
        add_hands(sums, hands, table[paying_category(hands)])
    return HoldValues(sums)


@frozen
class Exact:
    """How a player plays all hands: exact figures, not estimates.

    ``total`` is the expected return of a stake of 1 and ``best`` that of perfect play. ``optimal``, ``tiny``, ``small`` and
    ``big`` are shares of decisions by what they give up (:data:`TINY`, :data:`SMALL`), and ``lost`` is the return given
    up by the tiny, small and big ones. ``asked`` is how many hands the player was shown.
    """

    total: float
    best: float
    optimal: float
    tiny: float
    small: float
    big: float
    lost: tuple[float, float, float]
    asked: int


def evaluate(pays: Pays, policy: Policy, *, symmetric: bool = False, batch: int = 65_536) -> Exact:
    """Return exact figures of ``policy``, a function from (n, 5) ascending hands to (n, 32) hold probabilities.

    The player is asked about all 2,598,960 hands, cards ascending. ``symmetric`` asks only about the 134,459 that differ by
    more than a renaming of suits: right for a player that treats suits alike, and 19 times as fast.
    """
    values_of = hold_values(pays)
    sums, limits, asked = np.zeros(10), np.array([EXACT, TINY, SMALL]), 0
    for hands, weights in _batches(symmetric, batch):
        kernels.tally(values_of(hands), np.asarray(policy(hands), np.float64), weights, limits, sums)
        asked += len(hands)
    total, best, optimal, _, tiny, lost_1, small, lost_2, big, lost_3 = (float(x) / HANDS for x in sums)
    return Exact(total, best, optimal, tiny, small, big, (lost_1, lost_2, lost_3), asked)


def _batches(symmetric: bool, batch: int) -> Iterator[tuple[Int8s, Float64s]]:
    if not symmetric:
        for hands in every_hand(batch):
            yield hands, np.ones(len(hands))
        return
    hands, weights = canonical_hands()
    for first in range(0, len(hands), batch):
        yield hands[first : first + batch], weights[first : first + batch].astype(np.float64)


def suits_alike(player: Agent) -> bool:
    """Whether a player says (by an attribute ``suits_alike``) that hands which differ by suits' names are played alike."""
    return bool(getattr(player, "suits_alike", False))


def policy_of(player: Agent, game: Game, name: str) -> Policy:
    """Return the probabilities of ``player``'s holds as a function of hands, as :func:`evaluate` takes them.

    Raises:
        UsageError: the player is stateful or has no policy: it cannot be measured exactly.
    """
    if player.stateful or not player.has_policy():
        why = "remembers earlier hands" if player.stateful else "gives no probabilities, only actions"
        raise UsageError(f"{name} cannot be measured exactly: it {why}. Play hands with cardai run instead.")

    def policy(hands: Int8s) -> npt.NDArray[np.floating]:
        views = empty_views(game.view_fields, len(hands))
        views["hand"] = hands
        views["draws_left"] = 1
        chosen = np.asarray(player.policy(views, np.ones((len(hands), HOLDS), np.bool_)))
        if chosen.shape != (len(hands), HOLDS):
            raise AgentError(f"{name} must give probabilities of shape {(len(hands), 32)}. It gave {chosen.shape}.")
        if not np.allclose(chosen.sum(axis=1), 1.0, atol=1e-5) or chosen.min() < 0:
            raise AgentError(f"{name} must give probabilities that sum to 1 in each row. It gave other numbers.")
        return chosen

    return policy


def one_hot(holds: npt.NDArray[np.integer]) -> Float64s:
    """Return (n, 32) probabilities of a player that always holds ``holds`` (n,)."""
    out = np.zeros((len(holds), HOLDS))
    out[np.arange(len(holds)), holds] = 1.0
    return out


def heuristic_holds(hands: npt.NDArray[np.integer]) -> Int64s:
    """Return the hold (n,) of Poker-CNN's one-rule player for ``hands`` (n, 5); the first rule that fits:

    1. A straight or better is kept whole.
    2. With a pair of jacks or better, two pair or trips: keep every rank held twice or more.
    3. With four of a suit, or exactly three that are all ten or better: keep that suit.
    4. With a small pair: keep it.
    5. Otherwise keep nothing.

    Source: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016), the heuristic player.
    """
    cards = np.asarray(hands, np.int64)
    ranks, suits = cards % 13, cards // 13
    value = rank_high(cards)
    category = value >> 26
    bits = 1 << np.arange(5)
    same_rank = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    same_suit = (suits[:, :, None] == suits[:, None, :]).sum(axis=2)
    paired = ((same_rank >= 2) * bits).sum(axis=1)
    suited = same_suit >= 3
    # in a hand of five only one suit can have three cards
    count = suited.sum(axis=1)
    high = (~suited | (ranks >= 8)).all(axis=1)
    draw = (count >= 4) | ((count == 3) & high)
    pair_rank = np.where(same_rank >= 2, ranks, -1).max(axis=1)
    holds = np.where(category == 1, paired, 0)
    holds = np.where(draw, (suited * bits).sum(axis=1), holds)
    holds = np.where((category == 2) | (category == 3) | ((category == 1) & (pair_rank >= 9)), paired, holds)
    return np.asarray(np.where(category >= 4, 31, holds))
