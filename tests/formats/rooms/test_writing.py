"""Records as PokerStars' hand histories: self-play is read back equal, by cardai and by PokerKit's reader and rules."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import pytest

import cardai
from benchmarks.hand_histories import independent_reader
from cardai import make
from cardai.cards.text import parse_cards
from cardai.cli import main
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.formats import read_hands
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.coach import solved
from cardai.formats.rooms.flops import whole_of
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.own import room_hand
from cardai.formats.rooms.played import walked
from cardai.formats.rooms.stars_records import table_names
from cardai.poker.contract import board_game
from tests.formats.rooms.texts import CASH, GG, IPOKER, PARTY_OLD, SHORT_BLIND, WINAMAX
from tests.support import sizes

SPECS = (
    "holdem_nolimit",
    "holdem_limit:players=3",
    "holdem_nolimit:bets=0.5+pot+allin",
    "holdem_nolimit:players=6,stack=500+900+1500+20000+300+700,ante=10",
    "holdem_nolimit:players=4,straddles=200,ante=100,ante_from=big_blind,stack=3000",
    "holdem_nolimit:players=4,posts=0+0+0+100,dead=0+0+0+50,stack=2000",
)
LONG = [(spec, 500) for spec in ("holdem_nolimit:players=6", "holdem_limit", "holdem_limit:players=6")]
MATCHES = [*sizes(("holdem_nolimit", 0), *LONG), ("holdem_limit:players=3", 0)]
"""What PokerKit is asked of, and how many hands; 0: those that are played anyhow."""


TABLED = SHORT_BLIND.replace("(20 in chips) is sitting out", "(2000 in chips)").replace(
    "Cat: posts big blind 20 and is all-in", "Cat: posts the ante 30\nCat: posts big blind 30"
).replace("Dan collected 80", "Dan collected 120").replace("Total pot 80", "Total pot 120")  # fmt: skip
"""The big blind posts an ante for the table."""


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("matches")
    for number, spec in enumerate(SPECS):
        seats = cardai.game(spec).num_players
        cardai.play(spec, ["random"] * seats, games=24, seed=5, duplicate=False, record=folder / f"{number}.jsonl")
    return {spec: read_hands(folder / f"{number}.jsonl") for number, spec in enumerate(SPECS)}


def read_back(text: str) -> list[RoomHand]:
    with room_hands(io.StringIO(text)) as hands:
        found = list(hands)
    assert all(isinstance(hand, RoomHand) for hand in found), found
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("spec", SPECS)
def test_self_play_is_read_back_equal(matches: dict[str, Any], spec: str) -> None:
    file = matches[spec]
    names = table_names(file.header["agents"])
    written = registry.create("format", "pokerstars:dealt=all").write(file.header, file.hands)
    assert (written.hands, written.left_out) == (len(file.hands), ())
    said = solved(make.game(spec))
    for hand, record in zip(read_back(written.text), file.hands, strict=True):
        n = len(hand.players)
        order = [(record["setup"]["starter"] + 1 + position) % n for position in range(n)]
        assert [player.name for player in hand.players] == [names[record["seats"][seat]] for seat in order]
        assert list(hand.returns) == [record["returns"][seat] for seat in order]
        assert [card for player in hand.players for card in player.cards] == list(record["deck"][: 2 * n])
        assert list(hand.board) == list(record["deck"][2 * n : 2 * n + len(hand.board)])
        if "bets" not in spec:
            assert list(hand.moves) == list(record["actions"])
        if said is not None:  # graded as the hand that a room has written
            own, seats = room_hand(said, record)
            assert [whole_of(own, seats.index(seat)) for seat in order] == [whole_of(hand, k) for k in range(n)]


@pytest.mark.parametrize(("spec", "games"), MATCHES)
def test_pokerkit_deals_and_pays_what_was_played(
    matches: dict[str, Any], spec: str, games: int, tmp_path: Path
) -> None:
    """By a reader and rules of its own; of the hands above it reads no antes, straddles and posts beside the blinds."""
    pytest.importorskip("pokerkit")
    if games:
        seats = ["random"] * cardai.game(spec).num_players
        cardai.play(spec, seats, games=games, seed=6, duplicate=False, record=tmp_path / "x.jsonl")
    file = read_hands(tmp_path / "x.jsonl") if games else matches[spec]
    text = registry.create("format", "pokerstars:dealt=all").write(file.header, file.hands).text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        histories = list(independent_reader()(text, error_status=True))
        for history, record in zip(histories, file.hands, strict=True):
            *_, state = history
            n, first = state.player_count, record["setup"]["starter"] + 1
            wanted = [record["returns"][(first + k) % n] / 100 for k in range(n)]
            assert [float(paid) for paid in state.payoffs] == pytest.approx(wanted, abs=0.011)
            dealt = "".join(action.split()[-1] for action in history.actions if action.startswith("d "))
            assert parse_cards(dealt) == list(record["deck"][: len(dealt) // 2])


@pytest.mark.parametrize(
    "text",
    [CASH, SHORT_BLIND, TABLED, WINAMAX, PARTY_OLD, IPOKER],
    ids=["stars", "short", "ante for the table", "w", "p", "i"],
)
def test_a_rooms_hand_goes_through_a_record_and_back(text: str) -> None:
    (before,) = read_back(text)
    file = read_hands(io.StringIO(text))
    written = registry.create("format", "pokerstars").write(file.header, file.hands)
    (after,) = read_back(written.text)
    for one in (before, after):
        assert [(p.name, p.stack, p.net, p.dead) for p in one.players] == [
            (p.name, p.stack, p.net, p.dead) for p in before.players
        ]
        assert [(a.player, a.kind, a.to) for a in one.actions] == [(a.player, a.kind, a.to) for a in before.actions]
    assert (after.rake, after.board, after.time) == (before.rake, before.board, before.time)


WALK = """\
Poker Hand #HD1: Hold'em No Limit ($0.01/$0.02) - 2025/04/09 22:13:05
Table 'x' 6-max Seat #1 is the button
Seat 1: a ($2 in chips)
Seat 2: b ($2 in chips)
a: posts small blind $0.01
b: posts big blind $0.02
*** HOLE CARDS ***
a: calls $0.01
b: raises $0.06 to $0.08
a: folds
Uncalled bet ($0.06) returned to b
b collected $0.04 from pot
*** SUMMARY ***
Total pot $0.04 | Rake $0
"""


def test_what_cannot_be_said_is_left_out_and_counted() -> None:
    file = read_hands(io.StringIO(GG + "\n\n" + GG))
    written = registry.create("format", "pokerstars").write(file.header, file.hands)
    assert written.hands == 0
    assert [left.reason for left in written.left_out] == ["run more than once"] * 2  # type: ignore[attr-defined]
    dropped = WALK.replace("*** HOLE", "Cash Drop to Pot : total $1\n*** HOLE").replace(
        "collected $0.04", "collected $1.04"
    )
    file = read_hands(io.StringIO(dropped))
    assert [hand["room"]["rake"] for hand in file.hands] == [-100]
    written = registry.create("format", "pokerstars").write(file.header, file.hands)
    assert [left.reason for left in written.left_out] == ["the room added to the pot"]  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="hold'em"):
        registry.create("format", "pokerstars").write({"game": "gin", "agents": ["a", "b"]}, [])


PARTS = """\
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [0.50, 1.25, 0]
min_bet = 1.25
starting_stacks = [50, 80, 30.25]
actions = ['p3 cbr 6', 'p1 f', 'p2 f']
event = 'Cup'
"""


def test_parts_of_chips_without_a_currency_are_written_as_they_are() -> None:
    """A tournament's quarter chips made all amounts a hundred times as large; parts of a cent went without a word."""
    file = read_hands(io.StringIO(PARTS))
    written = registry.create("format", "pokerstars").write(file.header, file.hands)
    assert "Seat 3: p3 (30.25 in chips)\np1: posts small blind 0.50\np2: posts big blind 1.25\n" in written.text
    assert "raises 4.75 to 6\n" in written.text
    (hand,) = read_back(written.text)
    assert (hand.chip, [player.net for player in hand.players]) == (0.01, [-50, -125, 175])
    file = read_hands(io.StringIO(PARTS.replace("1.25", "1.2525") + "currency = 'USD'\n"))
    written = registry.create("format", "pokerstars").write(file.header, file.hands)
    assert [left.reason for left in written.left_out] == ["parts of a cent"]  # type: ignore[attr-defined]


