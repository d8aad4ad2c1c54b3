"""The end of a hand: cards that are there once, a board as long as the betting, winners and chips as the rules have them."""

from __future__ import annotations

from itertools import combinations
from math import floor
from typing import Any

from attrs import evolve, frozen

from cardai.core.kernel import interpreted_copy
from cardai.formats.hand_values import card_set, set_value
from cardai.formats.rooms.readings import Table
from cardai.formats.rooms.text import UNITS
from cardai.formats.rooms.told import Refused, Told

rules = interpreted_copy("cardai.poker.rules._betting_kernels")

_BOARD = (0, 3, 4, 5)
_MOST_RAKE = 0.12
"""The largest share of a pot that is believed to be rake where the file does not say it."""
_ODD = 3.0
"""Chips a board by which a winner's share may differ, and a sum whose rake the file does not say: odd ones of each pot."""
_NOTHING = 0.01
"""Less than the smallest share of a chip, and more than what thirds of a board round away."""


@frozen
class Settled:
    """What a hand brought: ``net`` by the file, ``returns`` by the rules (no rake), ``rake`` all that the room took."""

    boards: tuple[tuple[int, ...], ...]
    net: tuple[int, ...]
    returns: tuple[float, ...]
    rake: int


def settle(
    told: Told, table: Table, row: dict[str, Any], law: dict[str, Any], contested: bool, beyond: list[int]
) -> Settled:
    """Return what a played hand brought. Raises Refused where cards, winners or chips do not agree.

    ``beyond`` is what each put in that nobody could call, and is in no ``spent``.
    """
    told = _collecting(told, table, row, beyond)
    boards = _boards(told, row, contested)
    _check_cards(told, boards)
    returns = [0.0] * len(table.names)
    for board in boards or ((),):
        out = [0.0] * len(table.names)
        rules.payoffs(row, law, _ranks(told, table, row, board, contested, beyond), out)
        returns = [total + one / max(len(boards), 1) for total, one in zip(returns, out, strict=True)]
    if told.unpaid:
        _check_seen(told, table, row, contested, returns)
        return Settled(boards, _whole(returns), tuple(returns), 0)
    unit, best, less = table.unit, None, None
    for returned in _uncalled(told, table, row, beyond):
        net = [
            told.collected.get(name, 0) // unit + returned[k] - row["spent"][k] - row["dead"][k]
            for k, name in enumerate(table.names)
        ]
        try:
            rake = _agreed(told, table, net, returns, row, len(boards))
        except Refused as error:
            best = best or error
        else:
            found = Settled(boards, tuple(net), tuple(returns), rake)
            if rake >= 0:
                return found
            less = less or found  # more was won than there is, by odd chips: unless it is read otherwise
    if less is not None:
        return less
    assert best is not None
    raise best


def _collecting(told: Told, table: Table, row: dict[str, Any], beyond: list[int]) -> Told:
    """Return ``told`` with what was collected, uncalled bets too, where it says what each has left in the end."""
    if not told.left:
        return told
    put = [spent + dead + more for spent, dead, more in zip(row["spent"], row["dead"], beyond, strict=True)]
    won = {name: told.left[name] - told.seats[name].stack + put[k] * table.unit for k, name in enumerate(table.names)}
    return evolve(told, collected={name: amount for name, amount in won.items() if amount})


def _check_seen(told: Told, table: Table, row: dict[str, Any], contested: bool, returns: list[float]) -> None:
    """Raise Refused if the cards do not say who won: of each pot somebody must have shown some, and the others have lost."""
    live = [k for k in range(len(table.names)) if not row["folded"][k]]
    if not contested or len(live) < 2:
        return
    last = sorted(row["spent"][k] for k in live)[-2]  # who is in the last pot that two are in is in all others
    shown = [k for k in live if table.names[k] in told.cards and table.names[k] not in told.mucked]
    if not any(row["spent"][k] >= last for k in shown):
        raise Refused("winners without cards", "nobody shows a hand, and it is not said who won")
    for k in set(live) - set(shown):
        if returns[k] + min(row["spent"][k], last) + row["dead"][k] > _NOTHING:
            raise Refused("another wins", f"{table.names[k]} showed nothing, and had the better cards")


def _whole(returns: list[float]) -> tuple[int, ...]:
    """Return what was won in whole chips; odd ones go to the first who win."""
    net = [floor(one + _NOTHING) for one in returns]
    for k, one in enumerate(returns):
        if sum(net) < 0 and one - net[k] > _NOTHING:
            net[k] += 1
    return tuple(net)


