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

CASH = """\
PokerStars Hand #74000000001:  Hold'em No Limit ($0.02/$0.05 USD) - 2025/12/24 18:13:43 ET
Table 'Alpha: (fast) 7' 6-max Seat #1 is the button
Seat 1: a:b ($5 in chips)
Seat 2: bets $9 ($4.10 in chips)
Seat 3: x [Ah] (y) ($10.25 in chips)
Seat 4: away ($3 in chips) is sitting out
Seat 6: Zoë ($5 in chips)
bets $9: posts small blind $0.02
x [Ah] (y): posts big blind $0.05
away: sits out
*** HOLE CARDS ***
Dealt to Zoë [Th 5c]
Zoë: raises $0.10 to $0.15
a:b said, "Zoë: folds"
a:b: folds
bets $9: raises $0.40 to $0.55
x [Ah] (y): folds
Zoë: calls $0.40
*** FLOP *** [Ad 7d 4h]
bets $9: bets $3.55 and is all-in
Zoë: calls $3.55
*** TURN *** [Ad 7d 4h] [Ts]
*** RIVER *** [Ad 7d 4h Ts] [3h]
*** SHOW DOWN ***
bets $9: shows [4d 6d] (a pair of Fours)
Zoë: shows [Th 5c] (a pair of Tens)
Zoë collected $7.85 from pot
*** SUMMARY ***
Total pot $8.25 | Rake $0.40
Board [Ad 7d 4h Ts 3h]
Seat 2: bets $9 (small blind) showed [4d 6d] and lost with a pair of Fours
Seat 6: Zoë showed [Th 5c] and won ($7.85) with a pair of Tens
"""

GG = """\
Poker Hand #RC1000000001: Hold'em No Limit ($0.01/$0.02) - 2025/04/09 22:13:05
Table 'RushAndCash1' 6-max Seat #1 is the button
Seat 1: 1a2b3c4d ($2 in chips)
Seat 2: Hero ($1.77 in chips)
Seat 3: 626f7725 ($2 in chips)
Seat 5: deadbee ($2 in chips)
Hero: posts small blind $0.01
626f7725: posts big blind $0.02
deadbee: posts missed blind $0.01
deadbee: posts big blind $0.02
*** HOLE CARDS ***
Dealt to 1a2b3c4d
Dealt to Hero [As Ks]
Dealt to 626f7725
Dealt to deadbee
deadbee: checks
1a2b3c4d: folds
Hero: raises $1.75 to $1.77 and is all-in
626f7725: calls $1.75
deadbee: folds
Hero: shows [As Ks]
626f7725: shows [Qh Qd]
*** FIRST FLOP *** [2d 4h Ac]
*** FIRST TURN *** [2d 4h Ac] [7h]
*** FIRST RIVER *** [2d 4h Ac 7h] [8s]
*** SECOND FLOP *** [Td Qc 2c]
*** SECOND TURN *** [Td Qc 2c] [Kc]
*** SECOND RIVER *** [Td Qc 2c Kc] [9h]
*** FIRST SHOWDOWN ***
Hero collected $1.73 from pot
*** SECOND SHOWDOWN ***
626f7725 collected $1.73 from pot
*** SUMMARY ***
Total pot $3.57 | Rake $0.1 | Jackpot $0.01 | Bingo $0
Hand was run two times
FIRST Board [2d 4h Ac 7h 8s]
SECOND Board [Td Qc 2c Kc 9h]
"""

SHORT_BLIND = """\
PokerStars Game #75000000001: Tournament #518183000, 2000+110 Hold'em No Limit - Level II (15/30) - 2012/02/16 22:26:13 ET
Table '518183000 1' 9-max Seat #3 is the button
Seat 3: Ann (1,215 in chips)
Seat 4: Bob (1640 in chips)
Seat 6: Cat (20 in chips) is sitting out
Seat 7: Dan (1630 in chips)
Bob: posts small blind 15
Cat: posts big blind 20 and is all-in
*** HOLE CARDS ***
Dealt to Ann [Kc Ad]
Dan: calls 30
Ann: folds
Bob: calls 15
Cat: folds
*** FLOP *** [6s Qs Ac]
Bob: checks
Dan: bets 30
Bob: folds
Uncalled bet (30) returned to Dan
Dan collected 80 from pot
*** SUMMARY ***
Total pot 80 | Rake 0
Board [6s Qs Ac]
"""


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


def test_a_short_big_blind_is_called_in_full_and_who_is_away_is_folded() -> None:
    hand = one(SHORT_BLIND)
    assert [player.net for player in hand.players] == [-30, -20, 50, 0]
    assert hand.actions[0].to == 30  # more than the 20 that were posted
    assert hand.tournament == "518183000"


@pytest.mark.parametrize("text", [CASH, GG, SHORT_BLIND], ids=["cash", "gg", "short blind"])
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


def test_one_bad_hand_costs_that_hand() -> None:
    text = CASH + "\n" + CASH.replace("calls $3.55", "calls $3.50") + "\n\n" + SHORT_BLIND
    assert [isinstance(hand, RoomHand) for hand in hands_of(text)] == [True, False, True]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
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
