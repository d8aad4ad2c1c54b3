"""Video poker: the five cards, what is held, and the pay table with the hand's line marked."""

from __future__ import annotations

from rich.text import Text

from cardai.cards.poker.ranking import paying_category
from cardai.ui.cards import Face, Look, boxes
from cardai.ui.scene import Scene


def lines(scene: Scene, look: Look) -> list[Text]:
    """Return the hand and the pay table."""
    hand = [int(card) for card in scene.view["hand"]]
    title = "Choose what to hold, then Enter draws." if scene.view["draws_left"] else "The final hand"
    faces = look.faces(hand) or [Face("", empty=True)] * 5
    category = int(paying_category([hand])[0]) if len(hand) == 5 else -1
    labels = next((f.labels for f in scene.game.outcome_fields if f.name == "category"), ())
    pays = getattr(scene.game, "pays", ())
    out = [Text(title, "dim"), *boxes([faces], look, 6), Text()]
    for number in reversed(range(len(labels))):
        pay = f"{pays[number]:>8,}" if len(pays) == len(labels) else ""
        out.append(
            Text(
                f"{'▸ ' if number == category else '  '}{labels[number]:<20}{pay}",
                "bold" if number == category else "dim",
            )
        )
    return out
