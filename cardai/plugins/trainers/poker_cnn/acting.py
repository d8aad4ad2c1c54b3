"""How a betting network plays: values and a policy, with the publication's habits as switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from cardai.core.agent import Agent, need_game
from cardai.core.errors import OptionError
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.core.rng import Rows
from cardai.core.spec import convert
from cardai.learn.choices import FIRST_DISCARD, Choices, KeepChoices
from cardai.plugins.trainers.poker_cnn.heads import Brain, best
from cardai.plugins.trainers.poker_cnn.targets import last_round

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
_EULER = 0.5772156649


@frozen
class Habits:
    """The switches; amounts are in the unit of values.

    ``noise`` is the scale of the Gumbel noise (mean: half of it) on every value but folding's; bets get no negative one.
    ``policy_mix`` is the chance to draw from the policy rather than take the best value. ``repair`` clips impossible
    values. ``boost`` raises a bet's value by ``noise`` for who kept more cards than the opponent, by twice that for who
    stood pat (the size is ours: Poker-CNN's is not published). ``refold`` thinks again, once, about a fold before the
    first draw. What was repaired or boosted is played by value. ``draw_shares``: the chance to decide how many cards to
    keep by the network with 1, 2 and 3 draws left, else the best hold does. ``draw_noise`` is the mean of the random
    bonus on the best hold's number of cards, and of the random malus on standing pat and, after the first draw, on drawing
    two cards or more; such draws are played by value (Poker-CNN has them; that they are uniform, from 0 to twice the mean,
    their size and what counts as a late draw are ours: not published). ``explore`` is the chance of a uniformly random
    legal choice.
    """

    noise: float = 0.0
    policy_mix: float = 1.0
    repair: bool = False
    boost: bool = False
    refold: bool = False
    draw_shares: tuple[float, ...] = (1.0, 1.0, 1.0)
    draw_noise: float = 0.0
    explore: float = 0.0


SWITCHES = ("noise", "policy_mix", "repair", "boost", "refold", "draw_shares", "draw_noise")
"""Habits that a player's spec can change, each an option of the trainer of the same name."""


def changed(habits: Habits, options: Mapping[str, Any]) -> Habits:
    """Return habits with those of SWITCHES that ``options`` (texts, as in specs) name. Raises OptionError."""
    kinds = get_type_hints(Habits)
    given = {name: options[name] for name in SWITCHES if name in options}
    read = {name: convert(text, kinds[name], f"{name} of the trained player") for name, text in given.items()}
    if not read.get("draw_shares", (1.0,)):
        raise OptionError("draw_shares of the trained player must be one number or more, joined with +.")
    return evolve(habits, **read)


class BettingAgent(Agent):
    """Networks that play, one of them drawn for each decision. ``policy`` is what they do without noise."""

    def __init__(self, brains: tuple[Brain, ...], choices: Choices, habits: Habits, game: Game, unit: float) -> None:
        self.brains = brains
        self.choices = choices
        self.habits = habits
        self.unit = unit
        self.game = game
        self.last_round = last_round(game)

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of poker_cnn_betting was trained on")
        return self

    def _probabilities(
        self, views: Views, offered: Mask, values: Floats, policy: Floats, noise: Floats, held: Ints
    ) -> Floats:
        """Return the probabilities (n, C) of choices, given the noise (n, C) and the best holds' sizes (n,)."""
        h = self.habits
        by_value = np.zeros(len(views), bool)
        if h.repair:
            values, by_value = repaired(values, views, offered, self.unit, self.last_round)
        values = values + noise
        if h.boost:
            boost = h.noise * kept_more(views)
            values[:, 2] += boost
            by_value = by_value | (boost > 0)
        if h.draw_noise:
            by_value = by_value | (held >= 0)
        mix = np.where(by_value, 0.0, h.policy_mix)[:, None]
        mixed = mix * policy + (1 - mix) * best(values, offered)
        mixed = (1 - h.explore) * mixed + h.explore * offered / offered.sum(axis=1, keepdims=True)
        rows = np.flatnonzero(held >= 0)
        if len(rows):
            shares = np.asarray(h.draw_shares)
            share = shares[np.clip(views["draws_left"][rows] - 1, 0, len(shares) - 1)][:, None]
            by_hold = np.zeros((len(rows), offered.shape[1]))
            by_hold[np.arange(len(rows)), FIRST_DISCARD + held[rows]] = 1.0
            mixed[rows] = share * mixed[rows] + (1 - share) * by_hold
        return np.asarray(mixed)

    def _held(self, views: Views, offered: Mask) -> Ints:
        """Return how many cards the best hold keeps (n,), -1 where nothing is drawn or no habit asks for it."""
        out = np.full(len(views), -1)
        asked = self.habits.draw_noise > 0 or min(self.habits.draw_shares) < 1.0
        if asked and isinstance(self.choices, KeepChoices):
            rows = np.flatnonzero(offered[:, FIRST_DISCARD:].any(axis=1))
            if len(rows):
                out[rows] = self.choices.best(views[rows])[1]
        return out

    def policy(self, views: Views, legal: Legal) -> Floats:
        assert isinstance(legal, np.ndarray)
        offered = self.choices.legal(legal)
        total = self._quiet(views, offered)
        return self.choices.spread(views, total, legal)

    def _quiet(self, views: Views, offered: Mask) -> Floats:
        """Return the probabilities (n, C) without noise."""
        total = np.zeros(offered.shape)
        silence = np.zeros(offered.shape)
        held = self._held(views, offered)
        for brain in self.brains:
            total += self._probabilities(views, offered, *brain.outputs(views, offered), silence, held)
        total /= len(self.brains)
        if self.habits.refold:
            again = np.where(before_draws(views) & offered[:, 0], total[:, 0], 0.0)[:, None]
            fold = total[:, 0] * np.where(again[:, 0] > 0, total[:, 0], 1.0)
            total = total * (1 + again)
            total[:, 0] = fold
        return total

    def decide(self, views: Views, offered: Mask, rng: Rows) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return choices (n,) and the probabilities (n, C) that they were drawn from."""
        h = self.habits
        if h.noise == 0.0 and h.draw_noise == 0.0:
            probabilities = self._quiet(views, offered)
            return rng.choice(probabilities), probabilities
        drawn = rng.fork(1000).random(offered.shape[1] + 1)
        which = np.minimum((drawn[:, -1] * len(self.brains)).astype(int), len(self.brains) - 1)
        values, policy = np.zeros(offered.shape), np.zeros(offered.shape)
        for k, brain in enumerate(self.brains):
            rows = np.flatnonzero(which == k)
            if len(rows):
                values[rows], policy[rows] = brain.outputs(views[rows], offered[rows])
        gumbel = -np.log(-np.log(np.clip(drawn[:, :-1], 1e-12, 1 - 1e-12)))
        noise = h.noise * (gumbel - _EULER + 0.5)
        noise[:, 0] = np.where(offered[:, 0] & offered[:, 1], 0.0, noise[:, 0])
        if offered.shape[1] > 2:
            noise[:, 2] = np.maximum(noise[:, 2], 0.0)
        held = self._held(views, offered)
        if h.draw_noise:
            drawn = rng.fork(1002).random(offered.shape[1])
            noise = noise + 2 * h.draw_noise * drawn * liked_draws(views, held, offered.shape[1])
        probabilities = self._probabilities(views, offered, values, policy, noise, held)
        chosen = rng.choice(probabilities)
        if h.refold:
            again = (chosen == 0) & offered[:, 0] & before_draws(views)
            chosen = np.where(again, rng.fork(1001).choice(probabilities), chosen)
        return chosen, probabilities

    def act(self, views: Views, legal: Legal, rng: Rows) -> npt.NDArray[np.int64]:
        assert isinstance(legal, np.ndarray)
        return self.choices.actions(views, self.decide(views, self.choices.legal(legal), rng)[0])


def _has(views: Views, *names: str) -> bool:
    return set(names) <= set(views.dtype.names or ())


def before_draws(views: Views) -> Mask:
    """Say where the first draw is still to come (nowhere in games without the field ``kept``)."""
    if not _has(views, "kept", "draws_left"):
        return np.zeros(len(views), bool)
    return np.asarray((views["kept"] < 0).all(axis=1) & (views["draws_left"] > 0))


def kept_more(views: Views) -> Floats:
    """Return (n,) 1 for who kept more cards than the opponent at the last draw, 2 for who stood pat then, else 0."""
    out = np.zeros(len(views))
    if not _has(views, "kept", "player") or not len(views):
        return out
    seats = views["spent"].shape[1] if _has(views, "spent") else 2
    kept = views["kept"].reshape(len(views), seats, -1).astype(np.int64)
    last = (kept >= 0).all(axis=1).sum(axis=1) - 1  # the last draw that everybody has made
    rows = np.flatnonzero(last >= 0)
    at = kept[rows, :, last[rows]]  # (m, seats)
    mine = at[np.arange(len(rows)), views["player"][rows]]
    most = np.where(np.arange(seats) == views["player"][rows, None], -1, at).max(axis=1)
    out[rows] = (mine > most) * np.where(mine == 5, 2.0, 1.0)
    return out


def liked_draws(views: Views, held: Ints, count: int) -> Floats:
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


def repaired(values: Floats, views: Views, offered: Mask, unit: float, last_round: int) -> tuple[Floats, Mask]:
    """Return values (n, C) without impossible sizes, and which rows (n,) were changed.

    A check is worth 0 at least; a check that ends the hand (the button's, in the last round) no more than the pot; a call
    that does no more than 95% of the pot and the bet (Poker-CNN). Views without ``pot`` and ``to_call`` are left alone.
    """
    if not _has(views, "pot", "to_call", "round"):
        return values, np.zeros(len(views), bool)
    pot, bet = views["pot"] / unit, views["to_call"] / unit
    last, free = views["round"] == last_round, views["to_call"] == 0
    ends = last & ((views["button"] == views["player"]) if _has(views, "button", "player") else True)
    out = values.copy()
    call = out[:, 1]
    call[free] = np.maximum(call[free], 0.0)
    call[free & ends] = np.minimum(call, pot)[free & ends]
    call[~free & last] = np.minimum(call, 0.95 * (pot + bet))[~free & last]
    changed = (np.abs(call - values[:, 1]) > 1e-12) & offered[:, 1]
    return out, np.asarray(changed)
