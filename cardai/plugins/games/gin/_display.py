"""A gin view as a person wants to see it: cards in melds and loose, what is known of the other hand, the score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cardai.cards.text import card_glyph, cards_glyphs, cards_of, cards_text
from cardai.gin import _melds_kernels as kernels
from cardai.gin.actions import MELDS, OVER
from cardai.gin.melds import card_points

_ASKED = (
    "Take the first up-card?",
    "Draw: take the face-up card, or from the stock?",
    "Discard a card.",
    "Knock?",
    "The stock is used up: take the face-up card and knock, or pass?",
    "Lay down a meld, or finish.",
)


def meld_text(number: int) -> str:
    """Return meld ``number`` of the table of melds as text: "3c4c5c"."""
    cards = cards_of(int(kernels.from_gin(MELDS[number])))
    return cards_text(_sorted(cards))


def _sorted(cards: Iterable[int]) -> list[int]:
    """Return cards by suit and from the ace up."""
    return sorted(cards, key=lambda card: (card // 13, (card + 1) % 13))


def _by_rank(cards: Iterable[int]) -> list[int]:
    return sorted(cards, key=lambda card: ((card + 1) % 13, card // 13))


def _row(cards: Iterable[int]) -> str:
    return cards_glyphs(cards) or "none"


def _hand(mask: int) -> str:
    """Return a hand as its best melds and its deadwood with points."""
    gin_set = np.uint64(kernels.to_gin(np.uint64(mask)))
    melds = np.zeros(kernels.MAX_MELDS, np.uint64)
    count = int(kernels.best_arrangement(gin_set, 0, melds))
    parts = [f"[{_row(_sorted(cards_of(int(kernels.from_gin(meld)))))}]" for meld in melds[:count]]
    used = 0
    for meld in melds[:count]:
        used |= int(kernels.from_gin(meld))
    loose = _by_rank(cards_of(mask & ~used))
    points = sum(card_points(card) for card in loose)
    return "  ".join([*parts, _row(loose) if loose else ""]).strip() + f"   (deadwood {points})"


def draw(view: Mapping[str, Any]) -> str:
    """Return the view in a few lines."""
    me = int(view["player"])
    pile = [int(card) for card in view["discards"] if card >= 0]
    score = view["score"]
    lines = [
        f"you {score[me]:.0f} : {score[1 - me]:.0f} opponent      turn {int(view['turns']) + 1}      "
        f"stock {int(view['stock'])} cards",
        "",
        f"  opponent  {_opponent(view)}",
        f"  discards  {_pile(pile)}",
        f"  you       {_hand(int(view['hand']))}",
    ]
    if int(view["drawn_card"]) >= 0:
        how = "took" if int(view["taken_card"]) >= 0 else "drew"
        lines.append(f"            you {how} {card_glyph(int(view['drawn_card']))}")
    for seat in (me, 1 - me):
        melds = [int(meld) for meld in view["melds"][4 * seat : 4 * seat + 4] if meld]
        if melds:
            shown = "  ".join(f"[{_row(_sorted(cards_of(meld)))}]" for meld in melds)
            lines.append(f"  {'your' if seat == me else 'their'} melds  {shown}")
    if int(view["laid_off"]):
        lines.append(f"  laid off  {_row(_sorted(cards_of(int(view['laid_off']))))}")
    if int(view["phase"]) == OVER:
        lines += ["", _ending(view)]
    elif int(view["to_act"]) == me:
        lines += ["", _ASKED[int(view["phase"])]]
    return "\n".join(lines)


def _ending(view: Mapping[str, Any]) -> str:
    """Return in words how the hand ended."""
    me, knocker = int(view["player"]), int(view["knocker"])
    if knocker < 0:
        return "The hand is over: nobody knocked and nobody scores."
    left = {}
    for seat, hand in ((me, int(view["hand"])), (1 - me, int(view["revealed"]))):
        for meld in view["melds"][4 * seat : 4 * seat + 4]:
            hand &= ~int(meld)
        left[seat] = sum(card_points(card) for card in cards_of(hand & ~int(view["laid_off"])))
    who, other = ("You", "the opponent has") if knocker == me else ("The opponent", "you have")
    cards = int(view["hand"] if knocker == me else view["revealed"]).bit_count()
    if left[knocker] == 0:
        return f"{who} went {'big gin' if cards == 11 else 'gin'}; {other} {left[1 - knocker]}."
    return f"{who} knocked with {left[knocker]}; {other} {left[1 - knocker]}."


def _opponent(view: Mapping[str, Any]) -> str:
    if int(view["revealed"]):
        return _hand(int(view["revealed"]))
    known = _by_rank(cards_of(int(view["opponent_known"])))
    hidden = 10 - len(known)
    if int(view["phase"]) in (2, 3) and int(view["to_act"]) == 1 - int(view["player"]):
        hidden += 1 if int(view["phase"]) == 2 else 0
    text = " ".join([*(card_glyph(card) for card in known), *["▒▒"] * hidden])
    return text + (f"   (took {len(known)} face up)" if known else "")


def _pile(pile: list[int]) -> str:
    """Return the discard pile, its top first and apart."""
    if not pile:
        return "none"
    below = _row(reversed(pile[:-1])) if len(pile) > 1 else ""
    return f"[{card_glyph(pile[-1])}]" + (f"  under it {below}" if below else "")
