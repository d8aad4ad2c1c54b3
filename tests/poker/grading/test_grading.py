"""Pots for two graded by solving: what was played is in the tree, folding the best hand costs the pot, ranges are narrowed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cardai.cards.text import parse_cards
from cardai.core.errors import CardaiError, UsageError
from cardai.poker.grading import grader as grading
from cardai.poker.grading.flops import FlopHand, Move, RangeBook
from cardai.poker.grading.grader import LARGE, OFF, SolvingGrader, _with
from cardai.poker.grading.spots import Effort, check_sizes, spot_of, sum_of, word_of
from cardai.poker.hands.combos import pair_index
from cardai.poker.ranges.library import Library
from cardai.poker.ranges.solution import prepare
from cardai.study.graded import GradedHand
from cardai.study.grading import Task
from tests.support import sizes

BOARD = tuple(parse_cards("2s3h4d6c7c"))
CALLED = (
    Move(0, 0, "check", 0), Move(0, 1, "bet", 5), Move(0, 0, "raise", 15), Move(0, 1, "call", 15),
    Move(1, 0, "check", 0), Move(1, 1, "bet", 7), Move(1, 0, "call", 7),
    Move(2, 0, "bet", 8), Move(2, 1, "fold", 0),
)  # fmt: skip
"""A hand to the river with a raise."""
HAND = FlopHand(
    BOARD, 10.0, (30.0, 40.0), CALLED, 1, tuple(parse_cards("AsAh")), ("BB", "BTN"), "single", ("call", "raise"), 2.0, -7.0, 1
)  # fmt: skip
BOOK = RangeBook({"single.call": "KsKh,QsQh", "single.BTN": "AsAh,JsJh"})


def graded(hand: FlopHand, iterations: int = 5) -> GradedHand:
    """Solve the flop, which takes the time, for so many iterations, and what is behind it for ten times as many."""
    grader = SolvingGrader(BOOK, Effort(iterations=iterations, to=0.1), 0.25, 1.0)
    (found,) = grader.grade([Task(1, hand, hand.hero)])
    return found


@pytest.fixture(scope="module")
def whole() -> GradedHand:
    """The hand graded: the button folds aces to the last bet."""
    return graded(HAND)


@pytest.mark.long("0")
@pytest.mark.parametrize("street", [0, 1, 2])
def test_what_was_played_is_a_line_through_the_spot_of_every_street(street: int) -> None:
    ranges = ("KsKh,QsQh", "AsAh,JsJh")
    spot = spot_of(HAND, street, ranges, Effort(rake=0.05, rake_cap=1.5))
    assert (spot.pot, spot.stacks) == [(10, (30, 40)), (40, (15, 25)), (54, (8, 18))][street]
    assert (spot.aggressor, spot.rake, spot.rake_cap) == ((1, 0, 1)[street], 0.05, 3.0)  # a cap in big blinds of 2
    free = spot_of(evolve(HAND, raked=False), street, ranges, Effort(rake=0.05, rake_cap=1.5))
    assert (free.rake, free.rake_cap) == (0, 0)
    solution = prepare(spot)
    words = [word_of(move) for move in HAND.moves if move.street == street]
    solution.check_line(" ".join(words[:-1]))


def test_a_bet_stands_for_the_sizes_near_it_and_one_of_the_menu_is_no_other() -> None:
    ranges = ("KsKh,QsQh", "AsAh,JsJh")
    tried = [evolve(HAND, moves=(Move(0, 0, "check", 0), Move(0, 1, "bet", bet))) for bet in (5, 6, 3, 0.3)]
    found = [spot_of(hand, 0, ranges, Effort(bets="0.5+1")).bets for hand in tried]
    assert found[0] == "0.5+1/none"
    assert found[1:] == [f"0.5+1/none,button.flop={menu}/none" for menu in ("6c+1", "3c+0.5+1", "0.3c+0.5+1")]
    assert "turn" not in spot_of(HAND, 0, ranges, Effort()).bets  # which is solved anew


@pytest.mark.parametrize("images", sizes(False, True))
def test_a_flop_of_a_library_is_not_solved_again_under_any_names_of_the_suits(
    images: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path)
    grader = SolvingGrader(BOOK, Effort(bets="none", iterations=2, to=1000.0), 0.25, 1.0, library)
    other = evolve(HAND, board=tuple(parse_cards("2h3s4d6c7c")))  # hearts and spades exchanged
    (first,) = grader.grade([Task(1, HAND, 1)])
    asked = []
    monkeypatch.setattr(grading, "prepare", lambda spot, threads: asked.append(spot.board) or prepare(spot, threads))
    found = list(grader.grade([Task(1, HAND, 1), Task(2, other, 1)][: 1 + images]))
    assert {len(board) for board in asked} == {8, 10}  # turns and rivers
    for one in found:
        assert [d.value for d in one.decisions] == pytest.approx([d.value for d in first.decisions], abs=0.02)
    assert [(one.position, one.raised) for one in library] == [("BTN-BB", "single")]
    (folder,) = tmp_path.glob("spots/*")
    (folder / "spot.json").write_text("{}")
    (tmp_path / "file").write_text("no library")
    for place, said in ((tmp_path, "json"), (tmp_path / "file", "file")):
        grader.library = Library(place)
        with pytest.raises(CardaiError, match=said):
            next(grader.grade([Task(1, HAND, 1)]))


def test_sizes_to_look_at_that_cannot_be_read_are_said_and_no_hand_s_fault() -> None:
    check_sizes("0.5+1", "2.5x+allin")
    for bets, raises, said in (
        ("zzz", "none", "'zzz'"),
        ("0.66", "0.5/allin", "joined by"),
        ("river=1", "none", "joined by"),
    ):
        with pytest.raises(UsageError, match=said):
            check_sizes(bets, raises)


def test_what_was_put_in_before_a_street_is_the_last_amount_of_each_earlier_one() -> None:
    assert [sum_of(HAND, 0, street) for street in range(4)] == [0, 15, 22, 30]


def test_folding_the_best_hand_to_a_bet_costs_what_the_pot_would_bring(whole: GradedHand) -> None:
    """Aces beat kings and queens on this board: calling 8 wins the 54 that lie there and the bet, less the rest of the raise."""
    fold = whole.decisions[-1]
    assert (fold.words, fold.best_words, fold.verdict) == ("fold", "call", "blunder")
    assert fold.lost == pytest.approx((54 + 8) / 2.0, abs=0.01)  # in big blinds of 2
    assert fold.situation == {
        "phase": "river", "position": "BTN against BB", "kind": "facing a bet", "line": "bet", "pot": "single raised",
    }  # fmt: skip
    assert whole.decisions[0].situation["line"] == "check"
    assert {reason.name: reason.number for reason in fold.reasons}["equity"] == pytest.approx(1.0)


def test_every_decision_of_the_player_is_graded_and_no_other(whole: GradedHand) -> None:
    assert len(whole.decisions) + sum(whole.left_out.values()) == sum(move.seat == 1 for move in CALLED)
    assert whole.returns == -3.5


def test_what_needs_more_memory_than_there_is_is_left_out_by_that_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.poker.ranges.solution.free_memory", lambda: 1 << 10)
    assert (graded(HAND).decisions, graded(HAND).left_out) == ((), {LARGE: 4})
    monkeypatch.setattr(
        grading, "prepare", lambda spot, threads: spot.tree() and prepare(evolve(spot, ranges=("22", "")), 1)
    )
    assert graded(HAND).left_out == {OFF: 4}


def test_calling_with_the_best_hand_costs_nothing() -> None:
    last = evolve(HAND, moves=(*CALLED[:-1], Move(2, 1, "call", 8)))
    assert graded(last, 2).decisions[-1].cost == 0


@pytest.mark.long
def test_a_bet_that_the_rules_do_not_know_is_left_out() -> None:
    odd = evolve(
        HAND, moves=(Move(0, 0, "bet", 1), Move(0, 1, "fold", 0))
    )  # less than the least bet of 2? it is its own size
    found = graded(odd, 1)
    assert len(found.decisions) + found.left_out.get(OFF, 0) == 1


def test_the_most_particular_range_holds() -> None:
    book = RangeBook({"": "22", "single": "33", "BTN": "44", "single.call": "55", "single.BTN.raise": "66"})
    assert [book.of(*who) for who in (("single", "BTN", "raise"), ("single", "BTN", "call"), ("3bet", "BTN", "raise"))] == [
        "66", "55", "44",
    ]  # fmt: skip
    assert book.of("3bet", "BB", "call") == "22"
    assert RangeBook({"3bet.call": "QQ"}).of("single", "BB", "call") is None


@pytest.mark.parametrize("name", ["sometimes", "single.3bet", "raise.call", "single..call"])
def test_a_name_of_ranges_that_says_nothing_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="A range is for a kind of pot"):
        RangeBook({name: "22+"})


def test_the_players_own_hand_is_in_his_range_since_he_held_it() -> None:
    cards = tuple(parse_cards("7h2d"))
    weights = _with(np.zeros(1326) + np.eye(1326)[0], (cards[0], cards[1]))
    assert weights[pair_index(np.array([cards[0]]), np.array([cards[1]]))[0]] > 0
