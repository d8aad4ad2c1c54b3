"""Hand histories as pots for two: which hands are, with what in the pot, and why the others are not."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest

from cardai import make
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.flops import AGAIN, RECENT, Sorted, before_of, sorted_hands
from cardai.formats.rooms.own import room_hand
from cardai.poker.contract import board_game
from cardai.poker.grading.flops import Move

TWO = """\
PokerStars Hand #74000000101:  Hold'em No Limit ($0.50/$1.00 USD) - 2024/12/24 18:13:43 ET
Table 'Alpha' 6-max Seat #1 is the button
Seat 1: Hero ($20 in chips)
Seat 2: bob ($25 in chips)
Seat 3: cat ($15 in chips)
bob: posts small blind $0.50
cat: posts big blind $1
*** HOLE CARDS ***
Dealt to Hero [Ah Kd]
Hero: raises $1.50 to $2.50
bob: folds
cat: calls $1.50
*** FLOP *** [Ks 7h 2d]
cat: checks
Hero: bets $17.50 and is all-in
cat: calls $12.50 and is all-in
Uncalled bet ($5) returned to Hero
*** TURN *** [Ks 7h 2d] [4c]
*** RIVER *** [Ks 7h 2d 4c] [9c]
*** SHOW DOWN ***
cat: shows [7c 7d] (three of a kind, Sevens)
Hero: shows [Ah Kd] (a pair of Kings)
cat collected $29.50 from pot
*** SUMMARY ***
Total pot $30.50 | Rake $1.00
Board [Ks 7h 2d 4c 9c]

