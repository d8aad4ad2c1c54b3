"""Plane sources over fields: one function a kind of field, so that any game's view can be laid out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.encoder import Plane
from cardai.core.fields import Field, Views
from cardai.plugins.encoders.grid.layout import Bits, Levels, Source, union, write_card

CELLS = 52
# Poker-CNN writes an amount as fake cards: one cell a unit, in the order 2c 2d 2h 2s 3c ...
AS_CARDS = np.concatenate([[0], np.cumsum([1 << (13 * (k % 4) + k // 4) for k in range(CELLS)], dtype=object)]).astype(
    np.uint64
)


def amount_as_cards(amounts: npt.NDArray[Any], unit: float) -> Bits:
    """Return ``amounts`` (n,) as sets of fake cards, one a ``unit``, rounded down, saturating at 52 cells."""
    return np.asarray(AS_CARDS[np.clip(amounts // unit, 0, CELLS).astype(np.int64)], np.uint64)


def one_card(f: Field) -> Source:
    """One plane with the card's cell."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        write_card(views[f.name], bits[:, 0])

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        return {f.name: _lowest(int(bits[0]))}

    return Source((Plane(f.name, "", f.doc),), fill, True, decode)


def cards_each(f: Field) -> Source:
    """A plane a card, in order."""
    planes = tuple(Plane(f"{f.name}[{k}]", "", f"card {k + 1}: {f.doc}") for k in range(f.size))

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        for k in range(f.size):
            write_card(views[f.name][:, k], bits[:, k])

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        return {f.name: [_lowest(int(b)) for b in bits if b]}

    return Source(planes, fill, True, decode)


def cards_together(f: Field, name: str = "") -> Source:
    """One plane with all cards of an ordered field."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        bits[:, 0] = union(views[f.name])

    return Source((Plane(name or f"{f.name} together", "", f"all at once: {f.doc}"),), fill, True)


def card_sets(f: Field) -> Source:
    """A plane a set."""
    count = f.size or 1
    planes = tuple(Plane(f.name if not f.size else f"{f.name}[{k}]", "", f.doc) for k in range(count))

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        bits[:] = views[f.name].reshape(len(views), count)

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        values = [int(b) for b in bits]
        return {f.name: values if f.size else values[0]}

    return Source(planes, fill, True, decode)


def numbers(f: Field) -> Source:
    """A constant plane a number: value / maximum."""
    count = f.size or 1
    scale = float(f.maximum or 1)
    words = f"value / {f.maximum}" if f.maximum else "as it is"
    planes = tuple(Plane(f.name if not f.size else f"{f.name}[{k}]", "", f.doc, words) for k in range(count))

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:] = views[f.name].reshape(len(views), count) / scale

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        values: list[Any] = [round(float(x) * scale) for x in levels]
        values = [bool(x) for x in values] if f.kind == "flag" else values
        return {f.name: values if f.size else values[0]}

    return Source(planes, fill, False, decode, low=f.minimum / scale)


def numbers_as_cards(f: Field, unit: float) -> Source:
    """A plane a number, written as fake cards (a thermometer of cells)."""
    count = f.size or 1
    planes = tuple(
        Plane(
            f.name if not f.size else f"{f.name}[{k}]",
            "",
            f.doc,
            f"a cell for {unit:g} {f.unit or 'units'}, up to {CELLS}",
        )
        for k in range(count)
    )

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        bits[:] = amount_as_cards(views[f.name].reshape(len(views), count), unit)

    return Source(planes, fill)


def seats(f: Field) -> Source:
    """A plane a seat, filled for the one named (none for nobody)."""
    count, places = f.size or 1, f.maximum + 1
    planes = tuple(
        Plane(f"{f.name} is {s}" if not f.size else f"{f.name}[{k}] is {s}", "", f.doc)
        for k in range(count)
        for s in range(places)
    )

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        named = views[f.name].reshape(len(views), count)
        levels[:] = (named[:, :, None] == np.arange(places)).reshape(len(views), count * places)

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        shaped = levels.reshape(count, places)
        values = [int(row.argmax()) if row.any() else -1 for row in shaped]
        return {f.name: values if f.size else values[0]}

    return Source(planes, fill, False, decode)


def history(f: Field, length: int) -> Source:
    """Bit planes of the last ``length`` entries (all when 0): each entry + 1 in binary, 0 where there is none."""
    kept = min(length or f.size, f.size)
    width = (f.maximum + 1).bit_length()
    which = "entry" if kept == f.size else "entry from the end"
    planes = tuple(
        Plane(f"{f.name}[{k}] bit {b}", "", f"{which} {k}: {f.doc}", "bit of (entry + 1), 0 where there is none")
        for k in range(kept)
        for b in range(width)
    )

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        entries = views[f.name].astype(np.int64) + 1  # (n, size)
        if kept < f.size:
            ends = (entries > 0).sum(axis=1)
            at = ends[:, None] - 1 - np.arange(kept)
            entries = np.where(at >= 0, np.take_along_axis(entries, np.maximum(at, 0), axis=1), 0)
        levels[:] = (entries[:, :, None] >> np.arange(width) & 1).reshape(len(views), kept * width)

    def decode(bits: Bits, levels: Levels) -> dict[str, Any]:
        entries = (levels.reshape(kept, width) > 0) @ (1 << np.arange(width)) - 1
        values = [int(x) for x in entries if x >= 0]
        return {f.name: values if kept == f.size else values[::-1]}

    return Source(planes, fill, False, decode)


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
