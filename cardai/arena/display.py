"""Views for people: any game's fields as labelled lines of text, cards with suit glyphs, colours where there are any.

A game that knows better overrides :meth:`~cardai.core.game.Game.draw`; everything here is written over fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cardai.core.fields import Field

if TYPE_CHECKING:
    from rich.text import Text

    from cardai.core.game import Game

RANKS = "23456789TJQKA"
GLYPHS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
NONE = "-"
_WRITTEN = re.compile(r"\b(?:[2-9TJQKA][cdhs])+\b")
_NAMED = re.compile(r"(\d+) ([a-z][a-z ]*?)(?=,|;|\.|$)")  # a count whose doc names its values: "0 knock, 1 gin"
_RED = re.compile(r"[2-9TJQKA][♦♥]")
_BLACK = re.compile(r"[2-9TJQKA][♣♠]")


def glyphs(text: str) -> str:
    """Return ``text`` with every card such as 7c written as 7♣, also where several stand together."""
    return _WRITTEN.sub(lambda cards: re.sub("[cdhs]", lambda suit: GLYPHS[suit.group()], cards.group()), text)


def coloured(text: str, style: str = "") -> Text:
    """Return ``text`` with its cards drawn as cards: black or red on white (nothing but text where there is no colour)."""
    from rich.text import Text

    drawn = Text(glyphs(text), style=style)
    drawn.highlight_regex(_RED, "bold red on white")
    drawn.highlight_regex(_BLACK, "bold black on white")
    return drawn


def card_name(game: Game, f: Field, card: int) -> str:
    """Return a card of field ``f`` for people: with a glyph in a deck of 52, else in the game's own words."""
    if card < 0:
        return NONE
    if f.maximum == 51 or (f.kind == "card_set" and game.num_chance_outcomes == 52):
        return RANKS[card % 13] + "♣♦♥♠"[card // 13]
    return game.chance_to_string(card) if card < game.num_chance_outcomes else str(card)


def action_name(game: Game, action: int) -> str:
    """Return a player's action for people."""
    return glyphs(game.action_to_string(action))


def seat_name(seat: int, player: int | None) -> str:
    """Return a seat in words, from the place of ``player`` (None: an onlooker's)."""
    if seat < 0:
        return "nobody"
    return "you" if seat == player else f"seat {seat}"


def view_text(game: Game, view: Mapping[str, Any]) -> str:
    """Return a view as text of several lines: the game's own drawing, or a line a field."""
    drawn = game.draw(view)
    if drawn is not None:
        return drawn
    rows = view_rows(game, view)
    width = max((len(label) for label, _ in rows), default=0)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in rows)


def view_rows(game: Game, view: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (label, text) for each field; the parallel fields ``x_seat`` and ``x_round`` of a history join its line."""
    names = {f.name for f in game.view_fields}
    joined = {f.name + part for f in game.view_fields for part in ("_seat", "_round") if f.kind == "public_history"}
    rows = []
    for f in game.view_fields:
        if f.name in joined & names or f.name == "player":
            continue
        rows.append((f.name.replace("_", " "), _field_text(game, f, view)))
    return rows


def private_rows(game: Game, own: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (label, text) for the cards that ``other`` player's view shows and ``own`` does not."""
    kinds = ("card", "cards", "card_set")
    fields = [f for f in game.view_fields if f.kind in kinds and own[f.name] != other[f.name]]
    return [(f.name.replace("_", " "), _field_text(game, f, other)) for f in fields]


def _field_text(game: Game, f: Field, view: Mapping[str, Any]) -> str:
    value, player = view[f.name], view.get("player")
    if f.kind in ("public_history", "private_history"):
        return _history_text(game, f, view)
    if f.kind == "cards":
        return " ".join(card_name(game, f, int(card)) for card in value) or NONE
    if not f.size:
        return value_text(game, f, value, player)
    parts = [value_text(game, f, item, player) for item in value]
    if f.size == game.num_players:
        return ", ".join(f"{seat_name(seat, player)} {part}" for seat, part in enumerate(parts))
    return " ".join(parts)


def value_text(game: Game, f: Field, value: Any, player: int | None) -> str:
    """Return one value of a field (of an array: one entry), from the place of ``player``."""
    if f.kind == "card":
        return card_name(game, f, int(value))
    if f.kind == "card_set":
        cards = [card for card in range(64) if int(value) >> card & 1]
        return " ".join(card_name(game, f, card) for card in cards) or NONE
    if f.kind == "flag":
        return "yes" if value else "no"
    if f.kind == "seat":
        return seat_name(int(value), player)
    named: dict[str, str] = dict(_NAMED.findall(f.doc)) if f.kind == "count" and f.doc.startswith("0 ") else {}
    if str(value) in named:
        return named[str(value)]
    return f"{value:,} {f.unit}".strip()


def _history_text(game: Game, f: Field, view: Mapping[str, Any]) -> str:
    """Return a history as words: actions where its numbers are actions, by seat and round where the view knows them."""
    entries = list(view[f.name])
    if not entries:
        return NONE
    if f.name == "history" and f.maximum < game.num_distinct_actions:
        words = [action_name(game, int(entry)) for entry in entries]
    else:
        words = [str(entry) for entry in entries]
    seats, rounds = view.get(f.name + "_seat"), view.get(f.name + "_round")
    if seats is not None and len(seats) == len(words):
        words = [f"{seat_name(int(s), view.get('player'))} {w}" for s, w in zip(seats, words, strict=True)]
    if rounds is None or len(rounds) != len(words):
        return ", ".join(words)
    by_round: dict[int, list[str]] = {}
    for number, word in zip(rounds, words, strict=True):
        by_round.setdefault(int(number), []).append(word)
    return " | ".join(", ".join(words) for words in by_round.values())


def flowing(text: str) -> str:
    """Return ``text`` with each paragraph on one line, for whatever width there is."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def help_text(game: Game) -> str:
    """Return the rules and what each field of a view means."""
    width = max((len(f.name) for f in game.view_fields), default=0)
    lines = [flowing(game.rules) or "This game has no written rules.", "", "What you see:"]
    lines += [f"  {f.name.replace('_', ' '):<{width}}  {f.doc}" for f in game.view_fields if f.name != "player"]
    return "\n".join(lines)
