"""Hold'em for two as a resolver takes it: how far it looks ahead, and what it thinks of what lies behind.

The turn and the river are solved to the end. Before the flop and on it the round is solved, and the hands are then worth what
they win when both check to the end (all boards of the flop, random ones before it). Such values promise nobody anything, so
the flop and the turn begin from both ranges; from the turn on what is promised is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.contract import board_game, described, plays_holdem
from cardai.poker.hands.combos import COUNT, pair_index
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.leaves import CheckedDown, showdowns
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import PublicTree
from cardai.poker.ranges.range_game import RangeGame, range_game
from cardai.poker.ranges.solver import LeafEvaluator
from cardai.poker.resolving.blueprint import Blueprint
from cardai.poker.resolving.player import Plan, ResolvingPlayer, public_of
from cardai.poker.resolving.resolver import DepthLimit, Public, Resolver

ROUNDS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)
FLOP = 1
ITERATIONS = (300, 200, 100, 500)
"""What a decision takes by round unless it is told otherwise."""
WITH_VALUES = 24
"""Iterations of a decision on the flop where a network values its leaves."""
BETS = "preflop=1+allin,flop=0.5+1+allin/1+allin,turn=1+allin,river=0.5+1+allin/1+allin"
"""What is looked at in no-limit."""


@frozen
class HoldemDepthLimit:
    """To the end from the turn on, before that to the end of the round."""

    def until(self, round_: int) -> int:
        return 3 if round_ > FLOP else round_

    def promises(self, round_: int) -> bool:
        return round_ > FLOP

    def leaves(self, public: Public, tree: PublicTree, hands: npt.NDArray[np.int64]) -> LeafEvaluator | None:
        return CheckedDown(public.board, hands)


def holdem_game(game: Game, bets: str) -> RangeGame:
    """Return hold'em for two as its ranges are played; ``bets`` are looked at in no-limit without a ladder. Raises UsageError."""
    said = board_game(game)
    if said is None or not plays_holdem(game, 2):
        raise UsageError(f"resolving plays Leduc and hold'em of two players. {brief(game)} is {described(game)}.")
    return range_game(game, "resolving", menus(bets, ROUNDS) if said.betting.no_limit and not said.ladder else ())


def holdem_player(
    game: Game, played: RangeGame, settings: SolverSettings, depth_limit: DepthLimit, early: Blueprint | None, kept: int
) -> Agent:
    """Return the player of hold'em for two; ``early`` plays before the flop (None: that is solved too).

    ``kept`` decisions are remembered.
    """
    played = evolve(played, first=0 if early is None else 1)
    if early is None:
        showdowns(())  # now, not on the clock of a decision
    resolver = Resolver(played, settings, depth_limit, _everything if early is None else early.ranges, kept)
    if settings.seconds or settings.hand_seconds:
        warm_up(played)
    return HoldemPlayer(game, resolver, early)


def warm_up(game: RangeGame) -> None:
    """Solve something on the turn and on the flop, so that what is compiled or read from files is there when the clock runs."""
    for first, board in ((2, (0, 14, 28, 42)), (1, (0, 14, 28))):
        passed = tuple((1, round_, seat) for round_ in range(first) for seat in (0, 1))
        once = Resolver(evolve(game, first=first), SolverSettings(1), HoldemDepthLimit(), _everything, 1)
        once.decision(Public(0, passed, first, board), 0).solver.look((0,) if first == 2 else (), 0)


class HoldemPlayer(ResolvingPlayer):
    """Plays hold'em: before the flop as a blueprint does, if there is one, then what is solved."""

    def __init__(self, game: Game, resolver: Resolver, early: Blueprint | None) -> None:
        super().__init__(game, resolver, _hand_numbers, "resolving")
        self.early = early

    def plan(self, view: Any) -> Plan:
        if self.early is not None and int(view["round"]) < self.resolver.game.first:
            return self.early.plan(public_of(view))
        return super().plan(view)


def _hand_numbers(views: Views) -> Int64s:
    hole = views["hole"].astype(np.int64)
    return np.asarray(pair_index(hole[:, 0], hole[:, 1]), np.int64)


def _everything(public: Public) -> Float64s:
    return np.ones((2, COUNT))
