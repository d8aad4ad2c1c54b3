"""What only the publication does: which events are kept, noise and corrections when acting, its policy's loss.

Source: the repository of Poker-CNN's authors (``heads=published`` has its outputs, in :mod:`heads`).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.contract import is_draw_poker
from cardai.learn.selfplay import Events, draws_of
from cardai.plugins.trainers.poker_cnn.betting.heads import OFFSET
from cardai.poker.contract import plays_holdem
from cardai.poker.fields import POKER, last_round
from cardai.poker.hands.ranking import rank_high

STAND_PAT = FIRST_DISCARD + 5
_TWO_PAIR, _STRAIGHTS_AND_FLUSHES = 2, (4, 5, 8)  # categories of cardai.poker.hands.ranking
_EULER = 0.5772156649


# -- events ------------------------------------------------------------------------------------------------------------


def ties(events: Events) -> Bools:
    """Say where calling would end the hand of a betting game with nothing won or lost: (n,)."""
    players = events.views["player"].astype(np.int64)
    spent = events.views["spent"][np.arange(len(events)), players]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(events.known[:, 1] - spent) < 1e-6)


def thinned(events: Events, share: float, seed: int, game: Game) -> Events:
    """Return a ``share`` of the events, drawn by hand and place in it, and all the important ones."""
    if share >= 1.0 or not len(events):
        return events
    return events.take(np.flatnonzero((draws_of(events, seed) < share) | important(events, game)))


def important(events: Events, game: Game) -> Bools:
    """Say which events of ``game`` Poker-CNN always keeps: (n,).

    Raises in the last round; in draw games standing pat, and straights and flushes; in board games two pair or better,
    and last-round hands no better than the board.
    """
    views = events.views
    out = np.zeros(len(events), bool)
    if game.speaks(POKER):
        out |= (events.chosen == 2) & (views["round"] == last_round(game))
    if is_draw_poker(game):
        out |= (events.chosen == STAND_PAT) & events.legal[:, STAND_PAT:].any(axis=1)
        whole = np.flatnonzero((views["hand"] >= 0).all(axis=1))
        out[whole] |= np.isin(rank_high(views["hand"][whole]) >> 26, _STRAIGHTS_AND_FLUSHES)
    if plays_holdem(game):
        out |= _made_hands(views)
    return out


def _made_hands(views: Views) -> Bools:
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


# -- acting ------------------------------------------------------------------------------------------------------------


def gumbel_noise(drawn: Float64s, scale: float, offered: Bools) -> Float64s:
    """Return noise (n, C) for values from uniform random numbers (n, C): its mean is half its scale.

    Folding gets none, and betting (action 2) no negative one.
    """
    gumbel = -np.log(-np.log(np.clip(drawn, 1e-12, 1 - 1e-12)))
    noise = scale * (gumbel - _EULER + 0.5)
    noise[:, 0] = np.where(offered[:, 0] & offered[:, 1], 0.0, noise[:, 0])
    if offered.shape[1] > 2:
        noise[:, 2] = np.maximum(noise[:, 2], 0.0)
    return noise


def before_draws(views: Views) -> Bools:
    """Say where the first draw of betting with draws is still to come: (n,)."""
    return np.asarray((views["kept"] < 0).all(axis=1) & (views["draws_left"] > 0))


def kept_more(views: Views) -> Float64s:
    """Return (n,) 1 for who kept more cards than the opponents at the last draw, 2 for who stood pat then, else 0."""
    out = np.zeros(len(views))
    if not len(views):
        return out
    seats = views["spent"].shape[1]
    kept = views["kept"].reshape(len(views), seats, -1).astype(np.int64)
    last = (kept >= 0).all(axis=1).sum(axis=1) - 1  # the last draw that everybody has made
    rows = np.flatnonzero(last >= 0)
    at = kept[rows, :, last[rows]]  # (m, seats)
    mine = at[np.arange(len(rows)), views["player"][rows]]
    most = np.where(np.arange(seats) == views["player"][rows, None], -1, at).max(axis=1)
    out[rows] = (mine > most) * np.where(mine == 5, 2.0, 1.0)
    return out


def liked_draws(views: Views, held: Int64s, count: int) -> Float64s:
    """Return (n, count): 1 at the best hold's number of cards, -1 at unlikely others, 0 elsewhere.

    ``held`` (n,) is that number, -1 where nothing is drawn. The others are standing pat and, after the first draw, two
    cards or more.
    """
    out = np.zeros((len(views), count))
    rows = np.flatnonzero(held >= 0)
    if len(rows):
        first = before_draws(views[rows])
        out[rows, FIRST_DISCARD + 5] = -1.0
        out[rows, FIRST_DISCARD : FIRST_DISCARD + 4] = np.where(first, 0.0, -1.0)[:, None]
        out[rows, FIRST_DISCARD + held[rows]] = 1.0
    return out


def repaired(values: Float64s, views: Views, offered: Bools, unit: float, last_round: int) -> tuple[Float64s, Bools]:
    """Return values (n, C) in a betting game without impossible sizes, and which rows (n,) were changed.

    A check is worth 0 at least; a check that ends the hand (the button's, in the last round) no more than the pot; a call
    that does no more than 95% of the pot and the bet (Poker-CNN).
    """
    pot, bet = views["pot"] / unit, views["to_call"] / unit
    last, free = views["round"] == last_round, views["to_call"] == 0
    ends = last & (views["button"] == views["player"])
    out = values.copy()
    call = out[:, 1]
    call[free] = np.maximum(call[free], 0.0)
    call[free & ends] = np.minimum(call, pot)[free & ends]
    call[~free & last] = np.minimum(call, 0.95 * (pot + bet))[~free & last]
    changed = (np.abs(call - values[:, 1]) > 1e-12) & offered[:, 1]
    return out, np.asarray(changed)


# -- learning ----------------------------------------------------------------------------------------------------------


def weights_loss(
    values: Tensor, weights: Tensor, aim: Tensor, known: Tensor, legal: Tensor, betting_only: bool
) -> Tensor:
    """Return the loss 1 / (1 + sum(w v) / sum(w)), plus a hundredth of (sum(w) - 1)^2, of policy weights w (B, C).

    v (B, C) is the network's value from OFFSET up; where an observed one is ``known``, 0.9 of it and 0.1 of that ``aim``.
    ``betting_only``: how many cards to keep has values alone.
    """
    worth = torch.where(known > 0, 0.9 * values + 0.1 * aim, values) + OFFSET
    worth = worth.clamp(min=0) * legal
    if betting_only:
        weights, worth = weights[:, :FIRST_DISCARD], worth[:, :FIRST_DISCARD]
    betting = legal[:, : weights.shape[1]].any(dim=1)
    total = weights.sum(dim=1)
    mean = (weights * worth).sum(dim=1) / total.clamp(min=1e-6)
    return ((1 / (1 + mean) + 0.01 * (total - 1).square()) * betting).sum() / betting.sum().clamp(min=1)
