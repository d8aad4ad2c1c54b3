"""Sixteen columns at a time: the operations of :mod:`._terminal_kernels` as vector instructions.

numba's loops over sixteen numbers do not become vector instructions, so these are written in LLVM's own vectors, which
every machine has in some width. Interpreted, they are numpy rows, with the same results.

A *lane row* k of a flat array is its numbers [16 k, 16 k + 16). ``mass`` (M,) has the mass of all hands in lane
row 0 and that of the hands with card c in lane row c + 1. "Met" is ``mass[0] - mass[a] - mass[b]``: what remains for a hand
of the cards a and b (hands that hold both are taken out twice).
"""

# kernel constants

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardai.core.kernel import interpreted
from cardai.core.memory import need_compiler

LANES = 16
Operation = Callable[..., Any]


def row(array: Any, k: Any) -> Any:
    """Return a lane row, interpreted."""
    return array[LANES * int(k) : LANES * int(k) + LANES]


def _interpreted_rows() -> tuple[Operation, ...]:
    def times(out: Any, i: Any, x: Any, j: Any, y: Any, k: Any) -> None:
        row(out, i)[:] = row(x, j) * row(y, k)

    def plus(out: Any, i: Any, x: Any, j: Any) -> None:
        row(out, i)[:] += row(x, j)

    def top(out: Any, i: Any, x: Any, j: Any) -> None:
        import numpy

        row(out, i)[:] = numpy.maximum(row(out, i), row(x, j))

    return times, plus, top


def _interpreted_operations() -> tuple[Operation, ...]:
    def met(mass: Any, a: Any, b: Any) -> Any:
        return row(mass, 0) - row(mass, a) - row(mass, b)

    def turn_in(rows: Any, which: Any, first: Any, hand: Any, columns: Any) -> None:
        block = rows[which[first : first + LANES], hand : hand + LANES]
        columns[LANES * hand : LANES * (hand + LANES)] = block.T.reshape(-1)

    def turn_out(rows: Any, which: Any, first: Any, hand: Any, columns: Any) -> None:
        block = columns[LANES * hand : LANES * (hand + LANES)].reshape(LANES, LANES)
        rows[which[first : first + LANES], hand : hand + LANES] = block.T

    def add(mass: Any, a: Any, b: Any, columns: Any, k: Any) -> None:
        for place in (0, a, b):
            row(mass, place)[:] += row(columns, k)

    def below(out: Any, k: Any, mass: Any, a: Any, b: Any) -> None:
        row(out, k)[:] = met(mass, a, b)

    def up_to(out: Any, k: Any, mass: Any, a: Any, b: Any) -> None:
        row(out, k)[:] = row(out, k) + met(mass, a, b)

    def close(out: Any, k: Any, mass: Any, a: Any, b: Any, columns: Any, factors: Any, batch: Any) -> None:
        part = [row(factors, 3 * batch + i) for i in range(3)]
        row(out, k)[:] = part[0] * row(out, k) + part[1] * met(mass, a, b) + part[2] * row(columns, k)

    def quotient(x: Any, y: Any) -> Any:
        import numpy

        with numpy.errstate(divide="ignore", invalid="ignore"):
            return x / y

    return turn_in, turn_out, add, below, up_to, close, quotient, *_interpreted_rows()


def _interpreted_spans() -> tuple[Operation, ...]:
    def lines(array: Any, k: Any, count: Any) -> Any:
        return array[LANES * int(k) : LANES * int(k + count)]

    def met(mass: Any, a: Any, b: Any, count: Any) -> Any:
        whole, first, second = (lines(mass, int(place) * int(count), count) for place in (0, a, b))
        return whole - first - second

    def add_span(mass: Any, a: Any, b: Any, columns: Any, k: Any, count: Any) -> None:
        for place in (0, a, b):
            lines(mass, int(place) * int(count), count)[:] += lines(columns, k, count)

    def below_span(out: Any, k: Any, mass: Any, a: Any, b: Any, count: Any) -> None:
        lines(out, k, count)[:] = met(mass, a, b, count)

    def up_to_span(out: Any, k: Any, mass: Any, a: Any, b: Any, count: Any) -> None:
        lines(out, k, count)[:] += met(mass, a, b, count)

    def apart(out: Any, k: Any, sums: Any, j: Any, met: Any, won: Any, count: Any) -> None:
        amount = lines(won, 0, count)
        lines(out, k, count)[:] = amount * lines(sums, j, count) - amount * lines(met, 0, count)

    return add_span, below_span, up_to_span, apart


