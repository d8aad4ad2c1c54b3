"""What the opponent at gin holds, learned: the chance of each card given what he took, left, threw away, and the turn.

A logistic regression over cards: the features of :mod:`cardai.gin._belief_kernels`, offset by the log odds that a card
has if all unseen ones are alike. The examples are hands of self-play, where the opponent's cards are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s, Uint64s
from cardai.core.fields import Views, pack_views
from cardai.core.game import Game
from cardai.gin._belief_kernels import BELIEF_SIZE, EVENT_KINDS, belief_examples, chances_rows, odds_rows

_HOUSE = np.array([13 * (card // 13) + (card % 13 + 1) % 13 for card in range(52)])
"""Where in gin order (ace low) each card of the house's order stands."""


@frozen(eq=False)
class Examples:
    """Unseen cards (n): features (n, BELIEF_SIZE) int8, whether the opponent held the card (n,), the even log odds (n,)."""

    features: Any
    held: Float64s
    even: Float64s

    def __len__(self) -> int:
        return len(self.held)


def examples_of(views: Views, hands: Uint64s) -> Examples:
    """Return an example an unseen card of ``views``, whose opponents hold ``hands`` (n,) (card sets)."""
    most = 42 * len(views)  # at most 41 unseen: eleven in hand
    features, held, even = np.zeros((most, BELIEF_SIZE), np.int8), np.zeros(most), np.zeros(most)
    scratch = np.zeros((52, EVENT_KINDS), np.int64)
    count = belief_examples(views, hands, features, scratch, held, even)
    return Examples(features[:count], held[:count], even[:count])


def log_loss(examples: Examples, weights: Float64s | None) -> float:
    """Return the mean of -log of the chance given to what was true; ``weights`` None: all unseen cards alike."""
    score = examples.even if weights is None else examples.even + examples.features @ weights
    return float(np.mean(np.logaddexp(0.0, np.where(examples.held > 0, -score, score))))


def fit_belief(
    examples: Examples,
    seed: int,
    epochs: int = 3,
    rate: float = 0.05,
    batch: int = 4096,
    begin: Float64s | None = None,
) -> Float64s:
    """Return weights (BELIEF_SIZE,) that make the logarithmic loss small, by Adam (Kingma and Ba 2015), from ``begin``."""
    rng = np.random.default_rng(seed)
    first, second = np.zeros(BELIEF_SIZE), np.zeros(BELIEF_SIZE)
    weights = np.zeros(BELIEF_SIZE) if begin is None else begin
    done = 0
    for epoch in range(epochs):
        order = rng.permutation(len(examples))
        for start in range(0, max(1, len(order) - batch + 1), batch):
            rows = order[start : start + batch]
            inputs = examples.features[rows].astype(np.float32)
            chance = 1.0 / (1.0 + np.exp(-(examples.even[rows] + inputs @ weights)))
            slope = inputs.T @ (chance - examples.held[rows]) / len(rows) + 1e-5 * weights
            done += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope * slope
            step = rate * 0.5**epoch * np.sqrt(1 - 0.999**done) / (1 - 0.9**done)
            weights = weights - step * first / (np.sqrt(second) + 1e-8)
    return weights


def chances(views: Views, weights: Float64s) -> Float64s:
    """Return the chance that the opponent holds each card, (n, 52) by card; 1 for cards known, 0 for others seen."""
    out = np.zeros((len(views), 52))
    chances_rows(views, weights, out)
    return np.asarray(out[:, _HOUSE])


def weights_for(game: Game, view: Mapping[str, Any], weights: Float64s) -> Float64s:
    """Return (52,) odds of the opponent's cards: the ``weights`` of ``game.determinize(view, rng, count, weights)``.

    Cards that the viewer has seen weigh 1: they are not drawn.
    """
    out = np.zeros((1, 52))
    odds_rows(pack_views(game.view_fields, [view]), weights, out)
    odds = out[0, _HOUSE]
    return np.asarray(np.where(odds > 0, odds, 1.0))
