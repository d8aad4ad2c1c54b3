"""Kernels of sampling draw poker: the hands that every row of draws leads to, and one seat's walk.

A seat's *path* is the number of its draws so far, base c (c choices): after d draws there are c ** d paths. The replacement
cards of each draw are five cards set aside for that seat and draw, so a seat's hand is a function of its path alone.
"""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import hash64, uniform
from cardai.draw._bucket_kernels import (
    CARDS,
    CHOICES,
    Known,
    Room,
    final_bucket,
    nearest,
    new_room,
    sort_hand,
    study,
    value_of,
)
from cardai.plugins.trainers.bucket_mccfr._kernels import deal, match, pick, remember

KIND, ACTOR, COUNT, BASE, STRIDE, DRAWN = 0, 1, 2, 3, 4, 5
"""Columns of ``Nodes.node``; ``DRAWN`` and the one after it are how often each seat has drawn."""
DECISION, DRAW, SHOWDOWN, FOLD = 0, 1, 2, 3
_SPAN = 1 << 20
"""Random numbers set aside for the deal of an iteration; those of its two walks come after them."""


class Nodes(NamedTuple):
    """The public tree with two DRAW nodes between rounds, and where each node's numbers lie in the tables."""

    node: Any  # (N, 7) int64: kind, actor, number of actions, base, stride, draws done by seat 0 and by seat 1
    child: Any  # (N, A) int32; all choices of a DRAW lead to the same node
    action: Any  # (N, A) int32: the game's action behind each child, the choice at a DRAW
    payoff: Any  # (N,) float32: FOLD: what seat 0 wins; SHOWDOWN: what the winner wins
    classes: Any  # (D + 1, c ** D) int64: the class of what is remembered of a path, by number of draws
    class_counts: Any  # (D + 1,) int64
    buckets: Any  # (D + 1,) int64: how many buckets hands have, by number of draws


class Hands(NamedTuple):
    """What a deal comes to; the paths of d draws are the columns from (c ** d - 1) / (c - 1) on."""

    bucket: Any  # (2, P) int64
    strength: Any  # (2, c ** D) int64: what is compared at the end
    first: Any  # (D + 1,) int64: the column of the first path of each number of draws


class Walk(NamedTuple):
    """Room for one seat's walk; W nodes at most wait at a time."""

    waiting: Any  # (W, 3) int32: node, and both seats' paths
    value: Any  # (W,) float64: what the walking seat wins from each of them on
    decision: (
        Any  # (W, 4) int64: of its decisions: node, slot where it waited, slot of its first child, place in the tables
    )
    visited: Any  # (W,) int64: which children are walked, a bit each
    chance: Any  # (W, A) float64: how it played when the walk came there (one set may be met several times in a walk)
    policy: Any  # (A,) float64


class Table(NamedTuple):
    """Room for the cards of a deal."""

    dealt: Any  # (2 * (D + 1) * 5,) int64: different cards, a seat's hand and those for its draws, then the other's
    start: Any  # (2, 5) int64: the hands
    spare: Any  # (2, D, 5) int64: those for the draws
    held: Any  # (P, 5) int64: a seat's hands by path, ascending
    loose: Any  # (5,) int64
    order: Any  # (5,) int64
    room: Room


@kernel
def new_table(draws: Any) -> Any:
    """Return room for the cards of a deal."""
    paths = (CHOICES ** (draws + 1) - 1) // (CHOICES - 1)
    dealt = np.empty(2 * (draws + 1) * CARDS, np.int64)
    cards = dealt.reshape(2, draws + 1, CARDS)
    return Table(
        dealt,
        cards[:, 0],
        cards[:, 1:],
        np.empty((paths, CARDS), np.int64),
        np.empty(CARDS, np.int64),
        np.empty(CARDS, np.int64),
        new_room(),
    )


