"""The operations of :mod:`._lanes` at the nodes of trees, in LLVM's own vectors: see :mod:`._lane_code`."""

# kernel constants

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from cardai.poker.ranges._lane_code import LANES, Emitter, operation, word


def zeros(kind: Any) -> Any:
    """Return a constant."""
    return ir.Constant(kind, [0.0] * LANES)


@operation(3)
def match(place: Emitter) -> None:
    builder, first = place.builder, place.integer(1)
    kind = ir.VectorType(place.element(0), LANES)
    total = place.kept(zeros(kind))
    with place.each(2) as i:
        at = place.lane(builder.add(first, i))
        value = place.load(0, at)
        value = builder.select(builder.fcmp_ordered(">", value, zeros(kind)), value, zeros(kind))
        place.store(0, at, value)
        builder.store(builder.fadd(builder.load(total), value), total)
    known = builder.load(total)
    one = builder.fdiv(ir.Constant(kind.element, 1.0), builder.sitofp(place.integer(2), kind.element))
    even = place.everywhere(one)
    with place.each(2) as i:
        at = place.lane(builder.add(first, i))
        some = builder.fcmp_ordered(">", known, zeros(kind))
        place.store(0, at, builder.select(some, builder.fdiv(place.load(0, at), known), even))


def over(place: Emitter, join: Callable[[Any, Any], Any], find: Callable[[Any, Any], Any]) -> None:
    """Write lane row 1 of argument 0: what ``join`` makes of what ``find`` finds at its lane rows 2 + ``child[e]``."""
    builder = place.builder
    kept = place.kept(find(place.child(0, 2, 3, place.integer(4)), place.integer(4)))
    with place.between(builder.add(place.integer(4), word(1)), place.integer(5)) as e:
        builder.store(join(builder.load(kept), find(place.child(0, 2, 3, e), e)), kept)
    place.store(0, place.lane(place.integer(1)), builder.load(kept))


@operation(6)
def best_of(place: Emitter) -> None:
    def join(one: Any, other: Any) -> Any:
        return place.builder.select(place.builder.fcmp_ordered(">", other, one), other, one)

    over(place, join, lambda value, _: value)


@operation(6)
def sum_of(place: Emitter) -> None:
    over(place, place.builder.fadd, lambda value, _: value)


@operation(8)
def mean_of(place: Emitter) -> None:
    builder = place.builder

    def find(value: Any, e: Any) -> Any:
        k = builder.add(place.integer(7), builder.sub(e, place.integer(4)))
        return builder.fmul(value, place.load(6, place.lane(k)))

    over(place, builder.fadd, find)


@operation(11)
def take_best(place: Emitter) -> None:
    builder, start, half = place.builder, place.integer(6), ir.IntType(LANES)
    best, out = place.load(3, place.lane(place.integer(8))), place.array(0).data
    left = place.kept(builder.load(builder.gep(out, [place.integer(9)])))
    with place.between(start, place.integer(7)) as e:
        good = builder.bitcast(builder.fcmp_ordered(">=", place.child(3, 4, 5, e), best), half)
        known = builder.load(left)
        taken = builder.and_(known, good)
        slot = builder.load(builder.gep(place.array(2).data, [builder.add(place.integer(10), builder.sub(e, start))]))
        builder.store(taken, builder.gep(out, [builder.add(place.integer(1), slot)]))
        builder.store(builder.xor(known, taken), left)


def chosen(place: Emitter, i: int, at: Any, value: Any) -> Any:
    """Return ``value`` in the lanes whose bits number ``at`` of argument ``i`` has, zero in others."""
    builder = place.builder
    bits = builder.load(builder.gep(place.array(i).data, [at]))
    lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), LANES))
    return builder.select(lanes, value, zeros(value.type))


@operation(8)
def add_chosen(place: Emitter) -> None:
    starts = [place.builder.mul(one, place.integer(7)) for one in (word(0), place.integer(1), place.integer(2))]
    known = place.load(3, place.lane(place.integer(4)))
    with place.each(7) as i:
        value = chosen(place, 5, place.builder.add(place.integer(6), i), known)
        for start in starts:
            at = place.lane(place.builder.add(start, i))
            place.store(0, at, place.builder.fadd(place.load(0, at), value))


@operation(11)
def fold_chosen(place: Emitter) -> None:
    known = place.load(4, place.lane(place.integer(5)))

    def reached(slot: Any) -> Any:
        return chosen(place, 6, place.builder.add(place.integer(7), slot), known)

    folds(place, (8, 9, 10), reached)


@operation(9)
def gain_of(place: Emitter) -> None:
    builder, start = place.builder, place.integer(5)
    weight = place.everywhere(place.arguments[8])
    less = builder.fmul(place.load(2, place.lane(place.integer(7))), place.everywhere(builder.fneg(place.arguments[8])))
    with place.between(start, place.integer(6)) as e:
        value = builder.fadd(builder.fmul(place.child(2, 3, 4, e), weight), less)
        place.store(0, place.lane(builder.add(place.integer(1), builder.sub(e, start))), value)


def folds(place: Emitter, last: tuple[int, int, int], reached: Callable[[Any], Any]) -> None:
    """Write what is won at folds; the arguments ``last`` are what is won, the first end and how many there are."""
    builder, slots = place.builder, place.array(3)
    with place.each(last[2]) as j:
        slot, t = builder.load(builder.gep(slots.data, [j])), builder.add(place.integer(last[1]), j)
        won, met = place.load(last[0], place.lane(t)), place.load(2, place.lane(slot))
        value = builder.fadd(builder.fmul(met, won), builder.fmul(reached(slot), won))
        place.store(0, place.lane(builder.add(place.integer(1), t)), value)


@operation(9)
def fold_of(place: Emitter) -> None:
    folds(place, (6, 7, 8), lambda slot: place.load(4, place.lane(place.builder.add(place.integer(5), slot))))
