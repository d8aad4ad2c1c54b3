"""What board games share: fields, rows, tables, and matches of many hands.

A game on these kernels is a frozen attrs class with :class:`BoardPoker` as its base. It declares what the contract asks
for (:mod:`cardai.poker.contract`) and makes its :class:`~cardai.poker.rules.betting.Betting`; all else is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardai.arena.statistics import grouped
from cardai.core import rows as core_rows
from cardai.core.determinize import Source
from cardai.core.fields import Family, Field, Views
from cardai.core.game import Amounts, IntArray, Legal, Parts, Setup, State, Tables, setup_dtype
from cardai.core.row_state import bring_forward
from cardai.core.rows import RowGame, RowKernels, RowTables
from cardai.core.statistics import Estimate
from cardai.poker.contract import FRENCH, HIGH, HOLDEM_BOARD, MAX_HOLE, Deck, Hole, Ranking, check_declared
from cardai.poker.fields import POKER, betting_fields, history_fields
from cardai.poker.rules.answers import BoardAnswers
from cardai.poker.rules.betting import (
    MAX_ACTIONS,
    MAX_PLAYERS,
    UNLIMITED,
    Betting,
    row_fields,
    rules_fields,
    shown_at_showdown,
)
from cardai.poker.rules.button import ButtonMatches
from cardai.poker.rules.ladder import MAX_RUNGS
from cardai.poker.rules.report import figure_parts, figure_rows
from cardai.poker.words import betting_words, ladder_raise, limit_raise, rung_words

MAX_ROUNDS = 4
MAX_BOARD = 5
FEW_HOLE = 2
"""Games with at most so many hole cards may have short rows."""
MAX_HISTORY = MAX_ROUNDS * MAX_ACTIONS
SHORT_HISTORY = 32


@cache
def row_dtype(history: int, hole: int = FEW_HOLE) -> np.dtype[Any]:
    """Return the dtype of a hand's row: one for short histories and few hole cards, one for all else."""
    # What rules read and write at every action lies together, and the long histories last, to stay in cache.
    short = history <= SHORT_HISTORY and hole <= FEW_HOLE  # else 40 bytes of 1898 are spared, and all compiled anew
    return np.dtype(
        [
            *core_rows.row_fields(52),
            *row_fields(MAX_PLAYERS, SHORT_HISTORY if short else MAX_HISTORY),
            ("status", "i1"),
            ("hole", "i1", ((FEW_HOLE if short else MAX_HOLE) * MAX_PLAYERS,)),
            ("board", "i1", (MAX_BOARD,)),
            ("score", "i4", (MAX_PLAYERS,)),
        ]
    )


@cache
def rules_dtype() -> np.dtype[Any]:
    """Return the dtype of the rules, the same for every board game."""
    numbers = ("hole_cards", "hole_playing", "needed", "ranking", "mapping", "unlimited", "rungs")
    return np.dtype(
        [
            *rules_fields(MAX_PLAYERS, MAX_ROUNDS),
            *((name, "i8") for name in numbers),
            ("board_cards", "i8", (MAX_ROUNDS,)),
            ("stack", "i8", (MAX_PLAYERS,)),
            ("fractions", "f8", (MAX_RUNGS,)),
        ]
    )


@cache
def _kernels() -> RowKernels:
    from cardai.poker.rules import _kernels as k

    return RowKernels(
        start=_start,
        deal=k.deal,
        apply=k.apply,
        legal=k.legal,
        views=_views,
        returns=k.returns,
        outcomes=k.outcomes,
        step=k.step,
        begin=k.begin_one,
        numbers=k.numbers,
        numbered=_NUMBERED,
        numbers_of_many=k.numbers_of_many,
    )


_NUMBERED = (
    *("player", "button"),
    *("round", "raises", "pot", "to_call"),
    *("spent", "round_spent", "stacks", "score"),
    "folded",
    *("hole", "board"),
    *("history", "history_round", "history_seat"),
)
"""The fields in the order in which the kernel of views takes their columns."""


def _start(data: Any, rules: Any, index: IntArray, setups: npt.NDArray[Any]) -> None:
    from cardai.poker.rules import _kernels as k

    columns = [np.ascontiguousarray(setups[name]) for name in ("starter", "score", "stacks")]
    k.start(data, rules, index, *columns)


def _views(data: Any, rules: Any, index: IntArray, player: int, out: Views) -> None:
    """Fill views whose lists hold -1 throughout before."""
    from cardai.poker.rules import _kernels as k

    c = {name: out[name] for name in out.dtype.names or ()}
    k.views(
        data,
        rules,
        index,
        np.full(len(index), player, np.int64),
        (c["player"], c["button"]),
        (c["round"], c["raises"], c["pot"], c["to_call"]),
        (c["spent"], c["round_spent"], c["stacks"], c["score"]),
        c["folded"],
        (c["hole"], c["board"]),
        c["history"],
        (c["history_round"], c["history_seat"]),
    )


