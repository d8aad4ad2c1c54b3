"""The networks: actor and critic apart, and the magnet where it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from torch import nn

from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.learn.networks import tanh_mlp

if TYPE_CHECKING:
    from cardai.plugins.trainers.mmd import MMD


def make_networks(options: MMD, game: Game, layout: Layout, seed: int) -> dict[str, nn.Sequential]:
    """Return fresh networks by name: ``actor`` (C -> A), ``critic`` and ``magnet``; a magnet begins as the actor is.

    The critic is of a seat's own code (C -> 1), of all seats' codes (P x C -> A x P, what each seat gets after each
    action), or missing where advantages are exact.
    """
    inputs, actions, players = int(np.prod(layout.shape)), game.num_distinct_actions, game.num_players
    hidden = (options.hidden,) * options.layers

    def actor() -> nn.Sequential:
        return tanh_mlp(inputs, hidden, actions, 0.01, derive(seed, "network", "actor"))

    networks = {"actor": actor()}
    if options.magnet_every:
        networks["magnet"] = actor().requires_grad_(False)
    which = derive(seed, "network", "critic")
    if options.advantages == "gae":
        networks["critic"] = tanh_mlp(inputs, hidden, 1, 1.0, which)
    elif options.advantages == "all_actions":
        networks["critic"] = tanh_mlp(players * inputs, hidden, actions * players, 1.0, which)
    return networks
