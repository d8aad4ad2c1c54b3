"""Views for people: any game's fields as labelled lines of text, cards with suit glyphs, colours where there are any.

A game that knows better overrides :meth:`~cardai.core.game.Game.draw`; everything here is written over fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cardai.cards.text import card_glyph, card_text, glyphs
from cardai.core.fields import Field, with_role

if TYPE_CHECKING:
    from rich.text import Text

    from cardai.core.game import Game

NONE = "-"
_RED = r"[2-9TJQKA][♦♥]"
_BLACK = r"[2-9TJQKA][♣♠]"


def coloured(text: str, style: str = "", signs: bool = True) -> Text:
    """Return ``text`` with its cards drawn as cards: black or red on white (nothing but text where there is no colour).

    ``signs`` writes 7c as 7♣; without, only what is written so is a card.
    """
    from rich.text import Text

    drawn = Text(glyphs(text) if signs else text, style=style)
    drawn.highlight_regex(_RED, "bold red on white")
    drawn.highlight_regex(_BLACK, "bold black on white")
    return drawn


def is_french(game: Game, card: int) -> bool:
    """Whether the game calls its card ``card`` as the one of that number in the French deck is called."""
    return 0 <= card < 52 and game.card_to_string(card) == card_text(card)


def card_name(game: Game, card: int) -> str:
    """Return a card of a field for people: with a glyph in the French deck, else in the game's own words."""
    if card < 0:
        return NONE
    return card_glyph(card) if is_french(game, card) else game.card_to_string(card)


def action_name(game: Game, action: int, view: Mapping[str, Any] | None = None) -> str:
    """Return a player's action for people; with the player's ``view``, its amounts and cards too."""
    return glyphs(game.action_to_string(action) if view is None else game.action_words(action, view))


def unit_of(game: Game, amount: float) -> str:
    """Return what stands behind an amount of a game's returns: "chips", "chip" behind one."""
    return game.unit.removesuffix("s") if abs(amount) == 1 else game.unit


def even_words(game: Game, returns: Sequence[float], outcome: Mapping[str, Any]) -> str:
    """Return what is said to who won and lost nothing in a hand."""
    if len(returns) < 2 or any(returns):
        return "You win nothing."
    return next(filter(None, (family.told_even(outcome) for family in game.families)), "Nobody wins or loses.")


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
    """Return (label, text) for each field; who did the entries of a history, and in which round, join its line."""
    said_elsewhere = ("player", "seat_of", "round_of")
    shown = (f for f in game.view_fields if f.role.partition(":")[0] not in said_elsewhere)
    return [(f.name.replace("_", " "), field_text(game, f, view)) for f in shown]


def private_rows(game: Game, own: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (label, text) for the cards of its own that ``other`` player's view shows and ``own`` does not."""
    cards = [f for f in game.view_fields if f.kind in ("card", "cards", "card_set")]
    known = [own[f.name] for f in cards]
    fields = [f for f in cards if f.role in ("own", "") and other[f.name] not in known]
    rows = [(f.name.replace("_", " "), field_text(game, f, other)) for f in fields]
    return [(label, text) for label, text in rows if text != NONE]


def without_cards(game: Game, view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view without the cards that its player alone sees: what another may be told of an action by it."""
    none: dict[str, Any] = {"card": -1, "cards": [], "card_set": 0}
    hidden = {f.name: none[f.kind] for f in game.view_fields if f.role == "own" and f.kind in none}
    return {**view, **hidden}


def field_text(game: Game, f: Field, view: Mapping[str, Any]) -> str:
    """Return a field's value in a view, from the place of the player whose view it is."""
    value, player = view[f.name], looking(game, view)
    if f.kind in ("public_history", "private_history"):
        return _history_text(game, f, view)
    if f.kind == "cards":
        return " ".join(card_name(game, int(card)) for card in value) or NONE
    if not f.size:
        return value_text(game, f, value, player)
    parts = [value_text(game, f, item, player) for item in value]
    if f.role != "by_seat":
        return " ".join(parts)
    each = f.size // game.num_players
    seats = [" ".join(parts[start : start + each]) for start in range(0, f.size, each)]
    return ", ".join(f"{seat_name(seat, player)} {text}" for seat, text in enumerate(seats))


def value_text(game: Game, f: Field, value: Any, player: int | None) -> str:
    """Return one value of a field (of an array: one entry), from the place of ``player``."""
    if f.kind == "card":
        return card_name(game, int(value))
    if f.kind == "card_set":
        cards = [card for card in range(64) if int(value) >> card & 1]
        return " ".join(card_name(game, card) for card in cards) or NONE
    if f.kind == "flag":
        return "yes" if value else "no"
    if f.kind == "seat":
        return seat_name(int(value), player)
    if 0 <= value < len(f.labels):
        return f.labels[int(value)]
    return f"{value:,} {f.unit}".strip()


def looking(game: Game, view: Mapping[str, Any]) -> int | None:
    """Return the seat whose view it is, None where views do not say."""
    player = with_role(game.view_fields, "player")
    return None if player is None else int(view[player.name])


def _entry_text(game: Game, f: Field, entry: int) -> str:
    if 0 <= entry < len(f.labels):
        return f.labels[entry]
    return action_name(game, entry) if f.role == "actions" else str(entry)


def _history_text(game: Game, f: Field, view: Mapping[str, Any]) -> str:
    """Return a history as words: labels, or actions where its numbers are actions; by seat and round where these are known."""
    words = [_entry_text(game, f, int(entry)) for entry in view[f.name]]
    if not words:
        return NONE
    seats, rounds = (_beside(game, f, view, role) for role in ("seat_of", "round_of"))
    if seats is not None and len(seats) == len(words):
        words = [f"{seat_name(int(s), looking(game, view))} {w}" for s, w in zip(seats, words, strict=True)]
    if rounds is None or len(rounds) != len(words):
        return ", ".join(words)
    by_round: dict[int, list[str]] = {}
    for number, word in zip(rounds, words, strict=True):
        by_round.setdefault(int(number), []).append(word)
    return " | ".join(", ".join(words) for words in by_round.values())


def _beside(game: Game, history: Field, view: Mapping[str, Any], role: str) -> Any:
    """Return the list that says the seats or the rounds of a history's entries, None where there is none."""
    f = with_role(game.view_fields, f"{role}:{history.name}")
    return None if f is None else view[f.name]


def flowing(text: str) -> str:
    """Return ``text`` with each paragraph on one line, for whatever width there is."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def help_text(game: Game, keys: str = "") -> str:
    """Return the rules, what the ``keys`` do where there are some, and what each field of a view means."""
    lines = [flowing(game.rules) or "This game has no written rules.", keys, "What programs are told of the table:"]
    return "\n".join([*lines, *(f"  {label}: {meaning}" for label, meaning in explained(game))])


def explained(game: Game) -> list[tuple[str, str]]:
    """Return (label, meaning) for each field of a view but whose it is."""
    return [(f.name.replace("_", " "), f.meaning) for f in game.view_fields if f.role != "player"]
