"""One hand of a fast game as a State: a row of its own, one kernel call a step, chance explicit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Int64s
from cardai.core.direct import direct
from cardai.core.errors import IllegalActionError, wrong_type
from cardai.core.fields import Views, interned, unpack_view
from cardai.core.game import CHANCE, TERMINAL, Amounts, Setup, State, pack_setups
from cardai.core.kernel import kernel
from cardai.core.legal import legal_text
from cardai.core.numbers import numbers_of

if TYPE_CHECKING:
    from cardai.core.rows import RowGame, RowTables


def refuse(current: int, row: int, action: int, legal: Any) -> None:
    """Raise the error of an illegal action at a table."""
    if current < 0:
        raise IllegalActionError(f"The hand at table {row} is over: no action can be played.")
    raise IllegalActionError(f"The action {action} is not legal at table {row}. Legal: {[int(a) for a in legal]}.")


def refuse_amount(current: int, row: int, action: int, legal: Amounts, i: int) -> None:
    """Raise the error of an illegal action in a game of amounts."""
    if current < 0:
        raise IllegalActionError(f"The hand at table {row} is over: no action can be played.")
    raise IllegalActionError(f"The action {action} is not legal at table {row}. Legal: {legal_text(legal, i)}.")


def bring_forward(row: Any, position: int, card: int) -> None:
    """Swap ``card`` to ``position`` of the row's deck; it must lie at or behind it."""
    if not to_front(row["deck"], position, card):
        raise IllegalActionError(f"The card {card} is no longer in the deck at position {position}.")


@kernel
def to_front(deck: Any, position: Any, card: Any) -> Any:
    """Swap ``card`` to ``position`` of ``deck`` (D,) from there or behind, and say whether it was found."""
    if card < 0:
        return False
    for other in range(position, len(deck)):
        if deck[other] == card:
            deck[other] = deck[position]
            deck[position] = card
            return True
    return False


@kernel
def list_outcomes(row: Any, choices: Any) -> Any:
    """Fill ``choices`` with the cards left in the row's deck, ascending (equal cards twice); return how many."""
    deck = row["deck"]
    counts = np.zeros(128, np.int64)
    behind = 0
    for k in range(row["dealt"], len(deck)):
        if deck[k] >= 0:
            counts[deck[k]] += 1
            behind = max(behind, deck[k] + 1)
    found = 0
    for card in range(behind):
        for _ in range(counts[card]):
            choices[found] = card
            found += 1
    return found


@kernel
def list_legal(mask: Any, choices: Any) -> Any:
    """Fill ``choices`` with the actions of the mask (1, A), ascending; return how many."""
    found = 0
    for action in range(mask.shape[1]):
        if mask[0, action]:
            choices[found] = action
            found += 1
    return found


def plain_step(tables: RowTables) -> Callable[..., tuple[int, int]]:
    """Return what :attr:`cardai.core.rows.RowKernels.step` does, made of the game's other kernels.

    It plays ``action`` on the only row: chance's outcome where ``current`` is -1, else what the seat to act does (below
    0: nothing is played). Then it fills ``choices`` (k,) int64 with what can be played next, ascending: chance's outcomes
    (equal ones twice) or the legal actions; where these are :class:`Amounts`, the kinds below 2 and then the least and the
    most (0 and -1: no raise). When the hand is over it fills ``payoff`` (1, P) float64. ``mask`` (1, A) bool is filled with
    the legal actions of the seat to act, and scratch where there are none. It returns (``current``, the number of choices).
    """
    kernels = tables.kernels

    def step(data: Any, rules: Any, index: Any, action: int, mask: Any, choices: Any, payoff: Any) -> tuple[int, int]:
        row = data[0]
        if action >= 0 and row["current"] == CHANCE:
            tables.put(row, int(row["dealt"]), action)
            kernels.deal(data, rules[0], index)
        elif action >= 0:
            kernels.apply(data, rules[0], index, np.array([action], np.int64))
        current = int(row["current"])
        listed: list[int] = []
        if current == TERMINAL:
            kernels.returns(data, rules[0], index, payoff)
        elif current == CHANCE:
            listed = tables.game.chance_choices(row)
        else:
            legal = tables.over(data).legal(index)
            if isinstance(legal, Amounts):
                listed = [kind for kind in (0, 1) if legal.kinds[0, kind]]
                listed += [int(legal.min_amount[0]), int(legal.max_amount[0])] if legal.kinds[0, 2] else [0, -1]
            else:
                mask[:] = legal
                listed = np.flatnonzero(legal[0]).tolist()
        choices[: len(listed)] = listed
        return current, len(listed)

    return step


def _plain_numbers(tables: RowTables) -> Callable[..., None]:
    """Return what :attr:`cardai.core.rows.RowKernels.numbers` does, made of the game's other kernels."""
    numbers = numbers_of(tables.game.view_fields)

    def fill(data: Any, rules: Any, index: Any, player: int, at: Any, out: Any) -> None:
        out[:] = numbers.of(tables.over(data).views(player, index))

    return fill


