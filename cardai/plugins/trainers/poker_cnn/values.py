"""Value learning: a network predicts what each hold (or hand) is worth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from attrs import evolve, frozen, validators
from torch import nn

from cardai.cards.canonical import columns_back
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.spec import option
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.learn import tensors
from cardai.learn.grid_networks import GridShape, NetworkName, SuitNetwork, build, parameters
from cardai.learn.networks import choose_device
from cardai.learn.views import canonical_views
from cardai.plugins.trainers.poker_cnn.players import HoldPlayer, ValueBrain, player_of
from cardai.plugins.trainers.poker_cnn.problems import Problem, problem_of
from cardai.plugins.trainers.poker_cnn.replay import Replay, excess_regret
from cardai.plugins.trainers.poker_cnn.validation import HeldOut, held_out

_CACHED = 1 << 30  # bytes of codes kept in memory; more are encoded minibatch by minibatch
_RANDOM = 200_000  # random situations where they cannot all be listed


@frozen
class PokerCnn(Trainer):
    """Poker-CNN's value learning. A step is a minibatch."""

    network: NetworkName = option("suits", help="cnn, cnn_16, fat and dense are the publication's; suits is ours")
    same_padding: bool = option(False, help="convolutions of cnn, cnn_16, fat keep the planes' size")
    whole_suits: bool = option(False, help="network=suits: each layer also sees suits as a whole")
    examples: int = option(
        0, help="random hands to learn from; 0: every hand up to suits' names", validator=validators.ge(0)
    )
    redraws: int = option(
        0,
        help="labels by so many sampled redraws or deals (the paper: 1000, hold'em 2000); 0: exact (hold'em before the "
        "river: 1000)",
        validator=validators.ge(0),
    )
    thin: bool = option(
        False,
        help="use fewer of the usual hands (the paper): video poker half of those whose best hold keeps one or two cards, "
        "draw games few of those of middling value",
    )
    canonical: bool = option(
        True, help="show hands with suits renamed and cards ordered, so that equal hands look equal"
    )
    relu_output: bool = option(False, help="ReLU on the outputs too (the paper)")
    policy_weight: float = option(
        1.0, help="weight of the policy head's loss (network=suits)", validator=validators.ge(0)
    )
    temperature: float = option(
        0.01, help="the policy head learns softmax(value / temperature)", validator=validators.gt(0)
    )
    replay: float = option(
        0.0,
        help="share of each minibatch drawn from hands that were misplayed when last shown, by what that cost "
        "(network=suits, holds)",
        validator=[validators.ge(0), validators.lt(1)],
    )
    optimizer: Literal["sgd", "adam"] = option("adam", help="sgd: Nesterov momentum 0.9 (the paper)")
    learning_rate: float = option(0.002, help="learning rate", validator=validators.gt(0))
    anneal: int = option(
        20_000, help="minibatches over which the rate falls to 1% by a cosine; 0: never", validator=validators.ge(0)
    )
    batch: int = option(512, help="examples in a minibatch", validator=validators.gt(0))
    every: int = option(1000, help="minibatches between rows of metrics", validator=validators.gt(0))
    measure: bool = option(
        True, help="exact return and mistakes over all hands with each row of metrics (canonical=true)"
    )
    validation: int = option(
        4000,
        help="held-out random situations measured with each row of metrics where not all hands are; 0: none",
        validator=validators.ge(0),
    )
    threads: int = option(2, help="CPU threads for learning (playing takes one)", validator=validators.gt(0))
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")

    step_unit: ClassVar[str] = "minibatches"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "poker_cnn_paper": {
            "network": "cnn",
            "examples": 250_000,
            "redraws": 1000,
            "thin": True,
            "canonical": False,
            "relu_output": True,
            "policy_weight": 0.0,
            "optimizer": "sgd",
            "learning_rate": 0.1,
            "anneal": 0,
            "batch": 100,
        },
        "poker_cnn_ours": {"whole_suits": True},
        "poker_cnn_video_ours": {"whole_suits": True, "replay": 0.25, "anneal": 6000},
    }

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> ValueTraining:
        if encoder is None:
            raise UsageError(
                "poker_cnn needs an encoder: give --encoder (grid_4x13:fields=hand, poker_cnn_video, ...)."
            )
        return ValueTraining(self, game, encoder, seed)

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        anywhere = evolve(self, device="auto")  # what was trained on a GPU plays without one
        return super(PokerCnn, anywhere).trained_agent(game, encoder, seed, directory, options)

    def agent_options(self) -> Mapping[str, str]:
        return {"act": "value: by the value head; policy: by the policy head (network=suits; the default there)"}


