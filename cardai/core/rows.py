"""Fast games: every hand is a row of one numpy structured array, and the rules are kernels on a row.

A fast game's row dtype begins with the fields of :func:`row_fields`; the rest is its own. Its kernels module offers the
functions of :class:`RowKernels`; the game's class overrides :meth:`RowGame.row_dtype`, ``kernels`` and ``rules_row``.
:class:`~cardai.core.row_state.RowState` makes one row a State with explicit chance, so nothing is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.errors import UsageError, wrong_type
from cardai.core.fields import Views, interned, view_dtype
from cardai.core.game import (
    CHANCE,
    TERMINAL,
    Amounts,
    Game,
    IntArray,
    Legal,
    Setup,
    State,
    Tables,
    setup_dtype,
)
from cardai.core.kernel import kernel
from cardai.core.rng import shuffle
from cardai.core.row_state import OneHand, bring_forward, refuse, refuse_amount


def row_fields(deck_size: int) -> list[tuple[Any, ...]]:
    """Return the fields every fast row begins with.

    ``deck`` (D,) int8 is the whole deck in dealing order, ``dealt`` the number of cards taken from it, ``deck_seed``
    what reshuffles hash, ``current`` the seat to act (-1 while chance is pending, -4 when over).
    """
    return [
        ("deck", np.int8, (deck_size,)),
        ("dealt", np.int16),
        ("deck_seed", np.uint64),
        ("current", np.int8),
    ]


@frozen
class RowKernels:
    """The kernels of a fast game.

    ``data`` is the (n,) structured array of hands, ``rules`` one record of the game's options, ``index`` (m,) int64 the
    rows concerned. All are compiled with :func:`~cardai.core.kernel.kernel`.
    """

    start: Callable[..., Any]
    """start(data, rules, index, setups): begin hands; the deck is in place, no card dealt; leaves ``current`` -1
    where a card comes first."""
    deal: Callable[..., Any]
    """deal(data, rules, index): at rows with ``current`` -1, chance takes ONE outcome (deck[dealt], dealt += 1)."""
    apply: Callable[..., Any]
    """apply(data, rules, index, actions): play legal actions; may leave ``current`` -1."""
    legal: Callable[..., Any]
    """legal(data, rules, index, mask): fill the (m, A) bool mask (it is zeroed before)."""
    views: Callable[..., Any]
    """views(data, rules, index, player, out): fill (m,) structured views (not zeroed before)."""
    returns: Callable[..., Any]
    """returns(data, rules, index, out): fill (m, P) float64."""
    outcomes: Callable[..., Any] | None = None
    """outcomes(data, rules, index, out): fill (m,) structured outcomes."""
    advance: Callable[..., Any] | None = None
    """advance(data, rules, index): deal until no row has ``current`` -1, in one call; only to save time."""
    play: Callable[..., Any] | None = None
    """play(data, rules, index, actions): ``apply`` and ``advance`` in one call; only to save time.

    Unlike theirs, ``rules`` is the array of length 1: handing a record to a kernel costs more than most decisions.
    """
    ask: Callable[..., Any] | None = None
    """ask(data, rules, index, seats, mask, out): ``legal`` and ``views`` in one call, each row seen by its seat of ``seats`` (m,)
    int64; only to save time. ``rules`` is an array, as above."""
    step: Callable[..., Any] | None = None
    """step(data, rules, index, action, mask, choices, payoff): one step of one hand in one call; only to save time.

    :func:`~cardai.core.row_state.plain_step` makes the same of the other kernels and says what it does. ``rules`` is an array, as
    above.
    """
    begin: Callable[..., Any] | None = None
    """begin(data, rules, index, template, seeds, starter, score, stacks): a hand in one call; only to save time.

    It shuffles the deck ``template`` (D,) int8 by ``seeds`` (1,) uint64, begins the hand as the columns of its setup say, (1,)
    int8, (1, P) float64 and (1, P) int64, and deals as far as the first decision. ``rules`` is an array, as above.
    """
    numbers: Callable[..., Any] | None = None
    """numbers(data, rules, index, player, at, out): what ``player`` may know of one hand, as numbers; only to save time.

    It fills ``out`` (1, w) int64 with what :class:`~cardai.core.numbers.ViewNumbers` makes of the game's view; ``at`` (k, 2)
    int64 has the first column of each field in ``numbered``, and the one behind its last. ``rules`` is an array, as above.
    """
    numbered: tuple[str, ...] = ()
    """The view fields whose columns ``numbers`` is given, in its order."""
    numbers_of_many: Callable[..., Any] | None = None
    """numbers_of_many(data, rules, index, seats, at, out): ``numbers`` of many hands in one call; only to save time.

    ``seats`` (m,) int64 says who looks at each hand, ``out`` is (m, w); ``rules`` is a record, as for most.
    """


@kernel
def _shuffled_decks(data: Any, index: Any, template: Any, seeds: Any) -> None:
    for i in range(len(index)):
        row = data[index[i]]
        deck = row["deck"]
        for k in range(len(template)):
            deck[k] = template[k]
        shuffle(seeds[i], deck)


@kernel
def _outside(rows: Any, count: Any) -> Any:
    """Whether one of ``rows`` is no table number."""
    for i in range(len(rows)):  # noqa: SIM110
        if rows[i] < 0 or rows[i] >= count:
            return True
    return False


@kernel
def _check_mask(current: Any, mask: Any, index: Any, actions: Any) -> Any:
    """Return the first i at which actions[i] is illegal, or -1."""
    for i in range(len(index)):
        if current[index[i]] < 0 or actions[i] < 0 or actions[i] >= mask.shape[1] or not mask[i, actions[i]]:
            return i
    return -1


_SETUP = Setup()


class RowGame(Game):
    """Base of fast games: Tables over rows, State over one row."""

    def row_dtype(self) -> np.dtype[Any]:
        """Return the dtype of one hand: ``row_fields(D)`` and what the game needs beside."""
        raise NotImplementedError

    def kernels(self) -> RowKernels:
        """Return the game's kernels (imported here, so that describing a game compiles nothing)."""
        raise NotImplementedError

    def rules_row(self) -> npt.NDArray[Any]:
        """Return the options as a structured array of length 1, for kernels."""
        raise NotImplementedError

    def deck_template(self) -> npt.NDArray[np.int8]:
        """Return the unshuffled deck (D,), by default all chance outcomes in order."""
        return np.arange(self.num_chance_outcomes, dtype=np.int8)

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        """Return the seats that see the pending chance outcome of ``row``."""
        return ()

    def chance_choices(self, row: Any) -> list[int]:
        """Return the equally likely outcomes of the pending chance event: what is left of the deck (equal cards twice)."""
        return sorted(int(card) for card in row["deck"][int(row["dealt"]) :] if card >= 0)

    def observed(self, row: Any, actor: int, action: int, player: int) -> int | None:
        """Return what ``player`` sees of ``action`` (default: all of it; None: not even that it was played), for keys."""
        return action

    def remembered(self, noticed: list[tuple[int, int | None]]) -> list[tuple[int, int | None]]:
        """Return what of (actor, action) pairs, as a player noticed them in order, its key holds (default: all of them).

        For games in which the order of what chance shows a player says nothing, as of dice rolled one by one.
        """
        return noticed

    def tables(self, count: int) -> RowTables:
        return RowTables(self, count)

    @cached_property
    def one_hand(self) -> OneHand:
        """What all states of the game have in common."""
        return OneHand(self, hidden=type(self).observed is not RowGame.observed)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is of this process alone."""
        return {name: value for name, value in self.__dict__.items() if name != "one_hand"}

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return self.one_hand.start(setup or _SETUP)


def whole_numbers(what: str, given: Any, count: int | None = None) -> IntArray:
    """Return ``given`` as an array (n,) of whole numbers. Raises UsageError unless it is one (of ``count`` entries)."""
    array = given if type(given) is np.ndarray else np.asarray(given)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise wrong_type(what, "a list or array of whole numbers", given)
    if count is not None and len(array) != count:
        raise UsageError(f"{what} must be {count}, one a table. Got {len(array)} instead.")
    return array.astype(np.int64, copy=False)


class RowTables(Tables):
    """Tables over a structured array. ``data`` is public for benchmarks and fused loops; treat it as read-only."""

    game: RowGame
    whole_deck = True

    def __init__(self, game: RowGame, count: int) -> None:
        super().__init__(game, count)
        self.data = np.zeros(count, interned(game.row_dtype()))
        self.data["current"] = TERMINAL
        rules = game.rules_row()
        self._options = rules.view(interned(rules.dtype))
        self.rules = self._options[0]
        self._template = game.deck_template()
        self._view_dtype = interned(view_dtype(game.view_fields))
        self._outcome_dtype = interned(view_dtype(game.outcome_fields))
        self._all = np.arange(count)

    @cached_property
    def kernels(self) -> RowKernels:
        """The game's rules."""
        return self.game.kernels()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy, a pickled one too, is made of: compiled code is no part of it."""
        kept = vars(self).items()
        return {name: value for name, value in kept if not isinstance(getattr(type(self), name, None), cached_property)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.data = self.data.view(interned(self.data.dtype))
        self._options = self._options.view(interned(self._options.dtype))
        self.rules = self._options[0]

    def reset(
        self,
        seeds: npt.NDArray[np.uint64],
        decks: Sequence[Sequence[int]] | npt.NDArray[Any] | None = None,
        rows: IntArray | None = None,
        setups: npt.NDArray[Any] | None = None,
    ) -> None:
        index = self.begun(rows, seeds)
        self.place(index, np.asarray(seeds, np.uint64), decks)
        if setups is None:
            setups = np.zeros(len(index), setup_dtype(self.game.num_players))  # those of Setup()
        self.kernels.start(self.data, self.rules, index, setups)
        self._advance(index)

    def place(self, index: IntArray, seeds: npt.NDArray[np.uint64], decks: Any = None) -> None:
        """Put a shuffled deck on each row of ``index`` and mark it undealt; given cards come first, in order."""
        _shuffled_decks(self.data, index, self._template, np.asarray(seeds, np.uint64))
        self.data["deck_seed"][index] = seeds
        self.data["dealt"][index] = 0
        if decks is not None and not self.lay(index, decks):
            for row, deck in zip(index, decks, strict=True):
                for position, card in enumerate(deck):
                    self.put(self.data[row], position, int(card))

    def put(self, row: Any, position: int, outcome: int) -> None:
        """Let ``outcome`` be what chance takes at ``position`` of one row. Raises IllegalActionError where it cannot be."""
        bring_forward(row, position, outcome)

    def lay(self, index: IntArray, decks: Any) -> bool:
        """Lay whole decks, an array (m, D) with every card of the deck in each row, on ``index``; else say False."""
        whole = isinstance(decks, np.ndarray) and decks.shape == (len(index), len(self._template))
        if not whole or not (np.sort(decks, axis=1) == np.sort(self._template)).all():
            return False
        self.data["deck"][index, : decks.shape[1]] = decks
        return True

    def _advance(self, index: IntArray) -> None:
        if self.kernels.advance is not None:
            self.kernels.advance(self.data, self.rules, index)
            return
        while True:
            pending = index[self.data["current"][index] == CHANCE]
            if not len(pending):
                return
            self.kernels.deal(self.data, self.rules, pending)

    def current_players(self) -> npt.NDArray[np.int8]:
        return np.asarray(self.data["current"], np.int8).copy()

    def legal(self, rows: IntArray) -> Legal:
        rows = self.known(rows)
        mask = np.zeros((len(rows), self.game.num_distinct_actions), np.bool_)
        self.kernels.legal(self.data, self.rules, rows, mask)
        return mask

    def views(self, player: int, rows: IntArray) -> Views:
        return self.views_of(np.full(len(rows), player, np.int64), rows)

    def views_of(self, seats: IntArray, rows: IntArray) -> Views:
        rows, out = self.known(rows), self._unseen(len(rows))
        changes = np.flatnonzero(seats[1:] != seats[:-1]) + 1 if len(seats) > 1 else ()
        first = 0
        for last in (*changes, len(rows)):
            if last > first:
                self.check_seat(seats[first])
                self._see(rows[first:last], int(seats[first]), out[first:last])
            first = last
        return out

    def asked(self, seats: IntArray, rows: IntArray) -> tuple[Legal, Views]:
        if self.kernels.ask is None:
            return super().asked(seats, rows)
        rows, out = self.known(rows), self._unseen(len(rows))
        if _outside(seats, self.game.num_players):
            self.check_seat(seats.min() if seats.min() < 0 else seats.max())
        mask = np.zeros((len(rows), self.game.num_distinct_actions), np.bool_)
        self.kernels.ask(self.data, self._options, rows, seats, mask, out)
        return mask, out

    def _unseen(self, count: int) -> Views:
        """Return views that are to be filled."""
        return np.empty(count, self._view_dtype)

    def _see(self, rows: IntArray, player: int, out: Views) -> None:
        """Fill ``out`` with what ``player`` may know at known rows."""
        self.kernels.views(self.data, self.rules, rows, player, out)

    def begun(self, rows: IntArray | None, seeds: Any) -> IntArray:
        """Return the tables at which hands begin (None: all). Raises UsageError unless there is a seed for each."""
        index = self._all if rows is None else self.known(rows)
        if np.shape(seeds) != (len(index),):
            raise wrong_type("The seeds of reset", f"{len(index)} whole numbers, one a table", seeds)
        return index

    def known(self, rows: IntArray) -> IntArray:
        """Return table numbers as an array. Raises UsageError where they are none: a kernel would read other memory."""
        known = whole_numbers("Rows", rows)
        if _outside(known, self.count):
            raise UsageError(f"Rows must be table numbers, 0 to {self.count - 1}. Got {known.min()} to {known.max()}.")
        return known

    def check_seat(self, player: int) -> None:
        """Raise UsageError unless the game has the seat ``player``."""
        if not 0 <= player < self.game.num_players:
            raise UsageError(f"There is no seat {player}. Seats are 0 to {self.game.num_players - 1}.")

    def check(self, rows: IntArray, actions: IntArray) -> None:
        """Raise IllegalActionError at the first illegal action."""
        legal = self.legal(rows)
        if isinstance(legal, Amounts):
            wrong = np.flatnonzero(~legal.allows(actions) | (self.data["current"][rows] < 0))
            if len(wrong):
                refuse_amount(
                    self.data["current"][rows[wrong[0]]], int(rows[wrong[0]]), int(actions[wrong[0]]), legal, wrong[0]
                )
            return
        bad = _check_mask(self.data["current"], legal, rows, actions)
        if bad >= 0:
            refuse(self.data["current"][rows[bad]], int(rows[bad]), int(actions[bad]), np.flatnonzero(legal[bad]))

    def apply(self, rows: IntArray, actions: IntArray) -> None:
        rows = self.known(rows)
        actions = whole_numbers("Actions", actions, len(rows))
        self.check(rows, actions)
        self.apply_checked(rows, actions)

    def apply_checked(self, rows: IntArray, actions: IntArray) -> None:
        if self.kernels.play is not None:
            self.kernels.play(self.data, self._options, rows, actions)
            return
        self.kernels.apply(self.data, self.rules, rows, actions)
        self._advance(rows)

    def returns(self, rows: IntArray) -> npt.NDArray[np.float64]:
        out = np.zeros((len(rows), self.game.num_players))
        self.kernels.returns(self.data, self.rules, rows, out)
        return out

    def outcomes(self, rows: IntArray) -> npt.NDArray[Any]:
        out = np.zeros(len(rows), self._outcome_dtype)
        if self.kernels.outcomes is not None:
            self.kernels.outcomes(self.data, self.rules, rows, out)
        return out

    def copy_rows(self, source: Tables, rows: IntArray) -> None:
        if not isinstance(source, RowTables):
            raise TypeError(f"The hands of {type(source).__name__} cannot be copied to RowTables.")
        self.data[: len(rows)] = source.data[rows]

    def dealt(self, rows: IntArray) -> npt.NDArray[np.int64]:
        return np.asarray(self.data["dealt"][rows], np.int64)

    def deck(self, row: int) -> list[int]:
        return [int(card) for card in self.data[row]["deck"]]

    def over(self, data: npt.NDArray[Any]) -> RowTables:
        """Return tables of the same game and size over the hands ``data``; all else is shared."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.data = data
        return other
