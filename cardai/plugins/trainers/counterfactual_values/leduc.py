"""Learning from situations of no-limit Leduc's second round, drawn and solved under way; the run is a player too.

values.npz        the network of the best epoch, as it is played with (without torch)
situations.npz    the situations solved so far
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from cardai.core.agent import Agent
from cardai.core.arrays import Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.core.rng import derive
from cardai.core.trainer import Metrics
from cardai.learn.networks import mlp
from cardai.plugins.trainers.counterfactual_values.learners import Learner
from cardai.plugins.trainers.counterfactual_values.training import State, ValueTraining
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.values.leduc_network import SCHEMES, Encoded, LeducValues, encode, values_player
from cardai.poker.values.leduc_situations import Situations, draw, joined, leduc_game, reachable_pots, solve, swapped
from cardai.poker.values.splits import TRAIN, VALIDATION

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues

_CHUNK = {"reachable": 4000, "any": 50_000}
"""Situations that are solved between two yields: enough for many of each pot and board."""
_COLUMNS = ("boards", "half_pots", "ranges", "values")
_MOST = 5_000_000


class Examples(NamedTuple):
    """n situations, the 5 hands of each that the board leaves."""

    inputs: Tensor  # (n, F)
    ranges: Tensor  # (n, 2, 5)
    base: Tensor  # (n, 2, 5): values are base + scale * outputs, see Encoded
    scale: Tensor  # (n, 2, 5)
    targets: Tensor  # (n, 2, 5)
    places: Tensor  # (n, 5) int64: where a hand's output is

    @classmethod
    def of(cls, encoded: Encoded, situations: Situations) -> Examples:
        """Return encoded situations without the places that no hand is at."""
        hands = np.nonzero(encoded.places >= 0)[1].reshape(len(situations), -1)
        places = np.take_along_axis(encoded.places, hands, axis=1)
        known = (encoded.ranges, encoded.base, encoded.scale)
        wide = [np.take_along_axis(one, places[:, None], axis=2) for one in known]
        targets = np.take_along_axis(situations.values, hands[:, None], axis=2)
        return cls(*(torch.from_numpy(one) for one in (encoded.inputs, *wide, targets, places)))


class LeducLearner(Learner):
    """A network over all hands of a board at once: fully connected layers with PReLU (Moravcik et al. 2017)."""

    judged_by: ClassVar[Mapping[int, int]] = {TRAIN: 2000, VALIDATION: _MOST}

    def __init__(self, options: CounterfactualValues, game: RangeGame, seed: int) -> None:
        self.game, self.images = game, options.images
        self.scheme = SCHEMES[options.shape]
        one = encode(self.scheme, game.stacks[0], np.array([0]), np.array([600.0]), np.full((1, 2, 6), [0, *[0.2] * 5]))
        hidden = (options.hidden,) * options.layers
        plain = mlp(one.inputs.shape[1], hidden, one.ranges[0].size, derive(seed, "network"))
        self.module = nn.Sequential(*[layer if isinstance(layer, nn.Linear) else nn.PReLU() for layer in plain])

    def learn_from(self, solved: Situations, held_out: Situations) -> None:
        """Take the situations to learn from, and those to choose the epoch by."""
        self.rows = {TRAIN: np.arange(len(solved)), VALIDATION: len(solved) + np.arange(len(held_out))}
        self.solved = joined(solved, held_out)
        self._plain = self._shown = self._examples(self.solved)

    def begin_epoch(self, rng: np.random.Generator) -> None:
        if self.images:
            self._shown = self._examples(swapped(self.solved, rng.random((len(self.solved), 3)) < 0.5))

    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        return self._loss(self._shown, rows)

    def losses(self, rows: Int64s) -> Metrics:
        with torch.no_grad():
            return {"huber": float(self._loss(self._plain, rows))}

    def values(self, module: nn.Module) -> LeducValues:
        """Return a network of this shape as it is played with."""
        linear = [layer for layer in module.children() if isinstance(layer, nn.Linear)]
        slopes = [float(layer.weight.detach()[0]) for layer in module.children() if isinstance(layer, nn.PReLU)]
        return LeducValues(
            self.scheme,
            self.game.betting.ante,
            self.game.stacks[0],
            tuple(np.array(layer.weight.detach().numpy()) for layer in linear),
            tuple(np.array(layer.bias.detach().numpy()) for layer in linear),
            tuple(slopes),
        )

    def _examples(self, some: Situations) -> Examples:
        known = some.boards, some.half_pots.astype(np.float64), some.ranges.astype(np.float64)
        return Examples.of(encode(self.scheme, self.game.stacks[0], *known), some)

    def _loss(self, examples: Examples, rows: Int64s) -> Tensor:
        """Return the mean Huber loss over the hands of situations, in units of the half pot."""
        inputs, ranges, base, scale, targets, places = (one[torch.from_numpy(rows)] for one in examples)
        outputs = self.module(inputs).view(len(rows), 2, -1)
        values = base + scale * outputs.gather(2, places[:, None].expand_as(base))
        odd = (ranges * values).sum(dim=(1, 2)) / (ranges * scale).sum(dim=(1, 2)).clamp(min=1e-6)
        return nn.functional.huber_loss(values - odd[:, None, None] * scale, targets)


class LeducTraining(ValueTraining):
    """First ``solves`` situations are drawn and solved (they are kept in the checkpoint), then come the epochs."""

    learner: LeducLearner

    def __init__(self, options: CounterfactualValues, game: Game, seed: int) -> None:
        super().__init__(options, seed)
        if options.situations or options.code:
            raise UsageError("In Leduc situations are drawn and solved under way. Leave out situations and code.")
        if not options.batch <= options.solves <= _MOST:
            raise UsageError(
                f"In Leduc solves says how many situations are learned from, {options.batch} (a batch) to {_MOST:,}. "
                f"Got {options.solves}. The trainer leduc_values has its own."
            )
        self.game, self.leduc = game, leduc_game(game)
        variant = (inf, -inf, 0.0) if options.solver == "rm_plus" else options.solver
        self.settings = SolverSettings(options.solve_iterations, options.skip, variant)
        self.solved = self._draw("learn", 0, 0)
        self.learn_by(LeducLearner(options, self.leduc, seed))

    def get_ready(self) -> Iterator[Metrics]:
        o = self.options
        while len(self.solved) < o.solves:
            self.solved = joined(self.solved, self._solve("learn", len(self.solved), o.solves))
            tell("solving situations", len(self.solved), o.solves)
            yield {}
        if not hasattr(self.learner, "rows"):
            steps = range(0, o.held_out, _CHUNK[o.pots])
            self.learner.learn_from(self.solved, joined(*(self._solve("held out", k, o.held_out) for k in steps)))

    def _draw(self, what: str, first: int, count: int) -> Situations:
        pots = reachable_pots(self.leduc) if self.options.pots == "reachable" else []
        return draw(self.leduc, derive(self.seed, what), first, count, pots, self.options.suits == "alike")

    def _solve(self, what: str, first: int, end: int) -> Situations:
        drawn = self._draw(what, first, min(_CHUNK[self.options.pots], end - first))
        return solve(self.leduc, drawn, self.settings)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return values_player(self.game, self.learner.values(self.best_network()), options)

    def save(self, directory: Path) -> None:
        super().save(directory)
        self.learner.values(self.best_network()).write(directory / "values.npz")
        write_npz(directory / "situations.npz", {name: getattr(self.solved, name) for name in _COLUMNS})

    def take_up(self, state: State, directory: Path) -> None:
        file = directory / "situations.npz"
        own = {name: getattr(self.solved, name) for name in _COLUMNS}
        found = read_npz(file, {name: (array.dtype, (None, *array.shape[1:])) for name, array in own.items()})
        lengths = {len(array) for array in found.values()}
        whole = len(lengths) == 1 and max(lengths) <= self.options.solves
        if not whole or not all(np.isfinite(array).all() for array in found.values()):
            raise DamagedFileError(f"The file {file} holds numbers that no training writes: it is damaged.")
        self.solved = Situations(*(found[name] for name in _COLUMNS))
