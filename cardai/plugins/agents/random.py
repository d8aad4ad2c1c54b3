"""A player that chooses uniformly among the legal actions of any game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.fields import Views
from cardai.core.game import Actions, Amounts, Legal
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows


@frozen
class Random(Agent):
    """Uniform over legal actions; in full no-limit uniform over kinds, and a raise uniform over the amounts."""

    def policy(self, views: Views, legal: Legal) -> npt.NDArray[np.float64]:
        mask = legal.kinds if isinstance(legal, Amounts) else legal
        return np.asarray(mask / mask.sum(axis=1, keepdims=True), np.float64)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        if isinstance(legal, Amounts):
            return super().act(views, legal, rng)
        from cardai.plugins.agents._random_kernels import choose

        out = np.empty(len(legal), np.int64)
        choose(legal, rng.seeds, out)
        return out

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        span = legal.max_amount - legal.min_amount + 1
        return np.asarray(legal.min_amount + (rng.fork(1000).random() * span).astype(np.int64), np.int64)


@hookimpl
def cardai_agent() -> type[Random]:
    return Random
