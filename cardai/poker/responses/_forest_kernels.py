"""The kernels that walk the river's betting in sixteen subtrees of one shape at once, with whole ranges.

A *lane* is a subtree. Everything a hand has at a node lies side by side for the sixteen (a lane row, see
:mod:`cardai.poker.ranges._lanes`), hand after hand in ascending order of strength. A *sequence* is what one seat has done:
its range is the same at all nodes that lie behind the same actions of its own, so an end of the hand needs no range of
its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cardai.core.kernel import kernel
from cardai.poker.ranges._lanes import LANES, add, below, close, plus, times, top, turn_in, up_to


class Shape(NamedTuple):
    """A subtree's shape: d decisions, parents before children, and t ends of the hand."""

    decision: Any  # (d, 3) int64: seat, first of its children, one past the last
    child: Any  # (e,) int64: the number of an end, or t and a decision's number
    above: Any  # (2, A) int64: by seat, for each of its actions the sequence before it; sequence 0 is none, action a ends a + 1
    actions: Any  # (2,) int64: how many each seat has
    end: Any  # (t, 3) int64: whether it is a showdown, and each seat's sequence there
    order: Any  # (2, t) int64: by seat, the ends by the other's sequence, showdowns first


class Cards(NamedTuple):
    """A board's hands: n of them, in ascending order of strength."""

    hands: Any  # (n,) int64: their numbers
    low: Any  # (n,) int64: one card of each, from 1
    high: Any  # (n,) int64: the other
    ends: Any  # (n,) int64: one past the last of equal strength


@kernel
def spread(shape: Shape, seat: Any, rows: Any, which: Any, chances: Any, reaches: Any) -> None:
    """Fill the sequences 1 and on of ``reaches`` (A + 1, n * 16), whose first is given, by the probabilities of ``seat``.

    ``rows`` (R, W) has all the actions of a seat in one subtree side by side, ``which`` (n * 16,) the row of each hand in
    each lane; ``chances`` (W * 16,) is room.
    """
    n, actions = len(which) // LANES, shape.actions[seat]
    flat = reaches.reshape(-1)
    for h in range(n):
        for block in range(0, actions, LANES):
            turn_in(rows, which, LANES * h, block, chances)
        for a in range(actions):
            times(flat, (a + 1) * n + h, flat, shape.above[seat, a] * n + h, chances, a)


@kernel
def showdowns(cards: Cards, reach: Any, mass: Any, out: Any) -> None:
    """Fill ``out`` (n * 16,) with the weight that is weaker, and the weight that is no stronger, by ``reach`` (n * 16,).

    ``mass`` (53 * 16,) becomes the weight of all hands (row 0) and of those with each card.
    """
    mass[:] = 0.0
    n, start = len(cards.hands), 0
    while start < n:
        end = cards.ends[start]
        for k in range(start, end):
            below(out, k, mass, cards.low[k], cards.high[k])
        for k in range(start, end):
            add(mass, cards.low[k], cards.high[k], reach, k)
        for k in range(start, end):
            up_to(out, k, mass, cards.low[k], cards.high[k])
        start = end


@kernel
def terminal_values(shape: Shape, cards: Cards, seat: Any, reaches: Any, factors: Any, mass: Any, values: Any) -> None:
    """Fill ``values`` (t, n * 16) with what hands of ``seat`` win at the ends from the other's ``reaches`` (A + 1, n * 16).

    ``factors`` (t, 48): what is won times (1, -1, 0) at showdowns and times (1, 0, 1) at folds, each for sixteen lanes.
    """
    n, known = len(cards.hands), -1
    for t in shape.order[seat]:
        sequence = shape.end[t, 2 - seat]
        reach, out, factor = reaches[sequence], values[t], factors[t]
        if shape.end[t, 0]:
            showdowns(cards, reach, mass, out)
        else:
            if sequence != known:
                mass[:] = 0.0
                for k in range(n):
                    add(mass, cards.low[k], cards.high[k], reach, k)
            for k in range(n):
                below(out, k, mass, cards.low[k], cards.high[k])
        known = sequence
        for k in range(n):
            close(out, k, mass, cards.low[k], cards.high[k], reach, factor, 0)


@kernel
def respond(shape: Shape, seat: Any, ones: Any, values: Any) -> None:
    """Fill ``values`` (t + d, n * 16), the ends' first and given, with what hands of ``seat`` win that answer best.

    ``ones`` is a lane row of ones.
    """
    n, first_decision = values.shape[1] // LANES, len(shape.end)
    flat = values.reshape(-1)
    for h in range(n):
        for d in range(len(shape.decision) - 1, -1, -1):
            at, first = (first_decision + d) * n + h, shape.decision[d, 1]
            times(flat, at, flat, shape.child[first] * n + h, ones, 0)
            for e in range(first + 1, shape.decision[d, 2]):
                if shape.decision[d, 0] == seat:
                    top(flat, at, flat, shape.child[e] * n + h)
                else:
                    plus(flat, at, flat, shape.child[e] * n + h)


@kernel
def walk(
    shape: Shape, cards: Cards, rows: Any, which: Any, factors: Any, ranges: Any, maps: Any, sums: Any, room: Any
) -> None:
    """Add to ``sums`` what each hand of either seat wins that answers best from the roots of sixteen subtrees on.

    Args:
        rows, which: (R, W) and (2, n * 16): see :func:`spread`.
        factors: (2, t, 48): see :func:`terminal_values`.
        ranges: (2, 1326, 16) both seats' at the roots.
        maps: (m, 1326) int64: hands under the renamings of suits that the board stands for.
        sums: (2, 1326, 16) float64.
        room: chances (W * 16,), reaches (A + 1, n * 16), mass (53 * 16,), values (t + d, n * 16), ones (16,).
    """
    chances, reaches, mass, values, ones = room
    n = len(cards.hands)
    for seat in range(2):
        if not ranges[1 - seat].any():
            continue
        start, total = ranges[1 - seat].reshape(-1), sums[seat].reshape(-1)
        for k in range(n):
            times(reaches[0], k, start, cards.hands[k], ones, 0)
        spread(shape, 1 - seat, rows, which[1 - seat], chances, reaches)
        terminal_values(shape, cards, seat, reaches, factors[seat], mass, values)
        respond(shape, seat, ones, values)
        found = values[len(shape.end) if len(shape.decision) else 0]
        for m in range(len(maps)):
            for k in range(n):
                plus(total, maps[m, cards.hands[k]], found, k)
