"""NFSP's networks: for each seat Q, its target and the average policy, under the names they have in checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from torch import nn

from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import derive, derive_many
from cardai.learn.networks import mlp
from cardai.plugins.trainers.nfsp.options import refuse_game

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

ROLES = ("q", "target", "policy", "acting")
"""``acting`` is a moving average of Q, made only where the option ``q_average`` asks for it."""


def layout_of(game: Game, encoder: Encoder | None) -> Layout:
    """Return the encoder's layout of ``game``. Raises UsageError for a game or encoder that NFSP cannot take."""
    if encoder is None:
        raise UsageError("NFSP needs --encoder. See: cardai list-plugins.")
    refuse_game(game)
    return encoder.for_game(game)


def make_networks(options: NFSP, game: Game, layout: Layout, seed: int) -> dict[str, nn.Sequential]:
    """Return fresh networks named q_0, target_0, policy_0, q_1, ...; all but the policies begin equal to their Q."""
    inputs = int(np.prod(layout.shape))
    networks = {}
    for seat in range(2):
        for role in ROLES if options.q_average else ROLES[:3]:
            which = derive(seed, "network", "policy" if role == "policy" else "q", seat)
            networks[f"{role}_{seat}"] = mlp(inputs, options.hidden, game.num_distinct_actions, which)
    return networks


def return_range(game: Game, seed: int, hands: int = 512) -> float:
    """Return how far apart the returns of random hands lie: the scale of rewards where the tree is not at hand."""
    tables = game.tables(hands)
    tables.reset(derive_many(seed, "range", count=hands))
    rng = np.random.Generator(np.random.PCG64(derive(seed, "range")))
    while len(rows := np.flatnonzero(tables.current_players() >= 0)):
        legal = np.asarray(tables.legal(rows), np.float64)
        tables.apply(rows, np.argmax(legal * (1 + rng.random(legal.shape)), axis=1))
    return max(1e-9, float(np.ptp(tables.returns(np.arange(hands)))))


def pick(networks: Mapping[str, nn.Sequential], role: str) -> list[nn.Sequential]:
    """Return both seats' networks of a role; those that act are Q where there is no moving average."""
    if role == "acting" and "acting_0" not in networks:
        role = "q"
    return [networks[f"{role}_{seat}"] for seat in range(2)]
