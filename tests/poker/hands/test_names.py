"""Hands in full, as players say them, against the ranking: the best five of seven, and every category."""

from __future__ import annotations

import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.poker.contract import board_cards
from cardai.poker.rules.showdown import full_hand_name


@pytest.mark.parametrize(
    ("hole", "board", "named"),
    [
        ("AsKs", "QsJsTs2c2d", "royal flush"),
        ("9s8s", "7s6s5sAcAd", "straight flush, nine high"),
        ("6c6d", "6h6sKcQdJh", "four of a kind, sixes"),
        ("9c9d", "5h5s9hKcKd", "full house, nines over kings"),
        ("As2s", "Ks9s4sAdAc", "flush, ace high"),
        ("As2d", "3h4c5sKdKc", "straight, five high"),
        ("AsKd", "QhJcTs2d2c", "straight, ace high"),
        ("QsQd", "Qh7c2s9d4c", "three of a kind, queens"),
        ("AsKd", "AhKcQs2d2c", "two pair, aces and kings, queen kicker"),
        ("9s9d", "Kh7c2s4d5c", "pair of nines, king kicker"),
        ("AsJd", "9h7c2s4d5c", "ace high, then jack"),
    ],
)
def test_a_hand_of_seven_cards_is_named_in_full(hole: str, board: str, named: str) -> None:
    said = board_cards(cardai.game("holdem_limit"))
    assert said is not None
    assert full_hand_name(said, parse_cards(hole), parse_cards(board)) == named


def test_omaha_plays_two_of_the_hand_and_short_deck_has_its_own_wheel() -> None:
    omaha, short = board_cards(cardai.game("omaha")), board_cards(cardai.game("short_deck"))
    assert omaha is not None
    assert short is not None
    alone = parse_cards("AsKsQsJs"), parse_cards("9s5s4d3c2h")  # an ace alone makes no straight, five spades no flush
    assert full_hand_name(omaha, *alone) == "ace high, then king"
    assert full_hand_name(short, parse_cards("As6d"), parse_cards("7h8c9sKdKc")) == "straight, nine high"
    assert full_hand_name(short, parse_cards("As"), parse_cards("7h8c9s")) == ""
