"""Betting, once for every game: blinds, antes, minimum raise, caps, all-in, side pots, who acts, who wins what.

The rules are those of the Annual Computer Poker Competition's dealer (protocol 2.0.0 and its game definitions):

* a call is always legal; a fold only when there is something to call (``fold_anytime`` lifts that);
* a raise needs room below the round's cap, at least two players who can still act, and room below 64 actions a round;
* no-limit raises name the chips a player will have put in *in the whole hand*; the least such number is two big blinds
  at first, the current bet plus a big blind at the start of a later round, and after a raise from M to N at least
  2 N - M; a player who cannot reach it may still go all-in, if that exceeds the bet;
* limit raises add the round's size to the bet, capped by the stack;
* pots split evenly, fractions included; side pots follow the distinct amounts put in; who folded cannot win.

Seats are numbered round the table; *positions* count from the button: position k is seat ``button + offset + k``. With
``offset`` 1 (hold'em) position 0 is the first seat after the button, as in ACPC; heads-up the button posts the small
blind and acts first before the flop, which is blinds (big, small) and first (1, 0, 0, 0).

The kernels take a row and rules by subscript alone. They run compiled on numpy records, and as plain Python, fast, on
the dicts of :meth:`Betting.new_row` and :meth:`Betting.rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.kernel import kernel

FOLD = 0
CALL = 1
RAISE = 2

CONTINUES = 0
"""The same betting round goes on."""
ROUND_OVER = 1
"""The next round has begun (deal its cards, if it has any, then ask :func:`first_to_act`)."""
SHOWDOWN = 2
"""Betting is over, and two or more hands are compared (deal what is missing of the board)."""
UNCONTESTED = 3
"""All but one have folded."""

UNLIMITED = 2**31 - 1
"""The stack of a player who cannot run out of chips (the protocol's default)."""
MAX_ACTIONS = 64
"""No raise is legal that would let a round exceed this many actions."""
MAX_PLAYERS = 10


# -- kernels -----------------------------------------------------------------------------------------------------------


@kernel
def seat_at(row: Any, rules: Any, position: Any) -> Any:
    """Return the seat ``position`` places from the first after the button."""
    return (row["button"] + rules["offset"] + position) % rules["num_players"]


@kernel
def able(row: Any, seat: Any) -> Any:
    """Say whether a seat can still act: neither folded nor all-in."""
    return not row["folded"][seat] and row["spent"][seat] < row["stack"][seat]


@kernel
def count_able(row: Any, rules: Any) -> Any:
    """Return how many seats can still act."""
    count = 0
    for seat in range(rules["num_players"]):
        if not row["folded"][seat] and row["spent"][seat] < row["stack"][seat]:
            count += 1
    return count


@kernel
def count_live(row: Any, rules: Any) -> Any:
    """Return how many seats have not folded."""
    count = 0
    for seat in range(rules["num_players"]):
        if not row["folded"][seat]:
            count += 1
    return count


@kernel
def next_to_act(row: Any, rules: Any, seat: Any) -> Any:
    """Return the next seat after ``seat`` that can act (``seat`` itself if it alone can; -4 if nobody)."""
    n = rules["num_players"]
    for step in range(1, n + 1):
        other = (seat + step) % n
        if not row["folded"][other] and row["spent"][other] < row["stack"][other]:
            return other
    return -4


@kernel
def first_to_act(row: Any, rules: Any) -> Any:
    """Return the seat that acts first in the row's round (a ``first`` of -1: the one after the last to act)."""
    first = rules["first"][row["round"]]
    if first < 0:
        return next_to_act(row, rules, row["last"])
    n = rules["num_players"]
    return next_to_act(row, rules, (row["button"] + rules["offset"] + first + n - 1) % n)


@kernel
def post(row: Any, rules: Any) -> Any:
    """Begin the betting of a hand: antes and blinds. ``button`` and ``stack`` are in place; see also clear_history.

    Sets ``current`` to the first seat to act and returns CONTINUES, or SHOWDOWN when posting left nobody a choice.
    """
    n = rules["num_players"]
    top = 0
    for position in range(n):
        seat = (row["button"] + rules["offset"] + position) % n
        stack = row["stack"][seat]
        ante = min(rules["ante"], stack)
        amount = min(ante + rules["blinds"][position], stack)
        row["spent"][seat] = amount
        row["round_spent"][seat] = amount - ante
        row["folded"][seat] = False
        top = max(top, amount)
    row["max_spent"] = top
    row["min_raise_to"] = top + rules["minimum_bet"]
    row["round"] = 0
    row["raises"] = 0
    row["acts"] = 0
    row["called"] = 0
    row["actions"] = 0
    row["last"] = row["button"]
    row["current"] = first_to_act(row, rules)
    count = count_able(row, rules)
    if count == 0 or (count == 1 and row["spent"][row["current"]] >= top):
        row["round"] = rules["num_rounds"] - 1
        row["current"] = -4
        return 2
    return 0


@kernel
def clear_history(row: Any) -> None:
    """Empty the row's history (a row fresh from ``new_row`` is empty)."""
    for k in range(len(row["history"])):
        row["history"][k] = -1
        row["history_round"][k] = -1
        row["history_seat"][k] = -1


@kernel
def to_call(row: Any, seat: Any) -> Any:
    """Return the chips that ``seat`` must put in to call (all it has, if that is less)."""
    return min(row["max_spent"], row["stack"][seat]) - row["spent"][seat]


@kernel
def pot(row: Any, rules: Any) -> Any:
    """Return all chips put in so far."""
    total = 0
    for seat in range(rules["num_players"]):
        total += row["spent"][seat]
    return total


@kernel
def can_fold(row: Any, rules: Any) -> Any:
    """Say whether the seat to act may fold."""
    return rules["fold_anytime"] or row["spent"][row["current"]] < row["max_spent"]


@kernel
def raise_bounds(row: Any, rules: Any) -> Any:
    """Return (least, most): what the seat to act may raise to, in chips of the whole hand; (0, 0) if it may not."""
    if row["raises"] >= rules["max_raises"][row["round"]]:
        return 0, 0
    if row["acts"] + rules["num_players"] > rules["max_actions"]:
        return 0, 0
    if count_able(row, rules) < 2:
        return 0, 0
    stack = row["stack"][row["current"]]
    if stack <= row["max_spent"]:
        return 0, 0
    if rules["no_limit"]:
        return min(row["min_raise_to"], stack), stack
    amount = min(row["max_spent"] + rules["raise_sizes"][row["round"]], stack)
    return amount, amount


@kernel
def act(row: Any, rules: Any, action: Any) -> Any:
    """Play a legal action of the seat to act: 0 folds, 1 checks or calls, N >= 2 raises (no-limit: to N chips).

    Returns CONTINUES or ROUND_OVER with ``current`` the next seat to act, or SHOWDOWN or UNCONTESTED with -4.
    """
    seat = row["current"]
    amount = row["spent"][seat]
    if action == 0:
        row["folded"][seat] = True
    elif action == 1:
        amount = min(row["max_spent"], row["stack"][seat])
        if amount < row["stack"][seat]:
            row["called"] += 1
    else:
        if rules["no_limit"]:
            amount = action
        else:
            amount = min(row["max_spent"] + rules["raise_sizes"][row["round"]], row["stack"][seat])
        row["min_raise_to"] = max(row["min_raise_to"], amount + amount - row["max_spent"])
        row["max_spent"] = amount
        row["raises"] += 1
        row["called"] = 1 if amount < row["stack"][seat] else 0
    row["round_spent"][seat] += amount - row["spent"][seat]
    row["spent"][seat] = amount
    k = row["actions"]
    row["history"][k] = action
    row["history_round"][k] = row["round"]
    row["history_seat"][k] = seat
    row["actions"] = k + 1
    row["acts"] += 1
    row["last"] = seat
    return _settle(row, rules, seat)


@kernel
def _settle(row: Any, rules: Any, seat: Any) -> Any:
    """Return what an action by ``seat`` led to, and set ``current`` accordingly."""
    if count_live(row, rules) < 2:
        row["current"] = -4
        return 3
    count = count_able(row, rules)
    if row["called"] < count:
        row["current"] = next_to_act(row, rules, seat)
        return 0
    if count < 2 or row["round"] + 1 >= rules["num_rounds"]:
        row["round"] = rules["num_rounds"] - 1
        row["current"] = -4
        return 2
    row["round"] += 1
    row["raises"] = 0
    row["acts"] = 0
    row["called"] = 0
    row["min_raise_to"] = row["max_spent"] + rules["minimum_bet"]
    for other in range(rules["num_players"]):
        row["round_spent"][other] = 0
    row["current"] = first_to_act(row, rules)
    return 1


@kernel
def payoffs(row: Any, rules: Any, ranks: Any, out: Any) -> None:
    """Fill ``out`` (P,) with each seat's net chips of a finished hand. ``ranks`` (P,): more is better; ties split.

    Every distinct amount put in bounds one pot, won by the best of those who paid it in full and have not folded.
    """
    n = rules["num_players"]
    for seat in range(n):
        out[seat] = 0.0
    low = 0
    while True:
        high = 0
        for seat in range(n):
            spent = row["spent"][seat]
            if spent > low and (high == 0 or spent < high):
                high = spent
        if high == 0:
            return
        payers = 0
        winners = 0
        best = ranks[0]
        for seat in range(n):
            if row["spent"][seat] > low:
                payers += 1
                if not row["folded"][seat]:
                    if winners == 0 or ranks[seat] > best:
                        best = ranks[seat]
                        winners = 1
                    elif ranks[seat] == best:
                        winners += 1
        for seat in range(n):
            if winners > 0 and row["spent"][seat] > low:
                if not row["folded"][seat] and ranks[seat] == best:
                    out[seat] += (high - low) * (payers - winners) / winners
                else:
                    out[seat] -= high - low
        low = high


# -- the description ---------------------------------------------------------------------------------------------------


def _each_round(instance: Betting, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    if len(value) != instance.num_rounds:
        raise ValueError(f"{attribute.name} needs {instance.num_rounds} entries, one a round. Got {value}.")


def _each_position(instance: Betting, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    if len(value) != instance.num_players:
        raise ValueError(f"{attribute.name} needs {instance.num_players} entries, one a position. Got {value}.")
    if min(value) < 0:
        raise ValueError(f"{attribute.name} must not be negative. Got {value}.")


def _players(instance: Betting, attribute: Attribute[Any], value: int) -> None:
    if not 2 <= value <= MAX_PLAYERS:
        raise ValueError(f"Betting needs 2 to {MAX_PLAYERS} players. Got {value}.")


@frozen
class Betting:
    """The betting rules of a game, and the rows that its kernels work on.

    ``blinds`` and ``first`` go by position (see the module's text). ``first`` is who begins each round; -1: the seat
    after the last to act. ``raise_sizes`` matter in limit games only. ``max_raises`` does not count the big blind.
    """

    num_players: int = field(validator=_players)
    num_rounds: int
    blinds: tuple[int, ...] = field(validator=_each_position)
    first: tuple[int, ...] = field(validator=_each_round)
    max_raises: tuple[int, ...] = field(validator=_each_round)
    raise_sizes: tuple[int, ...] = field(validator=_each_round)
    no_limit: bool = False
    ante: int = 0
    offset: int = 1
    fold_anytime: bool = False
    minimum_bet: int = 0
    """The least bet of a round in no-limit; 0: the big blind, or one chip if there is none."""

    @property
    def history_length(self) -> int:
        """The most actions a hand can have."""
        n = self.num_players
        return sum(min(n + (n - 1) * raises, MAX_ACTIONS) for raises in self.max_raises)

    def rules(self) -> dict[str, Any]:
        """Return the rules as the kernels take them: plain ints and lists."""
        return {
            "num_players": self.num_players,
            "num_rounds": self.num_rounds,
            "no_limit": int(self.no_limit),
            "fold_anytime": int(self.fold_anytime),
            "offset": self.offset,
            "ante": self.ante,
            "minimum_bet": self.minimum_bet or max(*self.blinds, 1),
            "max_actions": MAX_ACTIONS,
            "blinds": list(self.blinds),
            "first": list(self.first),
            "raise_sizes": list(self.raise_sizes),
            "max_raises": list(self.max_raises),
        }

    def rules_fields(self) -> list[tuple[Any, ...]]:
        """Return the dtype fields of :meth:`rules` as a numpy record."""
        rules = self.rules()
        return [
            (name, "i8", (len(value),)) if isinstance(value, list) else (name, "i8") for name, value in rules.items()
        ]

    def row_fields(self, history: str = "i4") -> list[tuple[Any, ...]]:
        """Return the dtype fields of betting in a hand's row (``current`` is not among them: every row has it)."""
        n, length = self.num_players, self.history_length
        return [
            ("button", "i1"),
            ("round", "i1"),
            ("last", "i1"),
            ("raises", "i2"),
            ("acts", "i2"),
            ("called", "i2"),
            ("actions", "i2"),
            ("max_spent", "i8"),
            ("min_raise_to", "i8"),
            ("stack", "i8", (n,)),
            ("spent", "i8", (n,)),
            ("round_spent", "i8", (n,)),
            ("folded", "?", (n,)),
            ("history", history, (length,)),
            ("history_round", "i2", (length,)),
            ("history_seat", "i2", (length,)),
        ]

    def new_row(self, button: int = 0, stacks: Sequence[int] = ()) -> dict[str, Any]:
        """Return a fresh hand as plain ints and lists, for uncompiled use: call :func:`post` on it.

        ``stacks`` (by seat) defaults to unlimited chips.
        """
        n, length = self.num_players, self.history_length
        row: dict[str, Any] = {"current": -1, "button": button, "round": 0, "last": button}
        row.update({"raises": 0, "acts": 0, "called": 0, "actions": 0, "max_spent": 0, "min_raise_to": 0})
        row.update({"stack": list(stacks) or [UNLIMITED] * n, "spent": [0] * n, "round_spent": [0] * n})
        row.update({"folded": [False] * n, "history": [-1] * length})
        row.update({"history_round": [-1] * length, "history_seat": [-1] * length})
        return row