class PokerTables(RowTables):
    """Tables of poker: the deck is shuffled as far as it can be needed, and no-limit amounts are legal actions."""

    game: BoardPoker

    def __init__(self, game: BoardPoker, count: int) -> None:
        super().__init__(game, count)
        for name in ("history", "history_round", "history_seat"):
            self.data[name] = -1
        self.data["deck"] = -1
        self._setup_dtype = setup_dtype(game.num_players)

    @property
    def _poker(self) -> Any:
        from cardai.poker.rules import _kernels as k  # held by no table: modules cannot be copied

        return k

    def reset(
        self,
        seeds: npt.NDArray[np.uint64],
        decks: Sequence[Sequence[int]] | npt.NDArray[Any] | None = None,
        rows: IntArray | None = None,
        setups: npt.NDArray[Any] | None = None,
    ) -> None:
        index = self.begun(rows, seeds)
        if setups is None:
            setups = np.zeros(len(index), self._setup_dtype)
            setups["starter"] = self.game.first_starter
        if decks is not None:
            self.place(index, seeds, decks)
            _start(self.data, self.rules, index, setups)
            self._advance(index)
            return
        columns = [np.ascontiguousarray(setups[name]) for name in ("starter", "score", "stacks")]
        self._poker.begin(self.data, self.rules, index, self._template, np.asarray(seeds, np.uint64), *columns)

    def place(self, index: IntArray, seeds: npt.NDArray[np.uint64], decks: Any = None) -> None:
        self._poker.place(self.data, self.rules, index, self._template, np.asarray(seeds, np.uint64))
        if decks is not None and not self.lay(index, decks):
            for row, deck in zip(index, decks, strict=True):
                for position, card in enumerate(deck):
                    bring_forward(self.data[row], position, int(card))

    def apply_checked(self, rows: IntArray, actions: IntArray) -> None:
        self._poker.apply_and_deal(self.data, self.rules, rows, actions)

    def _unseen(self, count: int) -> Views:
        raw = np.full(count * self._view_dtype.itemsize, 255, np.uint8)  # all bits set is -1: every list is empty
        return raw.view(self._view_dtype)

    def _see(self, rows: IntArray, player: int, out: Views) -> None:
        # One row's columns would look contiguous, and numba would compile for them once more: so it is filled twice.
        seen, index = (out, rows) if len(rows) > 1 else (self._unseen(2), np.repeat(rows, 2))
        _views(self.data, self.rules, index, player, seen)
        if seen is not out:
            out[0] = seen[0]

    def legal(self, rows: IntArray) -> Legal:
        if not self.game.amounts:
            return super().legal(rows)
        rows = self.known(rows)
        kinds = np.empty((len(rows), 3), np.bool_)
        least, most = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        self._poker.amounts(self.data, self.rules, rows, kinds, least, most)
        return Amounts(kinds, least, most)

    def deck(self, row: int) -> list[int]:
        return [int(card) for card in self.data[row]["deck"][: int(self.rules["needed"])]]


