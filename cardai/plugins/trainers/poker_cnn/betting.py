"""Betting by self-play in generations: play, learn the values of actions, improve the policy, play again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import evolve, frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import option
from cardai.core.trainer import Trainer
from cardai.learn.grid_networks import NetworkName
from cardai.plugins.trainers.poker_cnn.player_options import PLAYER_OPTIONS
from cardai.plugins.trainers.poker_cnn.targets import Counterfactuals

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.generations import BettingTraining


@frozen
class PokerCnnBetting(Trainer):
    """Poker-CNN's betting networks, for any game of at most 64 actions. A step is a hand of self-play.

    Generation 0 learns from hands between ``teachers`` (none: random players); each later one from hands of the newest
    network against a mix of itself, up to ``earlier`` earlier ones, and ``league`` players.
    """

    network: NetworkName = option("suits", help="cnn, cnn_16, fat and dense are the publication's; suits is ours")
    same_padding: bool = option(False, help="convolutions of cnn, cnn_16, fat keep the planes' size")
    whole_suits: bool = option(
        False, help="network=suits: each layer also sees suits as a whole (as the network of the warm start)"
    )
    hands: int = option(100_000, help="hands of a generation", validator=validators.gt(0))
    teachers: tuple[str, ...] = option((), help="who plays generation 0, joined with +; none: random players")
    earlier: int = option(2, help="how many earlier generations are among the opponents", validator=validators.ge(0))
    league: tuple[str, ...] = option((), help="other opponents of every generation, joined with +")
    league_share: float = option(
        0.5, help="share of hands against the league", validator=[validators.ge(0), validators.le(1)]
    )
    branches: int = option(
        1,
        help="decisions in a hand at which other choices are played out too, with the same cards (the paper: none)",
        validator=validators.ge(0),
    )
    unit: float = option(100.0, help="chips that count 1 in values", validator=validators.gt(0))
    discount: float = option(1.0, help="weight of what is won or lost beyond pot and bet (the paper: 0.9)")
    counterfactuals: Counterfactuals = option(
        "all",
        help="choices not taken that teach what they would have brought: none, published (Poker-CNN's), all that end",
    )
    teach_illegal: bool = option(False, help="illegal actions are taught to be worse than any loss (the paper)")
    keep_share: float = option(1.0, help="share of events kept (the paper: 0.3, and always the important ones)")
    memory: int = option(3, help="generations whose events are learned from, newest first", validator=validators.gt(0))
    keep_teachers: bool = option(True, help="the teachers' events count among those generations; false: only at first")
    max_events: int = option(1_500_000, help="events learned from at most, newest first", validator=validators.gt(0))
    epochs: float = option(1.5, help="passes over the events of a generation", validator=validators.gt(0))
    policy: Literal["mirror", "weights"] = option(
        "mirror", help="mirror: old policy moved along the advantages; weights: the publication's normalised weights"
    )
    step_size: float = option(6.0, help="mirror: how far the policy moves a generation, per unit of value")
    shrink: float = option(0.05, help="mirror: how much the old policy's log-probabilities shrink towards uniform")
    explore: float = option(
        0.02, help="chance of a random action while learning", validator=[validators.ge(0), validators.lt(1)]
    )
    noise: float = option(0.0, help="scale of the Gumbel noise on values (the paper: 0.2 bets)")
    policy_mix: float = option(1.0, help="chance to act by the policy head, else by the best value (the paper: 0.5)")
    repair: bool = option(False, help="clip values of impossible size when acting (the paper)")
    boost: bool = option(False, help="bet more after keeping more cards than the opponent (the paper)")
    refold: bool = option(False, help="reconsider a fold before the first draw, once (the paper)")
    draws_by: str = option(
        "exact",
        help="draw games: which cards are kept, given how many: exact (dynamic programming), a poker_cnn run's directory, "
        "or actions (each discard is a choice of its own)",
    )
    draw_shares: tuple[float, ...] = option(
        (1.0, 1.0, 1.0),
        help="draw games: chance that the betting network says how many cards, with 1, 2, 3 draws left (the paper: "
        "1+0.6+0.2), else the best hold",
    )
    draw_noise: float = option(
        0.0,
        help="draw games: mean of a random bonus on the best hold's number of cards, and of a random malus on standing pat "
        "and on late draws of two cards or more (the paper; the size is ours)",
        validator=validators.ge(0),
    )
    heads: Literal["choices", "published"] = option(
        "choices", help="outputs: a value and a policy each choice, or the publication's 32"
    )
    relu_output: bool = option(False, help="ReLU on the outputs, values 2.0 higher (the paper)")
    canonical: bool = option(True, help="show cards with suits renamed and ordered, so that equal hands look equal")
    optimizer: Literal["sgd", "adam"] = option("adam", help="sgd: Nesterov momentum 0.9 (the paper)")
    learning_rate: float = option(0.001, help="learning rate", validator=validators.gt(0))
    batch: int = option(512, help="events in a minibatch", validator=validators.gt(0))
    warm_start: str = option("", help="a poker_cnn run whose network the first generation begins with")
    freeze_trunk: bool = option(False, help="network=suits: keep the warm-started card layers as they are")
    threads: int = option(2, help="CPU threads for learning (playing takes one)", validator=validators.gt(0))
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")

    step_unit: ClassVar[str] = "hands"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "poker_cnn_betting_paper": {
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
        },
        "poker_cnn_betting_ours": {"whole_suits": True, "keep_teachers": False},
    }

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> BettingTraining:
        if encoder is None:
            raise UsageError(
                "poker_cnn_betting needs an encoder: give --encoder (poker_cnn_limit:size=4x13, grid_4x13, ...)."
            )
        from cardai.plugins.trainers.poker_cnn.generations import BettingTraining

        return BettingTraining(self, game, encoder, seed)

    def agent_options(self) -> Mapping[str, str]:
        return PLAYER_OPTIONS

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        training = evolve(self, device="auto").start(game, encoder, seed)  # what a GPU trained plays without one
        if not training.load_generations(directory)["generations"]:
            training.load(directory)
        return training.agent(options)
