"""Kernels of gin rummy's melds: exact minimum deadwood, all best arrangements, layoffs.

Every set here is in *gin order*: a uint64 with bit 13*suit + rank, where the ace is rank 0 (low only) and the king 12.
:func:`to_gin` and :func:`from_gin` convert from and to the house's order (ace high).

Why it is fast: in one suit the cards that runs can hold are exactly those in blocks of three or more neighbours, and all
of them fit at once. So runs need a few shifts, sets of a rank are independent of one another, and the two compete only
where a rank held three or four times meets such a block. Only there are choices tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel

MAX_MELDS = 4
"""Room for melds of one hand (11 cards hold at most three; a fourth for hands of 12 and 13)."""

U0 = np.uint64(0)
U1 = np.uint64(1)
U2 = np.uint64(2)
U12 = np.uint64(12)
U13 = np.uint64(13)
U26 = np.uint64(26)
U39 = np.uint64(39)
_U58 = np.uint64(58)
SUIT = np.uint64(0x1FFF)
SUITS = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)  # a rank times this is the rank in all suits
_LOW_ACES = SUITS
_HIGH_ACES = np.uint64(int(SUITS) << 12)
_KINGS = _HIGH_ACES
_RUN_STARTS = np.uint64(sum(0x7FF << 13 * suit for suit in range(4)))  # a run of three begins at the jack at most
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)


def _index_table() -> np.ndarray[Any, Any]:
    table = np.zeros(64, np.int64)
    for i in range(64):
        table[((int(_DE_BRUIJN) << i) & (1 << 64) - 1) >> 58] = i
    return table


def _suit_tables() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return for each of the 8192 holdings of a suit its points and the number of ways to split it into runs."""
    points = np.zeros(1, np.int64)
    blocks = np.zeros(1, np.int64)  # length of the block of neighbours that ends at the highest rank so far
    ways = np.ones((1, 14), np.int64)  # ways[m, k]: splits of all but the last k ranks of the last block
    splits = [1, 0, 0]  # splits[n]: ways to cut n neighbours into runs of three and more
    for n in range(3, 14):
        splits.append(sum(splits[n - length] for length in range(3, n + 1)))
    factor = np.array([1, 1, 1, *splits[3:]], np.int64)
    closed = ways[:, 0]  # ways of all blocks that have ended
    for rank in range(13):
        new_points = points + min(rank + 1, 10)
        closed = np.concatenate([closed * factor[blocks], closed])
        points = np.concatenate([points, new_points])
        blocks = np.concatenate([np.zeros_like(blocks), blocks + 1])
    return points.astype(np.uint8), (closed * factor[blocks]).astype(np.int64)


_INDEX = _index_table()
_POINTS, _RUN_WAYS = _suit_tables()


@kernel
def to_gin(cards: Any) -> Any:
    """Return a set of cards (ace high) in gin order (ace low)."""
    aces = cards & _HIGH_ACES
    return ((cards ^ aces) << U1) | (aces >> U12)


@kernel
def from_gin(cards: Any) -> Any:
    """Return a set in gin order (ace low) as a set of cards (ace high)."""
    aces = cards & _LOW_ACES
    return ((cards ^ aces) >> U1) | (aces << U12)


@kernel
def lowest(cards: Any) -> Any:
    """Return the lowest card of a set, as a set (none of none)."""
    return cards & (~cards + U1)


@kernel
def index_of(single: Any) -> Any:
    """Return the index (int64) of the only card of a set."""
    return _INDEX[np.int64((single * _DE_BRUIJN) >> _U58)]


@kernel
def size_of(cards: Any) -> Any:
    """Return the number of cards of a set (int64)."""
    count = 0
    while cards != U0:
        cards = cards & (cards - U1)
        count += 1
    return count


@kernel
def nth_card(cards: Any, n: Any) -> Any:
    """Return the card of a set that has ``n`` others below it, as a set."""
    for _ in range(n):
        cards = cards & (cards - U1)
    return lowest(cards)


@kernel
def points_of(cards: Any) -> Any:
    """Return the summed card points of a set (ace 1, court cards 10) as int64."""
    return (
        np.int64(_POINTS[np.int64(cards & SUIT)])
        + np.int64(_POINTS[np.int64((cards >> U13) & SUIT)])
        + np.int64(_POINTS[np.int64((cards >> U26) & SUIT)])
        + np.int64(_POINTS[np.int64((cards >> U39) & SUIT)])
    )


