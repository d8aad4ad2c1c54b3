"""The games that a resolver plays, Leduc and hold'em for two, and its players of them.

In hold'em the turn and the river are solved to the end. Before the flop and on it the round is solved, and the hands are then
worth what they win when both check to the end (all boards of the flop, random ones before it).
"""

from __future__ import annotations

from attrs import evolve

from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.progress import tell
from cardai.core.spec import brief
from cardai.poker.contract import board_game, described, plays_holdem
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.leaves import showdowns
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.range_game import RangeGame, is_leduc, range_game
from cardai.poker.resolving.blueprint import Blueprint
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.resolving.player import ResolvingPlayer
from cardai.poker.resolving.preflop import Preflop
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import KEPT, Resolver
from cardai.poker.resolving.translation import Translated
from cardai.poker.resolving.trunk import Trunk

PLAYS = 2
"""Counted up by a change of the code that changes what is played: figures of before are then of another player. 2: a network is told
who acts first, whoever has the button."""
ROUNDS = ("preflop", "flop", "turn", "river")
LIMIT = DepthLimit(2)
"""Hold'em's without a network."""
ITERATIONS = (300, 200, 120, 300)
"""What a decision of hold'em takes by round unless it is told otherwise: on the turn 1 % of a pot of six blinds from equilibrium
(benchmarks/decisions.py)."""
DISCOUNTS = (1.5, 0.5, 4.0)
"""Hold'em's: those by which values settle soonest (:data:`cardai.poker.values.situations.FASTER`)."""
WITH_VALUES = 120
"""Iterations of a decision on the flop where a network values its leaves."""
LEDUC_ITERATIONS = 1000
BETS = "preflop=1+allin,flop=0.5+1+allin/1+allin/allin,turn=1+allin/1+allin/allin,river=0.5+1+allin/1+allin/allin"
"""What is looked at in no-limit."""
AHEAD = "1+allin/allin"
"""What is looked at there in a round behind the one that is decided: the river's tree is most of a turn's."""


Early = Blueprint | Translated | Preflop | Trunk
"""Who plays before the first round that is solved."""


def resolved_game(game: Game, bets: str = BETS, ahead: str = AHEAD) -> RangeGame:
    """Return ``game`` as its ranges are played; ``bets`` are looked at in hold'em without limits or a ladder,
    and ``ahead`` in rounds behind the one that is decided.

    Raises:
        UsageError: it is neither Leduc nor hold'em for two.
    """
    if is_leduc(game):
        return range_game(game, "resolving")
    said = board_game(game)
    if said is None or not plays_holdem(game, 2):
        raise UsageError(f"resolving plays Leduc and hold'em of two players. {brief(game)} is {described(game)}.")
    if not said.betting.no_limit or said.ladder:
        return range_game(game, "resolving")
    return range_game(game, "resolving", menus(bets, ROUNDS), menus(ahead, ROUNDS))


def resolving_player(
    game: Game,
    played: RangeGame,
    settings: SolverSettings,
    depth_limit: DepthLimit,
    early: Early | None = None,
    kept: int = KEPT,
    noise: float = 0.0,
) -> ResolvingPlayer:
    """Return the player of ``game``, whose ranges are ``played``; ``early`` plays before the flop, or until what it promises (None: that is solved too).

    ``kept`` decisions are remembered. With ``noise`` an action at random is taken that often.
    """
    trunk = early if isinstance(early, Trunk) else None
    played = evolve(played, first=0 if early is None else trunk.first if trunk else 1)
    ranges, promises = None if early is None else early.ranges, None if trunk is None else trunk.promised
    resolver = Resolver(played, settings, depth_limit, ranges, kept, promises)
    if played.hands == HOLDEM and (settings.seconds or settings.hand_seconds):  # now, not on the clock of a decision
        if early is None:
            showdowns(())
        warm_up(played, depth_limit, settings.threads)
    return ResolvingPlayer(game, resolver, None if early is None else early.plan, noise)


def warm_up(game: RangeGame, depth_limit: DepthLimit, threads: int = 1) -> None:
    """Solve something in every round, so that what is compiled or read from files is there when the clock runs."""
    boards = {1: (0, 14, 28), 2: (0, 14, 28, 42), 3: (0, 14, 28, 42, 5)}
    for done, (first, board) in enumerate(boards.items()):
        if first < game.first:
            continue
        tell("getting ready to solve", done, len(boards))
        passed = tuple((1, round_, seat) for round_ in range(first) for seat in (0, 1))
        once = Resolver(evolve(game, first=first), SolverSettings(1, threads=threads), depth_limit, kept=1)
        once.decision(Public(0, passed, first, board), 0).solver.look((0,) if first == 2 else (), 0)
    tell("getting ready to solve", 1, 1)
