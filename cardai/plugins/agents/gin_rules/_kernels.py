"""The rule-based gin players' decisions, a batch at a time: draw, discard, knock, show.

Card sets inside are in gin order (ace low); a view's are in the house's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import uniform
from cardai.gin._melds_kernels import (
    SUITS,
    U0,
    U1,
    best_melded,
    deadwood_of,
    lowest,
    points_of,
    run_cards,
    size_of,
    to_gin,
    triple_ranks,
)
from cardai.gin._play_kernels import bit_of, least_deadwood, min_deadwood_discards, show_best
from cardai.gin.actions import (
    ASK_KNOCK,
    DISCARD,
    KNOCK,
    OFFER,
    PASS,
    PLAY_ON,
    SHOW,
    STOCK,
    TAKE,
    WALL,
)
from cardai.plugins.agents.gin_rules._discard_kernels import discard, triangle_cards

# draw policies
DRAW_RANDOM = 0
DRAW_IMMEDIATE = 1
DRAW_FUTURE = 2
DRAW_DECK = 3
# how a knock threshold says "by the rules"
KNOCK_BY_RULES = -1


@kernel
def act(views: Any, legal: Any, seeds: Any, options: Any, out: Any) -> None:
    """Write one action a view. ``seeds`` (n,) uint64 are the random numbers' streams, ``options`` an array of one
    record: handing a record to a kernel takes longer.
    """
    own = options[0]
    likelihood = np.zeros(52, np.int64)
    for i in range(len(views)):
        view = views[i]
        phase = view["phase"]
        if phase == DISCARD:
            action = discard(view, own, seeds[i], likelihood)
            if legal[i, KNOCK]:
                action = KNOCK  # big gin
            elif not legal[i, action]:
                action = least_deadwood(view, legal[i], seeds[i])
            out[i] = action
        elif phase == ASK_KNOCK:
            out[i] = KNOCK if _knocks(view, own) else PLAY_ON
        elif phase == OFFER:
            out[i] = TAKE if _takes(view, own, seeds[i]) else PASS
        elif phase == WALL:
            out[i] = TAKE if legal[i, TAKE] and _knocks_at_wall(view, own) else PASS
        elif phase == SHOW:
            out[i] = show_best(view, seeds[i])
        else:
            out[i] = TAKE if _takes(view, own, seeds[i]) else STOCK


# -- draw ----------------------------------------------------------------------------------------------------------


@kernel
def _takes(view: Any, options: Any, seed: Any) -> Any:
    policy = options["draw"]
    if policy == DRAW_DECK:
        return False
    if policy == DRAW_RANDOM:
        return uniform(seed, 0) < options["take_chance"]
    card = bit_of(view["up_card"])
    hand = to_gin(view["hand"]) | card
    if (run_cards(hand) | (triple_ranks(hand) * SUITS)) & card != U0:
        return True
    if policy == DRAW_IMMEDIATE:
        return False
    if card & (((U1 << np.uint64(options["always_take"])) - U1) * SUITS) != U0:
        return True
    moves = view["own_turns"] if options["own_moves"] else view["turns"]
    if moves >= options["triangle_moves"]:
        return False
    loose = hand & ~best_melded(hand)
    return triangle_cards(loose) & card != U0


@kernel
def _knocks(view: Any, options: Any) -> Any:
    hand = to_gin(view["hand"])
    loose = hand & ~best_melded(hand)
    deadwood = points_of(loose)
    if options["knock_at"] != KNOCK_BY_RULES:
        return deadwood <= options["knock_at"]
    if deadwood == 0:
        return True
    player = view["player"]
    lead = view["score"][player] - view["score"][1 - player]
    if lead >= options["lead"] or -lead >= options["trail"]:
        return False
    turn = view["turns"] if options["both_turns"] else view["own_turns"]
    if turn < options["early"] or turn > options["late"]:
        return True
    if deadwood <= options["low"]:
        return True
    if size_of(loose) < options["few_cards"]:
        return False
    return options["otherwise"]


@kernel
def _knocks_at_wall(view: Any, options: Any) -> Any:
    """Whether to take the face-up card at the wall and knock: by threshold, or whenever it is allowed."""
    if options["knock_at"] == KNOCK_BY_RULES:
        return True
    hand = to_gin(view["hand"]) | bit_of(view["up_card"])
    discards = min_deadwood_discards(hand, hand)
    return deadwood_of(hand ^ lowest(discards)) <= options["knock_at"]
