"""Video poker as its template draws it: the five cards, what can be held, and the pay table with the hand's line marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardai.draw.contract import is_solo_draw
from cardai.poker.hands.ranking import paying_category
from cardai.ui.scene import Scene
from cardai.web.render import face


def given(scene: Scene, cards: frozenset[int]) -> Mapping[str, Any]:
    """Return what the template is given; ``cards`` can be held."""
    game, hand = scene.game, [int(card) for card in scene.view["hand"]]
    made = int(paying_category([hand])[0]) if len(hand) == 5 else -1
    labels = next((f.labels for f in game.outcome_fields if f.name == "category"), ())
    pays = game.pays if is_solo_draw(game) else ()
    rows = [
        {"words": label, "pay": pays[k] if len(pays) == len(labels) else None, "made": k == made}
        for k, label in reversed(list(enumerate(labels)))
    ]
    return {
        "hand": [face(card, playable=card in cards, place=k + 1) for k, card in enumerate(hand)],
        "rows": rows,
        "choosing": bool(scene.view["draws_left"]),
    }
