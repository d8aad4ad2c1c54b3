"""Poker-CNN's betting: self-play in generations; a network learns the values of actions and improves its policy.

Presets:
    poker_cnn_betting_paper: the publication's network, targets and ways of acting (Yakovenko et al. 2016).
    poker_cnn_betting_ours: suits treated alike, policy and values apart, and choices not taken played out; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder, need_encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import helps
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.poker_cnn.betting.options import ActingOptions, LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.player_options import PlayerOptions
from cardai.plugins.trainers.poker_cnn.networks import ComputeOptions

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.betting.training import BettingTraining

PAPER: Mapping[str, Any] = {
    "network": "cnn",
    "league_share": 0.0,
    "branches": 0,
    "unit": 1000.0,
    "discount": 0.9,
    "counterfactuals": "published",
    "teach_illegal": True,
    "boost": True,
    "refold": True,
    "draw_shares": (1.0, 0.6, 0.2),
    "draw_noise": 0.02,
    "heads": "published",
    "relu_output": True,
    "canonical": False,
    "keep_share": 0.3,
    "max_events": 740_000,
    "epochs": 20.0,
    "policy": "weights",
    "explore": 0.0,
    "noise": 0.02,
    "policy_mix": 0.5,
    "repair": True,
    "optimizer": "sgd",
    "learning_rate": 0.02,
    "batch": 100,
}
"""The publication's, by its authors' repository."""
OURS: Mapping[str, Any] = {"whole_suits": True, "keep_teachers": False}
MOST_ACTIONS = 64
"""A network has an output for each."""


@frozen
class PokerCnnBetting(ComputeOptions, ActingOptions, LearningOptions, Trainer):
    """Poker-CNN's betting networks, for any game of at most 64 actions. A step is a hand of self-play.

    Generation 0 learns from hands between ``teachers`` (none: random players); each later one from hands of the newest
    network against a mix of itself, up to ``earlier`` earlier ones, and ``league`` players.
    """

    step_unit: ClassVar[str] = "hands"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "poker_cnn_betting_paper": PAPER,
        "poker_cnn_betting_ours": OURS,
    }
    retired: ClassVar[Mapping[str, tuple[str, ...]]] = {"shrink": ("0.05",)}

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> BettingTraining:
        self.check_game(game)
        training = self._training(game, encoder, seed)
        training.begin()
        return training

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> BettingTraining:
        training = self._training(game, encoder, seed, directory)
        training.load(directory)
        return training

    def check_game(self, game: Game) -> None:
        count = game.num_distinct_actions
        if count > MOST_ACTIONS:
            raise UsageError(f"poker_cnn_betting learns games of at most {MOST_ACTIONS} actions. This one has {count}.")

    def agent_options(self) -> Mapping[str, str]:
        return helps(PlayerOptions)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        anywhere = evolve(self, device="auto")  # what was trained on a GPU plays without one
        training = anywhere._training(game, encoder, seed, directory)
        if not training.load_generations(directory).generations:
            training.load(directory)
        return training.agent(options)

    def _training(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path | None = None
    ) -> BettingTraining:
        """Return a training of which nothing is known yet but, in the checkpoint ``directory``, how cards are kept."""
        encoder = need_encoder(encoder, "poker_cnn_betting", "poker_cnn_limit:size=4x13 or grid_4x13")
        from cardai.plugins.trainers.poker_cnn.betting.draws import abstraction_of
        from cardai.plugins.trainers.poker_cnn.betting.training import BettingTraining

        abstraction = abstraction_of(game, self.draws_by, directory)
        return BettingTraining(self, game, encoder, seed, abstraction)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"poker_cnn_betting": PokerCnnBetting}
