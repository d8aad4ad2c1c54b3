"""Kernels of CFR-BR on a whole hand: ranges go down the streets before the river, best replies are met on it, values come up.

Who plays is 0, the learner, or 1, its rival; each is in both seats, since the learner of either seat meets the rival in the
other. What a hand of somebody has done so far lies beside each root of a street's subtree: ``come`` (2, roots, 2, n) by who,
root, seat and hand. ``back`` of the same shape is what the hand wins from there on against the other, times the other's
range.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.ranges._lanes import LANES, plus, times, turn_in, turn_out
from cardai.poker.responses._forest_kernels import Cards, respond, spread, terminal_values
from cardai.poker.responses._forest_kernels import Shape as RiverShape

LEARNER, RIVAL = 0, 1
DECISION, FOLD, DEAL = 0, 1, 2
STEP = np.float32(1e-6)
"""A range's hands come this often at least: what is best, and what is to be learned, is known where nobody comes."""


class Street(NamedTuple):
    """The p subtrees of one street before the river, their nodes one after another, parents before children."""

    part: Any  # (p, 3) int64: first node, one past the last, the number of its root
    node: (
        Any  # (m, 6) int64: kind, seat, first child, one past the last, first row of the policy, the root that follows
    )
    child: Any  # (e,) int64: places within the subtree
    won: Any  # (m,) float32: what seat 0 wins at a fold


class Batch(NamedTuple):
    """What is known of B boards of n hands each."""

    a: Any  # (B, n) int64: one card of each hand, from 1; hands in ascending order of strength
    b: Any  # (B, n) int64: the other
    ends: Any  # (B, n) int64: one past the last of equal strength
    buckets: Any  # (3, 3, B, n) int64: by who (2: the blueprint) and street before the river
    which: Any  # (B, blocks, 2, n * 16) int32: packed rows on the river
    come: Any  # (B, 2, roots, 2, n) float32
    back: Any  # (B, 2, roots, 2, n) float32
    policies: Any  # (B, 2, rows, n) float32


@kernel
def match_rows(street: Street, p: Any, place: Any, bucket: Any, table: Any, policy: Any, total: Any) -> None:
    """Fill a subtree's rows of ``policy`` (rows, n) with regret matching in ``table`` (S,) for hands in ``bucket`` (n,).

    ``place`` (m, 2) is where each decision's numbers lie: base + bucket * stride. ``total`` (n,) is room.
    """
    for h in range(len(bucket)):
        for i in range(street.part[p, 0], street.part[p, 1]):
            if street.node[i, 0] == DECISION:
                at, row = place[i, 0] + bucket[h] * place[i, 1], street.node[i, 4]
                for k in range(street.node[i, 3] - street.node[i, 2]):
                    policy[row + k, h] = table[at + k]
    for i in range(street.part[p, 0], street.part[p, 1]):
        if street.node[i, 0] == DECISION:
            count, row = street.node[i, 3] - street.node[i, 2], street.node[i, 4]
            even = np.float32(1.0) / np.float32(count)
            total[:] = np.float32(0.0)
            for k in range(count):
                line = policy[row + k]
                for h in range(len(line)):
                    line[h] = max(line[h], np.float32(0.0))
                    total[h] += line[h]
            for k in range(count):
                line = policy[row + k]
                for h in range(len(line)):
                    line[h] = line[h] / total[h] if total[h] > np.float32(0.0) else even


@kernel
def reach(street: Street, p: Any, come: Any, policy: Any, nodes: Any) -> None:
    """Fill ``nodes`` (2, m, n) by seat with one player's ranges at a subtree's nodes; ``come`` (roots, 2, n)."""
    start = street.part[p, 0]
    for seat in range(2):
        nodes[seat, 0] = come[street.part[p, 2], seat]
        for i in range(start, street.part[p, 1]):
            if street.node[i, 0] != DECISION:
                continue
            above = nodes[seat, i - start]
            for e in range(street.node[i, 2], street.node[i, 3]):
                below = nodes[seat, street.child[e]]
                if street.node[i, 1] == seat:
                    chance = policy[street.node[i, 4] + e - street.node[i, 2]]
                    for h in range(len(above)):
                        below[h] = above[h] * chance[h]
                else:
                    below[:] = above


