"""Poker-CNN: card-grid networks that learn values of holds and hands, and betting by self-play in generations."""

from __future__ import annotations

from cardai.core.hookspecs import hookimpl
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.poker_cnn.betting import PokerCnnBetting
from cardai.plugins.trainers.poker_cnn.values import PokerCnn


@hookimpl
def cardai_trainer() -> dict[str, type[Trainer]]:
    """Offer value learning and betting."""
    return {"poker_cnn": PokerCnn, "poker_cnn_betting": PokerCnnBetting}
