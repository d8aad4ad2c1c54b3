"""NFSP's options: play, memories, learning and computing; and those that kernels read, as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.arrays import Records
from cardai.core.errors import UsageError
from cardai.core.fields import with_role
from cardai.core.game import Game
from cardai.core.spec import brief, option

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

MASK_LIMIT = 1024
_positive = validators.gt(0)
_share = [validators.ge(0), validators.le(1)]


def refuse_game(game: Game) -> None:
    """Raise UsageError for a game that NFSP cannot take."""
    name = brief(game)
    if game.num_players != 2:
        raise UsageError(f"NFSP is for two players. {name} has {game.num_players}.")
    if game.num_distinct_actions > MASK_LIMIT:
        raise UsageError(
            f"NFSP needs a mask of legal actions. {name} has {game.num_distinct_actions} actions: "
            "give the game a smaller set of bets, if it has such an option."
        )
    if with_role(game.view_fields, "player") is None:
        raise UsageError(
            f"NFSP has a network a seat and needs a field of the role 'player' (whose view it is). {name} has none."
        )


@frozen(slots=False)
class PlayOptions:
    """How hands are played."""

    tables: int = option(128, help="hands played in lock step: environment steps an iteration", validator=_positive)
    eta: float = option(
        0.1, help="anticipatory parameter: share of hands played by the best response", validator=_share
    )
    epsilon: float = option(0.06, help="first share of random actions of the best response", validator=_share)
    epsilon_decay: float = option(0.01, help="epsilon falls as 1 / (1 + decay * sqrt(iterations))")
    reward_scale: float | None = option(
        None, help="rewards are multiplied by this; none: 1 / their range", validator=validators.optional(_positive)
    )
    play: Literal["auto", "compiled", "tables"] = option(
        "auto", help="compiled: the game's tree as arrays; tables: any game; auto: compiled up to compile_limit"
    )
    compile_limit: int = option(200_000, help="nodes of the largest game that is compiled")


@frozen(slots=False)
class MemoryOptions:
    """What is remembered, and how minibatches are drawn from it."""

    rl_capacity: int = option(200_000, help="M_RL: transitions kept, a seat (circular)", validator=_positive)
    sl_capacity: int = option(
        2_000_000, help="M_SL: best-response actions kept, a seat (reservoir)", validator=_positive
    )
    recency: float = option(
        0.0,
        help="M_SL weights the n-th action by n to this power; 0: the paper's plain average",
        validator=validators.ge(0),
    )
    min_data: int = option(1_000, help="entries a memory needs before it is learnt from", validator=_positive)
    store_exploration: bool = option(True, help="random actions go to M_SL too (without them learning can collapse)")
    stratified: float = option(
        0.0, help="share of Q's minibatches drawn evenly over information states (compiled games)", validator=_share
    )


@frozen(slots=False)
class LearningOptions:
    """The networks and their updates."""

    hidden: tuple[int, ...] = option((64,), help="units of the hidden layers (ReLU) of both networks")
    updates: int = option(2, help="minibatches for each network after each iteration", validator=_positive)
    batch: int = option(128, help="rows of a minibatch", validator=_positive)
    discount: float = option(1.0, help="discount of the next state's value", validator=_share)
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
    rate_steps: int = option(1_000_000, help="iterations over which rates fall", validator=_positive)
    rate_power: float = option(
        0.0, help="p > 0: rates fall as 1 / (1 + t / rate_steps) ** p; 0: geometrically, to their end at rate_steps"
    )

    @property
    def rate_floors(self) -> tuple[float, float]:
        """The learning rates of Q and the policy network below which none falls."""
        usual = (0.0, 0.0) if self.rate_power else (self.q_rate, self.policy_rate)
        q, policy = self.q_rate_end, self.policy_rate_end
        return float(usual[0] if q is None else q), float(usual[1] if policy is None else policy)


@frozen(slots=False)
class ComputeOptions:
    """What computes, and when it is measured."""

    eval_every: int = option(2_000, help="iterations between rows of metrics", validator=_positive)
    engine: Literal["auto", "native", "torch"] = option(
        "auto", help="native: our kernels (CPU, one hidden layer, small games); auto: where it can be, unless on a GPU"
    )
    device: str = option("auto", help="torch's device; auto: the GPU if there is one and the engine is torch")
    threads: int = option(1, help="CPU threads of torch", validator=_positive)


def settings_row(options: NFSP, scale: float) -> Records:
    """Return the options that kernels read as one record, (1,); rewards are multiplied by ``scale``."""
    values: dict[str, float | int | bool] = {
        "eta": float(options.eta),
        "epsilon": float(options.epsilon),
        "epsilon_decay": float(options.epsilon_decay),
        "store_exploration": options.store_exploration,
        "discount": float(options.discount),
        "reward_scale": float(scale),
        "recency": float(options.recency),
        "stratified": float(options.stratified),
        "q_average": float(options.q_average),
        "target_every": options.target_every,
        "updates": options.updates,
        "min_data": options.min_data,
        "q_adam": options.q_optimizer == "adam",
        "q_rate": float(options.q_rate),
        "q_rate_end": options.rate_floors[0],
        "policy_adam": options.policy_optimizer == "adam",
        "policy_rate": float(options.policy_rate),
        "policy_rate_end": options.rate_floors[1],
        "rate_power": float(options.rate_power),
        "rate_steps": float(options.rate_steps),
    }
    types: list[Any] = [(name, np.min_scalar_type(v) if isinstance(v, bool) else type(v)) for name, v in values.items()]
    row = np.zeros(1, types)
    for name, value in values.items():
        row[name] = value
    return row