def _row_of(hand: OneHand, raw: bytes) -> npt.NDArray[Any]:
    """Return a copy of the row ``raw`` (numpy would copy it field by field)."""
    return np.ndarray(1, hand.dtype, bytearray(raw))


_MOST_LISTS = 1 << 12
"""Masks whose actions are kept as lists: a game of bets has few, one of cards many."""


class OneHand:
    """What the states of one game have in common, and the hand that the last setup began.

    ``hidden`` says whether some action is not seen as it is by everybody (the game's ``observed`` decides). What kernels
    write into (``mask``, ``choices``, ``payoff``) is of the last step of any state.
    """

    def __init__(self, game: RowGame, hidden: bool) -> None:
        self.tables = game.tables(1)
        rules = game.rules_row()
        self.rules = rules.view(interned(rules.dtype))
        self.index = np.zeros(1, np.int64)
        self.mask = np.zeros((1, 0 if game.amounts else game.num_distinct_actions), np.bool_)
        self.amounts = game.amounts
        self.dtype = self.tables.data.dtype
        template = game.deck_template()
        self.choices = np.empty(max(len(self.tables.data["deck"][0]), self.mask.shape[1]), np.int64)
        self.payoff = np.zeros((1, game.num_players))
        kernel = self.tables.kernels.step or plain_step(self.tables)
        arguments = self.tables.data, self.rules, self.index, -1, self.mask, self.choices, self.payoff
        self.step = direct(kernel, *arguments)
        self.repeats = len(np.unique(template)) < len(template)  # whether some cards are equal
        self.hidden = hidden
        self.seats = range(game.num_players)
        self.lists: dict[bytes, list[int]] = {}
        self._first: tuple[Setup, RowState] | None = None

    def __reduce__(self) -> Any:
        return _one_hand_of, (self.tables.game,)

    def listed(self, marked: bytes) -> list[int]:
        """Return the actions of a mask, the bytes of ``mask``, as a list of :attr:`lists` that nobody writes into."""
        if len(self.lists) >= _MOST_LISTS:
            self.lists.clear()
        return self.lists.setdefault(marked, np.frombuffer(marked, np.bool_).nonzero()[0].tolist())

    @cached_property
    def _numbers(self) -> tuple[Callable[..., Any], Int64s, Int64s]:
        """The game's kernel of one view as numbers, the columns of the fields, and the row that it fills."""
        kernels, numbers = self.tables.kernels, numbers_of(self.tables.game.view_fields)
        at, out = numbers.places(kernels.numbered), np.empty((1, numbers.width), np.int64)
        kernel = kernels.numbers or _plain_numbers(self.tables)
        return direct(kernel, self.tables.data, self.rules, self.index, 0, at, out), at, out

    def numbers(self, data: npt.NDArray[Any], player: int) -> Int64s:
        """Return what ``player`` may know of the hand ``data`` as numbers (1, width), good until the next call."""
        kernel, at, out = self._numbers
        kernel(data, self.rules, self.index, player, at, out)
        return out

    def start(self, setup: Setup) -> RowState:
        """Return a new hand before its first card."""
        if self._first is None or (self._first[0] is not setup and self._first[0] != setup):
            tables = self.tables
            tables.place(self.index, np.zeros(1, np.uint64))
            tables.kernels.start(tables.data, tables.rules, self.index, pack_setups(len(self.seats), [setup]))
            self._first = setup, RowState(tables.game, self, setup, tables.data.tobytes())
        return self._first[1].clone()


def _one_hand_of(game: RowGame) -> OneHand:
    return game.one_hand


