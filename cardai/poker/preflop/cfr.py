"""CFR over all 169 classes at once: no hand is drawn, and every decision is met in every iteration.

A seat's hand takes cards from each of the others', but theirs take none from one another; of n > 2 hands at a showdown one wins the
product of its equities against each of the others, to the power of log2(n) / (n - 1), which is right for n equal hands and for one
that always wins. Both simplifications are in how play is found, not in what it is said to be worth:
that is measured by dealt hands (:func:`.solving.measured`); of two players neither matters, and all is exact. Players take any action
with probability :data:`TREMBLE`, so that no spot is out of reach and best replies are found everywhere (van Damme 1984: quasi-perfect
equilibria). Iteration t weighs t in regrets and t^2 in averages (linear CFR: Brown and Sandholm 2019; a later average forgets the first
iterations sooner). Two players learn in turn, which comes near an equilibrium in a tenth of the iterations; of more each turn would
cost as much as all together.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.poker.hand_classes import CLASSES
from cardai.poker.preflop.charts import class_shares
from cardai.poker.preflop.equities import class_equities, meetings
from cardai.poker.preflop.tree import ALL_IN_END, DECISION, FOLDED, Tree, strategy_of

TREMBLE = 0.01
TREMBLE_OF_TWO = 0.001
"""What two players meet: exploitability grows with it, and so few errors are enough in a tree so small. Averages weigh by the larger."""
BLOCK = 2048
"""Ends that are valued together, in some ten arrays of (ends, players, 169)."""


@cache
def removal() -> Float64s:
    """Return (169, 169) how much likelier each class is for another where a seat holds the row's: 1 but for blockers."""
    met = meetings() / meetings().sum(axis=1, keepdims=True)
    return np.asarray(met / class_shares())


def _levels(ends: Ends) -> list[Int64s]:
    depth = np.zeros(ends.tree.nodes, np.int64)
    for above, child in zip(
        ends.above.tolist(), ends.tree.child.tolist(), strict=True
    ):  # parents stand before their children
        depth[child] = depth[above] + 1
    of_edge = depth[ends.above]
    return [np.flatnonzero(of_edge == level) for level in range(int(depth.max()))]


def _above(ends: Ends) -> Int64s:
    return np.repeat(np.arange(ends.tree.nodes), ends.tree.count)


@frozen(eq=False)
class Ends:
    """A tree, what its ends bring, and its edges by depth."""

    tree: Tree
    pot: Float64s
    """(N,) what is won."""
    spent: Float64s
    """(N, P) big blinds, antes in it."""
    slope: Float64s
    """(N,) of the rule of :mod:`.shares`, and ..."""
    last: Float64s
    above: Int64s = field(init=False)
    """(edges,) the decision of each."""
    levels: list[Int64s] = field(init=False)
    """The edges below the decisions of each depth."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "above", _above(self))
        object.__setattr__(self, "levels", _levels(self))


def iterate(ends: Ends, first: Float64s, done: int, regret: Float64s, average: Float64s) -> None:
    """Do one iteration after ``done`` in ``regret`` and ``average`` (edges, 169); the very first plays ``first``."""
    tree, t, two = ends.tree, done + 1, ends.tree.rules.players == 2
    actor = tree.actor[ends.above]
    for own in (actor == 0, actor == 1) if two else (actor >= 0,):
        strategy = strategy_of(tree, np.maximum(regret, 0.0)) if done else first
        reach = reaches(ends, _erring(tree, strategy, TREMBLE))
        met = reaches(ends, _erring(tree, strategy, TREMBLE_OF_TWO)) if two else reach
        found = values(ends, met, strategy)
        more = t * (found[tree.child, actor] - found[ends.above, actor])
        played = t**2 * reach[ends.above, actor] * strategy
        regret[own] += more[own]
        average[own] += played[own]


def _erring(tree: Tree, strategy: Float64s, often: float) -> Float64s:
    """Return ``strategy`` (edges, 169) of players who take any action so ``often``."""
    return np.asarray((1 - often) * strategy + often / np.repeat(tree.count, tree.count)[:, None])


def reaches(ends: Ends, strategy: Float64s) -> Float64s:
    """Return (N, P, 169) how often each seat's classes let play come to each node."""
    tree = ends.tree
    out = np.ones((tree.nodes, tree.rules.players, CLASSES))
    for edges in ends.levels:
        above, below = ends.above[edges], tree.child[edges]
        out[below] = out[above]
        out[below, tree.actor[above]] *= strategy[edges]
    return out


