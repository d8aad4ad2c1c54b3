"""The player of a network that has learned to imitate."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float64s
from cardai.core.encoder import Layout
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.legal import Amounts, Legal, legal_columns
from cardai.core.rng import Rows
from cardai.learn.policies import greedy, legal_softmax
from cardai.learn.tensors import in_chunks
from cardai.plugins.trainers.cnn_valuation.ladder import Ladder
from cardai.plugins.trainers.cnn_valuation.player_options import PlayerOptions

VIEWS = 256
"""Encoded at once: planes that stay in the cache are written ten times as fast."""
_RUNG = 1000  # the stream that draws a rung


def outputs(network: nn.Module, layout: Layout, views: Views, device: torch.device) -> Float64s:
    """Return the network's outputs (n, C) for views (n,), encoded some at a time."""
    parts = [
        in_chunks(network, layout.encode(views[k : k + VIEWS]), device) for k in range(0, max(len(views), 1), VIEWS)
    ]
    return np.concatenate(parts).astype(np.float64)


class ImitationAgent(Agent):
    """Plays by the classes' probabilities: the likeliest, or drawn.

    In no-limit raises are the rungs of a ``ladder``: raising is as likely as all of them together, and the rung is drawn too
    (or the likeliest).
    """

    def __init__(
        self,
        network: nn.Module,
        layout: Layout,
        game: Game,
        device: torch.device,
        options: PlayerOptions,
        ladder: Ladder | None,
    ) -> None:
        self.network, self.layout, self.game, self.device = network, layout, game, device
        self.likeliest, self.temperature, self.ladder = options.act == "argmax", options.temperature, ladder

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of cnn_valuation was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        probabilities = self._classes(views, legal)
        if self.ladder is not None:
            probabilities = self.ladder.kinds(probabilities)
        return greedy(probabilities, legal_columns(legal)) if self.likeliest else probabilities

    def _classes(self, views: Views, legal: Legal) -> Float64s:
        columns = legal_columns(legal)
        columns = columns if self.ladder is None else self.ladder.legal(columns)
        return self.probabilities(views, columns, self.temperature)

    def probabilities(self, views: Views, legal: Bools, temperature: float = 1.0) -> Float64s:
        """Return (n, C) probabilities over the ``legal`` classes (n, C), sharpened by ``temperature`` below 1."""
        logits = outputs(self.network, self.layout, views, self.device) / temperature
        return legal_softmax(logits, legal)

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        assert self.ladder is not None
        rungs = self._classes(views, legal)[:, 2:]
        if self.likeliest or rungs.shape[1] == 1:
            chosen = rungs.argmax(axis=1)
        else:  # rows that cannot raise get an amount that nobody uses; the stream is not that which chose to raise
            chosen = rng.fork(_RUNG).choice(rungs + ~rungs.any(axis=1, keepdims=True))
        amount = self.ladder.amounts(views)[np.arange(len(views)), chosen]
        return np.asarray(np.clip(amount, legal.min_amount, legal.max_amount), np.int64)
