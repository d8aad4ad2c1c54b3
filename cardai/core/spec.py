"""Spec strings: ``NAME[:key=value[,key=value...]]`` names a plugin and its options, everywhere a plugin is named.

Lists join with ``+`` (``bets=0.5+1+allin``). A value that holds ``, : + =`` or a quote is a quoted JSON string. A name
with a path separator, or that of a directory with a ``run.json``, is a trained run and takes options too
(``runs/x:policy=best_response,step=50000``).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from math import isinf, isnan
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs
from attrs import Factory, frozen

from cardai.core.errors import OptionError, SpecError, nearest
from cardai.core.trust import Foreign, Source, marked, source_of

_BARE = re.compile(r'[^,:+="]*')
_FORM = "Write NAME or NAME:key=value,key=value (a value with , : + = as a quoted JSON string)."


def option(
    default: Any = attrs.NOTHING,
    *,
    help: str,
    holds: str | Callable[[str], str] = "text",
    infinite: bool = False,
    **kwargs: Any,
) -> Any:
    """Declare one option of a plugin: an attrs field with its help text (``validator=`` and the rest pass through).

    ``holds`` says what the texts of an option are, so that a file from somebody else cannot name what it may not
    (:mod:`cardai.core.trust`): "agent", "game", "encoder" or "trainer" (specs), "path", either of them after "training"
    (made or opened only to train) or "starting" (only to begin training), "text", or a function of a text that returns in
    words what it would open ("": nothing). A number is finite where it may not be ``infinite``.
    """
    return attrs.field(default=default, metadata={"help": help, "holds": holds, "infinite": infinite}, **kwargs)


@frozen
class Spec:
    """A parsed spec string. ``options`` holds (key, text exactly as written).

    ``source`` says where it was read, if it is not one's own: so are then its text, its values, and what is made of them.
    """

    name: str
    options: tuple[tuple[str, str], ...] = ()
    source: Source | None = attrs.field(
        default=Factory(lambda self: source_of([self.name, *(text for _, text in self.options)]), takes_self=True),
        eq=False,
        repr=False,
    )

    def __str__(self) -> str:
        written = self.name + "".join(f"{',' if n else ':'}{key}={text}" for n, (key, text) in enumerate(self.options))
        return written if self.source is None else Foreign(written, self.source)

    @property
    def is_run(self) -> bool:
        """Whether the name is a trained run's directory rather than a plugin's name."""
        return os.sep in self.name or "/" in self.name or os.path.isfile(os.path.join(self.name, "run.json"))

    def values(self) -> dict[str, Any]:
        """Return the options as strings, or lists of strings where they were joined with ``+``."""
        return {key: marked(_read(text), self.source) for key, text in self.options}

    def with_options(self, more: Mapping[str, str]) -> Spec:
        """Return the spec with ``more`` options (texts); the same key given twice differently is an error."""
        known = dict(self.options)
        for key, text in more.items():
            if known.get(key, text) != text:
                raise OptionError(f"The option {key!r} is given twice: {known[key]} and {text}. Give it once.")
            known[key] = text
        return Spec(self.name, tuple(known.items()), self.source or source_of(tuple(more.values())))


def parse(text: str) -> Spec:
    """Parse a spec string; ``str(parse(s)) == s`` for every valid s.

    Raises:
        SpecError: quoting the text, the place, and the form expected.
    """
    source = source_of(text)
    name, colon, rest = text.partition(":")
    if not name.strip() or name != name.strip():
        raise SpecError(f"The spec {text!r} has no name before its options. {_FORM}")
    if not colon:
        return Spec(name, (), source)
    options: dict[str, str] = {}
    position = 0
    while True:
        key = _BARE.match(rest, position)
        assert key is not None  # the pattern matches the empty string
        if not key.group() or not rest.startswith("=", key.end()):
            raise SpecError(f"The spec {text!r} has no key=value at {rest[position:]!r}. {_FORM}")
        end = _value_end(rest, key.end() + 1, text)
        if key.group() in options:
            raise SpecError(f"The spec {text!r} gives the option {key.group()!r} twice. Give it once.")
        options[key.group()] = rest[key.end() + 1 : end]
        if end == len(rest):
            return Spec(name, tuple(options.items()), source)
        position = end + 1


def _value_end(rest: str, start: int, whole: str) -> int:
    """Return where the value (items joined with ``+``) that begins at ``start`` ends: at a comma or the end."""
    position = start
    while True:
        if rest.startswith('"', position):
            try:
                _, position = json.JSONDecoder().raw_decode(rest, position)
            except json.JSONDecodeError as error:
                raise SpecError(
                    f"The spec {whole!r} has a broken quoted value at {rest[position:]!r}. {_FORM}"
                ) from error
        else:
            item = _BARE.match(rest, position)
            assert item is not None
            position = item.end()
        if position == len(rest) or rest[position] == ",":
            return position
        if rest[position] != "+":
            raise SpecError(f"The spec {whole!r} has an unexpected {rest[position]!r} in {rest[start:]!r}. {_FORM}")
        position += 1


def _read(text: str) -> str | list[str]:
    items: list[str] = []
    position = 0
    while True:
        if text.startswith('"', position):
            item, position = json.JSONDecoder().raw_decode(text, position)
        else:
            match = _BARE.match(text, position)
            assert match is not None
            item, position = match.group(), match.end()
        items.append(item)
        if position >= len(text):
            return items[0] if len(items) == 1 else items
        position += 1


def write_value(value: Any) -> str:
    """Return an option's value as spec text (the inverse of reading it)."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return "+".join(write_value(item) for item in value)
    text = str(value)
    return json.dumps(text) if re.search(r'[,:+="]', text) else text


