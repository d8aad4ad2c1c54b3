"""The public tree before the flop: who decides, what can be done, and how it ends."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import CLASSES
from cardai.poker.preflop.rules import HUNDRED, Rules
from cardai.poker.ranges.menus import ALL_IN

DECISION, FOLDED, FLOP, ALL_IN_END = 0, 1, 2, 3
"""What a node is: a decision, all but one folded, a flop with chips behind, all-in."""
MOST_NODES = 40_000
FOLD, CALL, CHECK, RAISE = "f", "c", "x", "r"


@frozen(eq=False)
class Tree:
    """Nodes in the order of a walk down, the children of a decision behind one another in ``child``.

    ``kind``, ``actor`` (-1 at ends), ``first`` and ``count`` (its children in ``child``, and its rows of numbers) are (N,);
    ``spent`` (N, players) what each has put in, blinds and bets, and ``live`` (N, players) who has not folded.
    """

    rules: Rules
    kind: Int64s
    actor: Int64s
    first: Int64s
    count: Int64s
    child: Int64s
    """(edges,) the node that each action leads to."""
    spent: Int64s
    live: Int64s
    tokens: tuple[str, ...]
    """By edge: "f", "x", "c", "r2.5" (a raise to so many big blinds in all), "a" (all-in)."""

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.kind)

    @property
    def edges(self) -> int:
        """How many actions all decisions have together."""
        return len(self.child)

    @property
    def numbers(self) -> int:
        """How many numbers a strategy has."""
        return self.edges * CLASSES

    def actions(self, node: int) -> tuple[str, ...]:
        """Return the actions of a decision."""
        first = int(self.first[node])
        return self.tokens[first : first + int(self.count[node])]

    def after(self, node: int, action: int) -> int:
        """Return where an action of a decision leads."""
        return int(self.child[int(self.first[node]) + action])

    def sums(self, numbers: Float64s) -> Float64s:
        """Return (N, 169) the sums of ``numbers`` (edges, 169) over each decision's actions; 0 at ends."""
        out = np.zeros((self.nodes, CLASSES))
        np.add.at(out, np.repeat(np.arange(self.nodes), self.count), numbers)
        return out

    def pots(self) -> Float64s:
        """Return (N,) the pot at each node in chips, antes in it, nothing taken by the room."""
        return np.asarray(self.spent.sum(axis=1) + self.rules.players * HUNDRED * self.rules.ante, np.float64)


def strategy_of(tree: Tree, average: Float64s) -> Float64s:
    """Return (edges, 169) how often each class takes each action, of an average that was gathered; uniform where it is empty."""
    total = np.repeat(tree.sums(average), tree.count, axis=0)
    even = 1.0 / np.repeat(tree.count, tree.count)[:, None]
    return np.where(total > 0, average / np.where(total > 0, total, 1.0), even)


@define
class _State:
    """Betting under way."""

    spent: list[int]
    live: list[bool]
    acted: list[bool]
    """Who has answered the last raise."""
    joined: list[bool]
    """Who has called or raised."""
    bet: int
    raises: int
    called: int
    """How many have called the last bet, blinds not counted."""
    least: int = HUNDRED
    """What a raise adds at least."""

    def copy(self) -> _State:
        return evolve(self, spent=[*self.spent], live=[*self.live], acted=[*self.acted], joined=[*self.joined])


