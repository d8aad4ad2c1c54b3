"""Values of Leduc's second round from solved random situations: what re-solving looks up where it stops looking ahead.

Presets:
    leduc_values_release: DeepStack's own network for Leduc: 36 places, 5 layers of 50 (Moravcik et al. 2017).

First ``situations`` are drawn and solved (they are kept in the checkpoint), then a step is an epoch over them. The run is
also a player, that of the agent ``resolving`` with these values.

values.npz      the network
fitting.npz     step, Adam's moments, and the situations solved so far
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, inf, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.spec import brief, option
from cardai.core.trainer import Metrics, Trainer, Training

if TYPE_CHECKING:
    from cardai.subgames.leduc_situations import LeducGame, Recipe, Situations

_CHUNK = {"reachable": 4000, "any": 50_000}
"""Situations that are solved between two yields: enough for many of each pot and board."""
_COLUMNS = ("boards", "half_pots", "ranges", "values")


@frozen
class LeducValuesTrainer(Trainer):
    """Fits a network to solved situations of the second round of ``leduc_deepstack``."""

    step_unit: ClassVar[str] = "epochs"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "leduc_values_release": {
            "network": "release",
            "hidden": (50, 50, 50, 50, 50),
            "solver": "rm_plus",
            "solve_iterations": 1000,
            "skip": 500,
            "pots": "any",
            "suits": "any",
            "augment": False,
            "anneal": 0,
        }
    }

    network: Literal["ours", "release"] = option(
        "ours", help="how situations are encoded: ours (5 hands, equities), or release (36 places)"
    )
    hidden: tuple[int, ...] = option(
        (128, 128, 128), help="units of the hidden layers", validator=validators.min_len(1)
    )
    situations: int = option(100_000, help="situations to learn from", validator=validators.in_(range(100, 5_000_001)))
    pots: Literal["reachable", "any"] = option(
        "reachable", help="the pots of situations: those that the first round can lead to, or any number of chips"
    )
    suits: Literal["alike", "any"] = option(
        "alike", help="ranges in which the suits of a rank are as likely, as in play, or any ranges"
    )
    held_out: int = option(2000, help="further situations that the loss is measured on", validator=validators.ge(1))
    solver: Literal["dcfr", "cfr_plus", "rm_plus"] = option(
        "dcfr", help="how situations are solved; rm_plus: regret matching+ with a uniform average"
    )
    solve_iterations: int = option(2000, help="iterations of a situation", validator=validators.ge(1))
    skip: int = option(0, help="iterations left out of the average", validator=validators.ge(0))
    augment: bool = option(True, help="exchange suits at random in each epoch, which changes no value")
    batch: int = option(250, help="situations of a minibatch", validator=validators.ge(1))
    rate: float = option(2e-3, help="Adam's rate", validator=validators.gt(0))
    anneal: int = option(
        60, help="epochs over which the rate falls to a hundredth, as a cosine does; 0: it falls at once, see slow_after",
        validator=validators.ge(0),
    )  # fmt: skip
    slow_after: int = option(
        45, help="without anneal: epochs after which the rate is a tenth", validator=validators.ge(1)
    )

    def __attrs_post_init__(self) -> None:
        if self.skip >= self.solve_iterations:
            raise ValueError(f"skip must be below solve_iterations. Got {self.skip} of {self.solve_iterations}.")
        if self.batch > self.situations:
            raise ValueError(f"batch must be at most situations. Got {self.batch} of {self.situations}.")
        if any(not 1 <= size <= 4096 for size in self.hidden):
            raise ValueError(f"hidden layers have 1 to 4096 units. Got {self.hidden}.")

    def rate_at(self, epoch: int) -> float:
        """Return Adam's rate in an epoch."""
        if not self.anneal:
            return self.rate * (0.1 if epoch >= self.slow_after else 1.0)
        left = 0.5 * (1.0 + cos(pi * min(epoch, self.anneal) / self.anneal))
        return self.rate * (0.01 + 0.99 * left)

    def check_game(self, game: Game) -> None:
        leduc_game(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        if encoder is not None:
            raise UsageError("leduc_values encodes situations itself and takes no --encoder. Leave it out.")
        return LeducValuesTraining(self, leduc_game(game), game, seed)

    def agent_options(self) -> Mapping[str, str]:
        return {"iterations": "iterations of a decision (default 1000)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.subgames.leduc_values import read_values

        return _player(game, read_values(directory / "values.npz"), options)


def leduc_game(game: Game) -> LeducGame:
    """Return what situations need of ``game``. Raises UsageError unless it is no-limit Leduc of two players."""
    from cardai.subgames.leduc_situations import LeducGame
    from cardai.subgames.player import is_leduc, leduc_table

    if not is_leduc(game) or not leduc_table(game).betting.no_limit:
        raise UsageError(f"leduc_values learns no-limit Leduc, such as leduc_deepstack. Got {brief(game)}.")
    table = leduc_table(game)
    if table.betting.ante < 2 or table.betting.first[1] != 0:
        raise UsageError(f"leduc_values needs an ante, and the starter to begin both rounds. Got {brief(game)}.")
    return LeducGame(table.betting, table.stacks[0], table.menus)


def _player(game: Game, values: Any, options: Mapping[str, Any]) -> Agent:
    from cardai.core.spec import convert
    from cardai.subgames.leduc_values import LeducHorizon
    from cardai.subgames.player import leduc_player
    from cardai.subgames.resolving import Effort

    unknown = sorted(options.keys() - {"iterations"})
    if unknown:
        raise OptionError(f"A player by Leduc's values has no option {unknown[0]!r}. Its options: iterations.")
    iterations = convert(options.get("iterations", 1000), int, "The option 'iterations' of a player by values")
    if iterations < 1:
        raise OptionError(f"The option 'iterations' of a player by values must be at least 1. Got {iterations}.")
    return leduc_player(game, Effort(iterations), LeducHorizon(values), "A leduc_values run")


class LeducValuesTraining(Training):
    """The values under way: situations first, then epochs. Epoch k draws from a stream of its own."""

    def __init__(self, options: LeducValuesTrainer, leduc: LeducGame, game: Game, seed: int) -> None:
        from cardai.plugins.trainers.leduc_values.fitting import Fitting

        self.options, self.leduc, self.game, self.seed = options, leduc, game, seed
        self.step = 0
        self.solved = self._draw("learn", 0, 0)
        self._held_out: Situations | None = None
        self.fitting = Fitting(
            options.network, leduc.betting.ante, leduc.stack, options.hidden, seed, options.augment
        )  # fmt: skip

    @property
    def recipe(self) -> Recipe:
        """How situations are solved."""
        from cardai.subgames.leduc_situations import Recipe

        o = self.options
        return Recipe(o.solve_iterations, o.skip, (inf, -inf, 0.0) if o.solver == "rm_plus" else o.solver)

    def train(self, steps: int) -> Iterator[Metrics]:
        from cardai.core.progress import tell
        from cardai.learn.tensors import threads

        o, end = self.options, self.step + steps
        while len(self.solved) < o.situations and steps:
            self.solved = _joined(self.solved, self._solve("learn", len(self.solved), o.situations))
            tell("solving situations", len(self.solved), o.situations)
            yield {}
        while self.step < end:
            rate = o.rate_at(self.step)
            with threads(1):
                loss = self.fitting.epoch(self.solved, rate, o.batch, derive(self.seed, "epoch", self.step))
                self.step += 1
                held_out = self.fitting.loss(self.held_out)
            yield {"loss": loss, "loss_held_out": held_out, "rate": rate}

    @property
    def held_out(self) -> Situations:
        """Situations that nothing is learned from."""
        if self._held_out is None:
            count, step = self.options.held_out, _CHUNK[self.options.pots]
            self._held_out = _joined(*(self._solve("held out", k, count) for k in range(0, count, step)))
        return self._held_out

    def _draw(self, what: str, first: int, count: int) -> Situations:
        from cardai.subgames.leduc_situations import draw, reachable_pots

        pots = reachable_pots(self.leduc) if self.options.pots == "reachable" else []
        return draw(self.leduc, derive(self.seed, what), first, count, pots, self.options.suits == "alike")

    def _solve(self, what: str, first: int, end: int) -> Situations:
        from cardai.subgames.leduc_situations import solve

        return solve(self.leduc, self._draw(what, first, min(_CHUNK[self.options.pots], end - first)), self.recipe)

    def save(self, directory: Path) -> None:
        self.fitting.values().write(directory / "values.npz")
        columns = {name: getattr(self.solved, name) for name in _COLUMNS}
        write_npz(directory / "fitting.npz", {"step": np.int64(self.step), **columns, **self.fitting.arrays()})

    def load(self, directory: Path) -> None:
        from cardai.subgames.leduc_situations import Situations

        file = directory / "fitting.npz"
        columns = {name: getattr(self.solved, name) for name in _COLUMNS}
        expected: dict[str, Any] = {"step": (np.int64, ())}
        expected |= {name: (array.dtype, (None, *array.shape[1:])) for name, array in columns.items()}
        expected |= {name: (array.dtype, array.shape) for name, array in self.fitting.arrays().items()}
        found = read_npz(file, expected)
        lengths = {len(found[name]) for name in _COLUMNS}
        whole = len(lengths) == 1 and max(lengths) <= self.options.situations and int(found["step"]) >= 0
        if not whole or not all(np.isfinite(array).all() for array in found.values()):
            raise DamagedFileError(f"The file {file} holds numbers that no training writes: it is damaged.")
        self.step = int(found.pop("step"))
        self.solved = Situations(*(found.pop(name) for name in _COLUMNS))
        self.fitting.take(found)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return _player(self.game, self.fitting.values(), options)


def _joined(*parts: Situations) -> Situations:
    from cardai.subgames.leduc_situations import Situations

    return Situations(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"leduc_values": LeducValuesTrainer}
