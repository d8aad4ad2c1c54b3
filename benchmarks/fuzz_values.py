"""Hostile JSON out of annotations: values that a class allows, and those with a few places broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from random import Random
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from attrs import NOTHING, fields, has

WHOLE: list[Any] = [
    0, 1, -1, 2, 3, 5, 10, 52, 53, 127, 128, 255, 256, 1000, 65_536, 10**6, 10**9, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1,
    2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 10**30, -(10**30), 10**400,
]  # fmt: skip
NUMBERS: list[Any] = [
    0.0, -0.0, 0.5, 1.5, -1.5, 1e-9, 5e-324, 1e30, 1e308, -1e308, float("nan"), float("inf"), float("-inf"), *WHOLE,
]  # fmt: skip
TEXTS: list[Any] = [
    "", " ", "x", "0", "1", "-1", "nan", "1e400", "true", "None", "{}", "[]", "%s%n", "é" * 300, "9" * 5000, "a" * 256, "b" * 5000,
    "x/" * 3000, "c" * 100_000, "\x00", "a\x00b", "\ud800", "\udcff", "\x1b[2J\x1b]0;x\x07", "\u202e\u200b", "\n", "a\r\nb", "[bold]x[/", "[/]",
    "../../etc/passwd", "/", ".", "..", "a/b", "/dev/null", "/nowhere/x", "~", "C:\\x", "CON", "x.npz", "shard-000000.npz", "solution-7.npz",
    ":", "a:b=c", "a,b", "a:=", "x:y=\"", "kuhn", "leduc", "gin:target=5", "gin:target=0", "holdem_nolimit:players=10", "holdem_limit", "video_poker",
    "nowhere", "runs/x", "random", "human", "simple", "cfr", "mccfr:exploration=2", "best_response", "river", "turn", "second", "cpu", "cuda",
    "sha256", "QQ+,AKs", "22+:0.5", "KsTh7s4d2c", "AsAs", "1+allin", "0", "pot+x", "e_hs2", "range_1326", "policy", "value",
]  # fmt: skip
"""Texts that mean something somewhere, and such as mean nothing anywhere."""
HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**400, 0.5, 1e308, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "é" * 300,
    "9" * 5000, [], [0], [[]], [None], [-1] * 60, list(range(53)), [0.5, "x", None, {}], {}, {"a": 1}, {"": None}, {"\ud800": {}},
    {"starter": 0, "score": [], "stacks": []}, {"a": {"b": {"c": [1, 2, {}]}}},
]  # fmt: skip
RAW = (
    "[" * 50 + "]" * 50, "[" * 3000 + "]" * 3000, "[" * 60_000 + "]" * 60_000, '{"a":' * 40 + "1" + "}" * 40, '{"a":' * 3000 + "1" + "}" * 3000,
    "9" * 4000, "9" * 5000, "1e400", "-1e400", "1E+99999999", "1e-99999999", "NaN", "-Infinity", "01", "0x1", "1_0", "tru", "'x'", "", ",", "²",
    '"\\ud800\\ud800"', '"\\u0000"', '"\x00"', '"\n"', '"\x1b[31m"', '"\\x"', '"', "{", "]", "/**/1", "\ufeff1", "[" + "0," * 50_000 + "0]",
)  # fmt: skip
"""What is put into JSON text as it is: deeper than Python nests, longer than it converts, or no JSON at all."""
_AGAIN, _RAW = "<again>", "<raw {}>"
_MANY = 12
"""Places looked at of each end of a long list."""


class Place(NamedTuple):
    """A place in a JSON value: what holds it, its key there, and what the annotation says of it (Any: nothing)."""

    holder: Any
    key: Any
    kind: Any


@cache
def hints(cls: Any) -> dict[str, Any]:
    """Return the annotation of each field of an attrs class."""
    known = get_type_hints(cls)
    return {field.name: known[field.name] for field in fields(cls)}


@cache
def _needed(cls: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields(cls) if field.default is NOTHING)


def members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the annotation alone."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _inner(kind: Any, value: Any) -> Any:
    """Return the member of a union that ``value`` may be of."""
    for member in members(kind):
        holds = dict if has(member) or get_origin(member) is dict else list if get_origin(member) is tuple else NoneType
        if isinstance(value, holds):
            return member
    return kind


def places(value: Any, kind: Any = Any) -> Iterator[Place]:
    """Yield every place in a JSON value, of a long list the first and the last ones."""
    for place in _within(value, kind):
        yield place
        yield from places(place.holder[place.key], place.kind)


def _within(value: Any, kind: Any) -> list[Place]:
    """Return the places of a value's own items."""
    kind = _inner(kind, value)
    if isinstance(value, dict):
        known = hints(kind) if has(kind) else {}
        rest = get_args(kind)[1] if get_origin(kind) is dict else Any
        return [Place(value, key, known.get(key, rest)) for key in list(value)[: 4 * _MANY]]
    if isinstance(value, list):
        arguments = [each for each in get_args(kind) if each is not Ellipsis] if get_origin(kind) is tuple else []
        numbers = [*range(min(len(value), _MANY)), *range(max(_MANY, len(value) - _MANY), len(value))]
        return [Place(value, k, arguments[k % len(arguments)] if arguments else Any) for k in numbers]
    return []