def _interpreted_choices() -> tuple[Operation, ...]:
    import numpy

    def copy(out: Any, i: Any, x: Any, j: Any) -> None:
        row(out, i)[:] = row(x, j)

    def times_less(out: Any, i: Any, x: Any, j: Any, y: Any, k: Any, w: Any, m: Any) -> None:
        row(out, i)[:] = row(w, m) * (row(x, j) - row(y, k))

    def part_in(rows: Any, which: Any, first: Any, hand: Any, columns: Any, k: Any, count: Any) -> None:
        flat, width = rows.reshape(-1), rows.shape[1] if rows.ndim == 2 else 1
        block = numpy.zeros((LANES, LANES), rows.dtype)
        for i, one in enumerate(which[first : first + LANES].tolist()):
            block[i, :count] = flat[one * width + hand : one * width + hand + min(count, LANES)]
        columns[LANES * k : LANES * (k + LANES)] = block.T.reshape(-1)

    def add_out(rows: Any, which: Any, first: Any, hand: Any, columns: Any, k: Any, count: Any) -> None:
        flat, width = rows.reshape(-1), rows.shape[1] if rows.ndim == 2 else 1
        block = columns[LANES * k : LANES * (k + LANES)].reshape(LANES, LANES).T
        for i, one in enumerate(which[first : first + LANES].tolist()):
            flat[one * width + hand : one * width + hand + min(count, LANES)] += block[i, :count]

    def match(columns: Any, first: Any, count: Any) -> None:
        known = columns[LANES * first : LANES * (first + count)].reshape(count, LANES)
        total = numpy.zeros(LANES, columns.dtype)
        for one in known:
            one[:] = numpy.maximum(one, 0)
            total += one
        some = total > 0
        known[:] = numpy.where(some, known / numpy.where(some, total, 1), numpy.float32(1) / numpy.float32(count))

    return copy, times_less, part_in, add_out, match


def _interpreted_nodes() -> tuple[Operation, ...]:
    import numpy

    def best_of(values: Any, i: Any, j: Any, child: Any, start: Any, end: Any) -> None:
        row(values, i)[:] = numpy.max([row(values, j + one) for one in child[start:end]], axis=0)

    def sum_of(values: Any, i: Any, j: Any, child: Any, start: Any, end: Any) -> None:
        row(values, i)[:] = sum(row(values, j + one) for one in child[start:end])

    def mean_of(values: Any, i: Any, j: Any, child: Any, start: Any, end: Any, chances: Any, k: Any) -> None:
        row(values, i)[:] = sum(row(values, j + one) * row(chances, k + e) for e, one in enumerate(child[start:end]))

    return best_of, sum_of, mean_of


def _lanes_of(bits: Any, k: Any) -> Any:
    import numpy

    return (int(bits[k]) >> numpy.arange(LANES)) & 1 > 0


def _interpreted_shares() -> tuple[Operation, ...]:
    import numpy

    def take_best(
        out: Any, at: Any, slot: Any, values: Any, j: Any, child: Any, start: Any, end: Any, best: Any, before: Any, a: Any
    ) -> None:  # fmt: skip
        left = _lanes_of(out, before)
        for e, one in enumerate(child[start:end]):
            taken = left & (row(values, j + one) >= row(values, best))
            out[at + slot[a + e]] = numpy.packbits(taken, bitorder="little").view(numpy.uint16)[0]
            left = left & ~taken

    def add_chosen(mass: Any, a: Any, b: Any, columns: Any, k: Any, bits: Any, at: Any, count: Any) -> None:
        for i in range(count):
            value = numpy.where(_lanes_of(bits, at + i), row(columns, k), numpy.float32(0))
            for place in (0, a, b):
                row(mass, int(place) * int(count) + i)[:] += value

    def fold_chosen(
        values: Any, i: Any, met: Any, slots: Any, columns: Any, k: Any, bits: Any, at: Any, won: Any, first: Any, count: Any
    ) -> None:  # fmt: skip
        for t, slot in enumerate(slots[:count], int(first)):
            reach = numpy.where(_lanes_of(bits, at + slot), row(columns, k), numpy.float32(0))
            row(values, i + t)[:] = row(met, slot) * row(won, t) + reach * row(won, t)

    def gain_of(
        gained: Any, a: Any, values: Any, j: Any, child: Any, start: Any, end: Any, own: Any, weight: Any
    ) -> None:
        for e, one in enumerate(child[start:end]):
            row(gained, a + e)[:] = row(values, j + one) * weight + row(values, own) * -weight

    def fold_of(
        values: Any, i: Any, met: Any, slots: Any, reach: Any, at: Any, won: Any, first: Any, count: Any
    ) -> None:
        for k, slot in enumerate(slots[:count]):
            amount = row(won, first + k)
            row(values, i + first + k)[:] = row(met, slot) * amount + row(reach, at + slot) * amount

    return take_best, gain_of, fold_of, add_chosen, fold_chosen


