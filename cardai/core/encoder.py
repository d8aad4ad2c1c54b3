"""Encoders: a game's views as one float32 array with a documented layout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen

from cardai.core.arrays import Float32s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game

UNSAID = 2.0**31
"""The bound of codes whose layout says none: no field of a view, scaled or not, is larger."""


@frozen
class Plane:
    """One named part of an encoding: ``where`` is its index or slice on the first axis, in words of numpy."""

    name: str
    where: str
    meaning: str
    scale: str = "0 or 1"


class Layout(ABC):
    """An encoder bound to a game: what :meth:`Encoder.for_game` returns."""

    shape: tuple[int, ...]
    """The shape of one encoded view."""
    planes: tuple[Plane, ...]
    """What stands where, in order."""
    lossless: bool
    """Whether different information states of this game always give different codes (tested on small games)."""
    low: float | Float32s = -UNSAID
    """The least number that a code can hold: one for all, or an array of ``shape``. Environments show it to learners."""
    high: float | Float32s = UNSAID
    """The greatest number that a code can hold, in the same form."""

    @abstractmethod
    def encode(self, views: Views) -> Float32s:
        """Return (n, *shape) float32 for (n,) views."""

    def decode(self, code: Float32s) -> dict[str, Any]:
        """Return what one code (*shape) says, as a readable view: field names to values, for debugging."""
        raise NotImplementedError(f"{type(self).__name__} cannot be decoded.")


class Encoder(ABC):
    """A representation, independent of any game. Subclasses are frozen attrs classes; fields are options."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    may: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def for_game(self, game: Game) -> Layout:
        """Lay out the fields of ``game``. Raises UsageError, naming the field, where that is impossible."""


def need_encoder(encoder: Encoder | None, who: str, such_as: str) -> Encoder:
    """Return an encoder that was asked for. Raises UsageError where there is none, naming some that would do."""
    if encoder is None:
        raise UsageError(f"{who} needs --encoder, such as {such_as}.")
    return encoder