class RowState(State):
    """One hand of a fast game, with explicit chance. What can be played next is found once, with each step."""

    game: RowGame

    def __init__(self, game: RowGame, hand: OneHand, setup: Setup, raw: bytes) -> None:
        self.game = game
        self._hand = hand
        self._setup = setup
        self._events: list[tuple[int, int, Any]] = []  # (actor, action, what was seen of it: see _seen)
        self._returns = [0.0] * game.num_players
        self._data = _row_of(hand, raw)
        self._take(-1)

    def _take(self, action: int) -> None:
        """Play ``action`` (below 0: none) and note what can be played next."""
        hand = self._hand
        current, count = hand.step(self._data, hand.rules, hand.index, action, hand.mask, hand.choices, hand.payoff)
        self._current: int = current
        if current >= 0 and not hand.amounts:
            marked = hand.mask.tobytes()
            self._listed = hand.lists.get(marked) or hand.listed(marked)
        else:
            self._note(count)

    def _note(self, count: int) -> None:
        """Note ``count`` choices that are no mask's, or what was won."""
        hand = self._hand
        if self._current == TERMINAL:
            self._listed, self._returns = [], hand.payoff.tolist()[0]
        else:
            self._listed = hand.choices[:count].tolist()

    def _tables(self) -> RowTables:
        return self._hand.tables.over(self._data)

    @property
    def row(self) -> Any:
        """The hand's row (read it; never write)."""
        return self._data[0]

    def current_player(self) -> int:
        return self._current

    def is_terminal(self) -> bool:
        return self._current == TERMINAL

    def is_chance_node(self) -> bool:
        return self._current == CHANCE

    def legal_actions(self) -> list[int]:
        if self._current == CHANCE and self._hand.repeats:
            return sorted(set(self._listed))
        if self._hand.amounts and self._current >= 0:
            return [*self._listed[:-2], *range(self._listed[-2], self._listed[-1] + 1)]
        return self._listed.copy()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        total = len(self._listed)
        if self._hand.repeats:
            return [(card, count / total) for card, count in Counter(self._listed).items()]
        return [(card, 1 / total) for card in self._listed]

    def chance_seen_by(self) -> tuple[int, ...]:
        return self.game.chance_seen_by(self.row)

    def apply_action(self, action: int) -> None:
        hand, current = self._hand, self._current
        if action.__class__ is not int or action not in self._listed or hand.amounts:
            action = self._checked(action)
        # Who sees what is asked of the row as it was, and only where a key is wanted.
        self._events.append((current, action, self._data.tobytes() if current == CHANCE or hand.hidden else None))
        current, count = hand.step(self._data, hand.rules, hand.index, action, hand.mask, hand.choices, hand.payoff)
        self._current = current
        if current >= 0 and not hand.amounts:  # as _take does: a call costs a twentieth of a step
            marked = hand.mask.tobytes()
            self._listed = hand.lists.get(marked) or hand.listed(marked)
            return
        self._note(count)

    def _checked(self, action: Any) -> int:
        """Return a legal action as a plain number. Raises IllegalActionError, or UsageError where it is no number."""
        current, listed = self._current, self._listed
        try:
            legal = action in listed
            if self._hand.amounts and current >= 0:
                legal = action in listed[:-2] or listed[-2] <= action <= listed[-1]
            played = int(action)
        except (TypeError, ValueError):
            raise wrong_type("An action", "a whole number (action_from_string finds it by name)", action) from None
        if not legal or played != action:
            self._refuse(action)
        return played

    def _seen(self, number: int) -> tuple[int | None, ...]:
        """Return what each seat saw of event ``number``: -1 a chance outcome that it did not see, None nothing at all."""
        actor, action, seen = self._events[number]
        if seen is None:
            return (action,) * len(self._hand.seats)
        if isinstance(seen, bytes):
            row, seats = _row_of(self._hand, seen)[0], self._hand.seats
            if actor == CHANCE:
                watching = self.game.chance_seen_by(row)
                seen = tuple([action if p in watching else -1 for p in seats])
            else:
                seen = tuple([self.game.observed(row, actor, action, p) for p in seats])
            self._events[number] = actor, action, seen
        return seen  # type: ignore[no-any-return]

    def _refuse(self, action: int) -> None:
        """Raise the error of an illegal action."""
        if self.is_chance_node():
            self.check_legal(action)
        elif self._hand.amounts and not self.is_terminal():
            legal = self._tables().legal(self._hand.index)
            assert isinstance(legal, Amounts)
            refuse_amount(self._current, 0, action, legal, 0)
        refuse(self._current, 0, action, self._listed)

    def view(self, player: int) -> dict[str, Any]:
        return unpack_view(self.game.view_fields, self.views(player)[0])

    def key(self, player: int) -> bytes:
        start = f"{player} {self._setup.starter} {self._setup.score} {self._setup.stacks}"
        noticed: list[tuple[int, int | None]] = []
        for number, (actor, action, seen) in enumerate(self._events):
            found = action if seen is None else self._seen(number)[player]
            if found is not None:
                noticed.append((actor, found))
        return (start + "".join(f" {actor}:{found}" for actor, found in self.game.remembered(noticed))).encode()

    def views(self, player: int) -> Views:
        """Return :meth:`view` as one row of views."""
        return self._tables().views(player, self._hand.index)

    def numbers(self, player: int) -> Int64s:
        """Return :meth:`view` as numbers (1, width) (:mod:`cardai.core.numbers`), good until the game's next call of this."""
        return self._hand.numbers(self._data, player)

    def returns(self) -> list[float]:
        return self._returns.copy()

    def outcome(self) -> dict[str, Any]:
        return unpack_view(self.game.outcome_fields, self._tables().outcomes(self._hand.index)[0])

    def clone(self) -> RowState:
        other = RowState.__new__(RowState)
        other.game, other._hand, other._setup = self.game, self._hand, self._setup
        other._data = _row_of(self._hand, self._data.tobytes())
        other._current, other._listed, other._returns = self._current, self._listed, self._returns  # never written into
        other._events = self._events.copy()
        return other

    @property
    def history(self) -> list[int]:
        return [action for _, action, _ in self._events]