@kernel
def fill(known: Known, table: Table, hands: Hands) -> None:
    """Fill ``hands`` with the buckets and strengths of all paths of a deal in ``table``."""
    draws, held = table.spare.shape[1], table.held
    for seat in range(2):
        sort_hand(table.start[seat], held[0], table.order)
        for done in range(draws):
            paths = hands.first[done + 1] - hands.first[done]
            for path in range(paths):
                at = hands.first[done] + path
                study(known, held[at], draws - done, table.room)
                hands.bucket[seat, at] = nearest(known, done, table.room)
                for choice in range(CHOICES):
                    for i in range(CARDS):
                        gone = table.room.masks[choice] >> i & 1
                        table.loose[i] = table.spare[seat, done, i] if gone else held[at, i]
                    sort_hand(table.loose, held[hands.first[done + 1] + path * CHOICES + choice], table.order)
        for path in range(hands.strength.shape[1]):
            at = hands.first[draws] + path
            hands.strength[seat, path] = value_of(held[at])
            hands.bucket[seat, at] = final_bucket(known, hands.strength[seat, path])


@kernel
def new_walk(nodes: Nodes, room: Any) -> Any:
    """Return room for a walk in which ``room`` nodes wait at most."""
    return Walk(
        np.empty((room, 3), np.int32),
        np.empty(room, np.float64),
        np.empty((room, 4), np.int64),
        np.empty(room, np.int64),
        np.empty((room, nodes.child.shape[1]), np.float64),
        np.empty(nodes.child.shape[1], np.float64),
    )


@kernel
def new_hands(draws: Any, choices: Any) -> Any:
    """Return room for what a deal comes to."""
    first = np.zeros(draws + 1, np.int64)
    for done in range(draws):
        first[done + 1] = first[done] + choices**done
    last = choices**draws
    return Hands(np.zeros((2, first[draws] + last), np.int64), np.zeros((2, last), np.int64), first)


@kernel
def iterate(
    nodes: Nodes, known: Known, first: Any, last: Any, explore: Any, seed: Any, room: Any, regret: Any, average: Any
) -> Any:
    """Do iterations ``first`` to ``last`` - 1 (numbered from 1); return how many nodes were visited.

    As :func:`cardai.plugins.trainers.bucket_mccfr._kernels.iterate`, but for ``explore``: see :func:`walk_down`. ``room`` is
    the most nodes that can wait.
    """
    draws = len(known.sums)
    walk, hands = new_walk(nodes, room), new_hands(draws, CHOICES)
    table = new_table(draws)
    visited = 0
    for t in range(first, last):
        stream = hash64(seed, t)
        deal(stream, table.dealt)
        fill(known, table, hands)
        for seat in range(2):
            visited += walk_for(nodes, walk, hands, seat, stream, np.float64(t), explore, regret, average)
    return visited


@kernel
def walk_for(
    nodes: Nodes, walk: Walk, hands: Hands, seat: Any, stream: Any, t: Any, explore: Any, regret: Any, average: Any
) -> Any:
    """Walk for one seat on a deal, with weight ``t``; return how many nodes were visited."""
    decisions, passed = walk_down(nodes, walk, hands, seat, stream, t, explore, regret, average)
    walk_back(nodes, walk, decisions, t, explore, regret)
    return passed


@kernel
def place_of(nodes: Nodes, hands: Hands, node: Any, paths: Any) -> Any:
    """Return where the numbers of a node's information set lie, for both seats' ``paths``."""
    row = nodes.node[node]
    mine, theirs = row[DRAWN], row[DRAWN + 1]
    seen = nodes.classes[mine, paths[0]] * nodes.class_counts[theirs] + nodes.classes[theirs, paths[1]]
    actor, done = row[ACTOR], row[DRAWN + row[ACTOR]]
    bucket = hands.bucket[actor, hands.first[done] + paths[actor]]
    return row[BASE] + (seen * nodes.buckets[done] + bucket) * row[STRIDE]


