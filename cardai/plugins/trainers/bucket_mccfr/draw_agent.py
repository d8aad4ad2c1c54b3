"""The player of draw poker: the public node, the draws and the bucket are looked up."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.core.spec import brief
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.buckets import DrawBuckets, place_hands
from cardai.plugins.trainers.bucket_mccfr import _draw_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.draw_layout import DrawLayout


class DrawBucketAgent(Agent):
    """Plays a table of weights over the information sets of a layout: proportionally, or with ``purify`` the likeliest
    action alone. Which cards go, the best draw of the chosen size says.
    """

    ignores_suits: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        layout: DrawLayout,
        buckets: DrawBuckets,
        table: npt.NDArray[np.float32],
        purify: bool,
        name: str,
    ) -> None:
        self.game, self.layout, self.table, self.purify, self.name = game, layout, table, purify, name
        self.known = buckets.known()

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, f"{self.name} was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        nodes, found = self.layout.nodes, np.empty((len(views), 3), np.int64)
        kernels.follow(nodes, np.ascontiguousarray(views["history"], np.int64), FIRST_DISCARD, found)
        self._check(views, found)
        at = nodes.node[found[:, 0]]
        done = at[np.arange(len(at)), kernels.DRAWN + at[:, kernels.ACTOR]]
        _, places, masks = place_hands(self.known, views["hand"], done)
        out = np.zeros((len(views), self.game.num_distinct_actions))
        kernels.answer(nodes, found, places, masks, self.table, self.purify, FIRST_DISCARD, out)
        return out

    def _check(self, views: Views, found: npt.NDArray[np.int64]) -> None:
        """Raise UsageError for betting that is not known, or where nobody acts."""
        known = found[:, 0] >= 0
        known[known] = self.layout.nodes.node[found[known, 0], kernels.KIND] <= kernels.DRAW
        if not known.all():
            history = [int(x) for x in views["history"][int(np.flatnonzero(~known)[0])] if x >= 0]
            raise UsageError(f"{self.name} does not know the betting {history}: it is not of {brief(self.game)}.")
