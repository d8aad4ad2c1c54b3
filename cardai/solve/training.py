"""What tabular solvers share as trainers: when to measure, what to save, and the player that comes out.

tables.npz      step, and the solver's own arrays, a number a sequence
player.npz      views of all information sets (as bytes) and the two policies there: playing needs no tree
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.fields import view_dtype
from cardai.core.game import Game
from cardai.core.npz import Arrays, read_npz, write_npz
from cardai.core.spec import option
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.solve.measures import measure_behaviour
from cardai.solve.sequence_form import behaviour_of_plan, game_form, policy_table, uniform_behaviour
from cardai.solve.tabular import TabularAgent, raw, tabular_agent
from cardai.solve.tree import NODE_LIMIT, refuse_if_large

POLICIES = ("average", "current")
CHUNK_SECONDS = 0.25
"""About how long a solver works between two yields, so that it can be stopped and saved."""


@frozen
class TabularTrainer(Trainer):
    """The options that all tabular solvers have."""

    step_unit: ClassVar[str] = "iterations"

    measure_every: int = option(
        0, help="iterations between measurements (0: about twenty a factor of ten)", validator=validators.ge(0)
    )

    def check_game(self, game: Game) -> None:
        refuse_if_large(game, NODE_LIMIT)

    def agent_options(self) -> Mapping[str, str]:
        return {"policy": "average (default: the one that converges) or current (the last iterate)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        policy = policy_option(options)
        found = _read_player(directory / "player.npz", game)
        known = found["views"].view(view_dtype(game.view_fields)).reshape(len(found["views"]))
        return TabularAgent(game, known, found[policy], policy_called(policy, int(found["step"])))


def _read_player(file: Path, game: Game) -> Arrays:
    """Return the arrays of a ``player.npz``. Raises DamagedFileError for one that is damaged or another game's."""
    views, table = (None, view_dtype(game.view_fields).itemsize), (None, game.num_distinct_actions)
    expected: dict[str, tuple[Any, tuple[int | None, ...]]] = {"step": (np.int64, ()), "views": (np.uint8, views)}
    found = read_npz(file, expected | dict.fromkeys(POLICIES, (np.float64, table)))
    for name in POLICIES:
        known = found[name]
        if not 0 < len(known) == len(found["views"]) or not np.allclose(known.sum(axis=1), 1) or (known < 0).any():
            raise DamagedFileError(f"The file {file} holds no policy: it is damaged.")
    return found


def policy_option(
    options: Mapping[str, Any], who: str = "A solved game's player", known: Sequence[str] = ("policy",)
) -> str:
    """Return which policy a trained player's options ask for. Raises OptionError for one that it does not have."""
    unknown = sorted(options.keys() - set(known))
    if unknown:
        raise OptionError(f"{who} has no option {unknown[0]!r}. Its options: {', '.join(known)}.")
    policy: str = options.get("policy", "average")
    if policy not in POLICIES:
        raise OptionError(
            f"The option 'policy' of {who[0].lower() + who[1:]} must be average or current. Got {policy!r}."
        )
    return policy


def policy_called(policy: str, step: int, unit: str = "iterations") -> str:
    """Return what messages call a policy."""
    return f"The {policy} policy after {step:,} {unit}"


class PacedTraining(Training):
    """A training of many short iterations: done in chunks, so that it can be stopped and saved, and measured now and then."""

    measure_every = 0
    """Iterations between rows of metrics; 0: about twenty rows a factor of ten."""
    _seconds_a_step = 0.0

    @abstractmethod
    def iterate(self, count: int) -> None:
        """Do ``count`` iterations from ``self.step`` on (``step`` is moved by the caller)."""

    @abstractmethod
    def metrics(self) -> Metrics:
        """Return a row of metrics."""

    def train(self, steps: int) -> Iterator[Metrics]:
        target = self.step + steps
        while self.step < target:
            due = min(target, self._next_measure())
            while self.step < due:
                count = due - self.step
                if self._seconds_a_step > 0:
                    count = min(count, max(1, int(CHUNK_SECONDS / self._seconds_a_step)))
                elif self.step == 0 or count > 1:
                    count = 1  # compiles, and shows how long an iteration takes
                began = perf_counter()
                self.iterate(count)
                self._seconds_a_step = (perf_counter() - began) / count if count > 1 or self.step else 0.0
                self.step += count
                if self.step < due:
                    yield {}
            yield self.metrics()

    def _next_measure(self) -> int:
        """Return the next step to measure at: about twenty a factor of ten, or every ``measure_every`` steps."""
        if self.measure_every:
            return (self.step // self.measure_every + 1) * self.measure_every
        at = 1
        while at <= self.step:
            at += max(1, at // 8)
        return at


class TabularTraining(PacedTraining):
    """A solver under way on the sequence form of ``game``.

    ``self.arrays`` are the whole state beside ``step``, are changed in place by :meth:`iterate`, and are what a checkpoint
    holds: regrets, the behaviour and the average plan, unless a subclass has others and says so in :meth:`behaviour`.
    """

    def __init__(self, game: Game, encoder: Encoder | None, measure_every: int = 0) -> None:
        if encoder is not None:
            raise UsageError(
                "A tabular solver has a row for every information set and takes no --encoder. Leave it out."
            )
        self.tree, self.form = game_form(game)
        self.step = 0
        self.measure_every = measure_every
        self.arrays: Arrays = {
            "regret": self.zeros(),
            "behaviour": uniform_behaviour(self.form),
            "average": self.zeros(),
        }

    def behaviour(self, policy: str) -> Float64s:
        """Return the "average" or "current" policy as a behaviour (S,)."""
        if policy == "current":
            return self.arrays["behaviour"]
        return behaviour_of_plan(self.form, self.arrays["average"])

    def zeros(self) -> Float64s:
        """Return (S,) zeros: a number for each sequence."""
        return np.zeros(self.tree.infosets.num_sequences)

    def metrics(self) -> Metrics:
        """Return exploitability (NashConv / P) of both policies and what seat 0 earns under the average one."""
        average = measure_behaviour(self.form, self.behaviour("average"))
        current = measure_behaviour(self.form, self.behaviour("current"))
        return {
            "exploitability": average.exploitability,
            "current_exploitability": current.exploitability,
            "value": average.expected[0],
        }

    def save(self, directory: Path) -> None:
        step = np.int64(self.step)
        write_npz(directory / "tables.npz", {"step": step, **self.arrays})
        policies = {name: policy_table(self.tree, self.behaviour(name)) for name in POLICIES}
        write_npz(directory / "player.npz", {"step": step, "views": raw(self.tree.infosets.views), **policies})

    def load(self, directory: Path) -> None:
        file = directory / "tables.npz"
        _read_player(directory / "player.npz", self.tree.game)
        expected: dict[str, tuple[Any, tuple[int | None, ...]]] = {"step": (np.int64, ())}
        expected |= {name: (array.dtype, array.shape) for name, array in self.arrays.items()}
        found = read_npz(file, expected)
        if int(found["step"]) < 0 or not all(np.isfinite(array).all() for array in found.values()):
            raise DamagedFileError(f"The file {file} holds numbers that no solver writes: it is damaged.")
        self.step = int(found["step"])
        for name, array in self.arrays.items():
            array[...] = found[name]

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy = policy_option(options)
        return tabular_agent(self.tree, self.behaviour(policy), policy_called(policy, self.step))
