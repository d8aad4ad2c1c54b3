"""A betting checkpoint's files: the state as JSON, finished generations as safetensors, events as npz without pickle."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from cardai.core.errors import DamagedFileError
from cardai.core.fields import view_dtype
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.learn.selfplay import EVENT_PARTS, Events

_COUNTS = ("step", "played", "generations", "memory", "parts", "minibatch")
_STATE = "state.json"


def write_state(directory: Path, counts: Mapping[str, int], losses: Sequence[Sequence[float]], game: Game) -> None:
    """Write how far the training is, the last losses, and the fields that its events have."""
    state = {**counts, "views": _described(game), "losses": losses}
    (directory / _STATE).write_text(json.dumps(state))


def read_state(directory: Path, game: Game) -> tuple[dict[str, int], list[list[float]]]:
    """Return what :func:`write_state` wrote. Raises DamagedFileError, also where the game's views have changed since."""
    file = directory / _STATE
    try:
        state = json.loads(file.read_text())
        counts = {name: int(state[name]) for name in _COUNTS}
        losses = [[float(value), float(policy)] for value, policy in state["losses"]]
        views = state.get("views")  # not there before it was written so; reading the events finds what does not fit
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFileError(f"The file {file} cannot be read: {error}.") from error
    if views is not None and views != _described(game):
        raise DamagedFileError(f"The events in {directory} were made with other view fields: start a new run.")
    return counts, losses


def _described(game: Game) -> list[list[Any]]:
    """Return the fields of a game's views as JSON values: name, type and size."""
    dtype = view_dtype(game.view_fields)
    return [[name, dtype[name].base.str, list(dtype[name].shape)] for name in dtype.names or ()]


def write_generations(directory: Path, generations: Sequence[Mapping[str, Tensor]]) -> None:
    """Write the weights of finished generations."""
    for k, weights in enumerate(generations):
        tensors.write(directory / f"generation-{k:03d}.safetensors", weights)


def read_generations(directory: Path, count: int) -> list[dict[str, Tensor]]:
    """Return the weights of the first ``count`` generations. Raises DamagedFileError."""
    return [tensors.read(directory / f"generation-{k:03d}.safetensors") for k in range(count)]


def write_events(directory: Path, batches: Sequence[Events]) -> None:
    """Write batches of events, each a file: a field of the views an array, compressed fast."""
    for k, events in enumerate(batches):
        columns = {f"view_{name}": events.views[name] for name in events.views.dtype.names or ()}
        columns |= {name: getattr(events, name) for name in EVENT_PARTS if name != "views"}
        with zipfile.ZipFile(_events(directory, k), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, column in columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.ascontiguousarray(column), allow_pickle=False)


def read_events(directory: Path, count: int, game: Game) -> list[Events]:
    """Return ``count`` batches of events of ``game``. Raises DamagedFileError, naming the file."""
    return [_read_events(_events(directory, k), game) for k in range(count)]


def _events(directory: Path, number: int) -> Path:
    return directory / f"events-{number:03d}.npz"


def _read_events(path: Path, game: Game) -> Events:
    try:
        with np.load(path, allow_pickle=False) as data:
            views = np.empty(len(data["hands"]), view_dtype(game.view_fields))
            for name in views.dtype.names or ():
                views[name] = data[f"view_{name}"]
            return Events(*(views if name == "views" else data[name] for name in EVENT_PARTS))
    except Exception as error:
        raise DamagedFileError(f"The events {path} cannot be read: {error}. Take another checkpoint.") from error
