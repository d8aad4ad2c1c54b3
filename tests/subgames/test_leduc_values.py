"""Leduc's values: situations, their solutions, encodings, and the leaves that a network values."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.subgames.hands import LeducHands, deal_boards
from cardai.subgames.layout import Layout
from cardai.subgames.leduc_situations import LeducGame, Recipe, draw, reachable_pots, second_round, solve, swapped
from cardai.subgames.leduc_values import SCHEMES, LeducLeaves, LeducValues, Scheme, encode
from cardai.subgames.menus import menus
from cardai.subgames.solver import Solver
from cardai.subgames.tree import CHANCE, Node


@pytest.fixture(scope="module")
def game() -> LeducGame:
    return LeducGame(cardai.game("leduc_deepstack").betting, 1200, menus("1+allin", ["first", "second"]))


def test_a_situation_is_the_same_whoever_draws_it(game: LeducGame) -> None:
    whole, part = draw(game, 3, 0, 40), draw(game, 3, 25, 10)
    assert (whole.ranges[25:35] == part.ranges).all()
    assert (whole.half_pots[25:35] == part.half_pots).all()
    assert np.abs(whole.ranges.sum(axis=2) - 1).max() < 1e-6
    assert (whole.ranges[np.arange(40), :, whole.boards] == 0).all()


def test_pots_that_can_come_are_one_bet_apart(game: LeducGame) -> None:
    # bets of the pot: 100 each; 100 + 200; 300 + 600; the next is all-in
    assert reachable_pots(game) == [100, 300, 900]


@pytest.mark.parametrize("recipe", [Recipe(30), Recipe(30, 10, "cfr_plus")])
def test_solved_side_by_side_is_solved_one_by_one(game: LeducGame, recipe: Recipe) -> None:
    drawn = draw(game, 1, 0, 6, [100, 900])
    solved = solve(game, drawn, recipe)
    for k in range(len(drawn)):
        half_pot, board = int(drawn.half_pots[k]), int(drawn.boards[k])
        boards = deal_boards(LeducHands(), (board,), 1, np.ones((2, 6)))
        layout = Layout(second_round(game, half_pot), LeducHands(), boards)
        one = Solver(layout, drawn.ranges[k].astype(np.float64), variant=recipe.variant, dtype=np.float64)
        if recipe.skip:
            one.run(recipe.skip)
            one.forget_average()
        one.run(recipe.iterations - recipe.skip)
        for seat in range(2):
            assert np.abs(solved.values[k, seat, one.hands] - one.root_values(seat) / half_pot).max() < 0.01


def test_exchanging_suits_moves_values_and_changes_none(game: LeducGame) -> None:
    drawn = draw(game, 2, 0, 20, [300])
    swaps = np.random.default_rng(0).random((20, 3)) < 0.5
    first, second = solve(game, swapped(drawn, swaps), Recipe(20)), swapped(solve(game, drawn, Recipe(20)), swaps)
    assert (first.boards == second.boards).all()
    assert (first.boards != drawn.boards).any()
    assert np.abs(first.values - second.values).max() < 1e-4


def network(scheme: Scheme) -> LeducValues:
    random = np.random.default_rng(0)
    inputs, outputs = {"release": (73, 72), "ours": (35, 10)}[scheme]
    sizes = [(20, inputs), (outputs, 20)]
    weights = tuple(random.normal(size=size).astype(np.float32) for size in sizes)
    return LeducValues(scheme, 100, 1200, weights, tuple(np.zeros(len(w), np.float32) for w in weights), (0.25,))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_one_player_wins_the_other_loses(game: LeducGame, scheme: Scheme) -> None:
    drawn = draw(game, 5, 0, 50)
    values = network(scheme).values(drawn.boards, drawn.half_pots.astype(float), drawn.ranges)
    assert np.abs((values * drawn.ranges).sum(axis=(1, 2))).max() < 1e-4
    assert np.abs(values).max() > 0.1
    assert (values[np.arange(50), :, drawn.boards] == 0).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_are_put_where_they_are_looked_for(game: LeducGame, scheme: Scheme) -> None:
    drawn = solve(game, draw(game, 5, 0, 10), Recipe(3))
    encoded = encode(scheme, 1200, drawn.boards, drawn.half_pots.astype(float), drawn.ranges)
    placed, there = encoded.of_hands(drawn.values)
    assert (encoded.by_hand(placed) == drawn.values).all()
    assert (there.sum(axis=2) == 5).all()


def node(chips: int) -> Node:
    return Node(CHANCE, 0, -1, (chips, chips), (100, 100))


def test_all_in_is_valued_exactly_and_boards_add_up() -> None:
    leaves, reach = LeducLeaves(network("ours")), np.random.default_rng(1).random((2, 2, 6))
    found = leaves.evaluate(0, reach, [node(1200), node(300)])
    boards = [leaves.dealt(0, reach[:, 1], node(300), (board,)) for board in range(6)]
    assert np.abs(found[1] - np.sum(boards, axis=0) / 4).max() < 1e-4  # each of four cards can come to two hands
    strengths = [LeducHands().strengths((board,)) for board in range(6)]
    slow = np.zeros(6)
    for board in range(6):
        for own in range(6):
            for other in range(6):
                if len({board, own, other}) == 3:
                    slow[own] += reach[1, 0, other] * np.sign(strengths[board][own] - strengths[board][other]) / 4
    assert np.abs(found[0] - 1200 * slow).max() < 1e-6
