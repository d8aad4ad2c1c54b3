"""AIVAT in games that can be enumerated: all of it is an array over the tree's finished nodes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from cardai.arena.records import Record
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import CHANCE, Game
from cardai.core.spec import brief
from cardai.solve.measures import ask, policy_of
from cardai.solve.tree import GameTree, game_tree


@frozen(eq=False)
class Classes:
    """Which nodes look alike to all but one seat: those that differ only in chance outcomes that it alone saw."""

    of: Int64s
    """(N,) the class of each node; a class comes after that of its parents."""
    parent: Int64s
    """(C,) the class before, -1 at the root."""
    player: Int64s
    """(C,) who acts there: a seat, -1 chance, -4 nobody."""


def classes(tree: GameTree, seat: int) -> Classes:
    """Return the classes of ``seat`` (H in :mod:`cardai.solve.aivat`).

    Raises:
        UsageError: what the seat alone saw comes out later, so that nodes of a class differ to somebody else.
    """
    number: dict[tuple[int, int], int] = {(-1, -1): 0}
    of, parents = [0], [-1]
    action = np.where((tree.player[tree.parent] == CHANCE) & (tree.private[tree.parent] == seat), -1, tree.action)
    for above, event in zip(tree.parent[1:].tolist(), action[1:].tolist(), strict=True):
        key = (of[above], event)
        found = number.get(key)
        if found is None:
            found = number[key] = len(parents)
            parents.append(of[above])
        of.append(found)
    nodes = np.array(of, np.int64)
    known = np.where((tree.player >= 0) & (tree.player != seat), tree.infoset.astype(np.int64), -1)
    last = np.zeros((2, len(parents)), np.int64)
    last[:, nodes] = tree.player, known
    if (last[0, nodes] != tree.player).any() or (last[1, nodes] != known).any():
        raise UsageError(
            f"AIVAT needs what a seat of {brief(tree.game)} alone sees to stay hidden until the hand is over: it does not."
        )
    return Classes(nodes, np.array(parents, np.int64), last[0])


def node_values(tree: GameTree, policy: Float64s) -> Float64s:
    """Return (N, P): what each seat wins on average from each node if all play ``policy`` (I, num_distinct_actions)."""
    edge = _edges(tree, policy, tuple(range(tree.num_players)))
    values = np.zeros((len(edge), tree.num_players))
    values[tree.terminals] = tree.terminal_returns
    for node in range(len(edge) - 1, 0, -1):
        values[tree.parent[node]] += edge[node] * values[node]
    return values


def corrected_returns(tree: GameTree, seat: int, policy: Float64s, values: npt.ArrayLike) -> Float64s:
    """Return (N,) AIVAT at the finished nodes for the player in ``seat``, nan elsewhere and where it never comes.

    ``policy`` (I, num_distinct_actions) is asked at the seat's own information sets alone; ``values`` (N,) is u.

    Raises:
        UsageError: see :func:`classes`.
    """
    same = classes(tree, seat)
    count = len(same.parent)
    edge = _edges(tree, policy, (seat,))
    reach = np.ones(len(edge))
    for node, above in enumerate(tree.parent[1:].tolist(), 1):
        reach[node] = reach[above] * edge[node]
    weight = np.bincount(same.of, reach, count)
    worth = np.bincount(same.of, reach * np.asarray(values, np.float64), count)
    parent = same.parent[1:]
    before = np.bincount(parent, worth[1:], count)
    known = (same.player[parent] == CHANCE) | (same.player[parent] == seat)
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = np.where(known, before[parent] / weight[parent] - worth[1:] / weight[1:], 0.0)
        end = tree.terminals
        base = np.bincount(same.of[end], reach[end] * tree.terminal_returns[:, seat], count) / weight
    total = np.zeros(count)
    for own, above in enumerate(parent.tolist(), 1):
        total[own] = total[above] + steps[own - 1]
    out = np.full(len(reach), np.nan)
    out[end] = np.where(weight[same.of[end]] > 0, base[same.of[end]] + total[same.of[end]], np.nan)
    return out


def _edges(tree: GameTree, policy: Float64s, seats: Sequence[int]) -> Float64s:
    """Return (N,) the probability of the action that leads to each node, 1 for those of seats not in ``seats``."""
    above = tree.parent
    acting = np.isin(tree.player[above], seats) & (np.arange(len(above)) > 0)
    out = tree.probability.copy()
    out[acting] = policy[tree.infoset[above[acting]], tree.action[acting]]
    return out


@define(eq=False)
class TreeEstimator:
    """AIVAT of hands of an enumerable game (an :class:`~cardai.solve.aivat.Estimator`)."""

    game: Game
    agent: Agent
    values: Agent
    called: str
    _known: dict[int, Float64s] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.corrected(0)  # what cannot be measured is refused before any hand is read

    @cached_property
    def tree(self) -> GameTree:
        """The game's tree."""
        return game_tree(self.game)

    @cached_property
    def node_values(self) -> Float64s:
        """(N, P): the value function."""
        everywhere = np.arange(len(self.tree.infosets))
        return node_values(self.tree, ask(self.tree, self.values.for_game(self.game), everywhere))

    def corrected(self, seat: int) -> Float64s:
        """Return (N,): see :func:`corrected_returns`."""
        if seat not in self._known:
            policy = policy_of(self.tree, self.agent.for_game(self.game), seat, self.called)
            self._known[seat] = corrected_returns(self.tree, seat, policy, self.node_values[:, seat])
        return self._known[seat]

    def __call__(self, record: Record, seat: int) -> float:
        starter = self.game.next_hand((0.0,) * self.game.num_players, None, 0).starter
        if record["setup"]["starter"] != starter or any(record["setup"]["stacks"]):
            raise UsageError(
                f"AIVAT in {brief(self.game)} is for hands that begin as its first does: seat {starter} starts, "
                "with the stacks of the game. The record has others."
            )
        value = float(self.corrected(seat)[self._end(record)])
        if np.isnan(value):
            raise UsageError(
                f"{self.called} never plays as it does in the record (game {record.get('game_number')}, hand "
                f"{record.get('hand')}): AIVAT needs the player that played."
            )
        return value

    def _end(self, record: Record) -> int:
        """Return the finished node that a record leads to."""
        tree, node = self.tree, 0
        coming = {CHANCE: iter(record["deck"])}
        actions = iter(record["actions"])
        while tree.num_children[node]:
            event = next(coming.get(int(tree.player[node]), actions), -1)
            children = range(tree.first_child[node], tree.first_child[node] + tree.num_children[node])
            node = next((child for child in children if tree.action[child] == event), -1)
            if node < 0:
                raise DamagedFileError(
                    f"The record of game {record.get('game_number')}, hand {record.get('hand')} cannot be replayed as "
                    f"{brief(self.game)}."
                )
        return node


__all__ = ["Classes", "TreeEstimator", "classes", "corrected_returns", "node_values", "policy_of"]
