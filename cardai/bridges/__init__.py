"""Other people's APIs: Gymnasium, PettingZoo and OpenSpiel, each an optional extra."""

from __future__ import annotations

from importlib.util import find_spec

from cardai.core.errors import PluginError

_EXTRAS = {"gymnasium": "gym", "pettingzoo": "gym", "pyspiel": "openspiel", "PIL": "gym"}


def need(library: str) -> None:
    """Raise PluginError, with the command that mends it, unless ``library`` (a module's name) is installed."""
    if find_spec(library) is None:
        raise PluginError(
            f"This needs {library}, which is not installed. Run: pip install 'cardai[{_EXTRAS[library]}]'"
        )
