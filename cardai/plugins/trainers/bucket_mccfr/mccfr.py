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
from pathlib import Path
from typing import Any, ClassVar, Literal

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.bucket_mccfr.actors import ActorsTraining
from cardai.plugins.trainers.bucket_mccfr.agent import FILES, PLAYER_OPTIONS, BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import (
    check_buckets,
    read_state,
    read_table,
    shrink_table,
)
from cardai.plugins.trainers.bucket_mccfr.layout import check_memory, holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.training import STATE, STATE_OF_ACTORS, BucketTraining
from cardai.poker.buckets.tables import BucketOptions, buckets
from cardai.solve.training import policy_called

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
    bucket_seed: int = option(0, help="The seed of the buckets.", validator=validators.ge(0))
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


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"bucket_mccfr": BucketMCCFR}
