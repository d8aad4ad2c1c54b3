"""Video poker: the five cards, what is held, and the pay table with the hand's line marked."""

from __future__ import annotations

from rich.text import Text

from cardai.draw.contract import is_solo_draw
from cardai.poker.hands.ranking import paying_category
from cardai.ui.cards import CardStyle, Face, boxes
from cardai.ui.scene import Scene


def lines(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return the hand and the pay table."""
    hand = [int(card) for card in scene.view["hand"]]
    title = "Choose what to hold, then Enter draws." if scene.view["draws_left"] else "The final hand"
    faces = card_style.faces(hand) or [Face("", empty=True)] * 5
    out = [Text(title, "dim"), *boxes([faces], card_style, 6), Text()]
    for label, pay, made in pay_rows(scene):
        paid = "" if pay is None else f"{pay:>8,}"
        out.append(Text(f"{'▸ ' if made else '  '}{label:<20}{paid}", "bold" if made else "dim"))
    return out


def pay_rows(scene: Scene) -> list[tuple[str, int | None, bool]]:
    """Return the pay table, the dearest first: a category, what it is paid where that is known, whether the hand is one."""
    hand = [int(card) for card in scene.view["hand"]]
    category = int(paying_category([hand])[0]) if len(hand) == 5 else -1
    labels = next((f.labels for f in scene.game.outcome_fields if f.name == "category"), ())
    pays = scene.game.pays if is_solo_draw(scene.game) else ()
    known = len(pays) == len(labels)
    return [(labels[k], pays[k] if known else None, k == category) for k in reversed(range(len(labels)))]
