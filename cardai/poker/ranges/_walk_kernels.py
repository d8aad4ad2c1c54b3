"""The walk through a public tree: strategies and reach on the way down, values and regrets on the way up.

A *street* has a forest of public nodes, the same on each of its boards: its R roots come first, and the child behind slot s
(an action at a decision) is node R + s, parents before children. Vectors are over the hands of one board. T is the dtype of
vectors, float32 or float64; masses and sums over chance are float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.ranges._kept_kernels import remember, update
from cardai.poker.ranges._lanes import LANES, add, below, close, quotient, turn_in, turn_out, up_to
from cardai.solve.discounting import discount, kept

TRAIN, EXPECT, RESPOND = 0, 1, 2
"""What a walk does: an iteration of CFR, values of the average strategies, values of the best response to them."""
ZERO, ONE, POSITIVE, NEGATIVE, KEEP, SHARE = 0, 1, 2, 3, 4, 4
"""Places in ``numbers`` (T): constants, this iteration's discounts, and 1 / A at SHARE + A."""
MOST_ACTIONS = 40


class Street(NamedTuple):
    """What does not change: N nodes, S slots, C chance nodes, B boards with up to H hands each, I images."""

    roots: int  # R
    actor: Any  # (N,) int8: seat
    first_slot: Any  # (N,) int32
    num_actions: Any  # (N,) int32, 0 unless it is a decision
    chance: Any  # (C,) int32: the node that root i of the next street follows
    row_of: Any  # (2, N) int32: the row of ``reach`` of each player there
    columns: Any  # (2, 16 x batches) int32: the rows of the opponent's reach at ends, by player
    targets: Any  # (16 x batches,) int32: the ends' nodes (N where there is none)
    factors: Any  # (2, 48 x batches) float64, by player: see _lanes.close
    sorted_batches: int  # the first batches, with showdowns
    count: Any  # (B,) int32 hands
    first_child: Any  # (B,) int32 boards of the next street
    num_children: Any  # (B,) int32
    low: Any  # (B, H) uint8: one more than a hand's cards
    high: Any  # (B, H) uint8
    ends: Any  # (B, H) uint16: one past the last place of equal strength
    ups: Any  # (I, H) uint16: the place of each hand among those of the board before
    first_image: Any  # (B + 1,) int32: a board stands for all its images, suits renamed
    factor: float  # the probability of each card of the next street
    lock_of: Any  # (N,) int32: which of the locked nodes it is, -1 none; (0,) where nothing is locked
    lock_row: (
        Any  # (L, B) int32: the first row of a locked node's actions in ``locked``, -1 on a board where it is free
    )
    locked: Any  # (rows, H) float64: how often a hand must take an action; below 0 where it is free
    forced: Any  # (H,) float64: the share of each hand that must play on at the first node, a gadget; (0,) where there is none


class WalkBuffers(NamedTuple):
    """What changes, of one street."""

    regrets: Any  # (B x S, H) T; or int16, in units of ``units``
    sums: Any  # (B x S, H) T or int16: the average strategies times their weights
    units: Any  # (2, B, N) float32: what 1 is at a decision, in regrets and in sums; None where both are T
    fresh: Any  # (most actions, H) T room beside int16; None elsewhere
    reach: Any  # (2 R + S + 1, H) T: both players' at roots, the actor's behind each slot, a row of zeros
    sigma: Any  # (S, H) T
    values: Any  # (N + 1, H) T
    total: Any  # (H,) T
    spare: Any  # (H,) T
    columns: Any  # (16 H,) T
    out: Any  # (16 H,) T
    mass: Any  # (16 x (cards + 1),) float64
    passed: Any  # (C, H) float64: what chance's children are worth together


@kernel
def _add_positive(row: Any, total: Any, zero: Any, n: Any) -> None:
    for h in range(n):
        total[h] += row[h] if row[h] > zero else zero


