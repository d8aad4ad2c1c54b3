"""PHH of any hand of hold'em, as the public data set has it: unequal stacks, antes, parts of chips, cards that nobody saw."""

from __future__ import annotations

import io
import warnings
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardai import make
from cardai.cards.text import parse_cards
from cardai.core.format import LeftOut
from cardai.formats import read_hands, read_log, stream_hands
from cardai.formats.phh import hands_of
from cardai.formats.rooms.hand import RoomHand
from tests.commands.conftest import Call, cardai  # noqa: F401
from tests.formats.rooms.texts import CASH as STARS
from tests.formats.rooms.texts import PARTY_OLD

CASH = """\
[1]
variant = 'NT'
ante_trimming_status = false
antes = [0.50, 0.50, 0.50, 0.50]
blinds_or_straddles = [1, 2, 0, 0]
min_bet = 2
starting_stacks = [100.25, 200, 55.50, 80]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'd dh p4 ????', 'p3 cbr 6', 'p4 f', 'p1 cc', 'p2 f', 'd db 2c7dKh',
  'p1 cc', 'p3 cbr 10.50 # half of it', 'p1 f']
time = 23:30:00
day = 1
month = 7
year = 2009
time_zone_abbreviation = 'ET'
venue = 'A Room'
table = 'CLEO'
hand = 301
seats = [3, 5, 1, 2]
players = ['a', 'b', 'c', 'd']
winnings = [0, 0, 15.25, 0]
currency_symbol = '$'

"""
"""The form of the data set (uoftcprg/phh-dataset, handhq): winnings are of the pot, without what nobody called, after rake."""
SHOWN = """\
[2]
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [50, 80, 30]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 30', 'p1 cbr 50', 'p2 cc', 'd db 2c7dKh', 'd db 3c', 'd db 4s',
  'p1 sm KsKd', 'p2 sm ????', 'p3 sm 7c7s']
players = ['a', 'b', 'c']
"""
"""The second player calls all and shows nothing; nothing says who won."""


def hand_of(text: str) -> RoomHand:
    (read,) = hands_of(io.StringIO(text))
    assert isinstance(read.hand, RoomHand), read.hand
    return read.hand


def why_not(text: str) -> str:
    (read,) = hands_of(io.StringIO(text))
    assert not isinstance(read.hand, RoomHand)
    return str(read.hand)


def test_a_hand_of_the_data_set_has_its_stacks_antes_and_rake() -> None:
    hand = hand_of(CASH)
    assert (hand.room, hand.table, hand.number, hand.currency, hand.chip) == ("A Room", "CLEO", "301", "USD", 0.01)
    assert hand.time == datetime(2009, 7, 2, 3, 30, tzinfo=UTC)
    assert [(p.name, p.seat, p.stack, p.ante, p.net) for p in hand.players] == [
        ("a", 3, 10025, 50, -650),
        ("b", 5, 20000, 50, -250),
        ("c", 1, 5550, 50, 1525 - 650),
        ("d", 2, 8000, 50, -50),
    ]
    assert (hand.rake, hand.returns) == (75, (-650.0, -250.0, 950.0, -50.0))
    assert hand.game.startswith("holdem_nolimit:players=4,blinds=100+200,ante=50")


@pytest.mark.parametrize(("won", "net", "rake"), [(39.5, 19.5, 0.5), (41.5, 19.5, 0.5), (3, 1, 0)])
def test_what_nobody_called_is_no_rake_however_little_it_is(won: float, net: float, rake: float) -> None:
    """A bet of 2 into 40 that nobody calls, in what was won or not; a walk, in whole chips."""
    acts = "'p2 cbr 20', 'p1 cc', 'd db 2c7dKh', 'p1 cbr 2', 'p2 f'" if won > 3 else "'p2 f'"
    hand = hand_of(
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [50, 80]\n"
        f"actions = [{acts}]\nwinnings = [{won}, 0]\n"
    )
    assert (hand.players[0].net * hand.chip, hand.rake * hand.chip) == (pytest.approx(net), pytest.approx(rake))


