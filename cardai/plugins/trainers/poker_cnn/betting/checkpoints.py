"""A betting checkpoint's files: the state as JSON, finished generations as safetensors, events as npz without pickle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, evolve, field, frozen

from cardai.core.errors import DamagedFileError
from cardai.core.fields import misfitting, view_dtype
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import counted, structure, whole
from cardai.learn.selfplay import EVENT_PARTS, Events

_STATE = "state.json"


@frozen
class State:
    """How far a training is, as state.json has it; ``views`` is not there where an earlier version wrote it."""

    step: int = field(validator=counted())
    played: int = field(validator=counted())
    generations: int = field(validator=whole(0, 10**6))
    memory: int = field(validator=whole(0, 10**6))
    parts: int = field(validator=whole(0, 10**6))
    minibatch: int = field(validator=counted())
    losses: tuple[tuple[float, ...], ...] = ()
    views: Any = None


def write_state(directory: Path, state: State, game: Game) -> None:
    """Write how far the training is, the last losses, and the fields that its events have."""
    write_json(directory / _STATE, asdict(evolve(state, views=_described(game))))


def read_state(directory: Path, game: Game) -> State:
    """Return what :func:`write_state` wrote. Raises DamagedFileError, also where the game's views have changed since."""
    file = directory / _STATE
    state = structure(read_json(file), State, f"The file {file}")
    if any(len(pair) != 2 for pair in state.losses):
        raise DamagedFileError(f"The losses in {file} are not pairs of numbers.")
    if state.played and not state.memory + state.parts:
        raise DamagedFileError(
            f"The file {file} says that hands were played, and knows of none: it is damaged or foreign."
        )
    if state.views is not None and state.views != _described(game):
        raise DamagedFileError(f"The events in {directory} were made with other view fields: start a new run.")
    return state


def _described(game: Game) -> list[list[Any]]:
    """Return the fields of a game's views as JSON values: name, type and size."""
    dtype = view_dtype(game.view_fields)
    return [[name, dtype[name].base.str, list(dtype[name].shape)] for name in dtype.names or ()]


def generation_file(directory: Path, number: int) -> Path:
    """Return where a finished generation's weights lie."""
    return directory / f"generation-{number:03d}.safetensors"


def write_events(directory: Path, batches: Sequence[Events]) -> None:
    """Write batches of events, each a file: a field of the views an array, compressed fast."""
    for k, events in enumerate(batches):
        columns = {f"view_{name}": events.views[name] for name in events.views.dtype.names or ()}
        columns |= {name: getattr(events, name) for name in EVENT_PARTS if name != "views"}
        write_npz(_events(directory, k), columns, level=1)


def read_events(directory: Path, count: int, game: Game, choices: int) -> list[Events]:
    """Return ``count`` batches of events of ``game``, of so many ``choices``. Raises DamagedFileError, naming the file."""
    return [_read_events(_events(directory, k), game, choices) for k in range(count)]


def _events(directory: Path, number: int) -> Path:
    return directory / f"events-{number:03d}.npz"


def _read_events(path: Path, game: Game, choices: int) -> Events:
    dtype = view_dtype(game.view_fields)
    expected: dict[str, Any] = {
        f"view_{name}": (dtype[name].base, (None, *dtype[name].shape)) for name in dtype.names or ()
    }
    expected |= {"hands": (np.int64, (None,)), "chosen": (np.int64, (None,)), "values": (np.float64, (None,))}
    expected |= {"legal": (np.bool_, (None, choices))}
    expected |= dict.fromkeys(("known", "branched", "probabilities"), (np.float32, (None, choices)))
    data = read_npz(path, expected)
    count = len(data["hands"])
    if any(len(array) != count for array in data.values()):
        raise DamagedFileError(f"The events {path} have not as many of each: take another checkpoint.")
    views = np.empty(count, dtype)
    for name in dtype.names or ():
        views[name] = data[f"view_{name}"]
    chosen = np.clip(data["chosen"], 0, choices - 1)
    legal = data["legal"][np.arange(count), chosen] & (chosen == data["chosen"])
    if not legal.all() or not np.isfinite(data["values"]).all() or misfitting(game.view_fields, views):
        raise DamagedFileError(f"The events {path} are none of this game: they are damaged or foreign.")
    return Events(*(views if name == "views" else data[name] for name in EVENT_PARTS))
