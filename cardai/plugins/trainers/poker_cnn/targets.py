"""What an event teaches: targets for the values of actions, known exactly, observed, or not at all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.learn.selfplay import Events

Floats = npt.NDArray[np.float32]


def targets(
    events: Events, unit: float, discount: float, counterfactuals: bool, illegal_value: float | None
) -> tuple[Floats, Floats]:
    """Return targets (n, A) in units of ``unit`` and a mask (n, A) of those that are known.

    The action taken is worth what it brought; winnings beyond the pot of the moment and losses beyond the bet to call
    count ``discount`` (Poker-CNN, 0.9). Folding is worth 0 wherever it is legal. ``counterfactuals``: every other action
    that would have ended the hand at once is known too. ``illegal_value``: what illegal actions are taught (None: nothing).
    """
    rows = np.arange(len(events))
    target = np.zeros(events.legal.shape, np.float32)
    mask = np.zeros(events.legal.shape, np.float32)
    exact = ~np.isnan(events.known)
    if not counterfactuals:
        exact[:, 1:] = False
    target[exact] = events.known[exact]
    mask[exact] = 1.0
    target[rows, events.actions] = discounted(events, discount)
    mask[rows, events.actions] = 1.0
    target /= unit
    if illegal_value is not None:
        target[~events.legal] = illegal_value
        mask[~events.legal] = 1.0
    return target, mask


def discounted(events: Events, discount: float) -> npt.NDArray[np.float64]:
    """Return the events' values with what lies beyond the pot, or beyond the bet to call, counted ``discount``."""
    values = events.values
    names = events.views.dtype.names or ()
    if discount == 1.0 or not {"pot", "to_call"} <= set(names):
        return values
    pot = events.views["pot"].astype(np.float64)
    bet = events.views["to_call"].astype(np.float64)
    above = np.where(values > pot, pot + discount * (values - pot), values)
    return np.where(values < -bet, -bet + discount * (values + bet), above)
