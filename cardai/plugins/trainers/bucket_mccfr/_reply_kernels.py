"""Kernels of CFR-BR's river: the learner's ranges, its rival's best replies and what is learned from them, sixteen subtrees at once.

A lane is a subtree (:mod:`cardai.poker.ranges._lanes`). What a hand has lies side by side: its *slots*, one for each sequence
of its seat's actions, those at showdowns first and in their order, then the others at which the hand ends. So one sweep over
the hands, weakest first, has the sums of all ends at once, and what a hand wins is known, answered and learned from before
the next one comes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.ranges._lanes import (
    LANES,
    add_chosen,
    add_out,
    add_span,
    apart,
    below_span,
    best_of,
    copy,
    fold_chosen,
    fold_of,
    gain_of,
    match,
    mean_of,
    plus,
    sum_of,
    take_best,
    times,
    turn_in,
    turn_out,
    up_to_span,
)


class Plan(NamedTuple):
    """A subtree's shape: d decisions, parents before children, and t ends, showdowns first."""

    decision: Any  # (d, 3) int64: seat, first of its children, one past the last
    child: Any  # (e,) int64: the number of an end, or t and a decision's number
    first: Any  # (d,) int64: the number of each decision's first action among its seat's
    actions: Any  # (2,) int64: how many each seat has
    slot: Any  # (2, A) int64: by seat, the slot after each of its actions
    above: Any  # (2, A) int64: the slot before it
    begin: Any  # (2,) int64: the slot of those who have not acted
    fold: Any  # (2, f) int64: by seat, the slot of its sequence at each fold
    used: Any  # (2,) int64: how many slots, the first ones, are at ends
    shown: Any  # int64: how many showdowns there are


class Board(NamedTuple):
    """A board's hands: n of them, in ascending order of strength."""

    low: Any  # (n,) int64: one card of each, from 1
    high: Any  # (n,) int64: the other
    ends: Any  # (n,) int64: one past the last of equal strength


class Room(NamedTuple):
    """What a block of sixteen subtrees is worked out in, float32; Q slots, W = 16 actions."""

    chances: Any  # (W * 16,)
    reaches: Any  # (n * Q * 16,)
    answers: Any  # (n * Q,) uint16: the lanes in which a hand goes there
    start: Any  # (n * 16,)
    found: Any  # (n * 16,)
    mass: Any  # (2, 53 * Q * 16): of reaches and of answers, by card
    lower: Any  # (53 * Q * 16,)
    sums: Any  # (n * Q * 16,)
    values: Any  # (n * (t + d) * 16,)
    met: Any  # (Q * 16,)
    numbers: Any  # (W * 16,)
    rows: Any  # (2 * 16,): the weight, and the least range


UP, LEAST = 0, 1
"""The lane rows of ``Room.rows``."""


