"""Which files their owner has allowed to name programs and paths (``--trust``): by their path, and only as they are."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cardai.core.errors import CardaiError
from cardai.core.files import read_json, write_json
from cardai.core.trust import Source, digest

MANY = 1000
"""Notes beyond which those of files that are gone are taken away when another is made."""
_trusting = [False]
_allowed: set[tuple[str, str]] = set()


def trust_all(yes: bool = True) -> None:
    """From here on allow, and note for later, every file that names what it otherwise may not (``--trust``)."""
    _trusting[0] = yes


def trusting() -> bool:
    """Whether ``--trust`` was given in this call."""
    return _trusting[0]


def allow(source: Source) -> None:
    """Note that the file ``source`` is allowed to name what it names, as it is (for this process, where nothing can be
    written)."""
    _allowed.add((source.path, source.digest))
    with suppress(OSError, CardaiError):
        file = _note_of(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        now, before = [*_noted(source), "", ""][:2]
        if now != source.digest:
            write_json(file, {"path": source.path, "sha256": source.digest, "before": now or before})
        _forget_what_is_gone(file.parent)


def _forget_what_is_gone(folder: Path) -> None:
    """Take away the notes of files that are no more, where there are many: each run that names a path leaves one."""
    notes = list(folder.glob("*.json"))
    if len(notes) <= MANY:
        return
    for each in notes:
        with suppress(OSError, CardaiError):
            path = read_json(each).get("path")
            if isinstance(path, str) and not os.path.lexists(path):
                each.unlink()


def allowed(source: Source) -> bool:
    """Whether the owner has allowed the file ``source`` as it is."""
    if (source.path, source.digest) in _allowed:
        return True
    if source.digest not in _noted(source):
        return False
    _allowed.add((source.path, source.digest))  # what was read stays allowed when the file, and its note, change
    return True


def _noted(source: Source) -> list[str]:
    """Return as what the file is allowed: as it is, and as it was before that: who writes it anew notes it first, and until it is
    written the file is still the old one."""
    try:
        note = read_json(_note_of(source))
    except CardaiError:
        return []
    if not isinstance(note, dict) or note.get("path") != source.path:
        return []
    return [each for each in (note.get("sha256"), note.get("before")) if isinstance(each, str) and each]


def _note_of(source: Source) -> Path:
    """Return the file that says so: one for each path, so that no two processes write over one another's."""
    return user_state() / "trusted" / f"{digest(os.fsencode(source.path))[:32]}.json"


def user_state() -> Path:
    """Return the directory for what a user has decided: ``$CARDAI_DATA_DIR``, else cardai's in ~/.local/state."""
    if named := os.environ.get("CARDAI_DATA_DIR"):
        return Path(named)
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(home) / "cardai"
