"""Many small subgames of one round with one tree and one board, solved side by side: discounted CFR, alternating.

The same iterations as :mod:`._walk_kernels`, for games whose few hands leave its vectors empty: here the vectors run over M
subgames that differ in ranges alone. Node 1 + s is the child behind slot s, parents before children; H hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.solve.discounting import discount, kept


@kernel
def _match(regrets: Any, sigma: Any, first: Any, count: Any, h: Any, total: Any) -> None:
    """Set the strategy of a hand at the slots [first, first + count) from positive regrets."""
    share = total.dtype.type(1.0) / total.dtype.type(count)
    zero = total.dtype.type(0.0)
    for m in range(len(total)):
        total[m] = zero
    for s in range(first, first + count):
        row = regrets[s, h]
        for m in range(len(total)):
            total[m] += max(row[m], zero)
    for s in range(first, first + count):
        row, out = regrets[s, h], sigma[s, h]
        for m in range(len(total)):
            out[m] = max(row[m], zero) / total[m] if total[m] > zero else share


@kernel
def _descend(tree: Any, player: Any, keep: Any, regrets: Any, sums: Any, sigma: Any, reach: Any, total: Any) -> None:
    """Set sigma and both players' reach (2, N, H, M); add the player's to its sums, of which ``keep`` is kept (< 0: none)."""
    actor, first, count = tree[0], tree[1], tree[2]
    for node in range(len(actor)):
        who = actor[node]
        if count[node] == 0:
            continue
        for h in range(regrets.shape[1]):
            _match(regrets, sigma, first[node], count[node], h, total)
        for s in range(first[node], first[node] + count[node]):
            for h in range(regrets.shape[1]):
                own, other = reach[who, node, h], reach[1 - who, node, h]
                mine, theirs = reach[who, 1 + s, h], reach[1 - who, 1 + s, h]
                played, summed = sigma[s, h], sums[s, h]
                for m in range(len(total)):
                    mine[m] = own[m] * played[m]
                    theirs[m] = other[m]
                if who == player and keep >= 0:
                    for m in range(len(total)):
                        summed[m] = keep * summed[m] + mine[m]


@kernel
def _ascend(tree: Any, wins: Any, meets: Any, player: Any, sigma: Any, reach: Any, values: Any, respond: Any) -> None:
    """Set the player's values (N, H, M) from the ends to the root; with ``respond`` those of the best action."""
    actor, first, count, shown, gain = tree
    hands, size = values.shape[1], values.shape[2]
    zero = values.dtype.type(0.0)
    for node in range(len(actor) - 1, -1, -1):
        for h in range(hands):
            value = values[node, h]
            for m in range(size):
                value[m] = zero
            if count[node] == 0:
                for j in range(hands):
                    factor = gain[player, node] * (wins[h, j] if shown[node] else meets[h, j])
                    other = reach[1 - player, node, j]
                    if factor != zero:
                        for m in range(size):
                            value[m] += factor * other[m]
            for s in range(first[node], first[node] + count[node]):
                below, played = values[1 + s, h], sigma[s, h]
                if actor[node] == player and respond:
                    for m in range(size):
                        value[m] = below[m] if s == first[node] else max(value[m], below[m])
                elif actor[node] == player:
                    for m in range(size):
                        value[m] += played[m] * below[m]
                else:
                    for m in range(size):
                        value[m] += below[m]


@kernel
def _learn(tree: Any, player: Any, positive: Any, negative: Any, regrets: Any, values: Any) -> None:
    """Update the player's regrets."""
    actor, first, count = tree[0], tree[1], tree[2]
    zero = values.dtype.type(0.0)
    for node in range(len(actor)):
        if actor[node] != player:
            continue
        for s in range(first[node], first[node] + count[node]):
            for h in range(values.shape[1]):
                regret, value, mean = regrets[s, h], values[1 + s, h], values[node, h]
                for m in range(values.shape[2]):
                    known = regret[m]
                    regret[m] = known * (positive if known > zero else negative) + (value[m] - mean[m])


@kernel
def iterate(tree: Any, wins: Any, meets: Any, done: Any, count: Any, rule: Any, work: Any) -> None:
    """Do ``count`` iterations after ``done`` of them; ``rule`` (3,) float64: alpha, beta, gamma.

    ``tree``: actor (N,) -1 at ends, first (N,) slot, count (N,), shown (N,), gain (2, N): what a showdown is about, or a fold
    brings each player. ``wins``, ``meets`` (H, H): who beats and who can meet whom. ``work``: regrets, sums, sigma (S, H, M),
    reach (2, N, H, M), values (N, H, M), total (M,).
    """
    regrets, sums, sigma, reach, values, total = work
    kind, respond = total.dtype.type, np.bool_(False)  # no constant, for which kernels would be compiled anew
    for t in range(done + 1, done + count + 1):
        positive, negative = kind(discount(t - 1, rule[0])), kind(discount(t - 1, rule[1]))
        for player in range(2):
            _descend(tree, player, kind(kept(t, rule[2], 0.0)), regrets, sums, sigma, reach, total)
            _ascend(tree, wins, meets, player, sigma, reach, values, respond)
            _learn(tree, player, positive, negative, regrets, values)


@kernel
def evaluate(tree: Any, wins: Any, meets: Any, player: Any, respond: Any, work: Any) -> None:
    """Set the values of the average strategies, or of the player's best response to the other's; see :func:`iterate`."""
    _, sums, sigma, reach, values, total = work
    _descend(tree, player, -total.dtype.type(1.0), sums, sums, sigma, reach, total)
    _ascend(tree, wins, meets, player, sigma, reach, values, respond)
