"""Kernels that rename suits and order cards, so that hands which differ by nothing else look the same."""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel


@kernel
def canonical_hands(hands: Any, permutations: Any, out: Any, order: Any) -> None:
    """Write the least hand over all renamings of suits, cards ascending by (rank, suit).

    Args:
        hands: (n, k) int8 cards, all different.
        permutations: (24, 4) int64 renamings: old suit -> new suit.
        out: (n, k) int8, the renamed cards in order.
        order: (n, k) int8; out[i, j] was hands[i, order[i, j]].
    """
    size = hands.shape[1]
    for i in range(hands.shape[0]):
        least = -1
        best = 0
        for p in range(permutations.shape[0]):
            # a 52-bit set with rank-major bits says which cards there are, whatever their order
            code = 0
            for j in range(size):
                code |= 1 << ((hands[i, j] % 13) * 4 + permutations[p, hands[i, j] // 13])
            if least < 0 or code < least:
                least = code
                best = p
        place = 0
        for key in range(52):
            if least >> key & 1:
                for j in range(size):
                    if (hands[i, j] % 13) * 4 + permutations[best, hands[i, j] // 13] == key:
                        order[i, place] = j
                        out[i, place] = (key % 4) * 13 + key // 4
                place += 1
