"""The kernel that says of many rivers at once where hands stand: what :mod:`._device_source` reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._equity_kernels import rank_all
from cardai.poker.hands._range_kernels import level_ends


@kernel
def river_cards(boards: Any, pairs: Any, tables: Any, cards: Any, lists: Any) -> None:
    """Fill ``cards`` (r, 9, 1081) and ``lists`` (r, 46, 47) int16 for ``boards`` (r, 5) int8.

    By hand in ascending order of strength: its number, the first place and one past the last of its strength, the same
    among the hands with its first card and with its second, and its two cards, counted among the 47 that are left. Lists
    are the places of the hands with each of those cards.
    """
    n = cards.shape[2]
    ranked, ends = np.empty(len(pairs), np.int64), np.empty(n, np.int64)
    slot, held = np.empty(52, np.int64), np.empty(52, np.int64)
    begins = np.empty(52, np.int64)
    for r in range(len(boards)):
        rank_all(boards[r], pairs, tables, ranked)
        level_ends(ranked[:n], ends)
        slot[:] = 0
        for card in boards[r]:
            slot[card] = -1
        count = 0
        for card in range(52):
            if slot[card] == 0:
                slot[card] = count
                count += 1
        held[:] = 0
        first = 0
        while first < n:
            last = ends[first]
            for card in range(52):
                begins[card] = held[card]
            for k in range(first, last):
                hand = ranked[k] & 2047
                cards[r, 0, k], cards[r, 1, k], cards[r, 2, k] = hand, first, last
                for side in range(2):
                    card = pairs[hand, side]
                    cards[r, 7 + side, k] = slot[card]
                    cards[r, 3 + 2 * side, k] = begins[card]
                    lists[r, held[card], slot[card]] = k
                    held[card] += 1
            for k in range(first, last):
                hand = ranked[k] & 2047
                for side in range(2):
                    cards[r, 4 + 2 * side, k] = held[pairs[hand, side]]
            first = last


@kernel
def come_back(order: Any, maps: Any, which: Any, places: Any) -> None:
    """Fill ``places`` (m, 1326): where each hand stands under each renaming ``maps`` (m, 1326) of the river ``which`` (m,).

    ``order`` (r, n) are the rivers' hands; n is written where there is none.
    """
    places[:] = order.shape[1]
    for m in range(len(maps)):
        for k in range(order.shape[1]):
            places[m, maps[m, order[which[m], k]]] = k
