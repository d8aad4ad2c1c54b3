"""Poker-CNN's heuristic player for hold'em: bets by the chance to beat a random hand, against a bar that rises."""

from __future__ import annotations

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal, legal_columns
from cardai.core.spec import brief, option
from cardai.poker.contract import deals_holdem, described
from cardai.poker.hands.strength import win_rates
from cardai.poker.heuristic import betting_policy
from cardai.poker.kinds import spread


@frozen
class HoldemHeuristic(Agent):
    """The player that Poker-CNN's first hold'em network learned from. No-limit raises are the smallest legal.

    Source: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016). Its hand value, a network's estimate there, is
    computed here: exact before the flop and on the river, sampled between (``samples``).
    """

    baseline: float = option(
        0.40, help="The bar before the flop, of 1; it rises by the round and by each bet.",
        validator=[validators.ge(0.0), validators.le(1.0)],
    )  # fmt: skip
    samples: int = option(
        1000, help="Deals behind a flop's or turn's hand value; 0: all of them.", validator=validators.ge(0)
    )

    def for_game(self, game: Game) -> Agent:
        if not deals_holdem(game):
            raise UsageError(
                f"holdem_heuristic plays hold'em (52 cards, two in the hole). {brief(game)} is {described(game)}."
            )
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        kinds = np.stack([mask[:, 0], mask[:, 1], mask[:, 2:].any(axis=1)], axis=1)
        values = win_rates(views["hole"], views["board"], self.samples)
        return spread(betting_policy(values, views, kinds, self.baseline), mask)


@hookimpl
def cardai_agent() -> type[HoldemHeuristic]:
    """Offer the player."""
    return HoldemHeuristic
