"""Files that cardai writes and trusts only after checking: JSON and npz without pickle, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError

Arrays = dict[str, npt.NDArray[Any]]


def user_cache() -> Path:
    """Return the directory for what can be made again: ``$CARDAI_CACHE_DIR``, else cardai's in the user's cache."""
    if explicit := os.environ.get("CARDAI_CACHE_DIR"):
        return Path(explicit)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "cardai"


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, flush it to the disk and rename it: readers see all of it or the old file."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def json_bytes(value: Any) -> bytes:
    """Return ``value`` as the indented JSON that :func:`write_json` writes."""
    return (json.dumps(value, indent=2) + "\n").encode()


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_atomically(path, json_bytes(value))


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in ``path``.

    Raises:
        DamagedFileError: there is no such file, it is no JSON, or not an object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DamagedFileError(f"The file {path} is missing.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFileError(f"The file {path} is not readable JSON: {error}. It is damaged or foreign.") from error
    if not isinstance(value, dict):
        raise DamagedFileError(f"The file {path} must hold a JSON object. Got {type(value).__name__} instead.")
    return value


def write_npz(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays (numbers and booleans only) uncompressed, one npy member a name."""
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **{name: np.asarray(a) for name, a in arrays.items()})


def read_npz(path: Path, expected: Mapping[str, tuple[Any, tuple[int | None, ...]]] | None = None) -> Arrays:
    """Return the arrays in ``path``, never unpickling anything.

    ``expected`` maps each wanted name to (dtype, shape); None in a shape is any length.

    Raises:
        DamagedFileError: naming the file and what is wrong with it.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            if not isinstance(loaded, np.lib.npyio.NpzFile):
                raise ValueError("it is no npz archive")
            arrays = {name: np.array(loaded[name]) for name in loaded.files}
    except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, NotImplementedError) as error:
        raise DamagedFileError(f"The file {path} is not a readable npz archive: {error}.") from error
    except Exception as error:  # numpy's and zipfile's parsers raise whatever a mutated header leads them to
        raise DamagedFileError(f"The file {path} is not a readable npz archive: {error!r}.") from error
    if expected is not None:
        check_arrays(path, arrays, expected)
    return arrays


def check_arrays(path: Path, arrays: Arrays, expected: Mapping[str, tuple[Any, tuple[int | None, ...]]]) -> None:
    """Raise DamagedFileError unless ``arrays`` has exactly the expected names, dtypes and shapes."""
    if arrays.keys() != expected.keys():
        odd = sorted(arrays.keys() ^ expected.keys())
        raise DamagedFileError(f"The file {path} must hold {sorted(expected)}. Missing or unknown: {odd}.")
    for name, (dtype, shape) in expected.items():
        got = arrays[name]
        fits = len(shape) == got.ndim and all(s in (None, g) for s, g in zip(shape, got.shape, strict=True))
        if got.dtype != np.dtype(dtype) or not fits:
            raise DamagedFileError(
                f"The array {name!r} in {path} must be {np.dtype(dtype)} of shape {shape}. "
                f"Got {got.dtype} of shape {got.shape} instead: it belongs to another run or is damaged."
            )


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's contents in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