def test_nothing_of_a_blind_comes_back_to_who_is_away() -> None:
    said = board_game(make.game("holdem_nolimit:players=3,stack=1000,away=0+1+0"))
    assert said is not None
    setup = {"starter": 2, "score": [], "stacks": []}
    hand = walked(said, {"setup": setup, "seats": [0, 1, 2], "deck": list(range(6)), "actions": [0]}, ["a", "b", "c"])
    assert (hand.put, hand.returned, hand.pots) == ((50, 100, 0), (0, 0, 0), ((150, 0, 0),))


def test_money_hero_and_numbers_are_options(matches: dict[str, Any]) -> None:
    file = matches["holdem_nolimit"]
    spec = "pokerstars:chip=0.5,currency=EUR,first=7,date=2024-02-03,hero=random"
    text = registry.create("format", spec).write(file.header, file.hands[:1]).text
    assert text.startswith("PokerStars Hand #7:  Hold'em No Limit (€25.00/€50.00 EUR) - 2024/02/03 00:00:00 UTC\n")
    with pytest.raises(UsageError, match="Nobody in the records"):
        registry.create("format", "pokerstars:hero=nobody").write(file.header, file.hands)


def run(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0


def test_replay_and_convert_know_a_rooms_hands(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.txt").write_text(
        CASH + "\n\n" + SHORT_BLIND + "\n\n" + CASH.replace("calls $3.55", "calls $1"), "utf-8"
    )
    run(["convert", str(tmp_path / "in.txt"), str(tmp_path / "out.jsonl")])
    assert "1  a call of another amount" in capsys.readouterr().err
    run(["replay", str(tmp_path / "out.jsonl"), "--reveal"])
    shown = capsys.readouterr().out
    assert "PokerStars 74000000001, table Alpha: (fast) 7, 2025-12-24 23:13:43, 0.01 USD a chip" in " ".join(
        shown.split()
    )
    assert "By the room -410 : -5 : +375 : +0, rake 40" in shown
    run(["replay", str(tmp_path / "out.jsonl"), "--hand", "2", "--reveal"])
    assert "Cat (seat 1) hole" not in capsys.readouterr().out  # nobody saw those cards


def test_what_a_record_says_of_the_room_breaks_no_line() -> None:
    file = read_hands(io.StringIO(CASH))
    (hand,) = file.hands
    lines = len(registry.create("format", "pokerstars").write(file.header, [hand]).text.splitlines())
    for key in ("table", "number", "name", "tournament", "currency"):
        told = {**hand, "room": {**hand["room"], key: "USD\nSeat 9: x ($5 in chips)\x85\u2028\x0b"}}
        assert len(registry.create("format", "pokerstars").write(file.header, [told]).text.splitlines()) == lines, key
    names = [f"{name}\u2028\x0b\x1cx" for name in file.header["agents"]]
    text = registry.create("format", "pokerstars").write({**file.header, "agents": names}, [hand]).text
    assert len(text.splitlines()) == lines


def test_what_would_do_more_than_stand_there_is_written_as_an_escape() -> None:
    file = read_hands(io.StringIO(CASH))
    (hand,) = file.hands
    told = {**hand, "room": {**hand["room"], "table": "T\x1b[31m\u202e"}}
    names = [f"{name}\x1b]0;x\u202e" for name in file.header["agents"]]
    text = registry.create("format", "pokerstars").write({**file.header, "agents": names}, [told]).text
    assert not set("\x1b\u202e") & set(text)
