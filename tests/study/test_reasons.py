"""Reasons are numbers that are there: counted by hand, or by going through all cards the slow way."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena.table import Table
from cardai.cards.text import card_set, cards_of, parse_card, parse_cards
from cardai.core.fields import empty_views, unpack_view
from cardai.draw.reasons import categories
from cardai.gin.actions import DISCARD
from cardai.gin.melds import is_meld
from cardai.gin.reasons import dangers, helpful, reasons, unseen
from cardai.poker.hands.ranking import paying_category
from cardai.poker.reasons import facing, line, position, street


def gin_view(hand: str, **more: Any) -> dict[str, Any]:
    game = make.game("gin")
    view = unpack_view(game.view_fields, empty_views(game.view_fields, 1)[0])
    return {**view, "phase": DISCARD, "player": 0, "hand": card_set(parse_cards(hand)), **more}


def test_a_discards_danger_is_the_pairs_of_hidden_cards_with_which_it_makes_a_meld() -> None:
    view = gin_view("2c3c4cKdQd7h7s9cTdAh5s", discard_set=card_set(parse_cards("7dJd")))
    hidden = cards_of(unseen(view))
    for card in cards_of(view["hand"]):
        slow = sum(is_meld([card, *pair]) for pair in combinations(hidden, 2))
        assert dangers(view, card) == slow, card
    # the seven of hearts: no set is left (the diamond is gone, the spade is ours), runs 5h6h, 6h8h and 8h9h
    assert dangers(view, parse_card("7h")) == 3


def test_cards_that_the_opponent_is_known_to_hold_are_dangerous_too() -> None:
    view = gin_view("2c3c4cKdQd7h7s9cTdAh5s")
    known = {**view, "opponent_known": card_set(parse_cards("6h8h"))}
    assert dangers(known, parse_card("7h")) == dangers(view, parse_card("7h"))
    seen = {**view, "discard_set": card_set(parse_cards("6h8h"))}
    assert dangers(seen, parse_card("7h")) == 1  # the other two sevens


def test_helpful_cards_are_those_that_let_more_cards_lie_in_melds() -> None:
    """Two sevens and two neighbours: two sevens more, and a card at either end of the neighbours."""
    hand = card_set(parse_cards("7h7s3c4cKd"))
    everything = (1 << 52) - 1 & ~hand
    assert helpful(hand, everything) == 4
    assert helpful(hand, everything & ~card_set(parse_cards("7c5c"))) == 2


def test_reasons_of_a_discard_begin_with_what_speaks_for_the_best() -> None:
    view = gin_view("2c3c4cKdQd7h7s9cTdAh5s")
    found = reasons(view, parse_card("4c"), parse_card("Kd"))
    assert found[0].name == "deadwood"
    assert found[0].number == 15  # 2 + 3 + 59 loose points against 49 without the king


def test_what_a_hold_is_paid_is_counted_over_all_draws() -> None:
    hand = parse_cards("JsJd7h4c2s")
    chances = categories(hand, 0b00011)
    assert chances is not None
    others = [card for card in range(52) if card not in hand]
    slow = np.bincount(
        paying_category(np.array([[*hand[:2], *drawn] for drawn in combinations(others, 3)])), minlength=len(chances)
    )
    assert chances == pytest.approx(slow / slow.sum())
    assert chances[1:].sum() == 1.0  # a pair of jacks is always paid
    assert categories(hand, 0) is None
    assert categories(hand, 0b11111).tolist() == [0, 1, *[0] * 8]  # all five are held: a pair of jacks, surely


def test_a_betting_games_decision_is_told_by_street_position_and_what_is_faced() -> None:
    table = Table("holdem_limit", [None, None], seed=1)
    button = table.view()
    assert (street(button), position(button), facing(button), line(button)) == (
        "before the flop", "button", "facing the blind", "",
    )  # fmt: skip
    table.act(2)
    other = table.view()
    assert (position(other), facing(other), line(other)) == ("other seat", "facing a bet", "r")
    table.act(1)
    assert (street(table.view()), facing(table.view()), line(table.view())) == ("flop", "first to bet", "rc")


def test_a_game_without_a_family_is_told_by_its_fields_and_has_no_reasons() -> None:
    game = make.game("kuhn")
    view = Table(game, [None, None], seed=1).view()
    assert game.situation(view) == {"position": "seat 0"}
    assert game.reasons(view, 0, 1) == ()
