"""Flat one-hot: every field of any view as slices of one vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.core.arrays import Float32s
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field, Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
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
        return FlatLayout([_slice(f, self.one_hot_up_to) for f in shown], lossless=len(shown) == len(known))


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


class FlatLayout(Layout):
    """Slices in the order of the fields."""

    def __init__(self, slices: list[_Slice], lossless: bool) -> None:
        self._slices = slices
        self.lossless = lossless
        planes, start = [], 0
        for part in slices:
            f = part.field
            forms = {
                "one_hot": f"one-hot over {part.first}..{part.first + part.width - 1}"
                + (", zeros for none" if part.first == 0 else ""),
                "bits": "a number a card, 13 * suit + rank",
                "scaled": f"value / {f.maximum}" if f.maximum else "as it is",
            }
            planes.append(Plane(f.name, f"{start}:{start + part.total}", f.doc, forms[part.form]))
            start += part.total
        self.planes = tuple(planes)
        self.shape = (start,)

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        start = 0
        for part in self._slices:
            column = out[:, start : start + part.total].reshape(len(views), part.entries, part.width)
            self._fill(part, views[part.field.name].reshape(len(views), part.entries), column)
            out[:, start : start + part.total] = column.reshape(len(views), part.total)
            start += part.total
        return out

    def _fill(self, part: _Slice, values: npt.NDArray[Any], out: Float32s) -> None:
        if part.form == "one_hot":
            places = np.arange(part.first, part.first + part.width)
            out[:] = values[:, :, None] == places
        elif part.form == "bits":
            out[:] = values[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        else:
            out[:, :, 0] = values / float(part.field.maximum or 1)

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