def _boards(told: Told, row: dict[str, Any], contested: bool) -> tuple[tuple[int, ...], ...]:
    """Return the boards, of five cards if hands were compared. Raises Refused if one is too short."""
    needed = 5 if contested else _BOARD[row["round"]]
    boards = [board for board in told.boards if board]
    if not boards:
        if needed:
            raise Refused("the board is shorter than the betting", "")
        return ()
    whole = [boards[0]]
    for board in boards[1:]:  # later ones may be written from where they part
        whole.append(board if len(board) >= len(boards[0]) else boards[0][: len(boards[0]) - len(board)] + board)
    if any(len(board) < needed or len(board) > 5 for board in whole):
        raise Refused("the board is shorter than the betting", f"{len(whole[0])} cards")
    return tuple(dict.fromkeys(whole)) if contested else tuple(whole[:1])


def _check_cards(told: Told, boards: tuple[tuple[int, ...], ...]) -> None:
    held = [card for pair in told.cards.values() for card in pair]
    if any(len(pair) != 2 for pair in told.cards.values()):
        raise Refused("another game", "not two hole cards")
    for board in boards:
        if len({*held, *board}) < len(held) + len(board):
            raise Refused("a card is there twice", "")
    for one, other in combinations(boards, 2):  # they part before the flop, the turn or the river, and share one deck
        parted = next((cards for cards in (4, 3) if one[:cards] == other[:cards]), 0)
        if set(one[parted:]) & set(other[parted:]):
            raise Refused("a card is there twice", "on two of the boards")


def _ranks(
    told: Told, table: Table, row: dict[str, Any], board: tuple[int, ...], contested: bool, beyond: list[int]
) -> list[int]:
    """Return each hand's rank. One that nobody saw has won where its player collected more than what nobody called."""
    if not contested:
        return [0] * len(table.names)
    second, top = sorted(row["spent"])[-2:]
    ranks = []
    for k, name in enumerate(table.names):
        held = told.cards.get(name)
        if row["folded"][k]:
            ranks.append(0)
        elif held is None:
            over = beyond[k] + (top - second if row["spent"][k] == top else 0)  # it may be in what is collected
            back = 0 if told.returned else over
            ranks.append(2**30 if told.collected.get(name, 0) // table.unit not in (0, back) else 0)
        else:
            ranks.append(set_value(card_set((*held, *board))))
    return ranks


def _uncalled(told: Told, table: Table, row: dict[str, Any], beyond: list[int]) -> list[list[int]]:
    """Return what came back of each player's bets: as the file says, else nothing (it is in what was collected), else all,
    which is asked first where the file says that it is apart: less than the most rake would pass for rake.

    Less what was put in ``beyond`` all others, which no bet has had.
    """
    said = [told.returned.get(name, 0) // table.unit for name in table.names]
    less = [given - more for given, more in zip(said, beyond, strict=True)]
    if any(said) or any(beyond):
        return [less, said] if any(beyond) else [said]
    ordered = sorted(row["spent"])
    over = ordered[-1] - ordered[-2]
    back = [over if spent == ordered[-1] else 0 for spent in row["spent"]]
    if not over:
        return [said]
    return [back, said] if told.apart else [said, back]


def _agreed(told: Told, table: Table, net: list[int], returns: list[float], row: dict[str, Any], boards: int) -> int:
    """Return the rake. Raises Refused where what the file says that was won is not what the rules give, less rake."""
    unit, odd = table.unit, _ODD * max(boards, 1)
    less = [ours - theirs for ours, theirs in zip(returns, net, strict=True)]
    insured = {k for k, name in enumerate(table.names) if name in told.insured}
    if insured:
        return (told.rake or 0) // unit
    rake = -sum(net)
    pot = sum(row["spent"]) + sum(row["dead"])
    if told.rake is not None:
        said = told.rake - told.dropped
        part = told.tournament and abs(rake * unit - said) < UNITS  # what is won is written without its part of a chip
        if rake * unit not in (said, said - told.tax) and not part:
            raise Refused("chips do not add up", f"{rake} are missing, the rake is {said / unit:g}")
    elif not -odd <= rake <= (odd if told.tournament else _MOST_RAKE * pot + odd):
        raise Refused("chips do not add up", f"{rake} of {pot} are missing")
    for k, name in enumerate(table.names):
        won = returns[k] + row["spent"][k] + row["dead"][k] > _NOTHING
        if not won and abs(less[k]) > _NOTHING:
            raise Refused("another wins", f"{name} has {net[k]:+}, by the rules {returns[k]:+g}")
        if won and not min(0, rake) - odd <= less[k] <= max(0, rake) + odd:
            raise Refused("a winner wins another amount", f"{name} has {net[k]:+}, by the rules {returns[k]:+g}")
    return rake
