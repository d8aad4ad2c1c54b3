"""Counterfactual value networks: what every hand of both ranges is worth in a public state, learned from solved ones.

Moravcik et al., "DeepStack" (2017), supplement, for the shape ``buckets``; arXiv 1807.00900 for what its buckets may be.
The examples are made by ``cardai situations``, of hold'em or of no-limit Leduc. A trained network of hold'em is no player:
subgames that end early are solved with it. A run of Leduc plays, as the agent ``resolving`` does with its values.

Presets:
    counterfactual_values_deepstack: DeepStack's shape over a code of ranges (Moravcik et al. 2017).
    leduc_values: values of Leduc's second round, a network that its hands share; ours.
    leduc_values_release: DeepStack's own network for Leduc: 36 places, 5 layers of 50 (Moravcik et al. 2017).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import THREADS

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values.training import ValueTraining

DEEPSTACK: Mapping[str, Any] = {"shape": "buckets", "rate": 1e-3, "batch": 1000, "drop": 200, "anneal": 0}
"""The publication's network and optimiser (supplement): the rate falls to a tenth after 200 epochs."""
LEDUC: Mapping[str, Any] = {"batch": 250, "anneal": 60}
LEDUC_RELEASE: Mapping[str, Any] = {
    "shape": "buckets", "code": "leduc_places", "hidden": 50, "layers": 5, "batch": 250, "anneal": 0, "drop": 45,
}  # fmt: skip


@frozen
class CounterfactualValues(Trainer):
    """Learns from solved situations. A step is an epoch; the best epoch on held-out boards is kept.

    Boards are split, not situations (of Leduc's six, situations): a tenth is held out to choose the epoch by, a tenth to test.
    """

    step_unit: ClassVar[str] = "epochs"

    situations: str = option(
        "", holds="training path", help="directory of situations to learn from (cardai situations)"
    )
    shape: Literal["hands", "buckets"] = option(
        "hands", help="hands: ours, one network a hand that share their weights; buckets: DeepStack's"
    )
    code: str = option(
        "",
        help="buckets: which hands are one (e_hs2, public_nested, potential_aware, range_1326, with options; leduc_places)",
    )
    solves: int = option(0, help="learn from so many situations; 0: all", validator=validators.ge(0))
    batch: int = option(50, help="situations in a minibatch", validator=validators.in_(range(1, 65_536)))
    rate: float = option(2e-3, help="Adam's rate", validator=[validators.gt(0), validators.lt(1)])
    anneal: int = option(30, help="epochs over which the rate falls to a hundredth, by a cosine; 0: it does not",
                         validator=validators.ge(0))  # fmt: skip
    drop: int = option(0, help="epochs after which the rate is a tenth; 0: never", validator=validators.ge(0))
    hidden: int = option(500, help="buckets: units of a layer", validator=validators.in_(range(1, 4097)))
    layers: int = option(7, help="buckets: hidden layers", validator=validators.in_(range(1, 33)))
    images: bool = option(
        False,
        help="buckets over range_1326: show each situation under a renaming of suits drawn anew each epoch",
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
    actors: int = option(
        1,
        help="who learn: each works out the gradient of a share of every minibatch (another result than with one, but always the "
        "same)",
        validator=validators.in_(range(1, 1025)),
    )
    threads: int = option(1, help="CPU threads for learning", validator=THREADS)
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "counterfactual_values_deepstack": DEEPSTACK,
        "leduc_values": LEDUC,
        "leduc_values_release": LEDUC_RELEASE,
    }

    def check_game(self, game: Game) -> None:
        from cardai.poker.values.situations import situation_game

        situation_game(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> ValueTraining:
        if encoder is not None:
            raise UsageError(
                "counterfactual_values takes no --encoder: ranges are no views. Name a code of ranges: --set code=e_hs2."
            )
        training = self._training(game, seed)
        training.begin()
        return training

    def use_of(self, run: Path) -> str:
        return shlex.join(["cardai", "evaluate", "values", str(run)])

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
        from cardai.plugins.trainers.counterfactual_values.training import values_player
        from cardai.poker.values.network import load_network

        return values_player(game, load_network(directory), options)

    def _training(self, game: Game, seed: int) -> ValueTraining:
        self.check_game(game)
        from cardai.plugins.trainers.counterfactual_values.training import ValueTraining

        return ValueTraining(self, game, seed)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"counterfactual_values": CounterfactualValues}
