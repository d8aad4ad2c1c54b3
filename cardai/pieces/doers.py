"""What does pieces in a process of a Ray cluster."""

from __future__ import annotations

import pickle
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cardai.core import registry
from cardai.core.errors import CardaiError, PluginError
from cardai.core.files import write_atomically
from cardai.pieces.workers import call


class Doer:
    """A Ray actor: it is given parcels, keeps them, and does pieces with them one after another."""

    def __init__(self) -> None:
        self._parcels: dict[int, Any] = {}
        self._aside = False
        self._wrong: dict[int, Exception] = {}

    def begin(self) -> bool:
        """Say that it is there."""
        return True

    def meet(self, files: dict[str, bytes], wanted: str, aside: bool) -> None:
        """Load one-file plugins; ``wanted`` is the version that cardai must have here, ``aside``: what is printed goes to stderr."""
        self._aside = aside
        with self._noted(_MEETING):
            if version("cardai") != wanted:
                raise PluginError(f"A machine of the cluster has cardai {version('cardai')}, this one {wanted}.")
            for path, content in files.items():
                _load(path, content)

    def take(self, place: int, packed: bytes) -> None:
        """Take a parcel in the place of another."""
        self._parcels.pop(place, None)  # both may not fit
        with self._noted(place):
            self._parcels[place] = pickle.loads(packed)  # made by the process that began the work

    def do(self, count: int, arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
        """Do a piece with the first ``count`` parcels; return (result, None), or (None, the exception) that it raised."""
        for place in (_MEETING, *range(count)):
            if place in self._wrong:
                return None, self._wrong[place]
        try:
            with self._streams():
                return call([self._parcels[place] for place in range(count)], arguments), None
        except Exception as error:
            return None, error

    @contextmanager
    def _noted(self, place: int) -> Iterator[None]:
        """Keep what goes wrong inside for the pieces, whose results somebody waits for."""
        self._wrong.pop(place, None)
        try:
            with self._streams():
                yield
        except CardaiError as error:
            self._wrong[place] = error
        except Exception as error:  # a module that is not there, above all
            what = f"{type(error).__name__}: {error}"
            self._wrong[place] = PluginError(f"A worker of the cluster could not begin: {what}.")

    def _streams(self) -> AbstractContextManager[Any]:
        return redirect_stdout(sys.stderr if self._aside else sys.stdout)


def _load(path: str, content: bytes) -> None:
    """Load a plugin's file, from this machine if it is there."""
    file = Path(path)
    if not file.is_file() or file.read_bytes() != content:
        file = Path(tempfile.mkdtemp(prefix="cardai-")) / Path(path).name
        write_atomically(file, content)
    if path not in _added:
        _added.add(path)
        registry.add_file(str(file))


_MEETING = -1
_added: set[str] = set()
"""Plugin files that this worker process has loaded."""
