"""Leduc's values: situations, their solutions, encodings, and the leaves that a network values."""

from __future__ import annotations

import numpy as np
import pytest
from cardai.poker.values.leduc_network import SCHEMES, LeducLeaves, LeducValues, Scheme, encode
from cardai.poker.values.leduc_situations import (
    Situations,
    draw,
    leduc_game,
    reachable_pots,
    second_round,
    solve,
    swapped,
)

import cardai
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import LeducHands, deal_boards
from cardai.poker.ranges.layout import Layout
from cardai.poker.ranges.public_tree import betting_tree, tree_after
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solver import Solver
from tests.poker.chance_nodes import chance_node


@pytest.fixture(scope="module")
def game() -> RangeGame:
    return leduc_game(cardai.game("leduc_deepstack"))


def test_a_situation_is_the_same_whoever_draws_it(game: RangeGame) -> None:
    whole, part = draw(game, 3, 0, 40), draw(game, 3, 25, 10)
    assert (whole.ranges[25:35] == part.ranges).all()
    assert (whole.half_pots[25:35] == part.half_pots).all()
    assert np.abs(whole.ranges.sum(axis=2) - 1).max() < 1e-6
    assert (whole.ranges[np.arange(40), :, whole.boards] == 0).all()


def test_pots_that_can_come_are_one_bet_apart(game: RangeGame) -> None:
    # bets of the pot: 100 each; 100 + 200; 300 + 600; the next is all-in
    assert reachable_pots(game) == [100, 300, 900]


@pytest.mark.parametrize("settings", [SolverSettings(30), SolverSettings(30, 10, "cfr_plus")])
def test_solved_side_by_side_is_solved_one_by_one(game: RangeGame, settings: SolverSettings) -> None:
    drawn = draw(game, 1, 0, 6, [100, 900])
    solved = solve(game, drawn, settings)
    for k in range(len(drawn)):
        half_pot, board = int(drawn.half_pots[k]), int(drawn.boards[k])
        boards = deal_boards(LeducHands(), (board,), 1, np.ones((2, 6)))
        layout = Layout(second_round(game, half_pot), LeducHands(), boards)
        one = Solver(layout, drawn.ranges[k].astype(np.float64), variant=settings.variant, dtype=np.float64)
        if settings.skip:
            one.run(settings.skip)
            one.forget_average()
        one.run(settings.iterations - settings.skip)
        for seat in range(2):
            assert np.abs(solved.values[k, seat, one.hands] - one.root_values(seat)[0] / half_pot).max() < 0.01


def test_hands_that_are_alike_are_solved_as_one(game: RangeGame) -> None:
    drawn = draw(game, 4, 0, 30, [100, 300, 900], alike=True)
    together = solve(game, drawn, SolverSettings(10)).values
    nudged = drawn.ranges * np.where(np.arange(6) % 2, 1 + 1e-6, 1).astype(np.float32)
    apart = solve(game, Situations(drawn.boards, drawn.half_pots, nudged, drawn.values), SolverSettings(10)).values
    assert np.abs(together - apart).max() < 1e-3
    assert np.abs(together).max() > 0.5


def test_exchanging_suits_moves_values_and_changes_none(game: RangeGame) -> None:
    drawn = draw(game, 2, 0, 20, [300])
    swaps = np.random.default_rng(0).random((20, 3)) < 0.5
    first, second = (
        solve(game, swapped(drawn, swaps), SolverSettings(20)),
        swapped(solve(game, drawn, SolverSettings(20)), swaps),
    )
    assert (first.boards == second.boards).all()
    assert (first.boards != drawn.boards).any()
    assert np.abs(first.values - second.values).max() < 1e-4


def network(scheme: Scheme) -> LeducValues:
    random = np.random.default_rng(0)
    inputs, outputs = {"release": (73, 72), "ours": (35, 10)}[scheme]
    sizes = [(20, inputs), (outputs, 20)]
    weights = tuple(random.normal(size=size).astype(np.float32) for size in sizes)
    return LeducValues(scheme, 100, 1200, weights, tuple(np.zeros(len(w), np.float32) for w in weights), (0.25,))


@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_what_one_player_wins_the_other_loses(game: RangeGame, scheme: Scheme) -> None:
    drawn = draw(game, 5, 0, 50)
    values = network(scheme).values(drawn.boards, drawn.half_pots.astype(float), drawn.ranges)
    assert np.abs((values * drawn.ranges).sum(axis=(1, 2))).max() < 1e-4
    assert np.abs(values).max() > 0.1
    assert (values[np.arange(50), :, drawn.boards] == 0).all()


