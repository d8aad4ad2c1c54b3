"""Continual re-solving (DeepStack's player): each decision is solved anew, with values where it stops looking ahead.

Plays Leduc of two players to its end or with a network of values (`cardai train --trainer leduc_values`), and hold'em of two.
"""

from __future__ import annotations

import warnings
from math import inf
from typing import Literal

from attrs import evolve, frozen, validators

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.range_game import RangeGame, is_leduc
from cardai.poker.resolving.blueprint import blueprint
from cardai.poker.resolving.box import CHECKED_DOWN, PREFLOP, VALUES, ResolvingWarning, box, full_no_limit
from cardai.poker.resolving.depth_limit import DepthLimit, network_depth_limit
from cardai.poker.resolving.games import (
    AHEAD,
    BETS,
    DISCOUNTS,
    ITERATIONS,
    LEDUC_ITERATIONS,
    LIMIT,
    ROUNDS,
    WITH_VALUES,
    Early,
    resolved_game,
    resolving_player,
)
from cardai.poker.resolving.preflop import preflop_player
from cardai.poker.resolving.trunk import Trunk

EXACT = "exact"


@frozen
class Resolving(Agent):
    """Solves the rest of the hand, or of the round, at each of its decisions (Moravcik et al. 2017)."""

    values: str = option(
        "",
        holds="path",
        help="where values come from beyond the round: a run of counterfactual_values (in Leduc of leduc_values), or exact: no "
        "network; default: in no-limit hold'em those in the box (players/), else exact",
    )
    iterations: int = option(
        0, help="iterations of a decision; 0: 1000 in Leduc, in hold'em 300, 200 (with a network 120), 120 and 300 by round",
        validator=validators.in_(range(1_000_001)),
    )  # fmt: skip
    skip: int = option(0, help="iterations left out of the average", validator=validators.ge(0))
    solver: Literal["dcfr", "cfr_plus", "rm_plus"] = option(
        "dcfr", help="the variant of CFR; rm_plus: regret matching+ with a uniform average, DeepStack's"
    )
    gadget: bool = option(True, help="whether the opponent may take what it was promised instead of playing on")
    believed: float = option(
        0.0, help="behind the gadget: how much of the opponent's hands hold the range it is thought to have and play on whatever was promised",
        validator=[validators.ge(0), validators.lt(1)],
    )  # fmt: skip
    seconds: float = option(
        0.0, help="time for a decision: the last iteration finished in it is played; 0: all iterations",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip
    hand_seconds: float = option(
        0.0, help="time for all decisions of a hand, each of which takes at most half of what is left; 0: no limit",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip

    bets: str = option(BETS, help="hold'em without a ladder or limits: the bets that are looked at, a menu a round")
    ahead: str = option(AHEAD, help="the same in rounds behind the one that is decided")
    blueprint: str = option(
        "",
        holds="agent",
        help="hold'em: who plays before the first round that is solved (a trained run; without limits one of a ladder); none: that is solved too",
    )
    first: Literal["flop", "turn", "river"] = option(
        "flop", help="with a blueprint in limit betting or on a ladder: the first round that is solved; from the turn or the river "
        "on the opponent is promised what it can win there from the blueprint",
    )  # fmt: skip
    preflop: str = option(
        "", holds="path",
        help="no-limit hold'em: a directory with a table of play before the flop (any stacks); default: with the box's values the box's",
    )  # fmt: skip
    noise: float = option(
        0.0, help="how much of the time an action at random is taken, for weaker opponents", validator=[validators.ge(0), validators.le(1)],
    )  # fmt: skip
    cards: int = option(
        1, help="hold'em with values: cards of the turn that an iteration on the flop looks at; 0: all of them",
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

    def for_game(self, game: Game) -> Agent:
        if self.first != "flop" and not self.blueprint:
            raise UsageError(f"first={self.first} needs who plays until then: blueprint=, a trained run or a player.")
        played, leduc = resolved_game(game, self.bets, self.ahead), is_leduc(game)
        if self.first != "flop" and leduc:
            raise UsageError(f"first={self.first} is a round of hold'em. {brief(game)} is solved whole.")
        limit = DepthLimit() if leduc else LIMIT
        usual: int | tuple[int, ...] = LEDUC_ITERATIONS if leduc else ITERATIONS
        values, preflop = self._sources(played, leduc)
        if values != EXACT:
            limit = network_depth_limit(values, played, self.cards)
            usual = usual if leduc else (ITERATIONS[0], WITH_VALUES, *ITERATIONS[2:])
        variant = DISCOUNTS if self.solver == "dcfr" and not leduc else self.solver
        settings = SolverSettings(
            self.iterations or usual, self.skip, (inf, -inf, 0.0) if self.solver == "rm_plus" else variant,
            self.gadget, self.believed, self.seconds, self.hand_seconds, reuse=not leduc, threads=self.threads,
        )  # fmt: skip
        if leduc:
            return resolving_player(game, played, settings, limit, noise=self.noise)
        early = self._early(game)
        if preflop and early is None:
            early = preflop_player(preflop, game)
        return resolving_player(game, played, settings, limit, early, self.kept, self.noise)

    def _early(self, game: Game) -> Early | None:
        if self.first == "flop":
            return blueprint(self.blueprint, game) if self.blueprint else None
        return Trunk(game, make.agent(self.blueprint), ROUNDS.index(self.first))

    def check_game(self, game: Game) -> None:
        evolve(self, seconds=0.0, hand_seconds=0.0).for_game(game)  # no clock runs: nothing need be ready

    def _sources(self, played: RangeGame, leduc: bool) -> tuple[str, str]:
        """Return where values and play before the flop come from; a warning says so if there are none."""
        if self.values or leduc:
            return self.values or EXACT, self.preflop
        here = box() if full_no_limit(played) else None
        if here is not None:
            return str(here / VALUES), self.preflop or ("" if self.blueprint else str(here / PREFLOP))
        if not (self.blueprint or self.preflop):
            warnings.warn(CHECKED_DOWN, ResolvingWarning, stacklevel=2)
        return EXACT, self.preflop

    def policy(self, views: Views, legal: Legal) -> Float64s:
        raise UsageError("resolving must know its game first: call for_game(game), and ask what that returns.")


@hookimpl
def cardai_agent() -> type[Agent]:
    return Resolving
