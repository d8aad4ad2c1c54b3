"""Bet menus: what they say, and what the tree makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from cardai.core.errors import UsageError
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.position import token
from cardai.poker.ranges.public_tree import DEAL, SHOWDOWN, Node, betting_tree, street_betting
from cardai.poker.ranges.sizes import bet_plan
from cardai.poker.ranges.spot import Spot

TWO = ("turn", "river")


def walk(node: Node, *words: str) -> Node:
    for word in words:
        node = node.children[[token(node, action) for action in node.actions].index(word)]
        while node.kind == DEAL:
            node = node.children[0]
    return node


def words(node: Node) -> list[str]:
    return [token(node, action) for action in node.actions]


def test_each_street_and_each_raise_has_its_menu() -> None:
    tree = betting_tree(street_betting(100, 2), (1050, 1050), menus("turn=0.5/allin,river=25%+pot", TWO))
    assert words(tree.root) == ["x", "b50"]
    assert words(walk(tree.root, "b50")) == ["f", "c", "r1000"]
    river = walk(tree.root, "b50", "c")
    assert (river.street, words(river)) == (1, ["x", "b50", "b200"])
    assert words(walk(river, "b50")) == ["f", "c", "r125", "r350"]  # 50 + a quarter of 300, 50 + 300


def test_limit_bets_have_one_size_a_street_and_a_cap() -> None:
    tree = betting_tree(street_betting(40, 2, limit=(20, 40), cap=2), (1000, 1000))
    assert words(walk(tree.root, "b20", "r40")) == ["f", "c"]
    assert words(walk(tree.root, "x", "x")) == ["x", "b40"]


def test_a_bet_beyond_the_stack_is_all_in_and_is_called_to_the_end() -> None:
    tree = betting_tree(street_betting(100, 2), (80, 80), menus("1", TWO))
    assert words(tree.root) == ["x", "b30"]
    end = walk(tree.root, "b30", "c")
    assert (end.kind, end.street, end.spent) == (SHOWDOWN, 1, (80, 80))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5+many", "hold 'many', which is no size"),
        ("0.5+-1", "hold '-1', which is no size"),
        ("0.5+0.5", "name a size twice"),
        ("flop=1,river=1", "name 'flop'. The streets to come are turn, river"),
        ("turn=1", "say nothing of the river"),
        ("turn=1,turn=2,river=1", "name 'turn' twice"),
    ],
)
def test_menus_that_cannot_be_read_are_quoted(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        menus(text, TWO)
    assert message in str(error.value)


def spot_words(bets: str, line: str = "", board: str = "KsTh7s4d", stack: float = 400, **options: Any) -> list[str]:
    """Return the actions of a spot of a pot of 100 after ``line``, cards left out."""
    tree = Spot(board, 100, (stack, stack), bets=bets, **options).tree()
    return words(walk(tree.root, *line.split()))


@pytest.mark.parametrize(
    ("bets", "line", "found"),
    [
        ("1/2.5x", "b100", ["f", "c", "r250"]),
        ("1/120c", "b100", ["f", "c", "r220"]),
        ("120c", "", ["x", "b120"]),
        ("e", "", ["x", "b100"]),  # (100 + 800) / 100 is 3 x 3, and a bet of the pot makes it three times as large
        ("e", "b100 c", ["x", "b300"]),
        ("3e", "", ["x", "b54"]),  # the third root of 9 is 2.08: half of 108
        ("river=0.5,turn=1,button=0.25", "x", ["x", "b25"]),
        ("river=0.5,turn=1,button=0.25", "x x", ["x", "b50"]),
        ("1,button.river=0.3", "x x x", ["x", "b30"]),
        ("1,donk=none", "x b100 c", ["x"]),
        ("1,donk=none", "x x", ["x", "b100"]),
        ("1,donk.river=0.2", "x b100 c", ["x", "b60"]),
        ("1,donk.river=0.2", "b100 c", ["x", "b300"]),  # who bet himself leads no donk
        ("0.29+1", "", ["x", "b29", "b100"]),
    ],
)
def test_sizes_of_spots_are_what_is_written(bets: str, line: str, found: list[str]) -> None:
    assert spot_words(bets, line) == found


def test_thresholds_add_force_and_merge() -> None:
    assert spot_words("0.5", stack=140, add_allin=1.5) == ["x", "b50", "b140"]
    assert spot_words("0.5", stack=160, add_allin=1.5) == ["x", "b50"]
    assert spot_words("1", stack=120, force_allin=0.2) == ["x", "b120"]
    assert spot_words("1", stack=170, force_allin=0.2) == ["x", "b100"]
    assert spot_words("0.5+0.55+1", merge=0.1) == ["x", "b55", "b100"]
    assert spot_words("0.5+0.55+1+1.05", merge=0.1) == ["x", "b55", "b105"]


def test_donk_menus_hold_at_once_where_the_button_had_bet() -> None:
    assert spot_words("1,donk=0.3", aggressor=1) == ["x", "b30"]
    assert spot_words("1,donk=0.3", aggressor=0) == ["x", "b100"]


def test_raises_below_the_least_are_left_out_and_counted() -> None:
    tree = Spot("KsTh7s4d2c", 100, (1000, 1000), bets="0.5/0.1+1").tree()
    assert words(walk(tree.root, "b50")) == ["f", "c", "r250"]  # a tenth of 200 is no raise of 50
    assert tree.below > 0
    assert Spot("KsTh7s4d2c", 100, (1000, 1000), bets="0.5/1").tree().below == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2x", "is of a bet before it"),
        ("1/0.5x", "does not raise"),
        ("1.5e", "whole number"),
        ("1,nobody=1", "players are first, button, donk"),
        ("button=1,turn=1", "say nothing of the river"),
        ("1,1", "twice"),
    ],
)
def test_sizes_that_cannot_be_read_are_quoted(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        bet_plan(text, TWO)
    assert message in str(error.value)
