"""Winamax', PartyPoker's and iPoker's hands: each room's own words, amounts and cards, replayed by the same rules."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from cardai import make
from cardai.arena.records import place
from cardai.cards.text import cards_text
from cardai.cli import main
from cardai.core.errors import DamagedFileError
from cardai.core.format import LeftOut
from cardai.formats import read_hands
from cardai.formats.packed import ENOUGH
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.lines import Hand
from cardai.formats.rooms.text import UNITS, amounts, currency, moment
from cardai.formats.rooms.winamax import WinamaxRoom
from tests.formats.rooms.texts import CASH, GG, IPOKER, PARTY_NEW, PARTY_OLD, WINAMAX


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


def test_a_raise_that_nobody_can_answer_comes_back_and_half_chips_are_rounded_in_what_is_won() -> None:
    text = """\
Winamax Poker - Tournament "X" buyIn: Ticket level: 8 - HandId: #63-71-1288124090 - Holdem no limit (75/150) - 2010/10/26 21:14:50 UTC
Table: 'X(14)#118' 9-max (real money) Seat #1 is the button
Seat 1: Ann (1000.25)
Seat 2: Bob (2000.25)
*** ANTE/BLINDS ***
Ann posts small blind 75
Bob posts big blind 150
*** PRE-FLOP ***
Ann raises 850.25 to 1000.25 and is all-in
Bob raises 1000 to 2000.25 and is all-in
*** FLOP *** [Td 6c 4c]
*** TURN *** [Td 6c 4c][8c]
*** RIVER *** [Td 6c 4c 8c][Kh]
*** SHOW DOWN ***
Ann shows [6d 6s] (Trips of 6)
Bob shows [Jd Jc] (One pair : Jacks)
Bob collected 1000 from side pot 1
Ann collected 2001 from main pot
*** SUMMARY ***
Total pot 3k | No rake
Board: [Td 6c 4c 8c Kh]
"""
    hand = one(text)
    assert [(player.name, player.net * hand.chip) for player in hand.players] == [("Bob", -1000.25), ("Ann", 1000.75)]
    assert hand.actions[-1].kind == "call"
    unseen = text.replace("Bob shows [Jd Jc] (One pair : Jacks)\n", "")  # who only has back what nobody called has lost
    for called in (unseen, unseen.replace("Ann raises 850.25 to 1000.25 and is all-in\nBob", "Ann calls 75\nBob").replace(
        "*** FLOP", "Ann calls 850.25 and is all-in\n*** FLOP")):  # fmt: skip
        assert [player.net * hand.chip for player in one(called).players] == [-1000.25, 1000.75]
        (record,) = read_hands(io.StringIO(called)).hands
        assert record["room"]["unknown"] == [0]


def test_seats_that_were_left_before_the_hand_are_not_in_it() -> None:
    text = PARTY_NEW.replace("Seat 3: Hero (1173)", "Seat 3: gone (900)\nSeat 4: Hero (1173)")
    unposted = "".join(line for line in text.splitlines(keepends=True) if " blind (" not in line)
    assert one(unposted).players == one(PARTY_NEW.replace("Seat 3: Hero", "Seat 4: Hero")).players


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


@pytest.mark.parametrize("behind", ["", " - (21.60 / 16.35 / - / 18k)"], ids=["alone", "a tracker's figures"])
def test_partys_names_may_hold_a_number_in_brackets(behind: str) -> None:
    text = re.sub(r"^(Seat \d+: .*\))$", rf"\1{behind}", PARTY_OLD, flags=re.MULTILINE).replace("Dan", "Dan (2)")
    assert [(p.name, p.stack) for p in one(text).players] == [
        (p.name.replace("Dan", "Dan (2)"), p.stack) for p in one(PARTY_OLD).players
    ]


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


def test_ipokers_all_ins_are_what_they_add_and_antes_and_straddles_are_posts() -> None:
    """Three with antes of 10: the small blind is all-in over a straddle, the button for more calls, and has the rest back."""
    tags = '<session><general><gametype>Holdem NL 50/100</gametype><tournamentcode>7</tournamentcode></general><game gamecode="5">'
    seats = [("a", 500, 0, 1110), ("b", 900, 0, 0), ("c", 4_000, 1, 400)]
    players = "".join(
        f'<player seat="{k}" name="{name}" chips="{chips:,}" dealer="{dealer}" win="{win:,}" bet="0"/>'
        for k, (name, chips, dealer, win) in enumerate(seats, 1)
    )
    acts = [
        ("a", 15, 10), ("b", 15, 10), ("c", 15, 10), ("a", 1, 50), ("b", 2, 100), ("c", 33, 200),
        ("a", 7, 440), ("b", 0, 0), ("c", 23, 890),
    ]  # fmt: skip
    told = "".join(
        f'<action no="{k}" player="{who}" type="{kind}" sum="{chips}"/>' for k, (who, kind, chips) in enumerate(acts)
    )
    board = "".join(
        f'<cards type="{street}" player="">{dealt}</cards>'
        for street, dealt in (("Flop", "S2 H3 D4"), ("Turn", "C9"), ("River", "CK"))
    )
    held = '<cards type="Pocket" player="a">SA HA</cards>'
    hand = one(f"{tags}{players}{told}{held}{board}</game></session>")
    assert [(p.name, p.ante, p.blind, p.net) for p in hand.players] == [
        ("a", 10, 50, 610), ("b", 10, 100, -110), ("c", 10, 200, -500),
    ]  # fmt: skip
    assert [(a.kind, a.to, a.all_in) for a in hand.actions] == [
        ("raise", 490, True), ("fold", 100, False), ("call", 490, False),
    ]  # fmt: skip
    assert hand.tournament == "7"


@pytest.mark.parametrize(
    ("said", "apart"),
    [
        ("", False),
        ("<client_version>19.3.5.5</client_version>", False),
        ("<client_version>19.3.5.5</client_version><uncalled_bet_enabled>true</uncalled_bet_enabled>", True),
        ("<client_version>21.1.1.9</client_version>", True),
        ("<client_version>21.1.1.9</client_version><uncalled_bet_enabled>false</uncalled_bet_enabled>", False),
    ],
    ids=["nothing said", "old", "old, apart", "new", "new, within"],
)
def test_what_nobody_called_is_no_rake_where_ipoker_writes_wins_without_it(said: str, apart: bool) -> None:
    """Of a bet of $0.20 that nobody calls into $1.50, which is less than the most rake that is believed."""
    text = IPOKER.replace("<general>", f"<general>{said}", 1)
    text = text.replace('type="5" sum="$0.60"', 'type="4" sum="$0"').replace(
        'type="23" sum="$1.20"', 'type="5" sum="$0.20"'
    )
    hand = one(text.replace('win="$3.18"', f'win="{"$1.48" if apart else "$1.68"}"'))
    assert [(player.name, player.net) for player in hand.players][:2] == [("Hero", -60), ("Player8", 88)]
    assert hand.rake == 2


def test_amounts_and_clocks_are_read_in_every_spelling() -> None:
    told = "1,234.56 1.234,56 0,05 1 500 0.125 0,125 1,500 1.500 2.5 1'000 12,345,678"
    assert [one / UNITS for one in amounts(told)] == [
        1234.56, 1234.56, 0.05, 1500, 0.125, 0.125, 1500, 1500, 2.5, 1000, 12_345_678,
    ]  # fmt: skip
    hours = {"07/01 12:00:00 ET": 16, "11/20 12:00:00 ET": 17, "12/20 12:00:00 CET": 11, "07/01 12:00:00": 12}
    for text, hour in hours.items():
        at = moment(f"2024/{text}")
        assert at is not None
        assert (at.hour, at.tzinfo is None) == (hour, not text[-1].isalpha())


@pytest.mark.parametrize(
    "day",
    ["2024/03/01 {}", "2024-03-01 {} ET", "Friday, March 01, {} EST 2024", "01.03.2024 {}", "1 Mar 2024 {}"],
)
def test_clocks_of_twelve_hours_are_read(day: str) -> None:
    times = ("7:32:27", "7:32:27 AM", "7:32:27 PM", "12:32:27 am", "12:32:27 p.m.")
    first, *others = [found for time in times if (found := moment(day.format(time)))]
    assert [(at - first) / timedelta(hours=1) for at in others] == [0, 12, -7, 5]


def test_a_dollar_with_letters_before_it_is_its_countrys() -> None:
    told = {
        "C$1/C$2": "CAD",
        "CA$0.50": "CAD",
        "R$1/R$2": "BRL",
        "A$5": "AUD",
        "MX$5": "MXN",
        "US$5": "USD",
        "$1/$2": "USD",
    }
    assert {text: currency(text) for text in told} == told
    assert currency("C$1 USD") == "USD"  # the code holds
    assert (
        one(IPOKER.replace("<currency>USD", "<currency>GBP")).currency == "USD"
    )  # the account's, which the table's is not


def test_heads_with_antes_name_the_blinds_behind_them_and_what_the_room_puts_in_is_no_rake() -> None:
    head = 'Winamax Poker - Tournament "X" buyIn: 9€ + 1€ level: 8 - HandId: #6-7-1 - Holdem no limit (10/75/150) - 2010/10/26 21:14:50 UTC'
    told = WinamaxRoom().told(Hand(1, [head, *WINAMAX.splitlines()[1:]]))
    assert ([one / UNITS for one in told.stakes], told.tournament, told.currency) == ([75, 150], "X", "")
    dropped = GG.replace("*** HOLE", "Cash Drop to Pot : total $0.5\n*** HOLE").replace("$1.73 from", "$1.98 from")
    assert one(GG).rake - one(dropped).rake == 50


@pytest.mark.parametrize("text", [WINAMAX, PARTY_OLD, PARTY_NEW, IPOKER], ids=["winamax", "old", "new", "ipoker"])
def test_a_record_of_a_hand_replays_by_the_game_it_names(text: str) -> None:
    (record,) = read_hands(io.StringIO(text)).hands
    tables, row = make.game(record["game"]).tables(1), np.zeros(1, np.int64)
    place(tables, record)
    for action in record["actions"]:
        tables.apply(row, np.array([action]))
    assert tables.current_players().tolist() == [-4]
    assert tables.returns(row)[0].tolist() == record["returns"]


ALL = "\n\n".join([CASH, GG, WINAMAX, PARTY_OLD, IPOKER, CASH.replace("#74000000001", "#2")])


def test_hands_of_several_rooms_may_stand_in_one_file() -> None:
    with room_hands(io.StringIO(ALL)) as hands:
        found = [(hand.room, ALL.splitlines()[hand.line - 1]) for hand in hands if isinstance(hand, RoomHand)]
    assert [room for room, _ in found] == ["PokerStars", "GGPoker", "Winamax", "PartyPoker", "iPoker", "PokerStars"]
    assert all(
        name in line
        for (_, line), name in zip(found, ("#74", "#RC", "#21819158", "11491869882", "<game", "#2"), strict=True)
    )


def test_a_folder_and_a_zip_archive_are_read_as_the_files_in_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "b/one.txt": CASH.encode("utf-16"), "b/two.XML": IPOKER.encode(), "a.txt.gz": gzip.compress(GG.encode()),
        "c.txt": b"notes", "d.txt": WINAMAX.rstrip().encode("cp1252"), "e.txt": PARTY_OLD.encode(), "f.png": CASH.encode(),
    }  # fmt: skip
    folder, archive = tmp_path / "hands", tmp_path / "hands.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
            packed.writestr(name, data)
    for source in (folder, archive):
        with room_hands(source) as hands:
            found = [hand.reason if isinstance(hand, LeftOut) else hand.room for hand in hands]
        assert found == [
            "GGPoker",
            "PokerStars",
            "iPoker",
            "Winamax",
            "PartyPoker",
            "a file in no format that is known",
        ]
        held = read_hands(source)
        assert (len(held.hands), [str(said).partition(" is in no format")[0][-5:] for said in held.damaged]) == (
            5,
            ["c.txt"],
        )
        with pytest.raises(SystemExit):
            main(["review", str(source)])
        told = capsys.readouterr().out
        assert "1 hand left out: not read: a file in no format that is known" in told
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "c.txt").write_bytes(b"notes")
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", b" " * (ENOUGH + 1))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-30])
    whole, spoiled = archive.read_bytes(), tmp_path / "spoiled.zip"
    spoiled.write_bytes(whole[:60] + bytes(byte ^ 255 for byte in whole[60:90]) + whole[90:])
    locked = tmp_path / "locked.zip"
    central = whole.index(b"PK\x01\x02")  # the flag of a password, in the first file's entry
    locked.write_bytes(whole[: central + 8] + bytes([whole[central + 8] | 1]) + whole[central + 9 :])
    for source, said in (
        (tmp_path / "notes", "no file of hands .*; 1 x a file in no format"),
        (bomb, "more than 200 times its size"),
        (cut, "cannot be unpacked"),
        (spoiled, "cannot be unpacked"),
        (locked, "cannot be unpacked: .*(encrypted|password)"),
    ):
        with pytest.raises(DamagedFileError, match=said), room_hands(source):
            pass


def test_a_file_in_no_format_is_told_what_was_looked_for(tmp_path: Path) -> None:
    for text, said in (
        (
            "# Title\n\nText.\n",
            r"known: none of its first 50 .*acpc \(The logs .*; one hand begins Winamax Poker - \)\.$",
        ),
        ("Mano n.º 7 de PokerStars:  Hold'em No Limit\n", "It names PokerStars: hands are read in English"),
    ):
        (tmp_path / "x.md").write_text(text)
        with pytest.raises(DamagedFileError, match=said):
            read_hands(tmp_path / "x.md")


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (WINAMAX, "Holdem no limit", "Omaha pot limit", "another game"),
        (WINAMAX, "raises 0.08€ to 0.16€", "raises 0.08€ to 0.12€", "a raise of no legal amount"),
        (PARTY_OLD, "NL Texas Hold'em", "PL Omaha", "another game"),
        (PARTY_OLD, "Cat calls [$0.04 USD]", "Cat calls [$0.05 USD]", "a call of another amount"),
        (PARTY_OLD, "Cat checks", "newcomer checks", "a player without a seat"),
        (PARTY_NEW, "Hero calls (287)", "Hero calls (280)\nwatcher: he calls 3 times", "a call of another amount"),
        (PARTY_OLD, "** Dealing down", "new posts big blind [$0.02 USD].\nnew folds\n** Dealing down", "a player without a seat"),
        (PARTY_NEW, "Player1 balance 654, bet 327, collected 654", "Player1 balance 654, bet 327, collected 600", "chips do not add up"),
        (PARTY_OLD, "Cat calls [$0.02 USD]\nDan raises [$0.06 USD]\nAnn folds\nCat calls [$0.04 USD]\n", "", "a bomb pot"),
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
