"""What lies over the table for a moment: the rules, a question, a list to choose from, what another player would do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from cardai.arena.advice import Advised
from cardai.ui.cards import Palette, inline
from cardai.ui.lines import value_text

BAR = 20
"""The width of a probability's bar."""


class Confirm(ModalScreen[bool]):
    """Yes or no: y, or the key that asked (``again``), or Enter for no."""

    def __init__(self, words: str, again: str = "") -> None:
        super().__init__()
        self.words, self.again = words, again

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Text(self.words))
            yield Static(Text("y yes   Enter no", "dim"), classes="hint")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.character in ("y", "Y") or (self.again and event.character == self.again):
            self.dismiss(True)
        elif event.key in ("enter", "escape", "n", "q"):
            self.dismiss(False)


class Page(ModalScreen[None]):
    """Text to read; any key but the arrows closes it."""

    BINDINGS = [  # noqa: RUF012 (textual's way)
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-12)", show=False),
        Binding("pagedown,space", "scroll(12)", show=False),
    ]

    def __init__(self, text: Text) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog page"):
            with VerticalScroll(can_focus=False) as scroll:
                self.scroll_area = scroll
                yield Static(self.text)
            yield Static(Text("↑ ↓ scroll, any other key goes back", "dim"), classes="hint")

    def action_scroll(self, lines: int) -> None:
        self.scroll_area.scroll_relative(y=lines, animate=False)

    def on_key(self, event: events.Key) -> None:
        if event.key not in ("up", "down", "pageup", "pagedown", "space", "j", "k"):
            event.stop()
            self.dismiss(None)

    def on_click(self) -> None:
        self.dismiss(None)


class Choice(ModalScreen[str | None]):
    """One of several names; Esc takes none."""

    def __init__(self, title: str, rows: Sequence[tuple[str, Text]]) -> None:
        super().__init__()
        self.words = title
        self.rows = rows

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog page"):
            yield Static(Text(self.words, "bold"))
            yield OptionList(*(Option(shown, id=f"o{i}") for i, (_, shown) in enumerate(self.rows)))
            yield Static(Text("↑ ↓ and Enter choose, Esc goes back", "dim"), classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.rows[event.option_index][0])

    def on_key(self, event: events.Key) -> None:
        if event.key in ("escape", "q"):
            event.stop()
            self.dismiss(None)


def advice_text(player: str, advised: Sequence[Advised], values_of: str, palette: Palette) -> Text:
    """Return what a player would do, a line an action with its probability as a bar, and its value where it has one."""
    valued = any(one.value is not None for one in advised)
    text = Text(f"{player} would", "bold")
    if valued:
        text.append(f"   (values: {values_of})", "not bold dim")
    for words, share, value in advised:
        bar = "█" * max(1, round(share * BAR)) if share else ""
        told = f"{value_text(value):>9}  " if valued else ""
        text.append(f"\n{share:>5.0%} {bar:<{BAR}} {told} ", "not bold").append_text(inline(words, palette))
    return text
