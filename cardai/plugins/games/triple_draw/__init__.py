"""Limit deuce-to-seven triple draw: five cards, three draws, the worst high hand wins; 2 to 6 players."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from attrs import Attribute, evolve, frozen, validators

from cardai.cards.text import card_text, cards_text
from cardai.core import rows as core_rows
from cardai.core.determinize import Source
from cardai.core.fields import Family, Field, Views
from cardai.core.game import IntArray, Parts, Tables
from cardai.core.hookspecs import hookimpl
from cardai.core.rows import RowGame, RowKernels, RowTables
from cardai.core.spec import option
from cardai.core.statistics import Estimate
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.draw.contract import DEUCE_TO_SEVEN, DrawPoker
from cardai.draw.fields import DRAW
from cardai.poker.fields import POKER, betting_fields, history_fields
from cardai.poker.rules.betting import (
    MAX_HANDS,
    UNLIMITED,
    Betting,
    check_pot,
    chips,
    row_fields,
    rules_fields,
    shown_at_showdown,
)
from cardai.poker.rules.button import ButtonMatches
from cardai.poker.words import betting_words, limit_raise

ROUNDS = 4
DRAWS = 3
SEATS = 6
MAX_CAP = 6
MAX_HISTORY = ROUNDS * (SEATS + (SEATS - 1) * MAX_CAP) + DRAWS * SEATS
MAX_DRAWN = 20 * SEATS
_SAID = ("fold", "check or call", "bet or raise", "stand pat", *(f"discard {count}" for count in range(1, 6)))


def _ascending(instance: TripleDraw, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    if len(value) != 2 or not 0 < value[0] <= value[1]:
        raise ValueError(f"{attribute.name} needs two amounts joined with +, the smaller first. Got {value}.")


def _covers_blind(instance: TripleDraw, attribute: Attribute[Any], value: int) -> None:
    if value < 0 or 0 < value < instance.blinds[1]:
        raise ValueError(f"stack must be 0 (unlimited) or at least the big blind {instance.blinds[1]}. Got {value}.")


def row_dtype() -> np.dtype[Any]:
    """Return the dtype of a hand's row, the same for all options."""
    return np.dtype(
        [
            *core_rows.row_fields(52),
            *row_fields(SEATS, MAX_HISTORY),
            ("phase", "i1"),
            ("status", "i1"),
            ("draw", "i1"),
            ("drawer", "i1"),
            ("taken", "i2"),
            ("reshuffles", "i2"),
            ("fresh", "i8"),
            ("hands", "i1", (5 * SEATS,)),
            ("kept", "i1", (DRAWS * SEATS,)),
            ("discarded", "u8", (SEATS,)),
            ("score", "f8", (SEATS,)),
            ("drawn", "i1", (MAX_DRAWN,)),
            ("given", "i1", (MAX_DRAWN,)),
        ]
    )


@cache
def _row_kernels() -> RowKernels:
    from cardai.plugins.games.triple_draw import _kernels as k

    return RowKernels(_start, k.deal, k.apply, k.legal, _views, k.returns, _outcomes, step=k.step)


def _start(data: Any, rules: Any, index: IntArray, setups: npt.NDArray[Any]) -> None:
    """Begin hands (the setups' columns as plain arrays)."""
    from cardai.plugins.games.triple_draw import _kernels as k

    k.start(data, rules, index, *(np.ascontiguousarray(setups[name]) for name in ("starter", "score", "stacks")))


def _views(data: Any, rules: Any, index: IntArray, player: int, out: Views) -> None:
    """Fill views (their columns as plain arrays)."""
    from cardai.plugins.games.triple_draw import _kernels as k

    if len(out) == 1:  # one row's columns would look contiguous, and numba would compile for them once more
        twice = np.empty(2, out.dtype)
        _views(data, rules, np.repeat(index, 2), player, twice)
        out[0] = twice[0]
        return
    c = {name: out[name] for name in out.dtype.names or ()}
    counts, flags = (c["round"], c["raises"], c["draws_left"]), (c["drawing"], c["folded"])
    k.view_numbers(data, rules, index, player, (c["player"], c["button"]), counts, (c["pot"], c["to_call"]))
    k.view_seats(data, rules, index, flags, c["spent"], c["round_spent"], c["stacks"], c["score"], c["kept"])
    when_and_who = (c["history_round"], c["history_seat"])
    k.view_lists(data, index, player, c["hand"], c["discarded"], c["history"], when_and_who)


def _outcomes(data: Any, rules: Any, index: IntArray, out: npt.NDArray[Any]) -> None:
    """Fill outcomes (their columns as plain arrays)."""
    from cardai.plugins.games.triple_draw import _kernels as k

    columns = np.zeros(len(index), np.bool_), np.zeros(len(index), np.int32), np.zeros(len(index), np.int32)
    k.outcomes(data, rules, index, *columns)
    for name, column in zip(("showdown", "round", "pot"), columns, strict=True):
        out[name] = column


