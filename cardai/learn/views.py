"""Views up to what makes no difference: the suits' names and the order of cards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardai.cards.canonical import canonical, canonical_groups, renamed_sets
from cardai.cards.draw.fields import DRAW
from cardai.cards.poker.fields import is_holdem
from cardai.core.arrays import Int8s
from cardai.core.fields import Views
from cardai.core.game import Game

CanonicalForm = Callable[[Views], tuple[Views, Int8s | None]]
"""From views (n,) to the same with suits renamed and cards ordered, and where each card of ``hand`` was, (n, 5) or None."""
_HOLDEM = (0, 0, 1, 1, 1, 2, 3)  # own cards, flop, turn, river


def canonical_form(game: Game) -> CanonicalForm:
    """Return how views of ``game`` look up to suits' names and the order of cards, by the families it speaks.

    Draw games: ``hand``, with ``discarded`` where there is such a field. Hold'em: ``hole`` and ``board``. Views of other
    games are returned as they are, and so are views that show more cards, whose suits would no longer fit the renamed ones.
    The places of cards are None but for draw games.
    """
    cards = {f.name for f in game.view_fields if f.kind in ("card", "cards", "card_set")}
    if game.speaks(DRAW) and cards <= {"hand", "discarded"}:
        return _hand_with_discards if "discarded" in cards else _hand
    return _hole_and_board if is_holdem(game) and cards == {"hole", "board"} else as_dealt


def as_dealt(views: Views) -> tuple[Views, None]:
    """Return views as they are (a :data:`CanonicalForm` that changes nothing)."""
    return views, None


def _hand(views: Views) -> tuple[Views, Int8s]:
    out = views.copy()
    out["hand"], order = canonical(views["hand"])
    return out, order


def _hand_with_discards(views: Views) -> tuple[Views, Int8s]:
    out = views.copy()
    out["hand"], order, renaming = canonical_groups(views["hand"], (0,) * views["hand"].shape[1])
    out["discarded"] = renamed_sets(views["discarded"], renaming)
    return out, order


def _hole_and_board(views: Views) -> tuple[Views, None]:
    out = views.copy()
    cards = canonical_groups(np.concatenate([views["hole"], views["board"]], axis=1), _HOLDEM)[0]
    out["hole"], out["board"] = cards[:, :2], cards[:, 2:]
    return out, None
