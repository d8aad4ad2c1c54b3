"""Several actors that traverse for one table: each walks through hands of its own from the same regrets, and what they add is summed.

Between two sums an actor goes by its own regrets and those that all had at the round's beginning. Rounds begin and end at steps that
follow from the number of actors alone. A training that is stopped inside one keeps the tables of its beginning, and does that round
anew when it goes on, so that it ends with the numbers of one that was never stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError
from cardai.core.game import Game
from cardai.core.trainer import Metrics, shares
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.checkpoints import (
    Table,
    check_buckets,
    read_finite,
    read_state,
    write_state,
    write_table,
)
from cardai.plugins.trainers.bucket_mccfr.layout import holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.training import STATE_OF_ACTORS, BucketTraining, kernel_cards
from cardai.poker.buckets.tables import BucketOptions, buckets

LEAST, MOST = 10, 15
"""Powers of two: an actor's hands in the first rounds, and in late ones."""
BEGUN = ("begun_regret.npy", "begun_average.npy")


class Ground(NamedTuple):
    """What actors walk on; it is sent as what it is made of, since each machine has its tables of buckets, or makes them."""

    game: Game
    options: BucketOptions
    nodes: kernels.Nodes
    cards: kernels.Cards

    def __reduce__(self) -> tuple[Any, ...]:
        return ground_of, (self.game, self.options)


def ground_of(game: Game, options: BucketOptions) -> Ground:
    """Return the ground of a game and its buckets."""
    layout = lay_out(holdem_tree(game), options.counts)
    return Ground(game, options, layout.nodes, kernel_cards(buckets(options)))


class Change(NamedTuple):
    """What is added to a table: at some places, or (None) at all."""

    places: npt.NDArray[np.int64] | None
    numbers: Table

    def add_to(self, table: Table) -> None:
        """Add it."""
        table[slice(None) if self.places is None else self.places] += self.numbers


def _change(table: Table) -> Change:
    places = np.flatnonzero(table)
    return Change(None, table) if 3 * len(places) > len(table) else Change(places, table[places])


def walked(ground: Ground, regret: Table, seed: Any, first: int, last: int) -> tuple[int, Change, Change]:
    """Do iterations ``first`` to ``last`` - 1 from ``regret``; return nodes visited and what regrets and average grow by."""
    own, average = regret.copy(), np.zeros_like(regret)
    visited = kernels.iterate(ground.nodes, ground.cards, first, last, (0, 2), seed, own, own, average)
    own -= regret
    return int(visited), _change(own), _change(average)


def round_end(step: int, actors: int) -> int:
    """Return where the round that begins at ``step`` ends: every 1,024 hands an actor at first, later about every 1/32 of its
    hands so far, at least every 32,768.
    """
    return step + (actors << min(MOST, max(LEAST, (step // actors).bit_length() - 6)))


class ActorsTraining(BucketTraining):
    """MCCFR by several actors under way."""

    _begun: tuple[int, int, Table, Table] | None = None
    """Step, nodes and tables at the beginning of a round that was cut short; None: no round was."""

    @cached_property
    def ground(self) -> Ground:
        """What the actors keep."""
        return Ground(self.game, self.options.bucket_options, self.layout.nodes, self.cards)

    def train(self, steps: int) -> Iterator[Metrics]:
        target = self.step + steps
        self._go_back()
        while self.step < target:
            due, end = self._next_measure(), round_end(self.step, self.options.actors)
            if end > target:
                self._begun = self.step, sum(self.visited), self.regret.copy(), self.average.copy()
            self._round(min(end, target))
            yield self.metrics() if self.step >= min(due, target) else {}

    def _go_back(self) -> None:
        """Take up the round that was cut short at its beginning."""
        if self._begun is not None:
            self.step, nodes, self.regret[:], self.average[:] = self._begun
            self.visited, self._begun = [nodes, 0], None

    def _round(self, end: int) -> None:
        first, parts = self.step + 1, shares(end - self.step, self.options.actors)  # iterations are numbered from 1
        pieces = [(self.seed, first + part.start, first + part.stop) for part in parts]
        for visited, regret, average in self.crew.do(walked, self.ground, self.regret, pieces):
            self.visited[0] += visited
            regret.add_to(self.regret)
            average.add_to(self.average)
        self.step = end

    def save(self, directory: Path) -> None:
        write_table(directory / "regret.npy", self.regret)
        write_table(directory / "average.npy", self.average)
        begun = self._begun or (self.step, sum(self.visited), None, None)
        if self._begun is not None:
            for name, table in zip(BEGUN, begun[2:], strict=True):
                write_table(directory / name, np.asarray(table))
        numbers = {"step": self.step, "nodes": sum(self.visited), "begun": begun[0], "begun_nodes": begun[1]}
        write_state(directory, self.options.bucket_options, **numbers)

    def load(self, directory: Path) -> None:
        state, size = read_state(directory, *STATE_OF_ACTORS), self.layout.size
        check_buckets(directory, self.options.bucket_options)
        if not 0 <= state["step"] - state["begun"] <= self.options.actors << MOST:
            raise DamagedFileError(f"The file {directory / 'state.json'} has a round that no training makes.")
        self.regret[:] = read_finite(directory / "regret.npy", size)
        self.average[:] = read_finite(directory / "average.npy", size)
        self.step, self.visited = state["step"], [state["nodes"], 0]
        if state["begun"] < state["step"]:
            tables = [read_finite(directory / name, size) for name in BEGUN]
            self._begun = state["begun"], state["begun_nodes"], tables[0], tables[1]
