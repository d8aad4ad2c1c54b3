"""Fields: what a view consists of, said once, so that encoders, displays, players and docs can be written over them.

What a field *is* is declared, never guessed from its name: its kind, whose it is (:data:`ROLES`), whether it belongs to the
hand or to the match, and the words of its values. Games that show the same things speak a :class:`Family`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen, validators

from cardai.core.arrays import Float64s, Int8s, Records
from cardai.core.reasons import Reason

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

Views = Records
"""A structured array, one row a table, whose dtype is :func:`view_dtype` of a game's fields."""
CanonicalForm = Callable[[Views], tuple[Views, Int8s | None]]
"""From views (n,) to the same with suits renamed and cards ordered, and where each card of ``hand`` was, (n, 5) or None."""


def as_dealt(views: Views) -> tuple[Views, None]:
    """Return views as they are (a :data:`CanonicalForm` that changes nothing)."""
    return views, None


ROLES: dict[str, tuple[str, ...]] = {
    "": KINDS,  # nothing is claimed
    "player": ("seat",),  # whose view it is
    "starter": ("seat",),  # who began the hand (poker: the button)
    "to_act": ("seat",),
    "round": ("count",),  # the round that the hand is in
    "own": KINDS,  # what the player who looks has, knows or may do, and others need not see
    "opponent": KINDS,  # what the player knows of others
    "public": KINDS,  # the same in everybody's view
    "by_seat": KINDS,  # public: seat 0's entries, then seat 1's, ..., equally many a seat
    "actions": ("public_history",),  # the numbers of the players' actions so far
    "seat_of": ("public_history", "private_history"),  # "seat_of:X": who made each entry of the history X
    "round_of": ("public_history", "private_history"),  # "round_of:X": the round of each entry of the history X
}
"""What a field is to the player who looks, and the kinds that can be it. Two roles name the history they go with."""
_LABELLED = ("count", "public_history", "private_history")


def _check_role(instance: Field, attribute: Any, value: str) -> None:
    role, _, history = value.partition(":")
    if role not in ROLES or bool(history) != (role in ("seat_of", "round_of")):
        known = ", ".join(f"{name}:FIELD" if name.endswith("_of") else name for name in ROLES if name)
        raise ValueError(f"The role of the field {instance.name!r} must be one of {known}. Got {value!r} instead.")
    if instance.kind not in ROLES[role]:
        kinds = " or ".join(ROLES[role])
        raise ValueError(f"A field of the role {value!r} is of the kind {kinds}. {instance.name!r} is {instance.kind}.")


def _check_labels(instance: Field, attribute: Any, value: tuple[str, ...]) -> None:
    if value and (instance.kind not in _LABELLED or len(value) != instance.maximum + 1):
        raise ValueError(
            f"Labels name the values 0 to maximum of a field of the kind {', '.join(_LABELLED)}. The field "
            f"{instance.name!r} ({instance.kind}, maximum {instance.maximum}) has {len(value)}."
        )


@frozen
class Field:
    """One field of a view.

    ``size`` 0 is a single value; ``size`` k > 0 is an array of k values (a ``card_set`` of size 2 is two sets).
    ``maximum`` is the largest value an entry can take (for cards, the largest card; for a card set it is unused),
    ``minimum`` the least: chips may be as many below 0, -1 stands for nothing in other kinds.
    ``labels`` are the values 0, 1, ..., maximum in words, ``role`` is one of :data:`ROLES`, and ``scope`` says whether the
    value belongs to the hand or to the match around it (the score).
    """

    name: str
    kind: Kind = field(validator=validators.in_(KINDS))
    doc: str
    maximum: int = 0
    size: int = 0
    unit: str = ""
    labels: tuple[str, ...] = field(default=(), kw_only=True, validator=_check_labels)
    role: str = field(default="", kw_only=True, validator=_check_role)
    scope: Literal["hand", "match"] = field(default="hand", kw_only=True, validator=validators.in_(("hand", "match")))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one table's value: () or (size,)."""
        return (self.size,) if self.size else ()

    @property
    def minimum(self) -> int:
        """The least value an entry can take."""
        return -max(self.maximum, 1) if self.kind == "chips" else 0 if self.kind in ("flag", "card_set") else -1

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

    @property
    def meaning(self) -> str:
        """The doc, and a count's values in words where it has labels: "how the hand ended: 0 knock, 1 gin"."""
        if not self.labels or self.kind != "count":
            return self.doc
        return f"{self.doc.rstrip('.')}: {', '.join(f'{value} {label}' for value, label in enumerate(self.labels))}"