def test_who_shows_nothing_has_lost_and_odd_chips_are_whole() -> None:
    hand = hand_of(SHOWN)
    assert [p.net for p in hand.players] == [80, -50, -30]
    assert [bool(p.cards) for p in hand.players] == [True, False, True]
    tie = SHOWN.replace("KsKd", "KsAd").replace("7c7s", "KcAs").replace("[50, 80, 30]", "[30, 80, 30]")
    tie = tie.replace("'p1 cbr 50'", "'p1 cc'").replace(
        "blinds_or_straddles = [1, 2, 0]", "blinds_or_straddles = [1, 3, 0]"
    )
    split = hand_of(tie.replace("'p2 cc'", "'p2 f'"))
    assert [p.net for p in split.players] == [2, -3, 1]
    assert split.returns == (1.5, -3.0, 1.5)


def test_where_nobody_says_who_won_nothing_is_guessed() -> None:
    hidden = SHOWN.replace("'p1 sm KsKd'", "'p1 sm'")
    assert "nobody shows a hand" in why_not(hidden)  # p3's sevens are in the main pot alone
    assert [p.net for p in hand_of(hidden + "finishing_stacks = [0, 160, 0]\n").players] == [-50, 80, -30]
    assert "not over" in why_not(CASH.replace(", 'p1 f'", "").replace("winnings = [0, 0, 15.25, 0]", ""))
    assert "board" in why_not(SHOWN.replace(", 'd db 4s'", ""))
    start = SHOWN.partition("actions")[0]
    assert "not over" in why_not(f"{start}actions = ['p1 cc', 'p2 f']\n")  # the third player has not acted


def test_cards_that_were_dealt_openly_and_are_thrown_away_win_nothing() -> None:
    """They were paid by what they would have been worth."""
    dealt = SHOWN.replace("d dh p2 ????", "d dh p2 AsAd")
    assert "b showed nothing, and had the better cards" in why_not(
        dealt.replace("7c7s'", "2s9s'").replace("KsKd'", "JsJd'")
    )
    assert [p.net for p in hand_of(dealt.replace("AsAd", "9h9c")).players] == [80, -50, -30]
    assert "nobody shows a hand" in why_not(dealt.replace("p1 sm KsKd", "p1 sm ????"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("p1 sm KsKd", "p1 sm Ks"), "hole cards"),
        (("p1 sm KsKd", "p9 sm KsKd"), "a player without a seat"),
        (("p1 sm KsKd", "p1 sm Ks??"), "cards that are none"),
        (("p1 sm KsKd", "p1 sd KsKd"), "none of hold'em"),
        (("d dh p1 ????", "d dh p1 KsQd"), "other cards are shown than were dealt"),
        (("p3 cbr 30", "p3 cbr 30.00001"), "none of hold'em"),
        (("p3 cbr 30", "p3 cbr -3"), "none of hold'em"),
        (("antes = [0, 0, 0]", "antes = [-1, 0, 0]"), "must be from 0"),
        (("players = ['a', 'b', 'c']", "players = ['a', 'b', 'a']"), "does not name each player"),
        (("players = ['a', 'b', 'c']", "winnings = [1, 2]"), "2 winnings for 3 players"),
        (("players = ['a', 'b', 'c']", "winnings = [0, 0, 130]"), "another"),
        (("variant = 'NT'", "variant = 'NS'"), "another game: the variant 'NS'"),
        (("starting_stacks = [50,", "starting_stacks = [1e400,"), "must be chips"),
        (("starting_stacks = [50,", "starting_stacks = [nan,"), "must be chips"),
    ],
)
def test_a_wrong_hand_is_refused_by_name(change: tuple[str, str], said: str) -> None:
    text = SHOWN.replace(*change)
    assert text != SHOWN
    assert said in why_not(text)


def test_files_of_a_folder_and_hands_without_a_tables_head_are_read_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "a.phhs").write_text(CASH + SHOWN)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "0.phh").write_text(CASH.partition("]\n")[2].replace("'d']", "'e']"))
    file = read_hands(tmp_path)
    assert [hand["room"]["number"] for hand in file.hands] == ["301", "", "301"]
    assert file.header["agents"] == ["a", "b", "c", "d", "e"]
    with stream_hands(tmp_path / "b" / "0.phh") as stream:
        assert [item["seats"] for item in stream.hands] == [[0, 1, 2, 3]]


