"""Hold'em for two as a resolver takes it: how far it looks ahead, and what it thinks of what lies behind.

The turn and the river are solved to the end. Before the flop and on it the round is solved, and the hands are then worth what
they win when both check to the end (all boards of the flop, random ones before it). Such values promise nobody anything, so
the flop and the turn begin from both ranges; from the turn on what is promised is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache, lru_cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from cardai.cards.poker.combos import COUNT, pair_index, pairs
from cardai.cards.poker.equity import river_strengths
from cardai.cards.poker.fields import is_holdem
from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.subgames._rollout_kernels import add_wins
from cardai.subgames.blueprint import Blueprint
from cardai.subgames.hands import HoldemHands
from cardai.subgames.menus import Menu, menus
from cardai.subgames.player import Plan, ResolvingPlayer, public_of
from cardai.subgames.resolving import Effort, Horizon, Public, Resolver, Table
from cardai.subgames.solver import LeafEvaluator
from cardai.subgames.tree import Node, Tree

ROUNDS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)
FLOP = 1
ITERATIONS = (300, 200, 100, 500)
"""What a decision takes by round unless it is told otherwise."""
WITH_VALUES = 24
"""Iterations of a decision on the flop where a network values its leaves."""
BETS = "preflop=1+allin,flop=0.5+1+allin/1+allin,turn=1+allin,river=0.5+1+allin/1+allin"
"""What is looked at in no-limit."""
BOARDS = 3000
"""Random boards by which hands are compared before the flop."""
_PAIRS = pairs().astype(np.int64)


@lru_cache(4)
def showdowns(board: tuple[int, ...]) -> Float32s:
    """Return (1326, 1326) how often the row's hand beats the column's, less how often it loses, over what can still come.

    Hands that the board blocks, and pairs that share a card, have 0. Without a board it is an estimate from random boards.
    """
    rest = [card for card in range(52) if card not in board]
    missing = 5 - len(board)
    if board:
        runouts: Any = itertools.combinations(rest, missing)
        count = comb(len(rest), missing)
    else:
        generator = np.random.default_rng(5)
        runouts = (generator.choice(52, 5, replace=False).tolist() for _ in range(BOARDS))
        count = BOARDS
    wins = np.zeros((COUNT, COUNT), np.int16)
    for added in runouts:
        strengths = river_strengths([*board, *added])
        add_wins(np.unique(strengths, return_inverse=True)[1].astype(np.int16) - np.int16(1), wins)
    free = comb(len(rest) - 4, missing) / comb(len(rest), missing)  # how often a board blocks neither of two hands
    out = wins.astype(np.float32)
    out *= apart() / np.float32(count * free)
    return out


@cache
def apart() -> Float32s:
    """Return (1326, 1326) 1 where two hands share no card."""
    held = np.zeros((COUNT, 52), np.float32)
    held[np.arange(COUNT)[:, None], _PAIRS] = 1.0
    return np.asarray(held @ held.T == 0, np.float32)


class CheckedToTheEnd:
    """Leaves where both check to the end (see :func:`showdowns`)."""

    def __init__(self, board: tuple[int, ...], hands: npt.NDArray[np.int64]) -> None:
        self.board, self.hands = board, hands
        self._wins = np.ascontiguousarray(showdowns(board)[np.ix_(hands, hands)])

    def evaluate(self, player: int, reach: npt.NDArray[Any], nodes: Sequence[Node]) -> Float64s:
        """Return (C, n): see :class:`~cardai.subgames.solver.LeafEvaluator`."""
        stakes = np.array([min(node.spent) for node in nodes], np.float64)
        other = np.ascontiguousarray(reach[1 - player], np.float32)
        return np.asarray(stakes[:, None] * (other @ self._wins.T), np.float64)


@frozen
class HoldemHorizon:
    """To the end from the turn on, before that to the end of the round."""

    def until(self, round_: int) -> int:
        return 3 if round_ > FLOP else round_

    def promises(self, round_: int) -> bool:
        return round_ > FLOP

    def leaves(self, public: Public, tree: Tree, hands: npt.NDArray[np.int64]) -> LeafEvaluator | None:
        return CheckedToTheEnd(public.board, hands)


def looked_at(game: Game, bets: str) -> tuple[Menu, ...]:
    """Return the bets that are looked at, a menu a round: a ladder's, or ``bets``; none in limit betting."""
    rungs = tuple(game.ladder())  # type: ignore[attr-defined]
    if rungs:
        return (Menu((rungs,)),) * 4
    return menus(bets, ROUNDS) if game.betting.no_limit else ()  # type: ignore[attr-defined]


def holdem_player(
    game: Game, effort: Effort, looked: tuple[Menu, ...], horizon: Horizon, early: Blueprint | None, kept: int
) -> Agent:
    """Return the player of hold'em for two; ``early`` plays before the flop (None: that is solved too).

    ``kept`` decisions are remembered.
    """
    stacks = game.seat_stacks()  # type: ignore[attr-defined]
    if early is None:
        showdowns(())  # now, not on the clock of a decision
    table = Table(game.betting, (stacks[0], stacks[1]), HoldemHands(), BOARD_CARDS, looked, 0 if early is None else 1)  # type: ignore[attr-defined]
    resolver = Resolver(table, effort, horizon, _everything if early is None else early.ranges, kept)
    if effort.seconds or effort.hand_seconds:
        warm_up(table)
    return HoldemPlayer(game, resolver, early)


def warm_up(table: Table) -> None:
    """Solve something on the turn and on the flop, so that what is compiled or read from files is there when the clock runs."""
    for first, board in ((2, (0, 14, 28, 42)), (1, (0, 14, 28))):
        passed = tuple((1, round_, seat) for round_ in range(first) for seat in (0, 1))
        once = Resolver(evolve(table, first=first), Effort(1), HoldemHorizon(), _everything, 1)
        once.decision(Public(0, passed, first, board), 0).solver.look((0,) if first == 2 else (), 0)


class HoldemPlayer(ResolvingPlayer):
    """Plays hold'em: before the flop as a blueprint does, if there is one, then what is solved."""

    def __init__(self, game: Game, resolver: Resolver, early: Blueprint | None) -> None:
        super().__init__(game, resolver, _hand_numbers, "resolving")
        self.early = early

    def plan(self, view: Any) -> Plan:
        if self.early is not None and int(view["round"]) < self.resolver.table.first:
            return self.early.plan(public_of(view))
        return super().plan(view)


def need_heads_up(game: Game) -> None:
    """Raise UsageError unless the game is hold'em for two."""
    if not is_holdem(game) or game.num_players != 2 or not hasattr(game, "betting"):
        raise UsageError(f"resolving plays Leduc and hold'em of two players. It cannot play {brief(game)}.")


def _hand_numbers(views: Views) -> Int64s:
    hole = views["hole"].astype(np.int64)
    return np.asarray(pair_index(hole[:, 0], hole[:, 1]), np.int64)


def _everything(public: Public) -> Float64s:
    return np.ones((2, COUNT))
