"""CNN valuation: a network learns from recorded hands which action their players take, or who wins.

Source: Tang, Xu and Tan, "CNN valuation method for intelligent games", Computer Applications and Software 37 (2020) no. 7.
Where the text leaves something open or contradicts itself, the option's help says what is ours.

Presets:
    cnn_valuation_paper: the publication's network and optimiser, learning the actions played (Tang, Xu and Tan 2020).
    cnn_valuation_literal: the same by the word of its text: who wins, and no player (Tang, Xu and Tan 2020).
    cnn_valuation_ours: suits treated alike, Adam, and actions drawn by their probabilities; ours.
    cnn_valuation_levels: dense layers over numbers, betting and buckets, for the encoder cnn_valuation_ours:buckets=true; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import evolve, frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder, need_encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import helps, option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import LEARNING_RATE, THREADS
from cardai.plugins.trainers.cnn_valuation.player_options import PlayerOptions
from cardai.poker.rules.ladder import check_ladder

if TYPE_CHECKING:
    from cardai.plugins.trainers.cnn_valuation.training import ValuationTraining

PAPER: Mapping[str, Any] = {
    "network": "cnn",
    "gamma": 0.95,
    "mask_illegal": False,
    "optimizer": "adagrad",
    "learning_rate": 0.01,
    "act": "argmax",
}
"""The publication's network and optimiser; it gives no gamma and no learning rate, these are ours."""
OURS: Mapping[str, Any] = {
    "network": "suits",
    "gamma": 1.0,
    "optimizer": "adam",
    "learning_rate": 0.002,
    "batch": 256,
    "act": "sample",
}
LEVELS: Mapping[str, Any] = {**OURS, "network": "levels", "hidden": 256, "learning_rate": 0.005, "batch": 512}


CHANNELS, FEATURES = 16, 128
"""Of ours: with 128 hidden units about the weights of the publication's, and as fast to learn."""
MOST_CLASSES = 64
"""A network has an output for each."""


