"""MCCFR over buckets under way: what an iteration changes, and what a checkpoint holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.trainer import Metrics
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import (
    Table,
    check_buckets,
    read_finite,
    read_state,
    write_state,
    write_table,
)
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.poker.buckets.tables import Buckets
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.ranking import batch_tables
from cardai.solve.training import PacedTraining, policy_called

if TYPE_CHECKING:
    from cardai.plugins.trainers.bucket_mccfr.mccfr import BucketMCCFR

STATE = ("step", "nodes")
STATE_OF_ACTORS = (*STATE, "begun", "begun_nodes")
"""What state.json holds."""


def kernel_cards(tables: Buckets) -> kernels.Cards:
    """Return what the kernels need of the cards."""
    known = [boards(size) for size in (3, 4, 5)]
    classes, renamings = tuple(one.class_of for one in known), tuple(one.renaming_of for one in known)
    return kernels.Cards(tables.tables, classes, renamings, hand_maps(), batch_tables(7))


class BucketTraining(PacedTraining):
    """MCCFR under way. Iteration t draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(self, options: BucketMCCFR, game: Game, layout: BucketLayout, tables: Buckets, seed: int) -> None:
        self.options, self.game, self.layout, self.buckets = options, game, layout, tables
        self.seed = np.uint64(derive(seed, "bucket_mccfr"))
        self.step = 0
        self.visited = [0, 0]
        """Nodes visited for each seat (all of them for seat 0 with one thread)."""
        self.regret, self.average = np.zeros(layout.size, np.float32), np.zeros(layout.size, np.float32)
        self.seen = self.regret.copy() if options.threads == 2 else self.regret
        """The regrets by which the other seat acts."""
        self.measure_every = options.measure_every

    @cached_property
    def cards(self) -> kernels.Cards:
        """What the kernels need of the cards."""
        return kernel_cards(self.buckets)

    def metrics(self) -> Metrics:
        return {"nodes": float(sum(self.visited))}

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations; with two threads each walks for a seat, up to the next exchange of regrets."""
        at, target = self.step, self.step + count
        if self.options.threads == 1:
            self._walk(at, target, (0, 2))
            return
        with ThreadPoolExecutor(2) as pool:
            while at < target:
                exchange = _next_exchange(at)
                until = min(target, exchange)
                for done in [pool.submit(self._walk, at, until, (seat, seat + 1)) for seat in range(2)]:
                    done.result()
                at = until
                if at == exchange:
                    self.seen[:] = self.regret

    def _walk(self, done: int, until: int, seats: tuple[int, int]) -> None:
        tables = self.regret, self.seen, self.average
        visited = kernels.iterate(self.layout.nodes, self.cards, done + 1, until + 1, seats, self.seed, *tables)
        self.visited[seats[0]] += int(visited)

    def save(self, directory: Path) -> None:
        write_table(directory / "regret.npy", self.regret)
        write_table(directory / "average.npy", self.average)
        if self.options.threads == 2:
            write_table(directory / "seen.npy", self.seen)
        write_state(directory, self.options.bucket_options, step=self.step, nodes=sum(self.visited))

    def load(self, directory: Path) -> None:
        state, size = read_state(directory, *STATE), self.layout.size
        check_buckets(directory, self.options.bucket_options)
        self.regret[:] = read_finite(directory / "regret.npy", size)
        self.average[:] = read_finite(directory / "average.npy", size)
        if self.options.threads == 2:
            self.seen[:] = read_finite(directory / "seen.npy", size)
        self.step, self.visited = state["step"], [state["nodes"], 0]

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy, purify = policy_options(options)
        table: Table = (self.average if policy == "average" else self.regret).copy()
        return BucketAgent(self.game, self.layout, self.buckets, table, purify, policy_called(policy, self.step))


def _next_exchange(step: int) -> int:
    """Return the next step at which two threads exchange regrets: every 1,024 steps at first, later about every 1/32 of
    the steps so far, and at least every 32,768.
    """
    every = 1 << min(15, max(10, step.bit_length() - 6))
    return (step // every + 1) * every
