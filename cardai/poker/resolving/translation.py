"""Action translation: how a strategy for a ladder of bets plays bets of any size, its opponent's and its own.

A bet between two rungs counts as either, with the odds of the pseudo-harmonic mapping (Ganzfried and Sandholm, "Action translation in
extensive-form games with large action spaces", IJCAI 2013, section 7); both lines are then followed, each as likely as the mapping and
what both players do make it. The strategy's own rungs are fractions of the pot as it really is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief, parse
from cardai.poker.contract import BoardGame, board_game, need_holdem
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import left_by
from cardai.poker.range_policy import RangePolicy, range_player
from cardai.poker.ranges.menus import Menu
from cardai.poker.ranges.public_tree import DEAL, DECISION, Node, holdem_tree, tree_after
from cardai.poker.resolving.player import Plan, PlanningPlayer, public_of
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import nearest, remembered
from cardai.poker.rules.betting import Betting

_KEPT = 512
_MOST = 64
_NEGLIGIBLE = 1e-3
"""Lines that are so much less likely than the likeliest, by the mapping alone, are not followed, nor more than ``_MOST``: what a bet on
a rung is rounded by makes some, and every bet between two rungs doubles their number."""


@frozen(eq=False)
class Line:
    """One of the places in the ladder's game that a hand may have come to."""

    weight: float
    """How likely it is, by the mapping of the bets alone."""
    node: Node
    ranges: Float64s
    """(2, K) how often each class of hands of each seat plays so; seat 0 has the button."""

    def awaits(self, seat: int, street: int) -> bool:
        """Whether ``seat`` is to act on ``street``: a line whose betting is over, or that took a raise for a call, is elsewhere."""
        return self.node.kind == DECISION and (self.node.actor, self.node.street) == (seat, street)


@frozen(eq=False)
class Translation:
    """A strategy of a game with a ladder, whose classes of hands are K."""

    root: Node
    """Of its game's tree, seat 0 on the button."""
    strategy: Callable[[Node], Float64s]
    """Returns (A, K) how often each class takes each action of a decision."""
    each: Float64s
    """(K,) how many hands each class has."""
    deepest: int
    """The chips that an all-in is in its game."""
    followed: Callable[[list[Line]], list[Line]] = list
    """Returns which lines are followed: all."""

    def lines(self, betting: Betting, public: Public, stack: int) -> list[Line]:
        """Return where a hand of ``betting`` may have come to after the actions of ``public``; ``stack`` chips can be lost."""
        lines = [Line(1.0, self.root, np.ones((2, len(self.each))))]
        spent = [blind + betting.ante for blind in betting.blinds[:2]]
        for action, round_, seat in public.actions:
            here, call = seat ^ public.button, max(spent)
            acted = [self._acted(line, action, call, stack) if line.awaits(here, round_) else [line] for line in lines]
            lines = self.followed([new for one in acted for new in one])
            spent[here] = call if action < 2 else action
        return lines

    def _acted(self, line: Line, action: int, call: int, stack: int) -> list[Line]:
        """Return where a line leads by a real action of who is to act, who must call ``call`` chips in all."""
        strategy, out = self.strategy(line.node), []
        for chosen, odds in self._counts_as(line.node, action, call, stack):
            ranges = np.array(line.ranges)
            ranges[line.node.actor] *= strategy[chosen]
            out.append(Line(line.weight * odds, _dealt(line.node.children[chosen]), ranges))
        return out

    def _counts_as(self, node: Node, action: int, call: int, stack: int) -> list[tuple[int, float]]:
        """Return which of the ladder's actions a real one is, and with what odds."""
        bets = [k for k, one in enumerate(node.actions) if one.kind == 2]
        if action < 2 or not bets:
            return [(nearest(node.actions, min(action, 1), True), 1.0)]
        if action >= stack:
            return [(bets[-1], 1.0)]
        rungs = [fraction(node.actions[k].amount, max(node.spent)) for k in bets]
        size = fraction(action, call)
        above = int(np.searchsorted(rungs, size))
        if above == 0 or above == len(rungs):
            return [(bets[min(above, len(rungs) - 1)], 1.0)]
        below, odds = rungs[above - 1], harmonic(rungs[above - 1], size, rungs[above])
        assert below < rungs[above]
        return [(k, p) for k, p in ((bets[above - 1], odds), (bets[above], 1 - odds)) if p > 0]

    def played(self, lines: list[Line], real: Node, button: int) -> Float64s:
        """Return (A, K) how often each class takes each action of the real decision, at which ``lines`` may be."""
        me, call = real.actor ^ button, max(real.spent)
        out, total = np.zeros((len(real.actions), len(self.each))), np.zeros(len(self.each))
        for line in lines:
            weight = line.weight * line.ranges[me] * (line.ranges[1 - me] @ self.each) + 1e-12
            total += weight
            if not line.awaits(me, real.street):
                out[nearest(real.actions, 1, True)] += weight  # its betting is over: it has nothing to say but to go on
                continue
            for action, played in zip(line.node.actions, self.strategy(line.node), strict=True):
                out[self._real(real, call, line.node, action.kind, action.amount)] += weight * played
        return np.asarray(out / total)

    def _real(self, real: Node, call: int, node: Node, kind: int, amount: int) -> int:
        """Return which of the real actions one of the ladder's is."""
        bets = [k for k, one in enumerate(real.actions) if one.kind == 2]
        if kind < 2 or not bets:
            return nearest(real.actions, min(kind, 1), True)
        if amount >= self.deepest:
            return bets[-1]
        wanted = fraction(amount, max(node.spent))
        return min(bets, key=lambda k: abs(fraction(real.actions[k].amount, call) - wanted))

    def ranges(self, lines: list[Line], button: int) -> Float64s:
        """Return (2, K) both ranges, by seat, of a hand that may have come to ``lines``."""
        masses = np.array([line.ranges @ self.each for line in lines])  # (L, 2)
        out = np.zeros((2, len(self.each)))
        for line, mass in zip(lines, masses, strict=True):
            out += line.weight * line.ranges * mass[::-1, None]
        return out if button == 0 else out[::-1]