@frozen
class CnnValuation(Trainer):
    """Learns from a directory of examples (``cardai convert LOG --to examples``). A step is a minibatch.

    ``imitate`` learns the recorded action of each decision and gives a player. ``seed_literal`` is the publication's text
    taken by its word: each record backwards from its end, with target gamma^k times (1, 0, 0) where the player wins,
    (0, 1, 0) where the opponent does and (0, 0, 1) for a split, k decisions before the player's last; it values states and
    plays nothing.
    """

    data: str = option("", holds="training path", help="directory of examples to learn from")
    players: tuple[str, ...] = option((), help="whose decisions, as the logs name them, joined with +; none: all")
    most: int = option(0, help="learn from so many decisions at most, the first; 0: all", validator=validators.ge(0))
    teacher: str = option(
        "",
        holds="training agent",
        help="imitate: learn this player's probabilities at the recorded decisions, not the actions drawn from them",
    )
    mode: Literal["imitate", "seed_literal"] = option("imitate", help="learn the actions played, or who wins")
    network: Literal["cnn", "cnn_flat", "suits", "levels"] = option(
        "cnn",
        help="cnn: the publication's, 114,339 weights at 16 planes of 17x17; cnn_flat: its reading without the dense "
        "layer, 48,547; suits: ours, alike in suits, of 4x13 planes; levels: dense layers over what is no card (numbers, "
        "betting, the bucket of cnn_valuation_ours:buckets=true), ten times as fast",
    )
    hidden: int = option(
        128, help="suits and levels: units of each of the two hidden layers", validator=[validators.gt(0), validators.le(8192)]
    )  # fmt: skip
    channels: int = option(
        CHANNELS, help="suits: channels of the three convolutions over cards", validator=validators.in_(range(1, 1025))
    )
    features: int = option(
        FEATURES,
        help="suits: numbers that the cards become before the hidden layers",
        validator=validators.in_(range(1, 8193)),
    )
    gamma: float = option(
        1.0,
        help="discount a decision before the hand's last one of the player: of targets (seed_literal) or of losses",
        validator=[validators.gt(0), validators.le(1)],
    )
    mask_illegal: bool = option(True, help="imitate: probabilities over legal actions only, in learning too")
    optimizer: Literal["adagrad", "adam"] = option("adagrad", help="the publication's Adagrad, or Adam")
    learning_rate: float = option(0.01, help="learning rate", validator=LEARNING_RATE)
    decay: float = option(
        0.0,
        help="adam: what weights lose of themselves a step, as a share of the learning rate (AdamW)",
        validator=[validators.ge(0), validators.le(100)],
    )
    anneal: int = option(
        0, help="steps over which the learning rate falls to a hundredth, by a cosine; 0: constant", validator=validators.ge(0)
    )  # fmt: skip
    batch: int = option(
        128, help="examples in a minibatch (seed_literal: records)", validator=[validators.gt(0), validators.lt(2**20)]
    )
    act: Literal["argmax", "sample"] = option("argmax", help="how the player chooses")
    bet: float = option(
        1.0,
        help="no-limit: a raise is of this share of the pot after calling",
        validator=[validators.gt(0), validators.lt(1e6)],
    )
    bets: tuple[str, ...] = option(
        (),
        help="no-limit: a class of raises each, shares of the pot after calling that rise, then allin "
        "(0.5+pot+2+allin); a raise is of the nearest by ratio. none: one class, played as bet says",
        validator=check_ladder,
    )
    every: int = option(500, help="steps between measurements", validator=validators.gt(0))
    validation: int = option(10_000, help="held-out examples of each measurement", validator=validators.ge(0))
    threads: int = option(1, help="CPU threads for learning (playing takes one)", validator=THREADS)
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")

    step_unit: ClassVar[str] = "minibatches"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "cnn_valuation_paper": PAPER,
        "cnn_valuation_literal": {**PAPER, "mode": "seed_literal"},
        "cnn_valuation_ours": OURS,
        "cnn_valuation_levels": LEVELS,
    }
    retired: ClassVar[Mapping[str, tuple[str, ...]]] = {"loss": ("cross_entropy",), "lost_weight": ("1.0",)}

    def check_game(self, game: Game) -> None:
        if self.decay and self.optimizer != "adam":
            raise UsageError(
                f"decay=... is Adam's. Got optimizer={self.optimizer}: say optimizer=adam, or leave it out."
            )
        if self.network != "suits" and (self.channels, self.features) != (CHANNELS, FEATURES):
            raise UsageError(
                f"channels=... and features=... are of network=suits. Got network={self.network}: leave them out."
            )
        literal, count = self.mode == "seed_literal", 3 if game.amounts else game.num_distinct_actions
        if literal and game.num_players != 2:
            raise UsageError(f"seed_literal learns which of two players wins. This game has {game.num_players}.")
        if self.bets and (literal or not game.amounts):
            raise UsageError("bets=... makes classes of no-limit raises, in the mode imitate. Leave it out here.")
        if not literal and count > MOST_CLASSES:
            raise UsageError(f"cnn_valuation learns at most {MOST_CLASSES} actions. This game has {count}.")

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> ValuationTraining:
        training = self._training(game, encoder, seed)
        training.begin()
        return training

    def agent_options(self) -> Mapping[str, str]:
        return helps(PlayerOptions)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        anywhere = evolve(self, device="auto")  # what was trained on a GPU plays without one
        training = anywhere._training(game, encoder, seed)
        training.load(directory)
        return training.agent(options)

    def _training(self, game: Game, encoder: Encoder | None, seed: int) -> ValuationTraining:
        encoder = need_encoder(encoder, "cnn_valuation", "cnn_valuation or poker_cnn_limit_ours")
        from cardai.plugins.trainers.cnn_valuation.training import ValuationTraining

        return ValuationTraining(self, game, encoder, seed)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"cnn_valuation": CnnValuation}
