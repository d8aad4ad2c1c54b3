"""The table of draws: what is counted where, beside a count made by hand, and the command."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.core.rng import derive, derive_many
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.draws_made import HELD, SEEN, draws_made, held_kinds
from tests.support import sizes


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("7c 5c 4d 3d 2h", "pat 7"),
        ("8c 5c 4d 3d 2h", "pat 8"),
        ("Jc 5c 4d 3d 2h", "pat J or worse"),
        ("Ac Kc Qd Jd 9h", "pat J or worse"),
        ("6c 5c 4d 3d 2h", "four to a 7"),  # a straight
        ("7c 5c 4c 3c 2c", "four to a 7"),  # a flush
        ("7c 5c 4d 3d 3h", "four to a 7"),
        ("8c 5c 4d 3d 3h", "four to an 8"),
        ("9c 8c 4d 3d 3h", "three to an 8"),
        ("9c Tc 4d 3d 2h", "pat T"),
        ("Kc Kd 4d 3d 2h", "three to a 7"),
        ("Kc Kd Qd Jd 2h", "four to a 9 or worse"),
        ("Kc Kd Qd 3d 2h", "four to a 9 or worse"),
        ("Kc Kd Qd Qh 2h", "one or none"),
        ("Kc Kd Ks 3d 2h", "two"),
    ],
)
def test_hands_are_called_what_they_are(hand, kind):
    assert HELD[held_kinds(np.array([parse_cards(hand)]))[0]] == kind


@pytest.mark.parametrize("hands", sizes(30, 100))
def test_the_table_is_that_of_a_count_by_hand(hands):
    game = cardai.game("triple_draw")
    found = draws_made(game, "draw_caller", hands, 4)
    assert found.cases[0, 0, :, SEEN.index("nothing yet")].sum() == hands  # everybody draws, the big blind first
    assert found.cases.sum() == hands * 6
    agent = cardai.agent("draw_caller").for_game(game)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    counted = np.zeros(found.cases.shape, np.int64)
    seeds = derive_many(derive(4, "deal"), count=hands)
    for k in range(hands):  # one hand at a time, and the player never mixes
        tables.reset(seeds[k : k + 1])
        last, draws = {0: 0, 1: 0}, 0
        while (seat := int(tables.current_players()[0])) >= 0:
            view, legal = tables.views(seat, row), tables.legal(row)
            action = int(agent.policy(view, legal).argmax())
            if legal[0, FIRST_DISCARD]:
                drawn = min((action - FIRST_DISCARD).bit_count(), 3)
                kind = int(held_kinds(view["hand"])[0])
                counted[draws // 2, draws % 2, kind, last[1 - seat]] += 1
                assert found.shares[draws // 2, draws % 2, kind, last[1 - seat], drawn] > 0
                last[seat], draws = 1 + drawn, draws + 1
            tables.apply(row, np.array([action]))
    assert np.array_equal(counted, found.cases)
    assert np.nansum(found.shares, axis=-1)[found.cases > 0] == pytest.approx(1.0)


def test_a_table_does_not_depend_on_batches(monkeypatch):
    whole = draws_made("triple_draw", "draw_heuristic", 60, 1)
    monkeypatch.setattr("cardai.draw.draws_made.BATCH", 7)
    assert np.array_equal(draws_made("triple_draw", "draw_heuristic", 60, 1).cases, whole.cases)


def test_other_games_and_players_without_probabilities_are_refused():
    with pytest.raises(UsageError, match="draw poker of two players"):
        draws_made("leduc", "random", 10, 0)
    with pytest.raises(UsageError, match="has none"):
        draws_made("triple_draw", "human", 10, 0)
