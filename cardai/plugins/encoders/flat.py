"""Flat one-hot: every field of any view as slices of one vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen, validators

from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.numbers import NumberLayout
from cardai.core.spec import option

_ENTRIES = ("card", "cards", "seat", "public_history", "private_history")


@frozen
class Flat(Encoder):
    """Cards, seats and small numbers one-hot, card sets as bits, large numbers divided by their maximum."""

    one_hot_up_to: int = option(16, help="counts with a maximum up to this are one-hot", validator=validators.ge(0))
    fields: tuple[str, ...] = option((), help="the fields to show, joined with +; none given: all")
    history: bool = option(True, help="show histories, one-hot entry by entry")

    def for_game(self, game: Game) -> Layout:
        known = {f.name: f for f in game.view_fields}
        for name in self.fields:
            if name not in known:
                raise UsageError(
                    f"The encoder 'flat' was asked for the field {name!r}. The game has: {', '.join(known)}."
                )
        shown = [known[name] for name in self.fields] if self.fields else list(game.view_fields)
        shown = [f for f in shown if self.history or not f.kind.endswith("history")]
        return FlatLayout(
            game.view_fields, [_slice(f, self.one_hot_up_to) for f in shown], lossless=len(shown) == len(known)
        )


@frozen
class _Slice:
    """One field's part: ``width`` numbers an entry, one-hot over ``places`` (with one more for "none" if ``empty``)."""

    field: Field
    form: str  # "one_hot", "bits", "scaled"
    width: int
    first: int = 0

    @property
    def entries(self) -> int:
        return self.field.size or 1

    @property
    def total(self) -> int:
        return self.entries * self.width


def _slice(f: Field, limit: int) -> _Slice:
    if f.kind in _ENTRIES:
        return _Slice(f, "one_hot", f.maximum + 1, first=0)
    if f.kind == "card_set":
        return _Slice(f, "bits", 52)
    if f.kind == "count" and 0 < f.maximum <= limit:
        return _Slice(f, "one_hot", f.maximum + 2, first=-1)
    return _Slice(f, "scaled", 1)


def _bounds(part: _Slice) -> tuple[float, float]:
    """Return the least and the greatest number of a field's part."""
    f = part.field
    if part.form != "scaled" or f.kind == "flag":
        return 0.0, 1.0
    return f.minimum / (f.maximum or 1), float(f.maximum > 0)


@kernel
def _show(numbers: Any, plan: Any, scales: Any, out: Any) -> None:
    """Fill ``out`` (n, w), which is zero before; ``plan`` (k, 5): column, entries, form, width, first value."""
    for i in range(len(numbers)):
        start = 0
        for k in range(len(plan)):
            form, width = plan[k, 2], plan[k, 3]
            for entry in range(plan[k, 1]):
                value = numbers[i, plan[k, 0] + entry]
                if form == 0:
                    place = value - plan[k, 4]
                    if place >= 0 and place < width:
                        out[i, start + place] = 1
                elif form == 1:
                    for card in range(width):
                        if (value >> card) & 1:
                            out[i, start + card] = 1
                else:
                    out[i, start] = value / scales[k]
                start += width


class FlatLayout(NumberLayout):
    """Slices in the order of the fields."""

    def __init__(self, fields: tuple[Field, ...], slices: list[_Slice], lossless: bool) -> None:
        super().__init__(fields)
        self._slices = slices
        where, forms = self.numbers.where, ("one_hot", "bits", "scaled")
        rows = [(where[s.field.name].start, s.entries, forms.index(s.form), s.width, s.first) for s in slices]
        self._plan = np.array(rows, np.int64).reshape(-1, 5)
        self._scales = np.array([float(s.field.maximum or 1) for s in slices])
        self.lossless = lossless
        planes, start = [], 0
        for part in slices:
            f = part.field
            said = {
                "one_hot": f"one-hot over {part.first}..{part.first + part.width - 1}"
                + (", zeros for none" if part.first == 0 else ""),
                "bits": "a number a card, 13 * suit + rank",
                "scaled": f"value / {f.maximum}" if f.maximum else "as it is",
            }
            planes.append(Plane(f.name, f"{start}:{start + part.total}", f.doc, said[part.form]))
            start += part.total
        self.planes = tuple(planes)
        self.shape = (start,)
        bounds = np.array([_bounds(part) for part in slices], np.float32).reshape(-1, 2)
        self.low, self.high = np.repeat(bounds, [part.total for part in slices], axis=0).T

    def write(self, numbers: Int64s, out: Float32s) -> None:
        _show(numbers, self._plan, self._scales, out)

    def decode(self, code: Float32s) -> dict[str, Any]:
        out: dict[str, Any] = {}
        start = 0
        for part in self._slices:
            f = part.field
            shaped = code[start : start + part.total].reshape(part.entries, part.width)
            start += part.total
            values: list[Any]
            if part.form == "one_hot":
                values = [int(row.argmax()) + part.first if row.any() else -1 for row in shaped]
            elif part.form == "bits":
                values = [sum(1 << int(c) for c in np.flatnonzero(row)) for row in shaped]
            else:
                values = [round(float(row[0]) * (f.maximum or 1)) for row in shaped]
                values = [bool(v) for v in values] if f.kind == "flag" else values
            if f.kind in ("cards", "public_history", "private_history"):
                out[f.name] = [v for v in values if v >= 0]
            else:
                out[f.name] = values if f.size else values[0]
        return out


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return Flat