@kernel
def walk_down(
    nodes: Nodes, walk: Walk, hands: Hands, seat: Any, stream: Any, t: Any, explore: Any, regret: Any, average: Any
) -> Any:
    """Go down ``seat``'s actions and a sampled one of the other's, and value the ends.

    Of the seat's own actions those of positive probability are all walked, each of the others with chance ``explore``: its
    regret weighs 1 / ``explore`` then, so that its sum is right in the mean (the values of the seat's decisions do not
    depend on actions that it never plays). What is learned below it is not weighed up: where several such actions lie on
    the way that would multiply, and a seat that never comes to a place needs no more than to play there reasonably. Returns
    the number of the seat's decisions, which ``walk`` then holds, and of nodes visited.
    """
    drawn, policy, path = _SPAN * (seat + 1), walk.policy, np.zeros(2, np.int64)
    walk.waiting[0, :] = 0
    found, decisions, at = 1, 0, 0
    while at < found:
        node = np.int64(walk.waiting[at, 0])
        path[0], path[1] = walk.waiting[at, 1], walk.waiting[at, 2]
        while nodes.node[node, KIND] <= DRAW and nodes.node[node, ACTOR] != seat:
            count = nodes.node[node, COUNT]
            place = place_of(nodes, hands, node, path)
            total = match(regret, place, count, policy)
            remember(average, place, count, policy, total, t)
            chosen = pick(policy, count, total, uniform(stream, drawn))
            drawn += 1
            if nodes.node[node, KIND] == DRAW:
                path[1 - seat] = path[1 - seat] * count + chosen
            node = np.int64(nodes.child[node, chosen])
        kind = nodes.node[node, KIND]
        if kind <= DRAW:
            walk.decision[decisions, 0], walk.decision[decisions, 1] = node, at
            found, drawn = open_decision(
                nodes, walk, hands, decisions, path, seat, found, stream, drawn, explore, regret
            )
            decisions += 1
        elif kind == SHOWDOWN:
            mine, other = hands.strength[seat, path[seat]], hands.strength[1 - seat, path[1 - seat]]
            walk.value[at] = ((mine > other) * 1.0 - (mine < other) * 1.0) * nodes.payoff[node]
        else:
            walk.value[at] = (1.0 - 2.0 * seat) * nodes.payoff[node]
        at += 1
    return decisions, found + drawn - _SPAN * (seat + 1)


@kernel
def open_decision(
    nodes: Nodes,
    walk: Walk,
    hands: Hands,
    number: Any,
    path: Any,
    seat: Any,
    found: Any,
    stream: Any,
    drawn: Any,
    explore: Any,
    regret: Any,
) -> Any:
    """Put the children of the walking seat's decision ``number`` that are walked behind the ``found`` nodes that wait.

    Returns how many wait then, and how many random numbers have been drawn.
    """
    node, policy = walk.decision[number, 0], walk.policy
    count = nodes.node[node, COUNT]
    place = place_of(nodes, hands, node, path)
    total = match(regret, place, count, policy)
    walk.decision[number, 2], walk.decision[number, 3] = found, place
    visited = np.int64(0)
    for k in range(count):
        walk.chance[number, k] = policy[k] / total if total > 0.0 else 1.0 / count
        if total > 0.0 and policy[k] <= 0.0:
            drawn += 1
            if uniform(stream, drawn) >= explore:
                continue
        visited |= np.int64(1) << k
        walk.waiting[found, 0] = nodes.child[node, k]
        walk.waiting[found, 1], walk.waiting[found, 2] = path[0], path[1]
        if nodes.node[node, KIND] == DRAW:
            walk.waiting[found, 1 + seat] = path[seat] * count + k
        found += 1
    walk.visited[number] = visited
    return found, drawn


