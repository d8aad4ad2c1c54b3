"""Other people's APIs: Gymnasium, PettingZoo and OpenSpiel, each an optional extra."""

from __future__ import annotations

from cardai.core.extras import need_extra

_EXTRAS = {"gymnasium": "gym", "pettingzoo": "gym", "pyspiel": "openspiel", "PIL": "gym"}


def need(library: str) -> None:
    """Raise PluginError, with the command that mends it, unless ``library`` (a module's name) is installed."""
    need_extra(library, "This", _EXTRAS[library])
