"""Many hands walked together, a node each: over a game's tree where it is small, else over its plain States."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s, Uint64s
from cardai.core.encoder import Layout
from cardai.core.errors import UsageError
from cardai.core.fields import pack_views
from cardai.core.game import CHANCE, TERMINAL, Game
from cardai.core.rng import Rows, hash_rows
from cardai.solve.tree import GameTree

MOST = 20_000
"""Nodes of a hand that external sampling may come to, on the average of those walked together."""
Nodes = Any
"""An array (n,) of what a walker calls its nodes."""


class Walker(ABC):
    """What external sampling asks of a game. Chance is passed at once: nodes are decisions, or finished."""

    @abstractmethod
    def begin(self, streams: Uint64s) -> Nodes:
        """Return the first decision (n,) of hands with their ``streams`` (n,) of random numbers."""

    @abstractmethod
    def players(self, nodes: Nodes) -> Int64s:
        """Return (n,) the seat to act, or TERMINAL."""

    @abstractmethod
    def seen(self, nodes: Nodes) -> tuple[Float32s, Bools]:
        """Return what the seats to act see, codes (n, C), and their legal actions (n, A)."""

    @abstractmethod
    def play(self, nodes: Nodes, actions: Int64s, streams: Uint64s) -> Nodes:
        """Return (n,) where legal ``actions`` (n,) lead, chance passed by ``streams`` (n,)."""

    @abstractmethod
    def returns(self, nodes: Nodes, player: int) -> Float64s:
        """Return (n,) what finished hands bring a seat."""


class TreeWalker(Walker):
    """Over a tree, whose nodes are numbers; ``codes`` and ``legal`` are those of its information sets."""

    def __init__(self, tree: GameTree, codes: Float32s) -> None:
        self.tree, self.codes, self.legal = tree, codes, tree.infosets.legal
        self.child = np.full((len(tree.player), self.legal.shape[1]), -1, np.int64)
        inner = np.flatnonzero(tree.player[tree.parent[1:]] >= 0) + 1
        self.child[tree.parent[inner], tree.action[inner]] = inner
        self.worth = np.zeros((len(tree.player), tree.num_players))
        self.worth[tree.terminals] = tree.terminal_returns
        self.below = np.zeros(len(tree.player))  # of chance's outcomes: the probability of those up to it
        for node in np.flatnonzero(tree.player == CHANCE):
            outcomes = slice(tree.first_child[node], tree.first_child[node] + tree.num_children[node])
            self.below[outcomes] = np.cumsum(tree.probability[outcomes])

    def begin(self, streams: Uint64s) -> Nodes:
        return self._past_chance(np.zeros(len(streams), np.int64), streams)

    def players(self, nodes: Nodes) -> Int64s:
        return self.tree.player[nodes].astype(np.int64)

    def seen(self, nodes: Nodes) -> tuple[Float32s, Bools]:
        sets = self.tree.infoset[nodes]
        return self.codes[sets], self.legal[sets]

    def play(self, nodes: Nodes, actions: Int64s, streams: Uint64s) -> Nodes:
        return self._past_chance(self.child[nodes, actions], streams)

    def returns(self, nodes: Nodes, player: int) -> Float64s:
        out: Float64s = self.worth[nodes, player]
        return out

    def _past_chance(self, nodes: Int64s, streams: Uint64s) -> Int64s:
        tree, drawn = self.tree, 0
        while len(at := np.flatnonzero(tree.player[nodes] == CHANCE)):
            drawn += 1
            first, last = tree.first_child[nodes[at]], tree.num_children[nodes[at]] - 1
            number, place = Rows(hash_rows(streams[at], drawn)).random(), np.zeros(len(at), np.int64)
            for _ in range(int(last.max())):
                place += (place < last) & (self.below[first + place] <= number)
            nodes[at] = first + place
        return nodes


class StateWalker(Walker):
    """Over plain States, which every game has."""

    def __init__(self, game: Game, layout: Layout) -> None:
        self.game, self.layout, self.width = game, layout, int(np.prod(layout.shape))

    def begin(self, streams: Uint64s) -> Nodes:
        return self._past_chance([self.game.new_initial_state() for _ in streams], streams)

    def players(self, nodes: Nodes) -> Int64s:
        return np.array([state.current_player() for state in nodes], np.int64)

    def seen(self, nodes: Nodes) -> tuple[Float32s, Bools]:
        views = pack_views(self.game.view_fields, [state.view(state.current_player()) for state in nodes])
        legal = np.zeros((len(nodes), self.game.num_distinct_actions), np.bool_)
        for row, state in enumerate(nodes):
            legal[row, state.legal_actions()] = True
        return self.layout.encode(views).reshape(len(nodes), self.width), legal

    def play(self, nodes: Nodes, actions: Int64s, streams: Uint64s) -> Nodes:
        played = [state.clone() for state in nodes]
        for state, action in zip(played, actions, strict=True):
            state.apply_action(int(action))
        return self._past_chance(played, streams)

    def returns(self, nodes: Nodes, player: int) -> Float64s:
        return np.array([state.returns()[player] for state in nodes])

    def _past_chance(self, states: list[Any], streams: Uint64s) -> Nodes:
        for state, stream in zip(states, streams, strict=True):
            random = Rows(np.array([stream], np.uint64)).generator(0)
            while state.current_player() == CHANCE:
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, odds)[0])
        out = np.empty(len(states), object)
        out[:] = states
        return out


def traverse(walker: Walker, ask: Any, player: int, streams: Uint64s) -> tuple[Float32s, Bools, Float64s]:
    """Walk a hand of each stream (n,) by external sampling: all actions of ``player``, one of the other and of chance.

    ``ask(seat, codes, legal)`` is the policy (m, A) of a seat. Returns what the player saw at its decisions, codes (d, C)
    and legal actions (d, A), and the sampled advantages (d, A) of its actions, 0 where they are not legal (Brown, Lerer,
    Gross and Sandholm, "Deep counterfactual regret minimization", 2019, algorithm 2).

    Raises:
        UsageError: a hand has too many nodes, since all of a player's actions are tried at all its decisions.
    """
    nodes, levels, left = walker.begin(streams), [], MOST * len(streams)
    while len(nodes):
        left -= len(nodes)
        if left < 0:
            raise UsageError(
                f"Single deep CFR tries all actions at all decisions of a hand, and a hand of this game then has more than "
                f"{MOST:,} nodes. Take mmd or ppo, which try one."
            )
        level = _Level(walker, ask, player, nodes, streams)
        levels.append(level)
        nodes, streams = level.below, level.streams
    values = np.zeros(0)
    for level in reversed(levels):
        values = level.values(values)
    own = [level for level in levels if len(level.codes)] or levels[:1]
    return tuple(np.concatenate([getattr(level, name) for level in own]) for name in ("codes", "legal", "advantages"))  # type: ignore[return-value]


class _Level:
    """The nodes (n,) of all hands at one depth, and what is below them."""

    def __init__(self, walker: Walker, ask: Any, player: int, nodes: Nodes, streams: Uint64s) -> None:
        seat = walker.players(nodes)
        self.count = len(nodes)
        self.over, self.mine, theirs = (
            np.flatnonzero(at) for at in (seat == TERMINAL, seat == player, (seat >= 0) & (seat != player))
        )
        self.worth = walker.returns(nodes[self.over], player)
        self.codes, self.legal = walker.seen(nodes[self.mine])
        self.policy = ask(player, self.codes, self.legal)
        self.row, self.action = np.nonzero(self.legal)
        codes, legal = walker.seen(nodes[theirs])
        drawn = Rows(streams[theirs]).choice(ask(1 - player, codes, legal))
        self.theirs = theirs
        above = np.concatenate([self.mine[self.row], theirs])
        actions = np.concatenate([self.action, drawn])
        self.streams = hash_rows(streams[above], actions + 1000)
        self.below = walker.play(nodes[above], actions, self.streams) if len(above) else nodes[:0]
        self.advantages = np.zeros(self.legal.shape)

    def values(self, below: Float64s) -> Float64s:
        """Return (n,) what the nodes are worth, of what those below are; notes the advantages."""
        worth = np.zeros(self.count)
        worth[self.over] = self.worth
        worth[self.theirs] = below[len(self.row) :]
        self.advantages[self.row, self.action] = below[: len(self.row)]
        worth[self.mine] = (self.policy * self.advantages).sum(axis=1)
        self.advantages[self.row, self.action] -= worth[self.mine][self.row]
        return worth
