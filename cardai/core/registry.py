"""Loads plugins on request, makes what a spec names, remembers what it was made by, and says what is broken and why.

A :class:`Registry` knows the plugins of the installed distributions and those of one-file plugins that were added to it.
The functions of this module are those of :data:`default`, the one instance that the command line and ``cardai`` use.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

import pluggy

from cardai.core.discovery import GROUPS, Broken, Entry, installed
from cardai.core.errors import CardaiError, PluginError, UsageError, nearest, unknown_name
from cardai.core.hookspecs import HOOK_OF_KIND, PROJECT, WATCHER_HOOKS, Hooks
from cardai.core.loading import import_entry, import_file, manager_of, offered, place_of, plugin_code
from cardai.core.needs import Use, check
from cardai.core.spec import Spec, build, options_of, parse, without_retired, write_value
from cardai.core.trust import source_of

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.core.encoder import Encoder
    from cardai.core.format import Format
    from cardai.core.game import Game
    from cardai.core.trainer import Trainer

__all__ = [
    "GROUPS",
    "Broken",
    "Entry",
    "Registry",
    "add_file",
    "broken",
    "check_all",
    "command",
    "create",
    "default",
    "entries",
    "find",
    "load",
    "owner",
    "plugin_files",
    "rebuild",
    "remember",
    "spec_of",
    "watch",
    "watchers",
]


class Registry:
    """What plugins there are, and what was made of them."""

    def __init__(self, installed: tuple[Entry, ...] | None = None) -> None:
        self.reset(installed)

    def reset(self, installed: tuple[Entry, ...] | None = None) -> None:
        """Forget one-file plugins, watchers and what was made.

        ``installed`` are the plugins of installed distributions (None: their metadata is read again when it is needed).
        """
        self._installed = installed
        self._broken: tuple[Broken, ...] = ()
        self._from_files: dict[tuple[str, str], tuple[Entry, ModuleType]] = {}
        self._files: list[str] = []
        self._watchers: list[ModuleType] = []
        self._loaded: dict[type, str] = {}  # the general name of each class that was loaded
        self._made: dict[int, tuple[weakref.ref[Any], str]] = {}  # by id: plugins that are equal are not the same

    # -- finding ---------------------------------------------------------------------------------------------------

    def entries(self, kind: str | None = None) -> list[Entry]:
        """Return all known plugins of ``kind`` (default all), sorted by kind and name. Imports none of them."""
        if self._installed is None:
            self._installed, self._broken = installed()
        found = [*self._installed, *(entry for entry, _ in self._from_files.values())]
        return sorted((e for e in found if kind in (None, e.kind)), key=lambda e: (list(GROUPS).index(e.kind), e.name))

    def broken(self) -> tuple[Broken, ...]:
        """Return the distributions of which some plugins cannot be listed, each with the reason."""
        self.entries()
        return self._broken

    def find(self, kind: str, name: str) -> Entry:
        """Return the entry of that name.

        Raises:
            UnknownNameError: nobody registers it (the message suggests the nearest name).
            PluginError: two distributions do, or its distribution's metadata is damaged.
        """
        known = {e.name: e for e in self.entries(kind)}
        if name not in known:
            from cardai.core.extras import where_from

            elsewhere = [e.kind for e in self.entries() if e.name == name]
            hint = f" ({name} is the name of a {elsewhere[0]}.)" if elsewhere else ""
            hint += where_from(name) if kind == "agent" else ""
            raise unknown_name(kind, name, known, hint)
        entry = known[name]
        if entry.broken:
            raise PluginError(
                f"The {kind} {name!r} of {entry.distribution} cannot be used: {entry.broken}. Install it again."
            )
        if entry.duplicates:
            both = " and ".join((entry.distribution, *entry.duplicates))
            raise PluginError(f"The {kind} {name!r} is registered by {both}. Uninstall all but one.")
        return entry

    # -- loading ---------------------------------------------------------------------------------------------------

    def load(self, kind: str, name: str) -> tuple[type, dict[str, Any]]:
        """Import the plugin ``name`` and return its class and its preset's options (empty for a general plugin).

        Raises:
            UnknownNameError, PluginError: naming distribution, module and cause.
        """
        entry, cls = self._offered(kind, name)
        general = entry.preset_of or name
        self._loaded.setdefault(cls, general)
        if not entry.preset_of:
            return cls, {}
        presets: Mapping[str, Mapping[str, Any]] = getattr(cls, "presets", {})
        if name not in presets:
            raise PluginError(
                f"{general!r} ({place_of(entry)}) has no preset {name!r}.{nearest(name, presets)} "
                f"Its presets: {', '.join(sorted(presets)) or 'none'}."
            )
        return cls, dict(presets[name])

    def command(self, name: str) -> Any:
        """Import the plugin that brings the command ``name`` and return its function or ``typer.Typer``.

        Raises:
            UnknownNameError, PluginError: naming distribution, module and cause.
        """
        return self._offered("command", name)[1]

    def _offered(self, kind: str, name: str) -> tuple[Entry, Any]:
        """Import the plugin ``name`` and return its entry and what its hook offers under its general name."""
        entry = self.find(kind, name)
        if (kind, name) in self._from_files:
            module = self._from_files[kind, name][1]
        else:
            if entry.missing:
                raise PluginError(f"The {kind} {name!r} needs an extra that is not installed. Run: {entry.missing}")
            module = import_entry(entry)
        found, general = offered(module, kind, entry), entry.preset_of or name
        if general not in found:
            raise PluginError(
                f"The {kind} plugin {name!r} ({place_of(entry)}) offers no {general!r}.{nearest(general, found)} "
                f"It offers: {', '.join(sorted(found))}."
            )
        return entry, found[general]

    @overload
    def create(self, kind: Literal["game"], spec: Spec | str) -> Game: ...
    @overload
    def create(self, kind: Literal["encoder"], spec: Spec | str) -> Encoder: ...
    @overload
    def create(self, kind: Literal["agent"], spec: Spec | str) -> Agent: ...
    @overload
    def create(self, kind: Literal["trainer"], spec: Spec | str) -> Trainer: ...
    @overload
    def create(self, kind: Literal["format"], spec: Spec | str) -> Format: ...
    @overload
    def create(self, kind: str, spec: Spec | str) -> Any: ...

    def create(self, kind: str, spec: Spec | str) -> Any:
        """Return an instance of the plugin that ``spec`` names, with its options.

        A trained run's directory is no plugin: :mod:`cardai.make` takes both.

        Raises:
            SpecError, UnknownNameError, OptionError, PluginError.
            UntrustedError: the spec was read from a file and names what only its owner may allow.
        """
        if isinstance(spec, str):
            spec = parse(spec)
        check(self.load, kind, spec)
        if spec.name.endswith(".py"):
            stem = Path(spec.name).stem
            raise UsageError(f"{spec.name!r} is a file. Load it with --plugin {spec.name} and name its {kind}: {stem}.")
        cls, preset = self.load(kind, spec.name)
        made = build(cls, {**preset, **spec.values()}, f"The {kind} {spec.name!r}")
        self.remember(made, str(spec))
        return made

    def rebuild(self, kind: str, spec: str, use: Use = "start") -> Any:
        """Return an instance of the plugin that a spec with every option names, as run.json holds it.

        What a preset says now is left out, so that one which was changed since does not change the run; an option that
        the plugin did not have then has its default, and one that it has no more (``retired``) is left out. ``use``: what
        it is made for, which says what paths in it are opened.

        Raises:
            SpecError, UnknownNameError, OptionError, PluginError, UntrustedError.
        """
        parsed = parse(spec)
        check(self.load, kind, parsed, use)
        cls, _ = self.load(kind, parsed.name)
        called = f"The {kind} {parsed.name!r}"
        made = build(cls, without_retired(cls, parsed.values(), called), called)
        self.remember(made, spec)
        return made

    # -- what was made ---------------------------------------------------------------------------------------------

    def remember(self, plugin: Any, spec: str) -> None:
        """Note that ``plugin`` was made by ``spec`` (nothing is noted of what cannot be referred to weakly)."""
        key, made = id(plugin), self._made
        try:
            made[key] = (weakref.ref(plugin, lambda _: made.pop(key, None)), spec)
        except TypeError:
            made.pop(key, None)

    def spec_of(self, plugin: Any) -> str:
        """Return the spec that ``plugin`` was made by.

        One that was made in Python (or changed by ``attrs.evolve``) gets its plugin's general name with the options that
        are not the default; what no plugin offers is returned as it prints itself.
        """
        reference, spec = self._made.get(id(plugin), (None, ""))
        if reference is not None and reference() is plugin:
            return spec
        cls = type(plugin)
        if cls not in self._loaded:
            return str(plugin)
        options = [(key, getattr(plugin, key), a.default) for key, a in options_of(cls).items()]
        changed = [(key, value) for key, value, usual in options if value != usual]
        source = source_of([value for _, value in changed])
        return str(Spec(self._loaded[cls], tuple((key, write_value(value)) for key, value in changed), source))

    # -- one-file plugins and watchers -----------------------------------------------------------------------------

    def add_file(self, path: str) -> list[Entry]:
        """Load a one-file plugin (``--plugin FILE``) and return what it offers; its watchers are active at once.

        Names are the mapping's keys, or the file's stem.

        Raises:
            UsageError: no such file. PluginError: it cannot be loaded, or a name is taken already.
        """
        file = Path(path)
        if str(file.resolve()) in self._files:
            return [entry for entry, _ in self._from_files.values() if entry.distribution == path]
        module = import_file(path)
        manager = manager_of(module, f"The plugin file {path!r}")
        self._files.append(str(file.resolve()))
        added = []
        for kind, hook in HOOK_OF_KIND.items():
            with plugin_code(lambda cause, hook=hook: f"{hook} of the plugin file {path!r} failed: {cause}."):  # type: ignore[misc]
                found = getattr(manager.hook, hook)()
            for given in found:
                classes = given if isinstance(given, Mapping) else {file.stem: given}
                for name, cls in classes.items():
                    added.append(self._add(kind, name, name, module, path))
                    added += [self._add(kind, preset, name, module, path) for preset in getattr(cls, "presets", {})]
        if any(hasattr(module, hook) for hook in WATCHER_HOOKS):
            self._watchers.append(module)
        return added

    def _add(self, kind: str, name: str, general: str, module: ModuleType, path: str) -> Entry:
        taken = next((e for e in self.entries(kind) if e.name == name), None)
        if taken is not None and taken.distribution != path:
            raise PluginError(
                f"The plugin file {path!r} offers the {kind} {name!r}, which {taken.distribution} already has. Rename it."
            )
        entry = Entry(kind, name, module.__name__, path, "", preset_of="" if general == name else general)
        self._from_files[kind, name] = (entry, module)
        return entry

    def plugin_files(self) -> list[str]:
        """Return the paths of the one-file plugins loaded so far, for worker processes."""
        return list(dict.fromkeys(self._files))

    def owner(self, module: str) -> str:
        """Return in words whose plugin ``module`` belongs to: "The plugin file 'bots.py'", "The game 'doubt' (...)"."""
        for entry, loaded in self._from_files.values():
            if loaded.__name__ == module:
                return f"The plugin file {entry.distribution!r}"
        top = module.partition(".")[0]
        known = [e for e in self.entries() if e.module.partition(".")[0] == top and not e.preset_of]
        known = [e for e in known if e.module == module] or known
        if not known:
            return f"The plugin module {module!r}"
        return (
            f"The {known[0].kind} {known[0].name!r} ({place_of(known[0])})"
            if len(known) == 1
            else (f"The plugin package {known[0].distribution!r}")
        )

    def watch(self, name: str) -> None:
        """Make the watcher plugin ``name`` active (``--watch NAME``)."""
        entry = self.find("watcher", name)
        if entry.missing:
            raise PluginError(f"The watcher {name!r} needs an extra that is not installed. Run: {entry.missing}")
        self._watchers.append(import_entry(entry))

    def watchers(self) -> pluggy.PluginManager | None:
        """Return pluggy's manager of the active watchers, or None when there are none."""
        if not self._watchers:
            return None
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(Hooks)
        for module in dict.fromkeys(self._watchers):
            manager_of(module, f"The watcher {module.__name__}")
            manager.register(module)
        return manager

    # -- checking --------------------------------------------------------------------------------------------------

    def check_all(self, kind: str | None = None) -> Iterator[tuple[Entry, str]]:
        """Load every plugin and yield (entry, "ok" or the reason it cannot be used)."""
        for entry in self.entries(kind):
            try:
                if entry.kind == "watcher":
                    manager_of(import_entry(self.find("watcher", entry.name)), f"The watcher {entry.name!r}")
                    yield entry, entry.status
                else:
                    (self.command if entry.kind == "command" else partial(self.load, entry.kind))(entry.name)
                    yield entry, "ok"
            except CardaiError as error:
                yield entry, str(error)


default = Registry()
"""The registry of the command line and of ``cardai.game``, ``cardai.agent`` and the rest."""

entries = default.entries
broken = default.broken
find = default.find
load = default.load
command = default.command
create = default.create
rebuild = default.rebuild
remember = default.remember
spec_of = default.spec_of
add_file = default.add_file
owner = default.owner
plugin_files = default.plugin_files
watch = default.watch
watchers = default.watchers
check_all = default.check_all
