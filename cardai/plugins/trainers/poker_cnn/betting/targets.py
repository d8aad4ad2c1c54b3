"""What an event teaches: targets for the values of abstract actions, known exactly, observed, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Events
from cardai.plugins.trainers.poker_cnn.betting.heads import OFFSET
from cardai.plugins.trainers.poker_cnn.betting.options import LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.published import ties
from cardai.poker.fields import POKER


def make_targets(
    events: Events, game: Game, abstraction: ActionAbstraction, options: LearningOptions
) -> tuple[Float32s, Float32s]:
    """Return targets (n, C) in units, and a mask (n, C) of those that are taught.

    An action taken is worth what it brought; in betting games what is won beyond the pot of the moment, or lost beyond the
    bet to call, counts ``discount``. Folding is worth 0 wherever it is legal. ``counterfactuals``: "all" teaches every other action
    that would have ended the hand at once; "published" only calls and checks that do, and no ties (Poker-CNN: a last-round
    fold or raise teaches calling, a last-round bet in position teaches checking behind). With ``teach_illegal`` what is
    illegal is worth less than any loss.
    """
    rows, bets = np.arange(len(events)), game.speaks(POKER)
    discount = options.discount if bets else 1.0
    exact = ~np.isnan(events.known) & events.legal
    if options.counterfactuals == "published":
        exact[:, 2:] = False
        if bets:
            exact[:, 1] &= ~ties(events)
    target = np.where(exact, events.known, 0.0).astype(np.float32)
    mask = exact.astype(np.float32)
    other, action = np.nonzero(~np.isnan(events.branched))
    target[other, action] = discounted(events.branched[other, action], events.views[other], discount)
    mask[other, action] = 1.0
    target[rows, events.chosen] = discounted(events.values, events.views, discount)
    mask[rows, events.chosen] = 1.0
    target /= options.unit
    if options.teach_illegal:
        illegal = abstraction.same_kind(events.legal) & ~events.legal
        target[illegal] = -OFFSET
        mask[illegal] = 1.0
    return target, mask


def discounted(values: npt.NDArray[Any], views: Views, discount: float) -> npt.NDArray[Any]:
    """Return values (n,) with what lies beyond the pot, or beyond the bet to call, counted ``discount``."""
    if discount == 1.0:
        return values
    pot = views["pot"].astype(np.float64)
    bet = views["to_call"].astype(np.float64)
    above = np.where(values > pot, pot + discount * (values - pot), values)
    return np.where(values < -bet, -bet + discount * (values + bet), above)
