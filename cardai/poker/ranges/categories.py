"""What a hand is on a board, as players say it: what it has made, what it may become, what it keeps from others.

>>> from cardai.cards.text import parse_cards
>>> board = parse_cards("KsTh7s")
>>> made(parse_cards("KdQd"), board), draw(parse_cards("QsJs"), board), blocker(parse_cards("AsQd"), board)
('top pair', 'flush draw and open-ended', 'blocks the best flush draw')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MADE = (
    "straight flush", "quads", "full house", "flush", "straight", "set", "trips", "two pair", "overpair", "top pair",
    "middle pair", "low pair", "pair of the board", "ace high", "nothing",
)  # fmt: skip
"""What a hand has made, the best first."""
DRAWS = ("flush draw and open-ended", "flush draw and gutshot", "flush draw", "open-ended", "gutshot", "none")


def _straight(ranks: set[int]) -> int:
    """Return the highest card of the best straight, -1 if there is none; an ace is low too."""
    known = ranks | ({-1} if 12 in ranks else set())
    tops = [top for top in range(3, 13) if all(rank in known for rank in range(top - 4, top + 1))]
    return max(tops, default=-1)


def made(hand: Sequence[int], board: Sequence[int]) -> str:
    """Return what a hand has made, one of MADE; what the board has by itself counts where the hand makes it better."""
    cards, counts = [*hand, *board], Counter(card % 13 for card in [*hand, *board])
    suit, most = Counter(card // 13 for card in cards).most_common(1)[0]
    if most >= 5 and _straight({card % 13 for card in cards if card // 13 == suit}) >= 0:
        return "straight flush"
    own, table = [card % 13 for card in hand], Counter(card % 13 for card in board)
    several = sorted(counts.values(), reverse=True)
    if several[0] == 4:
        return "quads"
    if several[0] == 3 and several[1] >= 2:
        return "full house"
    if most >= 5:
        return "flush"
    if _straight(set(counts)) >= 0:
        return "straight"
    if several[0] == 3:
        return "set" if own[0] == own[1] and table[own[0]] == 1 else "trips"
    return _pairs(own, table)


def _pairs(own: list[int], table: Counter[int]) -> str:
    """Return what a hand without three of a kind or better has made, from its ranks and the board's."""
    ranks = sorted(table, reverse=True)
    matched = [rank for rank in set(own) if table[rank]]
    if len(matched) == 2 or (matched and own[0] != own[1] and any(table[rank] == 2 for rank in table)):
        return "two pair"
    if own[0] == own[1]:
        return "overpair" if own[0] > ranks[0] else "middle pair" if own[0] > ranks[-1] else "low pair"
    if matched:
        place = ranks.index(matched[0])
        return "top pair" if place == 0 else "middle pair" if place == 1 else "low pair"
    if max(table.values()) == 2:
        return "pair of the board"
    return "ace high" if 12 in own else "nothing"


def draw(hand: Sequence[int], board: Sequence[int]) -> str:
    """Return what a hand may become with the next card, one of DRAWS; on a whole board "none"."""
    if len(board) == 5:
        return "none"
    cards = [*hand, *board]
    suits = Counter(card // 13 for card in cards)
    flush = any(suits[card // 13] == 4 for card in hand)
    ranks, table = {card % 13 for card in cards}, {card % 13 for card in board}
    now = _straight(ranks)
    outs = [rank for rank in range(13) if _straight(ranks | {rank}) > max(now, _straight(table | {rank}))]
    straight = "" if now >= 0 else "open-ended" if len(outs) >= 2 else "gutshot" if outs else ""
    if flush and not any(count >= 5 for count in suits.values()):
        return f"flush draw and {straight}" if straight else "flush draw"
    return straight or "none"


def blocker(hand: Sequence[int], board: Sequence[int]) -> str:
    """Return whether a hand that has no flush holds the best card of a suit that others may have; "" where it does not."""
    suits = Counter(card // 13 for card in board)
    for suit, count in suits.items():
        if count < 2 or (count == 2 and len(board) == 5) or sum(card // 13 == suit for card in hand) != 1:
            continue
        best = next(rank for rank in range(12, -1, -1) if 13 * suit + rank not in board)
        if 13 * suit + best in hand:
            return "blocks the best flush" if count >= 3 else "blocks the best flush draw"
    return ""
