"""The operations of :mod:`._lanes` in LLVM's own vectors. Imported where kernels are compiled, and by nobody else."""

# kernel constants

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 16
Operation = Callable[..., Any]
known_function: Any = cgutils.get_or_insert_function
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
        number = builder.load(builder.gep(table.data, [place]))
        number = number if number.type == word else builder.sext(number, word)
        if self.types[rows].ndim == 1:
            return builder.add(number, hand)
        return builder.add(builder.mul(number, builder.extract_value(self.array(rows).shape, 1)), hand)

    @contextmanager
    def each(self, i: int) -> Iterator[Any]:
        """Write a loop over as many numbers as argument ``i`` says."""
        with cgutils.for_range(self.builder, self.integer(i), intp=word) as loop:
            yield loop.index

    @contextmanager
    def between(self, start: Any, end: Any) -> Iterator[Any]:
        """Write a loop from one number to below another."""
        with cgutils.for_range_slice(self.builder, start, end, word(1), word) as (e, _):
            yield e

    def kept(self, value: Any) -> Any:
        """Return a place in which a loop can keep something, ``value`` at first."""
        allocated: Any = cgutils.alloca_once_value
        return allocated(self.builder, value)

    def masked(self, i: int, offset: Any, mask: Any, value: Any = None) -> Any:
        """Load the lanes of ``mask``, zero for others; or store those of ``value``."""
        pointer, element = self.pointer(i, offset), self.element(i)
        vector, half = ir.VectorType(element, LANES), ir.IntType(32)
        kind = f"v{LANES}{'f64' if element == double else 'f32'}.p0"
        align = half(8 if element == double else 4)
        if value is None:
            takes = ir.FunctionType(vector, [pointer.type, half, mask.type, vector])
            load = known_function(self.builder.module, takes, f"llvm.masked.load.{kind}")
            return self.builder.call(load, [pointer, align, mask, ir.Constant(vector, [0.0] * LANES)])
        takes = ir.FunctionType(ir.VoidType(), [vector, pointer.type, half, mask.type])
        store = known_function(self.builder.module, takes, f"llvm.masked.store.{kind}")
        return self.builder.call(store, [value, pointer, align, mask])

    def first(self, i: int) -> Any:
        """Return a mask of as many lanes as argument ``i`` says."""
        narrow = self.context.cast(self.builder, self.arguments[i], self.types[i], types.int32)
        return self.builder.icmp_signed("<", ir.Constant(count, list(range(LANES))), self.everywhere(narrow))

    def everywhere(self, value: Any) -> Any:
        """Return sixteen times a number."""
        kind = ir.VectorType(value.type, LANES)
        known = self.builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
        return self.builder.shuffle_vector(known, known, ir.Constant(count, [0] * LANES))

    def child(self, i: int, first: int, children: int, e: Any) -> Any:
        """Load argument ``i``'s lane row ``first`` + the number ``e`` of ``children``."""
        below = self.builder.load(self.builder.gep(self.array(children).data, [e]))
        return self.load(i, self.lane(self.builder.add(self.integer(first), below)))


def operation(inputs: int, result: Any = None) -> Callable[[Callable[[Emitter], Any]], Operation]:
    """Make what kernels call of a function that writes the code: ``inputs`` arguments, nothing or the ``"same"`` kind back."""
    names = ", ".join(f"x{i}" for i in range(inputs))

    def made(generate: Callable[[Emitter], Any]) -> Operation:
        space: dict[str, Any] = {}

        def typed(given: tuple[Any, ...]) -> Any:
            kind = given[0] if result == "same" else types.void

            def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                found = generate(Emitter(context, builder, signature, arguments))
                return context.get_dummy_value() if result is None else found

            return kind(*given), build

        exec(f"def made(typing, {names}):\n    return typed(({names},))", {"typed": typed}, space)
        return intrinsic(space["made"])  # type: ignore[no-any-return]

    return made


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


@operation(5)
def turn_in(place: Emitter) -> None:
    first, hand = place.integer(2), place.integer(3)
    rows = []
    for i in range(LANES):
        at = place.row_of(0, 1, place.builder.add(first, word(i)), hand)
        rows.append(place.load(0, at))
    for i, one in enumerate(transpose(place, rows)):
        place.store(4, place.lane(place.builder.add(hand, word(i))), one)


@operation(5)
def turn_out(place: Emitter) -> None:
    first, hand = place.integer(2), place.integer(3)
    lanes = [place.lane(place.builder.add(hand, word(i))) for i in range(LANES)]
    rows = transpose(place, [place.load(4, lane) for lane in lanes])
    for i, one in enumerate(rows):
        place.store(0, place.row_of(0, 1, place.builder.add(first, word(i)), hand), one)


@operation(5)
def add(place: Emitter) -> None:
    value = place.load(3, place.lane(place.integer(4)))
    for at in (word(0), place.integer(1), place.integer(2)):
        terms = place.alike(place.load(0, place.lane(at)), value)
        place.store(0, place.lane(at), place.builder.fadd(*terms))


@operation(5)
def below(place: Emitter) -> None:
    place.store(0, place.lane(place.integer(1)), place.met(2, 3, 4))


@operation(5)
def up_to(place: Emitter) -> None:
    at = place.lane(place.integer(1))
    place.store(0, at, place.builder.fadd(*place.alike(place.load(0, at), place.met(2, 3, 4))))


