"""Every meld kernel against a slow and obvious reference."""

from __future__ import annotations

import itertools
import random
from functools import cache

import numpy as np
import pytest

from cardai.cards.text import parse_card
from cardai.gin import melds as front
from cardai.gin.melds import best_arrangements, card_points, deadwood, is_meld, layoffs

Meld = frozenset[int]


def rank_of(card: int) -> int:
    return (card % 13 + 1) % 13  # ace 0, king 12


@cache
def all_melds() -> list[Meld]:
    card_at = {(card // 13, rank_of(card)): card for card in range(52)}
    melds = []
    for rank in range(13):
        four = [card_at[suit, rank] for suit in range(4)]
        melds += [frozenset(c) for size in (3, 4) for c in itertools.combinations(four, size)]
    for suit in range(4):
        for low in range(13):
            for high in range(low + 2, 13):
                melds.append(frozenset(card_at[suit, rank] for rank in range(low, high + 1)))
    return melds


def slow_arrangements(hand: frozenset[int]) -> tuple[int, set[frozenset[Meld]]]:
    """Try every set of disjoint melds."""
    usable = [meld for meld in all_melds() if meld <= hand]
    best: tuple[int, set[frozenset[Meld]]] = (10**6, set())

    def go(start: int, left: frozenset[int], chosen: tuple[Meld, ...]) -> None:
        nonlocal best
        points = sum(card_points(card) for card in left)
        if points < best[0]:
            best = (points, set())
        if points == best[0]:
            best[1].add(frozenset(chosen))
        for i in range(start, len(usable)):
            if usable[i] <= left:
                go(i + 1, left - usable[i], (*chosen, usable[i]))

    go(0, hand, ())
    return best


def slow_first_fit(loose: list[int], melds: list[list[int]], suits: tuple[int, ...]) -> set[int]:
    """Lay off by the rule as stated, with the suits ranked as ``suits`` says."""
    table = [set(meld) for meld in melds]
    left = sorted(loose, key=lambda card: (suits.index(card // 13), rank_of(card)))
    laid: set[int] = set()
    while True:
        for card, meld in itertools.product(left, table):
            if frozenset(meld | {card}) in set(all_melds()):
                meld.add(card)
                laid.add(card)
                left.remove(card)
                break
        else:
            return laid


def crowded_hand(rng: random.Random, size: int) -> frozenset[int]:
    """Draw a hand from few ranks or few suits, so that runs and sets compete."""
    deck = list(range(52))
    kind = rng.randrange(4)
    if kind == 1:
        low = rng.randrange(9)
        deck = [card for card in deck if low <= rank_of(card) <= low + 4]
    elif kind == 2:
        deck = [card for card in deck if card // 13 < 2]
    elif kind == 3:
        low = rng.randrange(10)
        deck = [card for card in deck if low <= rank_of(card) <= low + 3]
    return frozenset(rng.sample(deck, min(size, len(deck))))


def test_there_are_305_melds_of_ten_or_fewer_cards() -> None:
    # Eicholtz, Moss, Traino, Roberson: Heisenbot (AAAI 2021): 65 sets and 240 runs of at most ten cards
    assert sum(len(meld) <= 10 for meld in all_melds()) == 305
    assert all(is_meld(meld) for meld in all_melds())


@pytest.mark.parametrize("size", [7, 10, 11])
def test_deadwood_and_best_arrangements_equal_the_slow_reference(size: int) -> None:
    rng = random.Random(size)
    for _ in range(250):
        hand = crowded_hand(rng, size)
        points, arrangements = slow_arrangements(hand)
        found = best_arrangements(hand)
        assert deadwood(hand) == points
        assert {frozenset(frozenset(meld) for meld in melds) for melds in found} == arrangements
        assert len(found) == len(arrangements)


def test_layoffs_equal_the_rule_as_stated_in_any_order_of_suits() -> None:
    rng = random.Random(5)
    with_layoffs = 0
    for _ in range(400):
        knocker = crowded_hand(rng, 10)
        rest = [card for card in range(52) if card not in knocker]
        melds = best_arrangements(knocker)[0]
        loose = rng.sample(rest, 10)
        laid = set(layoffs(loose, melds))
        with_layoffs += bool(laid)
        assert laid == slow_first_fit(loose, melds, (0, 1, 2, 3))
        # the EAAI framework ranks suits C, H, S, D: clubs 0, hearts 2, spades 3, diamonds 1 here
        eaai = sorted(melds, key=lambda meld: (len({c // 13 for c in meld}) > 1, (0, 2, 3, 1).index(meld[0] // 13)))
        assert len(laid) == len(slow_first_fit(loose, eaai, (0, 2, 3, 1)))
    assert with_layoffs > 100


def test_best_layoffs_leave_the_least_deadwood_of_all_ways() -> None:
    rng = random.Random(6)
    for _ in range(60):
        knocker = crowded_hand(rng, 10)
        melds = best_arrangements(knocker)[0]
        hand = frozenset(rng.sample([card for card in range(52) if card not in knocker], 8))
        ways = [
            set(laid)
            for size in range(len(hand) + 1)
            for laid in itertools.combinations(sorted(hand), size)
            if max_laid(list(laid), melds) == set(laid)
        ]
        least = min(deadwood(hand - laid) for laid in ways)
        assert deadwood(hand - set(layoffs(hand, melds, best=True))) == least


def max_laid(loose: list[int], melds: list[list[int]]) -> set[int]:
    """Return the largest set that some order of laying off one by one reaches."""
    best: set[int] = set()
    legal = set(all_melds())

    def go(left: frozenset[int], table: tuple[frozenset[int], ...]) -> None:
        nonlocal best
        if len(loose) - len(left) > len(best):
            best = set(loose) - left
        for card in left:
            for i, meld in enumerate(table):
                if meld | {card} in legal:
                    go(left - {card}, (*table[:i], meld | {card}, *table[i + 1 :]))
                    if len(best) == len(loose):
                        return

    go(frozenset(loose), tuple(frozenset(meld) for meld in melds))
    return best


def test_bad_cards_are_refused_with_what_was_given() -> None:
    with pytest.raises(ValueError, match="52"):
        deadwood([52])
    with pytest.raises(ValueError, match="different"):
        deadwood([1, 1])
    with pytest.raises(ValueError, match="run of three"):
        layoffs([1], [[5, 7, 9]])


def test_many_hands_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(5)
    hands = [
        sorted(int(c) for c in rng.choice(52, size, replace=False)) for size in (10, 11, 7, 0, 13) for _ in range(60)
    ]
    sets = np.array([sum(1 << card for card in hand) for hand in hands], np.uint64)
    assert front.deadwoods(sets).tolist() == [front.deadwood(hand) for hand in hands]
    for hand, found in zip(hands, front.melded(sets), strict=True):
        together = [{card for meld in arrangement for card in meld} for arrangement in front.best_arrangements(hand)]
        assert {card for card in range(52) if int(found) >> card & 1} in together


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (np.array([3]), "an array .n,. of uint64. Got int64"),
        (np.array([[3]], np.uint64), "of shape"),
        (np.array([7, 1 << 52], np.uint64), "Got 0x10000000000000 at 1"),
        (np.array([(1 << 14) - 1], np.uint64), "at most 13 cards"),
    ],
)
def test_what_is_no_hand_is_refused_with_its_place(hands: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        front.deadwoods(hands)


def test_runs_or_sets_side_by_side_are_no_meld() -> None:
    """Three suits of the same two ranks, two sets, and two runs of one suit with a gap between."""

    def cards(*texts: str) -> list[int]:
        return [parse_card(text) for text in texts]

    assert not is_meld(cards("4c", "5c", "4d", "5d", "4h", "5h"))
    assert not is_meld(cards("4c", "4d", "4h", "9c", "9d", "9h"))
    assert not is_meld(cards("2c", "3c", "4c", "6c", "7c", "8c"))
    assert not is_meld(cards("Qs", "Ks", "As"))  # the ace is low
    assert not is_meld(cards("4c", "4d"))
    assert is_meld(cards("As", "2s", "3s"))
    assert is_meld(cards("4c", "4d", "4s"))
