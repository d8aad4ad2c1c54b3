"""Cards in and out of text: "As" and "AsKd" for files and options, "A♠" for people, sets as bit masks.

A card is the int ``13 * suit + rank`` with suits c d h s = 0..3 and ranks 2..A = 0..12; a set of cards is an int (or
uint64) with bit ``card`` set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

RANKS = "23456789TJQKA"
"""Rank letters in card order."""
SUITS = "cdhs"
"""Suit letters in card order."""
GLYPHS = "♣♦♥♠"
"""Suit glyphs in card order."""
UNKNOWN = "??"
"""How a card that is not known (-1) is written."""

RANK_NAMES = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)

_CARD = re.compile(r"(10|[2-9TJQKA])([cdhs♣♦♥♠])", re.IGNORECASE)
_WRITTEN = re.compile(r"\b(?:[2-9TJQKA][cdhs])+\b")
_SPACE = re.compile(r"[\s,]*")


def card_text(card: int) -> str:
    """Return a card as two letters ("As"); -1, a card that is not known, as "??"."""
    if card == -1:
        return UNKNOWN
    if not 0 <= card < 52:
        raise ValueError(f"A card is a number from 0 to 51. Got {card}.")
    return RANKS[card % 13] + SUITS[card // 13]


def cards_text(cards: Iterable[int], separator: str = "") -> str:
    """Return cards as text in the given order ("AsKd")."""
    return separator.join(card_text(int(card)) for card in cards)


def card_glyph(card: int) -> str:
    """Return a card for people, with its suit as a glyph ("A♠"; "??" for -1)."""
    text = card_text(card)
    return text if card == -1 else text[0] + GLYPHS[card // 13]


def cards_glyphs(cards: Iterable[int], separator: str = " ") -> str:
    """Return cards for people in the given order ("A♠ K♦")."""
    return separator.join(card_glyph(int(card)) for card in cards)


def glyphs(text: str) -> str:
    """Return ``text`` with every card such as 7c written as 7♣, also where several stand together."""
    signs = str.maketrans(SUITS, GLYPHS)
    return _WRITTEN.sub(lambda cards: cards.group().translate(signs), text)


def parse_card(text: str) -> int:
    """Return the card that ``text`` names ("As", "10h", "a♠")."""
    cards = parse_cards(text)
    if len(cards) != 1:
        raise ValueError(f"One card is expected, such as As. Got {text!r}.")
    return cards[0]


def parse_cards(text: str) -> list[int]:
    """Return the cards that ``text`` names, in order: "AsKd", "As Kd", "as,kd", "A♠K♦", "10h".

    Raises:
        ValueError: quoting the text and the place, for anything that is not a card or a card named twice.
    """
    cards: list[int] = []
    position = len(text) - len(text.lstrip())
    while position < len(text):
        match = _CARD.match(text, position)
        if match is None:
            raise ValueError(
                f"The cards {text!r} cannot be read at {text[position:]!r}. A card is a rank ({RANKS}) and a suit "
                f"({SUITS}), such as AsKd."
            )
        letter = match.group(1).upper()
        suit = match.group(2).lower()
        rank = RANKS.index("T" if letter == "10" else letter)
        card = 13 * (SUITS.index(suit) if suit in SUITS else GLYPHS.index(suit)) + rank
        if card in cards:
            raise ValueError(f"The cards {text!r} name {card_text(card)} twice.")
        cards.append(card)
        space = _SPACE.match(text, match.end())
        position = match.end() if space is None else space.end()
    return cards


def card_set(cards: Iterable[int]) -> int:
    """Return cards as a set: an int with bit ``card`` of each set (unknown cards, -1, are left out)."""
    bits = 0
    for card in cards:
        if card >= 0:
            bits |= 1 << int(card)
    return bits


def cards_of(bits: int) -> list[int]:
    """Return the cards of a set, ascending."""
    return [card for card in range(52) if int(bits) >> card & 1]
