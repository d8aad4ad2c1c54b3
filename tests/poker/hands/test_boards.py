"""Boards up to suits' names: how many there are, and that a hand on a board keeps its place under any renaming."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardai.poker.hands._boards_kernels import board_index
from cardai.poker.hands.boards import DEALT_ORDERS, RENAMINGS, boards, hand_maps, runouts
from cardai.poker.hands.combos import pair_index, pairs


def renamed(cards, renaming):
    return [13 * int(RENAMINGS[renaming][card // 13]) + card % 13 for card in cards]


@pytest.mark.parametrize(("size", "classes"), [(0, 1), (3, 1755), (4, 16_432), (5, 134_459)])
def test_there_are_as_many_classes_as_counted_by_burnside(size, classes):
    # 1,755 / 16,432 / 134,459: also Waugh, "A fast and optimal hand isomorphism algorithm" (2013), boards alone
    known = boards(size)
    fixed = 0
    for renaming in RENAMINGS:  # a set is fixed if it is made of whole orbits of cards; 13 ranks alike
        cycles = [0] * 5
        seen = set()
        for suit in range(4):
            orbit = set()
            while suit not in seen:
                seen.add(suit)
                orbit.add(suit)
                suit = int(renaming[suit])
            cycles[len(orbit)] += 13 if orbit else 0
        ways = [1] + [0] * size
        for length in range(1, 5):
            for _ in range(cycles[length]):
                for k in range(size, length - 1, -1):
                    ways[k] += ways[k - length]
        fixed += ways[size]
    assert fixed == 24 * classes
    assert len(known.cards) == classes
    assert known.weights.sum() == comb(52, size)


def test_the_number_of_dealt_orders_is_burnsides():
    fixed = 0
    for renaming in RENAMINGS:
        loose = 13 * int((renaming == np.arange(4)).sum())  # cards that stay: turn and river are among them
        swaps, triples = {52: (0, 0), 26: (13, 0), 13: (0, 13), 0: (0, 0)}[loose]
        flops = comb(max(loose - 2, 0), 3) + max(loose - 2, 0) * swaps + triples
        fixed += loose * (loose - 1) * flops if loose else 0
    assert fixed == 24 * DEALT_ORDERS
    found = [runouts(flop)[1] for flop in boards(3).cards]
    assert sum(len(weights) for weights in found) == DEALT_ORDERS
    assert all(weights.sum() == 49 * 48 for weights in found)


def test_runouts_of_a_flop_are_the_classes_of_what_can_follow():
    flop = [0, 13, 26]  # three deuces: suits c, d and h are alike
    cards, weights = runouts(flop)
    seen = set()
    for (turn, river), weight in zip(cards.tolist(), weights.tolist(), strict=True):
        images = {tuple(renamed([turn, river], p)) for p in range(24) if sorted(renamed(flop, p)) == flop}
        assert len(images) == weight
        assert not images & seen
        seen |= images
    assert seen == set(itertools.permutations([card for card in range(52) if card not in flop], 2))


def test_boards_are_numbered_in_colexicographic_order():
    for size in (3, 4):
        numbers = [int(board_index(np.array(cards), size)) for cards in itertools.combinations(range(12), size)]
        assert sorted(numbers) == list(range(comb(12, size)))
    assert board_index(np.array([2, 0, 1]), 3) == 0
    assert board_index(np.array([51, 47, 49, 50, 48]), 5) == comb(52, 5) - 1


@given(st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True), st.sampled_from([3, 4, 5]))
def test_the_images_of_a_hand_on_a_board_have_one_class_and_one_name(cards, size):
    known, board, hand = boards(size), cards[:size], cards[5:]
    number, renaming = known.find(board)
    assert sorted(renamed(board, renaming)) == known.cards[number].tolist()
    names = set()
    for p in range(24):
        image, other = known.find(renamed(board, p))
        assert image == number
        a, b = renamed(hand, p)
        names.add(int(hand_maps()[other, pair_index(np.array([a]), np.array([b]))[0]]))
    # the names differ at most by renamings that leave the representative as it is
    own = pairs()[int(hand_maps()[renaming, pair_index(np.array(hand[:1]), np.array(hand[1:]))[0]])].tolist()
    alike = [p for p in range(24) if sorted(renamed(known.cards[number].tolist(), p)) == known.cards[number].tolist()]
    orbit = {int(pair_index(*np.array([renamed(own, p)]).T)[0]) for p in alike}
    assert names <= orbit


def test_renamings_map_hands_one_to_one():
    assert np.array_equal(np.sort(hand_maps(), axis=1), np.tile(np.arange(1326), (24, 1)))
    assert np.array_equal(hand_maps()[0], np.arange(1326))


@pytest.mark.parametrize("wrong", [[0, 1], [0, 1, 1], [0, 1, 52]])
def test_what_is_no_board_is_refused(wrong):
    with pytest.raises(ValueError, match="A board of 3 different cards"):
        boards(3).find(wrong)
    with pytest.raises(ValueError, match="has 0, 3, 4 or 5 cards"):
        boards(2)
