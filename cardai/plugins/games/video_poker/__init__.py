"""Video poker, jacks or better: one player, five cards, one draw."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from attrs import Attribute, frozen, validators

from cardai.cards.text import card_text, cards_glyphs, cards_text
from cardai.core.fields import Family, Field
from cardai.core.game import IntArray, Parts
from cardai.core.hookspecs import hookimpl
from cardai.core.rows import RowGame, RowKernels, row_fields
from cardai.core.spec import option
from cardai.core.statistics import Estimate
from cardai.draw.actions import HOLDS
from cardai.draw.contract import SoloDraw
from cardai.draw.fields import DRAW
from cardai.draw.video_poker import Pays, pay_table
from cardai.poker.hands.ranking import PAYING_HANDS

MAX_PAYOUT = 1_000_000


def _known_table(instance: VideoPoker, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
    if max(pay_table(value)) > MAX_PAYOUT:
        raise ValueError(f"pay_table must not pay more than {MAX_PAYOUT:,}. Got {max(pay_table(value)):,}.")


@frozen
class VideoPoker(RowGame, SoloDraw):
    """Video poker. An action is a *hold mask* 0..31: bit i holds card i of the hand; the others are replaced once."""

    pay_table: tuple[str, ...] = option(
        ("976-9-6",),
        validator=_known_table,
        help="payouts: 976-9-6, 800-9-6, or nine numbers joined with +, jacks or better first, royal flush last",
    )
    hands: int = option(1, validator=[validators.ge(1), validators.le(1_000_000)], help="hands in a match")

    num_players = 1
    num_distinct_actions = HOLDS
    num_chance_outcomes = 52
    families: ClassVar[tuple[Family, ...]] = (DRAW,)
    unit: ClassVar[str] = "stakes"
    title: ClassVar[str] = "Video poker"
    rules: ClassVar[str] = (
        "One player stakes 1 and gets five cards of a 52-card deck, holds any of them, and gets a new card for each of the "
        "others. The final hand is paid by the pay table; a pair of jacks is the least that pays. The return is what is "
        "paid: 1 gives the stake back."
    )

    @property
    def pays(self) -> Pays:  # type: ignore[override]
        """The payout of each category (:data:`cardai.poker.hands.ranking.PAYING_HANDS`) for a stake of 1."""
        return pay_table(self.pay_table)

    @property
    def max_utility(self) -> float:
        return float(max(self.pays))

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        dealt = "the hand, in dealt order; a drawn card takes the discarded one's place"
        paid = "what was paid in the match so far, 0 outside a match"
        return (
            DRAW.field("hand", doc=dealt),
            DRAW.field("draws_left", 1, doc="1 before the draw, 0 after it"),
            Field("score", "chips", paid, 2**31 - 1, 1, "stakes", role="by_seat", scope="match"),
        )

    @property
    def outcome_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        return (
            Field("category", "count", "the final hand", 9, labels=PAYING_HANDS),
            Field("payout", "chips", "what was paid", max(self.pays), unit="stakes"),
        )

    def action_to_string(self, action: int) -> str:
        held = [str(i + 1) for i in range(5) if action >> i & 1]
        if not held:
            return "draw five"
        return "hold all" if len(held) == 5 else f"hold {'+'.join(held)}"

    def action_words(self, action: int, view: Mapping[str, Any]) -> str:
        held = [card for i, card in enumerate(view["hand"]) if action >> i & 1]
        return f"hold {cards_text(held, ' ')}" if held else self.action_to_string(action)

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        return (0,)

    def row_dtype(self) -> np.dtype[Any]:
        return np.dtype([*row_fields(52), ("hand", np.int8, (5,)), ("draws_left", np.int8), ("score", np.float64)])

    def rules_row(self) -> npt.NDArray[Any]:
        row = np.zeros(1, [("pays", np.int64, (10,))])
        row["pays"] = self.pays
        return row

    def kernels(self) -> RowKernels:
        from cardai.plugins.games.video_poker import _kernels as k

        return RowKernels(k.start, k.deal, k.apply, k.legal, k.views, k.returns, k.outcomes, step=k.step)

    def draw(self, view: Mapping[str, Any]) -> str:
        title = "Choose what to hold" if view["draws_left"] else "The final hand"
        return f"{title}\n{cards_glyphs([*view['hand'], *[-1] * 5][:5], '  ')}"

    def match_over(self, score: tuple[float, ...], hands: int) -> bool:
        return hands >= self.hands

    def matches_over(self, scores: npt.NDArray[np.float64], hands: IntArray) -> npt.NDArray[np.bool_]:
        return np.asarray(hands >= self.hands)

    def summary(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
        return self.figure_rows(self.figures(hands, seats)) if len(hands) else []

    def figures(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Mapping[str, Estimate]:
        from cardai.arena.statistics import grouped

        return grouped(self.figure_parts(hands, seats), hands["group"])

    def figure_parts(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Parts:
        every = np.ones(len(hands))
        return {name: (hands["category"] == number, every) for number, name in enumerate(PAYING_HANDS)}

    def figure_rows(self, figures: Mapping[str, Estimate]) -> list[tuple[str, str]]:
        return [(name, f"{share.mean:.3%}") for name, share in figures.items()]


@hookimpl
def cardai_game() -> type[VideoPoker]:
    """Offer the game."""
    return VideoPoker