@kernel
def run_cards(cards: Any) -> Any:
    """Return the cards that lie in blocks of three or more neighbours of a suit."""
    starts = cards & (cards >> U1) & (cards >> U2) & _RUN_STARTS
    return starts | (starts << U1) | (starts << U2)


@kernel
def triple_ranks(cards: Any) -> Any:
    """Return the ranks (13 bits) that a set holds three or four times."""
    c = cards & SUIT
    d = (cards >> U13) & SUIT
    h = (cards >> U26) & SUIT
    s = (cards >> U39) & SUIT
    return (c & d & (h | s)) | (h & s & (c | d))


@kernel
def best_melded(cards: Any) -> Any:
    """Return the cards melded in one arrangement of ``cards`` with the least deadwood (always the same one)."""
    runs = run_cards(cards)
    triples = triple_ranks(cards)
    if triples == U0:
        return runs
    sets = cards & (triples * SUITS)
    if sets & runs == U0:
        return runs | sets
    best = U0
    most = -1
    for choice in range(_choices(cards, triples, runs)):
        chosen = _chosen_sets(cards, triples, runs, choice)
        melded = chosen | run_cards(cards ^ chosen)
        points = points_of(melded)
        if points > most:
            most = points
            best = melded
    return best


@kernel
def deadwood_of(cards: Any) -> Any:
    """Return the least deadwood points (int64) of any arrangement of ``cards`` into disjoint melds."""
    return points_of(cards & ~best_melded(cards))


@kernel
def _choices(cards: Any, triples: Any, runs: Any) -> Any:
    """Return the number of ways to choose sets: 2 (no set, the set) or 6 (none, four of three cards, all four) a rank.

    A rank of which no card lies in a run takes its whole set: that costs nothing.
    """
    total = 1
    while triples != U0:
        rank = lowest(triples)
        triples = triples ^ rank
        holding = cards & (rank * SUITS)
        if holding & runs != U0:
            total *= 6 if size_of(holding) == 4 else 2
    return total


@kernel
def _chosen_sets(cards: Any, triples: Any, runs: Any, choice: Any) -> Any:
    """Return the cards in the sets of choice number ``choice`` (see :func:`_choices`)."""
    chosen = U0
    while triples != U0:
        rank = lowest(triples)
        triples = triples ^ rank
        holding = cards & (rank * SUITS)
        if holding & runs == U0:
            chosen = chosen | holding
        elif size_of(holding) == 3:
            if choice % 2 == 1:
                chosen = chosen | holding
            choice = choice // 2
        else:
            option = choice % 6
            choice = choice // 6
            if option == 5:
                chosen = chosen | holding
            elif option > 0:
                chosen = chosen | (holding ^ nth_card(holding, option - 1))
    return chosen


@kernel
def _ways(cards: Any) -> Any:
    """Return in how many ways the runs of ``cards`` can be cut so that all cards of blocks are melded."""
    return (
        _RUN_WAYS[np.int64(cards & SUIT)]
        * _RUN_WAYS[np.int64((cards >> U13) & SUIT)]
        * _RUN_WAYS[np.int64((cards >> U26) & SUIT)]
        * _RUN_WAYS[np.int64((cards >> U39) & SUIT)]
    )


@kernel
def count_best(cards: Any) -> Any:
    """Return the number (int64) of different arrangements of ``cards`` with the least deadwood."""
    runs = run_cards(cards)
    triples = triple_ranks(cards)
    most = points_of(best_melded(cards))
    total = 0
    for choice in range(_choices(cards, triples, runs)):
        chosen = _chosen_sets(cards, triples, runs, choice)
        rest = cards ^ chosen
        if points_of(chosen | run_cards(rest)) == most:
            total += _ways(rest)
    return total


@kernel
def best_arrangement(cards: Any, number: Any, melds: Any) -> Any:
    """Write best arrangement ``number`` (0 <= number < count_best) to ``melds`` ((k,) uint64); return how many melds.

    Runs come before sets: runs by suit and lowest card, sets by rank; unused entries become 0.
    """
    melds[:] = U0
    runs = run_cards(cards)
    triples = triple_ranks(cards)
    most = points_of(best_melded(cards))
    for choice in range(_choices(cards, triples, runs)):
        chosen = _chosen_sets(cards, triples, runs, choice)
        rest = cards ^ chosen
        if points_of(chosen | run_cards(rest)) != most:
            continue
        ways = _ways(rest)
        if number < ways:
            count = _write_runs(run_cards(rest), number, melds)
            while chosen != U0:
                # the lowest rank of the sets left, over all suits
                ranks = (chosen | (chosen >> U13) | (chosen >> U26) | (chosen >> U39)) & SUIT
                melds[count] = chosen & (lowest(ranks) * SUITS)
                chosen = chosen ^ melds[count]
                count += 1
            return count
        number -= ways
    return 0


