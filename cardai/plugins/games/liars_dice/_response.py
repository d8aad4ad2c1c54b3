"""Exact best responses in liar's dice for two: one backward pass over the sets of bids made.

Bids only rise, so a public state is the set of bids made, and hands do not depend on one another: with the reach of each
of the H hands of both seats at hand, what a seat can earn from a set on is a vector over its hands (the public tree of
Johanson, Waugh, Bowling and Zinkevich, "Accelerating best response calculation in large extensive games", 2011). The
player is asked in batches for all information sets, H for each of the 2**bids sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.fields import Views, view_dtype
from cardai.core.game import Legal
from cardai.core.progress import tell
from cardai.core.spec import brief
from cardai.plugins.games.liars_dice._hands import chances_of

if TYPE_CHECKING:
    from cardai.plugins.games.liars_dice import LiarsDice

MOST = 20_000_000
"""Information sets up to which it is done: 16 bytes each, beside what the player needs."""
BATCH = 65_536
"""Views that the player is asked about at once, at most (one set's hands more)."""


def best_response(game: LiarsDice, policy: Callable[[int, Views, Legal], Float64s]) -> tuple[Float64s, Float64s] | None:
    """Return values and best responses as :meth:`cardai.core.game.Game.best_response` says; None for a larger game."""
    sets, hands = 1 << game.bids, np.array(game.hands, np.int64)
    if game.players != 2 or sets * len(hands) > MOST:
        return None
    from cardai.plugins.games.liars_dice import _response_kernels as k

    bidding, doubting = np.zeros((sets, len(hands))), np.zeros((sets, len(hands)))
    numbers, asked = np.arange(sets), 0
    size = -(-BATCH // len(hands))
    for seat in range(2):
        own = numbers[np.bitwise_count(numbers) % 2 == seat]
        for start in range(0, len(own), size):
            part = own[start : start + size]
            views = np.zeros(len(part) * len(hands), view_dtype(game.view_fields))
            legal = np.zeros((len(views), game.num_distinct_actions), np.bool_)
            k.situations(part, seat, hands, views, legal)
            k.keep(part, policy(seat, views, legal), bidding, doubting)
            asked += len(views)
            tell(f"asking the player of {brief(game)}", asked, sets * len(hands))
    shown = np.array([[np.isin(hand, (face, game.faces - 1)).sum() for hand in hands] for face in range(game.faces)])
    holds = np.empty((game.bids, len(hands), len(hands)))
    for bid in range(game.bids):
        count = shown[bid % game.faces]
        holds[bid] = np.where(count[:, None] + count[None] > bid // game.faces, 1.0, -1.0)
    expected, best = np.empty(2), np.empty(2)
    k.walk(chances_of(game.dice, game.faces), holds, bidding, doubting, expected, best)
    return expected, best