def with_role(fields: Iterable[Field], role: str) -> Field | None:
    """Return the first of ``fields`` with ``role`` ("player", "seat_of:history"), None where there is none."""
    return next((f for f in fields if f.role == role), None)


@frozen
class Family:
    """A vocabulary: fields that mean the same in every game that says it speaks the family (``Game.families``).

    Its ``fields`` are in all views of such a game, ``optional`` ones in some games'. Each is a pattern: the game's field
    has its name, kind and scope, and its role, maximum, size and labels where the pattern has them. ``doc`` says what the
    games are ("betting games").
    """

    name: str
    doc: str
    fields: tuple[Field, ...]
    optional: tuple[Field, ...] = ()

    def max_utility(self, fields: tuple[Field, ...]) -> float:
        """Return the most that a hand of a game with these view ``fields`` can bring or cost (default 0: unknown)."""
        return 0.0

    def named_raises(self, view: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
        """Return raises that have a name, as (name, chips raised to), at a view of one of its games (default: none)."""
        return ()

    def counted_from(self, view: Mapping[str, Any]) -> int:
        """Return what named amounts are counted from: chips of the player who looks that are not said (default: none)."""
        return 0

    def told_at_end(self, game: Any, end: Any, names: tuple[str, ...]) -> list[str]:
        """Return what is said when a hand of ``game`` is over beside who won what: both hands at a showdown, what points are
        made of. ``end`` has its outcome, views and seats whose cards are shown, ``names`` are by seat (default: nothing).
        """
        return []

    def told_even(self, outcome: Mapping[str, Any]) -> str:
        """Return what is said where a hand with this ``outcome`` brought nobody anything (default: nothing in particular)."""
        return ""

    def put_in(self, views: Views, seat: int) -> Float64s:
        """Return (n,) what ``seat`` has put into the hand by views of one of its games (default: nothing)."""
        return np.zeros(len(views))

    def canonical_form(self, fields: tuple[Field, ...]) -> CanonicalForm | None:
        """Return how views over ``fields`` look up to suits' names and the order of cards (None: the family cannot say)."""
        return None

    def situation(self, view: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what kind of decision a view of one of its games asks for, as :meth:`Answers.situation` does (default: nothing)."""
        return {}

    def reasons(self, game: Any, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        """Return what speaks for ``best`` against ``taken`` at a view of ``game``, one of its games (default: nothing)."""
        return ()

    def field(self, name: str, maximum: int = 0, size: int = 0, **changes: Any) -> Field:
        """Return the family's field ``name`` for a game: its maximum and size, and other ``changes``, filled in."""
        pattern = next(f for f in (*self.fields, *self.optional) if f.name == name)
        return evolve(pattern, maximum=maximum or pattern.maximum, size=size or pattern.size, **changes)


def view_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """Return the structured dtype of views over ``fields``."""
    return np.dtype([(f.name, f.dtype, f.shape) for f in fields])


@cache
def interned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the first dtype equal to ``dtype``: numba knows a structured dtype it has met much faster than its equal."""
    return dtype


def misfitting(fields: Iterable[Field], views: Views) -> str:
    """Return the first field whose entries in ``views`` are none that it may hold, "" where all are: of files alone that is
    asked, for encoders take cards and seats for places and do not look whether they are there. Chips are never places.
    """
    for f in fields:
        entries = views[f.name]
        if f.kind == "card_set":
            wrong = bool((entries >> np.uint64(52)).any())
        else:
            wrong = f.kind not in ("flag", "chips") and bool(((entries < f.minimum) | (entries > f.maximum)).any())
        if wrong:
            return f.name
    return ""


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
    row = dict(zip(view.dtype.names or (), view.item(), strict=True)) if isinstance(view, np.void) else view
    out: dict[str, Any] = {}
    for f in fields:
        value = row[f.name]
        if f.kind in _PADDED:
            known = (np.asarray(value) != -1).nonzero()[0]
            value = value[: known[-1] + 1 if len(known) else 0]
        out[f.name] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return out
