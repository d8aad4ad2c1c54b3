"""What a finished hand of gin tells of how the opponent plays, as kernels: one of EVIDENCE kinds of hand.

Some players knock as soon as they can, others wait for gin; some take many cards. A hand's kind is

    3 * place + min(cards he took face up, 2)

with the place 0 to 11 where he knocked, 4 * (0 gin, 1 to 5, more) + (his third turn or before, sixth, 13th, later); 12 to 17
where the other player did, 12 + 2 * (he held at most 10, 20, more) + (after his fifth turn); 18 where nobody did.
"""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import deadwood_of, to_gin

STYLES = 8
"""Players that are told apart, at most."""
EVIDENCE = 57


@kernel
def evidence_of(player: Any, opener: Any, turns: Any, knocker: Any, revealed: Any, history: Any) -> Any:
    """Return what kind of hand the viewer's opponent has just played, by fields of the last view."""
    takes = 0
    his = 0
    for turn in range(1 if opener == player else 0, turns, 2):
        his += 1
        if history[turn] >= 52:
            takes += 1
    place = 18
    if knocker >= 0:
        deadwood = deadwood_of(to_gin(revealed))
        if knocker == player:
            place = 12 + 2 * min(max(deadwood - 1, 0) // 10, 2) + (1 if his > 5 else 0)
        else:
            when = 0 if his <= 3 else (1 if his <= 6 else (2 if his <= 13 else 3))
            place = 4 * min((deadwood + 4) // 5, 2) + when
    return 3 * place + min(takes, 2)


@kernel
def evidence_rows(numbers: Any, revealed: Any, history: Any, out: Any) -> None:
    """Fill ``out`` (n,) as evidence_of; ``numbers`` (4, n): player, opener, turns, knocker; ``history`` (n, T)."""
    for i in range(len(out)):
        out[i] = evidence_of(numbers[0, i], numbers[1, i], numbers[2, i], numbers[3, i], revealed[i], history[i])


@kernel
def blend(weights: Any, style: Any, out: Any) -> None:
    """Fill ``out`` (B,) with the mean of ``weights`` (STYLES, B) as ``style`` (STYLES,) weighs them."""
    out[:] = 0.0
    for s in range(STYLES):
        if style[s] > 0.0:
            for k in range(len(out)):
                out[k] += style[s] * weights[s, k]
