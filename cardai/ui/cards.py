"""Cards as cards: boxes of three lines with rank and suit in them, side by side, in groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from attrs import frozen
from rich.style import Style
from rich.text import Text

from cardai.cards.text import card_glyph

Palette = Literal["two", "four", "mono"]
SUIT_COLOURS = {
    "two": ("#101010", "#c00000", "#c00000", "#101010"),
    "four": ("#007000", "#0040c0", "#c00000", "#101010"),
}
"""By palette, of clubs, diamonds, hearts and spades."""
PAPER, BACK = "#f4f1e8", "#4a6fa5"
DOWN, EDGE = "▒▒", "▕"


@frozen
class Face:
    """One card to draw: its text, its number in a deck of 52 if it is one of these, the key that stands for it."""

    text: str
    card: int | None = None
    key: str = ""
    chosen: bool = False
    down: bool = False
    empty: bool = False


@frozen
class CardStyle:
    """How a scene is drawn: the palette, what key stands for which card, which are chosen, and how that is called."""

    palette: Palette = "two"
    keys: Mapping[int, str] = {}
    chosen: frozenset[int] = frozenset()
    mark: str = "▲"
    """What is written beneath a chosen card."""

    def face(self, card: int) -> Face:
        """Return a card of 52 as it is drawn (-1: face down)."""
        if card < 0:
            return Face(DOWN, down=True)
        return Face(card_glyph(card), card, self.keys.get(card, ""), card in self.chosen)

    def faces(self, cards: Iterable[int]) -> list[Face]:
        """Return cards of 52 as they are drawn."""
        return [self.face(int(card)) for card in cards]


def style_of(face: Face, palette: Palette) -> Style:
    """Return the colours of a card: none in mono, where a chosen one is reversed."""
    meta = {"card": face.card} if face.card is not None else {}
    if palette == "mono":
        return Style(bold=True, reverse=face.chosen, dim=face.empty, meta=meta)
    if face.empty:
        return Style(color="grey50")
    if face.down:
        return Style(color="white", bgcolor=BACK)
    colour = SUIT_COLOURS[palette][face.card // 13] if face.card is not None else "#101010"
    return Style(bold=True, color=colour, bgcolor="#ffd75f" if face.chosen else PAPER, meta=meta)


def boxes(groups: Sequence[Sequence[Face]], card_style: CardStyle, inner: int = 4, gap: int = 2) -> list[Text]:
    """Return cards as lines of text: three of cards, and one of keys and marks where there are any.

    A card is ``inner`` + 2 cells wide, ``gap`` cells are between groups. Where there is no colour, a card is a frame.
    """
    lines = [Text(no_wrap=True) for _ in range(4)]
    groups = [group for group in groups if group]
    for number, group in enumerate(groups):
        for face in group:
            style = style_of(face, card_style.palette)
            for line, part in zip(lines, _parts(face, inner, card_style.palette), strict=False):
                line.append(part.removesuffix(EDGE), style)
                line.append(EDGE if part.endswith(EDGE) else "", style + Style(color="grey62"))
            below = f"{card_style.mark}{face.key}" if face.chosen else face.key
            lines[3].append(f"{below:^{inner + 2}}", Style(bold=True, meta=style.meta))
        if number < len(groups) - 1:
            for line in lines:
                line.append(" " * gap)
    return lines if any(face.key or face.chosen for group in groups for face in group) else lines[:3]


def _parts(face: Face, inner: int, palette: Palette) -> tuple[str, str, str]:
    """Return a card's three lines: a frame, or where there is colour a sheet of paper with an edge."""
    if palette == "mono" or face.empty:
        return "┌" + "─" * inner + "┐", f"│{face.text:^{inner}}│", "└" + "─" * inner + "┘"
    blank = " " * (inner + 1) + EDGE
    return blank, f" {face.text:^{inner}}{EDGE}", blank


def inline(text: str, palette: Palette, style: str = "") -> Text:
    """Return text in which cards such as 7♣ have their colours."""
    from cardai.cards.text import GLYPHS, glyphs

    drawn = Text(glyphs(text), style=style)
    if palette != "mono":
        for suit, colour in zip(GLYPHS, SUIT_COLOURS[palette], strict=True):
            drawn.highlight_regex(rf"[2-9TJQKA]{suit}", f"bold not dim {colour} on {PAPER}")
    return drawn