class ValueTraining(Training):
    """The network, its optimiser and the number of minibatches done: all randomness follows from (seed, step)."""

    def __init__(self, options: PokerCnn, game: Game, encoder: Encoder, seed: int) -> None:
        self.options = options
        self.game = game
        self.seed = seed
        self.step = 0
        self.layout = encoder.for_game(game)
        self.problem: Problem = problem_of(game)
        self.lesson = options.policy_weight if self.problem.holds else 0.0
        self.replay: Replay | None = None
        self._regrets: npt.NDArray[np.float32] | None = None  # of a checkpoint, until the training goes on
        self.device = choose_device(options.device)
        with tensors.seeded(seed, torch.device("cpu")):
            self.network = make_network(
                options.network, self.layout, self.problem.outputs, options.same_padding, options.whole_suits
            )
        self.network.to(self.device)
        self.optimizer = _optimizer(options, self.network)
        self._data: tuple[npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.float32]] | None = None
        self._held_out: HeldOut | None = None

    # -- learning --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        o = self.options
        codes, values, weights = self._examples()
        if self.lesson and o.replay and isinstance(self.network, SuitNetwork) and self.replay is None:
            self.replay = Replay(weights, self._regrets)
        losses: list[float] = []
        end = self.step + steps
        while self.step < end:
            index, shares = self._minibatch(weights)
            losses.append(self._update(index, self._codes(codes[index]), values[index], shares))
            self.step += 1
            if self.step % o.every == 0 or self.step == end:
                measured = self._exact_metrics() or self._validation_metrics()
                yield {"loss": float(np.mean(losses)), "learning_rate": self._rate(), **measured}
                losses = []
            elif self.step % 10 == 0:
                yield {}

    def _minibatch(self, weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the examples of minibatch ``step`` and their weights in it.

        Epochs run through a permutation of their own; replayed examples follow, with weight 1: their chance has theirs.
        """
        o = self.options
        again = round(o.replay * o.batch) if self.replay is not None else 0
        fresh = o.batch - again
        per_epoch = max(1, len(weights) // fresh)
        epoch, place = divmod(self.step, per_epoch)
        index = self._order(epoch, len(weights))[place * fresh : (place + 1) * fresh]
        if self.replay is None:
            return index, weights[index]
        more = self.replay.draw(again, np.random.default_rng([self.seed, 2, self.step]))
        return np.concatenate([index, more]), np.concatenate([weights[index], np.ones(again, np.float32)])

    def _order(self, epoch: int, count: int) -> npt.NDArray[np.int64]:
        if getattr(self, "_order_of", None) != (epoch, count):
            self._order_of = (epoch, count)
            self._permutation = np.random.default_rng([self.seed, 1, epoch]).permutation(count)
        return self._permutation

    def _update(
        self,
        index: npt.NDArray[np.int64],
        codes: npt.NDArray[Any],
        values: npt.NDArray[Any],
        weights: npt.NDArray[Any],
    ) -> float:
        o = self.options
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        self.network.train()
        with tensors.threads(o.threads), tensors.seeded(derive(self.seed, "dropout", self.step), self.device):
            x, v, w = (torch.from_numpy(part).to(self.device) for part in (codes, values, weights))
            target = compressed(v)
            if isinstance(self.network, SuitNetwork) and self.lesson:
                predicted, logits = self.network.both(x)
                aim = torch.softmax(v / o.temperature, dim=1)
                wrong = -(aim * torch.log_softmax(logits, dim=1)).sum(dim=1)
                if self.replay is not None:
                    self.replay.note(index, excess_regret(v, aim, logits.detach()))
            else:
                predicted, wrong = self.network(x), torch.zeros_like(w)
            if o.relu_output:
                predicted = torch.relu(predicted)
            loss = (w * ((predicted - target).square().mean(dim=1) + self.lesson * wrong)).sum() / w.sum()
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
        return float(loss.detach())

    def _rate(self) -> float:
        o = self.options
        if not o.anneal:
            return o.learning_rate
        done = min(1.0, self.step / o.anneal)
        return o.learning_rate * (0.01 + 0.99 * 0.5 * (1 + float(np.cos(np.pi * done))))

    def _examples(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return (codes or views, values, weights) of all examples, made from the seed."""
        if self._data is not None:
            return self._data
        o = self.options
        if o.examples or not self.problem.size:
            rng = np.random.default_rng([self.seed, 0])
            views, values = self.problem.sampled(o.examples or _RANDOM, rng, o.redraws)
            if o.thin:
                keep = rng.random(len(views)) < self.problem.shares(views, values)
                views, values = views[keep], values[keep]
            weights = np.ones(len(views))
            if o.canonical:
                views, order = canonical_views(views)
                if order is not None:
                    values = columns_back(values, np.argsort(order, axis=1).astype(np.int8))
        else:
            views, values, weights = self.problem.situations(np.arange(self.problem.size))
        weights = weights / weights.mean()
        small = len(views) * int(np.prod(self.layout.shape)) * 4 <= _CACHED
        self._data = (
            self.layout.encode(views) if small else views,
            values.astype(np.float32),
            weights.astype(np.float32),
        )
        return self._data

    def _codes(self, examples: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the codes of examples, which are codes already where all of them fit in memory."""
        return examples if examples.dtype.names is None else self.layout.encode(examples)

    def _exact_metrics(self) -> Metrics:
        """Return the exact return and the shares of holds, over every hand up to suits' names (canonical only)."""
        if not self.options.canonical or not self.options.measure or not self.problem.size:
            return {}
        player = self.agent({})
        assert isinstance(player, HoldPlayer)
        return _measures(self.problem, player)

    def _validation_metrics(self) -> Metrics:
        """Return the measures on held-out situations."""
        o = self.options
        if not o.validation:
            return {}
        if self._held_out is None:
            self._held_out = held_out(self.problem, o.validation, compressed)
        by_policy = isinstance(self.network, SuitNetwork) and self.lesson > 0
        brain = ValueBrain(self.network.eval(), self.layout, o.canonical, by_policy, self.device, self.problem.plain)
        return self._held_out.metrics(brain, o.relu_output)

    # -- playing and keeping ---------------------------------------------------------------------------------------

    def agent(self, options: Mapping[str, Any]) -> Agent:
        refuse_unknown(options, ("act",))
        by_policy = isinstance(self.network, SuitNetwork) and self.lesson > 0
        act = options.get("act", "policy" if by_policy else "value")
        if act not in ("value", "policy") or (act == "policy" and not by_policy):
            raise OptionError(f"act must be value{' or policy' if by_policy else ''} for this run. Got {act!r}.")
        o = self.options
        brain = ValueBrain(
            self.network.eval(), self.layout, o.canonical, act == "policy", self.device, self.problem.plain
        )
        return player_of(self.game, brain)

    def save(self, directory: Path) -> None:
        parts = tensors.module_tensors(self.network, "network")
        parts |= tensors.optimizer_tensors(self.optimizer, "optimizer")
        regrets = self._regrets if self.replay is None else self.replay.regrets
        if regrets is not None:
            parts["replay.regrets"] = torch.from_numpy(regrets)
        tensors.write(directory / "weights.safetensors", parts)
        (directory / "state.json").write_text(json.dumps({"step": self.step, "parameters": parameters(self.network)}))

    def load(self, directory: Path) -> None:
        path = directory / "weights.safetensors"
        try:
            state = json.loads((directory / "state.json").read_text())
            step = int(state["step"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedFileError(f"The file {directory / 'state.json'} cannot be read: {error}.") from error
        parts = tensors.read(path)
        tensors.restore_module(self.network, parts, "network", path)
        tensors.restore_optimizer(self.optimizer, parts, "optimizer", path)
        regrets = parts.get("replay.regrets")
        self.replay, self._regrets = None, None if regrets is None else regrets.numpy()
        self.step = step


def _measures(problem: Problem, agent: HoldPlayer) -> Metrics:
    """Return the exact measures of an agent that treats suits and order alike."""
    lost = best = 0.0
    shares = np.zeros(4)
    total = 0.0
    for start in range(0, problem.size, 8192):
        views, values, weights = problem.situations(np.arange(start, min(start + 8192, problem.size)))
        chosen = values[np.arange(len(views)), agent.hold_values(views).argmax(axis=1)]
        loss = values.max(axis=1) - chosen
        bars = (1e-9, 0.08 * problem.stake, 0.25 * problem.stake, np.inf)
        shares += np.array([(weights * (loss < bar)).sum() for bar in bars])
        lost += float((weights * loss).sum())
        best += float((weights * values.max(axis=1)).sum())
        total += float(weights.sum())
    shares = np.diff(shares, prepend=0.0) / total
    names = ("optimal", "tiny_mistakes", "small_mistakes", "big_mistakes")
    return {"return": (best - lost) / total, **dict(zip(names, map(float, shares), strict=True))}


def compressed(values: torch.Tensor) -> torch.Tensor:
    """Return Poker-CNN's scale of payouts: v up to 4, then 4 + sqrt(v - 4)."""
    return torch.where(values <= 4, values, 4 + torch.sqrt(torch.clamp(values - 4, min=0)))


def refuse_unknown(options: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raise OptionError for an option of a trained player that there is not."""
    for name in options:
        if name not in known:
            raise OptionError(f"The trained player has no option {name!r}. Known: {', '.join(known)}.")


def make_network(
    name: NetworkName, layout: Layout, outputs: int, same_padding: bool, whole_suits: bool = False
) -> nn.Module:
    """Return a fresh network over an encoder's layout. Raises UsageError where they do not fit."""
    if len(layout.shape) != 3:
        raise UsageError(f"Poker-CNN's networks need planes (an encoder of grids). This encoder gives {layout.shape}.")
    try:
        grid = GridShape(layout.shape, tuple(getattr(layout, "card_planes", ())))
        return build(name, grid, outputs, same_padding, whole_suits)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _optimizer(options: PokerCnn, network: nn.Module) -> torch.optim.Optimizer:
    if options.optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), options.learning_rate, momentum=0.9, nesterov=True)
    return torch.optim.Adam(network.parameters(), options.learning_rate)
