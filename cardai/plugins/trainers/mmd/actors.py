"""Several actors play an iteration's decisions, each so many hands of its own, by the network as the iteration found it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen
from torch import nn

from cardai.core.agent import Agent
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.plugins.trainers.mmd.player import asked
from cardai.plugins.trainers.mmd.rollouts import Batch, Rollouts


@frozen(eq=False)
class Ground:
    """What lasts as long as the training: see :class:`~cardai.plugins.trainers.mmd.rollouts.Rollouts`."""

    game: Game
    layout: Layout
    tables: int
    whole: bool
    rival: Agent | None
    threads: int


def played(ground: Ground, network: nn.Module, seed: int, decisions: int, first: int) -> Batch:
    """Play the hands ``first``, ... of ``seed`` by ``network`` until so many decisions are made: the piece of work."""
    rollouts = Rollouts(ground.game, ground.layout, ground.tables, seed, ground.whole, ground.rival)
    with tensors.threads(ground.threads):
        return rollouts.play(lambda codes, legal: asked(network, codes, legal), decisions, first)


def together(batches: Sequence[Batch]) -> Batch:
    """Return several actors' decisions as one batch, hands counted on."""
    begin, parts = 0, []
    for batch in batches:
        parts.append(evolve(batch, hands=batch.hands + begin))
        begin += len(batch.returns)
    names = Batch.__annotations__
    return Batch(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