def test_a_file_of_one_game_with_all_cards_is_of_that_game_and_others_have_their_own() -> None:
    """Half a chip that a hand ends with makes its chips smaller, not its raises in the log of the file."""
    acts = "'d dh p1 4d3c', 'd dh p2 2c2d', 'd dh p3 2h2s', 'p3 cbr 6', 'p1 f', 'p2 cc', 'd db AcKdQh', "
    hand = (
        "variant = 'NT'\nantes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 0]\nmin_bet = 2\nstarting_stacks = [100, 100, 100]\n"
        f"actions = [{acts} 'p2 cc', 'p3 cc', 'd db Js', 'p2 cc', 'p3 cc', 'd db Tc', 'p2 cc', 'p3 cc']\n"
    )
    split = f"{hand}finishing_stacks = [99, 100.5, 100.5]\n"
    log = read_log(io.StringIO(f"[1]\n{hand}\n[2]\n{split}"))
    assert not log.problems
    assert [found.betting for found in log.hands] == ["r6fc/cc/cc/cc"] * 2
    file = read_hands(io.StringIO(f"[1]\n{hand}\n[2]\n{split}"))
    assert file.header["game"] == "holdem_nolimit:players=3,blinds=1+2,stack=100"
    assert [found["returns"] for found in file.hands] == [[-1.0, 0.5, 0.5]] * 2
    unseen = read_hands(io.StringIO(f"[1]\n{hand}\n[2]\n{split.replace('4d3c', '????')}"))
    assert (len(unseen.hands), unseen.damaged) == (2, [])
    assert [found["room"]["unknown"] for found in unseen.hands] == [[], [0]]


def test_a_file_of_another_format_in_a_folder_is_said_and_counted(tmp_path: Path) -> None:
    """Whichever comes first: a room's reader passed over hands in PHH, theirs over a room's, and said nothing."""
    (tmp_path / "b.txt").write_text(PARTY_OLD)
    (tmp_path / "c.phhs").write_text(CASH + SHOWN)
    (tmp_path / "d.txt").write_text(STARS)
    found = read_hands(tmp_path)
    assert [hand["room"]["name"] for hand in found.hands] == ["PartyPoker", "PokerStars"]
    assert [getattr(one, "reason", "") for one in found.damaged] == [
        "a file in another format than the files before it"
    ]
    (tmp_path / "a.phhs").write_text(CASH)
    found = read_hands(tmp_path)
    assert (len(found.hands), len(found.damaged)) == (3, 2)


def test_a_file_of_a_folder_may_begin_with_any_key(tmp_path: Path) -> None:
    hand = CASH.partition("]\n")[2]
    (tmp_path / "a.phh").write_text(hand.replace("table = 'CLEO'\n", ""))
    (tmp_path / "b.phh").write_text("table = 'CLEO'\n" + hand.replace("table = 'CLEO'\n", ""))
    assert [found["room"]["table"] for found in read_hands(tmp_path).hands] == ["", "CLEO"]


def test_what_stands_before_the_first_hand_is_none() -> None:
    file = read_hands(io.StringIO(f"# Hands of a night.\n\n{CASH}\n# and one more\n{SHOWN}"))
    assert (len(file.hands), file.damaged) == (2, [])


def test_what_nobody_called_is_in_what_partypoker_says_was_won() -> None:
    """All of its hands in the data set: a bet of 2 into 40 that nobody called, with 3 of rake, made the rake 1."""
    hand = hand_of(
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [0.50, 1]\nmin_bet = 1\nstarting_stacks = [50, 80]\n"
        "actions = ['p2 cbr 20', 'p1 cc', 'd db 2c7dKh', 'p1 cbr 2', 'p2 f']\nwinnings = [39, 0]\n"
        "venue = 'PartyPoker'\ncurrency = 'USD'\n"
    )
    assert ([player.net for player in hand.players], hand.rake) == ([1700, -2000], 300)


def test_winnings_of_nothing_at_all_do_not_say_who_won() -> None:
    """As in most hands of the data set whose winner was a blind or had the button: they were left out."""
    walk = CASH.replace("[0, 0, 15.25, 0]", "[0, 0, 0, 0]")
    assert ([player.net for player in hand_of(walk).players], hand_of(walk).rake) == ([-650, -250, 950, -50], 0)
    assert hand_of(SHOWN + "winnings = [0, 0, 0]\n").players == hand_of(SHOWN).players


def test_where_no_hand_can_be_dealt_or_read_it_is_said_why() -> None:
    hidden = SHOWN.replace("'p1 sm KsKd'", "'p1 sm'") + "finishing_stacks = [0, 160, 0]\n"
    for text, said in ((hidden, "showed no cards"), (SHOWN.replace("'NT'", "'PO'"), "another game")):
        file = read_hands(io.StringIO(text))
        assert (len(file.hands), len(file.damaged)) == (0, 1)
        assert said in file.damaged[0]


