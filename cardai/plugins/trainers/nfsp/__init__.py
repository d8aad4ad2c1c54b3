"""Neural fictitious self-play (Heinrich and Silver 2016) for small two-player games: an average policy that nears Nash.

_kernels.py          the paper's Algorithm 1, on the game's tree as arrays (game.py)
_network_kernels.py  its networks' gradients and steps (networks.py)
actors.py            several actors that play for one learner
empty.py             tables and memories with nothing in them yet
training.py          metrics and checkpoints

Presets:
    nfsp_leduc: the paper's run on Leduc, networks of 64 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_thesis: one hand at a time and an update after every action (Joos 2018, faults mended).
    nfsp_leduc_best: 512 tables, half of Q's minibatches drawn evenly over information states, rates that fall; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import frozen, validators

from cardai.core.encoder import Encoder, Layout, need_encoder
from cardai.core.errors import UsageError
from cardai.core.fields import with_role
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import KEPT, LEARNING_RATE, ROWS
from cardai.solve.tree import refuse_if_large

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.plugins.trainers.nfsp.training import NFSPTraining

_PAPER: Mapping[str, Any] = {"reward_scale": 1 / 26}
_BEST: Mapping[str, Any] = {
    "tables": 512,
    "target_every": 0,
    "reward_scale": 0.2,
    "policy_optimizer": "adam",
    "policy_rate": 1e-3,
    "policy_rate_end": 4e-5,
    "q_rate_end": 0.004,
    "rate_steps": 800_000,
    "stratified": 0.5,
}
_positive = validators.gt(0)
_share = [validators.ge(0), validators.le(1)]


@frozen
class NFSP(Trainer):
    """Neural fictitious self-play. Defaults are the paper's for Leduc, details those of its author's released code.

    A step is an iteration: one action at each table, then ``updates`` minibatches for each network. Each seat has a Q
    network (best response, epsilon-greedy) and a policy network (average of its best responses); a hand is played by the
    best response with probability ``eta``. The policy network is what is measured and played.

    Metrics: ``exploitability`` (mean of both best responses' values against the average policies),
    ``reservoir_exploitability`` (of the exact frequencies in M_SL: what a perfect policy network would have),
    ``greedy_gap_0/1`` (what the exact best response earns more than greedy Q), ``q_loss``, ``policy_loss``,
    ``rl_size``, ``sl_size``, ``epsilon``, ``steps_per_second`` (environment steps a CPU second since the last row).
    """

    step_unit: ClassVar[str] = "iterations"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "nfsp_leduc": _PAPER,
        "nfsp_leduc_thesis": {**_PAPER, "tables": 1, "updates": 1},
        "nfsp_leduc_best": _BEST,
    }
    retired: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "engine": ("auto", "native"),
        "play": ("auto", "compiled"),
        "device": ("auto", "cpu"),
        "threads": (),
        "recency": ("0.0",),
        "store_exploration": ("true",),
        "discount": ("1.0",),
        "q_average": ("0.0",),
        "q_optimizer": ("sgd",),
        "rate_power": ("0.0",),
    }

    tables: int = option(128, help="hands played in lock step: environment steps an iteration", validator=ROWS)
    eta: float = option(
        0.1, help="anticipatory parameter: share of hands played by the best response", validator=_share
    )
    epsilon: float = option(0.06, help="first share of random actions of the best response", validator=_share)
    epsilon_decay: float = option(
        0.01, help="epsilon falls as 1 / (1 + decay * sqrt(iterations))", validator=validators.ge(0)
    )
    reward_scale: float | None = option(
        None, help="rewards are multiplied by this; none: 1 / their range", validator=validators.optional(_positive)
    )
    compile_limit: int = option(200_000, help="nodes of the largest game that is taken", validator=_positive)
    rl_capacity: int = option(200_000, help="M_RL: transitions kept, a seat (circular)", validator=KEPT)
    sl_capacity: int = option(2_000_000, help="M_SL: best-response actions kept, a seat (reservoir)", validator=KEPT)
    min_data: int = option(1_000, help="entries a memory needs before it is learnt from", validator=_positive)
    stratified: float = option(
        0.0, help="share of Q's minibatches drawn evenly over information states (the paper: 0)", validator=_share
    )
    hidden: int = option(
        64, help="units of the hidden layer (ReLU) of both networks", validator=validators.in_(range(1, 8193))
    )
    updates: int = option(2, help="minibatches for each network after each iteration", validator=_positive)
    batch: int = option(128, help="rows of a minibatch", validator=ROWS)
    target_every: int = option(
        300, help="Q updates between refits of the target network; 0: no target network", validator=validators.ge(0)
    )
    q_rate: float = option(0.1, help="learning rate of Q (SGD)", validator=LEARNING_RATE)
    q_rate_end: float | None = option(
        None, help="learning rate of Q after rate_steps; none: the same", validator=validators.optional(LEARNING_RATE)
    )
    policy_optimizer: Literal["sgd", "adam"] = option("sgd", help="optimiser of the policy network (no momentum)")
    policy_rate: float = option(0.005, help="learning rate of the policy network", validator=LEARNING_RATE)
    policy_rate_end: float | None = option(
        None, help="its learning rate after rate_steps; none: the same", validator=validators.optional(LEARNING_RATE)
    )
    rate_steps: int = option(1_000_000, help="iterations over which rates fall geometrically", validator=_positive)
    actors: int = option(
        1,
        help="who play, at so many tables each; an iteration learns as much as with one, from more play (another result than with "
        "one, but always the same)",
        validator=[_positive, validators.le(1024)],
    )
    eval_every: int = option(2_000, help="iterations between rows of metrics", validator=_positive)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> NFSPTraining:
        from cardai.plugins.trainers.nfsp.game import compile_game
        from cardai.plugins.trainers.nfsp.training import NFSPTraining

        layout = self._layout(game, encoder)
        return NFSPTraining(self, game, layout, compile_game(game, layout, self.compile_limit), seed)

    def check_game(self, game: Game) -> None:
        name = brief(game)
        if game.num_players != 2:
            raise UsageError(f"NFSP is for two players. {name} has {game.num_players}.")
        if with_role(game.view_fields, "player") is None:
            raise UsageError(
                f"NFSP has a network a seat and needs a field of the role 'player' (whose view it is). {name} has none."
            )
        refuse_if_large(game, self.compile_limit)

    def _layout(self, game: Game, encoder: Encoder | None) -> Layout:
        self.check_game(game)
        return need_encoder(encoder, "NFSP", "flat or leduc_30").for_game(game)

    def agent_options(self) -> Mapping[str, str]:
        return {"policy": "average (default), best_response, or mixture (eta best response at each decision)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        import numpy as np

        from cardai.learn.tensors import read_modules
        from cardai.plugins.trainers.nfsp.networks import make_networks, net_of
        from cardai.plugins.trainers.nfsp.player import NFSPAgent

        layout = self._layout(game, encoder)
        networks = make_networks(int(np.prod(layout.shape)), self.hidden, game.num_distinct_actions, 0)
        read_modules(directory / "networks.safetensors", networks)
        nets = {name: net_of(network) for name, network in networks.items()}
        return NFSPAgent(nets, game, layout, self.eta, self.reward_scale, options)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"nfsp": NFSP}
