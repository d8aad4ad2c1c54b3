"""A tree that grows as it is walked: what is kept, what is refused, and any amount."""

from __future__ import annotations

import pytest

from cardai.core.errors import IllegalActionError
from cardai.poker.rules import growing_tree
from cardai.poker.rules.betting import Betting
from cardai.poker.rules.growing_tree import GrowingTree, rung_amounts

NO_LIMIT = Betting(2, 4, (100, 50), (1, 0, 0, 0), (60,) * 4, (0,) * 4, no_limit=True)


def test_a_state_is_computed_once_and_kept_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_tree, "KEPT", {False: 2, True: 2})
    tree = GrowingTree(NO_LIMIT, 0, (20_000, 20_000))
    first = tree.after(tree.root, 300)
    assert tree.after(tree.root, 300) is first
    assert tree.follow([300, 1]) is tree.follow([300, 1])
    passing = tree.follow([301])
    assert (passing.kept, passing.least, tree.root.children) == (False, 502, {300: first})
    assert tree.after(tree.root, 301) is not passing
    assert tree.follow([301, 1]).parent.parent is tree.root


def test_what_the_rules_refuse_is_named_with_what_is_legal() -> None:
    tree = GrowingTree(NO_LIMIT, 0, (20_000, 20_000))
    with pytest.raises(IllegalActionError, match=r"'r150' is not legal after ''. Legal: f, c, r200 to r20000"):
        tree.follow([150])
    with pytest.raises(IllegalActionError, match=r"'r20001' is not legal"):
        tree.follow([20_001])
    with pytest.raises(IllegalActionError, match="nothing, the betting is over"):
        tree.follow([0, 1])


def test_rungs_are_fractions_of_the_pot_after_a_call() -> None:
    node = GrowingTree(NO_LIMIT, 0, (1000, 1000)).follow([300])  # 400 more would make a pot of 600
    assert rung_amounts(node, (0.25, 0.5, 1.0, 2.0, -1.0)) == [0, 600, 900, 0, 1000]