@kernel
def _splits(length: Any) -> Any:
    """Return the number of ways to cut ``length`` neighbours into runs (one way to cut none)."""
    if length == 0:
        return np.int64(1)
    if length < 3:
        return np.int64(0)
    return _RUN_WAYS[(1 << length) - 1]


@kernel
def _write_runs(runs: Any, number: Any, melds: Any) -> Any:
    """Cut the blocks ``runs`` in way ``number`` and write the runs, lowest first; return how many."""
    count = 0
    while runs != U0:
        first = lowest(runs)
        length = 1
        card = first
        while card & _KINGS == U0 and (card << U1) & runs != U0:
            card = card << U1
            length += 1
        runs = runs & ~((first << np.uint64(length)) - first)
        ways = _splits(length)
        part = number % ways
        number = number // ways
        while length > 0:
            cut = length  # way 0 leaves the block whole
            while part >= _splits(length - cut):
                part -= _splits(length - cut)
                cut -= 1
            melds[count] = (first << np.uint64(cut)) - first
            count += 1
            first = first << np.uint64(cut)
            length -= cut
    return count


@kernel
def extensions(meld: Any) -> Any:
    """Return the cards that would lengthen a meld: both ends of a run, the missing suit of a set."""
    if meld & (meld >> U1) != U0:
        return (((meld << U1) & ~_LOW_ACES) | ((meld >> U1) & ~_KINGS)) & ~meld
    rank = (meld | (meld >> U13) | (meld >> U26) | (meld >> U39)) & SUIT
    return (rank * SUITS) & ~meld


@kernel
def lay_off_first_fit(loose: Any, melds: Any, count: Any) -> Any:
    """Lay loose cards off on ``melds[:count]`` as the EAAI framework does; return the cards laid off.

    Scan loose cards upwards; put the first that fits on the first meld (in the order given) that takes it; scan again
    until nothing fits. ``melds`` grows in place.
    """
    laid = U0
    found = True
    while found:
        found = False
        left = loose & ~laid
        while left != U0 and not found:
            card = lowest(left)
            left = left ^ card
            for k in range(count):
                if extensions(melds[k]) & card != U0:
                    melds[k] = melds[k] | card
                    laid = laid | card
                    found = True
                    break
    return laid


@kernel
def _most_laid(loose: Any, melds: Any, count: Any) -> Any:
    """Return all cards of ``loose`` that can be laid off together: runs grow first, since only they open new places."""
    laid = U0
    for k in range(count):
        if melds[k] & (melds[k] >> U1) != U0:
            run = melds[k]
            new = extensions(run) & loose & ~laid
            while new != U0:
                run = run | new
                laid = laid | new
                new = extensions(run) & loose & ~laid
    for k in range(count):
        if melds[k] & (melds[k] >> U1) == U0:
            laid = laid | (extensions(melds[k]) & loose)
    return laid


@kernel
def lay_off_best(hand: Any, melds: Any, count: Any) -> Any:
    """Return the cards of ``hand`` to lay off so that, the rest melded at its best, the least deadwood is left.

    Of equally good ways the one found first (fewest high cards) is returned. ``melds`` is not changed.
    """
    possible = _most_laid(hand, melds, count)
    best = U0
    least = deadwood_of(hand)
    laid = U0
    while laid != possible:
        laid = (laid - possible) & possible  # the next subset
        if _most_laid(laid, melds, count) == laid:
            deadwood = deadwood_of(hand ^ laid)
            if deadwood < least:
                least = deadwood
                best = laid
    return best


@kernel
def sizes_of(sets: Any) -> Any:
    """Return the number of cards of each set (n,) uint64, as (n,) int64."""
    out = np.empty(len(sets), np.int64)
    for i in range(len(sets)):
        out[i] = size_of(sets[i])
    return out


@kernel
def deadwoods_of(sets: Any) -> Any:
    """Return the least deadwood points of each hand (n,) uint64 in the house's order, as (n,) int64."""
    out = np.empty(len(sets), np.int64)
    for i in range(len(sets)):
        out[i] = deadwood_of(to_gin(sets[i]))
    return out


@kernel
def melded_of(sets: Any) -> Any:
    """Return the melded cards of each hand (n,) uint64 in the house's order, likewise."""
    out = np.empty(len(sets), np.uint64)
    for i in range(len(sets)):
        out[i] = from_gin(best_melded(to_gin(sets[i])))
    return out
