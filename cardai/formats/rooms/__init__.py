"""Poker rooms' hand histories: each a dialect (lines or XML) told into one form, which cardai's rules then play anew.

``told.py`` is what files say, ``readings.py`` what posts may mean, ``replay.py`` and ``settled.py`` the play and its end,
``hand.py`` what comes out; ``lines.py`` is the engine of rooms that write lines, and a small module a room says the rest.

>>> from cardai.formats.rooms import room_hands
>>> with room_hands("hands.txt") as hands:  # doctest: +SKIP
...     for hand in hands:
...         print(hand)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from cardai.core.format import LeftOut
    from cardai.formats.rooms.hand import RoomHand


@contextmanager
def room_hands(source: str | Path | IO[str]) -> Iterator[Iterator[RoomHand | LeftOut]]:
    """Open a room's file and give its hands one at a time, each replayed by the rules, or a sentence on why it was left out.

    ``source`` is a path ("-": standard input), a folder or a zip archive of such files, or an open text stream. A sentence's
    ``reason`` is what to count it by.

    Raises:
        UsageError: there is no such file. DamagedFileError: it is empty, or no room's that is known.
    """
    from cardai.core.errors import DamagedFileError
    from cardai.formats import opened, peek
    from cardai.formats.folders import skipped
    from cardai.formats.rooms.room_format import RoomFormat

    with opened(source) as (name, stream):
        found, lines = peek(name, stream)
        if not isinstance(found, RoomFormat):
            raise DamagedFileError(f"{name} is no hand history of a poker room that is known here.")
        yield itertools.chain(found.room_hands(lines, name), skipped(stream))
