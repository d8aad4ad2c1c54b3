"""The players' time: what is left, what a limit is, and when it starts anew."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cardai.formats.acpc.clock import Clock, TimeLimits
from cardai.formats.acpc.dealer import Dealer, Match
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.matchfiles import MatchFiles
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.seat import MatchAborted
from tests.formats.acpc_table import LIMIT

LIMITS = TimeLimits(response=1_000, hand=1_500, per_hand=1_000)  # three hands: 3,000 ms in the match


def test_a_limit_may_be_reached_and_not_exceeded() -> None:
    clock = Clock(LIMITS, 2, 3)
    clock.charge(0, 1.0)
    clock.charge(0, 0.5)
    for seconds in (1.0, 0.5):
        clock.new_hand()
        clock.charge(0, seconds)
    assert clock.in_match == [3.0, 0.0]
    for used, more in (([], 1.001), ([1.0], 0.501), ([1.0, 0.5, None, 1.0, 0.5], 0.001)):
        clock = Clock(LIMITS, 2, 3)
        for seconds in used:
            clock.charge(1, seconds) if seconds is not None else clock.new_hand()
        with pytest.raises(MatchAborted, match="seat 2 ran out of time"):
            clock.charge(1, more)


def test_what_is_left_is_the_least_of_the_three_limits_and_starts_anew_by_hand() -> None:
    clock = Clock(LIMITS, 2, 3)
    assert (clock.left(0), clock.left(1)) == (1.0, 1.0)
    clock.charge(0, 1.0)
    assert (clock.left(0), clock.left(1)) == (0.5, 1.0)
    clock.new_hand()
    assert (clock.left(0), clock.left(1)) == (1.0, 1.0)
    clock.charge(0, 1.0)
    clock.charge(0, 0.5)
    clock.new_hand()
    assert (clock.left(0), clock.left(1)) == (0.5, 1.0)  # of the match


def test_the_dealer_starts_the_clock_of_a_hand_anew_for_each_hand(tmp_path: Path) -> None:
    game = load_game(LIMIT)
    match = Match(str(tmp_path / "match"), game, 3, 0, ("p1", "p2"), limits=LIMITS)
    files = MatchFiles.open(str(tmp_path / "match"))
    with Dealer(match, files, io.StringIO(), io.StringIO()) as dealer:
        files.begin(match)
        tree = WireTree(game)
        folded = tree.after(tree.root, 0)
        assert folded.actor < 0
        for hand in range(2):  # seat 1 has position 0, then position 1
            dealer.charge(hand, hand, 1.0)
            dealer.charge(hand, hand, 0.5)
            dealer.finish_hand(hand, dealer._source.next_deal(), folded)
        assert dealer._clock.in_match == [3.0, 0.0]
        with pytest.raises(MatchAborted, match="seat 1 ran out of time"):
            dealer.charge(0, 2, 0.001)


def test_one_wait_is_allowed_no_longer_than_the_whole_match() -> None:
    assert LIMITS.patience(1) == 1.0
    assert TimeLimits(response=9_000, hand=8_000, per_hand=1_000).patience(3) == 3.0
    assert TimeLimits(response=9_000, hand=8_000, per_hand=1_000).patience(30) == 8.0
