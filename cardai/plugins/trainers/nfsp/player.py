"""NFSP's player: the average policy, or on request the best response or the mixture of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float32s, Float64s
from cardai.core.encoder import Layout
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import Views, with_role
from cardai.core.game import Amounts, Game, Legal
from cardai.learn.policies import greedy, legal_softmax
from cardai.plugins.trainers.nfsp._network_kernels import Net
from cardai.plugins.trainers.nfsp.networks import answers_by_seat, sparse_inputs

POLICIES = ("average", "best_response", "mixture")


class NFSPAgent(Agent):
    """Plays with trained networks, one of each role a seat.

    ``eta`` is the best response's share of the mixture; ``scale`` what Q's rewards were multiplied by (None: not known).
    """

    values_of = "chips of the hand, by the best response's network"

    def __init__(
        self,
        nets: Mapping[str, Net],
        game: Game,
        layout: Layout,
        eta: float,
        scale: float | None,
        chosen: Mapping[str, Any],
    ) -> None:
        policy = str(chosen.get("policy", "average"))
        if policy not in POLICIES:
            raise OptionError(f"The option 'policy' must be one of {', '.join(POLICIES)}. Got {policy!r} instead.")
        self._nets, self._game, self._layout = nets, game, layout
        self._chosen, self._eta, self._scale = policy, eta, scale
        looks = with_role(game.view_fields, "player")
        assert looks is not None  # checked when the training began
        self._seat = looks.name

    def for_game(self, game: Game) -> Agent:
        need_game(self._game, game, "This NFSP run was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts):
            raise UsageError("NFSP plays games with a mask of legal actions only.")
        if self._chosen == "best_response":
            return greedy(self._ask("q", views, legal), legal)
        average = legal_softmax(self._ask("policy", views, legal), legal)
        if self._chosen == "average":
            return average
        return (1 - self._eta) * average + self._eta * greedy(self._ask("q", views, legal), legal)

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts) or not self._scale:
            return super().action_values(views, legal)
        return np.where(legal, self._ask("q", views, legal).astype(np.float64) / self._scale, np.nan)

    def _ask(self, role: str, views: Views, legal: Any) -> Float32s:
        """Return the outputs (n, A) of the networks of ``role``, each row by its seat's."""
        codes = self._layout.encode(views).reshape(len(views), -1)
        return answers_by_seat(self._nets, role, sparse_inputs(codes, legal), views[self._seat])
