"""Poker-CNN's value learning: a card-grid network predicts what each hold of a hand, or a hand, is worth.

Presets:
    poker_cnn_paper: the publication's network, labels by redraws, and SGD (Yakovenko et al. 2016).
    poker_cnn_ours: suits treated alike, exact labels, a value and a policy head; ours.
    poker_cnn_video_ours: the same for video poker, where misplayed hands are shown again; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder, need_encoder
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.poker_cnn.networks import ComputeOptions, NetworkOptions
from cardai.plugins.trainers.poker_cnn.values.options import LearningOptions, refuse_game

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.values.training import ValueTraining

PAPER: Mapping[str, Any] = {
    "network": "cnn",
    "examples": 250_000,
    "redraws": 1000,
    "thin": True,
    "canonical": False,
    "relu_output": True,
    "policy_weight": 0.0,
    "optimizer": "sgd",
    "learning_rate": 0.1,
    "anneal": 0,
    "batch": 100,
}
"""The publication's, by its authors' repository (draw games there: learning rate 0.02)."""
OURS: Mapping[str, Any] = {"whole_suits": True}


@frozen
class PokerCnn(ComputeOptions, LearningOptions, NetworkOptions, Trainer):
    """Poker-CNN's value learning. A step is a minibatch.

    Labels are exact in video poker, in draw games and on the river of hold'em, and sampled before it. The scale of
    values is compressed as in the publication.
    """

    step_unit: ClassVar[str] = "minibatches"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "poker_cnn_paper": PAPER,
        "poker_cnn_ours": OURS,
        "poker_cnn_video_ours": {**OURS, "replay": 0.25, "anneal": 6000},
    }

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> ValueTraining:
        encoder = need_encoder(encoder, "poker_cnn", "grid_4x13:fields=hand or poker_cnn_video")
        from cardai.plugins.trainers.poker_cnn.values.training import ValueTraining

        return ValueTraining(self, game, encoder, seed)

    def check_game(self, game: Game) -> None:
        refuse_game(game)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        anywhere = evolve(self, device="auto")  # what was trained on a GPU plays without one
        return super(PokerCnn, anywhere).trained_agent(game, encoder, seed, directory, options)

    def agent_options(self) -> Mapping[str, str]:
        return {"act": "value: by the value head; policy: by the policy head (network=suits; the default there)"}


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"poker_cnn": PokerCnn}
