"""Single deep CFR: networks of advantages, one an iteration and player, learned from sampled traversals; two players.

walkers.py   hands walked together: over the game's tree, or over its States
training.py  traversals, reservoirs, a fresh network an iteration, the average; checkpoints
player.py    the players: the average of all iterations, one drawn a hand, or the last
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen, validators

from cardai.core import registry
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.fields import with_role
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import LEARNING_RATE, THREADS

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.plugins.trainers.sd_cfr.training import SingleDeepCFR

_MOST = 1 << 20  # what a machine has memory for, whoever asks for it
_positive = validators.gt(0)


@frozen
class SDCFR(Trainer):
    """Single deep CFR (Steinberger, "Single deep counterfactual regret minimization", arXiv 1901.07621, 2019). A step is an
    iteration: for both players in turn ``traversals`` hands by external sampling, then a fresh network of the advantages in
    them and earlier ones, weighted by their iteration. Defaults are the publication's for Leduc, but for the network's
    shape: three plain layers."""

    step_unit: ClassVar[str] = "iterations"

    traversals: int = option(
        1500, help="traversals a player and iteration", validator=validators.in_(range(1, _MOST + 1))
    )
    updates: int = option(750, help="minibatches from which a network is learned", validator=_positive)
    batch: int = option(2048, help="decisions of a minibatch", validator=validators.in_(range(1, _MOST + 1)))
    capacity: int = option(
        1_000_000, help="decisions kept of all so far, a player", validator=validators.in_(range(1, 16 * _MOST + 1))
    )
    hidden: int = option(64, help="units of a hidden layer", validator=validators.in_(range(1, 8193)))
    layers: int = option(3, help="hidden layers", validator=validators.in_(range(1, 33)))
    rate: float = option(1e-3, help="learning rate of Adam", validator=LEARNING_RATE)
    norm: float = option(1.0, help="largest norm of a gradient; 0: any", validator=validators.ge(0))
    threads: int = option(1, help="CPU threads", validator=THREADS)
    measure_limit: int = option(
        200_000, help="nodes of the largest game that is walked over its tree, and measured", validator=_positive
    )
    eval_every: int = option(1, help="iterations between rows of metrics", validator=_positive)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> SingleDeepCFR:
        from cardai.plugins.trainers.sd_cfr.training import SingleDeepCFR

        training = SingleDeepCFR(self, game, self._layout(game, encoder), seed)
        training.probe()
        return training

    def check_game(self, game: Game) -> None:
        if game.amounts:
            raise UsageError(
                f"Single deep CFR needs a list of actions, and those of {brief(game)} are amounts of chips. "
                "Give it a ladder of bets, for example holdem_nolimit:bets=0.5+1+allin."
            )
        if game.num_players != 2:
            raise UsageError(f"Single deep CFR takes games for two. {brief(game)} is for {game.num_players}.")
        if with_role(game.view_fields, "player") is None:
            raise UsageError(
                f"Single deep CFR has networks of each seat, and the views of {brief(game)} do not say whose they are: no "
                "field of theirs has the role 'player'."
            )

    def agent_options(self) -> Mapping[str, str]:
        return {
            "policy": "average (default: of all iterations, exactly; small games), drawn (one iteration's a hand, which is "
            "the same; default in others) or current (the last iteration's)"
        }

    def _layout(self, game: Game, encoder: Encoder | None) -> Layout:
        self.check_game(game)
        return (encoder or registry.create("encoder", game.default_encoder)).for_game(game)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.plugins.trainers.sd_cfr.training import SingleDeepCFR

        training = SingleDeepCFR(self, game, self._layout(game, encoder), seed)
        training.load_player(directory)
        return training.agent(options)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"sd_cfr": SDCFR}