def _operations() -> tuple[Operation, ...]:
    if interpreted():
        first = *_interpreted_operations(), *_interpreted_spans(), *_interpreted_choices()
        return *first, *_interpreted_nodes(), *_interpreted_shares()
    need_compiler()
    from cardai.poker.ranges import _lane_code as code
    from cardai.poker.ranges import _node_code as nodes

    return (
        code.turn_in, code.turn_out, code.add, code.below, code.up_to, code.close, code.quotient, code.times, code.plus,
        code.top, code.add_span, code.below_span, code.up_to_span, code.apart, code.copy, code.times_less, code.part_in,
        code.add_out, nodes.match, nodes.best_of, nodes.sum_of, nodes.mean_of, nodes.take_best, nodes.gain_of, nodes.fold_of,
        nodes.add_chosen, nodes.fold_chosen,
    )  # fmt: skip


(
    turn_in, turn_out, add, below, up_to, close, quotient, times, plus, top,
    add_span, below_span, up_to_span, apart, copy, times_less, part_in, add_out,
    match, best_of, sum_of, mean_of, take_best, gain_of, fold_of, add_chosen, fold_chosen,
) = _operations()  # fmt: skip
"""turn_in(rows, which, first, hand, columns): lane row ``hand + i`` of ``columns`` := number ``hand + i`` of the sixteen
rows ``which[first : first + 16]``, for i < 16; turn_out the other way round. part_in(..., columns, k, count): into lane
rows k and on, zero from the ``count``th of the sixteen numbers on; add_out(..., columns, k, count) adds lane rows k and on, the
first ``count``, to what is there, row after row. ``rows`` that have one dimension are taken from the places ``which`` on.
add(mass, a, b, columns, k): lane rows 0, a, b of ``mass`` += lane row k of ``columns``.
below(out, k, mass, a, b): lane row k := met; up_to: += met.
close(out, k, mass, a, b, columns, factors, batch): lane row k := f0 k + f1 met + f2 of ``columns``, with lane rows
3 batch + (0, 1, 2) of ``factors``.
add_span, below_span, up_to_span(..., count): the same of ``count`` lane rows from k on, ``mass`` with so many for each card.
apart(out, k, sums, j, met, won, count): lane rows k and on := ``won`` times those of ``sums`` from j on, minus ``won`` times
``met``.
quotient(x, y): x / y without a test for zero, so that loops over it become vector instructions.
times(out, i, x, j, y, k): lane row i := lane row j of ``x`` times lane row k of ``y``. plus(out, i, x, j): lane row i += lane
row j of ``x``; top: the larger of both; copy: := it.
times_less(out, i, x, j, y, k, w, m): lane row i := lane row m of ``w`` times what lane row j of ``x`` is more than k of ``y``.
match(columns, first, count): turns ``count`` lane rows from regrets into what regret matching plays.

At a node of a tree with children ``child[start:end]``, whose lane rows are j + child:
best_of, sum_of(values, i, j, child, start, end): lane row i := the largest, the sum; mean_of(..., chances, k): each times lane
row k and on of ``chances``.
take_best(out, at, slot, values, j, child, start, end, best, before, a): ``out`` has sixteen bits a number, a lane each: those
of number ``before`` go to the first child that is no less than lane row ``best`` of ``values``, to numbers at + slot[a] and on.
gain_of(gained, a, values, j, child, start, end, own, weight): lane rows a and on := ``weight`` times what each child is more
than lane row ``own``.
fold_of(values, i, met, slots, reach, at, won, first, count): lane row i + t, for t from ``first`` on, := lane row t of ``won``
times what a hand meets and its own, lane rows slots of ``met`` and at + slots of ``reach``.
add_chosen(mass, a, b, columns, k, bits, at, count), fold_chosen(values, i, met, slots, columns, k, bits, at, won, first, count):
add_span and fold_of of lane row k of ``columns`` in the lanes that numbers at and on of ``bits`` have, and zero in others."""
