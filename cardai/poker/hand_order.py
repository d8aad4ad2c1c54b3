"""The 169 classes of hold'em hands from the best to the worst, for ranges given as a share of all hands ("15%").

The order is that of the exact chance to win, ties halved, against a random hand when both go all-in before the flop: all
2,598,960 boards (:func:`cardai.poker.hands.equity.range_equity` of two uniform ranges, 150 s of CPU). Equilab and others have
an order of their own, so that their 15 % differ from these at the edge.

>>> best_classes(0.02)
('AA', 'KK', 'QQ', 'JJ')
"""

from __future__ import annotations

from functools import cache

from cardai.poker.hands.combos import COUNT

_WORDS = (
    "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 QJs K9s "
    "A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s A3o K5s J9s Q9o "
    "JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s "
    "T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s "
    "J4o T6o 95s T3s 76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o "
    "64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o "
    "72o 52o 62o 42o 32o "
)
ORDER = tuple(_WORDS.split())
"""AA first."""


def hands_in(name: str) -> int:
    """Return how many hands a class has: 6 of a pair, 4 suited, 12 offsuit."""
    return 6 if len(name) == 2 else 4 if name.endswith("s") else 12


@cache
def best_classes(share: float) -> tuple[str, ...]:
    """Return the best classes whose hands are nearest to ``share`` of all 1,326, at least one; classes are not cut."""
    taken, count, wanted = [ORDER[0]], hands_in(ORDER[0]), share * COUNT
    for name in ORDER[1:]:
        more = count + hands_in(name)
        if abs(more - wanted) > abs(count - wanted):
            break
        taken.append(name)
        count = more
    return tuple(taken)