"""
THREE = TWO.replace("bob: folds", "bob: calls $2").replace("cat: checks", "bob: folds\ncat: checks").replace(
    "$29.50", "$31.50").replace("$30.50", "$32.50")  # fmt: skip
FOLDED = TWO.split("Hero: raises")[0] + (
    "Hero: folds\nbob: folds\nUncalled bet ($0.50) returned to cat\ncat collected $1 from pot\n*** SUMMARY ***\n"
    "Total pot $1 | Rake $0\n\n"
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def found(text: str, hero: str | None = None, recent: bool = False, now: datetime = NOW) -> Sorted:
    with room_hands(io.StringIO(text)) as hands:
        return sorted_hands(hands, hero, recent, now)


def test_a_pot_for_two_has_what_everybody_put_in_and_stacks_as_they_were_at_the_flop() -> None:
    ((number, hand),) = found(TWO).flops
    unit = hand.big_blind
    assert number == 1
    assert hand.pot / unit == pytest.approx(5.5)  # two of 2.50 and the small blind that folded
    assert [stack / unit for stack in hand.stacks] == [12.5, 17.5]  # cat acts first
    assert (hand.positions, hand.kind, hand.roles, hand.aggressor) == (("BB", "BTN"), "single", ("call", "raise"), 1)
    assert hand.moves == (
        Move(0, 0, "check", 0), Move(0, 1, "bet", 12.5 * unit), Move(0, 0, "call", 12.5 * unit),
    )  # fmt: skip
    assert hand.returns / unit == pytest.approx(-15.0)


def test_before_the_flop_a_hand_is_what_was_put_in_by_whom_in_big_blinds() -> None:
    ((_, hand),) = found(TWO).hands
    assert hand.before is not None
    assert hand.before.stacks == (25.0, 15.0, 20.0)  # from the small blind
    assert (hand.before.hero, hand.before.stack, hand.seat) == (2, 20.0, 2)
    assert hand.before.moves == ((2, "raise", 2.5, 0), (0, "fold", 0.5, 1), (1, "call", 2.5, 2))
    tabled = TWO.replace("cat: posts big", "cat: posts the ante $1\ncat: posts big").replace("cat ($15", "cat ($16")
    ((_, one),) = found(tabled.replace("Total pot $30.50", "Total pot $31.50").replace("$29.50", "$30.50")).hands
    assert one.before is not None  # an ante of the big blind for the table is its share for everybody
    assert (one.before.ante, one.before.stacks) == (pytest.approx(1 / 3), (25.0, 16.0, 20.0))
    assert one.flop is not None
    assert one.flop.pot / one.flop.big_blind == pytest.approx(6.5)
    straddled = TWO.replace("*** HOLE", "Hero: posts straddle $2\n*** HOLE")
    assert all(one.before is None for _, one in found(straddled).hands)


def test_without_a_small_blind_the_first_after_the_button_is_no_charts_small_blind() -> None:
    """A seat was left: bob has the big blind, cat is the first to act."""
    text = TWO.replace("bob: posts small blind $0.50\ncat: posts big blind $1", "bob: posts big blind $1")
    text = text.replace("Hero: raises", "cat: folds\nHero: raises", 1).replace("bob: folds\ncat: calls", "bob: calls")
    text = text.replace("cat: ", "bob: ").replace("bob: folds", "cat: folds", 1)
    text = text.replace("calls $12.50 and is all-in\nUncalled bet ($5) returned to Hero", "calls $17.50")
    text = text.replace("cat collected $29.50", "bob collected $39").replace("Total pot $30.50", "Total pot $40")
    ((_, hand),) = found(text).hands
    assert hand.before is None
    assert hand.flop is not None
    assert hand.flop.positions == ("BB", "BTN")
    game = make.game("holdem_nolimit:players=3,blinds=100")
    said, setup = board_game(game), {"starter": 2, "score": [], "stacks": []}
    assert said is not None
    record = {"setup": setup, "seats": [0, 1, 2], "deck": list(range(6)), "actions": [0, 0]}
    own, _ = room_hand(said, record)
    assert (own.big, before_of(own, 1)) == (0, None)


def test_what_cannot_be_graded_is_counted_by_the_reason() -> None:
    sorted_ = found(THREE.replace("101", "102") + FOLDED.replace("101", "103"))
    assert sorted_.flops == ()
    assert [(hand.missing, hand.after) for _, hand in sorted_.hands] == [
        ("more than two players saw the flop", 1), ("folded before the flop", 0),
    ]  # fmt: skip
    twice = found(TWO + FOLDED.replace("101", "103") + TWO)  # downloads overlap
    assert (len(twice.hands), twice.left_out) == (2, {AGAIN: 1})


def test_hands_of_the_last_day_are_refused_unless_told_otherwise() -> None:
    """18:13:43 ET is 23:13:43 UTC."""
    played = datetime(2024, 12, 24, 23, 13, 43, tzinfo=UTC)
    assert found(TWO, now=played + timedelta(hours=23)).left_out == {RECENT: 1}
    assert found(TWO, now=played + timedelta(hours=23), recent=True).left_out == {}
    assert found(TWO, now=played + timedelta(days=3)).left_out == {}


def test_a_time_without_a_zone_is_recent_for_14_hours_longer() -> None:
    """18:13:43 where the room's clock is, which may be twelve hours behind UTC."""
    unzoned, played = TWO.replace(" ET", ""), datetime(2024, 12, 24, 18, 13, 43, tzinfo=UTC)
    assert unzoned != TWO
    assert found(TWO.replace(" - 2024/12/24 18:13:43 ET", "")).left_out == {RECENT: 1}
    assert found(unzoned, now=played + timedelta(hours=37)).left_out == {RECENT: 1}
    assert found(unzoned, now=played + timedelta(hours=39)).left_out == {}


def test_the_rake_is_that_of_the_files_hands() -> None:
    sorted_ = found(TWO)
    assert sorted_.rake == pytest.approx(1 / 30.5, abs=1e-3)
    assert sorted_.flops[0][1].raked
    assert sorted_.rake_cap == 1.0
    other = TWO.replace("101", "102").replace("$29.50", "$30").replace("Rake $1.00", "Rake $0.50")
    third = TWO.replace("101", "103").replace("$29.50", "$29.90").replace("Rake $1.00", "Rake $0.60")
    sorted_ = found(TWO + other + third + FOLDED.replace("101", "104"))
    assert (sorted_.rake, sorted_.rake_cap) == (round(0.6 / 30.5, 3), 1.0)  # the median, and the most
    played = TWO.replace(
        "Hold'em No Limit ($0.50/$1.00 USD)", "Tournament #5, $1+$0.10 USD Hold'em No Limit - Level I (0.50/1)"
    )
    ((_, free),) = found(
        played.replace("$", "").replace("1+0.10", "$1+$0.10").replace("29.50", "30.50").replace("Rake 1.00", "Rake 0")
    ).flops
    assert not free.raked


def test_another_players_hand_is_graded_where_it_was_shown() -> None:
    ((_, hand),) = found(TWO, "cat").flops
    assert hand.hero == 0
    assert found(TWO, "nobody").heroes == ()
