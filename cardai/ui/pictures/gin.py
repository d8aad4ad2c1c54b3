"""Gin rummy: the own hand in melds with its deadwood counted, the discard pile, and what is known of the other hand."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from cardai.cards.text import card_set, cards_of
from cardai.gin.actions import DISCARD, ENDINGS, KNOCKED, OVER
from cardai.gin.melds import best_arrangements, card_points
from cardai.ui.cards import CardStyle, Face, boxes, inline
from cardai.ui.scene import Scene

HAND = 10
BESIDE = 11
"""Cards of the pile on a line beside its top."""


def grouped(mask: int) -> tuple[list[list[int]], list[int], int]:
    """Return a hand's melds in its first best arrangement, the cards outside them from the ace up, and their points."""
    arrangements = best_arrangements(cards_of(mask))
    melds = arrangements[0] if arrangements else []
    used = card_set(card for meld in melds for card in meld)
    loose = by_rank(cards_of(mask & ~used))
    return melds, loose, sum(card_points(card) for card in loose)


def hand_order(mask: int) -> list[int]:
    """Return a hand's cards as they are drawn, from left to right."""
    melds, loose, _ = grouped(mask)
    return [card for meld in melds for card in meld] + loose


def by_rank(cards: Iterable[int]) -> list[int]:
    return sorted(cards, key=lambda card: ((card + 1) % 13, card // 13))


def lines(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return the table: the opponent above, the pile between, the own hand below."""
    view, me = scene.view, scene.seat
    other = scene.names[1 - me]
    pile = [int(card) for card in view["discards"] if card >= 0]
    under = [_glyph(card) for card in reversed(pile[:-1])]
    turn = "  ▸" if scene.to_act == 1 - me else ""
    out = [Text.assemble((f"{other}{turn}", "bold" if turn else ""), *_opponent_note(scene))]
    out += _opponent(scene, card_style)
    top = boxes([card_style.faces(pile[-1:]) or [Face("", empty=True)]], CardStyle(card_style.palette))
    top[0].append(f"  stock {view['stock']} cards, turn {view['turns'] + 1}", "dim")
    first, second = under[:BESIDE], under[BESIDE : 2 * BESIDE]
    more = " …" if len(under) > 2 * BESIDE else ""
    top[1].append_text(
        inline(f"  under it {' '.join(first)}" if first else "  the discard pile", card_style.palette, "dim")
    )
    top[2].append_text(inline(f"           {' '.join(second)}{more}" if second else "", card_style.palette, "dim"))
    out += top
    melds, loose, points = arranged(scene, me, int(view["hand"]))
    mine = "  ▸" if scene.to_act == me else ""
    drawn = _drawn(scene)
    title = Text.assemble(
        (f"{scene.name(me)}{mine}", "bold" if mine else ""), ("   deadwood ", "dim"), (str(points), "bold")
    )
    out.append(title.append_text(inline(drawn, card_style.palette, "dim")))
    out += boxes([*(card_style.faces(meld) for meld in melds), card_style.faces(loose)], card_style, 2)
    return out + _laid_down(scene, card_style)


def arranged(scene: Scene, seat: int, mask: int) -> tuple[list[list[int]], list[int], int]:
    """Return a hand as it lies on the table once melds are laid down (what was laid off is gone), else at its best."""
    laid = [int(meld) for meld in scene.view["melds"][4 * seat : 4 * seat + 4] if meld]
    if int(scene.view["phase"]) != OVER or int(scene.view["knocker"]) < 0:
        return grouped(mask)
    used = int(scene.view["laid_off"])
    for meld in laid:
        used |= meld
    loose = by_rank(cards_of(mask & ~used))
    return [_by_run(meld) for meld in laid], loose, sum(card_points(card) for card in loose)


def _by_run(meld: int) -> list[int]:
    return sorted(cards_of(meld), key=lambda card: (card // 13, (card + 1) % 13))


def _glyph(card: int) -> str:
    from cardai.cards.text import card_glyph

    return card_glyph(card)


def _drawn(scene: Scene) -> str:
    card = int(scene.view["drawn_card"])
    if card < 0:
        return ""
    return f"   {'took' if int(scene.view['taken_card']) >= 0 else 'drew'} {_glyph(card)}"


def opponent_mask(scene: Scene) -> int:
    """Return the opponent's hand if it lies open, else 0."""
    revealed = int(scene.view["revealed"])
    opened = scene.open.get(1 - scene.seat)
    return revealed or (int(opened["hand"]) if opened is not None else 0)


def _opponent_note(scene: Scene) -> list[tuple[str, str]]:
    mask = opponent_mask(scene)
    if mask:
        return [("   deadwood ", "dim"), (str(arranged(scene, 1 - scene.seat, mask)[2]), "bold")]
    known = cards_of(int(scene.view["opponent_known"]))
    return [(f"   took {len(known)} face up", "dim")] if known else []


def _opponent(scene: Scene, card_style: CardStyle) -> list[Text]:
    mask, plain = opponent_mask(scene), CardStyle(card_style.palette)
    if mask:
        melds, loose, _ = arranged(scene, 1 - scene.seat, mask)
        return boxes([*(plain.faces(meld) for meld in melds), plain.faces(loose)], plain, 2)
    known = by_rank(cards_of(int(scene.view["opponent_known"])))
    drawing = int(scene.view["phase"]) == DISCARD and scene.to_act == 1 - scene.seat
    hidden = HAND + drawing - len(known)
    return boxes([plain.faces(known), plain.faces([-1] * hidden)], plain, 2)


def _laid_down(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return what is laid off, and how the hand ended."""
    view, out = scene.view, []
    if int(view["laid_off"]):
        laid = " ".join(_glyph(card) for card in by_rank(cards_of(int(view["laid_off"]))))
        out.append(inline(f"laid off {laid}", card_style.palette))
    if int(view["phase"]) == OVER:
        out.append(Text(ending_words(scene), "bold"))
    return out


def ending_words(scene: Scene) -> str:
    """Return how a hand that is over ended: "you knocked", "you knocked: undercut", "the hand is void"."""
    knocker, ending = int(scene.view["knocker"]), None if scene.end is None else scene.end.outcome.get("ending")
    f = next((f for f in scene.game.outcome_fields if f.name == "ending"), None)
    words = f.labels[int(ending)] if f is not None and f.labels and ending is not None else "over"
    if knocker < 0:
        return f"the hand is {words}"
    return f"{scene.name(knocker)} knocked{'' if words == ENDINGS[KNOCKED] else f': {words}'}"
