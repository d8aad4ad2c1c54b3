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
from cardai.learn.tensors import in_chunks
from cardai.plugins.trainers.cnn_valuation.ladder import Ladder

_VIEWS = 256  # encoded at once: planes that stay in the cache are written ten times as fast

_RUNG = 1000  # the stream that draws a rung


def outputs(network: nn.Module, layout: Layout, views: Views, device: torch.device) -> Float64s:
    """Return the network's outputs (n, C) for views (n,), encoded some at a time."""
    parts = [
        in_chunks(network, layout.encode(views[k : k + _VIEWS]), device) for k in range(0, max(len(views), 1), _VIEWS)
    ]
    return np.concatenate(parts).astype(np.float64)


class ImitationAgent(Agent):
    """Plays by the classes' probabilities: the likeliest, or drawn.

    In no-limit, raising is as likely as all of its classes together. ``bet`` is a raise's share of the pot after calling;
    with a ``ladder`` its rung is drawn too (or the likeliest).
    """

    def __init__(
        self,
        network: nn.Module,
        layout: Layout,
        game: Game,
        device: torch.device,
        act: str,
        temperature: float,
        bet: float,
        ladder: Ladder | None = None,
    ) -> None:
        self.network, self.layout, self.game, self.device = network, layout, game, device
        self.likeliest, self.temperature, self.bet = act == "argmax", temperature, bet
        self.ladder = ladder

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of cnn_valuation was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        probabilities = self._classes(views, legal)
        if self.ladder is not None:
            probabilities = self.ladder.kinds(probabilities)
        if not self.likeliest:
            return probabilities
        chosen = np.zeros_like(probabilities)
        chosen[np.arange(len(views)), probabilities.argmax(axis=1)] = 1.0
        return chosen

    def _classes(self, views: Views, legal: Legal) -> Float64s:
        columns = legal_columns(legal)
        columns = columns if self.ladder is None else self.ladder.legal(columns)
        return self.probabilities(views, columns, self.temperature)

    def probabilities(self, views: Views, legal: Bools, temperature: float = 1.0) -> Float64s:
        """Return (n, C) probabilities over the ``legal`` classes (n, C), sharpened by ``temperature`` below 1."""
        logits = outputs(self.network, self.layout, views, self.device) / temperature
        logits = np.where(legal, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        own = views["spent"][np.arange(len(views)), views["player"].astype(np.int64)].astype(np.int64)
        price = views["to_call"].astype(np.int64)
        size = np.rint(self.bet * (views["pot"] + price)).astype(np.int64)
        amount = own + price + size
        if self.ladder is not None:
            rungs = self._classes(views, legal)[:, 2:]
            # rows that cannot raise get an amount that nobody uses; the stream is not that which chose to raise
            chosen = (
                rungs.argmax(axis=1)
                if self.likeliest
                else rng.fork(_RUNG).choice(rungs + ~rungs.any(axis=1, keepdims=True))
            )
            amount = self.ladder.amounts(views)[np.arange(len(views)), chosen]
        return np.asarray(np.clip(amount, legal.min_amount, legal.max_amount), np.int64)
