"""Policy gradients by self-play for any game with a list of actions: PPO and magnetic mirror descent.

rollouts.py    whole hands in lock step, one policy in all seats
actors.py      several actors that play for one learner
advantages.py  what actions were worth: GAE, a critic of all seats' views, or the game's tree
losses.py      the clipped surrogate, and the pulls to a magnet and to the last policy
natural.py     natural steps of the actor, for small games
training.py    iterations, metrics, checkpoints

Presets:
    ppo: no pull to a magnet or to the last policy, entropy bonus 0.05 (Rudolph et al. 2025, defaults).
    mmd_leduc: exact advantages, natural steps, a magnet whose pull falls from 0.5 chips to 0.02; ours.
    mmd_liars_dice: MMD with the best options found for liar's dice of 2 dice and 5 faces (Rudolph et al. 2025).
    mmd_phantom_ttt: MMD with the best options found for phantom tic-tac-toe (Rudolph et al. 2025).
    mmd_abrupt_phantom_ttt: MMD with the best options found for abrupt phantom tic-tac-toe (Rudolph et al. 2025).
    mmd_dark_hex: MMD with the best options found for dark hex on 3x3 (Rudolph et al. 2025).
    mmd_abrupt_dark_hex: MMD with the best options found for abrupt dark hex on 3x3 (Rudolph et al. 2025).
    ppo_liars_dice: PPO with the best options found for liar's dice of 2 dice and 5 faces (Rudolph et al. 2025).
    ppo_phantom_ttt: PPO with the best options found for phantom tic-tac-toe (Rudolph et al. 2025).
    ppo_abrupt_phantom_ttt: PPO with the best options found for abrupt phantom tic-tac-toe (Rudolph et al. 2025).
    ppo_dark_hex: PPO with the best options found for dark hex on 3x3 (Rudolph et al. 2025).
    ppo_abrupt_dark_hex: PPO with the best options found for abrupt dark hex on 3x3 (Rudolph et al. 2025).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import frozen, validators

from cardai.core import registry
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.core.trainer import Trainer
from cardai.learn.bounds import LEARNING_RATE, ROWS, THREADS
from cardai.solve.tree import refuse_if_large

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.plugins.trainers.mmd.training import MMDTraining

_PPO: Mapping[str, Any] = {"magnet": 0.0, "last": 0.0, "entropy": 0.05}
_DECISIONS = 10_000_000  # the publication's training, over which the rate falls to 0


def _published(
    rate: float,
    steps: int,
    minibatches: int,
    epochs: int,
    clip: float,
    entropy: float,
    kl: float,
    value: float,
    norm: float,
) -> Mapping[str, Any]:
    """Return options from a row of the publication's table; ``steps`` are those of each of 8 tables."""
    batch = 8 * steps
    own = {"magnet": entropy, "last": kl, "entropy": 0.0} if kl else {"magnet": 0.0, "last": 0.0, "entropy": entropy}
    shape = {"batch": batch, "tables": max(8, batch // 8), "minibatches": minibatches, "epochs": epochs, "clip": clip}
    return {**own, **shape, "rate": rate, "anneal": _DECISIONS // batch, "value_weight": value, "norm": norm}


_GAMES: Mapping[str, Mapping[str, Any]] = {  # best_hyperparameters of nathanlct/IIG-RL-Benchmark
    "mmd_liars_dice": _published(6.25e-5, 256, 1, 8, 0.025, 0.1, 0.025, 0.0625, 0.5),
    "mmd_phantom_ttt": _published(2.5e-4, 128, 4, 4, 0.1, 0.05, 0.05, 0.5, 0.5),
    "mmd_abrupt_phantom_ttt": _published(2.5e-4, 16, 1, 4, 0.8, 0.2, 0.2, 1.0, 0.25),
    "mmd_dark_hex": _published(6.25e-5, 128, 4, 1, 0.1, 0.2, 0.025, 2.0, 2.0),
    "mmd_abrupt_dark_hex": _published(6.25e-5, 32, 32, 2, 0.8, 0.05, 0.1, 0.0625, 0.5),
    "ppo_liars_dice": _published(6.25e-5, 256, 1, 8, 0.025, 0.1, 0.0, 0.0625, 0.5),
    "ppo_phantom_ttt": _published(2.5e-4, 128, 4, 4, 0.1, 0.05, 0.0, 0.5, 0.5),
    "ppo_abrupt_phantom_ttt": _published(2.5e-4, 512, 1, 4, 0.8, 0.2, 0.0, 0.5, 1.0),
    "ppo_dark_hex": _published(2e-3, 512, 4, 8, 0.025, 0.05, 0.0, 1.0, 2.0),
    "ppo_abrupt_dark_hex": _published(2.5e-4, 256, 8, 4, 0.025, 0.05, 0.0, 0.0625, 2.0),
}
_LEDUC: Mapping[str, Any] = {
    "advantages": "exact",
    "optimizer": "natural",
    "activation": "relu",
    "hidden": 128,
    "layers": 1,
    "tables": 8,
    "minibatches": 1,
    "epochs": 1,
    "reward_scale": 1.0,
    "magnet": 0.5,
    "magnet_end": 0.02,
    "last": 20.0,
    "last_end": 100.0,
    "floor": 1e-3,
    "anneal": 20_000,
    "eval_every": 200,
}
_positive = validators.gt(0)
_MOST = 1 << 20  # tables, and decisions of an iteration: what a machine has memory for, whoever asks for them
_at_least_0 = validators.ge(0)
_share = [validators.ge(0), validators.le(1)]


@frozen
class MMD(Trainer):
    """Magnetic mirror descent by policy gradients. A step is an iteration: ``batch`` decisions of self-play, then
    ``epochs`` times ``minibatches`` gradient steps."""

    step_unit: ClassVar[str] = "iterations"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"ppo": _PPO, "mmd_leduc": _LEDUC, **_GAMES}

    advantages: Literal["gae", "all_actions", "exact"] = option(
        "gae",
        help="gae: of the actions taken, by a critic of the own view; all_actions: of all, by a critic of all seats' "
        "views and what was played; exact: of all, by the game's tree (small games; nothing is played)",
    )
    batch: int = option(
        1024,
        help="decisions an iteration, of all seats, at least (hands are finished)",
        validator=validators.in_(range(1, _MOST + 1)),
    )
    tables: int = option(128, help="hands played in lock step", validator=validators.in_(range(1, _MOST + 1)))
    actors: int = option(
        1,
        help="who play: an iteration's decisions are cut into so many pieces",
        validator=validators.in_(range(1, 4097)),
    )
    minibatches: int = option(4, help="minibatches of an epoch", validator=_positive)
    epochs: int = option(4, help="times that an iteration's decisions are learned from", validator=_positive)
    magnet: float = option(0.05, help="weight of the pull to the magnet, KL(policy || magnet)", validator=_at_least_0)
    magnet_end: float | None = option(
        None,
        help="weight of that pull after anneal iterations; none: the same",
        validator=validators.optional(_positive),
    )
    magnet_every: int = option(
        0,
        help="iterations after which the magnet is the policy of the moment; 0: it stays uniform",
        validator=_at_least_0,
    )
    last: float = option(
        0.05, help="weight of the pull to the policy that played, KL(policy || last)", validator=_at_least_0
    )
    last_end: float | None = option(
        None,
        help="weight of that pull after anneal iterations; none: the same",
        validator=validators.optional(_positive),
    )
    entropy: float = option(0.0, help="weight of the policy's entropy", validator=_at_least_0)
    clip: float = option(
        0.1, help="PPO's clip range of the probability ratio; 0: none", validator=[validators.ge(0), validators.lt(1e6)]
    )
    value_clip: bool = option(True, help="clip the critic's moves by the same range")
    normalize: bool = option(
        True,
        help="scale a minibatch's sampled advantages to mean 0 and deviation 1; of all_actions: what was played beyond the critic's",
    )
    discount: float = option(0.99, help="gamma of gae, for each of a seat's own decisions", validator=_share)
    decay: float = option(0.95, help="lambda: how much of what was played counts beside the critic", validator=_share)
    reward_scale: float | None = option(
        None,
        help="returns are multiplied by this; none: 1 / the most there is to win",
        validator=validators.optional(_positive),
    )
    activation: Literal["tanh", "relu"] = option(
        "tanh", help="of hidden layers: tanh with orthogonal weights at first, or relu with uniform ones"
    )
    hidden: int = option(512, help="units of a hidden layer", validator=validators.in_(range(1, 8193)))
    layers: int = option(3, help="hidden layers of actor and critic each", validator=validators.in_(range(1, 33)))
    optimizer: Literal["adam", "natural"] = option(
        "adam",
        help="adam, or natural: the actor moves as mirror descent's closed form says, by least squares over all different "
        "inputs (small games; last is 1 / step size, and the critic has adam)",
    )
    damping: float = option(
        1e-3, help="natural: what is added to the squares, as a share of their mean", validator=_positive
    )
    floor: float = option(
        0.0,
        help="natural: the probability below which no action is moved; a network that must show ever smaller ones loses the rest",
        validator=[validators.ge(0), validators.lt(0.1)],
    )
    rate: float = option(2.5e-4, help="learning rate of Adam", validator=LEARNING_RATE)
    momentum: float = option(0.9, help="Adam's beta 1", validator=[validators.ge(0), validators.lt(1)])
    rate_end: float = option(
        0.0,
        help="learning rate after anneal iterations; 0: it falls linearly, else geometrically",
        validator=[validators.ge(0), validators.lt(1000)],
    )
    anneal: int = option(
        0, help="iterations over which rate and magnet fall to their ends; 0: they stay", validator=_at_least_0
    )
    value_weight: float = option(0.5, help="weight of the critic's loss", validator=_at_least_0)
    norm: float = option(0.5, help="largest norm of a gradient; 0: any", validator=_at_least_0)
    average: int = option(
        0,
        help="decisions kept of all actors so far, from which the averaged policy is learned; 0: there is none",
        validator=validators.in_(range(16 * _MOST + 1)),
    )
    average_batch: int = option(1024, help="rows of the averaged policy's minibatches", validator=ROWS)
    average_updates: int = option(2, help="minibatches of the averaged policy an iteration", validator=_positive)
    against: str = option(
        "",
        holds="training agent",
        help="a fixed player in all seats but one, that of the learner, from hand to hand another: a best response is "
        "learned; none: the learner plays all seats",
    )
    threads: int = option(1, help="CPU threads", validator=THREADS)
    device: str = option(
        "cpu",
        help="torch's device for the networks: cpu, cuda, or auto (the GPU if there is one); worth it for large networks "
        "and batches; several actors play on the CPU",
    )
    measure_limit: int = option(
        200_000, help="nodes of the largest game whose exploitability is measured", validator=_positive
    )
    eval_every: int = option(100, help="iterations between rows of metrics", validator=_positive)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> MMDTraining:
        from cardai.plugins.trainers.mmd.training import MMDTraining

        return MMDTraining(self, game, self._layout(game, encoder), seed)

    def check_game(self, game: Game) -> None:
        if game.amounts:
            raise UsageError(
                f"Policy gradients need a list of actions, and those of {brief(game)} are amounts of chips. "
                "Give it a ladder of bets, for example holdem_nolimit:bets=0.5+1+allin."
            )
        if self.advantages == "exact":
            refuse_if_large(game, self.measure_limit)

    def __attrs_post_init__(self) -> None:
        ends = {"magnet_end": self.magnet_end, "last_end": self.last_end, "rate_end": self.rate_end or None}
        moving = [f"{name}={end:g}" for name, end in ends.items() if end is not None]
        if moving and not self.anneal:
            raise ValueError(
                f"What a weight falls to ({', '.join(moving)}) is come to after anneal iterations: give anneal too."
            )
        begins = {"magnet_end": self.magnet, "last_end": self.last}
        still = [name for name, begin in begins.items() if ends[name] is not None and not begin]
        if still:
            raise ValueError(
                f"A weight goes from its beginning to its end by factors, and one of 0 stays 0: with {' and '.join(still)} give "
                f"{' and '.join(name.removesuffix('_end') for name in still)} above 0."
            )
        if self.optimizer == "natural":
            self._check_natural()
        if self.against and self.advantages != "gae":
            raise ValueError(
                f"A response to a fixed player (against) is learned with advantages=gae. Got {self.advantages}."
            )
        if self.actors > 1 and self.advantages == "exact":
            raise ValueError("With advantages=exact nothing is played, so there is nothing for actors to do.")
        if self.average and self.advantages == "exact":
            raise ValueError("The averaged policy is learned from play, and with advantages=exact nothing is played.")

    def _check_natural(self) -> None:
        if self.advantages == "gae" or self.epochs > 1 or self.minibatches > 1 or not self.last:
            raise ValueError(
                "Natural steps (optimizer=natural) need advantages of all actions (exact or all_actions), epochs=1, "
                "minibatches=1, and last above 0, which is 1 / the step size."
            )
        if self.device != "cpu":
            raise ValueError(f"Natural steps (optimizer=natural) are taken on the CPU. Got device={self.device}.")
        if self.entropy:
            raise ValueError(
                "Natural steps (optimizer=natural) know no bonus for entropy: a pull to a uniform magnet (magnet, with "
                f"magnet_every=0) does the same. Got entropy={self.entropy:g}."
            )

    def agent_options(self) -> Mapping[str, str]:
        return {
            "policy": "last (default: the actor), greedy (its likeliest actions) or average (of all actors so far; trained with average=N)",
            "device": "torch's device for its network: cpu (default), cuda, auto; a GPU measures large games sooner",
        }

    def _layout(self, game: Game, encoder: Encoder | None) -> Layout:
        self.check_game(game)
        return (encoder or registry.create("encoder", game.default_encoder)).for_game(game)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.learn.tensors import read_modules
        from cardai.plugins.trainers.mmd.networks import make_networks
        from cardai.plugins.trainers.mmd.player import MMDAgent

        layout = self._layout(game, encoder)
        networks = make_networks(self, game, layout, seed)
        read_modules(directory / "networks.safetensors", networks)
        return MMDAgent(networks, game, layout, options)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"mmd": MMD}
