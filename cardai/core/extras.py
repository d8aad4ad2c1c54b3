"""Libraries that only some calls need: the sentence that says what to install where one is missing.

cardai is on no package index, where its name may be a stranger's: the command is of the place that a distribution was
installed from, which installers note (PEP 610, ``direct_url.json``).
"""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cardai.core.errors import PluginError
from cardai.core.files import read_json

OURS = "cardai"
BOX = Path(__file__).parents[1] / "ui/box.json"
"""Who is in the package of trained players, by name (:mod:`cardai.ui.box` reads what it says of each)."""


def need_extra(library: str, what: str, extra: str = "frames") -> None:
    """Raise PluginError, with the pip command, unless ``library`` is installed; ``what`` needs it."""
    if find_spec(library) is None:
        raise PluginError(f"{what} needs {library}, which is not installed. Run: {install_command(extra)}")


def install_command(extra: str, name: str = OURS) -> str:
    """Return the pip command that installs an extra of a distribution from where it came: a checkout, an archive, a
    repository; of a third party's that came from an index, by its name there.
    """
    origin = _origin(name)
    url, folder = origin.get("url", ""), _folder(origin)
    if folder is not None:
        editable = "-e " if origin["dir_info"].get("editable") else ""
        place = "." if folder == Path.cwd() else str(folder)
        pins = f"-c {shlex.quote(_inside(place, 'constraints.txt'))} " if (folder / "constraints.txt").is_file() else ""
        return f"pip install {pins}{editable}{shlex.quote(f'{place}[{extra}]')}"
    if url and "dir_info" not in origin:
        source = origin.get("vcs_info")
        if isinstance(source, dict):
            url = f"{source.get('vcs')}+{url}@{source.get('commit_id')}"
        return f"pip install {shlex.quote(f'{name}[{extra}] @ {url}')}"
    if name == OURS:
        return f"pip install -c constraints.txt '.[{extra}]' (in a checkout of cardai)"
    return f"pip install {shlex.quote(f'{name}[{extra}]')}"


def players_command() -> str:
    """Return the pip command that installs the package of trained players, which is a folder of cardai's checkout."""
    folder = _folder(_origin(OURS))
    if folder is None or not (folder / "players").is_dir():
        return "pip install ./players (in a checkout of cardai)"
    return f"pip install {shlex.quote('./players' if folder == Path.cwd() else str(folder / 'players'))}"


def where_from(player: str) -> str:
    """Return how to install a player of the package of trained players, as a sentence behind another; "" of other names."""
    if player not in read_json(BOX):
        return ""
    return f" {player} is in the package of trained players. Run: {players_command()}"


def _inside(place: str, file: str) -> str:
    return file if place == "." else str(Path(place, file))


def _origin(name: str) -> dict[str, Any]:
    """Return where a distribution was installed from, as its installer noted it; nothing where that was an index."""
    try:
        noted = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, OSError, ValueError, RecursionError):
        return {}
    known = isinstance(noted, dict) and isinstance(noted.get("url"), str)
    return noted if known and isinstance(noted.get("dir_info", {}), dict) else {}


def _folder(origin: dict[str, Any]) -> Path | None:
    """Return the folder that a distribution was installed from, None where it was none, or is there no longer."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    if "dir_info" not in origin or not origin["url"].startswith("file:"):
        return None
    try:
        folder = Path(url2pathname(urlsplit(origin["url"]).path))
        return folder if folder.is_dir() else None
    except (OSError, ValueError):
        return None
