"""Kernels of CFR-BR on a whole hand before the river: ranges go down the streets, values come up (:mod:`._reply_kernels` between).

Who plays is 0, the learner, or 1, its rival; each is in both seats, since the learner of either seat meets the rival in the
other. What a hand of somebody has done so far lies beside each root of a street's subtree: ``come`` (2, roots, 2, n) by who,
root, seat and hand. ``back`` of the same shape is what the hand wins from there on against the other, times the other's
range.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.ranges._lanes import LANES, add_out, copy, match, part_in, plus, times, times_less, turn_in

LEARNER, RIVAL = 0, 1
DECISION, FOLD, DEAL = 0, 1, 2
STEP = np.float32(1e-6)
"""A range's hands come this often at least: what is best, and what is to be learned, is known where nobody comes."""


class Street(NamedTuple):
    """The p subtrees of one street before the river, their nodes one after another, parents before children."""

    part: Any  # (p, 5) int64: first node, one past the last, the number of its root, first row of the policy, how many rows
    node: (
        Any  # (m, 6) int64: kind, seat, first child, one past the last, first row of the policy, the root that follows
    )
    child: Any  # (e,) int64: places within the subtree
    line: Any  # (2, m) int64: by seat the place of its range within the subtree, which changes where it acts
    won: Any  # (m,) float32: what seat 0 wins at a fold


class Batch(NamedTuple):
    """What is known of B boards of n hands each, which fill G lane rows."""

    a: Any  # (B, n) int64: one card of each hand, from 1; hands in ascending order of strength
    b: Any  # (B, n) int64: the other
    ends: Any  # (B, n) int64: one past the last of equal strength
    buckets: Any  # (3, 3, B, n) int64: by who (2: the blueprint) and street before the river
    come: Any  # (B, 2, roots + 1, 2, n) float32, at the last one nobody
    back: Any  # (B, 2, roots + 1, 2, n) float32
    policies: Any  # (B, 2, rows, G * 16) float32


class Room(NamedTuple):
    """What a subtree is worked out in: m nodes, Q ranges of a seat, W actions of both (a multiple of 16)."""

    ranges: Any  # (2, 2, Q, G * 16) float32: by who and seat
    values: Any  # (2, m, G * 16) float32: by seat
    mass: Any  # (53,) float32
    columns: Any  # (W * 16,) float32
    rows: Any  # (4 * 16,) float32: the weight, the least range, the same in the last lane row, and one to work in
    which: Any  # (G * 16,) int64


UP, LEAST, LAST, TERM = 0, 1, 2, 3
"""The lane rows of ``Room.rows``."""


@kernel
def find_rows(street: Street, p: Any, place: Any, bucket: Any, which: Any) -> None:
    """Fill ``which`` with where the numbers of a subtree lie for hands in ``bucket`` (n,); lanes without one repeat the last.

    ``place`` (m, 2) is where each decision's numbers lie: base + bucket * stride. A subtree's lie side by side, in the order
    of the policy's rows.
    """
    base, stride, n = place[street.part[p, 0], 0], place[street.part[p, 0], 1], len(bucket)
    for h in range(n):
        which[h] = base + bucket[h] * stride
    for h in range(n, len(which)):
        which[h] = which[n - 1]


@kernel
def match_rows(street: Street, p: Any, table: Any, policy: Any, room: Room) -> None:
    """Fill a subtree's rows of ``policy`` (rows, G * 16) with regret matching in ``table`` (S,) at ``room.which``."""
    columns, which, node, flat = room.columns, room.which, street.node, policy.reshape(-1)
    first, width, groups = street.part[p, 3], street.part[p, 4], policy.shape[1] // LANES
    start, end = street.part[p, 0], street.part[p, 1]
    for g in range(groups):
        for k in range(0, width, LANES):
            part_in(table, which, LANES * g, k, columns, k, width - k)
        for i in range(start, end):
            if node[i, 0] == DECISION:
                match(columns, node[i, 4] - first, node[i, 3] - node[i, 2])
        for k in range(width):
            copy(flat, (first + k) * groups + g, columns, k)


