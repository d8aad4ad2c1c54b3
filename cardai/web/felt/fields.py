"""Any game's table as its template draws it, from its fields alone: own cards, what lies open, a row a seat, the rest by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardai.arena.display import field_text, private_rows, value_text
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.ui.pictures.fields import CARDS, SAID_ELSEWHERE
from cardai.ui.scene import Scene
from cardai.web.felt.poker import faced


def given(scene: Scene, cards: frozenset[int]) -> Mapping[str, Any]:
    """Return what the template is given; ``cards`` can be played."""
    game, view = scene.game, scene.view
    drawing = game.draw(view)
    dealt = [
        f for f in game.view_fields if f.kind in CARDS and f.role != "by_seat" and not (f.kind == "card_set" and f.size)
    ]
    dealt.sort(key=lambda f: f.role != "own")  # the own cards first
    opened = [
        {"name": scene.name(seat), "label": label, "text": text}
        for seat, other in scene.open.items()
        for label, text in private_rows(game, view, other)
    ]
    return {
        "drawing": drawing,
        "hands": [] if drawing is not None else [_cards(game, f, view, cards) for f in dealt],
        "opened": opened,
        "seats": None if drawing is not None else seats(scene),
        "labelled": [] if drawing is not None else labelled(scene),
    }


def _cards(game: Game, f: Field, view: Mapping[str, Any], playable: frozenset[int]) -> Mapping[str, Any]:
    value: Any = view[f.name]
    if f.kind == "card":
        numbers = [int(card) for card in (value if f.size else [value]) if f.size or int(card) >= 0]
    elif f.kind == "cards":
        numbers = [int(card) for card in value]
    else:
        numbers = [card for card in range(64) if int(value) >> card & 1]
    own = f.role == "own"
    return {
        "label": f.name.replace("_", " "),
        "own": own,
        "cards": [faced(game, card, playable=own and card in playable) for card in numbers],
    }


def labelled(scene: Scene) -> Sequence[tuple[str, str]]:
    """Return (label, text) for what is no card and is told nowhere else."""
    game = scene.game
    return [
        (f.name.replace("_", " "), field_text(game, f, scene.view))
        for f in game.view_fields
        if f.kind not in CARDS and f.role != "by_seat" and f.role.partition(":")[0] not in SAID_ELSEWHERE
    ]


def seats(scene: Scene) -> Mapping[str, Any] | None:
    """Return a row a seat, a column a field of the role by_seat; None where no field is by seat."""
    game, rows = scene.game, []
    columns = [f for f in game.view_fields if f.role == "by_seat" and f.size and f.size % game.num_players == 0]
    for seat in range(game.num_players):
        cells = []
        for f in columns:
            each = f.size // game.num_players
            entries = scene.view[f.name][seat * each : (seat + 1) * each]
            cells.append(" ".join(value_text(game, f, entry, scene.seat) for entry in entries))
        won = None if scene.end is None else scene.end.returns[seat]
        rows.append({"name": scene.name(seat), "acting": scene.to_act == seat, "cells": cells, "won": won})
    return {"head": [f.name.replace("_", " ") for f in columns], "rows": rows}
