"""PokerStars' and GGPoker's hands: read as they are written, replayed by the rules, refused with a reason where they disagree."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import numpy as np
import pytest

from cardai import make
from cardai.arena.records import place
from cardai.cards.text import cards_text
from cardai.core.format import LeftOut
from cardai.formats import read_hands
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.hand import RoomHand
from tests.formats.rooms.texts import CASH, GG, SHORT_BLIND

LIMIT = """\
PokerStars Hand #76000000001:  Hold'em Limit ($0.10/$0.20 USD) - 2012/12/24 18:13:43 ET
Table 'Alpha' 6-max Seat #1 is the button
Seat 1: Ann ($10 in chips)
Seat 2: Bob ($0.23 in chips)
Seat 3: Cat ($10 in chips)
Bob: posts small blind $0.05
Cat: posts big blind $0.10
*** HOLE CARDS ***
Dealt to Ann [Th 5c]
Ann: calls $0.10
Bob: calls $0.05
Cat: checks
*** FLOP *** [Ad 7d 4h]
Bob: bets $0.10
Cat: calls $0.10
Ann: calls $0.10
*** TURN *** [Ad 7d 4h] [Ts]
Bob: bets $0.03 and is all-in
Cat: raises $0.17 to $0.20
Ann: calls $0.20
*** RIVER *** [Ad 7d 4h Ts] [3h]
Cat: bets $0.20
Ann: folds
Uncalled bet ($0.20) returned to Cat
*** SHOW DOWN ***
Cat: shows [Kc Kd] (a pair of Kings)
Cat collected $0.34 from side pot
Bob: shows [Ac As] (three of a kind, Aces)
Bob collected $0.69 from main pot
*** SUMMARY ***
Total pot $1.03 Main pot $0.69. Side pot $0.34. | Rake $0
Board [Ad 7d 4h Ts 3h]
"""
HALF = (
    LIMIT.replace("Bob ($0.23", "Bob ($0.33")
    .replace("$0.03 and", "$0.13 and")
    .replace("$0.17 to $0.20", "$0.27 to $0.40")
    .replace("Ann: calls $0.20", "Ann: calls $0.40")
    .replace("collected $0.34", "collected $0.54")
    .replace("collected $0.69", "collected $0.99")
)
"""Half of a bet counts as one, which is raised; less is completed."""


def hands_of(text: str) -> list[RoomHand | LeftOut]:
    with room_hands(io.StringIO(text)) as hands:
        return list(hands)


def one(text: str) -> RoomHand:
    (hand,) = hands_of(text)
    assert isinstance(hand, RoomHand), hand
    return hand


def refused(text: str) -> str:
    (hand,) = hands_of(text)
    assert isinstance(hand, LeftOut)
    return hand.reason


def test_a_cash_hand_is_read_whole_whatever_the_names_hold() -> None:
    hand = one(CASH)
    assert [player.name for player in hand.players] == ["bets $9", "x [Ah] (y)", "Zoë", "a:b"]
    assert [player.stack for player in hand.players] == [410, 1025, 500, 500]
    assert (hand.room, hand.number, hand.table) == ("PokerStars", "74000000001", "Alpha: (fast) 7")
    assert (hand.chip, hand.currency, hand.big_blind, hand.betting) == (0.01, "USD", 5, "nolimit")
    assert hand.time == datetime(2025, 12, 24, 23, 13, 43, tzinfo=UTC)
    assert hand.players[hand.hero].name == "Zoë"
    assert hand.players[hand.button].name == "a:b"
    assert cards_text(hand.board) == "Ad7d4hTs3h"
    assert [(a.player, a.round, a.kind, a.to, a.added) for a in hand.actions] == [
        (2, 0, "raise", 15, 15),
        (3, 0, "fold", 0, 0),
        (0, 0, "raise", 55, 53),
        (1, 0, "fold", 5, 0),
        (2, 0, "call", 55, 40),
        (0, 1, "bet", 355, 355),
        (2, 1, "call", 355, 355),
    ]
    assert hand.actions[5].all_in
    assert (hand.pot, hand.rake, hand.showdown) == (825, 40, True)
    assert [player.net for player in hand.players] == [-410, -5, 375, 0]
    assert list(hand.returns) == [-410.0, -5.0, 415.0, 0.0]
    assert hand.positions == ("SB", "BB", "CO", "BTN")


def test_a_missed_blind_is_dead_and_a_hand_run_twice_is_shared() -> None:
    hand = one(GG)
    newcomer = next(player for player in hand.players if player.name == "deadbee")
    assert (newcomer.blind, newcomer.dead, newcomer.net) == (2, 1, -3)
    assert len(hand.boards) == 2
    assert hand.rake == 11
    assert [player.net for player in hand.players] == [-4, -4, -3, 0]
    assert list(hand.returns) == [1.5, 1.5, -3.0, 0.0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("[Td Qc 2c Kc] [9h]", "[Td Qc 2c Kc] [8s]"), ("[Td Qc 2c", "[2d Qc 2c"), ("[Td Qc 2c", "[Td 4h 2c")],
)
def test_boards_of_a_hand_run_twice_come_from_one_deck(old: str, new: str) -> None:
    assert old in GG
    assert refused(GG.replace(old, new)) == "a card is there twice"


def test_boards_may_share_the_streets_before_they_parted() -> None:
    text = GG
    for old, new in (
        ("[Td Qc 2c", "[2d 4h Ac"),
        ("[Kc]", "[Qc]"),
        ("Ac Kc] [9h]", "Ac Qc] [9h]"),
        ("Ac Kc 9h", "Ac Qc 9h"),
    ):
        assert old in text
        text = text.replace(old, new)
    assert [cards_text(board) for board in one(text).boards] == ["2d4hAc7h8s", "2d4hAcQc9h"]


def test_a_short_big_blind_is_called_in_full_and_who_is_away_is_folded() -> None:
    hand = one(SHORT_BLIND)
    assert [player.net for player in hand.players] == [-30, -20, 50, 0]
    assert hand.actions[0].to == 30  # more than the 20 that were posted
    assert hand.tournament == "518183000"


def test_a_limit_raise_completes_a_short_all_in() -> None:
    assert [(a.kind, a.to) for a in one(LIMIT).actions if a.round == 2] == [("bet", 3), ("raise", 20), ("call", 20)]
    assert [(a.kind, a.to) for a in one(HALF).actions if a.round == 2] == [("bet", 13), ("raise", 40), ("call", 40)]
    assert refused(HALF.replace("$0.27 to $0.40", "$0.17 to $0.30")) == "a raise of no legal amount"


@pytest.mark.parametrize("text", [CASH, GG, SHORT_BLIND, LIMIT], ids=["cash", "gg", "short blind", "limit"])
def test_a_record_of_a_hand_replays_by_the_game_it_names(text: str) -> None:
    (record,) = read_hands(io.StringIO(text)).hands
    game = make.game(record["game"])
    tables, row = game.tables(1), np.zeros(1, np.int64)
    place(tables, record)
    for action in record["actions"]:
        tables.apply(row, np.array([action]))
    assert tables.current_players().tolist() == [-4]
    if "boards" not in record["room"]:
        assert tables.returns(row)[0].tolist() == record["returns"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("raises $0.40 to $0.55", "raises $0.40 to $0.20", "a raise of no legal amount"),
        ("calls $3.55", "calls $3.50", "a call of another amount"),
        ("bets $3.55 and is all-in", "bets $3.56 and is all-in", "a bet of more than the stack"),
        ("[Ad 7d 4h Ts] [3h]", "[Ad 7d 4h Ts] [Th]", "a card is there twice"),
        ("Zoë collected $7.85", "bets $9 collected $7.85", "another wins"),
        ("Zoë collected $7.85", "Zoë collected $7.50", "chips do not add up"),
        ("Zoë collected $7.85", "Zoë collected $7.84", "chips do not add up"),
        ("Rake $0.40", "Rake $0.41", "chips do not add up"),
        ("Rake $0.40", "Rake $0.395", "chips do not add up"),
        ("*** RIVER *** [Ad 7d 4h Ts] [3h]\n", "", "the board is shorter than the betting"),
        ("Hold'em No Limit", "Omaha Pot Limit", "another game"),
        ("Hold'em No Limit", "6+ Hold'em No Limit", "another game"),
        ("PokerStars Hand", "PokerStars Раздача", "another language"),
        ("$9: posts small blind $0.02", "$9: posts small blind $0.09", "a raise of no legal amount"),
    ],
)
def test_what_the_rules_do_not_give_is_refused_by_its_reason(old: str, new: str, reason: str) -> None:
    assert old in CASH
    assert refused(CASH.replace(old, new)) == reason


def test_a_loser_wins_not_even_a_chip() -> None:
    text = CASH.replace("collected $7.85 from pot", "collected $7.84 from pot\nbets $9 collected $0.01 from pot")
    assert refused(text) == "another wins"


@pytest.mark.parametrize("rake", ["$0.38", "$0.40"])
def test_a_tax_may_be_taken_or_not_but_nothing_between(rake: str) -> None:
    assert one(CASH.replace("Rake $0.40", f"Rake {rake} | Tax $0.02")).rake == 40
    assert refused(CASH.replace("Rake $0.40", "Rake $0.39 | Tax $0.02")) == "chips do not add up"


def test_one_bad_hand_costs_that_hand() -> None:
    text = CASH + "\n" + CASH.replace("calls $3.55", "calls $3.50") + "\n\n" + SHORT_BLIND
    assert [isinstance(hand, RoomHand) for hand in hands_of(text)] == [True, False, True]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_files_are_read_in_every_encoding_with_every_line_end(tmp_path, encoding: str, end: str) -> None:
    path = tmp_path / "hands.txt"
    path.write_bytes(CASH.replace("\n", end).encode(encoding))
    with room_hands(path) as hands:
        (hand,) = hands
    assert isinstance(hand, RoomHand)
    assert hand.players[2].name == "Zoë"


def test_a_fold_that_the_file_leaves_out_is_implied_and_said() -> None:
    hand = one(CASH.replace("x [Ah] (y): folds\n", ""))
    assert [action.player for action in hand.actions if action.implied] == [1]


def test_a_name_of_asterisks_is_no_heading() -> None:
    hand = one(CASH.replace("bets $9", "** FLOP **"))
    assert hand.players[0].name == "** FLOP **"


def test_two_files_that_were_cut_within_a_line_cost_one_hand() -> None:
    cut = CASH[: CASH.index("[Ad 7d 4h]") + 4] + CASH
    found = hands_of(cut)
    assert [isinstance(hand, RoomHand) for hand in found] == [False, True]


def test_a_fold_out_of_turn_waits_for_its_turn() -> None:
    early = CASH.replace("Zoë: raises $0.10 to $0.15\n", "a:b: folds\nZoë: raises $0.10 to $0.15\n", 1)
    early = early.replace('folds"\na:b: folds\n', 'folds"\n', 1)
    assert one(early).actions == one(CASH).actions