def values(ends: Ends, reach: Float64s, strategy: Float64s) -> Float64s:
    """Return (N, P, 169) what each class of each seat wins from each node on, times how often the others come there."""
    tree, out = ends.tree, np.empty_like(reach)
    final = np.flatnonzero(tree.kind != DECISION)
    for start in range(0, len(final), BLOCK):
        some = final[start : start + BLOCK]
        out[some] = _won(ends, some, reach[some] * class_shares())
    for edges in reversed(ends.levels):
        above, below = ends.above[edges], tree.child[edges]
        brought = out[below]
        brought[np.arange(len(edges)), tree.actor[above]] *= strategy[edges]
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        out[above[begins]] = np.add.reduceat(brought, begins, axis=0)
    return out


def best_replies(ends: Ends, strategy: Float64s, seat: int) -> Float64s:
    """Return (N, 169) what each class of a seat wins from each node on by taking what brings most against the others' ``strategy``,
    times how often they come there."""
    tree = ends.tree
    out = values(ends, reaches(ends, strategy), strategy)[:, seat]
    for edges in reversed(ends.levels):
        above, below = ends.above[edges], out[tree.child[edges]]
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        most, all_of_them = np.maximum.reduceat(below, begins), np.add.reduceat(below, begins)
        nodes = above[begins]
        out[nodes] = np.where((tree.actor[nodes] == seat)[:, None], most, all_of_them)
    return out


def met_by(reach: Float64s, seat: int) -> Float64s:
    """Return (N, 169) how often the others come to each node where ``seat`` holds a class; ``reach`` (N, P, 169) is everybody's."""
    others = np.delete(reach, seat, axis=1) * class_shares()
    return np.asarray((others @ removal().T).prod(axis=1))


def _won(ends: Ends, some: Int64s, mass: Float64s) -> Float64s:
    """Return (ends, P, 169) what each class wins at ``some`` ends, times the others' weight; ``mass`` (ends, P, 169) is theirs."""
    kind, live = ends.tree.kind[some], ends.tree.live[some] > 0
    met = mass @ removal().T  # each seat's weight, for whoever holds the class
    beaten = np.ones_like(mass)  # and how much of it he beats
    seen = (live & (kind != FOLDED)[:, None]).nonzero()
    beaten[seen] = (mass[seen] @ (removal() * class_equities()).T) / np.maximum(met[seen], 1e-300)
    alive, out = live.sum(axis=1), np.empty_like(mass)
    even = 1.0 / alive[:, None]
    power = (np.log2(alive) / np.maximum(alive - 1, 1))[:, None]
    for seat in range(mass.shape[1]):
        others = np.arange(mass.shape[1]) != seat
        equity = beaten[:, others].prod(axis=1) ** power
        place = live[:, :seat].sum(axis=1) / np.maximum(alive - 1, 1) - 0.5
        share = even + ends.slope[some, None] * (equity - even) + (ends.last[some] * place)[:, None] * 2.0 * even
        share = np.where(kind[:, None] == FOLDED, 1.0, np.where(kind[:, None] == ALL_IN_END, equity, share))
        out[:, seat] = np.where(live[:, seat, None], share * ends.pot[some, None], 0.0) - ends.spent[some, seat, None]
        out[:, seat] *= met[:, others].prod(axis=1)
    return out
