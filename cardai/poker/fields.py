"""The poker family's vocabulary: what the views of betting games hold.

Actions are 0 fold, 1 check or call, and from 2 on bets and raises (limit: one; a ladder: its rungs; full no-limit: the
amount raised to), before any actions of other families.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.fields import Family, Field, Views
from cardai.core.game import Game
from cardai.core.reasons import Reason
from cardai.poker.rules.betting import Betting


class BettingFamily(Family):
    """What games that bet show, and what their views say of the chips."""

    def max_utility(self, fields: tuple[Field, ...]) -> float:
        """Return all that the other seats can put in (for one seat: what it can)."""
        spent = next(f for f in fields if f.name == "spent")
        return float(max(spent.size - 1, 1) * spent.maximum)

    def named_raises(self, view: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
        """Return what raises of half the pot and of the pot, as it is after a call, raise to, and all-in if chips can run out."""
        called, behind = view["pot"] + view["to_call"], view["stacks"][view["player"]]
        sizes = ("half pot", max(view["spent"]) + called // 2), ("pot", max(view["spent"]) + called)
        return (*sizes, ("all-in", view["spent"][view["player"]] + behind)) if behind else sizes

    def told_at_end(self, game: Any, end: Any, names: tuple[str, ...]) -> list[str]:
        from cardai.poker.showing import shown_hands  # who names hands knows these fields

        return shown_hands(game, end, names)

    def told_even(self, outcome: Mapping[str, Any]) -> str:
        return "The pot is split: nobody wins or loses." if outcome.get("showdown") else ""

    def counted_from(self, view: Mapping[str, Any]) -> int:
        player = view["player"]
        return int(view["spent"][player] - view["round_spent"][player])

    def put_in(self, views: Views, seat: int) -> Float64s:
        return np.asarray(views["spent"][:, seat], np.float64)

    def situation(self, view: Mapping[str, Any]) -> Mapping[str, str]:
        from cardai.poker import reasons

        return reasons.situation(view)

    def reasons(self, game: Any, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        from cardai.poker import reasons

        return reasons.reasons(game, view, taken, best)


POKER = BettingFamily(
    "poker",
    "betting games",
    (
        Field("player", "seat", "Who looks.", role="player"),
        Field("button", "seat", "The seat of the button (the dealer, or whoever starts).", role="starter"),
        Field("round", "count", "The betting round, from 0.", role="round"),
        Field("pot", "chips", "All chips in, of all rounds.", unit="chips", role="public"),
        Field("to_call", "chips", "What the player needs to put in to call.", unit="chips", role="own"),
        Field("spent", "chips", "Chips put in during the hand, by seat.", unit="chips", role="by_seat"),
        Field("round_spent", "chips", "Chips put in during this round, by seat.", unit="chips", role="by_seat"),
        Field("stacks", "chips", "Chips behind, by seat (0 if unlimited).", unit="chips", role="by_seat"),
        Field("folded", "flag", "Who has folded, by seat.", 1, role="by_seat"),
        Field("raises", "count", "Bets and raises this round (the blind not counted).", role="public"),
        Field("score", "chips", "The match's score, by seat (rounded; zeros outside a match).", 2**31 - 1, unit="chips",
              role="by_seat", scope="match"),
        Field("history", "public_history", "Actions in order: 0 fold, 1 check or call, then bets and raises."),
        Field("history_round", "public_history", "The round of each action.", role="round_of:history"),
        Field("history_seat", "public_history", "Who did each action.", role="seat_of:history"),
    ),
    optional=(
        Field("hole", "cards", "Own hole cards, as dealt.", role="own"),
        Field("board", "cards", "The board, as dealt.", role="public"),
    ),
)  # fmt: skip


def betting_fields(betting: Betting, most: int) -> tuple[Field, ...]:
    """Return the single and by-seat view fields of a betting game; ``most``: the most chips a seat can put in."""
    n = betting.num_players
    return (
        POKER.field("player", n - 1),
        POKER.field("button", n - 1),
        POKER.field("round", betting.num_rounds - 1),
        POKER.field("pot", n * most),
        POKER.field("to_call", most),
        POKER.field("spent", most, n),
        POKER.field("round_spent", most, n),
        POKER.field("stacks", most, n),
        POKER.field("folded", size=n),
        POKER.field("raises", max(betting.max_raises)),
        POKER.field("score", size=n),
    )


def history_fields(
    betting: Betting, said: str, top: int, length: int = 0, role: str = "actions", labels: tuple[str, ...] = ()
) -> tuple[Field, ...]:
    """Return the history fields of a betting game: what its numbers say, the largest, and how many there can be.

    ``length`` 0 is the most that the betting allows. ``role`` "public" is for histories whose numbers are not those of
    actions (the chips that a rung of a ladder came to).
    """
    length = length or betting.history_length
    return (
        POKER.field("history", top, length, doc=f"Actions in order: {said}.", role=role, labels=labels),
        POKER.field("history_round", betting.num_rounds - 1, length),
        POKER.field("history_seat", betting.num_players - 1, length),
    )


def last_round(game: Game) -> int:
    """Return the number of the last betting round of a game that speaks poker."""
    return next(f.maximum for f in game.view_fields if f.name == "round")
