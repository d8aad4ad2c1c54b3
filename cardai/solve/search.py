"""Monte Carlo tree search in hidden worlds: hands that agree with what a player sees, drawn by the game and played on.

Two ways to put the worlds together:

* perfect information Monte Carlo (Levy 1989; Long, Sturtevant, Buro and Furtak, "Understanding the success of perfect
  information Monte Carlo sampling in game tree search", 2010): each world is a game with open cards and a tree of its own;
  what an action is worth is the mean over worlds. The player believes that it will know later which world it is in, and
  that it may then act otherwise in each: strategy fusion. It never hides or asks for information.
* information set Monte Carlo tree search (Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search", 2012):
  one tree, whose nodes are what the seat to act sees, so that it acts alike in worlds that look alike to it. (Nodes of
  every seat's own views: their "multiple observer" form.)

In both, seats choose by UCB1 (Auer, Cesa-Bianchi and Fischer 2002), each for its own return (max^n, Luckhardt and Irani
1986), and from the first new node on an agent plays the hand out. Worlds go on in lock step; what is under way counts as
tried but brings nothing yet (Liu, Chen, Yu and others, "Watch the unobserved", 2020).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from hashlib import blake2b
from math import sqrt
from typing import Any

import numpy as np
from attrs import frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Amounts, Game, Legal, Tables
from cardai.core.legal import legal_columns, legal_list, take
from cardai.core.rng import Rows, below_int, derive, derive_many, hash_rows
from cardai.core.states import StateTables
from cardai.solve.search_tree import Found, Node, best_of, column_of, legal_bytes, offered

SOON = 4
"""A tree learns nothing from hands under way: so many go on at once at first, later as many as a fourth of those that have
ended. (64 simulations in two rounds are hardly better than none.) A world of its own begins with every action once."""
_MOST = 1024
"""Hands in lock step, at most, where each world has a tree."""
CALLER = "always_call"
"""Who plays hands out where any amount can be bet, unless another is named: at random all hands would end with all chips in."""
_RAISES = 1000
"""The stream of random numbers from which an amount is drawn, apart from that of the decision to raise."""
_KEPT = 4096
"""Searches that are remembered: a person is shown probabilities and values of the same one."""


@frozen
class Budget:
    """How much is searched a decision: ``simulations`` hands played out, or for ``seconds`` where that is above 0.

    ``worlds`` is how many go on in lock step, ``exploration`` the weight of what was tried little, in standard deviations
    of the returns. Where a person waits, no hands are begun after ``patience`` seconds (0: however long it takes).
    """

    simulations: int
    seconds: float
    worlds: int
    exploration: float
    patience: float = 0.0


class Search(Agent):
    """A player that searches anew at each decision, ready for one game; its chance follows from ``seed`` and the view.

    ``together``: one tree over all worlds (information sets), else one in each (perfect information); ``by_visits``: actions
    are drawn as often as the search tried them, else the best is played.

    Raises:
        UsageError: the game draws no hands to agree with a view, or ``rollout`` cannot play hands out.
    """

    def __init__(
        self, game: Game, budget: Budget, rollout: str, together: bool, by_visits: bool = False, seed: int = 0
    ) -> None:
        self.game, self.budget, self.seed = game, budget, seed
        self.together, self.by_visits = together, by_visits
        rollout = rollout or (CALLER if game.amounts else "random")
        self.rollout = make.agent(rollout).for_game(game)
        if self.rollout.stateful or self.rollout.interactive:
            raise UsageError(f"{rollout} cannot play hands out: it remembers, or is a person.")
        game.expect_determinize()
        self._try_worlds()
        self._known: dict[bytes, Found] = {}
        self.hurried = False

    def hurry(self) -> None:
        self.hurried = True

    def _try_worlds(self) -> None:
        """Raise UsageError where the game cannot draw hands that agree with a view."""
        tables = self.game.tables(1)
        tables.reset(np.zeros(1, np.uint64))
        player = int(tables.current_players()[0])
        if player >= 0:
            view = tables.views(player, np.zeros(1, np.int64))[0]
            self.game.determinize(unpack_view(self.game.view_fields, view), 0, 1)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        columns = legal_columns(legal)
        out = np.zeros(columns.shape)
        for i in range(len(views)):
            if columns[i].sum() == 1:
                out[i] = columns[i]
                continue
            found = self.found(views, legal, i)
            np.add.at(out[i], column_of(found.actions, legal), found.chances(self.together, self.by_visits))
        return out

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s]:
        chances = [self._raises(views, legal, i) for i in range(len(views))]
        amounts = np.array(sorted({amount for row in chances for amount in row}), np.int64)
        odds = [row.get(amount, 0.0) for row in chances for amount in amounts.tolist()]
        return amounts, np.array(odds).reshape(len(chances), len(amounts))

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Int64s:
        amounts, odds = self.raise_odds(views, legal)
        if not len(views):
            return amounts
        return amounts[rng.fork(_RAISES).choice(odds)]

    def _raises(self, views: Views, legal: Amounts, row: int) -> dict[int, float]:
        """Return the chance of each amount that a raise would be to; of who never raises, the best alone."""
        if not legal.kinds[row, 2] or legal.kinds[row].sum() == 1:
            return {int(legal.min_amount[row]): 1.0}
        found = self.found(views, legal, row)
        chances = np.where(found.actions >= 2, found.chances(self.together, self.by_visits), 0.0)
        if not chances.any():
            chances[best_of(found, found.actions >= 2)] = 1.0
        chances /= chances.sum()
        return {a: p for a, p in zip(found.actions.tolist(), chances.tolist(), strict=True) if a >= 2}

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self._told(views, legal, np.nan, lambda found, place: float(found.values[place]))

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        """Return what sampling alone leaves open; what the search believes wrongly is not in it."""

        def noise(found: Found, place: int) -> float:
            best = int(np.nanargmax(found.values))
            rare = 1 / max(found.visits[place], 1) + 1 / max(found.visits[best], 1)
            return float(1.96 * found.deviation * sqrt(rare))

        return self._told(views, legal, 0.0, noise)

    def _told(self, views: Views, legal: Legal, otherwise: float, what: Callable[[Found, int], float]) -> Float64s:
        """Return ``what`` is to be told of each column of a policy (n, k), of raises that of the best, else ``otherwise``."""
        columns = legal_columns(legal)
        out = np.full(columns.shape, otherwise)
        for i in range(len(views)):
            if columns[i].sum() > 1:
                found = self.found(views, legal, i)
                column = column_of(found.actions, legal)
                for k in np.unique(column):
                    out[i, k] = what(found, best_of(found, column == k))
        return out

    def found(self, views: Views, legal: Legal, row: int = 0) -> Found:
        """Return what the search at a row of ``views`` says of what is ``legal`` there."""
        told = views[row : row + 1].tobytes()
        key = told + legal_bytes(legal, row)
        known = self._known.get(key)
        if known is None:
            seed = derive(self.seed, int.from_bytes(blake2b(told, digest_size=8).digest()))
            actions = offered(self.game, legal, row, views[row])
            known = _Run(self, unpack_view(self.game.view_fields, views[row]), len(actions), seed).run()
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = known
        return known

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}}


class _Run:
    """One search."""

    def __init__(self, search: Search, view: dict[str, Any], actions: int, seed: int) -> None:
        self.search, self.game, self.view, self.seed = search, search.game, view, seed
        self.actions = actions
        self.tree: dict[Hashable, Node] = {}
        self.roots: list[Node] = []
        self.count, self.sum, self.squares = 0, 0.0, 0.0  # the returns of who searches
        self.deviation = (
            0.0  # the largest so far: what is always played deviates little, and others are to be tried still
        )
        self.mover, self.worlds = -1, 1

    def run(self) -> Found:
        budget, together = self.search.budget, self.search.together
        worlds = budget.worlds
        if not together and not budget.seconds:  # every world tries every action a few times
            worlds = max(1, min(worlds, budget.simulations // (4 * self.actions)))
        start, done, rounds = time.monotonic(), 0, 0
        if self._limit() and not together:
            worlds = self._in_time(worlds)
        drawn: Tables | None = None
        while self._goes_on(done, start):
            if together:
                size = min(worlds, max(SOON, done // SOON)) if done or not self._limit() else 1
            else:
                each = done // worlds // SOON if done else self.actions
                size = worlds * max(1, min(each, _MOST // worlds))
            size = size if budget.seconds else min(size, budget.simulations - done)
            if drawn is None or together:
                drawn = self._drawn(rounds, min(size, worlds))
                if drawn is None:
                    break
                self.mover = int(drawn.current_players()[0])
            tables, self.worlds = drawn, min(size, worlds)
            if not together:
                tables = self.game.tables(size)
                tables.copy_rows(drawn, np.arange(size) % worlds)
            self._round(tables, derive_many(self.seed, "play", rounds, count=size))
            done += size
            rounds += 1
        return self._found()

    def _limit(self) -> float:
        """Return after how many seconds no hands are begun; 0: it goes by their number alone."""
        budget = self.search.budget
        return budget.seconds or (budget.patience if self.search.hurried else 0.0)

    def _goes_on(self, done: int, start: float) -> bool:
        budget, seconds = self.search.budget, self._limit()
        if done and seconds and time.monotonic() - start >= seconds:
            return False
        return bool(budget.seconds) or done < budget.simulations

    def _drawn(self, number: int, count: int) -> Tables | None:
        """Return hands that agree with the view; None where no more are found: what was played out has to do.

        Raises:
            AgentError: none was found at all.
        """
        try:
            return self.game.determinize(self.view, derive(self.seed, "worlds", number), count)
        except UsageError as error:
            if self.count:
                return None
            raise AgentError(f"A search cannot go on here. {error} Take another player.") from error

    def _in_time(self, worlds: int) -> int:
        """Return how many of so many worlds are drawn in half the time there is: in some games one takes seconds."""
        start = time.monotonic()
        self._drawn(0, 1)
        return max(1, min(worlds, int(self._limit() / 2 / max(time.monotonic() - start, 1e-9))))

    def _round(self, tables: Tables, streams: Any) -> None:
        """Play one hand on in every world: by the tree as far as it goes, then by the rollout's agent."""
        count = len(streams)
        paths: list[list[tuple[Node, int, int]]] = [[] for _ in range(count)]
        inside, step = np.ones(count, bool), 0
        while True:
            current = tables.current_players().astype(np.int64)
            rows = np.flatnonzero(current >= 0)
            if not len(rows):
                break
            known = inside[rows]
            if known.any():
                here = rows[known]
                tables.apply(here, self._inside(tables, current[here], here, inside, paths, streams[here], step))
            if not known.all():
                out = rows[~known]
                self._outside(tables, current[out], out, streams[out], step)
            step += 1
        self._note(tables.returns(np.arange(count)), paths)

    def _outside(self, tables: Tables, acting: Int64s, rows: Int64s, streams: Any, step: int) -> None:
        """Have the rollout's agent act at ``rows``; States go on at random to their ends at once, and are shown to nobody."""
        rollout, seats = self.search.rollout, self.game.num_players
        if rollout.uniform and isinstance(tables, StateTables):
            tables.play_out(rows, streams, step)
            return
        legal, views = tables.asked(acting, rows)
        luck = Rows(hash_rows(streams, step * seats + acting))
        tables.apply(rows, rollout.act(views, legal, luck))

    def _inside(
        self, tables: Tables, acting: Int64s, rows: Int64s, inside: Bools, paths: list[Any], streams: Any, step: int
    ) -> Int64s:
        """Return an action for each of ``rows``, at which ``acting`` are to act. Where a node is new the tree ends: there the
        rollout's agent acts, for opponents whose cards were never drawn before would all take the first action, and fold."""
        rollout = self.search.rollout
        by_luck = rollout.uniform and not self.game.amounts
        seen = self.search.together or not by_luck
        views: Views | None
        legal, views = tables.asked(acting, rows) if seen else (tables.legal(rows), None)
        spread = self.search.budget.exploration * (self.deviation or 1.0)
        luck = hash_rows(streams, step * self.game.num_players + acting)
        nodes, new = [], np.zeros(len(rows), bool)
        for k, (row, seat) in enumerate(zip(rows.tolist(), acting.tolist(), strict=True)):
            node, new[k] = self._node(paths[row], row, seat, k, legal, views)
            nodes.append(node)
        wanted = np.zeros(len(rows), np.int64)
        if views is not None and new.any() and not by_luck:
            wanted[new] = rollout.act(views[new], take(legal, new), Rows(luck[new]))
        chosen = np.empty(len(rows), np.int64)
        for k, (row, seat, node) in enumerate(zip(rows.tolist(), acting.tolist(), nodes, strict=True)):
            if not new[k]:
                place = node.choose(spread, int(luck[k]))
            elif by_luck:
                place = node.begin(below_int(int(luck[k]), 0, len(node.actions)))
            else:
                place = node.begin(node.nearest(int(wanted[k])))
            inside[row] = not new[k]
            paths[row].append((node, place, seat))
            chosen[k] = node.actions[place]
        return chosen

    def _node(self, path: list[Any], row: int, seat: int, k: int, legal: Legal, views: Any) -> tuple[Node, bool]:
        """Return the node at which a row is, the ``k``-th of those that were asked for, and whether it is a new leaf."""
        key: Hashable
        if self.search.together:
            key = (seat, views[k].tobytes(), legal_bytes(legal, k))  # some views leave open what is legal
        else:
            key = (row % self.worlds, tuple(node.actions[place] for node, place, _ in path))
        node = self.tree.get(key)
        if node is not None:
            return node, False
        actions = legal_list(legal, k) if views is None else offered(self.game, legal, k, views[k])
        none = [0] * len(actions)
        node = self.tree[key] = Node(actions, none, none.copy(), [0.0] * len(actions))
        if not path:
            self.roots.append(node)
        return node, bool(path)  # the root is no leaf

    def _note(self, returns: Float64s, paths: list[list[tuple[Node, int, int]]]) -> None:
        for result, path in zip(returns.tolist(), paths, strict=True):
            for node, place, seat in path:
                node.finished[place] += 1
                node.total[place] += result[seat]
            self.count += 1
            self.sum += result[self.mover]
            self.squares += result[self.mover] ** 2
        mean = self.sum / self.count
        self.deviation = max(self.deviation, sqrt(max(self.squares / self.count - mean * mean, 0.0)))

    def _found(self) -> Found:
        """Return visits, and the mean over the roots of what each action brought there."""
        visits = np.array([root.finished for root in self.roots], np.float64).sum(axis=0)
        means = np.zeros(len(visits))
        worlds = np.zeros(len(visits))
        for root in self.roots:
            for place, finished in enumerate(root.finished):
                if finished:
                    means[place] += root.total[place] / finished
                    worlds[place] += 1
        with np.errstate(invalid="ignore"):
            return Found(np.array(self.roots[0].actions, np.int64), visits, means / worlds, self.deviation)