@kernel
def match_packed(plan: Plan, regret: Any, policy: Any, start: Any, end: Any, buckets: Any) -> None:
    """Fill rows ``start`` to ``end`` - 1 of ``policy`` (R, 16), ``buckets`` a seat, with regret matching in ``regret``."""
    which, columns = np.empty(LANES, np.int32), np.empty(LANES * LANES, np.float32)
    for part in range(start, end, buckets):
        seat = (part // buckets) % 2
        for row in range(part, part + buckets, LANES):
            for i in range(LANES):
                which[i] = min(row + i, part + buckets - 1)
            turn_in(regret, which, 0, 0, columns)
            for d in range(len(plan.first)):
                count = plan.decision[d, 2] - plan.decision[d, 1]
                if plan.decision[d, 0] == seat:
                    match(columns, plan.first[d], count)
            turn_out(policy, which, 0, 0, columns)


@kernel
def take_lanes(come: Any, which: Any, least: Any, out: Any) -> None:
    """Fill ``out`` (n * 16,) with sixteen rows ``which`` of ``come`` (R, n) side by side, and at least the lane row ``least``."""
    n = come.shape[1]
    for h in range(0, n - LANES, LANES):
        turn_in(come, which, 0, h, out)
    turn_in(come, which, 0, n - LANES, out)
    for h in range(n):
        plus(out, h, least, LEAST)


@kernel
def give_lanes(found: Any, which: Any, back: Any) -> None:
    """Write ``found`` (n * 16,) into sixteen rows ``which`` of ``back`` (R, n)."""
    n = back.shape[1]
    for h in range(0, n - LANES, LANES):
        turn_out(back, which, 0, h, found)
    turn_out(back, which, 0, n - LANES, found)


@kernel
def bring(plan: Plan, seat: Any, board: Board, policy: Any, which: Any, average: Any, room: Room) -> None:
    """Take the ranges ``room.start`` of ``seat`` through its slots, and add what it does, times the weight, to ``average``.

    ``policy`` and ``average`` (R, 16) have a seat's actions in one subtree side by side, ``which`` (n * 16,) the row of each
    hand in each lane. Fills ``chances``, ``reaches`` and the first ``mass``.
    """
    numbers, rows, mass, start, low, high = room.numbers, room.rows, room.mass[0], room.start, board.low, board.high
    chances, reaches, used, width = room.chances, room.reaches, plan.used[seat], len(room.met) // LANES
    slot, above, begin, actions = plan.slot[seat], plan.above[seat], plan.begin[seat], plan.actions[seat]
    mass[:] = np.float32(0.0)
    numbers[:] = np.float32(0.0)
    for h in range(len(low)):
        at = h * width
        turn_in(policy, which, LANES * h, 0, chances)
        copy(reaches, at + begin, start, h)
        for a in range(actions):
            times(reaches, at + slot[a], reaches, at + above[a], chances, a)
            times(numbers, a, reaches, at + slot[a], rows, UP)
        add_out(average, which, LANES * h, 0, numbers, 0, LANES)
        add_span(mass, low[h], high[h], reaches, at, used)


@kernel
def sum_level(
    low: Any, high: Any, start: Any, end: Any, shown: Any, reaches: Any, answers: Any, width: Any, lower: Any, sums: Any
) -> None:
    """Fill ``sums`` for hands ``start`` to ``end`` - 1 of one strength: the weight that is weaker, and that is no stronger.

    ``reaches`` are all slots' or, with ``answers``, what goes to those that they have.
    """
    for k in range(start, end):
        below_span(sums, (k - start) * shown, lower, low[k], high[k], shown)
    for k in range(start, end):
        if len(answers):
            add_chosen(lower, low[k], high[k], reaches, k, answers, k * width, shown)
        else:
            add_span(lower, low[k], high[k], reaches, k * width, shown)
    for k in range(start, end):
        up_to_span(sums, (k - start) * shown, lower, low[k], high[k], shown)


@kernel
def end_values(
    low: Any, high: Any, start: Any, end: Any, fold: Any, used: Any, shown: Any, won: Any, reaches: Any, answers: Any,
    mass: Any, sums: Any, met: Any, nodes: Any, values: Any,
) -> None:  # fmt: skip
    """Fill the ends of ``values`` with what hands ``start`` to ``end`` - 1 win from ``reaches`` (see :func:`sum_level`).

    ``fold`` (f,) are the other's slots there; ``won`` (t * 16,) is what is won; a hand has ``nodes`` lane rows of values.
    """
    width = len(met) // LANES
    for k in range(start, end):
        at = (k - start) * nodes
        below_span(met, 0, mass, low[k], high[k], used)
        apart(values, at, sums, (k - start) * shown, met, won, shown)
        if len(answers):
            fold_chosen(values, at, met, fold, reaches, k, answers, k * width, won, shown, len(fold))
        else:
            fold_of(values, at, met, fold, reaches, k * width, won, shown, len(fold))


@kernel
def best_values(decision: Any, child: Any, seat: Any, count: Any, nodes: Any, values: Any) -> None:
    """Fill ``count`` hands' ``values`` at decisions, from the ends' on: what they win if ``seat`` answers best."""
    ends = nodes - len(decision)
    for k in range(count):
        at = k * nodes
        for d in range(len(decision) - 1, -1, -1):
            if decision[d, 0] == seat:
                best_of(values, at + ends + d, at, child, decision[d, 1], decision[d, 2])
            else:
                sum_of(values, at + ends + d, at, child, decision[d, 1], decision[d, 2])


@kernel
def take_actions(
    decision: Any, child: Any, first: Any, seat: Any, slot: Any, above: Any, at: Any, count: Any, width: Any, nodes: Any,
    values: Any, answers: Any,
) -> None:  # fmt: skip
    """Say through which slots ``count`` hands go, numbers ``at`` and on of ``answers``: the best action takes all."""
    for k in range(count):
        j, own = k * nodes, at + k * width
        for d in range(len(decision)):
            if decision[d, 0] == seat:
                a, best = first[d], j + nodes - len(decision) + d
                before = own + above[a]
                take_best(answers, own, slot, values, j, child, decision[d, 1], decision[d, 2], best, before, a)


@kernel
def answer(plan: Plan, seat: Any, board: Board, won: Any, room: Room) -> None:
    """Let hands of ``seat``, whose ranges are in ``room.start``, take their best actions against ``room.reaches``.

    Fills ``found`` with what they win, ``answers`` and the second ``mass``. Of equal actions the first is taken.
    """
    values, lower, sums, met = room.values, room.lower, room.sums, room.met
    reaches, mass, answers, replied, width = room.reaches, room.mass[0], room.answers, room.mass[1], len(met) // LANES
    low, high, decision, child, first = board.low, board.high, plan.decision, plan.child, plan.first
    fold, used, shown, slot, above = (
        plan.fold[1 - seat],
        plan.used[1 - seat],
        plan.shown,
        plan.slot[seat],
        plan.above[seat],
    )
    nodes, root = shown + len(fold) + len(decision), shown + len(fold) if len(decision) else 0
    lower[:] = np.float32(0.0)
    replied[:] = np.float32(0.0)
    answers[plan.begin[seat] :: width] = 65535
    one = 0
    while one < len(low):
        last = board.ends[one]
        sum_level(low, high, one, last, shown, reaches, answers[:0], width, lower, sums)
        end_values(low, high, one, last, fold, used, shown, won, reaches, answers[:0], mass, sums, met, nodes, values)
        best_values(decision, child, seat, last - one, nodes, values)
        at, count = one * width, last - one
        take_actions(decision, child, first, seat, slot, above, at, count, width, nodes, values, answers)
        for k in range(one, last):
            copy(room.found, k, values, (k - one) * nodes + root)
            add_chosen(replied, low[k], high[k], room.start, k, answers, k * width, plan.used[seat])
        one = last


@kernel
def learn_hands(
    decision: Any, child: Any, first: Any, seat: Any, start: Any, end: Any, nodes: Any, which: Any, policy: Any, chances: Any,
    weight: Any, values: Any, gained: Any, regret: Any,
) -> None:  # fmt: skip
    """Fill the ``values`` of hands ``start`` to ``end`` - 1 at decisions, and add what ``seat`` regrets there to ``regret``."""
    ends = nodes - len(decision)
    for k in range(start, end):
        at = (k - start) * nodes
        turn_in(policy, which, LANES * k, 0, chances)
        for d in range(len(decision) - 1, -1, -1):
            own, begin, last, a = at + ends + d, decision[d, 1], decision[d, 2], first[d]
            if decision[d, 0] == seat:
                mean_of(values, own, at, child, begin, last, chances, a)
                gain_of(gained, a, values, at, child, begin, last, own, weight)
            else:
                sum_of(values, own, at, child, begin, last)
        add_out(regret, which, LANES * k, 0, gained, 0, LANES)


@kernel
def learn_lanes(
    plan: Plan, seat: Any, board: Board, won: Any, which: Any, policy: Any, regret: Any, weight: Any, room: Room
) -> None:
    """Let hands of ``seat`` learn against ``room.start``, which goes to ``room.answers``: add to ``regret`` (R, 16), and fill ``found`` with what they win."""
    values, lower, sums, met, gained = room.values, room.lower, room.sums, room.met, room.numbers
    start, answers, mass, chances, width = room.start, room.answers, room.mass[1], room.chances, len(met) // LANES
    low, high, decision, child, first = board.low, board.high, plan.decision, plan.child, plan.first
    fold, used, shown = plan.fold[1 - seat], plan.used[1 - seat], plan.shown
    nodes, root = shown + len(fold) + len(decision), shown + len(fold) if len(decision) else 0
    lower[:] = np.float32(0.0)
    gained[:] = np.float32(0.0)
    one = 0
    while one < len(low):
        last = board.ends[one]
        sum_level(low, high, one, last, shown, start, answers, width, lower, sums)
        end_values(low, high, one, last, fold, used, shown, won, start, answers, mass, sums, met, nodes, values)
        learn_hands(
            decision, child, first, seat, one, last, nodes, which, policy, chances, weight, values, gained, regret
        )
        for k in range(one, last):
            copy(room.found, k, values, (k - one) * nodes + root)
        one = last


@kernel
def learn_block(
    plan: Plan, boards: Any, which: Any, come: Any, back: Any, roots: Any, tables: Any, won: Any, weight: Any, span: Any,
    room: Room,
) -> None:  # fmt: skip
    """Let the learner of either seat meet its rival's best replies in at most sixteen subtrees of the river, board after board.

    Args:
        boards: low, high and ends (B, n) of :class:`Board`; which: (B, 2, n * 16) packed rows of hands.
        come, back: (B, 2, roots * 2, n) by who, root and seat; roots: (2, 16) int32 by seat the rows there.
        tables: policy, regret and average (R, 16); won: (2, t * 16) by seat.
        span: the block's rows: first, one past the last, and how many a seat has in a subtree.
    """
    policy, regret, average = tables
    room.rows[LANES * UP : LANES * LEAST] = weight
    match_packed(plan, regret, policy, span[0], span[1], span[2])
    for k in range(len(which)):
        board = Board(boards[0][k], boards[1][k], boards[2][k])
        for seat in range(2):
            take_lanes(come[k, 0], roots[seat], room.rows, room.start)
            bring(plan, seat, board, policy, which[k, seat], average, room)
            take_lanes(come[k, 1], roots[1 - seat], room.rows, room.start)
            answer(plan, 1 - seat, board, won[1 - seat], room)
            give_lanes(room.found, roots[1 - seat], back[k, 1])
            learn_lanes(plan, seat, board, won[seat], which[k, seat], policy, regret, weight, room)
            give_lanes(room.found, roots[seat], back[k, 0])
