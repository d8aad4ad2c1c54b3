"""Other people's APIs: Gymnasium, PettingZoo and OpenSpiel, each an optional extra.

``cardai.bridges.pettingzoo`` and the others are loaded on first use; a library that is missing is one sentence then.
"""

from __future__ import annotations

from typing import Any

from cardai.core.extras import need_extra

_EXTRAS = {"gymnasium": "gym", "pettingzoo": "gym", "pyspiel": "openspiel", "PIL": "gym"}
_NEEDED = {"gymnasium": "gymnasium", "openspiel": "pyspiel", "pettingzoo": "pettingzoo"}  # the library of a bridge


def need(library: str) -> None:
    """Raise PluginError, with the command that mends it, unless ``library`` (a module's name) is installed."""
    need_extra(library, "This", _EXTRAS[library])


def __dir__() -> list[str]:
    return sorted({*globals(), *_NEEDED})


def __getattr__(name: str) -> Any:
    if name not in _NEEDED:
        raise AttributeError(f"module 'cardai.bridges' has no attribute {name!r}")
    from importlib import import_module

    need(_NEEDED[name])
    return import_module(f"cardai.bridges.{name}")
