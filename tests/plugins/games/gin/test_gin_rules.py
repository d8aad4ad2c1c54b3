"""Gin's rules, one by one, on decks laid out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.errors import IllegalActionError, OptionError
from cardai.core.game import Setup, pack_setups
from cardai.gin.actions import (
    CAPPED,
    DISCARD,
    FIRST_MELD,
    GIN,
    KNOCK,
    KNOCKED,
    PASS,
    PLAY_ON,
    PUSH,
    STOCK,
    TAKE,
    UNDERCUT,
    VOID,
    WALL,
)

RANKS, SUITS = "23456789TJQKA", "cdhs"


def cards(text: str) -> list[int]:
    return [13 * SUITS.index(card[1]) + RANKS.index(card[0]) for card in text.split()]


def dealt(first: str, second: str, then: str, starter: int = 0, **options: Any) -> Any:
    """Return one table: seat 0 holds ``first``, seat 1 ``second``, then come the up-card and the stock."""
    tables: Any = cardai.game("gin", **options).tables(1)
    hands = [card for pair in zip(cards(first), cards(second), strict=True) for card in pair]
    setups = pack_setups(2, [Setup(starter=starter)])
    tables.reset(np.zeros(1, np.uint64), [hands + cards(then)], np.zeros(1, np.int64), setups)
    return tables


def play(tables: Any, *actions: int | str) -> dict[str, Any]:
    """Play actions (a card's text discards it) and return the row's facts."""
    for action in actions:
        number = cards(action)[0] if isinstance(action, str) else action
        tables.apply(np.zeros(1, np.int64), np.array([number]))
    row = tables.data[0]
    return {
        name: row[name].tolist() for name in ("current", "phase", "ending", "result", "deadwood", "layoffs", "turns")
    }


def legal(tables: Any) -> set[int]:
    return {int(action) for action in np.flatnonzero(tables.legal(np.zeros(1, np.int64))[0])}


# deadwood 10 (Kd) after any of the loose cards goes; and a hand without melds
NEAR = "Ac 2c 3c 4c 5c 6c 7h 8h 9h Kd"
POOR = "Ad 3d 5d 7d 9d Jd 2h 4h 6s 8s"
LATER = "Qc Qh Ks 9s Js"


def test_both_may_pass_and_then_the_starter_draws_from_the_stock_unasked() -> None:
    tables = dealt(NEAR, POOR, LATER, starter=1)
    assert play(tables)["current"] == 1
    assert legal(tables) == {TAKE, PASS}
    assert play(tables, PASS)["current"] == 0
    state = play(tables, PASS)
    assert (state["current"], state["phase"]) == (1, DISCARD)
    assert int(tables.data[0]["drawn"]) == cards("Qh")[0]


def test_when_the_second_seat_takes_the_up_card_the_starter_plays_next() -> None:
    tables = dealt(NEAR, POOR, LATER)
    assert play(tables, PASS, TAKE)["current"] == 1
    assert play(tables, "Jd")["current"] == 0
    assert legal(tables) == {TAKE, STOCK}


def test_the_card_just_taken_face_up_may_not_be_discarded() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, TAKE)
    assert legal(tables) == set(cards(NEAR))
    with pytest.raises(IllegalActionError, match="not legal"):
        play(tables, "Qc")
    free = dealt(NEAR, POOR, LATER, discard_ban=False)
    play(free, TAKE)
    assert legal(free) == set(cards(NEAR + " Qc"))


def test_the_knock_question_comes_after_the_discard_and_only_with_ten_or_less() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, TAKE)
    assert play(tables, "Ac")["phase"] == 1  # two court cards are left: 20
    assert tables.current_players()[0] == 1
    tables = dealt(NEAR, POOR, LATER)
    play(tables, TAKE, "Kd")
    assert legal(tables) == {KNOCK, PLAY_ON}
    assert play(tables, PLAY_ON)["current"] == 1


def test_a_knock_scores_the_difference_after_automatic_layoffs() -> None:
    # seat 1 holds 7c (fits the run of clubs), then 8c, then Ts and 6h on the hearts: laid off; 10 remain of court cards
    tables = dealt(NEAR, "7c 8c Th 6h Kh Qs Js 2d 4d 9d", "Qd Ks")
    state = play(tables, TAKE, "Kd", KNOCK)
    assert state["ending"] == KNOCKED
    assert state["layoffs"] == 4
    assert state["deadwood"] == [10, 10 + 10 + 10 + 2 + 4 + 9]
    assert state["result"] == [35, -35]


@pytest.mark.parametrize("layoffs", ["first_fit", "best"])
def test_gin_scores_the_bonus_and_admits_no_layoffs(layoffs: str) -> None:
    hand = "Ac 2c 3c 4c 5c 6c 7h 8h 9h Td"
    tables = dealt(hand, "7c 8c Jh 6h Kh Qs Js 2d 4d 9d", "Th Ks", layoffs=layoffs)
    state = play(tables, TAKE, "Td", KNOCK)
    assert state["ending"] == GIN
    assert state["layoffs"] == 0
    loose = 7 + 8 + 10 + 6 + 10 + 10 + 10 + 2 + 4 + 9
    assert state["result"] == [25 + loose, -25 - loose]


@pytest.mark.parametrize(("tie", "ending", "points"), [("undercut", UNDERCUT, -25), ("push", PUSH, 0)])
def test_equal_deadwood_is_an_undercut_unless_the_option_says_otherwise(tie: str, ending: int, points: int) -> None:
    tables = dealt(NEAR, "Ad 2d 3d 4d 5d 6d 7s 8s 9s Kh", "Qd Jc", tie=tie)
    state = play(tables, TAKE, "Kd", KNOCK)
    assert state["deadwood"] == [10, 10]
    assert state["ending"] == ending
    assert state["result"] == [points, -points]


def test_less_deadwood_than_the_knocker_is_an_undercut() -> None:
    tables = dealt(NEAR, "Ad 2d 3d 4d 5d 6d 7s 8s 9s 2h", "Qd Jc")
    assert play(tables, TAKE, "Kd", KNOCK)["result"] == [-33, 33]


def test_a_hand_is_void_when_a_turn_leaves_two_cards_in_the_stock() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, PASS, PASS)
    draws = 1
    while tables.current_players()[0] >= 0:
        phase = int(tables.data[0]["phase"])
        if phase == DISCARD:
            tables.apply(np.zeros(1, np.int64), np.array([int(tables.data[0]["drawn"])]))
        else:
            draws += phase == 1
            tables.apply(np.zeros(1, np.int64), np.array([STOCK if phase == 1 else PLAY_ON]))
    assert draws == 29  # the last from three cards
    assert int(tables.data[0]["ending"]) == VOID
    assert tables.returns(np.zeros(1, np.int64)).tolist() == [[0, 0]]


def test_at_the_wall_the_next_player_may_knock_with_the_face_up_card() -> None:
    tables = dealt(POOR, NEAR, LATER, wall_turn=True, void_stock=30)
    state = play(tables, PASS, PASS, "Ad")
    assert (state["phase"], state["current"]) == (WALL, 1)
    assert legal(tables) == {PASS, TAKE}
    play(tables, TAKE)
    assert legal(tables) == set(cards("Kd Ad"))  # what leaves ten or less
    assert play(tables, "Kd")["ending"] in (KNOCKED, UNDERCUT)
    assert play(dealt(POOR, NEAR, LATER, wall_turn=True, void_stock=30), PASS, PASS, "Ad", PASS)["ending"] == VOID


def test_turns_face_up_draws_and_moves_can_be_capped() -> None:
    assert play(dealt(POOR, NEAR, LATER, max_turns=1), TAKE, "Ad")["ending"] == CAPPED
    assert play(dealt(POOR, NEAR, LATER, max_upcard_draws=1), TAKE, "Ad", TAKE)["ending"] == CAPPED
    assert play(dealt(POOR, NEAR, LATER, max_moves=3), TAKE, "Ad", TAKE)["ending"] == CAPPED


def test_discarding_the_taken_card_in_succession_is_a_draw_where_the_option_says_so() -> None:
    options = {"discard_ban": False, "repeated_discard_draw": True}
    assert play(dealt(POOR, NEAR, LATER, **options), TAKE, "Qc", TAKE, "Qc", PLAY_ON)["ending"] == VOID


def test_without_the_up_card_phase_the_starter_has_an_ordinary_turn() -> None:
    tables = dealt(NEAR, POOR, LATER, starter=1, up_card_phase=False)
    assert legal(tables) == {TAKE, STOCK}


def test_best_layoffs_choose_melds_and_layoffs_together() -> None:
    # 7c 7d 7s is a set for seat 1, but 7c 8c fit the knocker's clubs and 7d the run 5d 6d 7d
    defender = "7c 7d 7s 8c 5d 6d Kh Qs Jh 2d"
    first = play(dealt(NEAR, defender, "Qd Jc"), TAKE, "Kd", KNOCK)
    best = play(dealt(NEAR, defender, "Qd Jc", layoffs="best"), TAKE, "Kd", KNOCK)
    assert first["deadwood"][1] == 8 + 5 + 6 + 32
    assert best["deadwood"][1] == 7 + 32
    assert best["layoffs"] == 2


def test_players_can_choose_their_melds() -> None:
    tables = dealt(NEAR, "7c 8c 9c Th 6h Kh Qs Js 2d 4d", "Qd Ks", melds="choose")
    play(tables, TAKE, "Kd", KNOCK)
    game: Any = tables.game
    names = {game.action_to_string(action) for action in legal(tables)}
    assert "lay down 7h8h9h" in names
    assert "lay down AcAdAh" not in names
    assert PASS not in legal(tables)  # too much deadwood yet
    runs = {game.action_to_string(action): action for action in range(FIRST_MELD, game.num_distinct_actions)}
    state = play(tables, runs["lay down 7h8h9h"], runs["lay down Ac2c3c4c5c6c"], PASS)
    assert state["current"] == 1
    state = play(tables, PASS)  # no melds: everything that fits is laid off
    assert state["layoffs"] == 5
    assert state["deadwood"][1] == 10 + 10 + 10 + 2 + 4


def test_the_first_starter_is_drawn_and_changes_after_scored_hands_only() -> None:
    game: Any = cardai.game("gin")
    seeds = np.random.default_rng(1).integers(0, 2**63, 400).astype(np.uint64)
    first = game.next_hands(None, np.zeros((400, 2)), np.zeros((400, 2)), np.zeros(400), seeds)
    assert 150 < first["starter"].sum() < 250
    outcomes = np.zeros(3, [("ending", np.int32)])
    outcomes["ending"] = (KNOCKED, VOID, CAPPED)
    previous = pack_setups(2, [Setup(starter=1, hand=4)] * 3)
    later = game.next_hands(previous, np.ones((3, 2)), np.zeros((3, 2)), outcomes, seeds[:3])
    assert later["starter"].tolist() == [0, 1, 1]
    assert later["hand"].tolist() == [5, 5, 5]


def test_only_the_winner_of_a_hand_scores_and_the_match_ends_at_the_target() -> None:
    game: Any = cardai.game("gin", target=50)
    scores = game.add_score(np.array([[10.0, 49.0]]), np.array([[-1.0, 1.0]]))
    assert scores.tolist() == [[10, 50]]
    assert game.match_over((10.0, 50.0), 3)
    assert not game.match_over((10.0, 49.0), 3)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="target"):
        cardai.game("gin", target=0)
    with pytest.raises(OptionError, match="undercut"):
        cardai.game("gin", tie="knocker")


def test_the_view_shows_what_was_seen_and_nothing_else() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, PASS, TAKE, "Jd", STOCK)
    view = tables.views(0, np.zeros(1, np.int64))[0]
    assert view["opponent_known"] == 1 << cards("Qc")[0]
    assert view["opponent_discards"] == 1 << cards("Jd")[0]
    assert view["drawn_card"] == cards("Qh")[0]
    other = tables.views(1, np.zeros(1, np.int64))[0]
    assert other["drawn_card"] == -1
    assert other["opponent_known"] == 0
    assert other["opponent_declined"] == (1 << cards("Qc")[0]) | (1 << cards("Jd")[0])
    assert other["history"][0] == cards("Jd")[0] + 52


def test_a_person_sees_melds_and_deadwood() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, PASS, TAKE, "Jd")
    from cardai.core.fields import unpack_view

    game: Any = tables.game
    text = game.draw(unpack_view(game.view_fields, tables.views(0, np.zeros(1, np.int64))[0]))
    assert "[A♣ 2♣ 3♣ 4♣ 5♣ 6♣]  [7♥ 8♥ 9♥]  K♦   (deadwood 10)" in text
    assert "Q♣ ▒▒" in text


def test_a_card_that_was_taken_and_discarded_again_is_no_longer_known() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, TAKE, "Ac")
    assert tables.views(1, np.zeros(1, np.int64))[0]["opponent_known"] == 1 << cards("Qc")[0]
    play(tables, STOCK, "Qh", STOCK, "Qc")
    view = tables.views(1, np.zeros(1, np.int64))[0]
    assert view["opponent_known"] == 0
    assert view["opponent_discards"] == (1 << cards("Ac")[0]) | (1 << cards("Qc")[0])


def test_the_outcome_notes_the_first_turn_after_which_a_player_could_knock() -> None:
    tables = dealt(NEAR, POOR, LATER)
    state = play(tables, TAKE, "Kd", PLAY_ON, STOCK, "Qh", STOCK, "Ks", KNOCK)
    assert state["ending"] == KNOCKED
    outcome = tables.outcomes(np.zeros(1, np.int64))[0]
    assert outcome["able"].tolist() == [1, 0]
    assert (outcome["turns"], outcome["knocker"]) == (3, 0)


def test_what_was_taken_or_drawn_this_turn_is_shown_to_its_owner_alone() -> None:
    tables = dealt(NEAR, POOR, LATER)
    play(tables, TAKE)
    row = np.zeros(1, np.int64)
    mine, other = tables.views(0, row)[0], tables.views(1, row)[0]
    assert (mine["taken_card"], mine["drawn_card"]) == (cards("Qc")[0], cards("Qc")[0])
    assert (other["taken_card"], other["drawn_card"]) == (-1, -1)
