"""What all our apps share: their style, and that whatever they show is text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from cardai.core.console import shown_segments

NARROW = 72
"""Columns below which what was said stands under the table and not beside it, so that ten cards are seen whole."""
CSS = """
Screen { layout: vertical; }
#title { height: 1; background: $boost; padding: 0 1; }
#middle { height: 1fr; }
#table { width: 1fr; padding: 0 0 0 1; overflow-x: auto; scrollbar-size: 1 1; }
#picture { width: auto; }
#log { width: 26; padding: 0 1; border-left: solid $panel; scrollbar-size: 1 1; }
.-narrow #middle { layout: vertical; }
.-narrow #table { width: 100%; height: auto; max-height: 1fr; }
.-narrow #log { width: 100%; height: 1fr; min-height: 1; border-left: none; }
#message { height: auto; max-height: 2; padding: 0 1; color: $text-accent; }
#actions { height: auto; max-height: 50%; min-height: 1; padding: 0 1; }
#entry { height: 1; border: none; padding: 0 1; background: $boost; }
#footer { height: 1; padding: 0 1; background: $boost; }
#list { height: 1fr; border: none; scrollbar-size: 1 1; }
#about { height: auto; max-height: 6; padding: 0 1; }
.dialog { width: auto; max-width: 100%; height: auto; max-height: 90%; padding: 1 2; background: $surface; border: round $primary; }
.page { width: 100%; max-width: 76; }
.dialog Static { width: auto; max-width: 70; }
.page Static { width: 100%; max-width: 100%; }
.page VerticalScroll { height: auto; max-height: 100%; }
.dialog OptionList { height: auto; max-height: 14; border: none; }
.hint { margin: 1 0 0 0; }
ModalScreen { align: center middle; }
"""


class Shown(LineFilter):
    """Shows what is hidden in a line as escapes, and cuts the line where it had no more room.

    Textual passes every line of every widget through it, after its layout: whatever a widget was given is text.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        drawn = list(shown_segments(segments))
        if all(new is old for new, old in zip(drawn, segments, strict=True)):
            return segments
        return Segment.adjust_line_length(drawn, Segment.get_line_length(segments))


class CardaiApp(App[None]):
    """An app of ours."""

    CSS = CSS
    TITLE = "cardai"
    ENABLE_COMMAND_PALETTE = False
    SHOWN = Shown()
    HORIZONTAL_BREAKPOINTS: ClassVar = [(0, "-narrow"), (NARROW, "-wide")]

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self.SHOWN]
