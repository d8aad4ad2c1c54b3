"""What a hand is worth in numbers: counted out, and the same whatever suits are called."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.buckets.numbers import BINS, GROUPS, NUMBERS, HandNumbers, groups
from cardai.poker.hands.boards import RENAMINGS, hand_maps
from cardai.poker.hands.combos import COUNT, left_by, pair_index, pairs
from cardai.poker.hands.ranking import rank_high

SEEN = HandNumbers()


def equity(hand: list[int], board: list[int]) -> tuple[float, np.ndarray]:
    """A hand's chance against a random hand on a whole board, and against each group: every hand is ranked."""
    others = np.flatnonzero(left_by([*hand, *board]))
    ranks = rank_high(np.array([[*pairs()[k], *board] for k in others], np.uint8))
    own = rank_high(np.array([[*hand, *board]], np.uint8))[0]
    won = (ranks < own) + 0.5 * (ranks == own)
    inside = groups()[others, :GROUPS].astype(bool)
    return float(won.mean()), np.array([won[inside[:, g]].mean() for g in range(GROUPS)])


def test_groups_are_of_about_as_many_hands_from_those_that_win_least() -> None:
    every = groups()
    assert abs(np.bincount(every[:, :GROUPS].argmax(axis=1)) - COUNT / GROUPS).max() < 12
    aces, deuce = (int(pair_index(*parse_cards(text))) for text in ("AsAh", "3s2h"))
    assert every[aces, GROUPS - 1] == every[deuce, 0] == 1


@pytest.mark.parametrize("text", ["KdTd", "2c2d"])
def test_numbers_are_the_equities_of_all_run_outs(text: str) -> None:
    hand, board = list(parse_cards(text)), list(parse_cards("Kh7c7d2s"))
    number = np.array([int(pair_index(*hand))])
    rivers = [card for card in range(52) if card not in (*hand, *board)][::9]
    for card in rivers:
        whole, by_group = equity(hand, [*board, card])
        found = SEEN.of((*board, card), number)[0]
        assert found[:BINS].sum() == pytest.approx(whole * BINS, abs=0.02)
        assert found[BINS:] == pytest.approx(by_group, abs=1e-3)
    each = [SEEN.of((*board, card), number)[0] for card in range(52) if card not in (*hand, *board)]
    turn = SEEN.of(tuple(board), number)[0]
    assert turn[BINS:] == pytest.approx(np.mean([one[BINS:] for one in each], axis=0), abs=1e-3)
    above = [np.mean([one[:BINS].sum() >= k + 1 for one in each]) for k in range(BINS)]
    assert turn[:BINS] == pytest.approx(above, abs=1e-3)


@pytest.mark.parametrize("text", ["AsKsQs", "9h9d2c", "9h8d2c", "9h8d2c9c"])
def test_suits_names_do_not_matter(text: str) -> None:
    board = np.array(parse_cards(text))
    live = np.flatnonzero(left_by(board.tolist()))
    found = SEEN.of(tuple(board.tolist()), live)
    assert found.shape == (len(live), NUMBERS)
    for k in itertools.islice(range(24), 1, None, 5):
        other = 13 * RENAMINGS[k][board // 13] + board % 13
        assert np.array_equal(SEEN.of(tuple(other.tolist()), hand_maps()[k][live]), found)


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.poker.buckets.numbers.KEPT", 2)
    seen, hands = HandNumbers(), np.arange(3)
    first = seen.of((0, 14, 28, 42, 7), hands)
    for card in (8, 9, 10):
        seen.of((0, 14, 28, 42, card), hands)
    assert len(seen._kept) == 2
    assert np.array_equal(seen.of((0, 14, 28, 42, 7), hands), first)
    assert not seen.of((), hands).any()
