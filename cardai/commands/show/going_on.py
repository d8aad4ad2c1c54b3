"""The command line that plays the same match again, or goes on with one that is kept."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cardai.commands.invocation import note
from cardai.core.errors import CardaiError, UsageError


def next_command(
    game: str,
    agents: Sequence[str],
    games: int | None,
    seed: int | None = None,
    no_duplicate: bool = False,
    record: str | None = None,
) -> str:
    """Return the command line of a match; with ``record``, the one that goes on with it."""
    from cardai.core import registry

    words = ["cardai", "run", "--game", game, "--agent", agents[0]]
    for other in agents[1:]:
        words += ["--vs", other]
    words += [] if games is None else ["--games", str(games)]
    words += [] if seed is None else ["--seed", str(seed)]
    words += ["--no-duplicate"] if no_duplicate else []
    words += [] if record is None else ["--record", record, "--resume"]
    return shlex.join([*words, *(word for file in registry.plugin_files() for word in ("--plugin", file))])


def is_file(path: str | None) -> bool:
    """Whether a record's place is that of a file, and not standard output, a pipe or a device."""
    return path not in (None, "-") and (not os.path.exists(path) or os.path.isfile(path))


@contextmanager
def saying_what_is_kept(file: str | None, command: str) -> Iterator[None]:
    """Say after a match that failed how it goes on, where something of it is kept beside ``file``."""
    from cardai.arena.journal import journal_of

    try:
        yield
    except CardaiError as error:
        if file is not None and not isinstance(error, UsageError) and str(journal_of(file)) != file:
            note(f"What was finished is kept. Go on with: {command}")
        raise
