"""The players that always do the same in any betting game: always_call, always_raise, always_fold.

Presets:
    always_call: checks and calls whatever comes.
    always_raise: bets and raises while it may.
    always_fold: folds to every bet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent, need_family
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Amounts, Legal, legal_columns
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.poker.fields import POKER
from cardai.poker.kinds import first_raise, last_raise, spread


@frozen
class Always(Agent):
    """Always calls, always raises (calls where it may not), or folds to every bet (and checks).

    Their exact strength in heads-up limit hold'em is known: a best response wins 1163.48 mbb a hand from always-call,
    3697.69 from always-raise and 750 from always-fold (Johanson et al., "Accelerating best response calculation in large
    extensive games", IJCAI 2011; ``cardai evaluate best-response --from preflop`` computes them).
    """

    action: Literal["call", "raise", "fold"] = option("call", help="What it does.")
    size: Literal["min", "max"] = option("min", help="No-limit: the smallest or the largest legal raise.")

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "always_call": {"action": "call"},
        "always_raise": {"action": "raise"},
        "always_fold": {"action": "fold"},
    }

    def for_game(self, game: Game) -> Agent:
        need_family(game, POKER, f"always_{self.action} plays")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        weights = np.zeros((len(mask), 3))
        weights[:, ("fold", "call", "raise").index(self.action)] = 1.0
        return spread(weights, last_raise(mask) if self.size == "max" else first_raise(mask))

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        return self._amounts(legal)

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s]:
        return self._amounts(legal)[:1], np.ones((len(views), 1))

    def _amounts(self, legal: Amounts) -> Int64s:
        return np.asarray(legal.max_amount if self.size == "max" else legal.min_amount, np.int64)


@hookimpl
def cardai_agent() -> Mapping[str, type[Always]]:
    """Offer the player as ``always``."""
    return {"always": Always}
