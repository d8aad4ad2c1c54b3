"""A player that chooses uniformly among the legal actions of any game."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Actions
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Amounts, Legal, legal_columns
from cardai.core.rng import Rows


@frozen
class Random(Agent):
    """Uniform over legal actions; in full no-limit uniform over kinds, and a raise uniform over the amounts."""

    uniform: ClassVar[bool] = True

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        return np.asarray(mask / mask.sum(axis=1, keepdims=True), np.float64)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        from cardai.plugins.agents._random_kernels import choose, choose_amounts

        out = np.empty(len(legal), np.int64)
        if isinstance(legal, Amounts):
            choose_amounts(legal.kinds, legal.min_amount, legal.max_amount, rng.seeds, out)
        else:
            choose(legal, rng.seeds, out)
        return out


@hookimpl
def cardai_agent() -> type[Random]:
    return Random