def test_a_hand_that_is_refused_costs_that_hand(tmp_path: Path) -> None:
    (tmp_path / "a.phhs").write_text(CASH + SHOWN.replace("'NT'", "'PO'"))
    file = read_hands(tmp_path / "a.phhs")
    assert len(file.hands) == 1
    (left,) = file.damaged
    assert isinstance(left, LeftOut)
    assert left.reason == "another game"
    assert "line 24: another game: the variant 'PO'" in left


def test_convert_reads_them_and_writes_them_again(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    pytest.importorskip("pokerkit")
    (tmp_path / "a.phhs").write_text(CASH + SHOWN)
    first, second = tmp_path / "b.phhs", tmp_path / "c.phhs"
    assert cardai("convert", str(tmp_path / "a.phhs"), str(first)).code == 0
    assert cardai("convert", str(first), str(second)).code == 0
    assert first.read_text() == second.read_text()
    assert cardai("replay", str(first), "--hand", "2").code == 0
    (tmp_path / "d.phh").write_text(SHOWN)
    examples = cardai("convert", str(tmp_path / "d.phh"), "--to", "examples", "--out", str(tmp_path / "x"))
    assert "2 decisions of 1 hands written" in examples.err  # of those whose cards somebody saw


KINDS = ("plain", "ante", "big blind's ante", "straddle", "post", "short", "limit")


def played(rng: Random, kind: str) -> tuple[str, list[int]]:
    """Return a hand that PokerKit played at random, as PHH, and what everybody won."""
    import pokerkit
    from pokerkit import Automation

    n = rng.randint(2, 6)
    small, big = rng.choice([(5, 10), (50, 100), (1, 2)])
    blinds, antes, least = [small, big], 0 if kind != "ante" else rng.choice([small, big]), big
    if kind == "straddle" and n > 3:
        blinds, least = [small, big, 2 * big], 2 * big
    if kind == "post" and n > 4:
        blinds += [0] * (n - 2)
        blinds[rng.randint(3, n - 1)] = -big  # below 0: who acts first stays
    listed = [0, big, *[0] * (n - 2)] if kind == "big blind's ante" else antes
    stacks = [
        rng.randint(1 if kind in ("short", "ante") else 3 * big, rng.choice([5, 20, 200]) * big) for _ in range(n)
    ]
    automatic = tuple(one for one in Automation if one is not Automation.RUNOUT_COUNT_SELECTION)
    sizes = (big, 2 * big) if kind == "limit" else (least,)
    variant: Any = pokerkit.FixedLimitTexasHoldem if kind == "limit" else pokerkit.NoLimitTexasHoldem
    state = variant.create_state(automatic, not isinstance(listed, list), listed, blinds, *sizes, stacks, n)
    while state.status:
        chance = rng.random()
        if chance < 0.15 and state.can_fold():
            state.fold()
        elif chance < 0.45 and state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            state.complete_bet_or_raise_to(rng.choice([low, high, rng.randint(low, min(high, 4 * low))]))
        else:
            state.check_or_call()
    game = variant(automatic, not isinstance(listed, list), listed, blinds, *sizes)
    return pokerkit.HandHistory.from_game_state(game, state).dumps() + "\n", list(state.payoffs)


@pytest.mark.parametrize("kind", KINDS)
def test_hands_that_pokerkit_played_are_paid_alike(kind: str) -> None:
    pytest.importorskip("pokerkit")
    rng = Random(f"phh {kind}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(12):
            text, won = played(rng, kind)
            hand = hand_of(text)
            assert all(abs(p.net - theirs) <= 1 for p, theirs in zip(hand.players, won, strict=True)), text
            assert sum(p.net for p in hand.players) == 0
            left = [p.stack + theirs for p, theirs in zip(hand.players, won, strict=True)]
            said = hand_of(f"{text}finishing_stacks = {left}\n")
            assert ([p.net for p in said.players], said.rake) == (won, 0)
            assert make.game(said.game).num_players == len(won)


def test_cards_of_a_hand_are_those_that_were_dealt_or_shown() -> None:
    assert hand_of(SHOWN).players[0].cards == tuple(parse_cards("KsKd"))
