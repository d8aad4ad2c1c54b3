"""Monte Carlo CFR for draw poker: external sampling over betting, numbers of cards drawn, and buckets of hands.

As :mod:`mccfr` for hold'em (Lanctot et al. 2009, linear weights: Brown and Sandholm 2019). A hand's draws multiply what a
walk would have to see, so actions that the walking seat never plays now are walked only now and then (``explore``), and
their regret counts more then: in the spirit of average strategy sampling (Gibson, Burch, Lanctot and Szafron, "Efficient
Monte Carlo counterfactual regret minimization in games with many player actions", NIPS 2012). What is remembered: :mod:`draw_layout`; how hands
are told apart: :mod:`cardai.draw.buckets`.

    regret.npy, average.npy    (S,) float32, as :mod:`draw_layout` lays them out
    buckets.npz                what hands are told apart by
    state.json                 step, and nodes visited
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import write_json
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.spec import brief, option
from cardai.core.trainer import Metrics, Trainer
from cardai.draw.buckets import CHOICES, DrawBuckets, draw_buckets
from cardai.draw.contract import DrawPoker
from cardai.plugins.trainers.bucket_mccfr import _draw_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import FILES, PLAYER_OPTIONS, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import Table, read_finite, read_state, read_table, write_table
from cardai.plugins.trainers.bucket_mccfr.draw_agent import DrawBucketAgent
from cardai.plugins.trainers.bucket_mccfr.draw_layout import DrawLayout, draw_game, lay_out
from cardai.solve.training import PacedTraining, policy_called

STATE = ("step", "nodes")
FAR = 1 << 20
"""No centre of a bucket is farther from 0."""
_BUCKETS = [validators.ge(1), validators.le(10_000)]


@frozen
class DrawMCCFR(Trainer):
    """Solve two-player draw poker over buckets of hands, by sampled hands (Lanctot et al. 2009)."""

    step_unit: ClassVar[str] = "iterations"

    hands: int = option(60, help="Buckets of hands with a draw to come, for each number of draws.", validator=_BUCKETS)
    final: int = option(60, help="Buckets of hands after the last draw.", validator=_BUCKETS)
    bucket_seed: int = option(0, help="The seed of the buckets.", validator=validators.ge(0))
    explore: float = option(
        0.25,
        help="How often an action is walked that the walking seat never plays now (1: always).",
        validator=[validators.gt(0), validators.le(1)],
    )
    memory: float = option(1.5, help="Gigabytes that the tables may take.", validator=validators.gt(0))
    measure_every: int = option(
        0, help="Iterations between rows of metrics (0: about twenty a factor of ten).", validator=validators.ge(0)
    )

    def check_game(self, game: Game) -> None:
        draw_game(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> DrawTraining:
        played = draw_game(game)
        buckets = draw_buckets(self.hands, self.final, played.draws, self.bucket_seed)
        return DrawTraining(self, played, self._layout(played, buckets), buckets, seed)

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> DrawTraining:
        played = draw_game(game)
        buckets = read_buckets(directory, played)
        made = DrawTraining(self, played, self._layout(played, buckets), buckets, seed)
        made.load(directory)
        return made

    def _layout(self, game: DrawPoker, buckets: DrawBuckets) -> DrawLayout:
        layout = lay_out(game, buckets.counts)
        if layout.size * 8 > self.memory * 1e9:
            raise UsageError(
                f"{brief(game)} has {layout.information_sets:,} information sets with {self.hands:,} buckets of hands and "
                f"{self.final:,} at the end: {layout.size * 8 / 1e9:.2f} GB of tables, and the option memory allows "
                f"{self.memory:g} GB. Take fewer buckets, or raise memory."
            )
        return layout

    def agent_options(self) -> Mapping[str, str]:
        return PLAYER_OPTIONS

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        policy, purify = policy_options(options, "A trained player of draw poker")
        played = draw_game(game)
        buckets = read_buckets(directory, played)
        layout = lay_out(played, buckets.counts)
        table = read_table(directory / f"{FILES[policy]}.npy", layout.size)
        return DrawBucketAgent(
            game, layout, buckets, table, purify, policy_called(policy, read_state(directory, *STATE)["step"])
        )

    def slim(self, game: Game, directory: Path) -> None:
        """Put shares of the largest weight of each information set, 0 to 255, in the place of weights."""
        played = draw_game(game)
        layout = lay_out(played, read_buckets(directory, played).counts)
        file = directory / "average.npy"
        table, out = np.asarray(read_table(file, layout.size)), np.zeros(layout.size, np.uint8)
        kernels.shares(layout.nodes, table, out)
        write_npz(file.with_suffix(".npz"), {"shares": out}, level=9)
        file.unlink()


def read_buckets(directory: Path, game: DrawPoker) -> DrawBuckets:
    """Return the buckets of a checkpoint. Raises DamagedFileError."""
    names = [f"centres_{done}" for done in range(game.draws)]
    file = directory / "buckets.npz"
    expected: dict[str, tuple[Any, tuple[int | None, ...]]] = dict.fromkeys(names, (np.int64, (None, CHOICES)))
    found = read_npz(file, {**expected, "thresholds": (np.int64, (None,))})
    limits = [len(found[name]) for name in names]
    ascending = bool((np.diff(found["thresholds"]) > 0).all())
    if (
        min(limits) < 1
        or not ascending
        or any((np.clip(found[name], -FAR, FAR) != found[name]).any() for name in names)
    ):
        raise DamagedFileError(f"The file {file} holds no buckets of hands: it is damaged.")
    return DrawBuckets(tuple(found[name] for name in names), found["thresholds"])


class DrawTraining(PacedTraining):
    """MCCFR under way. Iteration t draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(
        self, options: DrawMCCFR, game: DrawPoker, layout: DrawLayout, buckets: DrawBuckets, seed: int
    ) -> None:
        self.options, self.game, self.layout, self.buckets = options, game, layout, buckets
        self.seed = np.uint64(derive(seed, "bucket_mccfr_draw"))
        self.step, self.visited, self.measure_every = 0, 0, options.measure_every
        self.regret, self.average = np.zeros(layout.size, np.float32), np.zeros(layout.size, np.float32)
        self.known = buckets.known()

    def metrics(self) -> Metrics:
        return {"nodes": float(self.visited)}

    def iterate(self, count: int) -> None:
        numbers = self.step + 1, self.step + count + 1
        how = self.options.explore, self.seed, self.layout.room
        self.visited += int(kernels.iterate(self.layout.nodes, self.known, *numbers, *how, self.regret, self.average))

    def save(self, directory: Path) -> None:
        write_table(directory / "regret.npy", self.regret)
        write_table(directory / "average.npy", self.average)
        centres = {f"centres_{done}": one for done, one in enumerate(self.buckets.centres)}
        write_npz(directory / "buckets.npz", {**centres, "thresholds": self.buckets.thresholds})
        write_json(directory / "state.json", {"step": self.step, "nodes": self.visited})

    def load(self, directory: Path) -> None:
        state, size = read_state(directory, *STATE), self.layout.size
        if not read_buckets(directory, self.game).same_as(self.buckets):
            raise DamagedFileError(f"The checkpoint {directory} was written with other buckets of hands.")
        self.regret[:] = read_finite(directory / "regret.npy", size)
        self.average[:] = read_finite(directory / "average.npy", size)
        self.step, self.visited = state["step"], state["nodes"]

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy, purify = policy_options(options, "A trained player of draw poker")
        table: Table = (self.average if policy == "average" else self.regret).copy()
        return DrawBucketAgent(self.game, self.layout, self.buckets, table, purify, policy_called(policy, self.step))


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"bucket_mccfr_draw": DrawMCCFR}
