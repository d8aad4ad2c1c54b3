"""Short deck's and Omaha's rankings against combinatorics, and against all hands of five tried one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardai
from cardai.cards.text import parse_cards
from cardai.poker.contract import SHORT, board_cards
from cardai.poker.hands.ranking import SHORT_DECK_CATEGORIES, rank_high, rank_omaha, rank_short_deck
from cardai.poker.rules.showdown import hand_name


def test_all_five_card_hands_of_a_short_deck_fall_into_their_categories() -> None:
    counts = np.bincount(rank_short_deck(list(combinations(SHORT.cards, 5))) >> 26, minlength=9)
    # Of C(36, 5) = 376,992. Six straights (A-6-7-8-9 to T-J-Q-K-A): 6 * 4 in a suit, 6 * (4**5 - 4) in several; flushes
    # 4 * C(9, 5) - 24; full houses 9 * 4 * 8 * 6; the rest as with thirteen ranks.
    named = dict(zip(SHORT_DECK_CATEGORIES, counts.tolist(), strict=True))
    assert named == {
        "high card": (126 - 6) * (4**5 - 4),
        "pair": 9 * 6 * 56 * 4**3,
        "two pair": 36 * 6 * 6 * 7 * 4,
        "three of a kind": 9 * 4 * 28 * 4**2,
        "straight": 6_120,
        "full house": 1_728,
        "flush": 480,
        "four of a kind": 288,
        "straight flush": 24,
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("6s8sTsQsAs", "AsAhAdKsKh"),  # a flush, a full house
        ("Ac6d7h8s9c", "KcKdKhQsJc"),  # A-6-7-8-9, three of a kind
        ("6c7d8h9sTc", "Ac6d7h8s9c"),  # the ace is low there
        ("As6s7s8s9s", "KsKhKdKcAd"),  # a straight flush
        ("KsKhKdKc7d", "6s8sTsQsAs"),  # four of a kind
        ("AsAhAd6s6hKcKh", "AsAhAd7s7h6cQh"),  # of two pairs beside the three the higher, kings
    ],
)
def test_short_decks_order(better: str, worse: str) -> None:
    ranks = [rank_short_deck([parse_cards(hand)])[0] for hand in (better, worse)]
    assert ranks[0] > ranks[1]


def test_the_best_five_of_seven_short_deck_cards_are_the_best_of_all_fives() -> None:
    rng = np.random.default_rng(5)
    hands = np.array([rng.permutation(SHORT.cards)[:7] for _ in range(3000)])
    fives = np.stack([rank_short_deck(hands[:, list(five)]) for five in combinations(range(7), 5)])
    assert (rank_short_deck(hands) == fives.max(axis=0)).all()


@given(st.integers(2, 6), st.integers(3, 5), st.integers(4, 13), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_two_of_the_hole_and_three_of_the_board_are_the_best_of_all_such(
    held: int, lie: int, ranks: int, seed: int
) -> None:
    """Few ranks make full houses and four of a kind come up; the best is looked for among all 2 + 3 cards."""
    rng = np.random.default_rng(seed)
    deck = np.array([card for card in range(52) if card % 13 >= 13 - ranks])
    cards = np.array([rng.permutation(deck)[: held + lie] for _ in range(30)])
    holes, boards = cards[:, :held], cards[:, held:]
    ways = [(a, b) for a in combinations(range(held), 2) for b in combinations(range(lie), 3)]
    fives = [rank_high(np.concatenate([holes[:, list(a)], boards[:, list(b)]], axis=1)) for a, b in ways]
    assert (rank_omaha(holes, boards) == np.max(fives, axis=0)).all()


@pytest.mark.parametrize(
    ("hands", "says"),
    [([[0, 17, 18, 19, 20]], "from the six up"), ([[60, 17, 18, 19, 20]], "from the six up"), ([[4, 5]], "shape")],
)
def test_what_is_no_hand_of_a_short_deck_is_refused(hands: list[list[int]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        rank_short_deck(hands)


@pytest.mark.parametrize(
    ("holes", "boards", "says"),
    [
        ([[0, 1]], [[2, 3, 52]], "from 0 to 51"),
        ([[0, 1]] * 2, [[2, 3, 4]], "a board for each"),
        ([[0]], [[2, 3, 4]], "shape"),
    ],
)
def test_what_is_no_omaha_hand_is_refused(holes: list[list[int]], boards: list[list[int]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        rank_omaha(holes, boards)


@pytest.mark.parametrize(
    ("game", "hole", "board", "words"),
    [
        ("holdem_limit", "AsKs", "QsJs2s", "flush"),
        ("omaha", "AsKsQdJc", "TsJs2s", "flush"),
        ("omaha", "As2d3c4h", "TsJs9s8s7s", "high card"),  # one spade makes no flush
        ("short_deck", "As6s", "7s9sKs", "flush"),
        ("short_deck", "AsAd", "AcKsKd", "full house"),
        ("holdem_limit", "AsKs", "", ""),
        ("leduc", "", "", ""),
    ],
)
def test_a_hand_in_words_is_what_the_game_makes_of_it(game: str, hole: str, board: str, words: str) -> None:
    said = board_cards(cardai.game(game))
    assert said is not None
    assert hand_name(said, parse_cards(hole), parse_cards(board)) == words
