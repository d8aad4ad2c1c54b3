"""What checkpoints hold of the memories of a compiled game, and what must be true of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cardai.core.arrays import Int64s
from cardai.core.errors import DamagedFileError
from cardai.core.npz import check_arrays, read_npz
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.plugins.trainers.nfsp.game import CompiledGame

WHOLE = ("seen", "recent", "visits")
"""The memories' arrays that are stored as they are."""


def pack_memory(memory: kernels.Memory, sizes: Int64s, rows: int) -> dict[str, Any]:
    """Return what the memories hold, rows in as few bytes as they need."""
    small = np.int16 if rows < 2**15 else np.int32
    packed: dict[str, Any] = {name: getattr(memory, name) for name in WHOLE}
    for seat in range(2):
        for name, array in memory._asdict().items():
            if name not in WHOLE:
                held = array[seat, : sizes[seat, int(name.startswith("sl"))]]
                packed[f"{name}_{seat}"] = held.astype(small) if array.dtype == np.int32 else held
    return packed


def unpack_memory(path: Path, memory: kernels.Memory, compiled: CompiledGame) -> None:
    """Fill ``memory`` from what :func:`pack_memory` gave. Raises DamagedFileError for anything else."""
    arrays = read_npz(path)
    seen = arrays.get("seen")
    if seen is None or seen.shape != (2, 2) or seen.dtype != np.int64 or seen.min() < 0:
        raise DamagedFileError(f"The file {path} must hold 'seen', (2, 2) int64 without negative numbers.")
    capacities = (memory.rl_row.shape[1], memory.sl_row.shape[1])
    expected = pack_memory(memory, np.minimum(seen, capacities), len(compiled.legal))
    check_arrays(path, arrays, {name: (a.dtype, a.shape) for name, a in expected.items()})
    for seat in range(2):
        for kind in ("rl", "sl"):
            row, action = arrays[f"{kind}_row_{seat}"], arrays[f"{kind}_action_{seat}"]
            check_decisions(path, compiled, seat, row, action)
        following = arrays[f"rl_next_{seat}"]
        check_decisions(path, compiled, seat, following[following != -1])
        if not np.isfinite(arrays[f"rl_reward_{seat}"]).all():
            raise DamagedFileError(f"The file {path} holds rewards that are no numbers.")
    recent = arrays["recent"]
    if recent.min() < 0 or recent.max() >= capacities[0] or arrays["visits"].min() < 0:
        raise DamagedFileError(f"The file {path} points at transitions that it does not hold.")
    for seat in range(2):
        for name, array in memory._asdict().items():
            if name not in WHOLE:
                stored = arrays[f"{name}_{seat}"]
                array[seat, : len(stored)] = stored
    for name in WHOLE:
        getattr(memory, name)[:] = arrays[name]


def check_decisions(path: Path, compiled: CompiledGame, seat: int, rows: Any, actions: Any = None) -> None:
    """Raise DamagedFileError unless ``rows`` are the seat's input rows and ``actions`` (if given) legal there."""
    inside = (rows >= 0) & (rows < len(compiled.owner))
    good = bool(inside.all()) and bool((compiled.owner[rows] == seat).all())
    if good and actions is not None:
        good = bool(((actions >= 0) & (actions < compiled.legal.shape[1])).all())
        good = good and bool(compiled.legal[rows, actions].all())
    if not good:
        raise DamagedFileError(f"The file {path} holds decisions that this game does not have: it is of another run.")


def check_play(path: Path, play: Mapping[str, Any], compiled: CompiledGame) -> None:
    """Raise DamagedFileError unless the tables in flight are possible."""
    nodes = play["node"]
    if nodes.min() < 0 or nodes.max() >= len(compiled.env.player) or (compiled.env.player[nodes] < 0).any():
        raise DamagedFileError(f"The file {path} holds tables that this game does not have: it is of another run.")
    for seat in range(2):
        decided = play["last_row"][:, seat] != -1
        check_decisions(path, compiled, seat, play["last_row"][decided, seat], play["last_action"][decided, seat])
    if play["counts"].min() < 0 or play["step"] != play["counts"][0]:
        raise DamagedFileError(f"The file {path} counts {play['counts'].tolist()} iterations, steps and hands.")
