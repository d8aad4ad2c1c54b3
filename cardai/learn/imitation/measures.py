"""How well probabilities say what players did: accuracy, macro-F1, log loss; and what a plain guess would reach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai import make
from cardai.core.arrays import Float64s, Int64s, Integers
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.legal import Amounts
from cardai.learn.imitation.examples import Examples
from cardai.learn.policies import legal_softmax

_CHUNK = 4096  # decisions asked at once
_LEAST = 1e-12  # a probability of nothing costs -log of this


@frozen
class Scores:
    """Figures over ``count`` decisions; ``log_loss`` is in nats a decision. Half widths are of 95 % intervals."""

    count: int
    accuracy: float
    macro_f1: float
    log_loss: float
    accuracy_half_width: float = math.nan
    log_loss_half_width: float = math.nan


def scores(probabilities: npt.NDArray[Any], labels: Integers, hands: Integers | None = None) -> Scores:
    """Return the figures of probabilities (n, C) for the classes played (n,); ``hands`` (n,) are those of the decisions.

    Macro-F1 is the plain mean of F1 = 2 TP / (2 TP + FP + FN) over the classes that are played or guessed.
    """
    count, classes = probabilities.shape
    if not count:
        return Scores(0, math.nan, math.nan, math.nan)
    guessed = probabilities.argmax(axis=1)
    hits = guessed == labels
    right = np.bincount(labels[hits], minlength=classes)
    both = np.bincount(labels, minlength=classes) + np.bincount(guessed, minlength=classes)
    f1 = 2 * right[both > 0] / both[both > 0]
    given = np.maximum(probabilities[np.arange(count), labels], _LEAST)
    losses = -np.log(given)
    groups = np.arange(count) if hands is None else hands
    wide = half_width(hits.astype(np.float64), groups), half_width(losses, groups)
    return Scores(count, float(hits.mean()), float(f1.mean()), float(losses.mean()), *wide)


def half_width(values: Float64s, groups: Integers) -> float:
    """Return the half width of the mean's 95 % interval, where values (n,) of one group (n,) may hang together.

    The decisions of a hand do: the groups are drawn, not the values (Liang and Zeger 1986, for a mean).
    """
    _, index = np.unique(groups, return_inverse=True)
    sums = np.bincount(index, values - values.mean())
    return float(1.959964 * np.sqrt((sums**2).sum()) / len(values))


def ceiling(policy: npt.NDArray[Any]) -> float:
    """Return the highest accuracy that can be expected against a player of ``policy`` (n, C): its mean largest chance."""
    return float(policy.max(axis=1).mean())


def divergences(policy: npt.NDArray[Any], learned: npt.NDArray[Any]) -> Float64s:
    """Return the Kullback-Leibler divergence of each row of ``learned`` from ``policy`` (n, C), in nats."""
    terms = np.where(policy > 0, policy * np.log(np.maximum(policy, _LEAST) / np.maximum(learned, _LEAST)), 0.0)
    return np.asarray(terms.sum(axis=1), np.float64)


def brier(probabilities: npt.NDArray[Any], labels: Integers) -> float:
    """Return the Brier score (1950) of probabilities (n, C): the mean squared distance from what happened (n,)."""
    happened = np.zeros(probabilities.shape)
    happened[np.arange(len(labels)), labels] = 1.0
    return float(((probabilities - happened) ** 2).sum(axis=1).mean())


def policy_of(spec: str, game: Game, examples: Examples) -> Float64s:
    """Return a player's probabilities (n, C) at the examples. Raises UsageError for one that has none."""
    player = make.agent(spec).for_game(game)
    if not type(player).has_policy():
        raise UsageError(f"The player {spec!r} has no probabilities, only actions: it cannot be measured so.")
    parts = []
    for start in range(0, len(examples), _CHUNK):
        part = examples.take(slice(start, start + _CHUNK))
        legal: Any = part.legal
        if game.amounts:  # how much a raise may be does not matter for whether there is one
            legal = Amounts(part.legal, np.full(len(part), 2), np.full(len(part), game.num_distinct_actions - 1))
        parts.append(player.policy(part.views, legal))
    return np.concatenate(parts).astype(np.float64)


# -- plain guesses -------------------------------------------------------------------------------------------------


def by_class(train: Examples, test: Examples) -> Float64s:
    """Return (n, C) for ``test`` how often each class is played in ``train``, over legal classes."""
    return by_group(train, np.zeros(len(train), np.int64), test, np.zeros(len(test), np.int64))


def by_group(train: Examples, groups: Int64s, test: Examples, others: Int64s) -> Float64s:
    """Return (n, C) how often each class is played in ``train`` by decisions of the same group, over legal classes.

    ``groups`` (m,) and ``others`` (n,) number the groups of the two sides from 0.
    """
    classes = train.legal.shape[1]
    counts = np.ones((int(max(groups.max(initial=0), others.max(initial=0))) + 1, classes)) * 1e-3
    np.add.at(counts, (groups, train.label), 1.0)
    weights = counts[others] * test.legal
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)


def by_features(train: Examples, x: Float64s, test: Examples, other: Float64s, steps: int = 400) -> Float64s:
    """Return (n, C) of a multinomial logistic regression on features (m, F) and ``other`` (n, F), over legal classes.

    It is fitted by ``steps`` of gradient descent with Nesterov's momentum on the whole of ``train``.
    """
    played = np.zeros(train.legal.shape)
    played[np.arange(len(train)), train.label] = 1.0
    weights = np.zeros((x.shape[1], train.legal.shape[1]))
    speed = np.zeros_like(weights)
    for _ in range(steps):
        ahead = weights + 0.9 * speed
        slope = x.T @ (played - legal_softmax(x @ ahead, train.legal)) / len(x)
        speed = 0.9 * speed + 0.5 * slope
        weights += speed
    return legal_softmax(other @ weights, test.legal)
