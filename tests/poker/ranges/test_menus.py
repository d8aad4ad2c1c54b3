"""Bet menus: what they say, and what the tree makes of them."""

from __future__ import annotations

import pytest

from cardai.core.errors import UsageError
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.position import token
from cardai.poker.ranges.public_tree import DEAL, SHOWDOWN, Node, betting_tree, street_betting

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
