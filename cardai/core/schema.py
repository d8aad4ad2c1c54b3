"""From plain JSON values to attrs classes, by cattrs: nothing is converted, and what does not fit is named by its place.

A class's annotations and validators say what a file may hold: ``int``, ``float`` (whole numbers too), ``bool``, ``str``,
``tuple[T, ...]`` (a JSON list), ``dict[str, T]``, ``T | None``, other attrs classes, ``Any``. Keys that no field has are
left alone; a field with a default may be missing.
"""

from __future__ import annotations

import reprlib
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import cattrs
from attrs import Attribute, has
from cattrs.gen import make_dict_structure_fn

from cardai.core.errors import DamagedFileError
from cardai.core.files import COUNT_LIMIT

T = TypeVar("T")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_NAMES = {int: "a whole number", bool: "true or false", str: "a text"}


def structure(value: Any, wanted: type[T], what: str) -> T:
    """Return ``value`` as a ``wanted``; ``what`` ("The file x") begins the message.

    Raises:
        DamagedFileError: naming the place in the value, what belongs there and what was found.
    """
    try:
        return _converter(False).structure(value, wanted)
    except Exception:
        pass
    try:
        return _converter(True).structure(value, wanted)
    except Exception as error:  # a hook's, a validator's, or cattrs' group of them
        place, why = _first(error)
        raise DamagedFileError(f"{what} is damaged or foreign: {place.removeprefix('.') or 'it'} {why}.") from error


def whole(low: int = 0, high: int = 2**63 - 1) -> Any:
    """Return a validator: a whole number, or each of several, from ``low`` to ``high``."""

    def check(instance: Any, attribute: Attribute[Any], value: Any) -> None:
        if isinstance(value, tuple) and (not value or low <= min(value) <= max(value) <= high):
            return
        for number in value if isinstance(value, tuple) else (value,):
            if not low <= number <= high:
                raise _Misplaced(f".{attribute.name}", f"must be from {low} to {high}. Got {_SHORT.repr(number)}")

    return check


def counted() -> Any:
    """Return a validator: a number of what was done, or several, no larger than any training's."""
    return whole(0, COUNT_LIMIT)


def file_name(text: str) -> bool:
    """Whether ``text`` is the name of a file in a directory, with no path in it."""
    return 0 < len(text) < 256 and text not in (".", "..") and not set(text) & set("/\\:\0")


class _Misplaced(ValueError):
    """What is wrong with a value, and where in it."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(place, why)
        self.place, self.why = place, why


def _origin(wanted: Any) -> Any:
    return get_origin(wanted)


@cache
def _converter(detailed: bool) -> cattrs.Converter:
    converter = cattrs.Converter(detailed_validation=detailed)
    for kind, name in _NAMES.items():
        converter.register_structure_hook(kind, _exactly(kind, name))
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_factory(lambda wanted: _origin(wanted) is tuple, _several)
    converter.register_structure_hook_factory(lambda wanted: _origin(wanted) is dict, _mapping)
    converter.register_structure_hook_factory(has, lambda cls: _of_class(cls, converter))
    return converter


def _wrong(wanted: str, value: Any) -> _Misplaced:
    return _Misplaced("", f"must be {wanted}. Got {_SHORT.repr(value)}")


def _exactly(kind: type, name: str) -> Any:
    def hook(value: Any, _: Any) -> Any:
        if type(value) is not kind and not (kind is str and isinstance(value, str)):
            raise _wrong(name, value)
        return value

    return hook


def _number(value: Any, _: Any) -> float:
    if type(value) is float:
        return value
    if type(value) is not int or abs(value) > 2**1000:
        raise _wrong("a number", value)
    return float(value)


def _several(wanted: Any) -> Any:
    kind = get_args(wanted)[0]
    plain = {kind} if kind in (int, float, str) else set()

    def hook(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise _wrong("a list", value)
        if plain.issuperset(map(type, value)):  # the decks and actions of many hands
            return tuple(value)
        return tuple(_inner(item, kind, f"[{place}]") for place, item in enumerate(value))

    return hook


def _mapping(wanted: Any) -> Any:
    kind = get_args(wanted)[1]

    def hook(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _wrong("an object", value)
        return value if kind is Any else {key: _inner(item, kind, f".{key[:60]}") for key, item in value.items()}

    return hook


def _inner(value: Any, kind: Any, place: str) -> Any:
    try:
        return _converter(True).structure(value, kind)
    except Exception as error:
        inner, why = _first(error)
        raise _Misplaced(place + inner, why) from error


def _of_class(cls: Any, converter: cattrs.Converter) -> Any:
    build = make_dict_structure_fn(cls, converter)

    def hook(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _wrong("an object", value)
        return build(value, cls)

    return hook


def _first(error: BaseException) -> tuple[str, str]:
    """Return where the first of an error's causes is (".setup.score[1]") and what it says."""
    if isinstance(error, cattrs.ClassValidationError):
        placed, others = error.group_exceptions()
        if not placed:
            return _first(others[0])
        inner, note = placed[0]
        if isinstance(inner, KeyError):
            return "", f"lacks {note.name!r}"
        place, why = _first(inner)
        return f".{note.name}{place}", why
    if isinstance(error, _Misplaced):
        return error.place, error.why
    return "", str(error).removesuffix(".")