class TripleDrawTables(RowTables):
    """Tables whose deck can run out: the cards taken are noted, and given decks may go on behind the 52nd card."""

    whole_deck = False

    def __init__(self, game: TripleDraw, count: int) -> None:
        super().__init__(game, count)
        for name in ("history", "history_round", "history_seat"):
            self.data[name] = -1

    def place(self, index: IntArray, seeds: npt.NDArray[np.uint64], decks: Any = None) -> None:
        self.data["given"][index] = -1
        whole = isinstance(decks, np.ndarray) and decks.shape[1] == 52
        super().place(index, seeds, decks if decks is None or whole else [deck[:52] for deck in decks])
        if decks is not None:
            for row, deck in zip(index, decks, strict=True):
                self.data["given"][row, : len(deck)] = deck

    def _advance(self, index: IntArray) -> None:
        from cardai.plugins.games.triple_draw import _kernels as k

        k.deal_all(self.data, self.rules, index)

    def dealt(self, rows: IntArray) -> npt.NDArray[np.int64]:
        return np.asarray(self.data["taken"][rows], np.int64)

    def deck(self, row: int) -> list[int]:
        hand = self.data[row]
        return [int(card) for card in (*hand["drawn"][: hand["taken"]], *hand["deck"][int(hand["dealt"]) :])]


