"""Rooms' hands as cardai's records, each with a game of its own, and what the room said of it beside."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from cardai.core.format import LeftOut
from cardai.formats.hand_values import card_set, set_value
from cardai.formats.rooms.hand import RoomHand


def record_of(hand: RoomHand, number: int, agents: list[str], places: dict[str, int]) -> dict[str, Any] | LeftOut:
    """Return a hand as a record; names not yet in ``agents`` are added to it, and to ``places``.

    A record deals every card. Cards that the file does not show are dealt from those nobody had, to losers of a showdown so
    that they lose, and ``room`` says whose they are (``unknown``).
    """
    dealt = _dealt(hand)
    if dealt is None:
        return LeftOut(f"hand {hand.number}: who won showed no cards, so none can be dealt.", "winners without cards")
    for player in hand.players:
        if player.name not in places:
            places[player.name] = len(agents)
            agents.append(player.name)
    return {
        "game_number": number,
        "hand": 0,
        "seats": [places[player.name] for player in hand.players],
        "seed": 0,
        "setup": {"starter": len(hand.players) - 1, "score": [], "stacks": [player.stack for player in hand.players]},
        "deck": [*(card for pair in dealt for card in pair), *hand.board],
        "actions": list(hand.moves),
        "returns": list(hand.returns),
        "outcome": {
            "showdown": hand.showdown,
            "round": hand.actions[-1].round if hand.actions else 0,
            "pot": hand.pot - sum(player.dead for player in hand.players),
        },
        "game": hand.game,
        "room": _note(hand),
    }


def _note(hand: RoomHand) -> dict[str, Any]:
    """Return what a record keeps of the room: plain values."""
    note: dict[str, Any] = {
        "name": hand.room,
        "number": hand.number,
        "time": "" if hand.time is None else hand.time.isoformat(),
        "table": hand.table,
        "tournament": hand.tournament,
        "currency": hand.currency,
        "chip": hand.chip,
        "big_blind": hand.big_blind,
        "hero": hand.hero,
        "button": hand.button,
        "seats": [player.seat for player in hand.players],
        "net": [player.net for player in hand.players],
        "rake": hand.rake,
        "unknown": [k for k, player in enumerate(hand.players) if not player.cards],
    }
    if len(hand.boards) > 1:
        note["boards"] = [list(board) for board in hand.boards]
    if any(action.implied for action in hand.actions):
        note["implied"] = [k for k, action in enumerate(hand.actions) if action.implied]
    return note


def _dealt(hand: RoomHand) -> list[tuple[int, ...]] | None:
    """Return everybody's hole cards, those that nobody saw from the cards that are left; None: winners' are not known."""
    held = [player.cards for player in hand.players]
    if all(held):
        return held
    seen = {card for pair in held for card in pair} | {card for board in hand.boards for card in board}
    left = [card for rank in range(13) for suit in range(4) if (card := 13 * suit + rank) not in seen]
    folded = {action.player for action in hand.actions if action.kind == "fold"}
    out = list(held)
    for k, pair in enumerate(held):
        if pair or not hand.showdown or k in folded:
            continue
        found = _losing(hand, k, left, folded)
        if found is None:
            return None
        out[k] = found
        left = [card for card in left if card not in found]
    for k, pair in enumerate(out):
        if not pair:
            out[k], left = (left[-1], left[-2]), left[:-2]
    return out


def _losing(hand: RoomHand, player: int, left: list[int], folded: set[int]) -> tuple[int, int] | None:
    """Return two of the cards ``left`` with which a player loses to all who won and are known, or None."""
    if _won(hand, player):
        return None
    winners = [p.cards for k, p in enumerate(hand.players) if p.cards and k not in folded and _won(hand, k)]
    bar = [min((set_value(card_set((*pair, *board))) for pair in winners), default=0) for board in hand.boards]
    for pair in combinations(left, 2):
        if all(set_value(card_set((*pair, *board))) < least for board, least in zip(hand.boards, bar, strict=True)):
            return pair
    return None


def _won(hand: RoomHand, player: int) -> bool:
    """Whether a player got more than what nobody called."""
    live = [p.blind + sum(a.added for a in hand.actions if a.player == k) for k, p in enumerate(hand.players)]
    uncalled = max(0, live[player] - max(live[:player] + live[player + 1 :]))
    own = hand.players[player]
    return own.net + own.ante + own.dead + live[player] > uncalled
