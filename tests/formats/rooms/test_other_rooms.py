"""Winamax', PartyPoker's and iPoker's hands: each room's own words, amounts and cards, replayed by the same rules."""

from __future__ import annotations

import io

import numpy as np
import pytest

from cardai import make
from cardai.arena.records import place
from cardai.cards.text import cards_text
from cardai.core.format import LeftOut
from cardai.formats import read_hands
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.hand import RoomHand

WINAMAX = """\
Winamax Poker - CashGame - HandId: #21819158-393-1765807340 - Holdem no limit (0.01€/0.02€) - 2025/12/15 14:02:20 UTC
Table: 'Nice 09' 5-max (real money) Seat #3 is the button
Seat 1: Zoé (1.76€)
Seat 3: le (grand) 9 (2€)
Seat 4: Hero (2.04€)
Seat 5: new one (2€)
*** ANTE/BLINDS ***
Hero posts small blind 0.01€
new one posts big blind 0.02€
Zoé posts small blind 0.03€ out of position
Zoé posts big blind 0€ out of position
Dealt to Hero [As Kd]
*** PRE-FLOP ***
Zoé checks
le (grand) 9 folds
Hero raises 0.04€ to 0.06€
new one folds
Zoé calls 0.04€
*** FLOP *** [6d Qc 7s]
Hero bets 0.08€
Zoé raises 0.08€ to 0.16€
Hero folds
Zoé collected 0.38€ from pot
*** SUMMARY ***
Total pot 0.38€ | Rake 0.01€
Board: [6d Qc 7s]
Seat 1: Zoé won 0.38€
"""

PARTY_OLD = """\
Game #11491869882 starts.

#Game No : 11491869882
***** Hand History for Game 11491869882 *****
$2 USD NL Texas Hold'em - Thursday, March 01, 05:18:55 EST 2012
Table Speed #2409913 (No DP) (Real Money)
Seat 8 is the button
Total number of players : 4/9
Seat 9: Ann ( $1.98 USD )
Seat 1: Bob B. ( $0.01 USD )
Seat 3: Cat ( $2.33 USD )
Seat 8: Dan ( $1 USD )
Ann posts small blind [$0.01 USD].
Bob B. posts big blind [$0.01 USD].
** Dealing down cards **
Dealt to Dan [  Ah 3c ]
Cat: hi, Dan folds
Cat calls [$0.02 USD]
Dan raises [$0.06 USD]
Ann folds
Cat calls [$0.04 USD]
** Dealing Flop ** [ 3h, 8d, Kd ]
Cat checks
Dan is all-In  [$0.94 USD]
Cat folds
** Dealing Turn ** [ Th ]
** Dealing River ** [ 8h ]
Dan shows [ Ah, 3c ]two pairs, Eights and Threes.
Bob B. doesn't show [ Qs, Jd ]a pair of Eights.
Dan wins $1.04 USD from the side pot 1 with two pairs, Eights and Threes.Dan wins $0.03 USD from the main pot with two pairs.
Bob B. has left the table.
"""

PARTY_NEW = """\
***** Hand History For Game 15755902748513x9bwt8w5zk *****
20/40 Tourney Texas Holdem Game Table (NL) (SNG JackPot Tournament #241086059) (Buyin $0.23 + $0.02) - Thu Dec 05 18:57:46 EST 2019
Table (241086059) Table #1 (Real Money) -- Seat 2 is the button
Total number of players : 2/3
Seat 2: Player1 (327)
Seat 3: Hero (1173)
Player1 posts small blind (20)
Hero posts big blind (40)
** Dealing down cards **
Dealt to Hero [ Ah, Ks ]
Player1 raises 307 to 327
Player1 is all-In.
Hero calls (287)
** Dealing Flop ** : [ 4d, 8c, 8s ]
** Dealing Turn ** : [ 6d ]
** Dealing River ** : [ Kd ]
Creating Main Pot with 654 with Player1
** Summary **
Main Pot: 654
Board: [ 4d, 8c, 8s, 6d, Kd ]
Player1 balance 654, bet 327, collected 654, net +327[ 8h, 3d ] [ three of a kind, eights -- Kd,8h,8c,8s,6d ]
Hero balance 846, lost 327[ Ah, Ks ] [ two pairs, kings and eights -- Ah,Ks,Kd,8c,8s ]
"""