def options_of(plugin: type) -> dict[str, attrs.Attribute[Any]]:
    """Return a plugin class's options by name: its public attrs fields."""
    if not attrs.has(plugin):
        return {}
    return {a.name: a for a in attrs.fields(plugin) if a.init and not a.name.startswith("_")}


def helps(plugin: type) -> dict[str, str]:
    """Return the help of a plugin class's options by name."""
    return {name: a.metadata["help"] for name, a in options_of(plugin).items()}


def build(plugin: type, values: Mapping[str, Any], called: str) -> Any:
    """Make an instance of ``plugin`` from option texts or values; ``called`` names it in errors.

    Raises:
        OptionError: an unknown option (naming the known ones), or a value of the wrong type or refused.
    """
    known = options_of(plugin)
    hints = get_type_hints(plugin) if known else {}
    given = {}
    for key, value in values.items():
        if key not in known:
            listing = ", ".join(sorted(known)) or "it has none"
            raise OptionError(f"{called} has no option {key!r}.{nearest(key, known)} Its options: {listing}.")
        what = f"The option {key!r} of {called[:1].lower()}{called[1:]}"
        given[key] = convert(value, hints[key], what)
        _need_finite(given[key], what, known[key].metadata.get("infinite", False))
    try:
        return plugin(**given)
    except (ValueError, TypeError) as error:
        refused = f" {_listed(values)}" if values else ""
        raise OptionError(f"{called} refuses its options{refused}: {error.args[0] if error.args else error}") from error


def _need_finite(value: Any, what: str, infinite: bool) -> None:
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, float) and (isnan(number) or (isinf(number) and not infinite)):
            raise OptionError(f"{what} must be a {'' if infinite else 'finite '}number. Got {number} instead.")


def without_retired(plugin: type, values: Mapping[str, Any], called: str) -> dict[str, Any]:
    """Return the values of options without those that ``plugin`` has no more (its ``retired``).

    Raises:
        OptionError: one of them has a value that means something else than what the plugin does now.
    """
    kept = dict(values)
    retired: Mapping[str, Sequence[str]] = getattr(plugin, "retired", {})
    for key in kept.keys() & retired.keys():
        said = write_value(kept.pop(key))
        if retired[key] and said not in retired[key]:
            raise OptionError(
                f"{called} has no option {key!r} any more: it works as with {key}={' or '.join(retired[key])}. "
                f"Got {said} instead, as an earlier version could."
            )
    return kept


def convert(value: Any, wanted: Any, what: str) -> Any:
    """Return ``value`` (texts as typed, or a Python value) as the type ``wanted``; ``what`` begins the error."""
    expected = type_name(wanted)
    arguments = get_args(wanted)
    if get_origin(wanted) in (Union, type(int | None)):
        if value is None or value in ("none", "None"):
            return None
        wanted = next(a for a in arguments if a is not type(None))
        arguments = get_args(wanted)
    if get_origin(wanted) in (tuple, list):
        items = value if isinstance(value, (list, tuple)) else [] if value == "" else [value]
        return tuple(convert(item, arguments[0], what) for item in items)
    if isinstance(value, list):
        raise OptionError(f"{what} must be {expected}, and not several. Got {write_value(value)} instead.")
    try:
        if get_origin(wanted) is Literal:
            return next(choice for choice in arguments if str(choice) == str(value))
        if wanted is bool and isinstance(value, str):
            return {"true": True, "yes": True, "1": True, "on": True}.get(value.lower(), False) or _false(value)
        if wanted is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        if wanted is str and isinstance(value, str):
            return value  # also where it was read
        made = wanted(value) if wanted in (int, float, str, bool) else value
    except (ValueError, TypeError, KeyError, StopIteration) as error:
        raise OptionError(f"{what} must be {expected}. Got {value!r} instead.") from error
    if wanted is int and abs(made) >= 1 << 63:  # neither numpy nor a kernel has such
        raise OptionError(f"{what} must be {expected} of less than 64 bits. Got {value!r} instead.")
    return made


def brief(plugin: Any) -> str:
    """Return a plugin for messages: its class and the options that are not the default, "Leduc(players=3)"."""
    options = options_of(type(plugin))
    given = {name: getattr(plugin, name) for name, a in options.items() if getattr(plugin, name) != a.default}
    listed = ", ".join(f"{name}={write_value(value)}" for name, value in given.items())
    return type(plugin).__name__ + (f"({listed})" if listed else "")


def _listed(values: Mapping[str, Any]) -> str:
    """Return options as they are written in a spec."""
    return ",".join(f"{key}={write_value(value)}" for key, value in values.items())


def _false(text: str) -> bool:
    return {"false": False, "no": False, "0": False, "off": False}[text.lower()]


def type_name(wanted: Any) -> str:
    """Return a type in words for messages and ``describe``."""
    if get_origin(wanted) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(wanted))
    if get_origin(wanted) in (tuple, list):
        several = {int: "whole numbers", float: "numbers", str: "texts"}
        item = get_args(wanted)[0]
        return f"{several.get(item) or 'a list of ' + type_name(item)} joined with +"
    if get_origin(wanted) in (Union, type(int | None)):
        return " or ".join("none" if a is type(None) else type_name(a) for a in get_args(wanted))
    names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return names.get(wanted, getattr(wanted, "__name__", str(wanted)))
