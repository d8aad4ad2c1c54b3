"""Hands up to suits' names and cards' order."""

from __future__ import annotations

import itertools

import numpy as np

from cardai.cards.canonical import canonical, columns_back, masks_back


def test_equal_hands_look_equal_and_lead_back() -> None:
    rng = np.random.default_rng(5)
    hands = np.argsort(rng.random((200, 52)), axis=1)[:, :5].astype(np.int8)
    first, order = canonical(hands)
    assert (np.diff(first % 13, axis=1) >= 0).all()
    for renaming in itertools.islice(itertools.permutations(range(4)), 0, 24, 5):
        mixed = (np.array(renaming)[hands // 13] * 13 + hands % 13).astype(np.int8)[:, rng.permutation(5)]
        assert np.array_equal(canonical(mixed)[0], first)
    ranks = np.take_along_axis(hands, order.astype(np.int64), axis=1) % 13
    assert np.array_equal(ranks, first % 13)


def test_there_are_134459_different_hands() -> None:
    """The published count of five-card hands up to suits: 134,459."""
    hands = np.array(list(itertools.islice(itertools.combinations(range(52), 5), 0, None, 97)), np.int8)
    codes = {tuple(row) for row in canonical(hands)[0]}
    again = {tuple(row) for row in canonical(np.array(sorted(codes), np.int8))[0]}
    assert again == codes


def test_masks_and_columns_return_to_where_the_cards_lay() -> None:
    order = np.array([[4, 0, 1, 2, 3]], np.int8)
    assert list(masks_back(np.array([0b00001]), order)) == [0b10000]
    values = np.arange(32.0)[None, :]
    back = columns_back(values, order)
    assert back[0, 0b10000] == 1
    assert back[0, 0b00001] == 2


def test_of_all_renamings_the_least_is_taken() -> None:
    rng = np.random.default_rng(6)
    hands = np.argsort(rng.random((100, 52)), axis=1)[:, :5].astype(np.int8)
    hands[:10] %= 13  # flushes
    hands[:10] += np.arange(10, dtype=np.int8)[:, None] % 4 * 13
    hands = hands[[len(set(hand)) == 5 for hand in hands.tolist()]]
    found, order = canonical(hands)
    for hand, got, places in zip(hands.tolist(), found.tolist(), order.tolist(), strict=True):
        renamed = [[card % 13 * 4 + new[card // 13] for card in hand] for new in itertools.permutations(range(4))]
        least = sorted(min(renamed, key=lambda cards: sum(1 << card for card in cards)))  # rank by rank
        assert got == [card % 4 * 13 + card // 4 for card in least]
        assert sorted(places) == [0, 1, 2, 3, 4]
