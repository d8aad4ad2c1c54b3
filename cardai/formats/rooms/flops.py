"""Rooms' hands as they are graded (:mod:`cardai.poker.grading`): before the flop, and as pots for two after it; the rest is
counted by why it is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np
from attrs import frozen

from cardai.core.format import LeftOut
from cardai.formats.rooms.hand import Action, RoomHand
from cardai.poker.grading.before import BeforeFlop
from cardai.poker.grading.flops import FlopHand, Move
from cardai.poker.grading.whole import WholeHand
from cardai.poker.preflop.charts import POTS

DAY = timedelta(hours=24)
ANY_ZONE = timedelta(hours=14)
"""A clock whose zone is not named may be so far behind or ahead of UTC's (from -12 to +14 hours)."""
FOLDED = "folded before the flop"
POSTED = "no small blind, posts beside the blinds, or nothing decided before the flop"
AGAIN = "the same hand again (its number and all that was done)"
RECENT = "played less than a day ago (rooms forbid help while one plays; --recent grades it)"


@frozen
class Sorted:
    """What a file's hands are: those of which something may be graded, with their number in the file, and the others by the
    reason."""

    hands: tuple[tuple[int, WholeHand], ...]
    left_out: dict[str, int]
    rake: float
    """The room's share of the pots, ..."""
    rake_cap: float
    """... and the most that it took, in big blinds."""
    heroes: tuple[str, ...]

    @property
    def flops(self) -> tuple[tuple[int, FlopHand], ...]:
        """The pots for two."""
        return tuple((number, hand.flop) for number, hand in self.hands if hand.flop is not None)


def sorted_hands(hands: Iterable[RoomHand | LeftOut], hero: str | None, recent: bool, now: datetime) -> Sorted:
    """Return what can be graded of ``hands``; ``hero`` None: whose cards the files show. ``recent``: today's hands too."""
    kept: list[tuple[int, WholeHand]] = []
    left_out: Counter[str] = Counter()
    shares: list[tuple[float, float]] = []
    heroes: Counter[str] = Counter()
    known: set[int] = set()
    for number, hand in enumerate(hands, 1):
        if isinstance(hand, LeftOut):
            left_out[f"not read: {hand.reason}"] += 1
            continue
        same = hash((hand.room, hand.number, hand.time, hand.table, hand.moves, hand.boards))
        if hand.number and same in known:
            left_out[AGAIN] += 1
            continue
        known.add(same)
        if hand.board and hand.rake > 0:
            called = called_pot(hand)
            shares.append((hand.rake / called if called else 0.0, hand.rake / hand.big_blind))
        who = seat_of(hand, hero)
        if who is not None:
            heroes[hand.players[who].name] += 1
        found = whole_of(hand, who) if recent or not is_recent(hand, now) else RECENT
        if isinstance(found, str):
            left_out[found] += 1
        else:
            kept.append((number, found))
    rate = float(np.median([share for share, _ in shares])) if shares else 0.0
    cap = max((most for _, most in shares), default=0.0)
    return Sorted(tuple(kept), dict(left_out), min(round(rate, 3), 0.2), round(cap, 2), tuple(heroes))


def is_recent(hand: RoomHand, now: datetime) -> bool:
    """Whether a hand may have been played within a day of ``now`` (aware), or does not say when it was."""
    if hand.time is None:
        return True
    return now - hand.time < (DAY if hand.zoned else DAY + ANY_ZONE)


def seat_of(hand: RoomHand, hero: str | None) -> int | None:
    """Return which of a hand's players is graded."""
    if hero is None:
        return hand.hero if hand.hero >= 0 else None
    return next((k for k, player in enumerate(hand.players) if player.name == hero), None)


def put_in(hand: RoomHand, player: int, round_: int) -> int:
    """Return what a player put into the pot in a round, blinds counted, antes and dead chips not."""
    blind = hand.players[player].blind if round_ == 0 else 0
    return max([blind, *(a.to for a in hand.actions if a.player == player and a.round == round_)])


def called_pot(hand: RoomHand) -> int:
    """Return the pot without what nobody called."""
    spent = [sum(put_in(hand, k, r) for r in range(4)) for k in range(len(hand.players))]
    ordered = sorted(spent)
    uncalled = ordered[-1] - ordered[-2] if len(ordered) > 1 else 0
    return sum(spent) - uncalled + sum(player.ante + player.dead for player in hand.players)


