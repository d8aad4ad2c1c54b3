"""Video poker as its template draws it: the five cards, what can be held, and the pay table with the hand's line marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardai.ui.pictures.draw import pay_rows
from cardai.ui.scene import Scene
from cardai.web.render import face


def given(scene: Scene, cards: frozenset[int]) -> Mapping[str, Any]:
    """Return what the template is given; ``cards`` can be held."""
    hand = [int(card) for card in scene.view["hand"]]
    return {
        "hand": [face(card, playable=card in cards, place=k + 1) for k, card in enumerate(hand)],
        "rows": [{"words": words, "pay": pay, "made": made} for words, pay, made in pay_rows(scene)],
        "choosing": bool(scene.view["draws_left"]),
    }
