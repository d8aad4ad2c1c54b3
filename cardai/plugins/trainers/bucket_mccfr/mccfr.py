"""Monte Carlo CFR for hold'em: external sampling over the public betting tree and buckets of hands.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games" (2009), external
sampling; linear weights: Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization"
(2019); buckets: :mod:`cardai.poker.buckets.tables`.

    regret.npy, average.npy    (S,) float32, as :mod:`layout` lays them out
    seen.npy                   the regrets as two threads last exchanged them
    begun_regret.npy, begun_average.npy    with several actors: the tables at the beginning of a round that was cut short
    state.json                 step, and nodes visited
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import derive
from cardai.core.spec import option
from cardai.core.trainer import Metrics, Trainer
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import FILES, PLAYER_OPTIONS, BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import (
    Table,
    check_buckets,
    read_finite,
    read_state,
    read_table,
    shrink_table,
    write_state,
    write_table,
)
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout, check_memory, holdem_tree, lay_out
from cardai.poker.buckets.tables import BucketOptions, Buckets, buckets
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.ranking import batch_tables
from cardai.solve.training import PacedTraining, policy_called

STATE = ("step", "nodes")
STATE_OF_ACTORS = (*STATE, "begun", "begun_nodes")
"""What state.json holds."""
_BUCKETS = [validators.ge(1), validators.le(65_535)]


@frozen
class BucketMCCFR(Trainer):
    """Solve two-player hold'em over buckets of hands, by sampled hands (Lanctot et al. 2009)."""

    step_unit: ClassVar[str] = "iterations"

    flop: int = option(500, help="Buckets of hands on the flop.", validator=_BUCKETS)
    turn: int = option(500, help="Buckets of hands on the turn.", validator=_BUCKETS)
    river: int = option(500, help="Buckets of hands on the river.", validator=_BUCKETS)
    river_feature: Literal["strength", "ochs"] = option(
        "strength",
        help="What river hands are told apart by: strength (percentiles), or ochs (equities against eight ranges).",
    )
    bucket_seed: int = option(0, help="The seed of the buckets.")
    threads: int = option(
        1,
        help="1 or 2: each of two walks for one seat, and they exchange regrets from time to time (another result than "
        "with one, but always the same).",
        validator=[validators.ge(1), validators.le(2)],
    )
    actors: int = option(
        1,
        help="who walk through hands: each of so many walks from the same regrets, and what they add is summed (another result "
        "than with one, but always the same)",
        validator=[validators.ge(1), validators.le(1024)],
    )
    memory: float = option(1.5, help="Gigabytes that the tables may take.", validator=validators.gt(0))
    measure_every: int = option(
        0, help="Iterations between rows of metrics (0: about twenty a factor of ten).", validator=validators.ge(0)
    )

    @property
    def bucket_options(self) -> BucketOptions:
        """The abstraction."""
        return BucketOptions(self.flop, self.turn, self.river, self.river_feature, self.bucket_seed)

    def check_game(self, game: Game) -> None:
        holdem_tree(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> BucketTraining:
        tree, counts = holdem_tree(game), self.bucket_options.counts
        if self.actors == 1:
            check_memory(game, tree, counts, self.memory, 4 * (1 + self.threads))
            return BucketTraining(self, game, lay_out(tree, counts), buckets(self.bucket_options), seed)
        if self.threads > 1:
            raise UsageError("Actors walk with a thread each. Leave out threads=2, or have actors=1.")
        from cardai.plugins.trainers.bucket_mccfr.actors import ActorsTraining

        check_memory(game, tree, counts, self.memory, 4 * (5 + 2 * self.actors))
        return ActorsTraining(self, game, lay_out(tree, counts), buckets(self.bucket_options), seed)

    def agent_options(self) -> Mapping[str, str]:
        return PLAYER_OPTIONS

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        policy, purify = policy_options(options)
        layout = lay_out(holdem_tree(game), self.bucket_options.counts)
        step = read_state(directory, *(STATE if self.actors == 1 else STATE_OF_ACTORS))["step"]
        check_buckets(directory, self.bucket_options)
        table = read_table(directory / f"{FILES[policy]}.npy", layout.size)
        return BucketAgent(
            game, layout, buckets(self.bucket_options, whole=False), table, purify, policy_called(policy, step)
        )

    def slim(self, game: Game, directory: Path) -> None:
        counts = self.bucket_options.counts
        shrink_table(directory / "average.npy", lay_out(holdem_tree(game), counts), counts)


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


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"bucket_mccfr": BucketMCCFR}
