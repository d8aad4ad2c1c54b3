"""A trained player as it plays whole ranges before the flop: the blueprint of a player that re-solves from there.

In limit betting, and on a ladder of bets, it plays its own game. One that was trained on a ladder also plays full no-limit, its bets
translated (:mod:`cardai.poker.resolving.translation`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.game import Game, Tables
from cardai.poker.contract import BoardGame, need_holdem
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import ALL_HANDS, policies_of
from cardai.poker.ranges.public_tree import DECISION, Node, tree_after
from cardai.poker.resolving.player import Plan, columns
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import nearest, remembered
from cardai.poker.resolving.translation import Translated, ladder_menus, translated

_KEPT = 512
_ROW = np.zeros(1, np.int64)


@frozen(eq=False)
class _Line:
    """Where a hand has come to, and both ranges (2, 1326) there."""

    node: Node
    tables: Tables
    turned: int
    """1 if the hand's seats are the other way round on ``tables``."""
    ranges: Float64s


class Blueprint:
    """What ``agent`` does before the flop of ``game``: limit, or on a ladder of bets."""

    def __init__(self, game: BoardGame, agent: Agent) -> None:
        self.game, self.agent = game, agent.for_game(game)
        self._menus = ladder_menus(game)
        self._plans: OrderedDict[Public, Plan] = OrderedDict()
        self._ranges: OrderedDict[Public, Float64s] = OrderedDict()

    def plan(self, public: Public) -> Plan:
        """Return what each hand does at a decision before the flop."""
        return remembered(self._plans, public, _KEPT, lambda: self._plan(public))

    def ranges(self, public: Public) -> Float64s:
        """Return (2, 1326) both ranges, by seat, after the actions of ``public`` before the flop."""
        before = public.preflop
        return remembered(self._ranges, before, _KEPT, lambda: self._follow(before).ranges)

    def _plan(self, public: Public) -> Plan:
        line, real = self._follow(public), self._tree(public.button, public.history, public.stacks)
        if line.node.kind != DECISION:  # with the stacks of the game's first hand its betting is over: it can but go on
            return Plan(tuple(real.actions), _always(nearest(real.actions, 1, True), len(real.actions)))
        strategy = self._strategy(line)
        out, bets = np.zeros((len(real.actions), COUNT)), [k for k, one in enumerate(real.actions) if one.kind == 2]
        passed = 0
        for action, played in zip(line.node.actions, strategy, strict=True):
            if action.kind == 2 and bets:
                out[bets[min(passed, len(bets) - 1)]] += played
                passed += 1
            else:
                out[nearest(real.actions, min(action.kind, 1), True)] += played
        return Plan(tuple(real.actions), out)

    def _follow(self, public: Public) -> _Line:
        """Play the hand again."""
        tables = self.game.tables(1)
        tables.reset(np.zeros(1, np.uint64))
        turned = int(tables.views(0, _ROW)["button"][0]) ^ public.button
        line = _Line(self._tree(public.button, ()), tables, turned, np.ones((2, COUNT)))
        for action, round_, seat in public.actions:
            if round_ > 0 or line.node.kind != DECISION:
                break
            chosen = nearest(line.node.actions, action, not self.game.betting.no_limit)
            line.ranges[seat] *= self._strategy(line)[chosen]
            tables.apply(_ROW, np.array([self._columns(line)[chosen]], np.int64))
            line = _Line(line.node.children[chosen], tables, turned, line.ranges)
        return line

    def _strategy(self, line: _Line) -> Float64s:
        """Return (A, 1326) how often each hand takes each action of a decision."""
        views, legal = line.tables.views(line.node.actor ^ line.turned, _ROW), line.tables.legal(_ROW)
        return np.asarray(policies_of(self.agent, views, legal, ALL_HANDS)[0][:, self._columns(line)].T, np.float64)

    def _columns(self, line: _Line) -> list[int]:
        return columns(line.node.actions, np.asarray(line.tables.legal(_ROW))[0], amounts=False)

    def _tree(self, button: int, history: Sequence[int], stacks: tuple[int, int] | None = None) -> Node:
        game = self.game
        return tree_after(game.betting, stacks or game.stacks[:2], button, history, self._menus, until=0).root


def _always(chosen: int, count: int) -> Float64s:
    return np.repeat((np.arange(count) == chosen)[:, None].astype(np.float64), COUNT, axis=1)


def blueprint(spec: str, game: Game) -> Blueprint | Translated:
    """Return the player that ``spec`` names as the blueprint of ``game``.

    Raises:
        UsageError: it cannot play the game, or was trained on one that differs in more than a ladder of bets.
    """
    if game.amounts:
        return translated(spec, game, "A blueprint")
    return Blueprint(need_holdem(game, "A blueprint"), make.agent(spec))
