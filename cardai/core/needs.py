"""What a spec that came with a file names that it may not, by what the plugins declare.

A plugin class says what it may do in ``may`` and each of its options what its texts hold (``option(holds=...)``). A spec
that is foreign (:mod:`cardai.core.trust`) is refused, wherever in it and however deep,

* a plugin that starts programs, uses the network, or reads paths that no option shows;
* a path (of an option, or of a trained run) that leads out of the directory of the file that names it.

What the owner's own command wrote is allowed as it is written.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from cardai.core.allowed import allow, allowed, trusting
from cardai.core.errors import CardaiError, UntrustedError
from cardai.core.files import file_digest, json_bytes, write_atomically
from cardai.core.spec import Spec, options_of, parse
from cardai.core.trust import Source, digest, source_of

Load = Callable[[str, str], tuple[type, dict[str, Any]]]
"""From a kind and a name to a plugin's class: what a registry's ``load`` does."""

STARTS_PROGRAMS, READS_PATHS, USES_NETWORK = "starts_programs", "reads_paths", "uses_network"
POWERS = {
    STARTS_PROGRAMS: "starts a program",
    READS_PATHS: "reads a path",
    USES_NETWORK: "uses the network",
}
"""What a plugin declares in ``may``, and how a message says it."""
KINDS = ("game", "encoder", "agent", "trainer")
Use = Literal["play", "train", "start"]
"""What is to be done with a spec: a trained player is played, a training goes on, a training (or anything else) begins."""
TEXT, PATH = "text", "path"
OPENED: Mapping[str, Sequence[Use]] = {
    "": ("play", "train", "start"),
    "training": ("train", "start"),
    "starting": ("start",),
}
"""In which uses what an option names is opened, by the word before what it holds: ``training path``, ``training agent``."""


@frozen
class Need:
    """What a foreign spec names that it may not: where in it, of which plugin, and why."""

    place: str
    plugin: str
    power: str
    value: str = ""

    def __str__(self) -> str:
        said = f"{self.plugin}, which {POWERS[self.power]}" if not self.value else f"{self.plugin} {self.value!r}"
        return f"{self.place}: {said}"


def needs(load: Load, kind: str, spec: Spec, root: str = "", use: Use = "start", place: str = "") -> Iterator[Need]:
    """Yield what a foreign spec names that it may not, however deep; nothing is made.

    ``root`` is the directory whose files may be named; a path, or a trained run, that is not opened in this ``use`` is let
    alone. What no plugin is, or has no such option, is left to whoever makes it.
    """
    here = f"{place}{' > ' if place else ''}{kind} {spec.name}"
    if kind == "agent" and spec.is_run:
        if not inside(spec.name, root):
            yield Need(here, "the trained run", READS_PATHS, spec.name)
        return
    try:
        cls, _ = load(kind, spec.name)
    except CardaiError:
        return
    for power in POWERS:
        if power in getattr(cls, "may", ()):
            yield Need(here, f"the {kind} {spec.name!r}", power)
    options = options_of(cls)
    for key, value in spec.values().items():
        declared = options[key].metadata.get("holds", TEXT) if key in options else TEXT
        when, _, holds = ("", "", declared) if callable(declared) else declared.rpartition(" ")
        opened = use in OPENED.get(when, OPENED[""])
        usual = options[key].default if key in options else None
        for item in value if isinstance(value, list) else [value]:
            if holds in KINDS:
                with suppress(CardaiError):
                    inner = needs(load, holds, parse(item), root, use, f"{here}, {key}")
                    yield from (found for found in inner if opened or found.power != READS_PATHS)
            elif item == usual or not item:
                continue
            elif callable(holds):
                if why := holds(item):
                    yield Need(f"{here}, {key}", why, READS_PATHS, item)
            elif holds == PATH and opened and not inside(item, root):
                yield Need(f"{here}, {key}", "the path", READS_PATHS, item)


def inside(path: str, root: str) -> bool:
    """Whether a path, links followed, lies in the directory ``root``."""
    if not root or path.startswith("~"):
        return False
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):  # a null byte, a loop of links
        return False


def check(load: Load, kind: str, spec: Spec, use: Use = "start") -> None:
    """Raise UntrustedError where a foreign spec names what it may not and its owner has not allowed it."""
    source = spec.source
    if source is None:
        return
    if found := next(needs(load, kind, spec, source.root, use), None):
        refuse(source, found)


def refuse(source: Source, found: Need) -> None:
    """Raise UntrustedError, unless the owner has allowed the file ``source`` as it is, or does so in this call."""
    if trusting():
        allow(source)
    if not allowed(source):
        raise UntrustedError(
            f"{source.path} names what no file from somebody else may: {found}. All that is in it shows: cardai inspect "
            f"{shlex.quote(source.path)}. If you know where it is from, allow it as it is by adding --trust, once."
        )


def allow_own(load: Load, source: Source, specs: Iterable[tuple[str, str]], use: Use = "start") -> None:
    """Allow a file that the owner's own command wrote, if the ``specs`` (kinds and texts) that it holds need it.

    The file is allowed as a whole: one text in it that was read from a file which may not name it, and nothing is.
    """
    needed = False
    for kind, text in specs:
        with suppress(CardaiError):  # a name that is no spec, as a function's
            if any(needs(load, kind, parse(text), source.root, use)):
                came = source_of(text)
                if came is not None and not allowed(came):
                    return
                needed = True
    if needed:
        allow(source)


def write_own(load: Load, path: Path, value: Any, specs: Iterable[tuple[str, str]]) -> None:
    """Write ``value`` as JSON to ``path``, and allow the file what the ``specs`` (kinds and texts) in it need: a run's own
    command named them. Raises UsageError, WriteError."""
    data = json_bytes(value)
    _allow(load, path, digest(data), specs)  # first: a process killed in between leaves no file that nobody may read
    write_atomically(path, data)


def allow_file(load: Load, path: Path, specs: Iterable[tuple[str, str]]) -> None:
    """Allow the JSON file ``path`` what the ``specs`` (kinds and texts) in it need, as :func:`allow_own` does."""
    _allow(load, path, file_digest(path), specs)


def _allow(load: Load, path: Path, digest: str, specs: Iterable[tuple[str, str]]) -> None:
    allow_own(load, Source(os.path.realpath(path), digest, os.path.realpath(path.parent)), specs)