@kernel
def reach(street: Street, p: Any, come: Any, policy: Any, ranges: Any) -> None:
    """Fill ``ranges`` (2, Q, G * 16) by seat with one player's in a subtree; ``come`` (roots, 2, n)."""
    start, node, n = street.part[p, 0], street.node, come.shape[2]
    for seat in range(2):
        ranges[seat, 0, :n] = come[street.part[p, 2], seat]
        for i in range(start, street.part[p, 1]):
            if node[i, 0] == DECISION and node[i, 1] == seat:
                above = ranges[seat, street.line[seat, i]]
                for e in range(node[i, 2], node[i, 3]):
                    below = ranges[seat, street.line[seat, start + street.child[e]]]
                    chance = policy[node[i, 4] + e - node[i, 2]]
                    for h in range(len(above)):
                        below[h] = above[h] * chance[h]


@kernel
def go_down(street: Street, place: Any, bucket: Any, table: Any, policy: Any, room: Room, come: Any) -> None:
    """Take one player's ranges from a street's roots, ``come`` (roots, 2, n), to the roots that follow, by ``table``."""
    ranges, n = room.ranges[0], come.shape[2]
    for p in range(len(street.part)):
        find_rows(street, p, place, bucket, room.which)
        match_rows(street, p, table, policy, room)
        reach(street, p, come, policy, ranges)
        for i in range(street.part[p, 0], street.part[p, 1]):
            if street.node[i, 0] == DEAL:
                for seat in range(2):
                    come[street.node[i, 5], seat] = ranges[seat, street.line[seat, i], :n]


@kernel
def fold_row(a: Any, b: Any, weights: Any, won: Any, mass: Any, out: Any) -> None:
    """Fill ``out`` with ``won`` times the weight of the hands of a range that each of n hands can meet."""
    mass[:] = np.float32(0.0)
    for h in range(len(a)):
        if weights[h] != np.float32(0.0):
            mass[0] += weights[h]
            mass[a[h]] += weights[h]
            mass[b[h]] += weights[h]
    if mass[0] == np.float32(0.0):
        out[:] = np.float32(0.0)
        return
    for h in range(len(a)):
        out[h] = won * (mass[0] - mass[a[h]] - mass[b[h]] + weights[h])


@kernel
def go_up(
    street: Street, p: Any, a: Any, b: Any, seat: Any, policy: Any, other: Any, back: Any, values: Any, mass: Any
) -> None:
    """Fill ``values`` (m, G * 16) with what hands of one player in ``seat`` win from a subtree's nodes on, and its root's ``back``.

    ``policy`` (rows, G * 16) is the player's; ``other`` (Q, G * 16) the ranges of who is against it, ``back`` (roots, 2, n) the
    player's values at the roots.
    """
    start, node, child, n = street.part[p, 0], street.node, street.child, len(a)
    for i in range(street.part[p, 1] - 1, start - 1, -1):
        out, first = values[i - start], node[i, 2]
        if node[i, 0] == FOLD:
            won = street.won[i] if seat == 0 else -street.won[i]
            fold_row(a, b, other[street.line[1 - seat, i]], won, mass, out)
        elif node[i, 0] == DEAL:
            out[:n] = back[node[i, 5], seat]
        elif node[i, 1] == seat:
            add_taken(values[child[first]], policy[node[i, 4]], out, True)
            for e in range(first + 1, node[i, 3]):
                add_taken(values[child[e]], policy[node[i, 4] + e - first], out, False)
        else:
            out[:] = values[child[first]]
            for e in range(first + 1, node[i, 3]):
                below = values[child[e]]
                for h in range(len(out)):
                    out[h] += below[h]
    back[street.part[p, 2], seat] = values[0, :n]


@kernel
def add_taken(below: Any, chance: Any, out: Any, first: Any) -> None:
    """Add values times chances to ``out``, or with ``first`` put them there."""
    if first:
        for h in range(len(out)):
            out[h] = chance[h] * below[h]
    else:
        for h in range(len(out)):
            out[h] += chance[h] * below[h]


