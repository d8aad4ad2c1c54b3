"""Poker-CNN's betting heuristic for limit games: from a hand's value in [0, 1] to weights of fold, call and raise.

Source: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016), the heuristic players of limit hold'em and triple draw.
"""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Bools, Float64s
from cardai.core.fields import Views

ROUND_BASELINE = np.array([0.0, 0.10, 0.15, 0.20])
"""What is added to the baseline from round to round."""

Values = Float64s


def betting_policy(values: Values, views: Views, legal: Bools, baseline: float) -> Values:
    """Return (n, 3) probabilities of fold, call and raise.

    ``values`` (n,) says how good each hand is (hold'em: the chance to beat a random hand; draw games: the best expected
    value of a hold). ``views`` has the standard fields of betting games, ``legal`` (n, 3 or more) the legal actions. A hand
    is good above a bar: ``baseline``, raised by the round and by each bet of the round (the blind not counted). Weights
    start at raise 2, call 2 (1 on the button), fold 0.5 and move with the distance from the bar. What is not legal goes
    to the next tamer action: a raise to a call, a fold to a check.
    """
    bets = views["raises"].astype(np.float64)
    later = np.minimum(views["round"], 3)
    button = views["button"] == views["player"]
    bar = baseline + ROUND_BASELINE[later] + np.where(bets >= 1, 0.05 * bets + 0.05 * (bets - 1), 0.0)
    above, below = np.maximum(values - bar, 0.0), np.maximum(bar - values, 0.0)
    more = np.maximum(bets - 1, 0.0)
    aggression = 0.5 * (bets == 0) + 0.5 * (button & (later >= 2) & (bets == 0)) + 0.5 * (button & (bets < 2))
    raising = np.maximum(2.0 + 30 * above - 10 * below + aggression, aggression)
    calling = np.where(button, 1.0, 2.0) + 0.5 * more
    folding = np.maximum(0.5 - 5 * above + 5 * below - 0.25 * more, 0.0)
    out = np.stack([folding, calling, raising], axis=1)
    for action in (2, 0):
        refused = ~legal[:, action]
        out[refused, 1] += out[refused, action]
        out[refused, action] = 0.0
    return np.asarray(out / out.sum(axis=1, keepdims=True))
