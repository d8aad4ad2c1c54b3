"""Libraries that only some calls need: the sentence that says what to install where one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from cardai.core.errors import PluginError


def need_extra(library: str, what: str, extra: str = "frames") -> None:
    """Raise PluginError, with the pip command, unless ``library`` is installed; ``what`` needs it."""
    if find_spec(library) is None:
        raise PluginError(f"{what} needs {library}, which is not installed. Run: pip install 'cardai[{extra}]'")
