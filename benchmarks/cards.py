"""Cards against the peers, in one process, as ratios; and counts that are too long for the tests.

    python benchmarks/cards.py [--full]

Seven-card ranking beside eval7 and phevaluator, triple draw's random hands beside PokerKit's, video poker's enumeration,
and the values of lowball hands. ``--full`` adds the order of 10 million random pairs against eval7 and the category
counts of all 133,784,560 seven-card hands. Times are CPU seconds of one thread, compilation excluded.
"""

from __future__ import annotations

import platform
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from pokerkit import Automation, FixedLimitDeuceToSevenLowballTripleDraw

import cardai
from cardai.cards.text import card_text, parse_cards
from cardai.core.kernel import kernel
from cardai.core.rng import Rows, below, derive_many, hash64
from cardai.draw import values as draw_values
from cardai.draw import video_poker
from cardai.draw.holds import every_hand
from cardai.poker.hands.equity import range_equity, uniform_range
from cardai.poker.hands.ranking import CATEGORIES, rank_deuce_to_seven, rank_high

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7
from phevaluator import evaluate_cards

SEVEN_CARD_COUNTS = (
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
)
"""High card to straight flush: https://en.wikipedia.org/wiki/Poker_probability, seven-card hands."""


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def seconds(work: Callable[[], Any], repeat: int = 3) -> float:
    """Return the best CPU time of ``repeat`` runs after one that may compile."""
    work()
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


@kernel
def deal_hands(seed: Any, out: Any) -> None:
    """Fill ``out`` (n, k) with random hands: Fisher and Yates' shuffle, stopped after k cards."""
    deck = np.arange(52)
    for row in range(out.shape[0]):
        stream = hash64(seed, row)
        for k in range(out.shape[1]):
            other = k + below(stream, k, 52 - k)
            card = deck[other]
            deck[other] = deck[k]
            deck[k] = card
            out[row, k] = card


def random_hands(count: int, size: int, seed: int) -> np.ndarray:
    out = np.empty((count, size), np.int8)
    deal_hands(np.uint64(seed), out)
    return out


