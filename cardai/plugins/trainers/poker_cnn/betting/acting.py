"""How betting networks play: by their policy, or as the publication's player, with noise and corrections."""

from __future__ import annotations

import numpy as np

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.core.rng import Rows
from cardai.draw.abstraction import DrawCountAbstraction
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.contract import is_draw_poker
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.policies import greedy
from cardai.plugins.trainers.poker_cnn.betting.heads import BettingNetwork
from cardai.plugins.trainers.poker_cnn.betting.options import ActingOptions
from cardai.plugins.trainers.poker_cnn.betting.published import (
    before_draws,
    gumbel_noise,
    kept_more,
    liked_draws,
    repaired,
)
from cardai.poker.fields import POKER, last_round


class BettingAgent(Agent):
    """Networks that play, one of them drawn for each decision. ``policy`` is what they do without noise.

    ``unit`` is the number of chips that counts 1 in values; ``explore`` the chance of a uniformly random legal action.
    """

    values_of = "chips from here on; folding is 0"

    def __init__(
        self,
        networks: tuple[BettingNetwork, ...],
        abstraction: ActionAbstraction,
        acting: ActingOptions,
        game: Game,
        unit: float,
        explore: float = 0.0,
    ) -> None:
        self.networks, self.abstraction, self.acting = networks, abstraction, acting
        self.game, self.unit, self.explore = game, unit, explore
        self.last_round = last_round(game) if game.speaks(POKER) else None
        self.draws = is_draw_poker(game)

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of poker_cnn_betting was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        assert isinstance(legal, np.ndarray)
        offered = self.abstraction.legal(legal)
        return self.abstraction.concrete_policy(views, self._noiseless(views, offered), legal)

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        assert isinstance(legal, np.ndarray)
        offered = self.abstraction.legal(legal)
        values = sum(network.outputs(views, offered)[0] for network in self.networks) / len(self.networks) * self.unit
        return self.abstraction.concrete_values(views, np.where(offered, values, np.nan), legal)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Int64s:
        assert isinstance(legal, np.ndarray)
        return self.abstraction.concrete(views, self.decide(views, self.abstraction.legal(legal), rng)[0])

    def decide(self, views: Views, offered: Bools, rng: Rows) -> tuple[Int64s, Float64s]:
        """Return abstract actions (n,) and the probabilities (n, C) that they were drawn from."""
        a = self.acting
        if a.noise == 0.0 and a.draw_noise == 0.0:
            probabilities = self._noiseless(views, offered)
            return rng.choice(probabilities), probabilities
        drawn = rng.fork(1000).random(offered.shape[1] + 1)
        values, policy = self._drawn_outputs(drawn[:, -1], views, offered)
        noise = gumbel_noise(drawn[:, :-1], a.noise, offered)
        held = self._held(views, offered)
        if a.draw_noise:
            drawn = rng.fork(1002).random(offered.shape[1])
            noise = noise + 2 * a.draw_noise * drawn * liked_draws(views, held, offered.shape[1])
        probabilities = self._probabilities(views, offered, values, policy, noise, held)
        chosen = rng.choice(probabilities)
        if a.refold and self.draws:
            again = (chosen == 0) & offered[:, 0] & before_draws(views)
            chosen = np.where(again, rng.fork(1001).choice(probabilities), chosen)
        return chosen, probabilities

    def _drawn_outputs(self, drawn: Float64s, views: Views, offered: Bools) -> tuple[Float64s, Float64s]:
        """Return the values and the policy (n, C) of the network that random numbers (n,) name for each row."""
        which = np.minimum((drawn * len(self.networks)).astype(int), len(self.networks) - 1)
        values, policy = np.zeros(offered.shape), np.zeros(offered.shape)
        for k, network in enumerate(self.networks):
            rows = np.flatnonzero(which == k)
            if len(rows):
                values[rows], policy[rows] = network.outputs(views[rows], offered[rows])
        return values, policy

    def _noiseless(self, views: Views, offered: Bools) -> Float64s:
        """Return the probabilities (n, C) without noise: the mean over networks."""
        total = np.zeros(offered.shape)
        silence = np.zeros(offered.shape)
        held = self._held(views, offered)
        for network in self.networks:
            total += self._probabilities(views, offered, *network.outputs(views, offered), silence, held)
        total /= len(self.networks)
        if self.acting.refold and self.draws:
            again = np.where(before_draws(views) & offered[:, 0], total[:, 0], 0.0)[:, None]
            fold = total[:, 0] * np.where(again[:, 0] > 0, total[:, 0], 1.0)
            total = total * (1 + again)
            total[:, 0] = fold
        return total

    def _probabilities(
        self, views: Views, offered: Bools, values: Float64s, policy: Float64s, noise: Float64s, held: Int64s
    ) -> Float64s:
        """Return the probabilities (n, C) of abstract actions, given noise (n, C) and the best holds' sizes (n,)."""
        a = self.acting
        by_value = np.zeros(len(views), bool)
        if a.repair and self.last_round is not None:
            values, by_value = repaired(values, views, offered, self.unit, self.last_round)
        values = values + noise
        if a.boost and self.draws:
            boost = a.noise * kept_more(views)
            values[:, 2] += boost
            by_value = by_value | (boost > 0)
        if a.draw_noise:
            by_value = by_value | (held >= 0)
        mix = np.where(by_value, 0.0, a.policy_mix)[:, None]
        mixed = mix * policy + (1 - mix) * greedy(values, offered)
        mixed = (1 - self.explore) * mixed + self.explore * offered / offered.sum(axis=1, keepdims=True)
        rows = np.flatnonzero(held >= 0)
        if len(rows):
            shares = np.asarray(a.draw_shares)
            share = shares[np.clip(views["draws_left"][rows] - 1, 0, len(shares) - 1)][:, None]
            by_hold = np.zeros((len(rows), offered.shape[1]))
            by_hold[np.arange(len(rows)), FIRST_DISCARD + held[rows]] = 1.0
            mixed[rows] = share * mixed[rows] + (1 - share) * by_hold
        return np.asarray(mixed)

    def _held(self, views: Views, offered: Bools) -> Int64s:
        """Return how many cards the best hold keeps (n,), -1 where nothing is drawn or no option asks for it."""
        out = np.full(len(views), -1)
        asked = self.acting.draw_noise > 0 or min(self.acting.draw_shares) < 1.0
        if asked and isinstance(self.abstraction, DrawCountAbstraction):
            rows = np.flatnonzero(offered[:, FIRST_DISCARD:].any(axis=1))
            if len(rows):
                out[rows] = self.abstraction.best_holds(views[rows])[1]
        return out
