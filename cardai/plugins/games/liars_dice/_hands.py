"""The hands of liar's dice: what dice a seat can have, how likely each is, and dice drawn to agree with a view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.determinize import (
    Source,
    checked_weights,
    hand_seeds,
    need_count,
    need_view,
    played_out,
    seed_of,
)
from cardai.core.errors import UsageError
from cardai.core.game import Setup, Tables
from cardai.core.rng import Rows

if TYPE_CHECKING:
    from cardai.plugins.games.liars_dice import LiarsDice


@cache
def hands_of(dice: int, faces: int) -> tuple[tuple[int, ...], ...]:
    """Return the H hands of ``dice`` dice, each ascending, in lexicographic order."""
    return tuple(combinations_with_replacement(range(faces), dice))


@cache
def chances_of(dice: int, faces: int) -> Float64s:
    """Return (H,) how likely each hand is to be rolled."""
    ways = [factorial(dice) for _ in hands_of(dice, faces)]
    for number, hand in enumerate(hands_of(dice, faces)):
        for times in Counter(hand).values():
            ways[number] //= factorial(times)
    return np.array(ways, np.float64) / float(faces**dice)


def determinize(game: LiarsDice, view: Mapping[str, Any], rng: Source, count: int, weights: Any) -> Tables:
    """Return ``count`` hands as :meth:`LiarsDice.determinize` says."""
    need_count(count)
    need_view(game, view)
    if len(view["dice"]) != game.dice:
        raise UsageError(f"Dice are drawn again once the viewer has all {game.dice}. Got {len(view['dice'])}.")
    hands = np.array(game.hands, np.int64)
    odds = chances_of(game.dice, game.faces) * checked_weights(weights, len(hands), "hands")
    seed, me = seed_of(rng), int(view["player"])
    streams = Rows(hand_seeds(seed, count))
    dice = np.empty((count, game.players, game.dice), np.int64)
    for seat in range(game.players):
        drawn = streams.fork(1000 + seat).choice(np.broadcast_to(odds, (count, len(odds))))
        dice[:, seat] = hands[drawn] if seat != me else view["dice"]
    return played_out(game, view, seed, dice.reshape(count, -1), Setup(), view["history"])