def ranking() -> None:
    hands = random_hands(1_000_000, 7, 1)
    ours = len(hands) / seconds(lambda: rank_high(hands))
    say(f"seven cards, (n, 7) int8: {ours / 1e6:.0f} million hands/s")
    few = hands[:200_000].tolist()
    deck = [eval7.Card(card_text(card)) for card in range(52)]
    built = [[deck[card] for card in hand] for hand in few]
    theirs = len(few) / seconds(lambda: [eval7.evaluate(hand) for hand in built], 1)
    say(f"  eval7's loop: {theirs / 1e6:.2f} million hands/s: ratio {ours / theirs:.0f}")
    numbered = [[4 * (card % 13) + card // 13 for card in hand] for hand in few]
    theirs = len(few) / seconds(lambda: [evaluate_cards(*hand) for hand in numbered], 1)
    say(f"  phevaluator's loop: {theirs / 1e6:.2f} million hands/s: ratio {ours / theirs:.0f}")
    five = np.ascontiguousarray(hands[:, :5])
    say(f"five cards: {len(five) / seconds(lambda: rank_high(five)) / 1e6:.0f} million hands/s")
    say(f"deuce to seven: {len(five) / seconds(lambda: rank_deuce_to_seven(five)) / 1e6:.0f} million hands/s")
    flop = parse_cards("2s7h9d")
    say(
        f"range against range on a flop, exact (1,176 boards): {seconds(lambda: range_equity(uniform_range(), uniform_range(), flop)):.3f} s"
    )


@kernel
def choose(mask: Any, seeds: Any, out: Any) -> None:
    """Choose a legal action uniformly in each row."""
    for i in range(len(out)):
        count = 0
        for action in range(mask.shape[1]):
            count += mask[i, action]
        wanted = int(seeds[i] % np.uint64(count))
        for action in range(mask.shape[1]):
            if mask[i, action]:
                if wanted == 0:
                    out[i] = action
                    break
                wanted -= 1


def our_triple_draw(hands: int) -> None:
    tables = cardai.game("triple_draw").tables(hands)
    tables.reset(derive_many(1, "deal", count=hands))
    step = 0
    while len(rows := np.flatnonzero(tables.current_players() >= 0)):
        actions = np.empty(len(rows), np.int64)
        choose(tables.legal(rows), Rows(derive_many(2, step, count=len(rows))).fork(0).seeds, actions)
        tables.apply(rows, actions)
        step += 1
    tables.returns(np.arange(hands))


def their_triple_draw(hands: int) -> None:
    automations = tuple(Automation)
    rng = random.Random(1)
    for _ in range(hands):
        state = FixedLimitDeuceToSevenLowballTripleDraw.create_state(
            automations, True, 0, (50, 100), 100, 200, 10**6, 2
        )
        while state.status:
            if state.stand_patter_or_discarder_index is not None:
                hand = state.hole_cards[state.stand_patter_or_discarder_index]
                state.stand_pat_or_discard([card for card in hand if rng.random() < 0.5])
                continue
            moves = [state.check_or_call]
            if state.checking_or_calling_amount:
                moves.append(state.fold)
            if state.can_complete_bet_or_raise_to():
                moves.append(state.complete_bet_or_raise_to)
            rng.choice(moves)()


def triple_draw() -> None:
    ours = 8192 / seconds(lambda: our_triple_draw(8192))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = 500 / seconds(lambda: their_triple_draw(500), 1)
    say(f"triple draw, uniform random hands: {ours:,.0f} hands/s; PokerKit {theirs:,.0f}: ratio {ours / theirs:.0f}")


def solving() -> None:
    pays = video_poker.PAY_TABLES["976-9-6"]

    def all_holds() -> None:
        values = video_poker.hold_values.__wrapped__(pays)
        for hands in every_hand():
            values(hands)

    say(f"video poker, 2,598,960 hands x 32 holds: {seconds(all_holds, 1):.2f} s")
    say(f"deuce-to-seven values with 1 to 3 draws left, all hands and holds: {seconds(draw_values.compute, 1):.2f} s")


def seven_card_hands(chunk: int = 1 << 20) -> Iterator[np.ndarray]:
    """Yield all seven-card hands: every pair of low cards beside every five higher ones."""
    for low in combinations(range(52), 2):
        rest = 51 - low[1]
        if rest < 5:
            continue
        five = FIVES[: _count(rest, 5)]
        out = np.empty((len(five), 7), np.int8)
        out[:, :2] = low
        out[:, 2:] = 51 - five
        yield out


def _count(n: int, k: int) -> int:
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


def full() -> None:
    global FIVES
    FIVES = np.concatenate(list(every_hand()))  # ordered by highest card, so the first C(n, 5) are the hands of n cards
    start = time.process_time()
    counts = np.zeros(9, np.int64)
    for hands in seven_card_hands():
        counts += np.bincount(rank_high(hands) >> 26, minlength=9)
    took = time.process_time() - start
    for name, count, known in zip(CATEGORIES, counts, SEVEN_CARD_COUNTS, strict=True):
        say(f"  {name:16s} {count:>12,} {'as published' if count == known else f'NOT {known:,}'}")
    say(f"all {counts.sum():,} seven-card hands: {took:.1f} s, hands made and counted with numpy")
    deck = [eval7.Card(card_text(card)) for card in range(52)]
    start, wrong, pairs = time.process_time(), 0, 0
    for seed in range(20):
        hands = random_hands(1_000_000, 7, 100 + seed)
        theirs = np.array([eval7.evaluate([deck[card] for card in hand]) for hand in hands.tolist()])
        ours = rank_high(hands).astype(np.int64)
        wrong += int((np.sign(ours[::2] - ours[1::2]) != np.sign(theirs[::2] - theirs[1::2])).sum())
        pairs += len(hands) // 2
    say(f"order of {pairs:,} random pairs against eval7: {wrong} differ; {time.process_time() - start:.0f} s")


FIVES: np.ndarray

if __name__ == "__main__":
    say(f"{platform.processor() or platform.machine()}, one thread, Python {platform.python_version()}, CPU seconds")
    ranking()
    triple_draw()
    solving()
    if "--full" in sys.argv[1:]:
        full()
