"""Plain guesses at what a player of a betting game does, beside which an imitation is measured."""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.learn.imitation.examples import Examples
from cardai.learn.imitation.measures import by_features, by_group
from cardai.poker.hands.strength import win_rates


def by_situation(train: Examples, test: Examples) -> Float64s:
    """Return (n, C) how often each class is played on the same street, with or without a bet to answer.

    Raises:
        UsageError: the views are of no betting game.
    """
    return by_group(train, _situation(train), test, _situation(test))


def by_strength(train: Examples, test: Examples, samples: int = 200, steps: int = 400) -> Float64s:
    """Return (n, C) of a multinomial logistic regression on hand strength and price (hold'em), over legal classes.

    Strength is the chance against a random hand (``samples`` deals on flop and turn), price the share of the pot after
    calling that a call costs; their squares and product, the street and whether there is a bet go in too.
    """
    return by_features(train, _strength(train, samples), test, _strength(test, samples), steps)


def _situation(examples: Examples) -> Int64s:
    names = examples.views.dtype.names or ()
    if not {"round", "to_call"} <= set(names):
        raise UsageError("Streets and bets are of betting games: these views have no round and to_call.")
    return np.asarray(2 * examples.views["round"].astype(np.int64) + (examples.views["to_call"] > 0), np.int64)


def _strength(examples: Examples, samples: int) -> Float64s:
    """Return the features (n, F) of :func:`by_strength`."""
    views = examples.views
    strength = win_rates(views["hole"], views["board"], samples)
    price = views["to_call"] / np.maximum(views["pot"] + views["to_call"], 1)
    faced = (views["to_call"] > 0).astype(float)
    streets = views["round"][:, None] == np.arange(1, 4)
    columns = [np.ones(len(views)), strength, price, strength**2, price**2, strength * price, faced, faced * strength]
    return np.column_stack([*columns, streets, streets * strength[:, None]]).astype(np.float64)
