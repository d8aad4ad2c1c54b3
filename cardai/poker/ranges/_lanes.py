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


def _compiled_operations() -> tuple[Operation, ...]:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    word, double, count = ir.IntType(64), ir.DoubleType(), ir.VectorType(ir.IntType(32), LANES)
    wide = ir.VectorType(double, LANES)

    class Emitter:
        """Builds code at one place of a kernel: lane rows in, lane rows out."""

        def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
            self.context, self.builder, self.types, self.arguments = context, builder, signature.args, arguments

        def integer(self, i: int) -> Any:
            return self.context.cast(self.builder, self.arguments[i], self.types[i], types.int64)

        def array(self, i: int) -> Any:
            return self.context.make_array(self.types[i])(self.context, self.builder, self.arguments[i])

        def element(self, i: int) -> Any:
            return double if self.types[i].dtype == types.float64 else ir.FloatType()

        def pointer(self, i: int, offset: Any) -> Any:
            vector = ir.VectorType(self.element(i), LANES).as_pointer()
            return self.builder.bitcast(self.builder.gep(self.array(i).data, [offset]), vector)

        def load(self, i: int, offset: Any) -> Any:
            value = self.builder.load(self.pointer(i, offset))
            value.align = 4 if self.element(i) != double else 8
            return value

        def alike(self, *values: Any) -> list[Any]:
            """Return the vectors in float64 if one of them is."""
            if all(value.type != wide for value in values):
                return list(values)
            return [value if value.type == wide else self.builder.fpext(value, wide) for value in values]

        def store(self, i: int, offset: Any, value: Any) -> None:
            if value.type == wide and self.element(i) != double:
                value = self.builder.fptrunc(value, ir.VectorType(ir.FloatType(), LANES))
            self.builder.store(value, self.pointer(i, offset)).align = 4 if self.element(i) != double else 8

        def lane(self, index: Any) -> Any:
            return self.builder.mul(index, word(LANES))

        def met(self, mass: int, a: int, b: int) -> Any:
            known = [self.load(mass, self.lane(place)) for place in (word(0), self.integer(a), self.integer(b))]
            return self.builder.fsub(self.builder.fsub(known[0], known[1]), known[2])

        def row_of(self, rows: int, which: int, place: Any, hand: Any) -> Any:
            builder, table = self.builder, self.array(which)
            number = builder.sext(builder.load(builder.gep(table.data, [place])), word)
            stride = builder.extract_value(self.array(rows).shape, 1)
            return builder.add(builder.mul(number, stride), hand)

    def operation(generate: Callable[[Emitter], Any], inputs: int, result: Any = None) -> Operation:
        names = ", ".join(f"x{i}" for i in range(inputs))
        space: dict[str, Any] = {}

        def typed(given: tuple[Any, ...]) -> Any:
            kind = given[0] if result == "same" else types.void

            def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                found = generate(Emitter(context, builder, signature, arguments))
                return context.get_dummy_value() if result is None else found

            return kind(*given), build

        exec(f"def made(typing, {names}):\n    return typed(({names},))", {"typed": typed}, space)
        return intrinsic(space["made"])  # type: ignore[no-any-return]

    def transpose(place: Emitter, rows: list[Any]) -> list[Any]:
        step = 1
        while step < LANES:
            out = list(rows)
            for i in range(LANES):
                if i & step:
                    continue
                low = [k if not k & step else LANES + k - step for k in range(LANES)]
                high = [k + step if not k & step else LANES + k for k in range(LANES)]
                for target, mask in ((i, low), (i | step, high)):
                    shuffled = place.builder.shuffle_vector(rows[i], rows[i | step], ir.Constant(count, mask))
                    out[target] = shuffled
            rows, step = out, 2 * step
        return rows

    def turn_in(place: Emitter) -> None:
        first, hand = place.integer(2), place.integer(3)
        rows = []
        for i in range(LANES):
            at = place.row_of(0, 1, place.builder.add(first, word(i)), hand)
            rows.append(place.load(0, at))
        for i, one in enumerate(transpose(place, rows)):
            place.store(4, place.lane(place.builder.add(hand, word(i))), one)

    def turn_out(place: Emitter) -> None:
        first, hand = place.integer(2), place.integer(3)
        lanes = [place.lane(place.builder.add(hand, word(i))) for i in range(LANES)]
        rows = transpose(place, [place.load(4, lane) for lane in lanes])
        for i, one in enumerate(rows):
            place.store(0, place.row_of(0, 1, place.builder.add(first, word(i)), hand), one)

    def add(place: Emitter) -> None:
        value = place.load(3, place.lane(place.integer(4)))
        for at in (word(0), place.integer(1), place.integer(2)):
            terms = place.alike(place.load(0, place.lane(at)), value)
            place.store(0, place.lane(at), place.builder.fadd(*terms))

    def below(place: Emitter) -> None:
        place.store(0, place.lane(place.integer(1)), place.met(2, 3, 4))

    def up_to(place: Emitter) -> None:
        at = place.lane(place.integer(1))
        place.store(0, at, place.builder.fadd(*place.alike(place.load(0, at), place.met(2, 3, 4))))

    def close(place: Emitter) -> None:
        builder, at = place.builder, place.lane(place.integer(1))
        start = builder.mul(place.integer(7), word(3))
        factor = [place.load(6, place.lane(builder.add(start, word(i)))) for i in range(3)]
        known = place.alike(place.load(0, at), place.met(2, 3, 4), place.load(5, at), *factor)
        parts, factor = known[:3], known[3:]
        terms = [builder.fmul(one, other) for one, other in zip(factor, parts, strict=True)]
        place.store(0, at, builder.fadd(builder.fadd(terms[0], terms[1]), terms[2]))

    def quotient(place: Emitter) -> Any:
        return place.builder.fdiv(place.arguments[0], place.arguments[1])

    def times(place: Emitter) -> None:
        factors = place.alike(*(place.load(i, place.lane(place.integer(i + 1))) for i in (2, 4)))
        place.store(0, place.lane(place.integer(1)), place.builder.fmul(*factors))

    def plus(place: Emitter) -> None:
        at = place.lane(place.integer(1))
        terms = place.alike(place.load(0, at), place.load(2, place.lane(place.integer(3))))
        place.store(0, at, place.builder.fadd(*terms))

    def top(place: Emitter) -> None:
        at = place.lane(place.integer(1))
        one, other = place.alike(place.load(0, at), place.load(2, place.lane(place.integer(3))))
        higher = place.builder.fcmp_ordered(">", other, one)
        place.store(0, at, place.builder.select(higher, other, one))

    return (
        operation(turn_in, 5),
        operation(turn_out, 5),
        operation(add, 5),
        operation(below, 5),
        operation(up_to, 5),
        operation(close, 8),
        operation(quotient, 2, "same"),
        operation(times, 6),
        operation(plus, 4),
        operation(top, 4),
    )


def _operations() -> tuple[Operation, ...]:
    if interpreted():
        return _interpreted_operations()
    need_compiler()
    return _compiled_operations()


turn_in, turn_out, add, below, up_to, close, quotient, times, plus, top = _operations()
"""turn_in(rows, which, first, hand, columns): lane row ``hand + i`` of ``columns`` := number ``hand + i`` of the sixteen
rows ``which[first : first + 16]``, for i < 16; turn_out the other way round.
add(mass, a, b, columns, k): lane rows 0, a, b of ``mass`` += lane row k of ``columns``.
below(out, k, mass, a, b): lane row k := met; up_to: += met.
close(out, k, mass, a, b, columns, factors, batch): lane row k := f0 k + f1 met + f2 of ``columns``, with lane rows
3 batch + (0, 1, 2) of ``factors``.
quotient(x, y): x / y without a test for zero, so that loops over it become vector instructions.
times(out, i, x, j, y, k): lane row i := lane row j of ``x`` times lane row k of ``y``. plus(out, i, x, j): lane row i += lane
row j of ``x``; top: the larger of both."""
