"""The networks: actor and critic apart, the magnet where it moves, and the averaged policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from torch import nn

from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.learn.networks import mlp, tanh_mlp

if TYPE_CHECKING:
    from cardai.plugins.trainers.mmd import MMD


def make_networks(options: MMD, game: Game, layout: Layout, seed: int) -> dict[str, nn.Sequential]:
    """Return fresh networks by name: ``actor`` (C -> A), ``critic``, ``magnet`` and ``average``; a magnet begins as the actor is.

    The critic is of a seat's own code (C -> 1), of all seats' codes (P x C -> A x P, what each seat gets after each
    action), or missing where advantages are exact.
    """
    inputs, actions, players = int(np.prod(layout.shape)), game.num_distinct_actions, game.num_players
    hidden = (options.hidden,) * options.layers

    def made(role: str, width: int, outputs: int, last: float) -> nn.Sequential:
        which = derive(seed, "network", role)
        if options.activation == "relu":
            return mlp(width, hidden, outputs, which)
        return tanh_mlp(width, hidden, outputs, last, which)

    def actor() -> nn.Sequential:
        return made("actor", inputs, actions, 0.01)

    networks = {"actor": actor()}
    if options.magnet_every:
        networks["magnet"] = actor().requires_grad_(False)
    if options.average:
        networks["average"] = made("average", inputs, actions, 0.01)
    if options.advantages == "gae":
        networks["critic"] = made("critic", inputs, 1, 1.0)
    elif options.advantages == "all_actions":
        networks["critic"] = made("critic", players * inputs, actions * players, 1.0)
    return networks
