"""What an event teaches: targets for the values of choices, known exactly, observed, or not at all; and which are kept."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.poker.ranking import rank_high
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn.choices import FIRST_DISCARD, Choices
from cardai.learn.selfplay import Events, draws_of

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Counterfactuals = Literal["none", "published", "all"]
STAND_PAT = FIRST_DISCARD + 5
_TWO_PAIR, _STRAIGHTS_AND_FLUSHES = 2, (4, 5, 8)  # categories of cardai.cards.poker.ranking


@frozen
class Teaching:
    """How targets are made.

    ``unit`` chips count 1. What is won beyond the pot of the moment, or lost beyond the bet to call, counts ``discount``.
    Folding is worth 0 wherever it is legal. ``counterfactuals``: "all" teaches every other choice that would have ended
    the hand at once; "published" only calls and checks that do, and no ties (Poker-CNN: a last-round fold or raise teaches
    calling, a last-round bet in position teaches checking behind). ``illegal``: what illegal choices are taught (None:
    nothing).
    """

    unit: float
    discount: float = 1.0
    counterfactuals: Counterfactuals = "all"
    illegal: float | None = None

    def targets(self, events: Events, choices: Choices) -> tuple[Floats, Floats]:
        """Return targets (n, C) in units and a mask (n, C) of those that are taught."""
        rows = np.arange(len(events))
        exact = ~np.isnan(events.known) & events.legal
        if self.counterfactuals != "all":
            exact[:, 2:] = False
        if self.counterfactuals == "none":
            exact[:, 1] = False
        elif self.counterfactuals == "published":
            exact[:, 1] &= ~_ties(events)
        target = np.where(exact, events.known, 0.0).astype(np.float32)
        mask = exact.astype(np.float32)
        other, choice = np.nonzero(~np.isnan(events.branched))
        target[other, choice] = discounted(events.branched[other, choice], events.views[other], self.discount)
        mask[other, choice] = 1.0
        target[rows, events.chosen] = discounted(events.values, events.views, self.discount)
        mask[rows, events.chosen] = 1.0
        target /= self.unit
        if self.illegal is not None:
            illegal = choices.same_kind(events.legal) & ~events.legal
            target[illegal] = self.illegal
            mask[illegal] = 1.0
        return target, mask


def last_round(game: Game) -> int:
    """Return the number of the last betting round, -1 where views do not say the round."""
    return next((f.maximum for f in game.view_fields if f.name == "round"), -1)


def _ties(events: Events) -> Mask:
    """Say where calling would end the hand with nothing won or lost: (n,)."""
    if "player" not in (events.views.dtype.names or ()) or "spent" not in (events.views.dtype.names or ()):
        return np.zeros(len(events), bool)
    players = events.views["player"].astype(np.int64)
    spent = events.views["spent"][np.arange(len(events)), players]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(events.known[:, 1] - spent) < 1e-6)


def discounted(values: npt.NDArray[Any], views: Views, discount: float) -> npt.NDArray[Any]:
    """Return values (n,) with what lies beyond the pot, or beyond the bet to call, counted ``discount``."""
    names = views.dtype.names or ()
    if discount == 1.0 or not {"pot", "to_call"} <= set(names):
        return values
    pot = views["pot"].astype(np.float64)
    bet = views["to_call"].astype(np.float64)
    above = np.where(values > pot, pot + discount * (values - pot), values)
    return np.where(values < -bet, -bet + discount * (values + bet), above)


def thinned(events: Events, share: float, seed: int, last_round: int) -> Events:
    """Return a ``share`` of the events, drawn by hand and place in it, and all the important ones."""
    if share >= 1.0 or not len(events):
        return events
    return events.take(np.flatnonzero((draws_of(events, seed) < share) | important(events, last_round)))


def important(events: Events, last_round: int) -> Mask:
    """Say which events Poker-CNN always keeps, by the fields that views have: (n,).

    Raises in the last round; in draw games standing pat, and straights and flushes; in board games two pair or better,
    and last-round hands no better than the board.
    """
    views, names = events.views, set(events.views.dtype.names or ())
    out = np.zeros(len(events), bool)
    if "round" in names:
        out |= (events.chosen == 2) & (views["round"] == last_round)
    if {"hand", "draws_left"} <= names and views["hand"].shape[1] == 5:
        out |= (events.chosen == STAND_PAT) & events.legal[:, STAND_PAT:].any(axis=1)
        whole = np.flatnonzero((views["hand"] >= 0).all(axis=1))
        out[whole] |= np.isin(rank_high(views["hand"][whole]) >> 26, _STRAIGHTS_AND_FLUSHES)
    if {"hole", "board"} <= names and (views["hole"].shape[1:], views["board"].shape[1:]) == ((2,), (5,)):
        out |= _made_hands(views)
    return out


def _made_hands(views: Views) -> Mask:
    cards = np.concatenate([views["hole"], views["board"]], axis=1)
    dealt = (views["board"] >= 0).sum(axis=1)
    out = np.zeros(len(views), bool)
    for count in (3, 4, 5):
        rows = np.flatnonzero(dealt == count)
        if not len(rows):
            continue
        category = rank_high(cards[rows, : 2 + count]) >> 26
        out[rows] = category >= _TWO_PAIR
        if count == 5:
            out[rows] |= category == rank_high(views["board"][rows]) >> 26
    return out
