"""The draw family's vocabulary: what the views of games hold in which five cards are exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardai.core.fields import CanonicalForm, Family, Field
from cardai.core.reasons import Reason


class DrawFamily(Family):
    """What games show in which five cards are exchanged, and when their suits' names make no difference."""

    def canonical_form(self, fields: tuple[Field, ...]) -> CanonicalForm | None:
        """Return the form of ``hand``, and of ``discarded`` where it is there; None where views show more cards, whose
        suits would no longer be those of the renamed ones.
        """
        from cardai.draw.canonical import hand_and_discards_form, hand_form

        cards = {f.name for f in fields if f.kind in ("card", "cards", "card_set")}
        if not cards <= {"hand", "discarded"}:
            return None
        return hand_and_discards_form if "discarded" in cards else hand_form

    def situation(self, view: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the dealt hand of a single player; in a game of draws and bets, that a draw is asked for."""
        from cardai.draw import reasons

        if "drawing" in view:
            return {"kind": "draw"} if view["drawing"] else {}
        return reasons.situation(view)

    def reasons(self, game: Any, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        from cardai.draw import reasons
        from cardai.draw.contract import is_solo_draw

        return reasons.reasons(game, view, taken, best) if is_solo_draw(game) else ()


DRAW = DrawFamily(
    "draw",
    "draw games of five cards",
    (
        Field("hand", "cards", "Own cards; a drawn card takes the discarded one's place.", 51, 5, role="own"),
        Field("draws_left", "count", "Draws that the player still has.", role="own"),
    ),
    optional=(
        Field("discarded", "card_set", "All cards that the player has discarded.", role="own"),
        Field("kept", "count", "Cards kept, at seat * 3 + draw (-1 before).", 5, role="by_seat"),
        Field("drawing", "flag", "Whether the table is drawing (else betting).", 1, role="public"),
    ),
)
