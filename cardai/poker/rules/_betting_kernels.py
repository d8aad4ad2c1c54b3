"""The kernels of betting: see :mod:`cardai.poker.rules.betting` for the rules, the rows and what positions are."""

from __future__ import annotations

from typing import Any

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
ALL_IN = -1.0
"""The rung of a bet ladder that puts everything in (others are fractions of the pot)."""


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
    other = seat
    for _ in range(n):
        other += 1
        if other >= n:
            other -= n
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

    Dead chips leave the stack for ``dead`` before anything else is posted, and are no part of ``spent``. Sets ``current`` to the first seat to act and returns CONTINUES, or SHOWDOWN when posting left nobody a choice.
    """
    n = rules["num_players"]
    top = 0
    blind = rules["minimum_bet"]
    for position in range(n):
        seat = (row["button"] + rules["offset"] + position) % n
        row["dead"][seat] = min(rules["dead"][position], row["stack"][seat])
        if row["stack"][seat] < UNLIMITED:
            row["stack"][seat] -= row["dead"][seat]
        stack = row["stack"][seat]
        ante = min(rules["ante"], stack)
        amount = min(ante + rules["blinds"][position], stack)
        row["spent"][seat] = amount
        row["round_spent"][seat] = amount - ante
        row["folded"][seat] = rules["away"][position]
        top = max(top, amount)
        blind = max(blind, rules["blinds"][position])
    row["max_spent"] = top
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
    if rules["full_blinds"] and count > 1:
        row["max_spent"] = max(top, rules["ante"] + blind)
    row["min_raise_to"] = row["max_spent"] + blind
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
    """Return all chips put in so far, dead ones among them."""
    total = 0
    for seat in range(rules["num_players"]):
        total += row["spent"][seat] + row["dead"][seat]
    return total


@kernel
def can_fold(row: Any, rules: Any) -> Any:
    """Say whether the seat to act may fold."""
    return rules["fold_anytime"] or row["spent"][row["current"]] != row["max_spent"]  # more: see act


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
    if stack <= row["max_spent"] and not rules["empty_raises"]:
        return 0, 0
    if rules["no_limit"]:
        low = min(row["min_raise_to"], stack)
        if rules["pot_limit"]:
            return low, max(low, min(row["max_spent"] + pot(row, rules) + to_call(row, row["current"]), stack))
        return low, stack
    amount = min(limit_bet(row, rules), stack)
    return amount, amount


@kernel
def limit_bet(row: Any, rules: Any) -> Any:
    """Return what a raise of a limit game brings the bet to, in chips of the whole hand, for who has them.

    With ``completes`` an all-in of less than half a bet is made a whole one, and one of half or more counts as one.
    """
    size = rules["raise_sizes"][row["round"]]
    if not rules["completes"]:
        return row["max_spent"] + size
    before = row["spent"][row["current"]] - row["round_spent"][row["current"]]
    bets = (2 * (row["max_spent"] - before) + size) // (2 * size)
    return before + (bets + 1) * size


@kernel
def rung_amount(row: Any, rules: Any, rung: Any, low: Any, high: Any) -> Any:
    """Return what a rung of the ladder raises to, or 0 where it is no legal amount between ``low`` and ``high``.

    A fraction is of the pot as it is after a call. What reaches the whole stack is the all-in rung's; a ladder without
    that rung lets its first fraction that reaches so far go all-in.
    """
    if rules["fractions"][rung] == ALL_IN:
        return high
    called = pot(row, rules) + to_call(row, row["current"])
    amount = row["max_spent"] + int(rules["fractions"][rung] * called)
    if amount < low:
        return 0
    if amount < high:
        return amount
    if rules["fractions"][rules["rungs"] - 1] == ALL_IN:
        return 0
    if rung > 0 and row["max_spent"] + int(rules["fractions"][rung - 1] * called) >= high:
        return 0
    return high


@kernel
def act(row: Any, rules: Any, action: Any) -> Any:
    """Play a legal action of the seat to act: 0 folds, 1 checks or calls, N >= 2 raises (no-limit: to N chips).

    An empty raise by a stack that is smaller than the bet brings the bet down to it.

    Returns CONTINUES or ROUND_OVER with ``current`` the next seat to act, or SHOWDOWN or UNCONTESTED with -4.
    """
    seat = row["current"]
    amount = row["spent"][seat]
    if action == 0:
        row["folded"][seat] = 1
    elif action == 1:
        amount = min(row["max_spent"], row["stack"][seat])
        if amount < row["stack"][seat]:
            row["called"] += 1
    else:
        if rules["no_limit"]:
            amount = action
        else:
            amount = min(limit_bet(row, rules), row["stack"][seat])
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
    if row["folded"][seat] and count_live(row, rules) < 2:
        row["current"] = -4
        return 3
    count = count_able(row, rules)
    if row["called"] < count and not (count == 1 and rules["full_blinds"] and _covers(row, rules)):
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
def _covers(row: Any, rules: Any) -> Any:
    """Say whether the one seat that can still act has put in all that others have: only a blind that nobody has is not called."""
    most = 0
    own = 0
    for seat in range(rules["num_players"]):
        if able(row, seat):
            own = row["spent"][seat]
        elif not row["folded"][seat]:
            most = max(most, row["spent"][seat])
    return own >= most


@kernel
def _pay_dead(row: Any, rules: Any, ranks: Any, out: Any) -> None:
    """Add to ``out`` (P,) what dead chips cost the seats that paid them and brought the winners."""
    winners = 0
    best = ranks[0]
    total = 0
    for seat in range(rules["num_players"]):
        total += row["dead"][seat]
        if not row["folded"][seat]:
            if winners == 0 or ranks[seat] > best:
                best = ranks[seat]
                winners = 1
            elif ranks[seat] == best:
                winners += 1
    for seat in range(rules["num_players"]):
        out[seat] -= row["dead"][seat]
        if not row["folded"][seat] and ranks[seat] == best:
            out[seat] += total / winners


@kernel
def left_alone(row: Any, rules: Any) -> Any:
    """Return the only seat that has not folded, if it has chips behind; else -1."""
    alone = -1
    for seat in range(rules["num_players"]):
        if not row["folded"][seat]:
            if alone >= 0:
                return -1
            alone = seat
    return alone if alone >= 0 and able(row, alone) else -1


@kernel
def payoffs(row: Any, rules: Any, ranks: Any, out: Any) -> None:
    """Fill ``out`` (P,) with each seat's net chips of a finished hand. ``ranks`` (P,): more is better; ties split.

    Every distinct amount put in bounds one pot, won by the best of those who paid it in full and have not folded. Who is
    left alone and not all-in wins what all others put in, also the blind of one who is away that he was yet to call. Dead
    chips go to the best of all who have not folded.
    """
    n = rules["num_players"]
    dead = False
    for seat in range(n):
        out[seat] = 0.0
        dead = dead or row["dead"][seat] > 0
    if dead:
        _pay_dead(row, rules, ranks, out)
    alone = left_alone(row, rules)
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
        if winners == 0 and alone >= 0:
            out[alone] += (high - low) * payers
        for seat in range(n):
            if (winners > 0 or alone >= 0) and row["spent"][seat] > low:
                if not row["folded"][seat] and ranks[seat] == best:
                    out[seat] += (high - low) * (payers - winners) / winners
                else:
                    out[seat] -= high - low
        low = high
