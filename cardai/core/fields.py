"""Fields: what a view consists of, said once, so that encoders, displays and docs can be written over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen, validators

Kind = Literal["card", "cards", "card_set", "count", "chips", "flag", "seat", "public_history", "private_history"]
KINDS: tuple[str, ...] = (
    "card",  # one card, -1 when there is none
    "cards",  # cards in order, -1 after the last
    "card_set",  # a uint64 with bit `card` set
    "count",  # a whole number
    "chips",  # money or points
    "flag",  # yes or no
    "seat",  # a player, -1 for nobody
    "public_history",  # what everybody saw, in order, -1 after the last
    "private_history",  # what only this player saw or did, in order, -1 after the last
)
_PADDED = ("cards", "public_history", "private_history")

Views = npt.NDArray[Any]
"""A structured array, one row a table, whose dtype is :func:`view_dtype` of a game's fields."""


@frozen
class Field:
    """One field of a view.

    ``size`` 0 is a single value; ``size`` k > 0 is an array of k values (a ``card_set`` of size 2 is two sets).
    ``maximum`` is the largest value an entry can take (for cards, the largest card; for a card set it is unused).
    """

    name: str
    kind: Kind = field(validator=validators.in_(KINDS))
    doc: str
    maximum: int = 0
    size: int = 0
    unit: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one table's value: () or (size,)."""
        return (self.size,) if self.size else ()

    @property
    def dtype(self) -> npt.DTypeLike:
        """The numpy type of one entry."""
        if self.kind == "card_set":
            return np.uint64
        if self.kind in ("card", "cards", "seat"):
            return np.int8
        if self.kind == "flag":
            return np.bool_
        if self.kind in ("public_history", "private_history"):
            return np.int8 if self.maximum < 2**7 else np.int16 if self.maximum < 2**15 else np.int32
        return np.int32


def view_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """Return the structured dtype of views over ``fields``."""
    return np.dtype([(f.name, f.dtype, f.shape) for f in fields])


@cache
def interned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the first dtype equal to ``dtype``: numba knows a structured dtype it has met much faster than its equal."""
    return dtype


def empty_views(fields: Iterable[Field], count: int) -> Views:
    """Return ``count`` views in which nothing is known (no cards, zeros, empty histories)."""
    views = np.zeros(count, view_dtype(fields))
    for f in fields:
        if f.kind in (*_PADDED, "card", "seat"):
            views[f.name] = -1
    return views


def pack_views(fields: tuple[Field, ...], views: Iterable[Mapping[str, Any]]) -> Views:
    """Return plain ``State.view`` dicts as one structured array (what Tables and encoders take).

    A list shorter than its field is padded with -1; a card set may be given as an int or as an iterable of cards.

    Raises:
        ValueError: a view lacks a field, has one too many, or a value does not fit; the message names the field.
    """
    rows = list(views)
    out = empty_views(fields, len(rows))
    names = {f.name for f in fields}
    for i, view in enumerate(rows):
        if names != view.keys():
            odd = sorted(names.symmetric_difference(view.keys()))
            raise ValueError(f"A view must have exactly the fields {sorted(names)}. Missing or unknown: {odd}.")
        for f in fields:
            try:
                _put(out[f.name], i, f, view[f.name])
            except (ValueError, OverflowError, TypeError) as error:
                raise ValueError(f"The field {f.name!r} ({f.kind}) cannot hold {view[f.name]!r}: {error}.") from error
    return out


def _put(column: Any, i: int, f: Field, value: Any) -> None:
    if f.kind == "card_set" and not f.size and not isinstance(value, (int, np.integer)):
        value = sum(1 << int(card) for card in set(value))
    if f.kind in _PADDED:
        values = list(value)
        if len(values) > f.size:
            raise ValueError(f"{len(values)} entries do not fit in {f.size}")
        column[i, : len(values)] = values
        return
    column[i] = value


def unpack_view(fields: tuple[Field, ...], view: Any) -> dict[str, Any]:
    """Return one row of views as a dict of plain Python values (the inverse of :func:`pack_views`)."""
    # one call for all single values is much faster than one a field
    row = dict(zip(view.dtype.names, view.item(), strict=True)) if isinstance(view, np.void) else view
    out: dict[str, Any] = {}
    for f in fields:
        value = row[f.name]
        if f.kind in _PADDED:
            known = (np.asarray(value) != -1).nonzero()[0]
            value = value[: known[-1] + 1 if len(known) else 0]
        out[f.name] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return out
