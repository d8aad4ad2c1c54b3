"""Kernels that deal hands and play them before the flop: see :mod:`cardai.poker.preflop.solving`."""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64, uniform
from cardai.poker.hands._equity_kernels import board_key, board_set, value_on
from cardai.poker.hands._lookup_kernels import pair_number

CLASSES = 169
DECISION, FOLDED, FLOP, ALL_IN_END = 0, 1, 2, 3
MOST_ACTIONS = 6
_SPAN = 1 << 12
"""Random numbers set aside for a deal, and for each of its walks."""


class Nodes(NamedTuple):
    """The public tree, and what its ends are worth."""

    kind: Any  # (N,) int64
    actor: Any  # (N,) int64
    first: Any  # (N,) int64: the first of its edges
    count: Any  # (N,) int64
    child: Any  # (edges,) int64
    spent: Any  # (N, P) float64, big blinds, antes in it
    live: Any  # (N, P) int64
    pot: Any  # (N,) float64: what is won, in big blinds
    rule: Any  # (N,) int64: which row of the rules of shares holds at a flop
    slope: Any  # (R,) float64
    last: Any  # (R,) float64


class Cards(NamedTuple):
    """How hands compare."""

    classes: Any  # (1326,) int64
    equities: Any  # (169, 169) float64
    ranking: Any  # cardai.poker.hands.ranking.batch_tables(7)


class Walk(NamedTuple):
    """Room for one seat's walk of the tree."""

    waiting: Any  # (W,) int64: nodes
    value: Any  # (W,) float64
    other: Any  # (W,) float64: the same where the seat follows another strategy
    decision: Any  # (W,) int64
    slot: Any  # (W,) int64
    below: Any  # (W,) int64
    policy: Any  # (A,) float64