@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_values_are_put_where_they_are_looked_for(game: RangeGame, scheme: Scheme) -> None:
    drawn = solve(game, draw(game, 5, 0, 10), SolverSettings(3))
    encoded = encode(scheme, 1200, drawn.boards, drawn.half_pots.astype(float), drawn.ranges)
    placed, there = encoded.of_hands(drawn.values)
    assert (encoded.by_hand(placed) == drawn.values).all()
    assert (there.sum(axis=2) == 5).all()


def test_all_in_is_valued_exactly_and_boards_add_up() -> None:
    leaves, reach = LeducLeaves(network("ours")), np.random.default_rng(1).random((2, 2, 6))
    nodes = [chance_node((1200, 1200)), chance_node((300, 300))]
    found = leaves.evaluate(0, reach, nodes)
    boards = [leaves.dealt(0, reach, nodes, 1, board) for board in range(6)]
    assert np.abs(found[1] - np.sum(boards, axis=0) / 4).max() < 1e-4  # each of four cards can come to two hands
    strengths = [LeducHands().strengths((board,)) for board in range(6)]
    slow = np.zeros(6)
    for board in range(6):
        for own in range(6):
            for other in range(6):
                if len({board, own, other}) == 3:
                    slow[own] += reach[1, 0, other] * np.sign(strengths[board][own] - strengths[board][other]) / 4
    assert np.abs(found[0] - 1200 * slow).max() < 1e-6


def test_values_of_leaves_are_averaged_with_the_weights_of_the_strategies() -> None:
    leaves, nodes = LeducLeaves(network("ours")), [chance_node((300, 300)), chance_node((900, 900))]
    reaches = np.random.default_rng(2).random((3, 2, 2, 6))
    seen = [leaves.learn(1, reach, nodes, keep) for reach, keep in zip(reaches, (0.0, 0.25, 4 / 9), strict=True)]
    weights = np.array([1, 4, 9]) / 14  # t^2: DCFR's, where ((t - 1) / t)^2 is kept
    expected = np.tensordot(weights, np.array(seen), 1)
    assert np.abs(leaves.evaluate(1, reaches[0], nodes) - expected).max() < 1e-3  # whatever is asked about
    by_card = [leaves.dealt(1, reaches[0], nodes, 0, card) for card in range(6)]
    assert np.abs(np.sum(by_card, axis=0) / 4 - expected[0]).max() < 1e-3
    leaves.forget()
    assert np.abs(leaves.evaluate(1, reaches[0], nodes) - seen[0]).max() < 1e-3


class Exact:
    """What a network would say that makes no mistakes: each situation is solved."""

    stack = 1200

    def __init__(self, game: RangeGame) -> None:
        self.game = game

    def values(self, boards: np.ndarray, half_pots: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        """Return (n, 2, 6) values in units of the half pot."""
        asked = Situations(boards, half_pots.astype(np.int64), ranges.astype(np.float32), np.zeros(ranges.shape))
        return solve(self.game, asked, SolverSettings(150)).values


def test_leaves_valued_without_mistakes_are_as_good_as_the_whole_game(game: RangeGame) -> None:
    played, ranges = cardai.game("leduc_deepstack"), np.ones((2, 6))
    tree = tree_after(played.betting, (1200, 1200), 0, (), game.menus, until=0)
    boards = deal_boards(LeducHands(), (), 1, ranges, isomorphic=False)
    leaves = LeducLeaves(Exact(game))  # type: ignore[arg-type]
    short = Solver(Layout(tree, LeducHands(), boards), ranges, leaves=leaves)
    short.run(60)
    whole = Solver(
        Layout(betting_tree(played.betting, (1200, 1200), game.menus, button=0), LeducHands(), deal_boards(LeducHands(), (), 2, ranges)),
        ranges,
    )  # fmt: skip
    whole.run(400)
    own, best = (
        np.array([short.root_values(seat, mode).sum() / 30 for seat in range(2)]) for mode in (EXPECT, RESPOND)
    )
    assert abs(own[0] - whole.root_values(0).sum() / 30) < 3  # chips a dealt hand, of antes of 100
    assert sum(best) < 4
    leaves.forget()  # the values at the average ranges are something else: there hands are indifferent
    assert sum(short.root_values(seat, RESPOND).sum() / 30 for seat in range(2)) > 40
