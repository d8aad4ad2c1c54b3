"""Solving play before the flop: CFR over 169 classes, from several seeds, and what it is worth by dealt hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.core.rng import derive
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.preflop import _sampling_kernels as kernels
from cardai.poker.preflop.cfr import Ends, best_replies, iterate, met_by, reaches, values
from cardai.poker.preflop.charts import class_shares
from cardai.poker.preflop.equities import class_equities
from cardai.poker.preflop.rules import HUNDRED
from cardai.poker.preflop.shares import FITTED, Depth, shares_at
from cardai.poker.preflop.tree import FLOP, Tree, strategy_of

CHUNK = 20_000
"""Hands that are dealt between two looks at the clock."""


@frozen(eq=False)
class Problem:
    """A tree with what its ends are worth, as kernels take it."""

    tree: Tree
    nodes: kernels.Nodes
    cards: kernels.Cards
    ends: Ends


def problem_of(tree: Tree, known: Sequence[Depth] = FITTED) -> Problem:
    """Return the problem of a tree, flops valued by ``known``."""
    rules = tree.rules
    pot = tree.pots() / HUNDRED
    taken = np.minimum(rules.rake * pot, rules.rake_cap if rules.rake_cap else np.inf)
    seen = tree.kind >= FLOP
    behind = np.where(tree.kind == FLOP, (rules.behind - tree.spent.max(axis=1)) / HUNDRED / pot, 0.0)
    depths, rule = np.unique(np.round(behind, 6), return_inverse=True)
    shares = shares_at(np.asarray(depths, np.float64), known)
    nodes = kernels.Nodes(
        tree.kind,
        tree.actor,
        tree.first,
        tree.count,
        tree.child,
        tree.spent / HUNDRED + rules.ante,
        tree.live,
        np.where(seen, pot - taken, pot),
        rule.astype(np.int64),
        shares.slope,
        shares.last,
    )
    ends = Ends(tree, nodes.pot, nodes.spent, shares.slope[rule], shares.last[rule])
    return Problem(tree, nodes, kernels.Cards(class_of(), class_equities(), batch_tables(7)), ends)


@frozen(eq=False)
class Seed:
    """One seed's solving so far."""

    number: int
    steps: int
    regret: Float64s = field(repr=False)
    """(edges, 169)"""
    average: Float64s = field(repr=False)

    @classmethod
    def begun(cls, number: int, tree: Tree) -> Seed:
        """Return a seed that has done nothing."""
        return cls(number, 0, np.zeros((tree.edges, CLASSES)), np.zeros((tree.edges, CLASSES)))


def learned(problem: Problem, seed: Seed, steps: int, told: Callable[[Seed], object]) -> Seed:
    """Return ``seed`` after ``steps`` iterations in all; ``told`` is shown it after each.

    Seeds differ in what is played in the first iteration, which is drawn at random.
    """
    tree = problem.tree
    first = strategy_of(tree, np.random.default_rng(derive(seed.number, "preflop")).random((tree.edges, CLASSES)))
    while seed.steps < steps:
        iterate(problem.ends, first, seed.steps, seed.regret, seed.average)
        seed = Seed(seed.number, seed.steps + 1, seed.regret, seed.average)
        told(seed)
    return seed


@frozen(eq=False)
class Measured:
    """What a strategy is worth, from played hands. Values are big blinds from the beginning of the hand, antes counted."""

    hands: int
    visits: Int64s
    """(N, 169) how often the others let a class come to a decision."""
    values: Float64s
    """(edges, 169) what each action brings; nan where it never came."""
    noise: Float64s
    """(edges, 169) half the length of a 95 % interval of what it brings more than the strategy does there."""
    won: Float64s
    """(players,) what each seat wins."""
    gain: Float64s
    """(players,) what each seat would win more by the other strategy, ..."""
    gain_noise: Float64s
    """... and half the length of its 95 % interval."""


