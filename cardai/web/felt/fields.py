"""Any game's table as its template draws it, from its fields alone: own cards, what lies open, a row a seat, the rest by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardai.arena.display import private_rows
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.ui.pictures.dice import dice_of
from cardai.ui.pictures.fields import cards_in, is_dealt, labelled, seat_cells
from cardai.ui.scene import Scene
from cardai.web.felt.poker import faced


def given(scene: Scene, cards: frozenset[int]) -> Mapping[str, Any]:
    """Return what the template is given; ``cards`` can be played."""
    game, view = scene.game, scene.view
    drawing = game.draw(view)
    dealt = sorted(filter(is_dealt, game.view_fields), key=lambda f: f.role != "own")  # the own cards first
    opened = [
        {"name": scene.name(seat), "label": label, "text": text}
        for seat, other in scene.open.items()
        for label, text in private_rows(game, view, other)
    ]
    return {
        "dice": dice_of(scene),
        "drawing": drawing,
        "hands": [] if drawing is not None else [_cards(game, f, view, cards) for f in dealt],
        "opened": opened,
        "seats": None if drawing is not None else seats(scene),
        "labelled": [] if drawing is not None else labelled(scene),
    }


def _cards(game: Game, f: Field, view: Mapping[str, Any], playable: frozenset[int]) -> Mapping[str, Any]:
    own = f.role == "own"
    return {
        "label": f.name.replace("_", " "),
        "own": own,
        "cards": [faced(game, card, playable=own and card in playable) for card in cards_in(f, view[f.name])],
    }


def seats(scene: Scene) -> Mapping[str, Any]:
    """Return a row a seat, a column a field of the role by_seat."""
    labels, cells = seat_cells(scene)
    rows = [
        {
            "name": scene.name(seat),
            "acting": scene.to_act == seat,
            "cells": row,
            "won": None if scene.end is None else scene.end.returns[seat],
        }
        for seat, row in enumerate(cells)
    ]
    return {"head": labels, "rows": rows}
