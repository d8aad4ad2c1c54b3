"""Gin rummy as its template draws it: both hands in melds and the rest, the stock, the pile, deadwood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardai.cards.text import cards_of
from cardai.gin.actions import DISCARD, OVER
from cardai.ui.pictures.gin import HAND, arranged, by_rank, ending_words, opponent_mask
from cardai.ui.scene import Scene
from cardai.web.render import face


def given(scene: Scene, cards: frozenset[int]) -> Mapping[str, Any]:
    """Return what the template is given; ``cards`` of the own hand can be played."""
    view, me = scene.view, scene.seat
    pile = [int(card) for card in view["discards"] if card >= 0]
    melds, loose, points = arranged(scene, me, int(view["hand"]))
    drew = int(view["drawn_card"])
    return {
        "other": _other(scene),
        "mine": {
            "groups": [
                *({"meld": True, "cards": [_own(card, cards, drew) for card in meld]} for meld in melds),
                {"meld": False, "cards": [_own(card, cards, drew) for card in loose]},
            ],
            "deadwood": points,
            "acting": scene.to_act == me,
            "name": scene.name(me),
            "score": _score(scene, me),
        },
        "stock": int(view["stock"]),
        "top": face(pile[-1]) if pile else None,
        "under": [face(card) for card in reversed(pile[:-1])],
        "turn": int(view["turns"]) + 1,
        "laid_off": [face(card) for card in by_rank(cards_of(int(view["laid_off"])))],
        "ending": ending_words(scene) if scene.end is not None and int(view["phase"]) == OVER else "",
        "keys": {c.action: c.key for c in scene.menu.choices} if scene.menu is not None else {},
    }


def _score(scene: Scene, seat: int) -> int:
    """Return the points of a seat in this game, those of the hand among them once it is over."""
    score = np.array([scene.view["score"]], np.float64)
    if scene.end is not None:
        score = scene.game.add_score(score, np.array([scene.end.returns], np.float64))
    return int(score[0][seat])


def _own(card: int, cards: frozenset[int], drew: int) -> Mapping[str, Any]:
    return face(card, playable=card in cards, new=card == drew)


def _other(scene: Scene) -> Mapping[str, Any]:
    """Return the other hand: open, or what is known of it and cards face down."""
    seat, mask, view = 1 - scene.seat, opponent_mask(scene), scene.view
    common = {"name": scene.names[seat], "acting": scene.to_act == seat, "score": _score(scene, seat)}
    if mask:
        melds, loose, points = arranged(scene, seat, mask)
        groups: Sequence[Mapping[str, Any]] = [
            *({"meld": True, "cards": [face(card) for card in meld]} for meld in melds),
            {"meld": False, "cards": [face(card) for card in loose]},
        ]
        return {**common, "groups": groups, "deadwood": points, "known": 0}
    known = by_rank(cards_of(int(view["opponent_known"])))
    drawing = int(view["phase"]) == DISCARD and scene.to_act == seat
    hidden = HAND + drawing - len(known)
    groups = [
        {"meld": False, "cards": [face(card) for card in known]},
        {"meld": False, "cards": [face(-1)] * hidden},
    ]
    return {**common, "groups": groups, "deadwood": None, "known": len(known)}