@frozen
class TripleDraw(ButtonMatches, RowGame, DrawPoker):
    """Limit deuce-to-seven triple draw.

    Actions: 0 fold, 1 check or call, 2 bet or raise, 3 + mask draw: bit i of the mask discards card i of the hand.
    """

    players: int = option(2, validator=[validators.ge(2), validators.le(SEATS)], help="2 to 6 players")
    blinds: tuple[int, ...] = option((50, 100), validator=[_ascending, chips], help="the small and the big blind")
    bets: tuple[int, ...] = option(
        (100, 200), validator=[_ascending, chips], help="the bet of the first two rounds, and of the last two"
    )
    cap: int = option(4, validator=[validators.ge(1), validators.le(MAX_CAP)], help="bets and raises allowed a round")
    blind_counts: bool = option(True, help="whether the big blind counts as the first round's first bet")
    stack: int = option(
        0, validator=[_covers_blind, chips], help="chips of each player at the start of a hand; 0: unlimited"
    )
    hands: int = option(1, validator=[validators.ge(1), validators.le(MAX_HANDS)], help="hands in a match")
    fixed_button: bool = option(False, help="whether the button stays with seat 0 from hand to hand of a match")

    num_distinct_actions = FIRST_DISCARD + HOLDS
    num_chance_outcomes = 52
    families: ClassVar[tuple[Family, ...]] = (POKER, DRAW)
    draws: ClassVar[int] = DRAWS
    ranking: ClassVar[str] = DEUCE_TO_SEVEN
    unit: ClassVar[str] = "chips"
    zero_sum: ClassVar[bool] = True
    title: ClassVar[str] = "Deuce to seven triple draw"
    rules: ClassVar[str] = (
        "Each player gets five cards. Four rounds of limit betting are separated by three draws, in which every player in "
        "turn, the first after the button first, replaces any number of cards and sees how many the others replaced. At "
        "the end the worst high hand wins: straights and flushes count against a hand, aces are high, so 7-5-4-3-2 of "
        "several suits is best and A-2-3-4-5 is an ace-high hand. Heads-up the button posts the small blind, acts first "
        "before the first draw and last afterwards. When the deck runs out, the discards and the folded hands are "
        "shuffled, without what the drawing player has just discarded."
    )

    def __attrs_post_init__(self) -> None:
        check_pot(self.players, self.most_chips)

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.players

    @property
    def big_blind(self) -> int:  # type: ignore[override]
        """What milli-big-blinds are counted in."""
        return self.blinds[1]

    @property
    def stacks(self) -> tuple[int, ...]:  # type: ignore[override]
        """Each seat's chips at the start of a hand; none where there is no bound."""
        return (self.stack,) * self.players if self.stack else ()

    @cached_property
    def betting(self) -> Betting:  # type: ignore[override]
        """The betting rules that the options amount to."""
        n, (small, big) = self.players, self.blinds
        return Betting(
            num_players=n,
            num_rounds=ROUNDS,
            blinds=(big, small) if n == 2 else (small, big, *[0] * (n - 2)),
            first=(1 if n == 2 else 2, 0, 0, 0),
            max_raises=(self.cap - self.blind_counts, self.cap, self.cap, self.cap),
            raise_sizes=(self.bets[0], self.bets[0], self.bets[1], self.bets[1]),
        )

    @cached_property
    def most_chips(self) -> int:
        """The most that one seat can put in."""
        betting = self.betting
        raised = sum(n * size for n, size in zip(betting.max_raises, betting.raise_sizes, strict=True))
        return min(self.stack or UNLIMITED, self.blinds[1] + raised)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        n, most, length = self.players, self.most_chips, self.betting.history_length + DRAWS * self.players
        said = "0 fold, 1 check or call, 2 bet or raise, 3 + number of cards discarded"
        shown = {f.name: f for f in betting_fields(self.betting, most)}
        when = "The betting round, from 0; a draw belongs to the round behind it."
        return (
            shown["player"],
            evolve(shown["button"], doc="The seat of the button."),
            evolve(shown["round"], doc=when),
            *(shown[name] for name in ("pot", "to_call", "spent", "round_spent")),
            evolve(shown["stacks"], maximum=self.stack or most),
            shown["folded"],
            evolve(shown["raises"], maximum=self.cap),
            *history_fields(self.betting, said, FIRST_DISCARD + 5, length, "public", _SAID),
            evolve(shown["score"], doc="The match's score, by seat (zeros outside a match)."),
            DRAW.field("hand"),
            DRAW.field("discarded"),
            DRAW.field("kept", size=DRAWS * n),
            DRAW.field("draws_left", DRAWS),
            DRAW.field("drawing"),
        )

    @cached_property
    def outcome_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        return (
            Field("showdown", "flag", "Whether hands were compared."),
            Field("round", "count", "The last round in which somebody bet, checked or folded.", ROUNDS - 1),
            Field("pot", "chips", "All chips put in.", self.players * self.most_chips, unit="chips"),
        )

    def action_to_string(self, action: int) -> str:
        if action < FIRST_DISCARD:
            return ("fold", "check or call", "bet or raise")[action]
        places = [str(i + 1) for i in range(5) if (action - FIRST_DISCARD) >> i & 1]
        return f"discard {'+'.join(places)}" if places else "stand pat"

    def action_words(self, action: int, view: Mapping[str, Any]) -> str:
        if action < FIRST_DISCARD:
            return betting_words(action, view, limit_raise(self.betting, view) if action == 2 else 0)
        if not view["hand"]:  # told to somebody who does not see the cards
            return self.action_to_string(action)
        thrown = [card for i, card in enumerate(view["hand"]) if (action - FIRST_DISCARD) >> i & 1]
        return f"discard {cards_text(thrown, ' ')}" if thrown else "stand pat"

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def draw(self, view: Mapping[str, Any]) -> str:
        from cardai.plugins.games.triple_draw._draw import draw_view

        return draw_view(view)

    def shown_at_end(self, view: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int, ...]:
        return shown_at_showdown(view, outcome)

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands with other cards of the opponents. ``weights`` (52,) say what an opponent rather holds now."""
        from cardai.plugins.games.triple_draw._determinize import determinize

        return determinize(self, view, rng, count, weights)

    # -- rows ------------------------------------------------------------------------------------------------------

    def row_dtype(self) -> np.dtype[Any]:
        return row_dtype()

    def kernels(self) -> RowKernels:
        return _row_kernels()

    def rules_row(self) -> npt.NDArray[Any]:
        rules = np.zeros(1, [*rules_fields(SEATS, ROUNDS), ("stack", "i8"), ("unlimited", "i8")])
        for name, value in self.betting.rules().items():
            if isinstance(value, list):
                rules[name][0, : len(value)] = value
            else:
                rules[name] = value
        rules["stack"] = self.stack or UNLIMITED
        rules["unlimited"] = UNLIMITED
        return rules

    def tables(self, count: int) -> TripleDrawTables:
        return TripleDrawTables(self, count)

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        if row["drawer"] >= 0:
            return (int(row["drawer"]),)
        return ((int(row["button"]) + self.betting.offset + int(row["taken"]) // 5) % self.players,)

    def observed(self, row: Any, actor: int, action: int, player: int) -> int:
        if action < FIRST_DISCARD or player == actor:
            return action
        return FIRST_DISCARD + (action - FIRST_DISCARD).bit_count()

    # -- matches ---------------------------------------------------------------------------------------------------

    @property
    def rotate(self) -> bool:
        return not self.fixed_button

    def summary(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
        return self.figure_rows(self.figures(hands, seats)) if len(hands) else []

    def figures(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Mapping[str, Estimate]:
        from cardai.arena.statistics import grouped

        return grouped(self.figure_parts(hands, seats), hands["group"])

    def figure_parts(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Parts:
        played = np.ones(len(hands))
        won = hands["returns"][np.arange(len(hands)), seats] * (1000 / self.big_blind)
        return {"mbb/g": (won, played), "showdowns": (hands["showdown"], played), "mean pot": (hands["pot"], played)}

    def figure_rows(self, figures: Mapping[str, Estimate]) -> list[tuple[str, str]]:
        return [
            ("mbb/g", figures["mbb/g"].text(1, sign=True)),
            ("showdowns", figures["showdowns"].scaled(100).text(1, "%")),
            ("mean pot", figures["mean pot"].text(0, "chips")),
        ]


@hookimpl
def cardai_game() -> type[TripleDraw]:
    """Offer the game."""
    return TripleDraw
