"""Finds plugins from metadata without importing them, loads one on request, and says what is broken and why."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy
from attrs import evolve, frozen

from cardai.core.errors import CardaiError, PluginError, UsageError, nearest, unknown_name
from cardai.core.hookspecs import HOOK_OF_KIND, PROJECT, WATCHER_HOOKS, Hooks
from cardai.core.spec import Spec, build, parse

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


_from_files: dict[tuple[str, str], tuple[Entry, ModuleType]] = {}
_watchers: list[ModuleType] = []
_files: list[str] = []


def entries(kind: str | None = None) -> list[Entry]:
    """Return all known plugins of ``kind`` (default all), sorted by kind and name. Imports none of them."""
    found = [*_installed(), *(entry for entry, _ in _from_files.values())]
    return sorted((e for e in found if kind in (None, e.kind)), key=lambda e: (list(GROUPS).index(e.kind), e.name))


@cache
def _installed() -> tuple[Entry, ...]:
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


def find(kind: str, name: str) -> Entry:
    """Return the entry of that name.

    Raises:
        UnknownNameError: nobody registers it (the message suggests the nearest name).
        PluginError: two distributions do.
    """
    known = {e.name: e for e in entries(kind)}
    if name not in known:
        elsewhere = [e.kind for e in entries() if e.name == name]
        hint = f" ({name} is the name of a {elsewhere[0]}.)" if elsewhere else ""
        raise unknown_name(kind, name, known, hint)
    entry = known[name]
    if entry.duplicates:
        both = " and ".join((entry.distribution, *entry.duplicates))
        raise PluginError(f"The {kind} {name!r} is registered by {both}. Uninstall all but one.")
    return entry


def load(kind: str, name: str) -> tuple[type, dict[str, Any]]:
    """Import the plugin ``name`` and return its class and its preset's options (empty for a general plugin).

    Raises:
        UnknownNameError, PluginError: naming distribution, module and cause.
    """
    entry = find(kind, name)
    if (kind, name) in _from_files:
        module = _from_files[kind, name][1]
    else:
        if entry.missing:
            raise PluginError(f"The {kind} {name!r} needs an extra that is not installed. Run: {entry.missing}")
        module = _import(entry)
    classes = _offered(module, kind, entry)
    general = entry.preset_of or name
    if general not in classes:
        raise PluginError(
            f"The {kind} plugin {name!r} ({_place(entry)}) offers no {general!r}.{nearest(general, classes)} "
            f"It offers: {', '.join(sorted(classes))}."
        )
    cls = classes[general]
    if not entry.preset_of:
        return cls, {}
    presets: Mapping[str, Mapping[str, Any]] = getattr(cls, "presets", {})
    if name not in presets:
        raise PluginError(
            f"{general!r} ({_place(entry)}) has no preset {name!r}.{nearest(name, presets)} "
            f"Its presets: {', '.join(sorted(presets)) or 'none'}."
        )
    return cls, dict(presets[name])


def create(kind: str, spec: Spec | str) -> Any:
    """Return an instance of the plugin that ``spec`` names, with its options.

    Raises:
        SpecError, UnknownNameError, OptionError, PluginError.
    """
    if isinstance(spec, str):
        spec = parse(spec)
    if spec.name.endswith(".py"):
        stem = Path(spec.name).stem
        raise UsageError(f"{spec.name!r} is a file. Load it with --plugin {spec.name} and name its {kind}: {stem}.")
    if spec.is_run and kind == "agent":
        from cardai.core.runs import run_agent

        return run_agent(spec)
    cls, preset = load(kind, spec.name)
    return build(cls, {**preset, **spec.values()}, f"The {kind} {spec.name!r}")


def _place(entry: Entry) -> str:
    return f"{entry.distribution} {entry.version}, module {entry.module}"


def _import(entry: Entry) -> ModuleType:
    try:
        return importlib.import_module(entry.module)
    except CardaiError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise PluginError(
            f"The {entry.kind} plugin {entry.name!r} cannot be loaded ({_place(entry)}). Cause: {cause}. "
            f"Mend or uninstall {entry.distribution}; everything else works without it."
        ) from error
    except SystemExit as error:
        raise PluginError(
            f"The {entry.kind} plugin {entry.name!r} calls sys.exit on import ({_place(entry)})."
        ) from error


def _offered(module: ModuleType, kind: str, entry: Entry) -> dict[str, type]:
    """Return the classes that ``module`` offers for ``kind``, by name."""
    manager = _manager(module, f"The {kind} plugin {entry.name!r} ({_place(entry)})")
    hook = HOOK_OF_KIND[kind]
    results = getattr(manager.hook, hook)()
    if not results:
        raise PluginError(
            f"The {kind} plugin {entry.name!r} ({_place(entry)}) has no hook {hook} marked with @cardai.hookimpl."
        )
    offered: Any = results[0]
    classes = dict(offered) if isinstance(offered, Mapping) else {entry.preset_of or entry.name: offered}
    for name, cls in classes.items():
        if not inspect.isclass(cls):
            raise PluginError(
                f"{hook} of {module.__name__} ({_place(entry)}) must return a class or a mapping to classes. "
                f"Got {cls!r} for {name!r}."
            )
    return classes


def _manager(module: ModuleType, called: str) -> pluggy.PluginManager:
    """Register ``module`` alone with pluggy; refuse misspelt and unmarked hooks, naming the nearest."""
    known = [*HOOK_OF_KIND.values(), *WATCHER_HOOKS]
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    for name in vars(module):
        if name.startswith("cardai_") and callable(getattr(module, name)):
            if name not in known:
                raise PluginError(f"{called} has a hook {name!r}, which does not exist.{nearest(name, known)}")
            if manager.parse_hookimpl_opts(module, name) is None:
                raise PluginError(f"{called} defines {name} without the mark @cardai.hookimpl. Add the mark.")
    try:
        manager.register(module)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(f"{called} has a hook that does not fit: {error}") from error
    if not manager.get_hookcallers(module):
        raise PluginError(f"{called} has no hook marked with @cardai.hookimpl. Known hooks: {', '.join(known)}.")
    return manager


def add_file(path: str) -> list[Entry]:
    """Load a one-file plugin (``--plugin FILE``) and return what it offers; its watchers are active at once.

    Names are the mapping's keys, or the file's stem.

    Raises:
        UsageError: no such file. PluginError: it cannot be loaded, or a name is taken already.
    """
    file = Path(path)
    if str(file.resolve()) in _files:
        return [entry for entry, _ in _from_files.values() if entry.distribution == path]
    if not file.is_file():
        raise UsageError(f"There is no plugin file {path!r}. Give the path of a Python file.")
    spec = importlib.util.spec_from_file_location(f"cardai_plugin_{file.stem}", file.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"The plugin file {path!r} is not a Python file. Its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    called = f"The plugin file {path!r}"
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PluginError(f"{called} cannot be loaded. Cause: {type(error).__name__}: {error}") from error
    manager = _manager(module, called)
    _files.append(str(file.resolve()))
    added = []
    for kind, hook in HOOK_OF_KIND.items():
        for offered in getattr(manager.hook, hook)():
            classes = offered if isinstance(offered, Mapping) else {file.stem: offered}
            for name, cls in classes.items():
                added += _add(kind, name, name, module, path)
                for preset in getattr(cls, "presets", {}):
                    added += _add(kind, preset, name, module, path)
    if any(hasattr(module, hook) for hook in WATCHER_HOOKS):
        _watchers.append(module)
    return added


def plugin_files() -> list[str]:
    """Return the paths of the one-file plugins loaded so far, for worker processes."""
    return list(dict.fromkeys(_files))


def _add(kind: str, name: str, general: str, module: ModuleType, path: str) -> list[Entry]:
    taken = next((e for e in entries(kind) if e.name == name), None)
    if taken is not None and taken.distribution != path:
        raise PluginError(
            f"The plugin file {path!r} offers the {kind} {name!r}, which {taken.distribution} already has. Rename it."
        )
    entry = Entry(kind, name, module.__name__, path, "", preset_of="" if general == name else general)
    _from_files[kind, name] = (entry, module)
    return [entry]


def watch(name: str) -> None:
    """Make the watcher plugin ``name`` active (``--watch NAME``)."""
    entry = find("watcher", name)
    if entry.missing:
        raise PluginError(f"The watcher {name!r} needs an extra that is not installed. Run: {entry.missing}")
    _watchers.append(_import(entry))


def watchers() -> pluggy.PluginManager | None:
    """Return pluggy's manager of the active watchers, or None when there are none."""
    if not _watchers:
        return None
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    for module in dict.fromkeys(_watchers):
        _manager(module, f"The watcher {module.__name__}")
        manager.register(module)
    return manager


def check_all(kind: str | None = None) -> Iterator[tuple[Entry, str]]:
    """Load every plugin and yield (entry, "ok" or the reason it cannot be used)."""
    for entry in entries(kind):
        if entry.kind == "watcher":
            try:
                _manager(_import(entry), f"The watcher {entry.name!r}")
                yield entry, entry.status
            except CardaiError as error:
                yield entry, str(error)
            continue
        try:
            load(entry.kind, entry.name)
            yield entry, "ok"
        except CardaiError as error:
            yield entry, str(error)
