"""Plugins as metadata tells of them: entry points read without importing any plugin."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib import metadata
from pathlib import Path

from attrs import evolve, frozen

GROUPS = {
    "game": "cardai.games",
    "encoder": "cardai.encoders",
    "agent": "cardai.agents",
    "trainer": "cardai.trainers",
    "watcher": "cardai.watchers",
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

    @property
    def status(self) -> str:
        """Return "ok", or what is wrong with the entry as far as metadata can tell."""
        if self.duplicates:
            return f"duplicate: also in {', '.join(self.duplicates)}"
        return f"needs: {self.missing}" if self.missing else "ok"

    def summary(self) -> str:
        """Return the first line of the module's docstring, read without importing anything."""
        file = _module_file(self.module)
        if file is None:
            return ""
        text = file.read_text(encoding="utf-8", errors="replace")
        match = re.match(r'\s*(?:#[^\n]*\n\s*)*[rR]?"""\s*(.+?)(?:\n|""")', text)
        return match.group(1).strip() if match else ""


def installed() -> tuple[Entry, ...]:
    """Read the entry points of all installed distributions; metadata is parsed of those that have plugins only."""
    kinds = {group: kind for kind, group in GROUPS.items()}
    found: dict[tuple[str, str], Entry] = {}
    seen: set[str] = set()
    for distribution in metadata.distributions():
        points = [point for point in distribution.entry_points if point.group in kinds]
        if not points:
            continue
        about = distribution.metadata
        name, version = about["Name"], about["Version"]
        if name in seen:  # a second copy further down sys.path
            continue
        seen.add(name)
        mending = {extras: _missing(name, about.get_all("Requires-Dist"), extras) for extras in _extras(points)}
        for point in points:
            extras = tuple(point.extras)
            entry = Entry(
                kind=kinds[point.group],
                name=point.name,
                module=point.module,
                distribution=name,
                version=version,
                preset_of=point.attr or "",
                extras=extras,
                missing=mending[extras],
            )
            key = (entry.kind, entry.name)
            if key in found:
                entry = evolve(found[key], duplicates=(*found[key].duplicates, name))
            found[key] = entry
    return tuple(found.values())


def _extras(points: list[metadata.EntryPoint]) -> set[tuple[str, ...]]:
    return {tuple(point.extras) for point in points}


def _missing(name: str, requires: list[str] | None, extras: tuple[str, ...]) -> str:
    """Return the pip command that installs what ``extras`` need and is not there, or nothing."""
    for extra in extras:
        for requirement in requires or []:
            named = re.match(r"[A-Za-z0-9._-]+", requirement)
            if named and re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", requirement):
                try:
                    metadata.distribution(named.group())
                except metadata.PackageNotFoundError:
                    return f"pip install '{name}[{extra}]'"
    return ""


def _module_file(module: str) -> Path | None:
    """Return the source file of a module without importing any part of it."""
    if module in sys.modules and getattr(sys.modules[module], "__file__", None):
        return Path(str(sys.modules[module].__file__))
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
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