@frozen(eq=False)
class Worth:
    """What a strategy is worth, as a chart says it. Values are big blinds from the beginning of the hand, antes counted."""

    often: Float64s
    """(N, 169) how often the others let a class come to a decision."""
    values: Float64s
    """(edges, 169) what each action brings."""
    noise: Float64s
    """(edges, 169) half the length of a 95 % interval of what it brings more than the strategy does there."""
    won: Float64s
    """(players,) what each seat wins."""
    gain: Float64s
    """(players,) what each seat would win more by what brings most, ..."""
    gain_noise: Float64s
    """... and half the length of its 95 % interval."""


def exact_worth(problem: Problem, strategy: Float64s) -> Worth:
    """Return what a strategy of two players is worth: exact, and an action brings what it does with best play behind it."""
    tree, ends = problem.tree, problem.ends
    reach = reaches(ends, strategy)
    each = values(ends, reach, strategy)
    often, worth = np.zeros((tree.nodes, CLASSES)), np.zeros((tree.edges, CLASSES))
    won, gain = np.zeros(2), np.zeros(2)
    for seat in range(2):
        best, met = best_replies(ends, strategy, seat), met_by(reach, seat)
        own, edges = tree.actor == seat, tree.actor[ends.above] == seat
        often[own] = met[own]
        worth[edges] = (best[tree.child] / np.maximum(met[ends.above], 1e-300))[edges]
        won[seat] = each[0, seat] @ class_shares()
        gain[seat] = best[0] @ class_shares() - won[seat]
    return Worth(often, worth, np.zeros_like(worth), won, gain, np.zeros(2))


def dealt_worth(problem: Problem, strategy: Float64s, hands: int, told: Callable[[str, int], None]) -> Worth:
    """Return what a strategy is worth by ``hands`` dealt hands, and as many for what best replies gain: an action brings what it does
    where all go on by the strategy, and what never came is nan. ``told`` hears what is done, and how far."""
    found = measured(problem, strategy, strategy, hands, 1, lambda done: told("values", done))
    best = best_of(problem.tree, strategy, found)
    again = measured(problem, strategy, best, hands, 2, lambda done: told("best replies", done))
    often = found.visits / hands / class_shares()
    return Worth(often, found.values, found.noise, again.won, again.gain, again.gain_noise)


def measured(
    problem: Problem,
    strategy: Float64s,
    best: Float64s,
    hands: int,
    seed: int,
    told: Callable[[int], None] = lambda _: None,
) -> Measured:
    """Return what ``strategy`` is worth where all play it, over ``hands`` hands, and each seat's gain by ``best``."""
    tree, players = problem.tree, problem.tree.rules.players
    value, gain, square = (np.zeros((tree.edges, CLASSES)) for _ in range(3))
    sums = kernels.Sums(np.zeros((tree.nodes, CLASSES), np.int64), value, gain, square, np.zeros((players, 3)))
    stream = np.uint64(derive(seed, "measured"))
    for first in range(1, hands + 1, CHUNK):
        last = min(hands + 1, first + CHUNK)
        kernels.measure(problem.nodes, problem.cards, players, first, last, stream, strategy, best, sums)
        told(last - 1)
    count = np.repeat(sums.visits, tree.count, axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        more = sums.gain / count
        spread = np.sqrt(np.maximum(sums.square / count - more**2, 0.0) / np.maximum(count - 1, 1))
        each = sums.value / count
        noise = np.where(count > 1, 1.96 * spread, np.inf)
    won, best_gain = sums.won[:, 0] / hands, sums.won[:, 1] / hands
    error = np.sqrt(np.maximum(sums.won[:, 2] / hands - best_gain**2, 0.0) / hands)
    return Measured(hands, sums.visits, each, noise, won, best_gain, 1.96 * error)


def best_of(tree: Tree, strategy: Float64s, found: Measured, seen: int = 200) -> Float64s:
    """Return (edges, 169) the strategy that takes what was found to bring most, where a class came ``seen`` times; else as it is."""
    out = strategy.copy()
    for node in np.flatnonzero(tree.count):
        rows = slice(int(tree.first[node]), int(tree.first[node] + tree.count[node]))
        known = found.visits[node] >= seen
        values = found.values[rows][:, known]
        out[rows][:, known] = np.arange(len(values))[:, None] == values.argmax(axis=0)
    return out
