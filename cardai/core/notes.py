"""Lines on standard error, about the work itself: every text is shown as text (:mod:`cardai.core.text`)."""

from __future__ import annotations

import sys

from cardai.core.text import one_line, shown

_BEGIN = "\r\x1b[K"
"""Goes to the beginning of a terminal's line and clears it."""


def tell(text: str, end: str = "\n") -> None:
    """Write ``text`` and a line end to standard error. Raises OSError where nobody reads it any more."""
    sys.stderr.write(shown(text) + end)
    sys.stderr.flush()


def show_state(text: str = "") -> None:
    """Write a line on a terminal over the one before, to be written over itself; nothing clears it."""
    sys.stderr.write(_BEGIN + one_line(text))
    sys.stderr.flush()
