"""Monte Carlo CFR for hold'em: external sampling over the public betting tree and buckets of hands.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games" (2009), external
sampling; linear weights: Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization"
(2019); buckets: :mod:`cardai.cards.poker.buckets`.

    regret.npy, average.npy    (S,) float32, as :mod:`layout` lays them out
    chances.npy                how often cfr_br takes each subtree of the river (nothing without cfr_br)
    state.json                 step and nodes visited
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.cards.poker.boards import boards, hand_maps
from cardai.cards.poker.buckets import PREFLOP, BucketOptions, Buckets, buckets
from cardai.cards.poker.ranking import batch_tables
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import derive
from cardai.core.spec import option
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.layout import Layout, check_memory, holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.river import RiverLearner

CHUNK_SECONDS = 0.25
"""About how long it works between two yields, so that it can be stopped and saved."""
Table = npt.NDArray[np.float32]
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
    river_solver: Literal["mccfr", "cfr_br"] = option(
        "mccfr",
        help="How the river is learned: mccfr (like the rest), or cfr_br (real hands' best replies to the buckets).",
    )
    board_every: int = option(500, help="cfr_br: iterations of the rest for every board.", validator=validators.ge(1))
    lanes: int = option(64, help="cfr_br: subtrees of the river learned on a board.", validator=validators.ge(1))
    bucket_seed: int = option(0, help="The seed of the buckets.")
    memory: float = option(1.5, help="Gigabytes that the tables may take.", validator=validators.gt(0))
    measure_every: int = option(
        0, help="Iterations between rows of metrics (0: about twenty a factor of ten).", validator=validators.ge(0)
    )

    @property
    def bucket_options(self) -> BucketOptions:
        """The abstraction."""
        return BucketOptions(self.flop, self.turn, self.river, self.river_feature, self.bucket_seed)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> BucketTraining:
        tree = holdem_tree(game)
        counts = (PREFLOP, self.flop, self.turn, self.river)
        check_memory(game, tree, counts, self.memory, 1)
        return BucketTraining(self, game, lay_out(tree, counts), seed)

    def agent_options(self) -> Mapping[str, str]:
        return {
            "policy": "average (default: the one that converges) or current (the last iterate)",
            "purify": "true plays the likeliest action alone (default: false)",
        }

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        policy, purify = policy_options(options)
        layout = lay_out(holdem_tree(game), (PREFLOP, self.flop, self.turn, self.river))
        step, _ = _read_state(directory)
        table = _read_table(directory / f"{_FILES[policy]}.npy", layout.size)
        return BucketAgent(game, layout, buckets(self.bucket_options), table, purify, _called(policy, step))


_FILES = {"average": "average", "current": "regret"}


def _called(policy: str, step: int) -> str:
    return f"The {policy} policy after {step:,} iterations"


def _read_state(directory: Path) -> tuple[int, int]:
    """Return steps and nodes of a checkpoint. Raises DamagedFileError."""
    file = directory / "state.json"
    state = read_json(file)
    step, nodes = state.get("step"), state.get("nodes")
    if state.keys() != {"step", "nodes"} or not isinstance(step, int) or not isinstance(nodes, int) or step < 0:
        raise DamagedFileError(f"The file {file} must hold step and nodes, two whole numbers. Got {state}.")
    return step, nodes


def _read_table(file: Path, size: int) -> Table:
    """Return a table mapped into memory. Raises DamagedFileError, naming the file."""
    return _read_array(file, np.float32, size)


def _read_array(file: Path, dtype: Any, size: int) -> npt.NDArray[Any]:
    """Return ``size`` numbers mapped into memory. Raises DamagedFileError, naming the file."""
    try:
        table = np.load(file, mmap_mode="r" if size else None, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DamagedFileError(f"The file {file} is not a readable table: {error}.") from error
    if not isinstance(table, np.ndarray) or table.shape != (size,) or table.dtype != dtype:
        raise DamagedFileError(f"The file {file} must hold {size:,} numbers: it is another run's or damaged.")
    return table


class BucketTraining(Training):
    """MCCFR under way. Iteration t draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(self, options: BucketMCCFR, game: Game, layout: Layout, seed: int) -> None:
        self.options, self.game, self.layout = options, game, layout
        self.root, self.seed = seed, np.uint64(derive(seed, "bucket_mccfr"))
        self.step, self.nodes = 0, 0
        self.regret, self.average = np.zeros(layout.size, np.float32), np.zeros(layout.size, np.float32)
        self._seconds_a_step = 0.0

    @cached_property
    def buckets(self) -> Buckets:
        """The tables of the abstraction (made at the first use)."""
        return buckets(self.options.bucket_options)

    @cached_property
    def river(self) -> RiverLearner | None:
        """Who learns the river, if MCCFR does not."""
        if self.options.river_solver == "mccfr":
            return None
        return RiverLearner(self.layout, self.buckets, derive(self.root, "cfr_br"), self.options.lanes)

    @cached_property
    def cards(self) -> kernels.Cards:
        """What the kernels need of the cards."""
        known = tuple(boards(size) for size in (3, 4, 5))
        return kernels.Cards(
            tuple(np.asarray(table) for table in self.buckets.tables),
            tuple(one.class_of for one in known),
            tuple(one.renaming_of for one in known),
            hand_maps(),
            batch_tables(7),
        )

    def train(self, steps: int) -> Iterator[Metrics]:
        target = self.step + steps
        while self.step < target:
            due = min(target, self._next_measure())
            while self.step < due:
                count = min(due - self.step, max(1, int(CHUNK_SECONDS / max(self._seconds_a_step, 1e-6))))
                if not self._seconds_a_step:
                    count = min(count, 1 if not self.step else 100)  # compiles, and shows how long an iteration takes
                began = perf_counter()
                self._iterate(count)
                if count > 1:
                    self._seconds_a_step = (perf_counter() - began) / count
                if self.step < due:
                    yield {}
            yield {"nodes": float(self.nodes)}

    def _iterate(self, count: int) -> None:
        every, target = self.options.board_every, self.step + count
        while self.step < target:
            due = min(target, (self.step // every + 1) * every) if self.river is not None else target
            self._sample(due - self.step)
            if self.river is not None and self.step % every == 0:
                self.river.learn(self.step // every, self.regret, self.average)

    def _sample(self, count: int) -> None:
        first, learned = self.step + 1, 4 if self.river is None else 3
        self.nodes += int(
            kernels.iterate(
                self.layout.nodes, self.cards, first, first + count, self.seed, learned, self.regret, self.average
            )
        )
        self.step += count

    def _next_measure(self) -> int:
        """Return the next step with a row of metrics."""
        if self.options.measure_every:
            return (self.step // self.options.measure_every + 1) * self.options.measure_every
        at = 1
        while at <= self.step:
            at += max(1, at // 8)
        return at

    def save(self, directory: Path) -> None:
        np.save(directory / "regret.npy", self.regret, allow_pickle=False)
        np.save(directory / "average.npy", self.average, allow_pickle=False)
        chances = np.zeros(0) if self.river is None else self.river.chances
        np.save(directory / "chances.npy", chances, allow_pickle=False)
        write_json(directory / "state.json", {"step": self.step, "nodes": self.nodes})

    def load(self, directory: Path) -> None:
        step, nodes = _read_state(directory)
        found = {name: _read_table(directory / f"{name}.npy", self.layout.size) for name in ("regret", "average")}
        for name, table in found.items():
            if not np.isfinite(table).all():
                raise DamagedFileError(f"The file {directory / name}.npy holds numbers that no solver writes.")
        chances = _read_array(
            directory / "chances.npy", np.float64, 0 if self.river is None else len(self.river.chances)
        )
        if self.river is not None:
            self.river.chances = np.array(chances)
        self.regret[:], self.average[:] = found["regret"], found["average"]
        self.step, self.nodes = step, nodes

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy, purify = policy_options(options)
        table = (self.average if policy == "average" else self.regret).copy()
        return BucketAgent(self.game, self.layout, self.buckets, table, purify, _called(policy, self.step))


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"bucket_mccfr": BucketMCCFR}