IPOKER = """\
<?xml version="1.0" encoding="utf-8"?>
<session sessioncode="6231386447">
<general><mode>real</mode><gametype>Holdem NL $0.10/$0.20</gametype><tablename>Memphis, 98641631</tablename>
<currency>USD</currency><nickname>Hero</nickname></general>
<game gamecode="3056022611">
<general><startdate>2011-12-02 20:44:59</startdate><players>
<player seat="1" name="A &amp; B" chips="$17.03" dealer="1" win="$0" bet="$0"/>
<player seat="3" name="Hero" chips="$1,025.82" dealer="0" win="$0" bet="$1.20"/>
<player seat="5" name="Player8" chips="$16" dealer="0" win="$3.18" bet="$1.80"/>
<player seat="8" name="late" chips="$4" dealer="0" win="$0" bet="$0.30"/>
</players></general>
<round no="0">
<action no="3" player="late" type="2" sum="$0.30" cards="[cards]"/><action no="1" player="Hero" type="1" sum="$0.10"/>
<action no="2" player="Player8" type="2" sum="$0.20"/>
</round>
<round no="1">
<cards type="Pocket" player="A &amp; B">X X</cards><cards type="Pocket" player="Hero">H10 DA</cards>
<action no="4" player="late" type="4" sum="$0"/><action no="5" player="A &amp; B" type="0" sum="$0"/>
<action no="7" player="Player8" type="3" sum="$0.40"/><action no="6" player="Hero" type="23" sum="$0.60"/>
<action no="8" player="late" type="0" sum="$0"/>
</round>
<round no="2"><cards type="Flop" player="">DK S8 H2</cards>
<action no="9" player="Hero" type="5" sum="$0.60"/><action no="10" player="Player8" type="23" sum="$1.20"/>
<action no="11" player="Hero" type="0" sum="$0"/>
</round>
</game>
</session>
"""


def one(text: str) -> RoomHand:
    with room_hands(io.StringIO(text)) as hands:
        (hand,) = hands
    assert isinstance(hand, RoomHand), hand
    return hand


def test_winamax_bets_that_nobody_calls_are_in_what_is_collected_and_dead_blinds_out_of_position() -> None:
    hand = one(WINAMAX)
    assert [player.name for player in hand.players] == ["Hero", "new one", "Zoé", "le (grand) 9"]
    assert [player.dead for player in hand.players] == [0, 0, 1, 0]
    assert [player.net for player in hand.players] == [-14, -2, 15, 0]
    assert hand.rake == 1
    assert (hand.currency, hand.chip, hand.number) == ("EUR", 0.01, "21819158-393-1765807340")


def test_partys_old_form_adds_chips_and_a_short_blind_is_called_in_full() -> None:
    hand = one(PARTY_OLD)
    assert [(a.kind, a.to) for a in hand.actions] == [
        ("call", 2),
        ("raise", 6),
        ("fold", 1),
        ("call", 6),
        ("check", 0),
        ("bet", 94),
        ("fold", 0),
    ]
    assert hand.players[1].name == "Bob B."
    assert cards_text(hand.players[1].cards) == "QsJd"
    assert (hand.showdown, hand.rake) == (True, 1)


def test_partys_new_form_is_read_from_its_summary() -> None:
    hand = one(PARTY_NEW)
    assert [player.net for player in hand.players] == [-327, 327]
    assert hand.tournament == "241086059"
    assert hand.players[hand.button].name == "Player1"


def test_ipokers_actions_are_ordered_by_number_and_a_large_post_is_partly_dead() -> None:
    hand = one(IPOKER)
    assert [player.name for player in hand.players] == ["Hero", "Player8", "late", "A & B"]
    assert (hand.players[2].blind, hand.players[2].dead) == (20, 10)
    assert [(a.player, a.kind, a.to) for a in hand.actions[:5]] == [
        (2, "check", 20),
        (3, "fold", 0),
        (0, "raise", 60),
        (1, "call", 60),
        (2, "fold", 20),
    ]
    assert cards_text(hand.players[0].cards) == "ThAd"


@pytest.mark.parametrize("text", [WINAMAX, PARTY_OLD, PARTY_NEW, IPOKER], ids=["winamax", "old", "new", "ipoker"])
def test_a_record_of_a_hand_replays_by_the_game_it_names(text: str) -> None:
    (record,) = read_hands(io.StringIO(text)).hands
    tables, row = make.game(record["game"]).tables(1), np.zeros(1, np.int64)
    place(tables, record)
    for action in record["actions"]:
        tables.apply(row, np.array([action]))
    assert tables.current_players().tolist() == [-4]
    assert tables.returns(row)[0].tolist() == record["returns"]


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (WINAMAX, "Holdem no limit", "Omaha pot limit", "another game"),
        (WINAMAX, "raises 0.08€ to 0.16€", "raises 0.08€ to 0.12€", "a raise of no legal amount"),
        (PARTY_OLD, "NL Texas Hold'em", "PL Omaha", "another game"),
        (PARTY_OLD, "Cat calls [$0.04 USD]", "Cat calls [$0.05 USD]", "a call of another amount"),
        (PARTY_OLD, "Cat checks", "newcomer checks", "a player without a seat"),
        (PARTY_NEW, "Player1 balance 654, bet 327, collected 654", "Player1 balance 654, bet 327, collected 600", "chips do not add up"),
        (IPOKER, "Holdem NL", "Omaha PL", "another game"),
        (IPOKER, 'sum="$1.20"', 'sum="$1.10"', "a raise of no legal amount"),
        (IPOKER, 'win="$3.18"', 'win="$2.18"', "chips do not add up"),
    ],
)  # fmt: skip
def test_what_the_rules_do_not_give_is_refused_by_its_reason(text: str, old: str, new: str, reason: str) -> None:
    assert old in text
    with room_hands(io.StringIO(text.replace(old, new))) as hands:
        (hand,) = hands
    assert isinstance(hand, LeftOut)
    assert hand.reason == reason
