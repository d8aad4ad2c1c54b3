"""A trained player that plays a hand until its turn or river, and what it leaves the opponent there: a blueprint and its promises.

What a hand of the opponent can win behind a round by answering the blueprint best is promised to it, so that who solves the rest
anew behind the gadget is no easier to exploit than the blueprint is (Burch, Johanson and Bowling, "Solving imperfect
information games using decomposition", 2014, theorem 1).
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import left_by
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.poker.resolving.player import Plan
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import remembered
from cardai.poker.responses.street_response import ALONE, Walker

_KEPT = 64


class Trunk:
    """What ``agent`` does before round ``first`` of ``game`` (2 the turn, 3 the river), and what it promises behind it.

    Raises:
        UsageError: the betting is no tree that can be laid out (no-limit without a ladder), or the agent has no policy.
    """

    def __init__(self, game: Game, agent: Agent, first: int) -> None:
        if game.amounts:
            raise UsageError(
                f"A blueprint plays until the turn or the river in limit betting or on a ladder of bets. {brief(game)} has "
                "raises of any amount: let it play before the flop (first=flop)."
            )
        self.first, self.tree = first, holdem_tree(game, "A blueprint")
        self.player = range_player(game, agent, self.tree)
        self._walker = Walker(self.tree, self.player, ALONE)
        self._ranges: OrderedDict[Public, Float64s] = OrderedDict()

    def plan(self, public: Public) -> Plan:
        """Return what each hand does at a decision before round ``first``."""
        node = int(self._nodes(public)[-1])
        found = self.player.range_policy(np.array([node]), public.board)
        return Plan(tuple(self.tree.node(node).actions), np.where(left_by(public.board), found, 0.0))

    def ranges(self, public: Public) -> Float64s:
        """Return (2, 1326) both ranges, by seat, at the beginning of round ``first``."""
        return remembered(self._ranges, self._begun(public), _KEPT, lambda: self._follow(self._begun(public)))

    def promised(self, public: Public, player: int) -> Float64s:
        """Return (1326,) what hands of ``player`` win from there on that answer best, times the other's :meth:`ranges`, in chips."""
        begun, turned = self._begun(public), self._turned(public)
        root, ranges = int(self._nodes(begun)[-1]), self.ranges(public)
        values = self._walker.values(self.first, begun.board, {root: ranges[::-1] if turned else ranges})
        return np.asarray(values[root][player ^ turned])

    def _begun(self, public: Public) -> Public:
        early = tuple(action for action in public.actions if action[1] < self.first)
        return Public(public.button, early, self.first, public.board[: BOARD_SIZES[self.first]], public.stacks)

    def _follow(self, begun: Public) -> Float64s:
        ranges = np.stack([left_by(begun.board)] * 2).astype(np.float64)
        for node, (action, round_, seat) in zip(self._nodes(begun)[:-1], begun.actions, strict=True):
            rows = self.player.range_policy(node[None], begun.board[: BOARD_SIZES[round_]])
            ranges[seat] *= rows[self.tree.amount[node].tolist().index(action)]
        return ranges

    def _nodes(self, public: Public) -> Int64s:
        """Return (n + 1,) the decisions at which the n actions of ``public`` were taken, and the next."""
        count = len(public.actions)
        history = np.full((count + 1, count + 1), -1, np.int64)
        for k in range(count + 1):
            history[k, :k] = public.history[:k]
        found = self.tree.find(history)
        if public.stacks is not None or (found < 0).any():
            begun = "" if public.stacks is None else f" from the stacks {public.stacks}"
            raise UsageError(
                f"The blueprint does not know a hand that came to {list(public.history)}{begun}: it knows the bets and the stacks of its "
                "own game alone. In a cash game, whose stacks go on, let it play before the flop (first=flop)."
            )
        return found

    def _turned(self, public: Public) -> int:
        """Return 1 if the hand's seats are the other way round in the tree."""
        return public.actions[0][2] ^ int(self.tree.actor[0])
