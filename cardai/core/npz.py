"""Arrays in files: npz without pickle, of which nothing is read before all that it declares has been checked."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError
from cardai.core.files import COUNT_LIMIT, Output, refuse_pipe
from cardai.core.memory import free_memory

Arrays = dict[str, npt.NDArray[Any]]
Shape = tuple[int | None, ...]
_SMALL = 64 << 20
"""Bytes that are unpacked without asking how much memory is free."""
MEMBERS_LIMIT = 4096
"""More arrays than any file of ours holds."""


def write_npz(path: Path, arrays: Mapping[str, Any], level: int = 0) -> None:
    """Write arrays (numbers and booleans only), one npy member a name, atomically; compressed by zlib's ``level`` 1 to 9."""
    packing: dict[str, Any] = {"compression": zipfile.ZIP_DEFLATED, "compresslevel": level} if level else {}
    with Output(path) as file, zipfile.ZipFile(file, "w", **packing) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_npz(path: Path, expected: Mapping[str, tuple[Any, Shape]] | None = None) -> Arrays:
    """Return the arrays in ``path``, never unpickling anything.

    ``expected`` maps each wanted name to (dtype, shape); None in a shape is any length. Names, dtypes, shapes and sizes
    are checked before any array is read.

    Raises:
        DamagedFileError: naming the file and what is wrong with it.
    """
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            _check_count(file)
            with zipfile.ZipFile(file) as archive:
                members = _members(archive, os.fstat(file.fileno()).st_size)
                declared = {name: _declared(archive, info) for name, info in members.items()}
                if expected is not None:
                    _check(path, declared, expected)
                arrays = {}
                for name, info in members.items():
                    with archive.open(info) as member:
                        arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                return arrays
    except DamagedFileError:
        raise
    except Exception as error:  # numpy's and zipfile's parsers raise whatever a mutated header leads them to
        said = str(error) if isinstance(error, (OSError, ValueError, zipfile.BadZipFile)) else repr(error)
        raise DamagedFileError(f"The file {path} is not a readable npz archive: {said}.") from error


def map_npy(path: Path, dtype: Any, shape: Shape) -> npt.NDArray[Any]:
    """Return the array in the npy file ``path``, mapped into memory; ``shape`` as in :func:`read_npz`.

    Raises:
        DamagedFileError: there is no such file, or it holds anything else.
    """
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # as above
        said = str(error) if isinstance(error, (OSError, ValueError)) else repr(error)
        raise DamagedFileError(f"The file {path} is not a readable table: {said}.") from error
    check_arrays(path, {"its numbers": array}, {"its numbers": (dtype, shape)})
    return array


def _check_count(file: IO[bytes]) -> None:
    """Refuse an archive that says it has more members than any of ours, before zipfile lists them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 65_557))  # the longest end record
    end = file.read().rpartition(b"PK\x05\x06")
    if not end[1] or len(end[2]) < 8:
        raise ValueError("it does not end as an archive does")
    count = struct.unpack_from("<H", end[2], 6)[0]
    if count > MEMBERS_LIMIT:
        raise ValueError(f"it holds {count} arrays")
    file.seek(0)


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the archive's members by array name, having checked names and what they would unpack to."""
    infos = archive.infolist()
    if len(infos) > MEMBERS_LIMIT:
        raise ValueError(f"it holds {len(infos)} arrays")
    members = {info.filename.removesuffix(".npy"): info for info in infos}
    for name, info in members.items():
        plain = info.filename.endswith(".npy") and name and not set(name) & set("/\\\0:")
        if not plain or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"it holds {info.filename[:60]!r}, which is no array of ours")
    unpacked = sum(info.file_size for info in infos)
    if len(members) != len(infos) or unpacked > (16 << 20) + 256 * size:
        raise ValueError(f"{size:,} bytes would unpack to {unpacked:,}, or two arrays have one name")
    if unpacked > _SMALL and unpacked > (free := free_memory()):
        raise ValueError(f"it would unpack to {unpacked:,} bytes, and {free:,} of memory are free")
    return members


def _declared(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the dtype and shape that a member declares, having checked that its size is theirs."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in read:
            raise ValueError(f"{info.filename!r} is of the version {version}")
        shape, _, dtype = read[version](member)
        size = dtype.itemsize
        for length in shape:
            size *= length
        if dtype.kind not in "biuf" or any(length < 0 for length in shape) or member.tell() + size != info.file_size:
            raise ValueError(f"{info.filename!r} declares {dtype} of shape {shape}, which is not what it holds")
        return dtype, shape


def check_arrays(path: Path, arrays: Arrays, expected: Mapping[str, tuple[Any, Shape]]) -> None:
    """Raise DamagedFileError unless ``arrays`` has exactly the expected names, dtypes and shapes."""
    _check(path, {name: (array.dtype, array.shape) for name, array in arrays.items()}, expected)


def check_counts(path: Path, arrays: Mapping[str, Any], *names: str) -> None:
    """Raise DamagedFileError unless the arrays ``names`` hold numbers of what was done, no larger than any training's."""
    for name in names:
        if (arrays[name] < 0).any() or (arrays[name] > COUNT_LIMIT).any():
            raise DamagedFileError(
                f"The file {path} counts in {name!r} what no training does: it is damaged or foreign."
            )


def _check(
    path: Path, found: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]], expected: Mapping[str, tuple[Any, Shape]]
) -> None:
    if found.keys() != expected.keys():
        odd = sorted(found.keys() ^ expected.keys())
        raise DamagedFileError(f"The file {path} must hold {sorted(expected)}. Missing or unknown: {odd}.")
    for name, (wanted, shape) in expected.items():
        dtype, got = found[name]
        fits = len(shape) == len(got) and all(s in (None, g) for s, g in zip(shape, got, strict=True))
        if dtype != np.dtype(wanted) or not fits:
            raise DamagedFileError(
                f"The array {name!r} in {path} must be {np.dtype(wanted)} of shape {shape}. "
                f"Got {dtype} of shape {got} instead: it belongs to another run or is damaged."
            )