@kernel
def add_regrets(street: Street, p: Any, room: Room, table: Any) -> None:
    """Add the weight times what hands of both seats, ``room.values``, regret to ``table`` (S,) at ``room.which``."""
    columns, rows, which, node, values = room.columns, room.rows, room.which, street.node, room.values.reshape(-1)
    m, groups, start, width = room.values.shape[1], room.values.shape[2] // LANES, street.part[p, 0], street.part[p, 4]
    for g in range(groups):
        for i in range(start, street.part[p, 1]):
            if node[i, 0] == DECISION:
                at, first = node[i, 1] * m, node[i, 4] - street.part[p, 3] - node[i, 2]
                own = (at + i - start) * groups + g
                for e in range(node[i, 2], node[i, 3]):
                    times_less(columns, first + e, values, (at + street.child[e]) * groups + g, values, own, rows, UP)
        for k in range(0, width, LANES):
            add_out(table, which, LANES * g, k, columns, k, width - k)


@kernel
def add_averages(street: Street, p: Any, policy: Any, room: Room, table: Any) -> None:
    """Add the weight times what the learner's ranges do by ``policy`` (rows, G * 16) to ``table`` (S,) at ``room.which``."""
    columns, rows, which, node, ranges = room.columns, room.rows, room.which, street.node, room.ranges.reshape(-1)
    most, groups, row, width = room.ranges.shape[2], policy.shape[1] // LANES, street.part[p, 3], street.part[p, 4]
    flat = policy.reshape(-1)
    for g in range(groups):
        for i in range(street.part[p, 0], street.part[p, 1]):
            if node[i, 0] == DECISION:
                line = node[i, 1] * most + street.line[node[i, 1], i]
                copy(rows, TERM, ranges, line * groups + g)
                plus(rows, TERM, rows, LAST if g == groups - 1 else LEAST)
                times(rows, TERM, rows, TERM, rows, UP)
                for k in range(node[i, 4], node[i, 4] + node[i, 3] - node[i, 2]):
                    times(columns, k - row, rows, TERM, flat, k * groups + g)
        for k in range(0, width, LANES):
            add_out(table, which, LANES * g, k, columns, k, width - k)


@kernel
def learn_part(
    street: Street, number: Any, p: Any, places: Any, batch: Batch, weight: Any, tables: Any, room: Room
) -> None:
    """Let both players learn in a subtree of street ``number``, board after board.

    Args:
        places: by who (m, 2): see :func:`find_rows`.
        tables: the learner's regrets, the rival's, and the learner's average.
    """
    ranges, values, mass = room.ranges, room.values, room.mass
    room.rows[LANES * UP : LANES * LEAST] = weight
    for k in range(len(batch.a)):
        a, b, back, policies = batch.a[k], batch.b[k], batch.back[k], batch.policies[k]
        for who in range(2):
            reach(street, p, batch.come[k, who], policies[who], ranges[who])
        for who in range(2):
            for seat in range(2):
                go_up(street, p, a, b, seat, policies[who], ranges[1 - who, 1 - seat], back[who], values[seat], mass)
            find_rows(street, p, places[who], batch.buckets[who, number, k], room.which)
            add_regrets(street, p, room, tables[who])
            if who == LEARNER:
                add_averages(street, p, policies[who], room, tables[2])


@kernel
def side_by_side(come: Any, rows: Any, lanes: Any, out: Any) -> None:
    """Fill ``out`` (2, n, S) with the ranges ``come`` (R, n) at ``rows`` (S / 16, 2, 16) by seat; ``lanes`` (n * 16,) is room."""
    n, blocks, flat = out.shape[1], len(rows), out.reshape(-1)
    for block in range(blocks):
        for seat in range(2):
            for h in range(0, n - LANES, LANES):
                turn_in(come, rows[block, seat], 0, h, lanes)
            turn_in(come, rows[block, seat], 0, n - LANES, lanes)
            for h in range(n):
                copy(flat, (seat * n + h) * blocks + block, lanes, h)


@kernel
def row_numbers(places: Any, buckets: Any, out: Any) -> None:
    """Fill ``out`` (blocks, 2, n * 16) with the packed row of each hand in each lane: ``places`` (2, n, S), ``buckets`` a seat."""
    for block in range(len(out)):
        for seat in range(2):
            first = (2 * LANES * block + seat) * buckets
            for h in range(places.shape[1]):
                for s in range(LANES):
                    out[block, seat, LANES * h + s] = first + 2 * s * buckets + places[seat, h, LANES * block + s]
