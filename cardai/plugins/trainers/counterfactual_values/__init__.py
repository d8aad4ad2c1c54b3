"""Counterfactual value networks: what every hand of both ranges is worth in a public state, learned from solved ones.

Moravcik et al., "DeepStack" (2017), supplement, for the shape ``buckets``; arXiv 1807.00900 for what its buckets may be.
In hold'em the examples are made by ``cardai situations``, and a trained network is no player: subgames that end early are
solved with it. In no-limit Leduc they are drawn and solved first, and the run plays, as the agent ``resolving`` does.

Presets:
    counterfactual_values_deepstack: DeepStack's shape over a code of ranges (Moravcik et al. 2017).
    leduc_values: values of Leduc's second round from 100,000 random situations, by 5 hands and their equities; ours.
    leduc_values_release: DeepStack's own network for Leduc: 36 places, 5 layers of 50 (Moravcik et al. 2017).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import evolve, frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.core.trainer import Trainer
from cardai.poker.contract import described, plays_holdem
from cardai.poker.ranges.range_game import is_leduc

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values.training import ValueTraining

DEEPSTACK: Mapping[str, Any] = {"shape": "buckets", "rate": 1e-3, "batch": 1000, "drop": 200, "anneal": 0}
"""The publication's network and optimiser (supplement): the rate falls to a tenth after 200 epochs."""
LEDUC: Mapping[str, Any] = {
    "shape": "hands", "hidden": 128, "layers": 3, "solves": 100_000, "batch": 250, "anneal": 60, "images": True,
}  # fmt: skip
LEDUC_RELEASE: Mapping[str, Any] = {
    "shape": "buckets", "hidden": 50, "layers": 5, "solves": 100_000, "batch": 250, "anneal": 0, "drop": 45,
    "solver": "rm_plus", "solve_iterations": 1000, "skip": 500, "pots": "any", "suits": "any",
}  # fmt: skip
"""As the publication's example for Leduc has it: any pot and any ranges, the average without the first half."""


@frozen
class CounterfactualValues(Trainer):
    """Learns from solved situations. A step is an epoch; the best epoch on held-out boards is kept.

    In hold'em boards are split, not situations: a tenth of all boards is held out to choose the epoch by, a tenth to test with.
    """

    step_unit: ClassVar[str] = "epochs"

    situations: str = option("", help="hold'em: directory of situations to learn from (cardai situations)")
    shape: Literal["hands", "buckets"] = option(
        "hands", help="hands: ours, in hold'em one network a hand that share their weights; buckets: DeepStack's"
    )
    code: str = option(
        "", help="buckets: which hands are one (e_hs2, public_nested, potential_aware, range_1326, with options)"
    )
    solves: int = option(0, help="learn from so many situations; 0: all", validator=validators.ge(0))
    batch: int = option(50, help="situations in a minibatch", validator=validators.in_(range(1, 65_536)))
    rate: float = option(2e-3, help="Adam's rate", validator=[validators.gt(0), validators.lt(1)])
    anneal: int = option(30, help="epochs over which the rate falls to a hundredth, by a cosine; 0: it does not",
                         validator=validators.ge(0))  # fmt: skip
    drop: int = option(0, help="epochs after which the rate is a tenth; 0: never", validator=validators.ge(0))
    hidden: int = option(500, help="buckets, and Leduc: units of a layer", validator=validators.in_(range(1, 4097)))
    layers: int = option(7, help="buckets, and Leduc: hidden layers", validator=validators.in_(range(1, 33)))
    images: bool = option(
        False,
        help="buckets over range_1326, and Leduc: show each situation under a renaming of suits drawn anew each epoch",
    )
    width: int = option(
        64, help="hands: units of the part that all hands share", validator=validators.in_(range(1, 4097))
    )
    context: int = option(
        256, help="hands: units of the part that sees both ranges", validator=validators.in_(range(1, 4097))
    )
    blocks: int = option(2, help="hands: residual blocks", validator=validators.in_(range(33)))
    sample: int = option(64, help="hands: so many hands a player and situation are learned from at a time",
                         validator=validators.in_(range(1, 1327)))  # fmt: skip
    equity_input: bool = option(
        True, help="hands: show equity against the actual ranges, and what a hand blocks of them"
    )
    match_up: bool = option(
        True, help="hands: learn a value for when a hand meets one, and multiply with the weight that it meets"
    )
    check_down: bool = option(True, help="hands: learn what is to be added to the value of checking to the end")
    zero_sum: bool = option(True, help="hands: take away what both players win together")
    threads: int = option(1, help="CPU threads for learning", validator=validators.gt(0))
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")

    held_out: int = option(
        2000, help="Leduc: further situations that the epoch is chosen by", validator=validators.in_(range(1, 100_001))
    )
    pots: Literal["reachable", "any"] = option(
        "reachable", help="Leduc: pots that the first round can lead to, or any number of chips"
    )
    suits: Literal["alike", "any"] = option(
        "alike", help="Leduc: ranges in which the suits of a rank are as likely, as in play, or any ranges"
    )
    solver: Literal["dcfr", "cfr_plus", "rm_plus"] = option(
        "dcfr", help="Leduc: how situations are solved; rm_plus: regret matching+ with a uniform average"
    )
    solve_iterations: int = option(2000, help="Leduc: iterations of a situation", validator=validators.ge(1))
    skip: int = option(0, help="Leduc: iterations left out of the average", validator=validators.ge(0))

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "counterfactual_values_deepstack": DEEPSTACK,
        "leduc_values": LEDUC,
        "leduc_values_release": LEDUC_RELEASE,
    }

    def __attrs_post_init__(self) -> None:
        if self.skip >= self.solve_iterations:
            raise ValueError(f"skip must be below solve_iterations. Got {self.skip} of {self.solve_iterations}.")

    def check_game(self, game: Game) -> None:
        if is_leduc(game):
            from cardai.poker.values.leduc_situations import leduc_game

            leduc_game(game)
        elif not plays_holdem(game, 2):
            raise UsageError(
                f"counterfactual_values learns hold'em for two, or Leduc. {brief(game)} is {described(game)}."
            )

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> ValueTraining:
        if encoder is not None:
            raise UsageError(
                "counterfactual_values takes no --encoder: ranges are no views. Name a code of ranges: --set code=e_hs2."
            )
        training = self._training(game, seed)
        training.begin()
        return training

    def use_of(self, run: Path) -> str:
        return shlex.join(["cardai", "evaluate", "values", str(run)]) if self.situations else ""

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> ValueTraining:
        """Take a training up with the situations that it began with, though there may be more of them now."""
        training = self._training(game, seed)
        training.load(directory)
        return training

    def agent_options(self) -> Mapping[str, str]:
        return {"iterations": "Leduc: iterations of a decision (default 1000)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        if is_leduc(game):
            from cardai.poker.values.leduc_network import read_values, values_player

            return values_player(game, read_values(directory / "values.npz"), options)
        return evolve(self, device="auto")._training(game, seed).agent(options)

    def _training(self, game: Game, seed: int) -> ValueTraining:
        self.check_game(game)
        from cardai.plugins.trainers.counterfactual_values.holdem import SetTraining
        from cardai.plugins.trainers.counterfactual_values.leduc import LeducTraining

        return LeducTraining(self, game, seed) if is_leduc(game) else SetTraining(self, seed)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"counterfactual_values": CounterfactualValues}
