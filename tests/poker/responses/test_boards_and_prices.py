"""What a response has to see: that boards differ, and that a raise costs the call as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.poker.hands.combos import left_by, pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.responses.local_response import LocalResponder, Lookahead
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import measure
from tests.support import sizes

RIVER = "holdem_limit:max_raises=0+0+0+2"


@pytest.mark.parametrize("others", sizes([], [(1, 1), (2, 1)]))
def test_each_board_is_another_and_its_seed_decides_which(others: Any) -> None:
    """Against a caller a response bets its better hands: how much that brings depends on the board."""
    game, caller = cardai.game("holdem_limit:max_raises=0+0+0+1"), cardai.agent("always_call")
    one, *more = (
        measure(LocalOptions(game, caller, seed=seed, boards=boards, rounds=(3,))).gains
        for seed, boards in ((1, 2), *others)
    )
    assert len(set(one.tolist())) == 2
    assert (one > 0).all()
    if more:
        again, other = more
        assert one.tolist()[:1] == again.tolist()
        assert not set(one.tolist()) & set(other.tolist())


def test_a_raise_against_who_never_folds_is_for_hands_that_win_more_often_than_not() -> None:
    """always_raise bets every hand on the river and calls a raise: with equity e a raise of x more is worth (2e - 1) x beyond
    a call, whatever is in the pot, and a fold is better than a call only for the worst hands.
    """
    game, player = cardai.game(RIVER), cardai.agent("always_raise")
    asked = player.for_game(game)
    responder = LocalResponder(asked, Lookahead(game, asked, "legal", frozenset((3,))), 1, 20)
    raised = {True: 0, False: 0}
    for deal in range(40):
        record = responder.play(deal, 0)
        tables = game.tables(1)
        tables.reset(np.array([record["seed"]], np.uint64))
        row = np.zeros(1, np.int64)
        for action in record["actions"]:
            view = tables.views(int(tables.current_players()[0]), row)[0]
            mine = int(tables.current_players()[0]) == 0
            if mine and int(view["round"]) == 3 and view["to_call"] > 0 and tables.legal(row)[0, 2]:
                board, hole = [int(c) for c in view["board"]], [int(c) for c in view["hole"]]
                strength = river_strengths(board)
                own = int(np.flatnonzero((np.sort(pairs(), axis=1) == np.sort(hole)).all(axis=1))[0])
                met = np.flatnonzero(left_by([*board, *hole]))
                wins = (strength[met] < strength[own]).sum() + 0.5 * (strength[met] == strength[own]).sum()
                better = bool(wins / len(met) > 0.5)
                assert (action == 2) == better
                raised[better] += 1
            tables.apply(row, np.array([action], np.int64))
    assert min(raised.values()) >= 5
