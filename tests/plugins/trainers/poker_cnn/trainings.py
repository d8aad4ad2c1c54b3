"""Small trainings of Poker-CNN for its tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.core import registry
from cardai.core.trainer import Training

VALUES = "poker_cnn_ours:batch=64,every=5,anneal=20,threads=1,measure=false,validation=0,examples=2000"
BETTING = "poker_cnn_betting_ours:network=dense,hands=400,unit=2,batch=64,epochs=1,threads=1,league=always_call,league_share=0.3"


def start(spec: str, game: str, encoder: str, seed: int = 3) -> Training:
    training: Training = registry.create("trainer", spec).start(cardai.game(game), cardai.encoder(encoder), seed)
    return training


def weights(training: Any) -> list[np.ndarray[Any, Any]]:
    return [t.detach().numpy() for t in training.network.state_dict().values()]


def resumed(first: Training, second: Training, folder: Path) -> Training:
    folder.mkdir()
    first.save(folder)
    second.load(folder)
    return second