def _hostile(rng: Random) -> Any:
    return deepcopy(rng.choice(HOSTILE))


def _chosen(value: Any, kind: Any, rng: Random) -> Place | None:
    """Return a place: any of all, or one of the outermost and some of those in it, so that long lists are not all."""
    if rng.random() < 0.4:
        found = list(places(value, kind))
        return rng.choice(found) if found else None
    place = None
    while inner := _within(value, kind):
        place = rng.choice(inner)
        value, kind = place.holder[place.key], place.kind
        if rng.random() < 0.3:
            break
    return place


def made(kind: Any, rng: Random) -> Any:
    """Return a JSON value that the annotation allows, whatever else may be wrong with it."""
    kind = rng.choice(members(kind))
    if kind is bool:
        return rng.random() < 0.5
    if kind in (int, float, str):
        return rng.choice({int: WHOLE, float: NUMBERS, str: TEXTS}[kind])
    if has(kind):
        kept = [name for name in hints(kind) if name in _needed(kind) or rng.random() < 0.5]
        return {name: made(hints(kind)[name], rng) for name in kept}
    if get_origin(kind) is tuple:
        arguments = get_args(kind)
        if Ellipsis not in arguments:
            return [made(each, rng) for each in arguments]
        return [made(arguments[0], rng) for _ in range(rng.choice([0, 1, 2, 3, 9]))]
    if get_origin(kind) is dict:
        return {rng.choice(TEXTS): made(get_args(kind)[1], rng) for _ in range(rng.randrange(4))}
    return None if kind in (None, NoneType) else _hostile(rng)


def damaged(value: Any, kind: Any, rng: Random) -> Any:
    """Return a JSON value (which is changed) broken in one to four places."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        value = _broken(value, kind, rng)
    return value


def _broken(value: Any, kind: Any, rng: Random) -> Any:
    place = _chosen(value, kind, rng) if rng.random() > 0.01 else None
    if place is None:
        return rng.choice([_hostile(rng), made(kind, rng)])
    rng.choices(_WAYS, _SHARES)[0](place, rng, kind)
    return value


def _other_type(place: Place, rng: Random, _: Any) -> None:
    """Put something of another type, or of the same one that is larger than anybody's."""
    place.holder[place.key] = deepcopy(rng.choice(rng.choice([WHOLE, NUMBERS, TEXTS, HOSTILE, HOSTILE])))


def _allowed(place: Place, rng: Random, _: Any) -> None:
    """Put what the annotation allows."""
    place.holder[place.key] = made(place.kind, rng)


def _raw(place: Place, rng: Random, _: Any) -> None:
    """Put what is no JSON, or more of it than anybody's."""
    place.holder[place.key] = _RAW.format(rng.randrange(len(RAW)))


def _missing(place: Place, rng: Random, _: Any) -> None:
    del place.holder[place.key]