@kernel
def _scales(total: Any, spare: Any, share: Any, zero: Any, one: Any, n: Any) -> None:
    """Turn totals of positive regret into what they are multiplied with, and what is added (where there is none)."""
    for h in range(n):
        spare[h] = zero if total[h] > zero else share
    for h in range(n):
        total[h] = quotient(one, total[h]) if total[h] > zero else zero


@kernel
def _probabilities(row: Any, total: Any, spare: Any, out: Any, zero: Any, n: Any) -> None:
    for h in range(n):
        out[h] = (row[h] if row[h] > zero else zero) * total[h] + spare[h]


@kernel
def _product(first: Any, second: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] = first[h] * second[h]


@kernel
def _add_product(first: Any, second: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] += first[h] * second[h]


@kernel
def _add(row: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] += row[h]


@kernel
def _copy(row: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] = row[h]


@kernel
def _take_larger(row: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] = row[h] if row[h] > out[h] else out[h]


@kernel
def first_locked(street: Any, node: Any, board: Any) -> Any:
    """Return the first row of the locked frequencies of a decision on a board, -1 where no hand's are."""
    if len(street.lock_of) == 0:
        return -1
    which = street.lock_of[node]
    return np.int64(street.lock_row[which, board]) if which >= 0 else -1


@kernel
def _obey(locked: Any, row: Any, n: Any) -> None:
    for h in range(n):
        if locked[h] >= 0.0:
            row[h] = locked[h]


@kernel
def _forget(locked: Any, row: Any, zero: Any, n: Any) -> None:
    for h in range(n):
        if locked[h] >= 0.0:
            row[h] = zero


@kernel
def _add_locked(locked: Any, sigma: Any, value: Any, out: Any, n: Any) -> None:
    for h in range(n):
        if locked[h] >= 0.0:
            out[h] += sigma[h] * value[h]


@kernel
def _force(forced: Any, action: Any, row: Any, n: Any) -> None:
    """Turn how often hands at a gadget take action 0 (the promise) or 1 into how often those do that have no choice as well."""
    for h in range(n):
        row[h] = row[h] * (1.0 - forced[h]) + action * forced[h]


@kernel
def _unforce(forced: Any, value: Any, mean: Any, n: Any) -> None:
    """Take those who have no choice, worth ``value`` (H,), out of the ``mean`` (H,) at a gadget."""
    for h in range(n):
        mean[h] = (mean[h] - forced[h] * value[h]) / (1.0 - forced[h])


@kernel
def enter(street: Any, work: Any, board: Any, player: Any, mode: Any, numbers: Any) -> None:
    """Set sigma and reach of a board's nodes from the reach at its roots; when training, add to the player's average."""
    n, slots, offset = street.count[board], len(work.sigma), 2 * street.roots
    zero, one = numbers[ZERO], numbers[ONE]
    for node in range(len(street.actor)):
        actions = street.num_actions[node]
        if actions == 0:
            continue
        actor, first = street.actor[node], street.first_slot[node]
        source = board * slots + first
        for h in range(n):
            work.total[h] = zero
        for a in range(actions):
            _add_positive(work.regrets[source + a], work.total, zero, n)
        _scales(work.total, work.spare, numbers[SHARE + actions], zero, one, n)
        own, lock = work.reach[street.row_of[actor, node]], first_locked(street, node, board)
        for a in range(actions):
            sigma, reach = work.sigma[first + a], work.reach[offset + first + a]
            _probabilities(work.regrets[source + a], work.total, work.spare, sigma, zero, n)
            if lock >= 0:
                _obey(street.locked[lock + a], sigma, n)
            if mode == TRAIN and node == 0 and len(street.forced) > 0:
                _force(street.forced, a, sigma, n)
            _product(own, sigma, reach, n)
        if mode == TRAIN and actor == player:
            place = board, node, source
            remember(work.sums, work.units, work.fresh, place, actions, work.reach, offset + first, numbers[KEEP], n)


