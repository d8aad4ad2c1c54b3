"""Kernels that rename suits and order cards, so that hands which differ by nothing else look the same."""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel


@kernel
def least_renaming(hand: Any, groups: Any, permutations: Any) -> Any:
    """Return the first permutation (24, 4) that gives a hand (k,) the least cards, group after group."""
    size = len(hand)
    best = 0
    for p in range(1, permutations.shape[0]):
        # group after group: a 52-bit set with rank-major bits says which cards there are, whatever their order
        start = 0
        while start < size:
            code = 0
            least = 0
            end = start
            while end < size and groups[end] == groups[start]:
                card = hand[end]
                if card >= 0:
                    code |= 1 << ((card % 13) * 4 + permutations[p, card // 13])
                    least |= 1 << ((card % 13) * 4 + permutations[best, card // 13])
                end += 1
            start = end
            if code != least:
                if code < least:
                    best = p
                break
    return best


@kernel
def canonical_hands(hands: Any, groups: Any, permutations: Any, out: Any, order: Any, renaming: Any) -> None:
    """Write the least cards over all renamings of suits, ascending by (rank, suit) inside each group.

    Args:
        hands: (n, k) int8 cards, all different, -1 for none.
        groups: (k,) int64 ascending numbers of groups: cards of a group have no order among them.
        permutations: (24, 4) int64 renamings: old suit -> new suit.
        out: (n, k) int8, the renamed cards in order, in each group the missing ones last.
        order: (n, k) int8; out[i, j] was hands[i, order[i, j]].
        renaming: (n,) int8, the permutation chosen.
    """
    size = hands.shape[1]
    for i in range(hands.shape[0]):
        best = least_renaming(hands[i], groups, permutations)
        renaming[i] = best
        for j in range(size):
            card = hands[i, j]
            key = 99 if card < 0 else (card % 13) * 4 + permutations[best, card // 13]
            place = j
            while place > 0 and groups[place - 1] == groups[j]:
                other = hands[i, order[i, place - 1]]
                if other >= 0 and (other % 13) * 4 + permutations[best, other // 13] <= key:
                    break
                if other < 0 and card < 0:
                    break
                order[i, place] = order[i, place - 1]
                place -= 1
            order[i, place] = j
        for j in range(size):
            card = hands[i, order[i, j]]
            out[i, j] = -1 if card < 0 else permutations[best, card // 13] * 13 + card % 13