@kernel
def go_down(
    street: Street, place: Any, bucket: Any, table: Any, policy: Any, nodes: Any, total: Any, come: Any
) -> None:
    """Take one player's ranges from a street's roots, ``come`` (roots, 2, n), to the roots that follow, by ``table``."""
    for p in range(len(street.part)):
        match_rows(street, p, place, bucket, table, policy, total)
        reach(street, p, come, policy, nodes)
        start = street.part[p, 0]
        for i in range(start, street.part[p, 1]):
            if street.node[i, 0] == DEAL:
                for seat in range(2):
                    come[street.node[i, 5], seat] = nodes[seat, i - start]


@kernel
def fold_row(a: Any, b: Any, weights: Any, won: Any, mass: Any, out: Any) -> None:
    """Fill ``out`` (n,) with ``won`` times the weight of the hands of a range (n,) that each can meet."""
    mass[:] = np.float32(0.0)
    for h in range(len(weights)):
        mass[0] += weights[h]
        mass[a[h]] += weights[h]
        mass[b[h]] += weights[h]
    for h in range(len(weights)):
        out[h] = won * (mass[0] - mass[a[h]] - mass[b[h]] + weights[h])


@kernel
def go_up(
    street: Street, p: Any, a: Any, b: Any, seat: Any, policy: Any, other: Any, back: Any, values: Any, mass: Any
) -> None:
    """Fill ``values`` (m, n) with what hands of one player in ``seat`` win from a subtree's nodes on, and its root's ``back``.

    ``policy`` (rows, n) is the player's; ``other`` (m, n) the range of who is against it, ``back`` (roots, 2, n) the player's
    values at the roots.
    """
    start = street.part[p, 0]
    for i in range(street.part[p, 1] - 1, start - 1, -1):
        out = values[i - start]
        if street.node[i, 0] == FOLD:
            fold_row(a, b, other[i - start], street.won[i] if seat == 0 else -street.won[i], mass, out)
        elif street.node[i, 0] == DEAL:
            out[:] = back[street.node[i, 5], seat]
        else:
            out[:] = np.float32(0.0)
            for e in range(street.node[i, 2], street.node[i, 3]):
                below = values[street.child[e]]
                if street.node[i, 1] == seat:
                    chance = policy[street.node[i, 4] + e - street.node[i, 2]]
                    for h in range(len(out)):
                        out[h] += chance[h] * below[h]
                else:
                    for h in range(len(out)):
                        out[h] += below[h]
    back[street.part[p, 2], seat] = values[0]


@kernel
def regret_rows(
    street: Street, p: Any, place: Any, seat: Any, bucket: Any, values: Any, weight: Any, table: Any
) -> None:
    """Add ``weight`` times what hands of ``seat`` regret to ``table`` (S,)."""
    start = street.part[p, 0]
    for h in range(len(bucket)):
        for i in range(start, street.part[p, 1]):
            if street.node[i, 0] == DECISION and street.node[i, 1] == seat:
                at, first = place[i, 0] + bucket[h] * place[i, 1], street.node[i, 2]
                for e in range(first, street.node[i, 3]):
                    table[at + e - first] += weight * (values[street.child[e], h] - values[i - start, h])


@kernel
def average_rows(
    street: Street, p: Any, place: Any, seat: Any, bucket: Any, policy: Any, nodes: Any, weight: Any, table: Any
) -> None:
    """Add ``weight`` times what a range ``nodes`` (m, n) of ``seat`` does by ``policy`` (rows, n) to ``table`` (S,)."""
    start = street.part[p, 0]
    for h in range(len(bucket)):
        for i in range(start, street.part[p, 1]):
            if street.node[i, 0] == DECISION and street.node[i, 1] == seat:
                at, row = place[i, 0] + bucket[h] * place[i, 1], street.node[i, 4]
                share = weight * (nodes[i - start, h] + STEP)
                for k in range(street.node[i, 3] - street.node[i, 2]):
                    table[at + k] += share * policy[row + k, h]


