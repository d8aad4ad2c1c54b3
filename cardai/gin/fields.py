"""The gin family's vocabulary: what a view of gin rummy holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# kernel constants
from cardai.core.fields import Family, Field
from cardai.core.reasons import Reason
from cardai.gin.actions import BIG_GIN, ENDINGS, PHASES, UNDERCUT
from cardai.gin.actions import GIN as GIN_ENDING

PILE = 32
"""Room for the discard pile: it grows by one card a stock draw, of which there are at most 31."""

MOST_POINTS = 400
"""More than a hand can score: 98 points of deadwood (two each of the five highest ranks) and a bonus of at most 100, doubled."""


class GinFamily(Family):
    """What games of gin rummy show, and what their points can be."""

    def max_utility(self, fields: tuple[Field, ...]) -> float:
        return float(MOST_POINTS)

    def told_at_end(self, game: Any, end: Any, names: tuple[str, ...]) -> list[str]:
        """Return what the points are made of: "simple knocks with 4 against 21: 17 points"."""
        ending, knocker, points = (int(end.outcome[name]) for name in ("ending", "knocker", "points"))
        if knocker < 0:
            return [f"the hand is {ENDINGS[ending]}: no points"]
        mine, other = (int(end.outcome["deadwood"][seat]) for seat in (knocker, 1 - knocker))
        who, rest = ("you", "") if names[knocker] == "you" else (names[knocker], "s")
        bonus = points - abs(other - mine)
        made = f"{abs(other - mine)} + {bonus}" if bonus else f"{points}"
        if ending in (GIN_ENDING, BIG_GIN):
            return [f"{who} go{'es' if rest else ''} {ENDINGS[ending]} against {other}: {made} = {points} points"]
        if ending == UNDERCUT:
            return [
                f"{who} knock{rest} with {mine}, undercut by {other}: {made} = {points} points for {names[1 - knocker]}"
            ]
        return [f"{who} knock{rest} with {mine} against {other}: {points} points"]

    def situation(self, view: Mapping[str, Any]) -> Mapping[str, str]:
        from cardai.gin import reasons

        return reasons.situation(view)

    def reasons(self, game: Any, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        from cardai.gin import reasons

        return reasons.reasons(view, taken, best)


GIN = GinFamily(
    "gin",
    "gin rummy",
    (
        Field("player", "seat", "whose view this is", 1, role="player"),
        Field("to_act", "seat", "who is to act, -1 nobody", 1, role="to_act"),
        Field("starter", "seat", "who was offered the first up-card first", 1, role="starter"),
        Field("opener", "seat", "whose turn the first turn was, -1 before", 1, role="public"),
        Field("phase", "count", "what is asked of the player to act", 6, labels=PHASES),
        Field("hand", "card_set", "own cards", role="own"),
        Field("up_card", "card", "the top of the discard pile", 51, role="public"),
        Field("first_up_card", "card", "the card first turned up", 51, role="public"),
        Field("discard_set", "card_set", "the discard pile, its top included", role="public"),
        Field("opponent_known", "card_set", "cards the opponent took face up and still holds", role="opponent"),
        Field("opponent_discards", "card_set", "all the opponent has discarded", role="opponent"),
        Field("opponent_declined", "card_set", "face-up cards the opponent left lying", role="opponent"),
        Field("drawn_card", "card", "the card drawn this turn, between draw and the end of the turn", 51, role="own"),
        Field("taken_card", "card", "the same if it was taken face up", 51, role="own"),
        Field("stock", "count", "cards left in the stock", 31, role="public"),
        Field("turns", "count", "finished turns of both", role="public"),
        Field("own_turns", "count", "own turns, the current one included once drawn", role="own"),
        Field("score", "chips", "match score by seat, zeros outside a match", 0, 2, "points", role="by_seat",
              scope="match"),
        Field("knocker", "seat", "who knocked, -1 nobody yet", 1, role="public"),
        Field("revealed", "card_set", "the opponent's cards once they lie on the table", role="opponent"),
        Field("laid_off", "card_set", "the defender's cards laid off on the knocker's melds", role="public"),
        Field("melds", "card_set", "melds laid down: four places for seat 0, four for seat 1", 0, 8, role="by_seat"),
        Field("discards", "cards", "the discard pile from the bottom", 51, PILE, role="public"),
        Field("draws", "private_history", "own drawn cards in order", 51, role="own"),
        Field("history", "public_history",
              "a number a turn, from the opener's: the card discarded, and 52 more if the draw was face up", 103,
              role="public"),
    ),
)  # fmt: skip


def turns_noted(max_turns: int) -> int:
    """Return how many turns a history has room for: at least 200, so that shorter hands need no other kernels."""
    return max(max_turns, 200)


def own_draws(max_turns: int) -> int:
    """Return the most draws one player can make: every other turn, and the wall's."""
    return turns_noted(max_turns) // 2 + 2


def view_fields(max_turns: int, target: int = 100) -> tuple[Field, ...]:
    """Return the fields of a game whose hands end after ``max_turns`` turns, and its matches at ``target`` points."""
    sizes = {
        "score": {"maximum": max(1000, target + MOST_POINTS)},
        "turns": {"maximum": turns_noted(max_turns) + 1},
        "own_turns": {"maximum": own_draws(max_turns)},
        "draws": {"size": own_draws(max_turns)},
        "history": {"size": turns_noted(max_turns) + 1},
    }
    return tuple(GIN.field(f.name, **sizes.get(f.name, {})) for f in GIN.fields)
