"""Players that re-solve: a view in, the strategy of its hand out.

The public state of a view is solved once, for all hands that its player could hold; views that differ in hole cards alone
share it. What was solved for the hand's earlier decisions is kept, and worked out anew where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.legal import Amounts, Legal
from cardai.core.rng import Rows
from cardai.poker.contract import BoardGame
from cardai.poker.hands.combos import pair_index
from cardai.poker.ranges.public_tree import Action
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import Decision, Resolver


@frozen(eq=False)
class Plan:
    """What a player does at a public state: A actions, and how often each of K hands takes each (A, K)."""

    actions: Sequence[Action]
    strategy: Float64s


class PlanningPlayer(Agent):
    """Plays by plans for all hands that could be held, each made once a public state."""

    def plan(self, view: Any) -> Plan:
        """Return what is done at one view, by all hands."""
        raise NotImplementedError

    def policy(self, views: Views, legal: Legal) -> Float64s:
        shape = legal.kinds.shape if isinstance(legal, Amounts) else legal.shape
        out = np.zeros(shape)
        for rows in same_public(views):
            plan = self.plan(views[rows[0]])
            played = self._of_hands(plan, hand_numbers(views[rows]))
            mask = np.asarray(legal.kinds[rows[0]] if isinstance(legal, Amounts) else legal[rows[0]])
            found = columns(plan.actions, mask, isinstance(legal, Amounts))
            for column, probabilities in zip(found, played, strict=True):
                out[rows, column] += probabilities
        return out

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        out, drawn = np.array(legal.min_amount, np.int64), rng.random()
        for rows in same_public(views):
            amounts, odds = self.raise_odds(views[rows], legal.take(rows))
            reached = np.cumsum(odds, axis=1)
            out[rows] = amounts[np.minimum((reached < drawn[rows, None]).sum(axis=1), len(amounts) - 1)]
        return out

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s]:
        plan, low, high = self.plan(views[0]), int(legal.min_amount[0]), int(legal.max_amount[0])
        bets = [k for k, action in enumerate(plan.actions) if action.kind == 2]
        if not bets:
            return np.array([low]), np.ones((len(views), 1))
        shares = self._of_hands(plan, hand_numbers(views))[bets] + 1e-12
        asked = np.clip([plan.actions[k].amount for k in bets], low, high)
        amounts, place = np.unique(asked, return_inverse=True)
        odds = np.zeros((len(views), len(amounts)))
        np.add.at(odds.T, place, shares)
        return amounts, odds / odds.sum(axis=1, keepdims=True)

    def _of_hands(self, plan: Plan, hands: Int64s) -> Float64s:
        found = plan.strategy[:, hands]
        total = found.sum(axis=0)
        return np.where(total > 0, found / np.where(total > 0, total, 1), 1 / len(found))


class ResolvingPlayer(PlanningPlayer):
    """Plays what a :class:`~cardai.poker.resolving.resolver.Resolver` finds; what it does before that, ``early`` says.

    With ``noise`` it takes an action at random that often.
    """

    def __init__(
        self, game: Game, resolver: Resolver, early: Callable[[Public], Plan] | None = None, noise: float = 0.0
    ) -> None:
        self.game, self.resolver, self.early, self.noise = game, resolver, early, noise

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "resolving was made for")
        return self

    def rest(self) -> None:
        self.resolver.forget()

    def decision(self, view: Any) -> Decision:
        """Return the solved decision at one view."""
        return self.resolver.decision(public_of(view, self.resolver.game), int(view["player"]))

    def promised(self, view: Any, seat: int) -> Float64s | None:
        """Return (K,) what each hand of the opponent of ``seat`` was promised when what lies in ``view`` was solved, in chips against a
        range that sums to 1; None if nothing was."""
        return self.resolver.decision(public_of(view, self.resolver.game), seat).promised

    def plan(self, view: Any) -> Plan:
        if self.early is not None and int(view["round"]) < self.resolver.game.first:
            plan = self.early(public_of(view, self.resolver.game))
        else:
            decision = self.decision(view)
            plan = Plan(decision.root.actions, decision.strategy)
        if not self.noise:
            return plan
        held = plan.strategy.sum(axis=0, keepdims=True) > 0
        return Plan(plan.actions, (1 - self.noise) * plan.strategy + self.noise * held / len(plan.actions))


def public_of(view: Any, game: RangeGame | BoardGame) -> Public:
    """Return the public state of one view of ``game``."""
    names = ("history", "history_round", "history_seat")
    columns = [np.asarray(view[name]).tolist() for name in names]
    actions = tuple(one for one in zip(*columns, strict=True) if one[0] >= 0)
    board = tuple(card for card in np.asarray(view["board"]).tolist() if card >= 0)
    said = stacks = game.stacks[0], game.stacks[1]
    if game.betting.no_limit:
        first, second = (np.asarray(view["stacks"], np.int64) + view["spent"]).tolist()
        stacks = first, second
    return Public(int(view["button"]), actions, int(view["round"]), board, None if stacks == said else stacks)


def same_public(views: Views) -> list[Int64s]:
    """Return the rows of the views of each public state and player."""
    if not len(views):
        return []
    found: dict[bytes, list[int]] = {}
    names = ("player", "button", "history", "history_round", "board", "stacks", "spent")
    parts = [np.ascontiguousarray(views[name]).view(np.uint8).reshape(len(views), -1) for name in names]
    for row, key in enumerate(np.concatenate(parts, axis=1)):
        found.setdefault(key.tobytes(), []).append(row)
    return [np.array(rows) for rows in found.values()]


def columns(actions: Sequence[Action], legal: Any, amounts: bool) -> list[int]:
    """Return the column of a policy of each action of a node; bets take the legal ones in order."""
    if amounts:
        return [action.kind for action in actions]
    bets = iter(np.flatnonzero(legal)[np.flatnonzero(legal) >= 2].tolist())
    return [action.kind if action.kind < 2 else next(bets) for action in actions]


def hand_numbers(views: Views) -> Int64s:
    """Return (n,) the numbers of the hands that views hold, one card or two."""
    hole = views["hole"].astype(np.int64).reshape(len(views), -1)
    return hole[:, 0] if hole.shape[1] == 1 else np.asarray(pair_index(hole[:, 0], hole[:, 1]), np.int64)
