"""What the opponent's turns tell about his hand, as kernels: sums of learned weights for every unseen card.

Card sets are in gin order (ace low). The score of a card is the logarithm of its odds up to a constant:

    weights[BASE + 13 * k + r]       of rank r in the k-th quarter of the hand (see _quarter)
    weights[EVENT + 9 * e + 3 * t + j]    for each event e (he took, threw away, left) in the t-th third, of a card of the
                                          same rank (j = 0), or one (1) or two (2) away in suit
    weights[SAME + n], weights[RUNS + n]  with n others of the rank, or n runs of three, still possible

A card that he took and threw away again counts as thrown away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import U0, U1, index_of, lowest, size_of, to_gin
from cardai.gin._play_kernels import unseen_by

# where each kind of weight begins
BASE = 0
EVENT = 52
SAME = 79
RUNS = 83
BELIEF_SIZE = 87
# events
TOOK = 0
THREW = 1
LEFT = 2
EVENT_KINDS = 27
_SUITS = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)
_RUN = np.uint64(7)


@kernel
def _gin_index(card: Any) -> Any:
    """Return the number in gin order of a card (house number)."""
    suit = card // 13
    return 13 * suit + (card - 13 * suit + 1) % 13


@kernel
def _third(turn: Any) -> Any:
    """Return 0, 1 or 2 for a turn (of both players): the first six, the next six, later."""
    return min(turn // 6, 2)


@kernel
def _quarter(turns: Any) -> Any:
    return min(turns // 4, 3)


@kernel
def note_event(counts: Any, event: Any, third: Any, index: Any) -> None:
    """Count an event about card ``index`` for the cards near it, in ``counts`` (52, 27)."""
    suit = index // 13
    rank = index - 13 * suit
    place = 9 * event + 3 * third
    for other in range(4):
        if other != suit:
            counts[13 * other + rank, place] += 1
    for gap in range(1, 3):
        if rank >= gap:
            counts[index - gap, place + gap] += 1
        if rank + gap <= 12:
            counts[index + gap, place + gap] += 1


@kernel
def count_events(view: Any, counts: Any) -> None:
    """Fill ``counts`` (52, 27): for each card, the opponent's events near it."""
    counts[:] = 0
    known = to_gin(view["opponent_known"])
    first_up = _gin_index(view["first_up_card"])
    if (view["opponent_declined"] >> np.uint64(view["first_up_card"])) & U1 != U0:
        note_event(counts, LEFT, 0, first_up)
    for turn in range(1 if view["opener"] == view["player"] else 0, view["turns"], 2):
        event = view["history"][turn]
        top = first_up
        if turn > 0:
            top = _gin_index(view["history"][turn - 1] % 52)
        if event >= 52:
            if (known >> np.uint64(top)) & U1 != U0:
                note_event(counts, TOOK, _third(turn), top)
        elif turn > 0:
            note_event(counts, LEFT, _third(turn), top)
        note_event(counts, THREW, _third(turn), _gin_index(event % 52))


@kernel
def places_of(index: Any, held: Any) -> Any:
    """Return how many others of the rank, and how many runs of three, card ``index`` can still make with ``held``."""
    suit = index // 13
    rank = index - 13 * suit
    card = U1 << np.uint64(index)
    same = size_of((_SUITS << np.uint64(rank)) & held & ~card)
    runs = 0
    for low in range(max(rank - 2, 0), min(rank, 10) + 1):
        run = (_RUN << np.uint64(13 * suit + low)) & ~card
        if run & held == run:
            runs += 1
    return same, runs


@kernel
def odds_of(view: Any, weights: Any, counts: Any, odds: Any) -> None:
    """Fill ``odds`` (52,): each unseen card's odds of being the opponent's, up to a factor; 0 for cards seen."""
    odds[:] = 0.0
    count_events(view, counts)
    unseen = unseen_by(view)
    held = unseen | to_gin(view["opponent_known"])
    quarter = _quarter(view["turns"])
    left = unseen
    while left != U0:
        card = lowest(left)
        left = left ^ card
        index = index_of(card)
        score = weights[BASE + 13 * quarter + index % 13]
        for k in range(EVENT_KINDS):
            if counts[index, k] != 0:
                score += counts[index, k] * weights[EVENT + k]
        same, runs = places_of(index, held)
        odds[index] = np.exp(score + weights[SAME + same] + weights[RUNS + runs])


@kernel
def chances_of(view: Any, weights: Any, counts: Any, out: Any) -> None:
    """Fill ``out`` (52,): the chance that the opponent holds each card; 1 for those known, 0 for others seen."""
    odds_of(view, weights, counts, out)
    known = to_gin(view["opponent_known"])
    total = 0.0
    for k in range(52):
        total += out[k]
    factor = (10 - size_of(known)) / max(total, 1e-9)
    for k in range(52):
        out[k] = min(0.97, out[k] * factor)
        if (known >> np.uint64(k)) & U1 != U0:
            out[k] = 1.0


@kernel
def chances_rows(views: Any, weights: Any, out: Any) -> None:
    """Fill ``out`` (n, 52) as chances_of, in gin order."""
    counts = np.zeros((52, EVENT_KINDS), np.int64)
    for i in range(len(views)):
        chances_of(views[i], weights, counts, out[i])


@kernel
def odds_rows(views: Any, weights: Any, out: Any) -> None:
    """Fill ``out`` (n, 52) as odds_of, in gin order."""
    counts = np.zeros((52, EVENT_KINDS), np.int64)
    for i in range(len(views)):
        odds_of(views[i], weights, counts, out[i])


@kernel
def belief_examples(views: Any, hands: Any, rows: Any, columns: Any, labels: Any, offsets: Any) -> Any:
    """Write an example an unseen card: its features as a row of ``rows`` (m, BELIEF_SIZE) and whether he holds it; return m.

    ``hands`` (n,) are the opponents' hands (house order); ``offsets`` the log odds if all unseen cards were alike;
    ``columns`` is scratch memory (52, 27).
    """
    m = 0
    for i in range(len(views)):
        view = views[i]
        count_events(view, columns)
        unseen = unseen_by(view)
        known = to_gin(view["opponent_known"])
        hand = to_gin(hands[i])
        quarter = _quarter(view["turns"])
        share = (10 - size_of(known)) / size_of(unseen)
        left = unseen
        while left != U0:
            card = lowest(left)
            left = left ^ card
            index = index_of(card)
            row = rows[m]
            row[:] = 0
            row[BASE + 13 * quarter + index % 13] = 1
            for k in range(EVENT_KINDS):
                row[EVENT + k] = columns[index, k]
            same, runs = places_of(index, unseen | known)
            row[SAME + same] = 1
            row[RUNS + runs] = 1
            labels[m] = 1 if hand & card != U0 else 0
            offsets[m] = np.log(share / (1.0 - share))
            m += 1
    return m
