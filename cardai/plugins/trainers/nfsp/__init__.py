"""Neural fictitious self-play (Heinrich and Silver 2016) for two-player games: an average policy that nears Nash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import frozen, validators

from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.core.trainer import Trainer, Training

if TYPE_CHECKING:
    from cardai.core.agent import Agent

_positive = validators.gt(0)
_share = [validators.ge(0), validators.le(1)]
_PAPER: Mapping[str, Any] = {"reward_scale": 1 / 26}
_FAST: Mapping[str, Any] = {
    "tables": 512,
    "target_every": 0,
    "reward_scale": 0.2,
    "policy_optimizer": "adam",
    "policy_rate": 1e-3,
    "policy_rate_end": 3e-4,
    "rate_steps": 500_000,
}
_BEST: Mapping[str, Any] = {
    **_FAST,
    "stratified": 0.5,
    "q_rate_end": 0.02,
    "policy_rate_end": 2e-4,
    "rate_steps": 400_000,
}


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

    step_unit = "iterations"
    needs_encoder = True

    hidden: tuple[int, ...] = option((64,), help="units of the hidden layers (ReLU) of both networks")
    tables: int = option(128, help="hands played in lock step: environment steps an iteration", validator=_positive)
    updates: int = option(2, help="minibatches for each network after each iteration", validator=_positive)
    batch: int = option(128, help="rows of a minibatch", validator=_positive)
    rl_capacity: int = option(200_000, help="M_RL: transitions kept, a seat (circular)", validator=_positive)
    sl_capacity: int = option(
        2_000_000, help="M_SL: best-response actions kept, a seat (reservoir)", validator=_positive
    )
    min_data: int = option(1_000, help="entries a memory needs before it is learnt from", validator=_positive)
    eta: float = option(
        0.1, help="anticipatory parameter: share of hands played by the best response", validator=_share
    )
    epsilon: float = option(0.06, help="first share of random actions of the best response", validator=_share)
    epsilon_decay: float = option(0.01, help="epsilon falls as 1 / (1 + decay * sqrt(iterations))")
    store_exploration: bool = option(True, help="random actions go to M_SL too (without them learning can collapse)")
    discount: float = option(1.0, help="discount of the next state's value", validator=_share)
    reward_scale: float | None = option(None, help="rewards are multiplied by this; none: 1 / their range")
    stratified: float = option(
        0.0, help="share of Q's minibatches drawn evenly over information states (compiled games)", validator=_share
    )
    q_average: float = option(
        0.0, help="best responses play a moving average of Q that moves by this share an iteration; 0: Q itself"
    )
    target_every: int = option(300, help="Q updates between refits of the target network; 0: no target network")
    q_optimizer: Literal["sgd", "adam"] = option("sgd", help="optimiser of Q (no momentum)")
    q_rate: float = option(0.1, help="learning rate of Q", validator=_positive)
    q_rate_end: float | None = option(None, help="learning rate of Q after rate_steps; none: the same")
    policy_optimizer: Literal["sgd", "adam"] = option("sgd", help="optimiser of the policy network (no momentum)")
    policy_rate: float = option(0.005, help="learning rate of the policy network", validator=_positive)
    policy_rate_end: float | None = option(None, help="its learning rate after rate_steps; none: the same")
    rate_steps: int = option(1_000_000, help="iterations over which rates fall geometrically", validator=_positive)
    eval_every: int = option(2_000, help="iterations between rows of metrics", validator=_positive)
    engine: Literal["auto", "native", "torch"] = option(
        "auto", help="native: our kernels (CPU, one hidden layer, small games); auto: where it can be, unless on a GPU"
    )
    play: Literal["auto", "compiled", "tables"] = option(
        "auto", help="compiled: the game's tree as arrays; tables: any game; auto: compiled up to compile_limit"
    )
    compile_limit: int = option(200_000, help="nodes of the largest game that is compiled")
    device: str = option("auto", help="torch's device; auto: the GPU if there is one and the engine is torch")
    threads: int = option(1, help="CPU threads of torch", validator=_positive)

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "nfsp_leduc": _PAPER,
        "nfsp_leduc_8": {**_PAPER, "hidden": (8,)},
        "nfsp_leduc_16": {**_PAPER, "hidden": (16,)},
        "nfsp_leduc_32": {**_PAPER, "hidden": (32,)},
        "nfsp_leduc_128": {**_PAPER, "hidden": (128,)},
        "nfsp_leduc_thesis": {**_PAPER, "tables": 1, "updates": 1},
        "nfsp_leduc_fast": _FAST,
        "nfsp_leduc_best": _BEST,
    }

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        from cardai.plugins.trainers.nfsp.training import start

        return start(self, game, encoder, seed)

    def agent_options(self) -> Mapping[str, str]:
        return {"policy": "average (default), best_response, or mixture (eta best response at each decision)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.plugins.trainers.nfsp.agent import load_agent

        return load_agent(self, game, encoder, directory, options)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"nfsp": NFSP}
