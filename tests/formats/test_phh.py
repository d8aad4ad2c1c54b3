"""PHH files of one game are logs in other words; a hand that is wrong costs that hand."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from cardai import make
from cardai.arena import match, records
from cardai.core.errors import DamagedFileError, UsageError
from cardai.formats import read_hands, read_log
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import Log
from cardai.formats.acpc.records import records_to_log
from cardai.formats.phh import log_to_phh, phh_text
from tests.formats.acpc_table import DATA, NO_LIMIT

pytest.importorskip("pokerkit")
PUBLIC = ["2p.limit.seed0", "2p.nolimit.seed0", "3p.limit.seed0", "3p.nolimit.seed0", "deepstack", "slumbot"]
# the first two hands of 2p.nolimit.seed0.log as PokerKit 0.7.7 writes them
HANDS = """[1]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 5d5c', 'd dh p2 9hQd', 'p2 cbr 300', 'p1 cc', 'd db 8dAs8s', 'p1 cc', 'p2 cbr 500', 'p1 f']
players = ['Alice', 'Bob']
hand = 7

[second]
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ["d dh p1 6sKs", "d dh p2 5dJd", "p2 cc", "p1 cc", "d db 2sTh2h", "p1 cc", "p2 cc", "d db Qh", "p1 cc", "p2 cc",
  "d db 8h", "p1 cbr 150", "p2 cc", "p1 sm 6sKs", "p2 sm 5dJd"]