def _likely(lines: list[Line]) -> list[Line]:
    """Return the lines that are followed in a whole hand."""
    ranked = sorted(lines, key=lambda line: -line.weight)[:_MOST]
    return [line for line in ranked if line.weight >= _NEGLIGIBLE * ranked[0].weight]


def _dealt(node: Node) -> Node:
    """Return the node behind the cards that are dealt, where the tree goes on."""
    while node.kind == DEAL and node.children:
        node = node.children[0]
    return node


def fraction(amount: int, call: int) -> float:
    """Return by how much of the pot after a call a raise to ``amount`` raises, for two players who have put in ``call``."""
    return (amount - call) / (2 * max(call, 1))


def harmonic(below: float, size: float, above: float) -> float:
    """Return how often a bet of ``size`` counts as ``below`` rather than ``above`` (fractions of the pot)."""
    return (above - size) * (1 + below) / ((above - below) * (1 + size))


# -- a trained player, translated --------------------------------------------------------------------------------------


class Translated:
    """What ``agent``, trained on ``own``, a game with a ladder of bets, does in ``game``, the same without one: whole ranges."""

    def __init__(self, game: BoardGame, agent: Agent, own: BoardGame) -> None:
        self.game = game
        self._tree = holdem_tree(own, "Action translation")
        self._player: RangePolicy = range_player(own, agent, self._tree)
        self._menus = ladder_menus(own)
        self._deepest = min(own.stacks[:2])
        self._plans: OrderedDict[Public, Plan] = OrderedDict()
        self._ranges: OrderedDict[Public, Float64s] = OrderedDict()
        self._strategies: OrderedDict[tuple[int, tuple[int, ...]], Float64s] = OrderedDict()

    def plan(self, public: Public) -> Plan:
        """Return what each hand does at a decision."""
        return remembered(self._plans, public, _KEPT, lambda: self._plan(public))

    def ranges(self, public: Public) -> Float64s:
        """Return (2, 1326) both ranges, by seat, after the actions of ``public`` before the flop."""
        before = public.preflop
        return remembered(self._ranges, before, _KEPT, lambda: self._early(before))

    def _early(self, before: Public) -> Float64s:
        translation = self._on(())
        return translation.ranges(self._lines(translation, before), before.button)

    def _plan(self, public: Public) -> Plan:
        stacks = public.stacks or self.game.stacks[:2]
        real = tree_after(
            self.game.betting, stacks, public.button, public.history, self._menus, until=public.round
        ).root
        translation = self._on(public.board)
        lines = self._lines(translation, public)
        return Plan(tuple(real.actions), translation.played(lines, real, public.button))

    def _lines(self, translation: Translation, public: Public) -> list[Line]:
        return translation.lines(self.game.betting, public, min(public.stacks or self.game.stacks[:2]))

    def _on(self, board: tuple[int, ...]) -> Translation:
        """Return the player where ``board`` lies."""
        hands = left_by(board).astype(np.float64)
        return Translation(self._tree.root, lambda node: self._strategy(node, board), hands, self._deepest, _likely)

    def _strategy(self, node: Node, board: tuple[int, ...]) -> Float64s:
        """Return (A, 1326) what each hand does at a decision of its own game on the cards of its street; any row where they block it."""
        there, asked = board[: BOARD_SIZES[node.street]], np.array([node.number], np.int64)
        return remembered(
            self._strategies, (node.number, there), _KEPT, lambda: self._player.range_policy(asked, there)
        )


class TranslatedPlayer(PlanningPlayer):
    """Plays as :class:`Translated` says."""

    def __init__(self, translated: Translated) -> None:
        self.translated = translated

    def for_game(self, game: Game) -> Agent:
        need_game(self.translated.game, game, "translated was made for")
        return self

    def plan(self, view: Any) -> Plan:
        return self.translated.plan(public_of(view, self.translated.game))


def ladder_menus(game: BoardGame) -> tuple[Menu, ...]:
    """Return the rungs of a game's ladder for each round; none where it has none."""
    return (Menu((tuple(game.ladder),)),) * game.betting.num_rounds if game.ladder else ()


def translated(spec: str, game: Game, who: str) -> Translated:
    """Return the run that ``spec`` names, trained on a ladder of bets, as it plays ``game``; ``who`` begins the messages.

    Raises:
        UsageError: it is no run, or was trained on a game that differs in more than a ladder of bets.
    """
    played, named = need_holdem(game, who), parse(spec)
    if not named.is_run:
        raise UsageError(
            f"{who} of full no-limit hold'em is a run that was trained on a ladder of bets, such as "
            f"--game acpc_nolimit_2p:bets=0.5+1+allin. Got {spec}."
        )
    from cardai.training.runs import Run

    trained_on = Run.open(Path(named.name)).game()
    own = board_game(trained_on)
    if own is None or not own.ladder or _rules(own) != _rules(played):
        raise UsageError(
            f"{who} must be of the same game but for a ladder of bets: the same blinds, antes, stacks and limits. {spec} was trained on "
            f"{brief(trained_on)}. Got {brief(game)}."
        )
    return Translated(played, make.agent(spec), own)


def _rules(game: BoardGame) -> tuple[Betting, tuple[int, ...]]:
    """Return what a game and the one of its ladder have in common: how deep a cash game's stacks may become does not count."""
    return evolve(game.betting, deepest=0), tuple(game.stacks)
