"""Plugins as metadata tells of them: entry points read without importing any plugin."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib import metadata
from pathlib import Path

from attrs import evolve, frozen

from cardai.core.extras import install_command
from cardai.core.text import one_line

GROUPS = {
    "game": "cardai.games",
    "encoder": "cardai.encoders",
    "agent": "cardai.agents",
    "trainer": "cardai.trainers",
    "watcher": "cardai.watchers",
    "command": "cardai.commands",
    "format": "cardai.formats",
}


@frozen
class Entry:
    """One line of an entry-point table: a plugin, known from metadata alone."""

    kind: str
    name: str
    module: str
    distribution: str
    version: str
    preset_of: str = ""
    """The general plugin's name, if this line is a preset of it."""
    extras: tuple[str, ...] = ()
    missing: str = ""
    """The pip command that mends a missing extra, or nothing."""
    duplicates: tuple[str, ...] = ()
    """Other distributions that register the same name."""
    broken: str = ""
    """Why the distribution's metadata cannot be read, or nothing."""

    @property
    def status(self) -> str:
        """Return "ok", or what is wrong with the entry as far as metadata can tell."""
        if self.broken:
            return f"broken: {self.broken}"
        if self.duplicates:
            return f"duplicate: also in {', '.join(self.duplicates)}"
        return f"needs: {self.missing}" if self.missing else "ok"

    def summary(self) -> str:
        """Return what the plugin is: a preset's own line, else the first line of the module's docstring.

        A preset's line stands below "Presets:" in that docstring, as ``name: what it is.``, and may go on in lines that
        are indented further. Both are read without importing anything.
        """
        text = _docstring(self.module)
        return (self.preset_of and preset_lines(text).get(self.name, "")) or text.partition("\n")[0].strip()

    def source(self) -> Path | None:
        """Return the file of the plugin's module, None where it is not known. Imports nothing."""
        return _module_file(self.module)

    def preset_line(self) -> str:
        """Return what the module's docstring says of this preset, or nothing."""
        return preset_lines(_docstring(self.module)).get(self.name, "") if self.preset_of else ""


def preset_lines(docstring: str) -> dict[str, str]:
    """Return the lines below "Presets:" in a module's docstring, by the preset's name."""
    found: dict[str, str] = {}
    listed = re.search(r"^Presets:\n((?:[ \t]+\S[^\n]*(?:\n|$))+)", docstring, re.MULTILINE)
    name = ""
    for line in listed[1].splitlines() if listed else ():
        one = re.fullmatch(r"    ([\w.-]+): (.+)", line)
        if one:
            name = one[1]
        elif not name:
            continue
        found[name] = one[2].strip() if one else f"{found[name]} {line.strip()}"
    return found


@frozen
class Broken:
    """A distribution of which some plugins cannot even be listed, and why."""

    distribution: str
    why: str


def installed() -> tuple[tuple[Entry, ...], tuple[Broken, ...]]:
    """Read the entry points of all installed distributions; metadata is parsed of those that have plugins only.

    Whatever is damaged in one distribution is said of that one, and stops nothing.
    """
    found: dict[tuple[str, str], Entry] = {}
    broken: list[Broken] = []
    seen: set[str] = set()
    for distribution in metadata.distributions():
        lines, wrong = _lines(distribution)
        if not lines and not wrong:
            continue
        name, version, requires, damage = _about(distribution)
        if name in seen:  # a second copy further down sys.path
            continue
        seen.add(name)
        broken += [Broken(name, why) for why in wrong]
        mending = {extras: _missing(name, requires, extras) for extras in {line.extras for line in lines}}
        for line in lines:
            entry = evolve(line, distribution=name, version=version, missing=mending[line.extras], broken=damage)
            key = (entry.kind, entry.name)
            if key in found:
                entry = evolve(found[key], duplicates=(*found[key].duplicates, name))
            found[key] = entry
    return tuple(found.values()), tuple(broken)


_KINDS = {group: kind for kind, group in GROUPS.items()}
_POINT = re.compile(r"([^=\[\]]+?)\s*=\s*([\w.]+)\s*(?::\s*([\w.-]+))?\s*(?:\[([^\]]*)\])?\s*")
"""NAME = MODULE, NAME = MODULE:PRESET_OF, either with [EXTRA, ...]."""


def _lines(distribution: metadata.Distribution) -> tuple[list[Entry], list[str]]:
    """Return the plugins in a distribution's entry points (not yet whose they are), and what cannot be read of them."""
    try:
        text = distribution.read_text("entry_points.txt") or ""
    except UnicodeDecodeError as error:
        return [], ["its entry_points.txt is not UTF-8"] * (b"cardai." in error.object)
    except Exception as error:
        return [], [f"its entry_points.txt cannot be read: {error}"]
    entries, wrong = [], []
    kind: str | None = None
    for line in map(str.strip, text.splitlines() if "cardai." in text else ()):
        if line.startswith("["):
            kind = _KINDS.get(line.strip("[]").strip())
        elif line and kind and line[0] not in "#;":
            point = _POINT.fullmatch(line)
            if point is None or one_line(point[1]) != point[1]:
                wrong.append(f"its entry point {line[:60]!r} in {GROUPS[kind]} is not NAME = MODULE")
                continue
            extras = tuple(extra.strip() for extra in (point[4] or "").split(",") if extra.strip())
            entries.append(Entry(kind, point[1], point[2], "", "", preset_of=point[3] or "", extras=extras))
    return entries, wrong


def _about(distribution: metadata.Distribution) -> tuple[str, str, list[str], str]:
    """Return a distribution's name, version and requirements, and what is wrong with its metadata."""
    folder = Path(str(getattr(distribution, "_path", ""))).name.rpartition(".")[0] or "a distribution without a name"
    name, _, version = folder.partition("-")
    try:
        about = distribution.metadata
        called, versions = about.get_all("Name") or [""], about.get_all("Version") or [""]
        if not called[0]:
            return name, version, [], "its metadata has no Name"
        return called[0], versions[0], about.get_all("Requires-Dist") or [], ""
    except Exception as error:
        return name, version, [], f"its metadata cannot be read: {type(error).__name__}"


def _missing(name: str, requires: list[str], extras: tuple[str, ...]) -> str:
    """Return the pip command that installs what ``extras`` need and is not there, or nothing."""
    for extra in extras:
        for requirement in requires:
            named = re.match(r"[A-Za-z0-9._-]+", requirement)
            if named and re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", requirement):
                try:
                    metadata.distribution(named.group())
                except metadata.PackageNotFoundError:
                    return install_command(extra, name)
    return ""


def _docstring(module: str) -> str:
    """Return the docstring of a module, read without importing any part of it; nothing where it cannot be read."""
    file = _module_file(module)
    if file is None:
        return ""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = re.match(r"""\s*(?:#[^\n]*\n\s*)*[rR]?(\"{3}|'{3})\s*(.+?)\1""", text, re.DOTALL)
    return match.group(2) if match else ""


def _module_file(module: str) -> Path | None:
    """Return the source file of a module without importing any part of it."""
    if module in sys.modules and getattr(sys.modules[module], "__file__", None):
        return Path(str(sys.modules[module].__file__))
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except Exception:  # finders of editable installs raise what they like
        return None
    if spec is None or spec.origin is None:
        return None
    base = Path(spec.origin)
    if not rest:
        return base
    path = base.parent.joinpath(*rest)
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None