@kernel
def ends_of_hands(street: Any, work: Any, board: Any, player: Any) -> None:
    """Set the values of folds and showdowns, sixteen at a time: two sweeps in order of strength (Johanson et al. 2011)."""
    n, low, high, ends = street.count[board], street.low[board], street.high[board], street.ends[board]
    mass, columns, out = work.mass, work.columns, work.out
    for batch in range(len(street.targets) // LANES):
        start = LANES * batch
        for h in range(0, n, LANES):
            turn_in(work.reach, street.columns[player], start, h, columns)
        for i in range(len(mass)):
            mass[i] = 0.0
        if batch < street.sorted_batches:
            first = 0
            while first < n:
                last = np.int64(ends[first])
                for k in range(first, last):
                    below(out, k, mass, low[k], high[k])
                for k in range(first, last):
                    add(mass, low[k], high[k], columns, k)
                for k in range(first, last):
                    up_to(out, k, mass, low[k], high[k])
                first = last  # type: ignore[assignment]
        else:
            for k in range(n):
                add(mass, low[k], high[k], columns, k)
        for k in range(n):
            close(out, k, mass, low[k], high[k], columns, street.factors[player], batch)
        for h in range(0, n, LANES):
            turn_out(work.values, street.targets, start, h, out)


@kernel
def _learn(street: Any, work: Any, board: Any, node: Any, mean: Any, numbers: Any) -> None:
    """Update the regrets of a decision; ``mean`` (H,): what it is worth. Locked hands have none."""
    n, first, actions = street.count[board], street.first_slot[node], street.num_actions[node]
    source, lock = board * len(work.sigma) + first, first_locked(street, node, board)
    place = board, node, source
    rates = numbers[POSITIVE], numbers[NEGATIVE], numbers[ZERO]
    update(work.regrets, work.units, work.fresh, place, actions, work.values, street.roots + first, mean, rates, n)
    if lock >= 0:
        for a in range(actions):
            _forget(street.locked[lock], work.regrets[source + a], work.regrets[0, 0] - work.regrets[0, 0], n)


@kernel
def leave(street: Any, work: Any, board: Any, player: Any, mode: Any, numbers: Any) -> None:
    """Set the values (T) of a board's nodes for the player; when training, update the player's regrets."""
    n, roots = street.count[board], street.roots
    ends_of_hands(street, work, board, player)
    for i in range(len(street.chance)):
        value = work.values[street.chance[i]]
        for h in range(n):
            value[h] = work.passed[i, h] * street.factor
    for node in range(len(street.actor) - 1, -1, -1):
        actions = street.num_actions[node]
        if actions == 0:
            continue
        first, value = street.first_slot[node], work.values[node]
        if street.actor[node] != player:
            _copy(work.values[roots + first], value, n)
            for a in range(1, actions):
                _add(work.values[roots + first + a], value, n)
        elif mode == RESPOND:
            _copy(work.values[roots + first], value, n)
            for a in range(1, actions):
                _take_larger(work.values[roots + first + a], value, n)
            lock = first_locked(street, node, board)
            if lock >= 0:
                _forget(street.locked[lock], value, numbers[ZERO], n)
                for a in range(actions):
                    _add_locked(street.locked[lock], work.sigma[first + a], work.values[roots + first + a], value, n)
        else:
            _product(work.sigma[first], work.values[roots + first], value, n)
            for a in range(1, actions):
                _add_product(work.sigma[first + a], work.values[roots + first + a], value, n)
            if mode == TRAIN:
                if node == 0 and len(street.forced) > 0:
                    _unforce(street.forced, work.values[roots + first + 1], value, n)
                _learn(street, work, board, node, value, numbers)


@kernel
def deal(before: Any, above: Any, street: Any, work: Any, board: Any) -> None:
    """Set the reach at a board's roots from the chance nodes of the board before (``before``, ``above``)."""
    n, up = street.count[board], street.ups[street.first_image[board]]
    for root in range(street.roots):
        node = before.chance[root]
        for seat in range(2):
            source, reach = above.reach[before.row_of[seat, node]], work.reach[seat * street.roots + root]
            for h in range(n):
                reach[h] = source[up[h]]


@kernel
def hand_back(street: Any, board: Any, values: Any, passed: Any) -> None:
    """Add the values (R or more, H) of a board's roots to ``passed`` of the board before, all its images'."""
    n = street.count[board]
    for image in range(street.first_image[board], street.first_image[board + 1]):
        up = street.ups[image]
        for root in range(street.roots):
            value, sums = values[root], passed[root]
            for h in range(n):
                sums[up[h]] += value[h]


@kernel
def visit(
    streets: Any,
    works: Any,
    first: Any,
    last: Any,
    player: Any,
    mode: Any,
    numbers: Any,
    out: Any,
    stop_level: Any,
    stop_board: Any,
) -> Any:
    """Walk boards [first, last) of the second street, with all that follows, below a first street that was entered.

    ``out`` (last - first or more, R, H) gets the values of their roots; they are not handed back. Returns True, at once,
    when the board ``stop_board`` of street ``stop_level`` has been left.
    """
    at, following = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for board in range(first, last):
        top, arriving = 1, True
        at[top] = board
        while top > 0:
            street, work = streets[top], works[top]
            if arriving:
                deal(streets[top - 1], works[top - 1], street, work, at[top])
                enter(street, work, at[top], player, mode, numbers)
                work.passed[:] = 0.0
                following[top] = 0
            if following[top] < street.num_children[at[top]]:
                at[top + 1] = np.int64(street.first_child[at[top]]) + following[top]
                following[top] += 1
                top, arriving = top + 1, True
                continue
            leave(street, work, at[top], player, mode, numbers)
            if top == stop_level and at[top] == stop_board:
                return True
            if top > 1:
                hand_back(street, at[top], work.values, works[top - 1].passed)
            top, arriving = top - 1, False
        for root in range(streets[1].roots):
            _copy(works[1].values[root], out[board - first, root], streets[1].count[board])
    return False


@kernel
def collect(streets: Any, works: Any, out: Any) -> None:
    """Add up what :func:`visit` put into ``out`` for all children of the first board, in order."""
    works[0].passed[:] = 0.0
    for child in range(np.int64(streets[0].num_children[0])):
        hand_back(streets[1], child, out[child], works[0].passed)


@kernel
def set_discounts(t: Any, rule: Any, numbers: Any) -> None:
    """Set the discounts of iteration t; ``rule`` (3,) float64: alpha, beta, gamma."""
    numbers[POSITIVE], numbers[NEGATIVE] = discount(t - 1, rule[0]), discount(t - 1, rule[1])
    numbers[KEEP] = kept(t, rule[2], 0.0)


@kernel
def iterate(
    streets: Any,
    works: Any,
    done: Any,
    count: Any,
    rule: Any,
    numbers: Any,
    out: Any,
    players: Any,
    mode: Any,
    stop_level: Any,
    stop_board: Any,
) -> None:
    """Do ``count`` iterations of alternating discounted CFR after ``done`` of them.

    Each walks the tree for the players [players[0], players[1]). In other modes works[0].values[0] is then what each hand is
    worth at the root; with a ``stop_level`` of 0 or more the arrays of that street are those of ``stop_board``.
    """
    first = np.int64(0)  # of one type with other boards, so that kernels are compiled once
    for t in range(done + 1, done + count + 1):
        set_discounts(t, rule, numbers)
        for player in range(players[0], players[1]):
            enter(streets[0], works[0], first, player, mode, numbers)
            children = np.int64(streets[0].num_children[0])
            if visit(streets, works, first, children, player, mode, numbers, out, stop_level, stop_board):
                return
            collect(streets, works, out)
            leave(streets[0], works[0], first, player, mode, numbers)