"""


def text_of(log: Log) -> str:
    return phh_text(log_to_phh(log))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_log_written_as_phh_is_read_back_hand_for_hand(name: str) -> None:
    log = read_log(DATA / f"{name}.log")
    again = read_log(io.StringIO(text_of(log)))
    assert not log.problems
    assert not again.problems
    assert [hand.text() for hand in again.hands] == [hand.text().partition(" # ")[0] for hand in log.hands]


@pytest.mark.parametrize(
    "spec", ["holdem_limit", "holdem_limit:players=4", "holdem_nolimit", "holdem_nolimit:players=6"]
)
def test_recorded_games_survive_the_way_to_phh_and_back(spec: str, tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    seats = make.game(spec).num_players
    match.play(spec, ["random"] * seats, games=6 * seats, seed=5, record=path)
    ours = records_to_log(records.read(path))
    (tmp_path / "played.phhs").write_text(text_of(ours))
    back = read_hands(tmp_path / "played.phhs")
    assert not back.damaged
    assert back.header["game"] == spec
    theirs = records_to_log(back)
    assert [(h.betting, h.hole, h.board, h.values) for h in theirs.hands] == [
        (h.betting, h.hole, h.board, h.values) for h in ours.hands
    ]


def test_a_single_hand_and_numbered_tables_are_read() -> None:
    log = read_log(io.StringIO(HANDS))
    assert not log.problems
    assert [hand.text() for hand in log.hands] == [
        "STATE:7:r300c/cr800f:5d5c|9hQd/8dAs8s:-300|300:Alice|Bob",
        "STATE:1:cc/cc/cc/r250c:6sKs|5dJd/2sTh2h/Qh/8h:250|-250:p1|p2",
    ]
    assert read_log(io.StringIO(HANDS.partition("[second]")[2])).hands[0].betting == "cc/cc/cc/r250c"


def test_the_game_is_that_of_the_file_or_the_one_that_is_given() -> None:
    assert read_hands(io.StringIO(HANDS)).header["game"] == "holdem_nolimit"
    assert not read_hands(io.StringIO(HANDS), load_game(NO_LIMIT)).damaged
    shallow = HANDS.replace("20000, 20000", "1500, 1500")
    assert read_hands(io.StringIO(shallow)).header["game"] == "holdem_nolimit:stack=1500"
    limit = HANDS.replace("'NT'", "'FT'").replace("min_bet = 100", "small_bet = 100\nbig_bet = 200", 1)
    limit = limit.replace("cbr 300", "cbr 200").replace("cbr 500", "cbr 100").partition("[second]")[0]
    spec = "holdem_limit:blinds=50+100,raise_sizes=100+100+200+200"
    assert read_hands(io.StringIO(limit)).header["game"] == spec  # 20,000 chips are more than limit betting can reach
    spec += ",stack=400"
    assert read_hands(io.StringIO(limit.replace("20000, 20000", "400, 400"))).header["game"] == spec


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("variant = 'NT'", "variant = 'PO'"), "another game: the variant 'PO'"),
        (lambda text: text.replace("antes = [0, 0]", "antes = [1, 1]", 1), "a log has no antes"),
        (lambda text: text.replace("[20000, 20000]", "[20000, 10000]", 1), "stacks must be equal"),
        (lambda text: text.replace("[20000, 20000]", "[20000.5, 20000.5]", 1), "a log has whole chips"),
        (lambda text: text.replace("[20000, 20000]", "[20000.00001, 20000]", 1), "four decimals at most"),
        (lambda text: text.replace("[20000, 20000]", "[20000, 20000, 20000]", 1), "does not name each player"),
        (lambda text: text.replace("[20000, 20000]", "20000", 1), "starting_stacks must be a list"),
        (lambda text: text.replace("min_bet = 100", "min_bet = 'a'", 1), "min_bet must be a whole number"),
        (lambda text: text.replace("antes = [0, 0]", "", 1), "lacks 'antes'"),
        (lambda text: text.replace("antes =", "antes", 1), "no hand in PHH"),
        (lambda text: text.replace("'p1 f'", "'p1 q'", 1), "an action that is none of hold'em: p1 q"),
        (lambda text: text.replace(", 'p1 f'", "", 1), "is not over"),
        (lambda text: text.replace("9hQd", "????", 1), "cards of some player are not known"),
        (lambda text: text.replace("9hQd", "5dQd", 1), "a card is there twice"),
        (lambda text: text.replace("cbr 300", "cbr 150", 1), "a raise of no legal amount"),
        (lambda text: text.replace("'Bob'", "'B:b'", 1), "cannot stand in a log"),
        (lambda text: text.replace("'Bob'", "", 1), "does not name each player"),
        (lambda text: text.replace("actions = ['", f"actions = ['{'x' * 3000}', '", 1), "than a hand of hold'em"),
    ],
)
def test_a_hand_that_is_wrong_costs_that_hand_and_is_named_by_its_line(change: Callable[[str], str], said: str) -> None:
    text = change(HANDS)
    assert text != HANDS
    log = read_log(io.StringIO(text))
    assert [hand.hand for hand in log.hands] == [1]
    assert log.problems[0].line == 2
    assert re.search(re.escape(said) if "|" not in said else said, log.problems[0].why), log.problems[0].why


def test_hands_of_another_game_than_the_first_are_left_out() -> None:
    log = read_log(
        io.StringIO(HANDS + HANDS.replace("20000", "15000").replace("[1]", "[3]").replace("[second]", "[4]"))
    )
    assert len(log.hands) == 2
    assert ["not those of the file's first hand" in problem.why for problem in log.problems] == [True, True]


def test_a_file_without_a_readable_hand_says_why_and_a_log_of_it_has_no_game() -> None:
    text = "[1]\nvariant = 'XX'\n"
    file = read_hands(io.StringIO(text))
    assert (file.hands, len(file.damaged)) == ([], 1)
    assert "another game: the variant 'XX'" in file.damaged[0]
    with pytest.raises(DamagedFileError, match="does not say which game"):
        read_log(io.StringIO(text)).game()


def test_names_that_phh_cannot_quote_are_left_out() -> None:
    log = read_log(io.StringIO(HANDS))
    log.hands[0] = evolve(log.hands[0], names=("a'''b", "c"))
    assert len(log_to_phh(log)) == 1
    assert "cannot be quoted" in log.problems[0].why


def test_games_that_phh_has_no_variant_for_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    match.play("leduc", ["random", "random"], games=2, seed=5, record=path)
    with pytest.raises(UsageError, match="PHH has no variant for leduc"):
        log_to_phh(read_log(path))