class BoardPoker(ButtonMatches, RowGame, BoardAnswers):
    """Base of board games, each of which is a frozen attrs class with its options. The cards are hold'em's by default."""

    deck: Deck = FRENCH
    hole: Hole = Hole()
    board: tuple[int, ...] = HOLDEM_BOARD
    ranking: Ranking = HIGH
    families: ClassVar[tuple[Family, ...]] = (POKER,)
    unit: ClassVar[str] = "chips"
    zero_sum: ClassVar[bool] = True

    def __attrs_post_init__(self) -> None:
        """Refuse a wrong declaration when the game is made; a game that has this method for itself calls ``check_declared``."""
        check_declared(self)

    def make_betting(self) -> Betting:
        """Return the betting rules that the options amount to."""
        raise NotImplementedError

    @cached_property
    def betting(self) -> Betting:  # type: ignore[override]
        return self.make_betting()

    ladder: tuple[float, ...] = ()

    @property
    def stacks(self) -> tuple[int, ...]:  # type: ignore[override]
        """Each seat's chips at the start of a hand, by default more than anybody can lose."""
        return (UNLIMITED,) * self.num_players

    @property
    def deepest_stack(self) -> int:
        """The most chips that a seat can begin a hand with."""
        return max(self.stacks)

    @cached_property
    def amounts(self) -> bool:  # type: ignore[override]
        return self.betting.no_limit and not self.ladder

    # -- what the contract asks for ----------------------------------------------------------------------------------

    @cached_property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        if self.amounts:
            return self.deepest_stack + 1
        return 2 + len(self.ladder) if self.ladder else 3

    @property
    def num_chance_outcomes(self) -> int:  # type: ignore[override]
        """All numbers that a card can have, those that the deck leaves out included."""
        return max(self.deck.cards) + 1

    @property
    def big_blind(self) -> int:  # type: ignore[override]
        return max(max(self.betting.blinds), self.betting.ante)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        """The family's fields: of betting games, the cards, and the histories."""
        top, most = self.num_chance_outcomes - 1, self.most_chips()
        raised, largest = ("N raise to N chips in the hand", most) if self.betting.no_limit else ("2 bet or raise", 2)
        return (
            *betting_fields(self.betting, most),
            POKER.field("hole", top, self.hole.count),
            POKER.field("board", top, self.board[-1]),
            *history_fields(
                self.betting,
                f"0 fold, 1 check or call, {raised}",
                largest,
                role="public" if self.ladder else "actions",
            ),
        )

    @cached_property
    def outcome_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        """Whether hands were compared, the last round with a decision, and the pot."""
        betting = self.betting
        return (
            Field("showdown", "flag", "Whether hands were compared."),
            Field("round", "count", "The last round in which somebody acted.", betting.num_rounds - 1),
            Field("pot", "chips", "All chips put in.", self.most_chips() * betting.num_players, unit="chips"),
        )

    def most_chips(self) -> int:
        """Return the most that one seat can put in."""
        betting, stack = self.betting, self.deepest_stack
        if betting.no_limit:
            return stack
        raised = sum(n * size for n, size in zip(betting.max_raises, betting.raise_sizes, strict=True))
        return min(stack, betting.ante + max(betting.blinds) + max(betting.dead) + raised)

    def betting_action(self, action: int) -> str:
        """Return an action in words: "fold", "check or call", "raise", "raise to 300", "bet 0.5 of the pot", "all-in"."""
        if action < 2:
            return ("fold", "check or call")[action]
        if self.amounts:
            return f"raise to {action}"
        if not self.ladder:
            return "bet or raise"
        fraction = self.ladder[action - 2]
        return "all-in" if fraction < 0 else "bet the pot" if fraction == 1 else f"bet {fraction:g} of the pot"

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands with other hole cards of the opponents, and other cards to come.

        ``weights`` are for one opponent: with two hole cards one for each of the 1,326 hands in the order of
        :mod:`cardai.poker.hands.combos`, with one a weight a card; games of more hole cards take none. Several opponents'
        hands are drawn by them one after another.
        """
        from cardai.poker.rules.determinize import determinize

        return determinize(self, view, rng, count, weights)

    def action_words(self, action: int, view: Mapping[str, Any]) -> str:
        if action < 2 or self.amounts:
            return betting_words(action, view, action)
        if self.action_mapping:  # a raise too many calls
            return self.betting_action(action)
        if not self.ladder:
            return betting_words(2, view, limit_raise(self.betting, view))
        words = betting_words(2, view, ladder_raise(self.betting, self.ladder, action - 2, view))
        rung = rung_words(self.ladder[action - 2])
        return words if words.endswith(rung) else f"{words} ({rung})"

    def row_dtype(self) -> np.dtype[Any]:
        return row_dtype(self.betting.history_length, self.hole.count)

    def kernels(self) -> RowKernels:
        return _kernels()

    def rules_row(self) -> npt.NDArray[Any]:
        return self._rules

    @cached_property
    def _rules(self) -> npt.NDArray[Any]:
        check_declared(self)
        betting, stacks, ladder = self.betting, self.stacks, self.ladder
        rules = np.zeros(1, rules_dtype())
        for name, value in betting.rules().items():
            if isinstance(value, list):
                rules[name][0, : len(value)] = value
            else:
                rules[name] = value
        rules["hole_cards"] = self.hole.count
        rules["hole_playing"] = self.hole.playing
        rules["needed"] = betting.num_players * self.hole.count + self.board[-1]
        rules["ranking"] = self.ranking.kernel
        rules["mapping"] = self.action_mapping
        rules["unlimited"] = UNLIMITED
        rules["rungs"] = len(ladder)
        rules["fractions"][0, : len(ladder)] = ladder
        rules["board_cards"][0, : len(self.board)] = self.board
        rules["stack"][0, : len(stacks)] = stacks
        return rules

    def deck_template(self) -> npt.NDArray[np.int8]:
        return np.array(self.deck.cards, np.int8)

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        dealt, betting = int(row["dealt"]), self.betting
        if dealt >= self.hole.count * betting.num_players:
            return tuple(range(betting.num_players))
        offset = betting.offset + dealt // self.hole.count
        return ((int(row["button"]) + offset) % betting.num_players,)

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return super().new_initial_state(setup or self._first_setup)

    @cached_property
    def _first_setup(self) -> Setup:
        return Setup(starter=self.first_starter)

    def tables(self, count: int) -> PokerTables:
        return PokerTables(self, count)

    def shown_at_end(self, view: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int, ...]:
        return shown_at_showdown(view, outcome)

    # -- reports ------------------------------------------------------------------------------------------------------

    def summary(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
        return self.figure_rows(self.figures(hands, seats)) if len(hands) else []

    def figures(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Mapping[str, Estimate]:
        return grouped(self.figure_parts(hands, seats), hands["group"])

    def figure_parts(self, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Parts:
        return figure_parts(hands, seats, self.big_blind)

    def figure_rows(self, figures: Mapping[str, Estimate]) -> list[tuple[str, str]]:
        return figure_rows(figures)
