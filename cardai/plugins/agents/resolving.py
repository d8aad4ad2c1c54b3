"""Continual re-solving (DeepStack's player): each decision is solved anew, with values where it stops looking ahead.

Plays Leduc of two players to its end or with a network of values (`cardai train --trainer leduc_values`), and hold'em of two.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Literal

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.range_game import is_leduc
from cardai.poker.resolving.blueprint import blueprint
from cardai.poker.resolving.holdem import (
    BETS,
    ITERATIONS,
    WITH_VALUES,
    HoldemDepthLimit,
    holdem_game,
    holdem_player,
)
from cardai.poker.resolving.network_leaves import network_depth_limit
from cardai.poker.resolving.player import leduc_player
from cardai.poker.resolving.resolver import DepthLimit, ToTheEnd
from cardai.poker.values.leduc_network import LeducDepthLimit, read_values
from cardai.poker.values.leduc_situations import leduc_game

EXACT = "exact"


@frozen
class Resolving(Agent):
    """Solves the rest of the hand, or of the round, at each of its decisions (Moravcik et al. 2017)."""

    values: str = option(
        EXACT,
        help="where values come from beyond the round: exact (no network), or a run of counterfactual_values (in Leduc of leduc_values)",
    )
    iterations: int = option(
        0, help="iterations of a decision; 0: 1000 in Leduc, in hold'em 300, 200, 100 and 500 by round",
        validator=validators.in_(range(1_000_001)),
    )  # fmt: skip
    skip: int = option(0, help="iterations left out of the average", validator=validators.ge(0))
    solver: Literal["dcfr", "cfr_plus", "rm_plus"] = option(
        "dcfr", help="the variant of CFR; rm_plus: regret matching+ with a uniform average, DeepStack's"
    )
    gadget: bool = option(True, help="whether the opponent may take what it was promised instead of playing on")
    seconds: float = option(
        0.0, help="time for a decision: the last iteration finished in it is played; 0: all iterations",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip
    hand_seconds: float = option(
        0.0, help="time for all decisions of a hand, each of which takes at most half of what is left; 0: no limit",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip

    bets: str = option(BETS, help="hold'em without a ladder or limits: the bets that are looked at, a menu a round")
    blueprint: str = option(
        "",
        help="hold'em: who plays before the flop (a trained run; without limits one of a ladder); none: that is solved too",
    )
    cards: int = option(
        2, help="hold'em with values: cards of the turn that an iteration on the flop looks at; 0: all of them",
        validator=validators.in_(range(50)),
    )  # fmt: skip
    kept: int = option(
        12, help="hold'em: decisions behind the first round that are kept, for what comes after them; the result is the same",
        validator=validators.in_(range(1, 10_001)),
    )  # fmt: skip
    threads: int = option(1, help="threads on the turn; the result is the same", validator=validators.in_(range(1, 65)))

    def __attrs_post_init__(self) -> None:
        if self.iterations and self.skip >= self.iterations:
            raise ValueError(f"skip must be below iterations. Got {self.skip} of {self.iterations}.")

    def settings(self, usual: int | tuple[int, ...], reuse: bool) -> SolverSettings:
        """Return how a decision is solved; ``usual`` are the iterations where none are given."""
        variant = (inf, -inf, 0.0) if self.solver == "rm_plus" else self.solver
        return SolverSettings(
            self.iterations or usual, self.skip, variant, self.gadget, self.seconds, self.hand_seconds, reuse, self.threads
        )  # fmt: skip

    def for_game(self, game: Game) -> Agent:
        if is_leduc(game):
            return leduc_player(game, self.settings(1000, reuse=False), self._leduc_depth_limit(game), "resolving")
        played, usual = holdem_game(game, self.bets), ITERATIONS
        depth_limit: DepthLimit = HoldemDepthLimit()
        if self.values != EXACT:
            depth_limit = network_depth_limit(self.values, played, self.cards)
            usual = (ITERATIONS[0], WITH_VALUES, *ITERATIONS[2:])
        early = blueprint(self.blueprint, game) if self.blueprint else None
        return holdem_player(game, played, self.settings(usual, reuse=True), depth_limit, early, self.kept)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        raise UsageError("resolving must know its game first: call for_game(game), and ask what that returns.")

    def _leduc_depth_limit(self, game: Game) -> DepthLimit:
        if self.values == EXACT:
            return ToTheEnd()
        directory, made_for = open_values(self.values, "leduc_values", "counterfactual_values")
        if not is_leduc(made_for) or leduc_game(game) != leduc_game(made_for):
            raise UsageError(
                f"The values in {self.values!r} are those of {brief(made_for)}. They are no use in {brief(game)}."
            )
        return LeducDepthLimit(read_values(directory / "values.npz"))


def open_values(path: str, *trainers: str) -> tuple[Path, Game]:
    """Return the newest checkpoint's directory of a run of one of ``trainers``, and its game.

    Raises:
        UsageError: there is no such run, it is another trainer's, or it has no checkpoint yet. DamagedFileError.
    """
    from cardai.training.runs import Run

    run = Run.open(Path(path))
    name = run.trainer_spec.partition(":")[0]
    if not name.startswith(trainers):  # a preset's name begins with its trainer's
        raise UsageError(
            f"The run {path!r} was made by the trainer {name!r} and holds no values of this game. Train {' or '.join(trainers)}."
        )
    checkpoint, refused = run.latest()
    if checkpoint is None and not refused:
        raise UsageError(f"The run {path!r} has no checkpoint yet: wait for it, or go on by --resume {path}.")
    if checkpoint is None:
        raise DamagedFileError(f"The run {path!r} has no good checkpoint: {' '.join(refused)}")
    return checkpoint.path, run.game()


@hookimpl
def cardai_agent() -> type[Agent]:
    return Resolving