def whole_of(hand: RoomHand, who: int | None) -> WholeHand | str:
    """Return a hand as it is graded, or why nothing of it can be."""
    if hand.betting != "nolimit":
        return "other betting than no-limit"
    if who is None:
        return "the player is not in it"
    if len(hand.players[who].cards) != 2:
        return "the player's cards are not known"
    flop, before = flop_of(hand, who), before_of(hand, who)
    after = sum(action.player == who and action.round > 0 for action in hand.actions)
    if before is None and isinstance(flop, str):
        return POSTED if flop == FOLDED else flop
    returns = hand.players[who].net / hand.big_blind
    if isinstance(flop, str):
        return WholeHand(before, None, flop, after, returns, who)
    return WholeHand(before, flop, "", after, returns, who)


def before_of(hand: RoomHand, who: int) -> BeforeFlop | None:
    """Return a hand before the flop, None where it is none that a chart could be for, or the player has nothing to decide."""
    blind, players = hand.big_blind, hand.players
    big = 0 if len(players) == 2 else 1  # whose dead chips are an ante for the table
    if hand.big != big or not players[1 - big].blind:  # a chart's small blind posts
        return None
    if any((player.dead and seat != big) or (player.blind and seat > 1) for seat, player in enumerate(players)):
        return None
    moves = tuple(
        (action.player, action.kind, action.to / blind, place)
        for place, action in enumerate(hand.actions)
        if action.round == 0
    )
    if not any(seat == who for seat, *_ in moves) or any(
        to <= 0 for _, kind, to, _ in moves if kind in ("bet", "raise")
    ):
        return None
    cards = players[who].cards
    return BeforeFlop(
        tuple(player.stack / blind for player in players),
        sum(player.ante + player.dead for player in players) / blind / len(players),
        moves,
        who,
        (cards[0], cards[1]),
    )


def flop_of(hand: RoomHand, who: int) -> FlopHand | str:
    """Return a hand as a pot for two from the flop on, or why it is none."""
    before = [a for a in hand.actions if a.round == 0]
    folded = {a.player for a in before if a.kind == "fold"}
    if who in folded:
        return FOLDED
    if len(hand.board) < 3:
        return "it ended before the flop"
    left = [k for k in range(len(hand.players)) if k not in folded]
    if len(left) != 2:
        return "more than two players saw the flop"
    return _of_two(hand, before, (left[0], left[1]), who)


def _of_two(hand: RoomHand, before: Sequence[Action], left: tuple[int, int], who: int) -> FlopHand | str:
    everybody = range(len(hand.players))
    posted = sum(player.ante + player.dead for player in hand.players)
    stacks = [hand.players[k].stack - hand.players[k].ante - hand.players[k].dead - put_in(hand, k, 0) for k in left]
    if min(stacks) <= 0:
        return "all-in before the flop"
    moves = _moves(hand, left, min(stacks))
    hero = left.index(who)
    if not any(move.seat == hero for move in moves):
        return "no decision after the flop"
    raises = [a.player for a in before if a.kind in ("bet", "raise")]
    last = raises[-1] if raises else -1
    cards = hand.players[who].cards
    names = hand.positions
    return FlopHand(
        hand.board,
        posted + sum(put_in(hand, k, 0) for k in everybody),
        (float(stacks[0]), float(stacks[1])),
        tuple(moves),
        hero,
        (cards[0], cards[1]),
        (names[left[0]], names[left[1]]),
        POTS[min(len(raises), 3)],
        ("raise" if left[0] == last else "call", "raise" if left[1] == last else "call"),
        hand.big_blind,
        hand.players[who].net,
        left.index(last) if last in left else -1,
        left,
        raked=not hand.tournament,
    )


def _moves(hand: RoomHand, left: tuple[int, int], behind: int) -> list[Move]:
    """Return what the two did after the flop; what one has more than the other is not played for."""
    put = [0, 0]
    moves = []
    for street in range(3):
        to = [0, 0]
        for action in hand.actions:
            if action.round == street + 1 and action.player in left:
                seat = left.index(action.player)
                to[seat] = max(to[seat], min(action.to, behind - put[seat]))
                moves.append(Move(street, seat, action.kind, float(to[seat])))
        put = [put[k] + to[k] for k in range(2)]
    return moves