@kernel
def learn_part(
    street: Street, number: Any, p: Any, places: Any, batch: Batch, weight: Any, tables: Any, room: Any
) -> None:
    """Let both players learn in a subtree of street ``number``, board after board.

    Args:
        places: by who (m, 2): see :func:`match_rows`.
        tables: the learner's regrets, the rival's, and the learner's average.
        room: nodes (2, 2, m, n), values (m, n), mass (53,).
    """
    nodes, values, mass = room
    for k in range(len(batch.a)):
        a, b, back, policies = batch.a[k], batch.b[k], batch.back[k], batch.policies[k]
        own, rivals = batch.buckets[0, number, k], batch.buckets[1, number, k]
        for who in range(2):
            reach(street, p, batch.come[k, who], policies[who], nodes[who])
        for seat in range(2):
            go_up(street, p, a, b, seat, policies[0], nodes[1, 1 - seat], back[0], values, mass)
            regret_rows(street, p, places[0], seat, own, values, weight, tables[0])
            average_rows(street, p, places[0], seat, own, policies[0], nodes[0, seat], weight, tables[2])
            go_up(street, p, a, b, seat, policies[1], nodes[0, 1 - seat], back[1], values, mass)
            regret_rows(street, p, places[1], seat, rivals, values, weight, tables[1])


# -- the river ---------------------------------------------------------------------------------------------------------


@kernel
def side_by_side(come: Any, roots: Any, out: Any) -> None:
    """Fill ``out`` (2, n, S) with the ranges at some roots of ``come`` (roots, 2, n)."""
    for seat in range(2):
        for start in range(0, len(roots), LANES):
            for h in range(out.shape[1]):
                for s in range(start, min(start + LANES, len(roots))):
                    out[seat, h, s] = come[roots[s], seat, h]


