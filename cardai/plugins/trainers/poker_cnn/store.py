"""Events in files: npz without pickle, a field of the views an array, compressed fast."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from cardai.core.errors import DamagedFileError
from cardai.core.fields import view_dtype
from cardai.core.game import Game
from cardai.learn.selfplay import EVENT_PARTS, Events


def write_events(path: Path, events: Events) -> None:
    """Write events."""
    columns = {f"view_{name}": events.views[name] for name in events.views.dtype.names or ()}
    columns |= {name: getattr(events, name) for name in EVENT_PARTS if name != "views"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(column), allow_pickle=False)


def read_events(path: Path, game: Game) -> Events:
    """Read events of ``game``. Raises DamagedFileError, naming the file."""
    try:
        with np.load(path, allow_pickle=False) as data:
            views = np.empty(len(data["hands"]), view_dtype(game.view_fields))
            for name in views.dtype.names or ():
                views[name] = data[f"view_{name}"]
            return Events(*(views if name == "views" else data[name] for name in EVENT_PARTS))
    except Exception as error:
        raise DamagedFileError(f"The events {path} cannot be read: {error}. Take another checkpoint.") from error
