"""Distillation: a network learns to play limit hold'em as another player does, from whole ranges at public states.

Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network" (2015). The teacher is asked for all 1,326 hands at
once, at states that it comes to while the other seat may do anything: there a best response goes. The network sees cards and
betting alone: no bucket, and nothing of the teacher. What it sees of cards are planes, or numbers that follow from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import evolve, frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, helps, option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import LEARNING_RATE, THREADS
from cardai.plugins.trainers.range_distillation.player_options import PlayerOptions
from cardai.poker.ranges.public_tree import PublicTree, holdem_tree

if TYPE_CHECKING:
    from cardai.plugins.trainers.range_distillation.training import Distilling

WHO = "range_distillation"
MOST_NODES = 50_000
"""The largest public tree, in decision nodes: every one has its own row among the network's inputs."""


@frozen
class RangeDistillation(Trainer):
    """Learn another player's probabilities for whole ranges of limit hold'em, from cards and betting alone."""

    teacher: str = option("", holds="training agent", help="the player that is learned from; it answers whole ranges")
    sees: Literal["numbers", "planes"] = option(
        "planes",
        help="of cards: the starting hand, how strong the hand may end and its equity against eight groups of hands; or the "
        "cards as planes, convolved",
    )
    channels: int = option(
        16, help="planes: channels of the convolutions over cards", validator=[validators.ge(1), validators.le(256)]
    )
    hidden: int = option(
        192, help="units of each of the two hidden layers", validator=[validators.ge(1), validators.le(4096)]
    )
    hands: int = option(
        224, help="hands that are learned of a board", validator=[validators.ge(1), validators.le(1081)]
    )
    nodes: int = option(
        24,
        help="walks to public states that are learned of a board; on the river two subtrees are",
        validator=[validators.ge(1), validators.le(1024)],
    )
    off_path: float = option(
        0.5,
        help="how often the other seat plays evenly over its actions on such a walk, not as the teacher",
        validator=[validators.ge(0), validators.le(1)],
    )
    values: bool = option(
        False,
        help="also learn what actions are worth if both go on as the teacher does: what a person is shown as hints",
    )
    regret: float = option(
        0.0,
        help="values: how much what is given away to the teacher counts beside the divergence from it (1: a pot is a nat)",
        validator=[validators.ge(0), validators.lt(1e6)],
    )
    learning_rate: float = option(0.002, help="learning rate of Adam", validator=LEARNING_RATE)
    anneal: int = option(
        0,
        help="steps over which the learning rate falls to a hundredth, by a cosine; 0: constant",
        validator=validators.ge(0),
    )
    every: int = option(100, help="steps between measurements", validator=validators.gt(0))
    threads: int = option(1, help="CPU threads for learning (playing takes one)", validator=THREADS)
    device: str = option("cpu", help="torch's device for learning: cpu, cuda, auto (the GPU if there is one)")

    step_unit: ClassVar[str] = "boards"

    def check_game(self, game: Game) -> None:
        the_tree(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Distilling:
        if self.regret and not self.values:
            raise UsageError(
                f"{WHO} knows what is given away where it learns what actions are worth: say values=true too."
            )
        if not self.teacher:
            raise UsageError(
                f"{WHO} learns from a player: {WHO}:teacher=limit_equilibrium, or a run's directory, names it."
            )
        training = self._training(game, encoder, seed)
        training.lessons()
        return training

    def agent_options(self) -> Mapping[str, str]:
        return helps(PlayerOptions)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        training = evolve(self, threads=1, device="cpu")._training(game, encoder, seed)
        training.load_player(directory)
        return training.agent(options)

    def _training(self, game: Game, encoder: Encoder | None, seed: int) -> Distilling:
        if encoder is not None:
            raise UsageError(f"{WHO} sees cards and betting as they are and takes no --encoder. Leave it out.")
        from cardai.plugins.trainers.range_distillation.training import Distilling

        return Distilling(self, game, the_tree(game), seed)


def the_tree(game: Game) -> PublicTree:
    """Return the public tree of a game that is taken. Raises UsageError for others."""
    tree = holdem_tree(game, WHO)
    if len(tree.decisions) > MOST_NODES:
        raise UsageError(
            f"{WHO} takes public trees of at most {MOST_NODES:,} decisions. {brief(game)} has {len(tree.decisions):,}."
        )
    return tree


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {WHO: RangeDistillation}
