"""A hand as text, for ``str(state)``: the game's own drawing of a view, or a line a field, in letters alone.

:mod:`cardai.arena.display` draws views for people at a table, with suits as signs and in colour.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cardai.core.fields import Field
from cardai.core.text import shown

if TYPE_CHECKING:
    from cardai.core.game import Game, State

_CARDS = ("card", "cards", "card_set")


def hand_text(state: State) -> str:
    """Return a hand with all its cards: who is to act, what that seat sees, and the other seats' own cards.

    Of a State that does not say its game (:attr:`~cardai.core.game.State.game`) the view is shown as it is.
    """
    player = state.current_player()
    looking = max(player, 0)
    view = state.view(looking)
    head = f"seat {player} to act" if player >= 0 else "chance to act"
    if state.is_terminal():
        head = "over: " + ", ".join(f"seat {seat} {result:+g}" for seat, result in enumerate(state.returns()))
    game: Game | None = state.game
    if game is None:
        return "\n".join([head, *(f"{name}  {value}" for name, value in view.items())])
    lines = [head, _view_text(game, view)]
    for seat in range(game.num_players):
        if seat != looking:
            lines += [f"seat {seat} has {cards}" for cards in _own_cards(game, state.view(seat), view)]
    return "\n".join(lines)


_CARD = re.compile(r"\b(10|[2-9TJQKA])([cdhs])\b")
_SUITS = {"c": ("♣", "inherit"), "d": ("♦", "#c8202b"), "h": ("♥", "#c8202b"), "s": ("♠", "inherit")}


def hand_page(state: State) -> str:
    """Return a hand as HTML for a notebook: its text, cards with their suits' signs and colours."""

    def card(found: re.Match[str]) -> str:
        sign, colour = _SUITS[found[2]]
        return f"<b style='color:{colour}'>{found[1]}{sign}</b>"

    return f"<pre>{_CARD.sub(card, html.escape(shown(hand_text(state))))}</pre>"


def _view_text(game: Game, view: Mapping[str, Any]) -> str:
    drawn = game.draw(view)
    if drawn is not None:
        return drawn
    shown = [f for f in game.view_fields if f.role.partition(":")[0] not in ("player", "seat_of", "round_of")]
    width = max((len(f.name) for f in shown), default=0)
    return "\n".join(f"{f.name.replace('_', ' '):<{width}}  {field_text(game, f, view[f.name])}" for f in shown)


def _own_cards(game: Game, own: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the cards that ``own`` view shows as the viewer's own and ``other`` view does not show."""
    fields = [f for f in game.view_fields if f.kind in _CARDS and f.role in ("own", "")]
    known = [other[f.name] for f in game.view_fields if f.kind in _CARDS]
    texts = [field_text(game, f, own[f.name]) for f in fields if own[f.name] not in known]
    return [text for text in texts if text != "-"]


def field_text(game: Game, f: Field, value: Any) -> str:
    """Return the value of a field in words: cards and actions by the game's names, labels, numbers with their unit."""
    values = value if isinstance(value, (list, tuple)) else [value]
    if f.kind == "card_set":
        values = [card for cards in values for card in range(64) if int(cards) >> card & 1]
    return " ".join(_entry(game, f, int(entry)) for entry in values) or "-"


def _entry(game: Game, f: Field, entry: int) -> str:
    if f.kind in _CARDS:
        return "-" if entry < 0 else game.card_to_string(entry)
    if f.kind == "flag":
        return "yes" if entry else "no"
    if f.kind == "seat":
        return "nobody" if entry < 0 else f"seat {entry}"
    if 0 <= entry < len(f.labels):
        return f.labels[entry]
    return game.action_to_string(entry) if f.role == "actions" else f"{entry:,} {f.unit}".strip()
