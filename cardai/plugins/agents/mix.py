"""A player that folds, calls and raises with fixed probabilities; acpc_mix is the ACPC's example player.

Presets:
    acpc_mix: the example player of the Annual Computer Poker Competition, with its weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent, need_family
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Amounts, Legal, legal_columns
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.poker.fields import POKER
from cardai.poker.kinds import spread


@frozen
class Mix(Agent):
    """Draws fold, call or raise with fixed weights, renormalised over what is legal; no-limit raises are uniform.

    The defaults are those of the Annual Computer Poker Competition's example player. A best response wins 2491.79 mbb a
    hand from it in heads-up limit hold'em.
    """

    fold: float = option(0.06, help="Weight of folding.", validator=validators.ge(0.0))
    call: float = option(0.47, help="Weight of checking or calling.", validator=validators.ge(0.0))
    raises: float = option(0.47, help="Weight of betting or raising.", validator=validators.ge(0.0))

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"acpc_mix": {}}

    def __attrs_post_init__(self) -> None:
        if self.call <= 0:
            raise ValueError(f"call must be above 0, since calling may be all that is legal. Got {self.call}.")

    def for_game(self, game: Game) -> Agent:
        need_family(game, POKER, "mix plays")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return spread(self._weights, legal_columns(legal), move=False)

    @cached_property
    def _weights(self) -> Float64s:
        return np.array([[self.fold, self.call, self.raises]])

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        if len(legal) == 1:  # as a client of the wire asks: the same in Python's numbers
            least, most = legal.min_amount.item(), legal.max_amount.item()
            return np.array([least + int(rng.fork(1000).random().item() * (most - least + 1))], np.int64)
        span = legal.max_amount - legal.min_amount + 1
        return np.asarray(legal.min_amount + (rng.fork(1000).random() * span).astype(np.int64), np.int64)


@hookimpl
def cardai_agent() -> Mapping[str, type[Mix]]:
    """Offer the player as ``mix``."""
    return {"mix": Mix}
