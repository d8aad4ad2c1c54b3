"""Gin's rules as options: Oklahoma gin, big gin, a push, and what is counted after the game.

Oklahoma: bicyclecards.com, "Oklahoma Gin": the up-card's rank is the most to knock with, face cards 10, an ace demands gin,
a spade doubles the hand's scores. Others let an ace count 1 (rummyrulebook.com, "Oklahoma Gin Rummy"). Big gin, bonuses:
ginrummy.com/scoring.html: big gin 25 and 6 more; a game bonus of 100, 25 a hand won, a shutout doubles the points of hands
before the line bonus. The doubled game bonus: ginplayeronline.com/scoring.shtml. A push: OpenSpiel's gin_rummy, where equal
deadwood scores nothing (no written rule book was found that says so; most give the undercut).
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena import match
from cardai.core.game import Setup, pack_setups
from cardai.gin.actions import BIG_GIN, GIN, KNOCK, KNOCKED, OVER, PLAY_ON, PUSH, TAKE, VOID

RANKS, SUITS = "23456789TJQKA", "cdhs"
NEAR = "Ac 2c 3c 4c 5c 6c 7h 8h 9h Kd"  # with the king gone and a card x, the deadwood is x
POOR = "Ad 3d 5d 7d 9d Jd 2h 4h 6s 8s"  # 55, nothing fits NEAR's melds


def cards(text: str) -> list[int]:
    return [13 * SUITS.index(card[1]) + RANKS.index(card[0]) for card in text.split()]


def dealt(first: str, second: str, then: str, **options: Any) -> Any:
    """Return one table: seat 0, who starts, holds ``first``, seat 1 ``second``; then the up-card and the stock."""
    tables: Any = cardai.game("gin", **options).tables(1)
    hands = [card for pair in zip(cards(first), cards(second), strict=True) for card in pair]
    tables.reset(np.zeros(1, np.uint64), [hands + cards(then)], np.zeros(1, np.int64), pack_setups(2, [Setup()]))
    return tables


def play(tables: Any, *actions: int | str) -> Any:
    """Play actions (a card's text discards it) and return the row."""
    for action in actions:
        number = cards(action)[0] if isinstance(action, str) else action
        tables.apply(np.zeros(1, np.int64), np.array([number]))
    return tables.data[0]


def legal(tables: Any) -> set[int]:
    return {int(action) for action in np.flatnonzero(tables.legal(np.zeros(1, np.int64))[0])}


@pytest.mark.parametrize(
    ("up_card", "options", "can"),
    [
        ("5d", {}, True),
        ("5d", {"oklahoma": True}, True),  # five points are left, and five allowed
        ("2d", {"oklahoma": True}, True),
        ("Ks", {"oklahoma": True}, True),
        ("Ks", {"oklahoma": True, "knock_limit": 3}, True),  # the up-card says it
        ("Ah", {"oklahoma": True}, False),
        ("Ah", {"oklahoma": True, "oklahoma_ace": "one"}, True),
    ],
)
def test_in_oklahoma_gin_the_first_up_card_is_the_knock_limit(up_card: str, options: Any, can: bool) -> None:
    tables = dealt(NEAR, "Qh 3d Qs 7d 9d Jd 2h 4h 6s 8s", up_card, **options)
    play(tables, TAKE, "Kd")
    assert (legal(tables) == {KNOCK, PLAY_ON}) == can


def test_one_point_more_than_the_first_up_card_is_too_much() -> None:
    # the six stays, the up-card is a five and goes back in the next turn
    hand, other = "Ac 2c 3c 4c 5c 6c 7h 8h 9h 6d", "Qh 3d 4s 7d 9d Jd 2h 4h 6s 8s"
    tables = dealt(hand, other, "5d Qd Qc Js", oklahoma=True)
    state = play(tables, 54, 54, "Qd")
    assert state["phase"] == 1  # six is left: no question
    assert play(dealt(hand, other, "6h Qd Qc Js", oklahoma=True), 54, 54, "Qd")["phase"] == 3


@pytest.mark.parametrize(("up_card", "factor"), [("5s", 2), ("5d", 1)])
def test_a_spade_turned_up_doubles_the_hand(up_card: str, factor: int) -> None:
    other = "Ad 3d Jh 7d 9d Jd 2h 4h 6s 8s"
    state = play(dealt(NEAR, other, up_card, double_spades=True), TAKE, "Kd", KNOCK)
    assert state["result"].tolist() == [factor * (60 - 5), -factor * (60 - 5)]


def test_big_gin_melds_eleven_cards_without_a_discard() -> None:
    hand = "Ac 2c 3c 4c 5c 6c 7h 8h 9h Td"
    melded = hand.replace("Td", "Th")
    tables = dealt(melded, POOR, "Jh Ks", big_gin_bonus=31)
    play(tables, TAKE)
    assert KNOCK in legal(tables)
    state = play(tables, KNOCK)
    assert (state["ending"], state["phase"], state["current"]) == (BIG_GIN, OVER, -4)
    assert state["result"].tolist() == [31 + 55, -31 - 55]
    assert state["layoffs"] == 0
    usual = dealt(melded, POOR, "Jh Ks")
    play(usual, TAKE)
    assert KNOCK not in legal(usual)
    loose = dealt(hand, POOR, "Jh Ks", big_gin_bonus=31)  # the ten of diamonds is loose
    play(loose, TAKE)
    assert KNOCK not in legal(loose)


def test_who_holds_big_gin_may_discard_and_knock_with_gin() -> None:
    tables = dealt("Ac 2c 3c 4c 5c 6c 7h 8h 9h Th", POOR, "Jh Ks", big_gin_bonus=31)
    assert play(tables, TAKE, "Ac", KNOCK)["ending"] == GIN


def test_big_gin_is_laid_down_whole_where_players_choose_melds() -> None:
    tables = dealt("Ac 2c 3c 4c 5c 6c 7h 8h 9h Th", POOR, "Jh Ks", big_gin_bonus=31, melds="choose")
    play(tables, TAKE, KNOCK)
    game: Any = tables.game
    assert 54 not in legal(tables)  # eleven cards are to lie on the table
    number = {game.action_to_string(action): action for action in legal(tables)}
    play(tables, number["lay down 7h8h9hThJh"])
    state = play(tables, number["lay down Ac2c3c4c5c6c"], 54, 54)
    assert (state["ending"], state["result"].tolist()) == (BIG_GIN, [86, -86])


@pytest.mark.parametrize("player", ["simple", "gin-only", "gin_lookahead"])
def test_rule_players_declare_big_gin(player: str) -> None:
    result = match.play("gin:big_gin_bonus=31", [player, "gin-only"], games=600, seed=3)
    mine = result.seats(0) == result.hands["knocker"]
    ended = result.hands["ending"][mine]
    assert (ended == BIG_GIN).any() or player == "simple"
    assert set(np.unique(ended)) <= {KNOCKED, GIN, 2, BIG_GIN}


def test_a_push_scores_nothing_and_the_same_seat_starts_again() -> None:
    game: Any = cardai.game("gin", tie="push")
    outcomes = np.zeros(3, [("ending", np.int32)])
    outcomes["ending"] = (PUSH, VOID, BIG_GIN)
    previous = pack_setups(2, [Setup(starter=1, hand=4)] * 3)
    later = game.next_hands(previous, np.ones((3, 2)), np.zeros((3, 2)), outcomes, np.zeros(3, np.uint64))
    assert later["starter"].tolist() == [1, 1, 0]


@pytest.mark.parametrize(("starter", "next_"), [("winner", [0, 1, 1]), ("loser", [1, 0, 1]), ("first", [0, 0, 1])])
def test_who_starts_after_a_hand_that_was_scored_is_an_option(starter: str, next_: list[int]) -> None:
    game: Any = cardai.game("gin", starter=starter)
    outcomes = np.zeros(3, [("ending", np.int32)])
    outcomes["ending"] = (KNOCKED, GIN, VOID)
    previous = pack_setups(2, [Setup(starter=1, hand=4)] * 3)
    won = np.array([[12.0, -12.0], [-30.0, 30.0], [0.0, 0.0]])
    later = game.next_hands(previous, np.ones((3, 2)), won, outcomes, np.zeros(3, np.uint64))
    assert later["starter"].tolist() == next_  # a void hand is begun by the same seat


def settled(game: Any, *returns: float) -> float:
    """Return what the first player gets after a game with these hands."""
    hands = np.zeros(len(returns), [("game", "i8"), ("hand", "i4"), ("returns", "f8", (2,))])
    hands["hand"] = np.arange(len(returns))
    hands["returns"] = [(x, -x) for x in returns]
    report = importlib.import_module("cardai.plugins.games.gin._report")
    by_hand = report.settlements(game, hands, np.zeros(len(hands), np.int64))
    assert not by_hand[:-1].any()
    return float(by_hand[-1])


def test_bonuses_are_counted_after_the_game_as_written() -> None:
    usual = {"line_bonus": 25, "game_bonus": 100}
    # 60 + 50 against 20: two lines against one, the game
    assert settled(cardai.game("gin", **usual), 60, -20, 50) == 90 + 25 + 100
    assert settled(cardai.game("gin", **usual), -60, 20, 0, -50) == -90 - 25 - 100
    assert settled(cardai.game("gin", **usual), 60, 50) == 110 + 50 + 100
    assert settled(cardai.game("gin", shutout="hands", **usual), 60, 50) == 2 * 110 + 50 + 100
    assert settled(cardai.game("gin", shutout="bonus", **usual), 60, 50) == 110 + 50 + 200
    assert settled(cardai.game("gin", shutout="bonus", **usual), 60, -20, 50) == 90 + 25 + 100


def test_settlements_of_a_match_are_reported_and_sum_to_nothing() -> None:
    result = match.play("gin:line_bonus=25,game_bonus=100,shutout=hands", ["simple", "greedy"], games=40, seed=1)
    found = [result.figures(agent)["settlement a game"].mean for agent in range(2)]
    assert found[0] == pytest.approx(-found[1])
    assert abs(found[0]) > 0
    assert "points a game, bonuses included" in dict(result.summary(0))
    assert "points a game, bonuses included" not in dict(match.play("gin", ["simple"] * 2, games=2).summary(0))
