"""Codes of ranges: what a bucket is."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.core.errors import OptionError, UsageError
from cardai.poker.buckets.tables import BucketOptions, Buckets
from cardai.poker.hands.boards import COUNTS
from cardai.poker.hands.combos import pair_index, pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.values import range_codes
from cardai.poker.values.board_clusters import BoardClusters, board_features, completed
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network import codes, hand_buckets
from cardai.poker.values.prepared import prepare
from cardai.poker.values.range_codes import (
    EveryHand,
    ExpectedSquare,
    PotentialAware,
    PublicNested,
    RangeCode,
    range_code,
)
from cardai.poker.values.situations import Situation

RIVER, TURN = parse_cards("KsTh7s4d2c"), parse_cards("KsTh7s4d")


def strength(board: list[int], hand: int) -> float:
    """Return the chance of a hand to beat one at random on a whole board, ties half, by looking at all."""
    ranks, cards = river_strengths(board), pairs()
    others = [k for k in legal_hands(board) if not set(cards[k]) & set(cards[hand])]
    return float(np.mean([0.5 + 0.5 * np.sign(ranks[hand] - ranks[k]) for k in others]))


@pytest.mark.long("3c3d", "QcJh")
@pytest.mark.parametrize("hand", ["AhAd", "3c3d", "QcJh", "6h5h"])
def test_e_hs2_bins_the_mean_square_of_strength(hand: str) -> None:
    number = int(pair_index(*np.array([parse_cards(hand)]).T)[0])
    assert ExpectedSquare().buckets(RIVER)[number] == int(1326 * strength(RIVER, number) ** 2)
    rivers = [[*TURN, card] for card in range(52) if card not in TURN and card not in pairs()[number]]
    mean = np.mean([strength(river, number) ** 2 for river in rivers])
    assert ExpectedSquare().buckets(TURN)[number] == int(1326 * mean)


@pytest.mark.parametrize("code", [ExpectedSquare(), EveryHand()])
@pytest.mark.parametrize("board", [RIVER, TURN])
def test_every_hand_that_the_board_leaves_has_a_bucket(code: RangeCode, board: list[int]) -> None:
    found = code.buckets(board)
    assert (np.flatnonzero(found >= 0) == legal_hands(board)).all()
    assert found.max() < code.size


def test_draws_are_the_hands_that_make_a_straight_or_a_flush() -> None:
    # on Ts9s8h2d3c: QJ, J7, 76 (16 each) and the wheel's A4 5-4-3-2-A, A5? no: A4 with 2 3 needs a 5, so none
    board = parse_cards("Ts9s8h2d3c")
    assert completed(np.array(board)) == 48
    # three spades lie: 45 pairs of the other ten spades, besides what makes a straight
    flush = parse_cards("KsTs5s2d9h")
    straights = {"QJ": 16}  # K-T-9 with Q and J; 16 hands, one of them two spades, counted once
    assert completed(np.array(flush)) == 45 + straights["QJ"] - 1
    assert board_features(board).tolist() == [48.0, 8 + 7 + 6 + 0 + 1]


def test_the_turns_draw_value_is_summed_over_rivers() -> None:
    board = parse_cards("KsTh7s4d")
    rivers = [[*board, card] for card in range(52) if card not in board]
    assert board_features(board)[0] == sum(completed(np.array(river)) for river in rivers)


def test_nested_buckets_are_a_cluster_and_a_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    features = board_features(RIVER)
    clusters = BoardClusters(features, np.ones(2), np.array([[5.0, 0.0], [0.1, 0.1], [-3.0, 2.0]]))
    monkeypatch.setattr(range_codes, "board_clusters", lambda size, count: clusters)
    found, bins = PublicNested(clusters=3).buckets(RIVER), ExpectedSquare(bins=100).buckets(RIVER)
    assert (found == np.where(bins >= 0, 100 + bins, -1)).all()


def test_potential_aware_buckets_are_those_of_the_street(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[BucketOptions] = []

    def buckets(options: BucketOptions) -> Buckets:
        asked.append(options)
        shapes = (1, COUNTS[3], COUNTS[4], 4)
        tables = [np.broadcast_to(np.uint16(street), (shapes[street], 1326)) for street in range(3)]
        return Buckets(options, options.counts, (*tables, np.zeros((1, 1326), np.uint16)))

    monkeypatch.setattr(range_codes, "buckets", buckets)
    found = PotentialAware(clusters=70).buckets(TURN)
    assert (asked[0].turn, asked[0].flop, asked[0].river) == (70, 1, 1)
    assert set(found[legal_hands(TURN)]) == {2}
    assert (found == -1).sum() == 1326 - 1128


def test_codes_hold_masses_pot_and_board() -> None:
    ranges = np.zeros((2, 1326))
    ranges[0, 5], ranges[1, 7] = 1.0, 1.0
    data, own = prepare([Situation(0, 0, tuple(RIVER), 5000, ranges)]), EveryHand()
    code = codes(own, data, hand_buckets(own, data))[0]
    assert code.shape == (2 * 1326 + 1 + 52,)
    on = np.flatnonzero(code)
    assert on.tolist() == [5, 1326 + 7, 2652, *(2653 + card for card in sorted(RIVER))]
    assert code[2652] == 0.25


def test_leducs_hands_have_a_place_on_each_board() -> None:
    code = range_code("leduc_places")
    found = np.stack([code.buckets([board]) for board in range(6)])
    assert (found[np.eye(6, dtype=bool)] == -1).all()
    assert sorted(found[~np.eye(6, dtype=bool)]) == [place for place in range(36) if place % 7]
    assert code.width == 73  # of DeepStack's example: 36 a player, and the pot


def test_codes_are_named_as_plugins_are() -> None:
    assert range_code("public_nested:clusters=3,bins=7") == PublicNested(clusters=3, bins=7)
    with pytest.raises(UsageError, match=r"no code of ranges\. Codes: e_hs2, public_nested"):
        range_code("flat")
    with pytest.raises(OptionError, match="has no option 'bin'"):
        range_code("e_hs2:bin=4")
