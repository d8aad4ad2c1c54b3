"""A hold'em player of few rules: raises, calls or folds by thresholds on the chance to beat a random hand."""

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
from cardai.poker.kinds import spread

_CHANCE = [validators.ge(0.0), validators.le(2.0)]


@frozen
class Threshold(Agent):
    """Raises with a chance above ``raise_above`` (more for each bet faced), calls above the price, else checks or folds.

    No-limit raises are the smallest legal. Of the most that anybody can win in heads-up limit hold'em, it takes 98 % from
    always-call, 88 % from always-raise, 79 % from the ACPC's example player and 33 % from a uniformly random one
    (``python benchmarks/poker_players.py``).
    """

    raise_above: float = option(0.55, help="The chance that is bet.", validator=_CHANCE)
    per_raise: float = option(0.06, help="What each bet of the round adds to that.", validator=_CHANCE)
    call_above: float = option(1.0, help="The chance that calls, as a multiple of the pot's price.", validator=_CHANCE)
    samples: int = option(
        1000, help="Deals behind a flop's or turn's chance; 0: all of them.", validator=validators.ge(0)
    )

    def for_game(self, game: Game) -> Agent:
        if not deals_holdem(game):
            raise UsageError(
                f"threshold plays hold'em (52 cards, two in the hole). {brief(game)} is {described(game)}."
            )
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        chance = win_rates(views["hole"], views["board"], self.samples)
        price = views["to_call"] / np.maximum(views["pot"] + views["to_call"], 1)
        raising = chance >= self.raise_above + self.per_raise * views["raises"]
        calling = ~raising & (chance >= self.call_above * price)
        weights = np.stack([~raising & ~calling, calling, raising], axis=1).astype(np.float64)
        return spread(weights, mask)


@hookimpl
def cardai_agent() -> type[Threshold]:
    """Offer the player."""
    return Threshold
