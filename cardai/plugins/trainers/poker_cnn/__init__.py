"""Poker-CNN: networks over card grids that learn values of holds and hands."""

from __future__ import annotations

from cardai.core.hookspecs import hookimpl
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.poker_cnn.values import PokerCnn


@hookimpl
def cardai_trainer() -> dict[str, type[Trainer]]:
    """Offer value learning."""
    return {"poker_cnn": PokerCnn}
