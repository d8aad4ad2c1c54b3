"""rich's console with every text shown as text; lines on standard error are :mod:`cardai.core.notes`.

No other module writes to a stream (a test lists those that may). What rich itself writes (colours, a cursor that goes
back) passes; what stands in a text never does, nor is it read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console as _Console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from cardai.core.text import parts, shown

PLAIN = {"markup": False, "emoji": False, "highlight": False, "force_jupyter": False}
"""No markup in texts; and in a notebook no output of its own beside the stream's, which rich would make of every text."""


class Console(_Console):
    """rich's console for texts from anywhere. Where nobody reads any more, it raises BrokenPipeError."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**PLAIN, **options})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        known = _shown(renderable) if isinstance(renderable, Text) else renderable  # before lines are broken
        return shown_segments(super().render(known, options))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def shown_segments(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield rich's pieces of text as they may be shown; those that control the cursor are rich's own."""
    for segment in segments:
        text = segment.text if segment.control else shown(segment.text)
        yield segment if text is segment.text or text == segment.text else Segment(text, segment.style)


def _shown(text: Text) -> Text:
    """Return a text of rich with its styles, what is hidden in it as escapes."""
    if shown(text.plain) == text.plain:
        return text
    drawn, at = text.blank_copy(), 0
    for number, part in enumerate(parts(text.plain)):
        if number % 2:
            drawn.append(part)
            at += 1
        else:
            drawn.append_text(text[at : at + len(part)])
            at += len(part)
    return drawn