@define
class _Builder:
    """Makes a tree."""

    rules: Rules
    kind: list[int] = field(factory=list)
    actor: list[int] = field(factory=list)
    below: list[list[tuple[str, int]]] = field(factory=list)
    spent: list[tuple[int, ...]] = field(factory=list)
    live: list[tuple[bool, ...]] = field(factory=list)

    def add(self, state: _State, turn: int) -> int:
        """Add a state and all that follows; ``turn`` is the place in the order from which somebody is looked for."""
        place = self._next(state, turn)
        number = len(self.kind)
        if number >= MOST_NODES:
            raise UsageError(
                f"These rules have more than {MOST_NODES:,} places before the flop. Give fewer raises, callers or players."
            )
        alive = sum(state.live)
        end = FOLDED if alive == 1 else ALL_IN_END if state.bet >= self.rules.behind else FLOP
        self.kind.append(DECISION if place >= 0 else end)
        self.actor.append(self.rules.order[place] if place >= 0 else -1)
        self.below.append([])
        self.spent.append(tuple(state.spent))
        self.live.append(tuple(state.live))
        if place >= 0:
            for token, after in self._actions(state, self.rules.order[place]):
                self.below[number].append((token, self.add(after, place + 1)))
        return number

    def _next(self, state: _State, turn: int) -> int:
        """Return the place of who decides next, -1 nobody; who may only fold is folded on the way."""
        count = len(self.rules.order)
        for step in range(count):
            place = (turn + step) % count
            seat = self.rules.order[place]
            if sum(state.live) == 1:
                return -1
            if not state.live[seat] or (state.acted[seat] and state.spent[seat] == state.bet):
                continue
            if state.raises >= 3 and not state.joined[seat]:
                state.live[seat] = False
                continue
            return place
        return -1

    def _actions(self, state: _State, seat: int) -> list[tuple[str, _State]]:
        """Return what a seat can do, by its token, with what it leads to."""
        found = []
        owed = state.bet - state.spent[seat]
        if owed > 0:
            after = state.copy()
            after.live[seat] = False
            found.append((FOLD, after))
        if owed == 0 or self._may_call(state, seat):
            after = state.copy()
            after.acted[seat] = True
            after.joined[seat] = after.joined[seat] or owed > 0
            after.called += owed > 0
            after.spent[seat] = state.bet
            found.append((CALL if owed else CHECK, after))
        return [*found, *((token, self._raised(state, seat, to)) for token, to in self._raises(state, seat))]

    def _may_call(self, state: _State, seat: int) -> bool:
        if state.raises == 0:
            return self.rules.limp and self.rules.posted[seat] > 0
        if state.joined[seat]:
            return True
        big = self.rules.posted[seat] == HUNDRED
        return state.raises == 1 and (big or state.called < self.rules.callers)

    def _raises(self, state: _State, seat: int) -> list[tuple[str, int]]:
        """Return the raises of a seat: token and chips in all."""
        most = self.rules.behind
        if state.bet >= most:
            return []
        menu = self.rules.menu(seat)
        rungs = menu(state.raises) if state.raises < len(menu.levels) else (ALL_IN,)
        found = set()
        for rung in rungs:
            to = most if rung == ALL_IN else round(rung * state.bet + state.called * state.bet)
            to = max(to, state.bet + state.least)
            found.add(most if to > self.rules.commit * most else to)
        return [("a" if to == most else f"r{to / HUNDRED:g}", to) for to in sorted(found)]

    def _raised(self, state: _State, seat: int, to: int) -> _State:
        after = state.copy()
        after.least = max(state.least, to - state.bet)
        after.spent[seat], after.bet = to, to
        after.acted = [k == seat for k in range(self.rules.players)]
        after.joined[seat] = True
        after.raises += 1
        after.called = 0
        return after


@cache
def tree_of(rules: Rules) -> Tree:
    """Return the tree of ``rules``. Raises UsageError: it is too large."""
    count = rules.players
    posted = [min(blind, rules.behind) for blind in rules.posted]
    state = _State(posted, [True] * count, [False] * count, [False] * count, HUNDRED, 0, 0)
    made = _Builder(rules)
    made.add(state, 0)
    counts = np.array([len(one) for one in made.below], np.int64)
    edges = [edge for one in made.below for edge in one]
    return Tree(
        rules,
        _ints(made.kind),
        _ints(made.actor),
        np.cumsum(counts) - counts,
        counts,
        _ints([node for _, node in edges]),
        _ints(made.spent),
        _ints(made.live),
        tuple(token for token, _ in edges),
    )


def _ints(values: Any) -> Int64s:
    return np.array(values, np.int64)
