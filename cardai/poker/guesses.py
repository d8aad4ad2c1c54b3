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


def by_cuts(train: Examples, test: Examples, samples: int = 1000) -> tuple[Float64s, int]:
    """Return (n, C) of two cuts on hand strength in every betting situation, and in how many situations.

    A situation is the street, how often was raised there, and the price of a call. In each the weakest hands are given
    class 0 (fold), those above the first cut class 1, those above the second class 2, with the fewest errors on ``train``.
    Situations without decisions to fit to are cut as all others together. What a cut says has the share that it had.
    """
    strength = [win_rates(one.views["hole"], one.views["board"], samples) for one in (train, test)]
    groups, others = _priced(train, test)
    out = np.zeros((len(test), train.legal.shape[1]))
    every = _Cuts(strength[0], train.label.astype(np.int64), out.shape[1])
    for group in np.unique(others):
        inside, asked = groups == group, others == group
        cuts = _Cuts(strength[0][inside], train.label[inside].astype(np.int64), out.shape[1]) if inside.any() else every
        out[asked] = cuts.answer(strength[1][asked])
    weights = out * test.legal
    return weights / weights.sum(axis=1, keepdims=True), len(np.unique(groups))


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


def _priced(train: Examples, test: Examples) -> tuple[Int64s, Int64s]:
    """Return (m,) and (n,) the number of each decision's situation."""
    rows = []
    for one in (train, test):
        views = one.views
        price = np.rint(1000 * views["to_call"] / np.maximum(views["pot"] + views["to_call"], 1)).astype(np.int64)
        rows.append(np.stack([views["round"].astype(np.int64), views["raises"].astype(np.int64), price], axis=1))
    _, numbers = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    return numbers[: len(train)].ravel(), numbers[len(train) :].ravel()


class _Cuts:
    """The two cuts that make the fewest errors, and how often each class was played in the three parts."""

    def __init__(self, strength: Float64s, labels: Int64s, classes: int) -> None:
        order = np.argsort(strength, kind="stable")
        rising = strength[order]
        played = np.zeros((len(labels) + 1, 3))
        np.cumsum(np.minimum(labels[order], 2)[:, None] == np.arange(3), axis=0, out=played[1:])
        ends = np.flatnonzero(np.append(True, np.append(np.diff(rising) > 0, True)))  # equal hands stay together
        gained = (played[:, 0] - played[:, 1])[ends]
        first = np.array([int(np.argmax(gained[: k + 1])) for k in range(len(ends))])
        right = gained[first] + (played[:, 1] - played[:, 2])[ends]
        best = int(np.argmax(right))
        cuts = ends[[first[best], best]]
        self.above = np.array([_between(rising, cut) for cut in cuts])
        parts = np.diff(played[[0, *cuts, len(labels)]], axis=0) + 1e-3
        self.shares = np.zeros((3, classes))
        self.shares[:, :3] = parts

    def answer(self, strength: Float64s) -> Float64s:
        """Return (n, C) weights of the classes for hands of ``strength`` (n,)."""
        return np.asarray(self.shares[(strength[:, None] >= self.above).sum(axis=1)], np.float64)


def _between(rising: Float64s, cut: int) -> float:
    """Return a number between the hands below and those above a cut."""
    if cut == 0:
        return -1.0
    return 2.0 if cut == len(rising) else float(rising[cut - 1] + rising[cut]) / 2
