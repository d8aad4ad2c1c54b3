"""Runs a plugin's code for the registry: imports its module, asks its hooks, and says whose fault a failure is."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from cardai.core.blame import raised
from cardai.core.discovery import Entry
from cardai.core.errors import CardaiError, PluginError, UsageError, nearest
from cardai.core.hookspecs import HOOK_OF_KIND, PROJECT, WATCHER_HOOKS, Hooks


def place_of(entry: Entry) -> str:
    """Return where a plugin is from, for messages."""
    return f"{entry.distribution} {entry.version}, module {entry.module}"


@contextmanager
def plugin_code(failed: Callable[[str], str]) -> Iterator[None]:
    """Run a plugin's code: its failure, whatever it raises, is a PluginError, and the working directory stays.

    ``failed`` makes the message from what was raised and where.
    """
    before = os.getcwd()
    try:
        yield
    except (KeyboardInterrupt, MemoryError, CardaiError):
        raise
    except BaseException as error:
        raise PluginError(failed(raised(error).removeprefix("raised "))) from error
    finally:
        with suppress(OSError):
            os.chdir(before)


def import_entry(entry: Entry) -> ModuleType:
    """Import the module of an installed plugin. Raises PluginError, naming distribution, module and cause."""
    with plugin_code(
        lambda cause: (
            f"The {entry.kind} plugin {entry.name!r} cannot be loaded ({place_of(entry)}). Cause: {cause}. "
            f"Mend or uninstall {entry.distribution}; everything else works without it."
        )
    ):
        return importlib.import_module(entry.module)


def import_file(path: str) -> ModuleType:
    """Import a one-file plugin. Raises UsageError where there is no such Python file, PluginError where it fails."""
    file = Path(path)
    if not os.path.isfile(file):
        raise UsageError(f"There is no plugin file {path!r}. Give the path of a Python file.")
    spec = importlib.util.spec_from_file_location(f"cardai_plugin_{file.stem}", file.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"The plugin file {path!r} is not a Python file. Its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with plugin_code(lambda cause: f"The plugin file {path!r} cannot be loaded. Cause: {cause}."):
        spec.loader.exec_module(module)
    return module


def offered(module: ModuleType, kind: str, entry: Entry) -> dict[str, Any]:
    """Return what ``module`` offers for ``kind``, by name: classes, or a command's functions."""
    manager = manager_of(module, f"The {kind} plugin {entry.name!r} ({place_of(entry)})")
    hook = HOOK_OF_KIND[kind]
    with plugin_code(lambda cause: f"{hook} of {module.__name__} ({place_of(entry)}) failed: {cause}."):
        results = getattr(manager.hook, hook)()
    if not results:
        raise PluginError(
            f"The {kind} plugin {entry.name!r} ({place_of(entry)}) has no hook {hook} marked with @cardai.hookimpl."
        )
    given: Any = results[0]
    found = dict(given) if isinstance(given, Mapping) else {entry.preset_of or entry.name: given}
    one, many = ("a function", "functions") if kind == "command" else ("a class", "classes")
    for name, target in found.items():
        if not (callable(target) if kind == "command" else inspect.isclass(target)):
            raise PluginError(
                f"{hook} of {module.__name__} ({place_of(entry)}) must return {one} or a mapping to {many}. "
                f"Got {target!r} for {name!r}."
            )
        if inspect.isabstract(target):
            lacks = " and ".join(sorted(target.__abstractmethods__))
            raise PluginError(f"The {kind} {name!r} ({place_of(entry)}) lacks {lacks}: every {kind} has it.")
    return found


def manager_of(module: ModuleType, called: str) -> pluggy.PluginManager:
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
