"""Gin rummy for two, to 100 points, by the EAAI challenge's rules; the options cover what other engines do otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.cards.text import card_text
from cardai.core.determinize import Source
from cardai.core.fields import Family, Field
from cardai.core.game import IntArray, Parts, PlayedHand, Setup, Tables, pack_setups, setup_dtype, unpack_setup
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows
from cardai.core.rows import RowGame, RowKernels, row_fields
from cardai.core.spec import option
from cardai.core.statistics import Estimate
from cardai.gin.actions import ENDINGS, FIRST_MELD, NUM_MELDS, PLAY_ON, SCORED, TAKE
from cardai.gin.contract import GinGame
from cardai.gin.fields import GIN, MOST_POINTS, view_fields

WORDS = ("take the face-up card", "draw from the stock", "pass", "knock", "play on")
MAX_TARGET = 100_000
"""Matches end: one to this many points takes some 8,000 hands."""
_BONUS = [validators.ge(0), validators.le(100)]
_COUNT = [validators.ge(0), validators.le(10_000)]

_NUMBERED = {
    "tie": ("undercut", "push"),
    "layoffs": ("first_fit", "best"),
    "melds": ("random", "first", "choose"),
    "oklahoma_ace": ("gin", "one"),
}

_RULES = """Ten cards each, dealt in turn from seat 0; the next card is turned up. The starter may take it or pass, then the
other seat may; if both pass, the starter draws from the stock. After that a turn is: take the top discard or draw from
the stock, then discard one card (not the one just taken face up). A player whose cards outside melds then count 10 or
less may knock. Melds are sets of three or four of a rank and runs of three or more of a suit, ace low; the ace counts 1,
court cards 10. Both lay down melds, the defender's loose cards are laid off on the knocker's melds (not against gin).
The knocker scores the difference; with no loose cards (gin) 25 more; if the defender has no more than the knocker he
scores the difference and 25 (an undercut). A hand is void when a turn leaves two cards in the stock. The first to 100
points wins. The starter of the first hand is drawn; it changes after each scored hand."""


@frozen
class Gin(RowGame, GinGame):
    """Gin rummy. Actions: 0..51 discard that card, 52 take, 53 draw, 54 pass, 55 knock, 56 play on, 57.. a meld."""

    unit: ClassVar[str] = "points"
    measure: ClassVar[Literal["wins", "returns"]] = "wins"
    title: ClassVar[str] = "Gin rummy"
    rules: ClassVar[str] = _RULES
    num_players: ClassVar[int] = 2
    num_chance_outcomes: ClassVar[int] = 52
    families: ClassVar[tuple[Family, ...]] = (GIN,)
    outcome_fields: ClassVar[tuple[Field, ...]] = (
        Field("ending", "count", "how the hand ended", maximum=6, labels=ENDINGS),
        Field("knocker", "seat", "who knocked, -1 nobody", maximum=1),
        Field("turns", "count", "turns of both players", maximum=10_000),
        Field("points", "chips", "points scored by whoever scored", maximum=MOST_POINTS, unit="points"),
        Field("layoffs", "count", "cards laid off", maximum=10),
        Field("deadwood", "count", "each seat's final deadwood, after layoffs; -1 if nobody knocked", 100, 2),
        Field("able", "count", "the turn after which each seat could first knock, 0 never", 10_000, 2),
    )

    target: int = option(100, help="The match ends when a player has this many points.",
                         validator=[validators.ge(1), validators.le(MAX_TARGET)])  # fmt: skip
    knock_limit: int = option(10, help="Knocking needs deadwood of at most this.", validator=validators.in_(range(101)))
    gin_bonus: int = option(25, help="Points for gin beside the difference.", validator=_BONUS)
    undercut_bonus: int = option(25, help="Points for an undercut beside the difference.", validator=_BONUS)
    tie: Literal["undercut", "push"] = option(
        "undercut",
        help="Equal deadwood: an undercut with its bonus, or no points for anybody and the same starter again.",
    )
    oklahoma: bool = option(
        False, help="Oklahoma gin: knocking needs deadwood of at most the first up-card's points; an ace demands gin."
    )
    oklahoma_ace: Literal["gin", "one"] = option(
        "gin", help="oklahoma: what a first up-card that is an ace demands, gin or one point at most."
    )
    double_spades: bool = option(False, help="A hand whose first up-card is a spade scores twice as much.")
    big_gin_bonus: int = option(
        0,
        help="Points for big gin, eleven melded cards and no discard, beside the other's deadwood; 0: there is no big gin.",
        validator=_BONUS,
    )
    line_bonus: int = option(0, help="Reported: points after the game for each hand won.", validator=_BONUS)
    game_bonus: int = option(
        0, help="Reported: points for winning the game.", validator=[validators.ge(0), validators.le(1000)]
    )
    shutout: Literal["none", "hands", "bonus"] = option(
        "none", help="Reported: against a loser without a point the winner's hands, or the game bonus, count twice."
    )
    void_stock: int = option(
        2,
        help="A turn that leaves at most this many cards in the stock ends the hand.",
        validator=validators.in_(range(31)),
    )
    wall_turn: bool = option(
        False, help="Before a hand is void the next player may still knock with the face-up card (OpenSpiel)."
    )
    starter: Literal["alternate", "winner", "loser", "random", "first"] = option(
        "alternate",
        help="Who starts after a scored hand: the other seat, its winner or loser, a seat drawn anew, or seat 0 always.",
    )
    up_card_phase: bool = option(
        True, help="Offer the first up-card to both; otherwise the starter begins with an ordinary turn."
    )
    discard_ban: bool = option(True, help="Forbid to discard the card just taken face up.")
    repeated_discard_draw: bool = option(
        False, help="The hand is void when both in succession discard the card they just took (OpenSpiel)."
    )
    max_upcard_draws: int = option(
        0, help="End the hand, capped, at this many face-up draws, the offer aside; 0 none.", validator=_COUNT
    )
    max_moves: int = option(0, help="End the hand, capped, at this many decisions; 0 none.", validator=_COUNT)
    max_turns: int = option(
        200,
        help="End the hand, capped, after this many turns: only face-up draws could go on so long.",
        validator=validators.in_(range(1, 10_001)),
    )
    layoffs: Literal["first_fit", "best"] = option(
        "first_fit",
        help="The defender melds first and what fits is laid off in order, or melds and layoffs together leave the least.",
    )
    melds: Literal["random", "first", "choose"] = option(
        "random",
        help="Which of the arrangements with the least deadwood is laid down: a drawn one, the first, or the players choose.",
    )

    @property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        """57 actions, and 305 melds to lay down where the players choose."""
        return FIRST_MELD + (NUM_MELDS if self.melds == "choose" else 0)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        """What a player may know."""
        return view_fields(self.max_turns, self.target)

    def row_dtype(self) -> np.dtype[Any]:
        from cardai.plugins.games.gin._rows import own_row_fields

        return np.dtype(row_fields(52) + own_row_fields(self.max_turns))

    def kernels(self) -> RowKernels:
        from cardai.plugins.games.gin import _kernels as k
        from cardai.plugins.games.gin import _view_kernels as v

        return RowKernels(
            start=k.start,
            deal=k.deal,
            apply=k.apply,
            legal=v.legal,
            views=v.views,
            returns=v.returns,
            outcomes=v.outcomes,
            advance=k.advance,
            play=k.play_on,
            ask=v.ask,
            step=v.step,
        )

    def rules_row(self) -> npt.NDArray[Any]:
        from cardai.plugins.games.gin._rows import RULES_DTYPE

        out = np.zeros(1, RULES_DTYPE)
        for name in RULES_DTYPE.names or ():
            value = getattr(self, name)
            if isinstance(value, str):
                value = _NUMBERED[name].index(value)
            out[name] = value
        return out

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        dealt = int(row["dealt"])
        if dealt < 20:
            return (dealt % 2,)
        return (0, 1) if dealt == 20 else (int(row["actor"]),)

    def observed(self, row: Any, actor: int, action: int, player: int) -> int | None:
        # that a player could have knocked is no news for the other
        return None if action == PLAY_ON and player != actor else action

    def action_to_string(self, action: int) -> str:
        if 0 <= action < 52:
            return f"discard {card_text(action)}"
        if TAKE <= action <= PLAY_ON:
            return WORDS[action - TAKE]
        from cardai.plugins.games.gin._display import meld_text

        return f"lay down {meld_text(action - FIRST_MELD)}"

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def draw(self, view: Mapping[str, Any]) -> str | None:
        from cardai.plugins.games.gin._display import draw

        return draw(view)

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands with other unseen cards, for the player to act. ``weights`` (52,) say what the opponent rather
        holds now.
        """
        from cardai.plugins.games.gin._determinize import determinize

        return determinize(self, view, rng, count, weights)

    # -- the match -------------------------------------------------------------------------------------------------

    def match_over(self, score: tuple[float, ...], hands: int) -> bool:
        return max(score) >= self.target

    def matches_over(self, scores: npt.NDArray[np.float64], hands: IntArray) -> npt.NDArray[np.bool_]:
        return np.asarray(scores.max(axis=1) >= self.target)

    def add_score(self, scores: npt.NDArray[np.float64], returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return scores + np.maximum(returns, 0)

    def next_hand(self, score: tuple[float, ...], previous: PlayedHand | None, seed: int) -> Setup:
        from cardai.core.fields import pack_views

        scores, seeds = np.array([score]), np.array([seed], np.uint64)
        if previous is None:
            made = self.next_hands(None, scores, scores, np.zeros(1), seeds)
        else:
            setups = pack_setups(2, [previous.setup])
            outcomes = pack_views(self.outcome_fields, [previous.outcome])
            made = self.next_hands(setups, scores, np.array([previous.returns]), outcomes, seeds)
        return unpack_setup(made[0])

    def next_hands(
        self,
        previous: npt.NDArray[Any] | None,
        scores: npt.NDArray[np.float64],
        returns: npt.NDArray[np.float64],
        outcomes: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[Any]:
        setups = np.zeros(len(scores), setup_dtype(2))
        setups["score"] = scores
        setups["in_match"] = True
        drawn = (Rows(seeds).fork(0).seeds >> np.uint64(63)).astype(np.int8)
        if self.starter == "first":
            drawn[:] = 0
        if previous is None:
            setups["starter"] = drawn
            return setups
        setups["hand"] = previous["hand"] + 1
        winner = returns.argmax(axis=1).astype(np.int8)
        after = {
            "alternate": 1 - previous["starter"],
            "winner": winner,
            "loser": 1 - winner,
            "random": drawn,
            "first": drawn,
        }[self.starter]
        scored = (outcomes["ending"][:, None] == SCORED).any(axis=1)
        setups["starter"] = np.where(scored, after, previous["starter"])
        return setups

    def summary(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
        return self.figure_rows(self.figures(hands, seats))

    def figures(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Mapping[str, Estimate]:
        from cardai.arena.statistics import grouped

        return grouped(self.figure_parts(hands, seats), hands["group"])

    def figure_parts(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Parts:
        from cardai.plugins.games.gin._report import figure_parts

        return figure_parts(self, hands, seats)

    def figure_rows(self, figures: Mapping[str, Estimate]) -> list[tuple[str, str]]:
        from cardai.plugins.games.gin._report import figure_rows

        return figure_rows(figures)


@hookimpl
def cardai_game() -> type[Gin]:
    return Gin
