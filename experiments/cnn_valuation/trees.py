"""Gradient-boosted trees from a library (LightGBM), the plain guess that a network must beat: strength, price and betting."""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.learn.imitation.examples import Examples
from cardai.poker.hands.strength import win_rates

ROUNDS = 4
OPTIONS = {
    "num_leaves": 63,
    "learning_rate": 0.08,
    "min_data_in_leaf": 20,
    "num_threads": 1,
    "verbosity": -1,
    "seed": 1,
}
TREES = 200


def by_trees(train: Examples, test: Examples, samples: int = 1000) -> Float64s:
    """Return (n, C) of gradient-boosted trees on what :func:`features` says, over legal classes.

    Raises:
        UsageError: LightGBM is not installed.
    """
    try:
        import lightgbm
    except ImportError:
        raise UsageError("Gradient-boosted trees need LightGBM: pip install lightgbm, or leave --trees out.") from None
    classes = train.legal.shape[1]
    told = {**OPTIONS, "objective": "multiclass", "num_class": classes}
    model = lightgbm.train(told, lightgbm.Dataset(features(train, samples), train.label), TREES)
    found = np.asarray(model.predict(features(test, samples)), np.float64).reshape(len(test), classes)
    weights = np.maximum(found, 1e-9) * test.legal
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def features(examples: Examples, samples: int) -> Float64s:
    """Return (n, F): hand strength, price, street, seat, and how often each seat raised and called on each street."""
    views = examples.views
    strength = win_rates(views["hole"], views["board"], samples)
    price = views["to_call"] / np.maximum(views["pot"] + views["to_call"], 1)
    mine = views["history_seat"] == views["player"][:, None]
    there = views["history"] >= 0
    columns = [strength, price, views["round"], views["player"] == views["button"], views["pot"]]
    for street in range(ROUNDS):
        for raised in (False, True):
            said = there & (views["history_round"] == street) & ((views["history"] >= 2) == raised)
            columns += [(said & mine).sum(axis=1), (said & ~mine).sum(axis=1)]
    return np.column_stack(columns).astype(np.float64)