@kernel
def walk_back(nodes: Nodes, walk: Walk, decisions: Any, t: Any, explore: Any, regret: Any) -> None:
    """Add the regrets of a walk's decisions, last first: v(I) = sum over a of sigma(I, a) v(I, a)."""
    value = walk.value
    for d in range(decisions - 1, -1, -1):
        node, slot, below_it, place = walk.decision[d]
        count, visited = nodes.node[node, COUNT], walk.visited[d]
        mean, child = 0.0, below_it
        for k in range(count):
            if visited >> k & 1:
                mean += walk.chance[d, k] * value[child]
                child += 1
        child = below_it
        for k in range(count):
            if visited >> k & 1:
                weight = t if walk.chance[d, k] > 0.0 else t / explore
                regret[place + k] += weight * (value[child] - mean)
                child += 1
        value[slot] = mean


@kernel
def follow(nodes: Nodes, history: Any, first_discard: Any, found: Any) -> None:
    """Fill ``found`` (n, 3) int64 with the node and both seats' paths that histories (n, L) lead to (-1 after the last).

    The node is -1 where the betting is not of the tree.
    """
    for n in range(len(history)):
        node, path = np.int64(0), np.zeros(2, np.int64)
        for k in range(history.shape[1]):
            said = history[n, k]
            if said < 0 or node < 0:
                break
            count, chosen = nodes.node[node, COUNT], -1
            if nodes.node[node, KIND] == DRAW:
                if said >= first_discard:
                    chosen = min(said - first_discard, count - 1)
                    actor = nodes.node[node, ACTOR]
                    path[actor] = path[actor] * count + chosen
            elif nodes.node[node, KIND] == DECISION and said < first_discard:
                for action in range(count):
                    if nodes.action[node, action] == said:
                        chosen = action
            node = np.int64(nodes.child[node, chosen]) if chosen >= 0 else np.int64(-1)
        found[n, 0], found[n, 1], found[n, 2] = node, path[0], path[1]


@kernel
def answer(
    nodes: Nodes, found: Any, buckets: Any, masks: Any, table: Any, purify: Any, first_discard: Any, out: Any
) -> None:
    """Fill ``out`` (n, A), zeros before, with the probabilities of the game's actions.

    ``found`` (n, 3) is what :func:`follow` gave, ``buckets`` (n,) and ``masks`` (n, c) the actors' hands and what each
    choice discards. Weights below 0 count nothing; without any weight all actions are alike.
    """
    policy = np.empty(nodes.child.shape[1], np.float64)
    for n in range(len(found)):
        row = nodes.node[found[n, 0]]
        mine, theirs = row[DRAWN], row[DRAWN + 1]
        seen = nodes.classes[mine, found[n, 1]] * nodes.class_counts[theirs] + nodes.classes[theirs, found[n, 2]]
        place = row[BASE] + (seen * nodes.buckets[row[DRAWN + row[ACTOR]]] + buckets[n]) * row[STRIDE]
        count, best = row[COUNT], 0
        total = match(table, place, count, policy)
        for k in range(count):
            if policy[k] > policy[best]:
                best = k
        for k in range(count):
            share = policy[k] / total if total > 0.0 else 1.0 / count
            if purify and total > 0.0:
                share = 1.0 if k == best else 0.0
            action = nodes.action[found[n, 0], k]
            out[n, first_discard + masks[n, k] if row[KIND] == DRAW else action] += share


@kernel
def shares(nodes: Nodes, table: Any, out: Any) -> None:
    """Fill ``out`` (S,) uint8, zeros before, with the weights of each information set as shares of the largest, to 255.

    Weights below 0 count nothing.
    """
    for node in range(len(nodes.node)):
        row = nodes.node[node]
        if row[KIND] > DRAW:
            continue
        mine, theirs = row[DRAWN], row[DRAWN + 1]
        sets = nodes.class_counts[mine] * nodes.class_counts[theirs] * nodes.buckets[row[DRAWN + row[ACTOR]]]
        for k in range(sets):
            place = row[BASE] + k * row[STRIDE]
            most = 0.0
            for action in range(row[COUNT]):
                most = max(most, np.float64(table[place + action]))
            if most > 0.0:
                for action in range(row[COUNT]):
                    out[place + action] = np.uint8(np.rint(255.0 * max(np.float64(table[place + action]), 0.0) / most))
