"""The line in which an amount, cards, a name or a number is typed."""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class TypingLine(Input):
    """It is there while something is typed. What it begins with is chosen as a whole, so that the first key takes its place."""

    def __init__(self) -> None:
        super().__init__(id="entry", select_on_focus=False)  # it would be chosen again when keys have come

    def begin(self, text: str = "") -> None:
        """Show the line, and let keys go there from now on."""
        self.display, self.value = True, text
        self.action_select_all()
        self.screen.set_focus(self)

    def end(self) -> None:
        """Take the line away: keys are the screen's."""
        self.display = False
        self.screen.set_focus(None)

    async def late(self, event: events.Key) -> None:
        """Take a key that was on its way to the screen when the line began, as keys that come at once are."""
        if event.is_printable and event.character is not None:
            event.stop()
            self.replace(event.character, *self.selection)
        elif event.key == "backspace":
            event.stop()
            self.action_delete_left()
        elif event.key == "enter":
            event.stop()
            await self.action_submit()