def _more(place: Place, rng: Random, kind: Any) -> None:
    """Add an item, a key that the class knows or one that nobody knows."""
    value = rng.choice([made(place.kind, rng), _hostile(rng)])
    if isinstance(place.holder, list):
        place.holder.insert(place.key, rng.choice([place.holder[place.key], value]))
        return
    known = hints(kind) if has(kind) else {}
    absent = [name for name in known if name not in place.holder]
    name = rng.choice(absent) if absent and rng.random() < 0.7 else rng.choice(["x", "seed", "format", *TEXTS])
    place.holder[name] = made(known[name], rng) if name in known and rng.random() < 0.5 else value


def _twice(place: Place, rng: Random, _: Any) -> None:
    """Say a key twice, or an item very often."""
    if isinstance(place.holder, dict):
        place.holder[_AGAIN + str(place.key)] = rng.choice([made(place.kind, rng), _hostile(rng)])
    else:
        item = place.holder[place.key]
        often = rng.choice([2, 100, 20_000]) if isinstance(item, (int, float)) else 2
        place.holder[place.key : place.key + 1] = [item] * often


def _near(place: Place, rng: Random, _: Any) -> None:
    """Change a number by a little or by much, a text in a few places; wrap what is neither."""
    value = place.holder[place.key]
    if isinstance(value, (int, float)) and abs(value) < 2**900:
        place.holder[place.key] = value + rng.choice([-1, 1, 0.5, -100, 100, 2**40])
    elif isinstance(value, str):
        place.holder[place.key] = damaged_text(value, rng)
    else:
        place.holder[place.key] = [value]


_WAYS = (_other_type, _allowed, _near, _raw, _missing, _more, _twice)
_SHARES = (28, 22, 18, 8, 8, 12, 4)

# -- as text -------------------------------------------------------------------------------------------------------


def json_text(value: Any) -> str:
    """Return a damaged value as JSON text, which may be no JSON."""
    text = json.dumps(value, separators=(",", ":"), skipkeys=True)
    if "<" in text:
        text = text.replace(f'"{_AGAIN}', '"')
        for number, raw in enumerate(RAW):
            text = text.replace(f'"{_RAW.format(number)}"', raw)
    return text


BITS = ["", "0", "-", "+", ":", "|", "/", "=", ",", "#", "99999999999999999999", "1e9", "\x00", "\n", "\r\n", " ", '"', "[", "]", "{",
        "\ud800", "é", "r", "c", "f", "k", "b", "r300", "b300", "cc/", "As", "5d5c", "STATE:", "SCORE:", "MATCHSTATE:", "GAMEDEF", "nan"]  # fmt: skip


def damaged_text(text: str, rng: Random, bits: Sequence[str] = BITS) -> str:
    """Return ``text`` changed in one to four places: cut, doubled, replaced, moved, numbers made strange."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice([0, 1, 1, 2, 5, 40]))
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:to] + text[at:]
        elif kind == 2:
            text = text[:at]
        elif kind == 3:
            other = rng.randrange(len(text) + 1)
            text = text[:at] + text[other : other + to - at] + text[to:]
        else:
            text = text[:at] + rng.choice(bits) + text[to:]
    return text


def damaged_bytes(data: bytes, rng: Random) -> bytes:
    """Return the bytes of a file with some changed, cut out or put in, or in another coding."""
    if rng.random() < 0.05:
        strange = data.decode("utf-8", "replace").encode(
            rng.choice(["utf-16", "utf-8-sig", "utf-32", "latin-1"]), "replace"
        )
        return rng.choice([b"", b"\x00" * 100, b"\xff" * 100, b"\n" * 1000, strange, data + data])
    changed = bytearray(data or b"\x00")
    kind = rng.randrange(4)
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.randrange(len(changed) or 1)
        if kind == 0 and changed:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[at : at + 8] = rng.randbytes(8)
        elif kind == 2:
            del changed[at : at + rng.choice([1, 4, 100])]
        else:
            del changed[at:]
    return bytes(changed)