@operation(8)
def close(place: Emitter) -> None:
    builder, at = place.builder, place.lane(place.integer(1))
    start = builder.mul(place.integer(7), word(3))
    factor = [place.load(6, place.lane(builder.add(start, word(i)))) for i in range(3)]
    known = place.alike(place.load(0, at), place.met(2, 3, 4), place.load(5, at), *factor)
    parts, factor = known[:3], known[3:]
    terms = [builder.fmul(one, other) for one, other in zip(factor, parts, strict=True)]
    place.store(0, at, builder.fadd(builder.fadd(terms[0], terms[1]), terms[2]))


@operation(2, "same")
def quotient(place: Emitter) -> Any:
    return place.builder.fdiv(place.arguments[0], place.arguments[1])


@operation(6)
def times(place: Emitter) -> None:
    factors = place.alike(*(place.load(i, place.lane(place.integer(i + 1))) for i in (2, 4)))
    place.store(0, place.lane(place.integer(1)), place.builder.fmul(*factors))


@operation(4)
def plus(place: Emitter) -> None:
    at = place.lane(place.integer(1))
    terms = place.alike(place.load(0, at), place.load(2, place.lane(place.integer(3))))
    place.store(0, at, place.builder.fadd(*terms))


@operation(4)
def top(place: Emitter) -> None:
    at = place.lane(place.integer(1))
    one, other = place.alike(place.load(0, at), place.load(2, place.lane(place.integer(3))))
    higher = place.builder.fcmp_ordered(">", other, one)
    place.store(0, at, place.builder.select(higher, other, one))


@operation(4)
def copy(place: Emitter) -> None:
    place.store(0, place.lane(place.integer(1)), place.load(2, place.lane(place.integer(3))))


@operation(8)
def times_less(place: Emitter) -> None:
    less = place.builder.fsub(*(place.load(i, place.lane(place.integer(i + 1))) for i in (2, 4)))
    value = place.builder.fmul(place.load(6, place.lane(place.integer(7))), less)
    place.store(0, place.lane(place.integer(1)), value)


@operation(7)
def part_in(place: Emitter) -> None:
    first, hand, k, mask = place.integer(2), place.integer(3), place.integer(5), place.first(6)
    rows = []
    for i in range(LANES):
        rows.append(place.masked(0, place.row_of(0, 1, place.builder.add(first, word(i)), hand), mask))
    for i, one in enumerate(transpose(place, rows)):
        place.store(4, place.lane(place.builder.add(k, word(i))), one)


@operation(7)
def add_out(place: Emitter) -> None:
    first, hand, k = place.integer(2), place.integer(3), place.integer(5)
    lanes = [place.lane(place.builder.add(k, word(i))) for i in range(LANES)]
    rows = transpose(place, [place.load(4, lane) for lane in lanes])
    at = [place.row_of(0, 1, place.builder.add(first, word(i)), hand) for i in range(LANES)]
    whole = place.builder.icmp_signed(">=", place.integer(6), word(LANES))
    with place.builder.if_else(whole) as (all_, some):
        with all_:
            for offset, one in zip(at, rows, strict=True):
                place.store(0, offset, place.builder.fadd(place.load(0, offset), one))
        with some:
            mask = place.first(6)
            for offset, one in zip(at, rows, strict=True):
                place.masked(0, offset, mask, place.builder.fadd(place.masked(0, offset, mask), one))


@operation(6)
def add_span(place: Emitter) -> None:
    starts = [place.builder.mul(one, place.integer(5)) for one in (word(0), place.integer(1), place.integer(2))]
    with place.each(5) as i:
        value = place.load(3, place.lane(place.builder.add(place.integer(4), i)))
        for start in starts:
            at = place.lane(place.builder.add(start, i))
            place.store(0, at, place.builder.fadd(place.load(0, at), value))


def met_span(place: Emitter, starts: list[Any], i: Any) -> Any:
    """Return number ``i`` of what a hand meets, of the masses of argument 2."""
    known = [place.load(2, place.lane(place.builder.add(start, i))) for start in starts]
    return place.builder.fsub(place.builder.fsub(known[0], known[1]), known[2])


@operation(6)
def below_span(place: Emitter) -> None:
    starts = [place.builder.mul(one, place.integer(5)) for one in (word(0), place.integer(3), place.integer(4))]
    with place.each(5) as i:
        place.store(0, place.lane(place.builder.add(place.integer(1), i)), met_span(place, starts, i))


@operation(6)
def up_to_span(place: Emitter) -> None:
    starts = [place.builder.mul(one, place.integer(5)) for one in (word(0), place.integer(3), place.integer(4))]
    with place.each(5) as i:
        at = place.lane(place.builder.add(place.integer(1), i))
        place.store(0, at, place.builder.fadd(place.load(0, at), met_span(place, starts, i)))


@operation(7)
def apart(place: Emitter) -> None:
    builder = place.builder
    with place.each(6) as i:
        lane = place.lane(i)
        sums, met = place.load(2, place.lane(builder.add(place.integer(3), i))), place.load(4, lane)
        won = place.load(5, lane)
        value = builder.fsub(builder.fmul(won, sums), builder.fmul(won, met))
        place.store(0, place.lane(builder.add(place.integer(1), i)), value)