@kernel
def room(size: Any) -> Walk:
    """Return room for ``size`` nodes."""
    return Walk(
        np.empty(size, np.int64),
        np.empty(size, np.float64),
        np.empty(size, np.float64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(MOST_ACTIONS, np.float64),
    )


@kernel
def deal(cards: Cards, players: Any, stream: Any, dealt: Any, held: Any, strength: Any) -> None:
    """Deal hands and a board: fill ``held`` (P,) with classes, and of more than two players ``strength`` (P,) with values."""
    taken = np.int64(0)
    drawn = 0
    for k in range(2 * players + 5):
        card = below(stream, drawn, 52)
        drawn += 1
        while (taken >> card) & 1:
            card = below(stream, drawn, 52)
            drawn += 1
        taken |= np.int64(1) << card
        dealt[k] = card
    for seat in range(players):
        held[seat] = cards.classes[pair_number(dealt[2 * seat], dealt[2 * seat + 1])]
    if players == 2:
        return
    board = dealt[2 * players : 2 * players + 5]
    keys, low, high, values, _ = cards.ranking
    key, cards_set = board_key(board, keys), board_set(board)
    for seat in range(players):
        strength[seat] = value_on(key, cards_set, dealt[2 * seat], dealt[2 * seat + 1], keys, low, high, values)


@kernel
def worth(nodes: Nodes, cards: Cards, node: Any, seat: Any, held: Any, strength: Any) -> Any:
    """Return what an end brings a seat, in big blinds, what it put in taken off."""
    if not nodes.live[node, seat]:
        return -nodes.spent[node, seat]
    if nodes.kind[node] == FOLDED:
        return nodes.pot[node] - nodes.spent[node, seat]
    share = part(nodes, cards, node, seat, held, strength)
    return share * nodes.pot[node] - nodes.spent[node, seat]


@kernel
def part(nodes: Nodes, cards: Cards, node: Any, seat: Any, held: Any, strength: Any) -> Any:
    """Return a live seat's share of the pot at a showdown or a flop: the formula of :mod:`.shares`."""
    alive, rival, behind, best, level = 0, -1, 0, 0, 0
    for other in range(len(held)):
        if not nodes.live[node, other]:
            continue
        alive += 1
        behind += other < seat
        if other != seat:
            rival = other
            best += strength[other] > strength[seat]
            level += strength[other] == strength[seat]
    equity = cards.equities[held[seat], held[rival]] if alive == 2 else 0.0 if best else 1.0 / (1 + level)
    if nodes.kind[node] == ALL_IN_END:
        return equity
    even, row = 1.0 / alive, nodes.rule[node]
    place = behind / (alive - 1) - 0.5
    return even + nodes.slope[row] * (equity - even) + nodes.last[row] * place * 2.0 * even


@kernel
def walk_down(
    nodes: Nodes, cards: Cards, walk: Walk, seat: Any, held: Any, strength: Any, stream: Any, strategy: Any
) -> Any:
    """Go down all of ``seat``'s actions and one of each of the others', drawn by ``strategy``, and value the ends.

    Returns the number of the seat's decisions, which ``walk`` then holds.
    """
    drawn, policy = _SPAN * (seat + 1), walk.policy
    walk.waiting[0] = 0
    found, decisions, at = 1, 0, 0
    while at < found:
        node = walk.waiting[at]
        while nodes.kind[node] == DECISION and nodes.actor[node] != seat:
            count, place, own = nodes.count[node], nodes.first[node], held[nodes.actor[node]]
            total = match(strategy, place, own, count, policy)
            node = nodes.child[place + pick(policy, count, total, uniform(stream, drawn))]
            drawn += 1
        if nodes.kind[node] == DECISION:
            walk.decision[decisions], walk.slot[decisions], walk.below[decisions] = node, at, found
            decisions += 1
            for k in range(nodes.count[node]):
                walk.waiting[found] = nodes.child[nodes.first[node] + k]
                found += 1
        else:
            walk.value[at] = worth(nodes, cards, node, seat, held, strength)
            walk.other[at] = walk.value[at]
        at += 1
    return decisions


@kernel
def mean(value: Any, low: Any, policy: Any, total: Any, count: Any) -> Any:
    """Return what a policy of sum ``total`` makes of ``count`` values from ``low`` on."""
    out = 0.0
    for k in range(count):
        out += value[low + k] * (policy[k] / total if total > 0.0 else 1.0 / count)
    return out


@kernel
def match(strategy: Any, place: Any, own: Any, count: Any, policy: Any) -> Any:
    """Fill ``policy`` with what a class does of an information set's ``count`` actions; return the sum."""
    total = 0.0
    for k in range(count):
        policy[k] = strategy[place + k, own]
        total += policy[k]
    return total


@kernel
def pick(policy: Any, count: Any, total: Any, threshold: Any) -> Any:
    """Return the action on which ``threshold`` in [0, 1) falls; never one of probability 0."""
    if total <= 0.0:
        return np.int64(threshold * count)
    chosen, left = count - 1, threshold * total
    for k in range(count - 1):
        left -= policy[k]
        if left < 0.0:
            chosen = k
            break
    while policy[chosen] <= 0.0:  # rounding only
        chosen -= 1
    return chosen


class Sums(NamedTuple):
    """What measuring gathers."""

    visits: Any  # (N, 169) int64: how often the others let a class come to a decision
    value: Any  # (edges, 169) float64: sums of what each action brought, ...
    gain: Any  # (edges, 169) float64: ... of what it brought more than the strategy, ...
    square: Any  # (edges, 169) float64: ... and of its square
    won: Any  # (P, 3) float64: sums over iterations of what the strategy wins, what the other gains on it, its square


@kernel
def measure(
    nodes: Nodes, cards: Cards, players: Any, first: Any, last: Any, seed: Any, strategy: Any, best: Any, sums: Sums
) -> None:
    """Play hands ``first`` to ``last`` - 1 by ``strategy`` (edges, 169), and gather in ``sums`` what each action would bring.

    ``best`` (edges, 169) is another strategy: each seat's gain by it, against the others' ``strategy``, is gathered too.
    """
    dealt, held = np.empty(2 * players + 5, np.int64), np.empty(players, np.int64)
    strength = np.zeros(players, np.int64)
    walk = room(len(nodes.kind) + 1)
    for t in range(first, last):
        stream = hash64(seed, t)
        deal(cards, players, stream, dealt, held, strength)
        for seat in range(players):
            decisions = walk_down(nodes, cards, walk, seat, held, strength, stream, strategy)
            gather(nodes, walk, decisions, held[seat], strategy, best, sums)
            more = walk.other[0] - walk.value[0]
            sums.won[seat, 0] += walk.value[0]
            sums.won[seat, 1] += more
            sums.won[seat, 2] += more * more


@kernel
def gather(nodes: Nodes, walk: Walk, decisions: Any, own: Any, strategy: Any, best: Any, sums: Sums) -> None:
    """Go back up a seat's decisions by both strategies, and add up what each action brought."""
    for d in range(decisions - 1, -1, -1):
        node, low = walk.decision[d], walk.below[d]
        place, count, at = nodes.first[node], nodes.count[node], walk.slot[d]
        walk.other[at] = mean(walk.other, low, walk.policy, match(best, place, own, count, walk.policy), count)
        walk.value[at] = mean(walk.value, low, walk.policy, match(strategy, place, own, count, walk.policy), count)
        sums.visits[node, own] += 1
        for k in range(count):
            more = walk.value[low + k] - walk.value[at]
            sums.value[place + k, own] += walk.value[low + k]
            sums.gain[place + k, own] += more
            sums.square[place + k, own] += more * more
