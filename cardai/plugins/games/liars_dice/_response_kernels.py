"""Kernels of the best response: what is asked of a player, and the pass over the sets of bids.

A set of bids is a number with a bit a bid. ``bidding`` (2**bids, H) holds, at a set, the chance that its highest bid was
made by a seat that held hand h, and ``doubting`` (2**bids, H) the chance that liar is said to it: each set but the empty one
follows from exactly one other, so that these two are the whole policy of both seats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.plugins.games.liars_dice._kernels import allow, show


@kernel
def _highest(made: Any, number: Any) -> Any:
    """Fill ``made`` (A,) with the bids of the set ``number``; return the highest (-1: none)."""
    last = -1
    for bid in range(len(made) - 1):
        made[bid] = number >> bid & 1
        if made[bid]:
            last = bid
    return last


@kernel
def situations(sets: Any, player: Any, hands: Any, views: Any, legal: Any) -> None:
    """Fill views (m * H,) and legal actions (m * H, A) of ``player`` at the ``sets`` (m,) with each of ``hands`` (H, D)."""
    made = np.zeros(legal.shape[1], np.int8)
    place = 0
    for k in range(len(sets)):
        last = _highest(made, sets[k])
        for h in range(len(hands)):
            for i in range(hands.shape[1]):
                views[place]["dice"][i] = hands[h, i]
            show(player, made, views[place])
            allow(last, legal[place])
            place += 1


@kernel
def keep(sets: Any, answer: Any, bidding: Any, doubting: Any) -> None:
    """Put the probabilities ``answer`` (m * H, A) at the ``sets`` (m,) where the pass looks for them."""
    count, bids = bidding.shape[1], answer.shape[1] - 1
    for k in range(len(sets)):
        for bid in range(bids):
            if sets[k] >> bid == 0:
                for h in range(count):
                    bidding[sets[k] | 1 << bid, h] = answer[k * count + h, bid]
        for h in range(count):
            doubting[sets[k], h] = answer[k * count + h, bids]


@kernel
def walk(chances: Any, holds: Any, bidding: Any, doubting: Any, expected: Any, best: Any) -> None:
    """Fill ``expected`` and ``best`` (2,): what each seat earns by the policy, and by a best response to it.

    ``chances`` (H,) are those of hands, ``holds`` (B, H, H) is 1 where a bid is true of two hands and -1 elsewhere. Depth
    first: the sets on the way hold each seat's ``reach`` (2, H), its best ``answer`` (2, H) from there on and seat 0's
    ``value`` (H,), both weighted by the other's reach.
    """
    bids, count = holds.shape[0], len(chances)
    reach = np.zeros((bids + 1, 2, count))
    answer = np.zeros((bids + 1, 2, count))
    value = np.zeros((bids + 1, count))
    number = np.zeros(bids + 1, np.int64)  # the set at each depth
    bid = np.zeros(bids + 1, np.int64)  # the next bid that is tried there
    reach[0, 0] = chances
    reach[0, 1] = chances
    depth = 0
    begin(0, -1, 0, reach[0], holds, doubting, answer[0], value[0])
    while True:
        if bid[depth] < bids:
            after = number[depth] | np.int64(1) << bid[depth]
            actor = depth % 2
            for h in range(count):
                reach[depth + 1, actor, h] = reach[depth, actor, h] * bidding[after, h]
                reach[depth + 1, 1 - actor, h] = reach[depth, 1 - actor, h]
            bid[depth] += 1
            depth += 1
            number[depth], bid[depth] = after, bid[depth - 1]
            begin(after, bid[depth] - 1, depth % 2, reach[depth], holds, doubting, answer[depth], value[depth])
        elif depth == 0:
            break
        else:
            depth -= 1
            actor = depth % 2
            made = number[depth + 1]
            for h in range(count):
                answer[depth, actor, h] = max(answer[depth, actor, h], answer[depth + 1, actor, h])
                answer[depth, 1 - actor, h] += answer[depth + 1, 1 - actor, h]
                played = bidding[made, h] if actor == 0 else 1.0
                value[depth, h] += played * value[depth + 1, h]
    expected[:] = 0.0
    best[:] = 0.0
    for h in range(count):
        expected[0] += chances[h] * value[0, h]
        best[0] += chances[h] * answer[0, 0, h]
        best[1] += chances[h] * answer[0, 1, h]
    expected[1] = -expected[0]


@kernel
def begin(number: Any, last: Any, actor: Any, reach: Any, holds: Any, doubting: Any, answer: Any, value: Any) -> None:
    """Put into ``answer`` (2, H) and ``value`` (H,) what liar brings at the set ``number``, whose highest bid is ``last``."""
    count = reach.shape[1]
    answer[actor, :] = -np.inf
    answer[1 - actor, :] = 0.0
    value[:] = 0.0
    if last < 0:
        return
    answer[actor, :] = 0.0
    for h in range(count):
        said = reach[actor, h] * doubting[number, h]
        for other in range(count):
            wins = holds[last, h, other]
            answer[actor, h] -= wins * reach[1 - actor, other]
            answer[1 - actor, other] += wins * said
    for h in range(count):
        value[h] = answer[0, h] * doubting[number, h] if actor == 0 else answer[0, h]