@kernel
def row_numbers(places: Any, buckets: Any, out: Any) -> None:
    """Fill ``out`` (blocks, 2, n * 16) with the packed row of each hand in each lane: ``places`` (2, n, S), ``buckets`` a seat."""
    n, lanes = places.shape[1], places.shape[2]
    for seat in range(2):
        for h in range(n):
            for s in range(lanes):
                out[s // LANES, seat, LANES * h + s % LANES] = (2 * s + seat) * buckets + places[seat, h, s]
            for s in range(lanes, LANES * len(out)):  # no subtree: rows that nobody else has
                out[s // LANES, seat, LANES * h + s % LANES] = (2 * s + seat) * buckets


@kernel
def match_packed(shape: RiverShape, first: Any, regret: Any, policy: Any, start: Any, end: Any, buckets: Any) -> None:
    """Fill rows ``start`` to ``end`` - 1 of ``policy`` (R, 16) with regret matching in ``regret``.

    ``first`` (d,) is the number of each decision's first action among its seat's.
    """
    for row in range(start, end):
        seat = (row // buckets) % 2
        for d in range(len(first)):
            if shape.decision[d, 0] != seat:
                continue
            count = shape.decision[d, 2] - shape.decision[d, 1]
            total = np.float32(0.0)
            for k in range(first[d], first[d] + count):
                total += max(regret[row, k], np.float32(0.0))
            for k in range(first[d], first[d] + count):
                if total > 0.0:
                    policy[row, k] = max(regret[row, k], np.float32(0.0)) / total
                else:
                    policy[row, k] = np.float32(1.0) / np.float32(count)


@kernel
def take_lanes(come: Any, roots: Any, seat: Any, out: Any) -> None:
    """Fill ``out`` (n * 16,) with the ranges of ``seat`` at some roots (at most 16) side by side, each hand at least STEP."""
    for s in range(LANES):
        if s < len(roots):
            line = come[roots[s], seat]
            for h in range(len(line)):
                out[LANES * h + s] = line[h] + STEP
        else:
            for h in range(len(out) // LANES):
                out[LANES * h + s] = np.float32(0.0)


@kernel
def give_lanes(found: Any, roots: Any, seat: Any, back: Any) -> None:
    """Write what hands win at some roots, ``found`` (n * 16,), into ``back`` (roots, 2, n)."""
    for s in range(len(roots)):
        line = back[roots[s], seat]
        for h in range(len(line)):
            line[h] = found[LANES * h + s]


@kernel
def replies(shape: RiverShape, first: Any, seat: Any, values: Any, left: Any, out: Any) -> None:
    """Fill the sequences of ``out`` (A + 1, n * 16) with a range, given first, whose hands take their best actions.

    ``values`` (t + d, n * 16) are those that :func:`respond` found. Of equal actions the first is taken.
    """
    ends = len(shape.end)
    for d in range(len(first)):
        if shape.decision[d, 0] != seat:
            continue
        best = values[ends + d]
        left[:] = out[shape.above[seat, first[d]]]
        for e in range(shape.decision[d, 1], shape.decision[d, 2]):
            earned, line = values[shape.child[e]], out[first[d] + e - shape.decision[d, 1] + 1]
            for x in range(len(left)):
                taken = left[x] if earned[x] >= best[x] else np.float32(0.0)
                line[x] = taken
                left[x] = left[x] - taken


@kernel
def learn_lanes(
    shape: RiverShape, first: Any, seat: Any, which: Any, policy: Any, regret: Any, average: Any, reaches: Any, values: Any,
    up: Any, down: Any, room: Any,
) -> None:  # fmt: skip
    """Let hands of ``seat`` learn: ``values`` (t + d, n * 16), the ends' given, become what they win at all nodes.

    ``reaches`` (A + 1, n * 16) are the hands' own sequences; ``up`` and ``down`` lane rows of the weight and minus it.
    ``room``: chances, gained and numbers (256,), one (16,).
    """
    chances, gained, numbers, one = room
    n, ends, actions = values.shape[1] // LANES, len(shape.end), shape.actions[seat]
    flat, own = values.reshape(-1), reaches.reshape(-1)
    gained[:] = 0.0
    for h in range(n):
        turn_in(policy, which, LANES * h, 0, chances)
        for d in range(len(first) - 1, -1, -1):
            at, start, end = (ends + d) * n + h, shape.decision[d, 1], shape.decision[d, 2]
            if shape.decision[d, 0] != seat:
                times(flat, at, flat, shape.child[start] * n + h, one, 0)
                for e in range(start + 1, end):
                    plus(flat, at, flat, shape.child[e] * n + h)
                continue
            times(flat, at, flat, shape.child[start] * n + h, chances, first[d])
            for e in range(start + 1, end):
                times(numbers, 0, flat, shape.child[e] * n + h, chances, first[d] + e - start)
                plus(flat, at, numbers, 0)
            times(numbers, 0, flat, at, down, 0)
            for e in range(start, end):
                times(gained, first[d] + e - start, flat, shape.child[e] * n + h, up, 0)
                plus(gained, first[d] + e - start, numbers, 0)
        turn_in(regret, which, LANES * h, 0, numbers)
        for k in range(actions):
            plus(numbers, k, gained, k)
        turn_out(regret, which, LANES * h, 0, numbers)
        turn_in(average, which, LANES * h, 0, numbers)
        for k in range(actions):
            times(chances, 0, own, (k + 1) * n + h, up, 0)
            plus(numbers, k, chances, 0)
        turn_out(average, which, LANES * h, 0, numbers)


@kernel
def learn_block(
    shape: RiverShape, first: Any, block: Any, roots: Any, tables: Any, factors: Any, batch: Batch, weight: Any, span: Any,
    room: Any,
) -> None:  # fmt: skip
    """Let the learner of either seat meet its rival's best replies in at most sixteen subtrees of the river, board after board.

    Args:
        first: see :func:`match_packed`; block: its number in the batch's ``which``; roots: their numbers.
        tables: policy, regret and average (R, 16); factors: (2, t, 48): see :func:`terminal_values`.
        span: the block's rows: first, one past the last, and how many a seat has in a subtree.
        room: chances (256,), reaches and answers (A + 1, n * 16), mass (53 * 16,), values (t + d, n * 16), left (n * 16,),
            gained and numbers (256,), one, up and down (16,).
    """
    policy, regret, average = tables
    chances, reaches, answers, mass, values, left, gained, numbers, one, up, down = room
    up[:] = weight
    down[:] = -weight
    match_packed(shape, first, regret, policy, span[0], span[1], span[2])
    top = len(shape.end) if len(shape.decision) else 0
    for k in range(len(batch.a)):
        cards = Cards(batch.a[k], batch.a[k], batch.b[k], batch.ends[k])
        which, come, back = batch.which[k, block], batch.come[k], batch.back[k]
        for seat in range(2):
            take_lanes(come[0], roots, seat, reaches[0])
            spread(shape, seat, policy, which[seat], chances, reaches)
            terminal_values(shape, cards, 1 - seat, reaches, factors[1 - seat], mass, values)
            respond(shape, 1 - seat, one, values)
            give_lanes(values[top], roots, 1 - seat, back[1])
            take_lanes(come[1], roots, 1 - seat, answers[0])
            replies(shape, first, 1 - seat, values, left, answers)
            terminal_values(shape, cards, seat, answers, factors[seat], mass, values)
            learn_lanes(
                shape, first, seat, which[seat], policy, regret, average, reaches, values, up, down,
                (chances, gained, numbers, one),
            )  # fmt: skip
            give_lanes(values[top], roots, seat, back[0])
