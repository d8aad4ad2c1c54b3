"""Solving over ranges: exact operators, Leduc against the sequence form, small ranges against a linear program, hold'em
against published solvers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.core.registry import create
from cardai.poker.hands.combos import pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.notation import parse_range
from cardai.poker.ranges import _walk_kernels as kernels
from cardai.poker.ranges.hands import HOLDEM, LeducHands, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import FOLD, SHOWDOWN, betting_tree, street_betting
from cardai.poker.ranges.solver import Solver
from cardai.solve.measures import measure
from tests.poker.ranges.linear_program import linear_program
from tests.support import sizes

BOARD = "KsTh7s4d2c"
STREETS = ("flop", "turn", "river")


def holdem(
    board: str,
    pot: int,
    stack: int,
    ranges: tuple[str, str] = ("random", "random"),
    bets: str = "1+allin",
    **options: bool,
) -> tuple[TreeLayout, np.ndarray]:
    cards = parse_cards(board)
    streets = STREETS[len(cards) - 3 :]
    tree = betting_tree(street_betting(pot, len(streets)), (stack + pot // 2,) * 2, menus(bets, streets))
    weights = np.stack([parse_range(text) for text in ranges])
    weights[:, np.isin(pairs(), cards).any(axis=1)] = 0.0
    return TreeLayout(tree, HOLDEM, deal_boards(HOLDEM, cards, len(streets), weights, **options)), weights


def test_ends_of_hands_equal_a_double_loop_over_1081_hands() -> None:
    layout, _ = holdem(BOARD, 2000, 19000)
    work, street, hands = layout.works(np.float64)[0], layout.streets[0], layout.boards[0].hands[0]
    work.reach[:-1, : len(hands)] = np.random.default_rng(3).random((len(work.reach) - 1, len(hands)))
    strengths, cards = river_strengths(parse_cards(BOARD))[hands], pairs()[hands]
    assert len(hands) == 1081
    meet = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    wins = np.sign(strengths[:, None] - strengths[None, :]) * meet
    assert (wins == 0).sum() > meet.sum() - np.abs(wins).sum()  # there are ties among those that meet
    checked = 0
    for player in range(2):
        kernels.ends_of_hands(street, work, 0, player)
        for node in layout.tree.streets[0].nodes:
            reach = work.reach[street.row_of[1 - player, node.index], :1081]
            if node.kind == FOLD:
                expected = (-1.0 if node.actor == player else 1.0) * (meet @ reach)
                stake = node.spent[node.actor]
            elif node.kind == SHOWDOWN:
                expected, stake = wins @ reach, min(node.spent)
            else:
                continue
            assert np.abs(work.values[node.index, :1081] / stake - expected).max() < 1e-12 * reach.sum()
            checked += 1
    assert checked == 2 * 21  # 10 folds and 11 showdowns


@frozen
class Exact:
    """A kind of numbers, after how many iterations rounding decides nothing yet, and how near it leaves the values."""

    kind: Any
    iterations: int
    near: float


EXACT = sizes(Exact(np.float32, 5, 3e-6), Exact(np.float64, 40, 1e-9))
"""Both kinds are compiled apart: what everybody solves with always, the other with ``--long``."""


@pytest.fixture(scope="module", params=EXACT, ids=lambda each: each.kind.__name__)
def exact(request: pytest.FixtureRequest) -> Exact:
    return request.param


@pytest.fixture(scope="module")
def leduc_solver(exact: Exact) -> Solver:
    game, ranges = cardai.game("leduc"), np.ones((2, 6))
    tree = betting_tree(game.betting, (10**6, 10**6), button=0)
    layout = TreeLayout(tree, LeducHands(), deal_boards(LeducHands(), (), 2, ranges, isomorphic=False))
    solver = Solver(layout, ranges, dtype=exact.kind)
    solver.run(exact.iterations)
    return solver


def test_leduc_is_solved_as_in_sequence_form(leduc_solver: Solver, exact: Exact) -> None:
    game = cardai.game("leduc")
    training = create("trainer", "dcfr").start(game, None, seed=0)
    for _ in training.train(exact.iterations):
        pass
    theirs, ours = measure(game, training.agent({})), leduc_solver.measure()
    assert ours.values == pytest.approx(theirs.expected, abs=exact.near)
    assert ours.responses == pytest.approx(theirs.best_response, abs=exact.near)
    assert ours.exploitability == pytest.approx(theirs.exploitability, abs=exact.near)


def test_renaming_suits_changes_nothing_in_leduc(leduc_solver: Solver, exact: Exact) -> None:
    ranges = np.ones((2, 6))
    layout = TreeLayout(leduc_solver.layout.tree, LeducHands(), deal_boards(LeducHands(), (), 2, ranges))
    assert (len(layout.boards[1]), len(leduc_solver.layout.boards[1])) == (3, 6)
    solver = Solver(layout, ranges, dtype=exact.kind)
    solver.run(exact.iterations)
    assert solver.measure().values == pytest.approx(leduc_solver.measure().values, abs=exact.near / 1000)
    assert solver.measure().responses == pytest.approx(leduc_solver.measure().responses, abs=exact.near / 1000)


def test_ranges_of_24_hands_equal_a_linear_program() -> None:
    layout, ranges = holdem(BOARD, 2000, 19000, ("KTs,77,QJo:0.5,A2s,65s:0.25", "AA,KQo,98s,44"))
    assert [int((ranges[k] > 0).sum()) for k in range(2)] == [24, 22]
    solver = Solver(layout, ranges)
    solver.run(2000)
    found = solver.measure()
    assert found.exploitability < 0.0005 * 2000
    assert found.values[0] == pytest.approx(linear_program(layout, ranges), abs=0.001 * 2000)
    assert sum(found.values) == pytest.approx(0.0, abs=1e-4)


def test_the_river_is_that_of_other_solvers() -> None:
    # postflop-solver 9d1509f: 33 nodes, 900 iterations to 0.0195 % of the pot, 928.22 and 1071.78
    layout, ranges = holdem(BOARD, 2000, 19000)
    assert (layout.tree.size, layout.tree.streets[0].num_slots, layout.boards[0].width) == (33, 32, 1088)
    solver = Solver(layout, ranges)
    solver.run(900)
    found = solver.measure()
    assert found.exploitability < 0.0002 * 2000
    assert found.values == pytest.approx((928.22 - 1000, 1071.78 - 1000), abs=0.1)


@pytest.mark.long
def test_the_turn_is_that_of_other_solvers() -> None:
    # postflop-solver 9d1509f: 912.29 and 1087.71 at 0.25 % of the pot after 160 iterations
    layout, ranges = holdem("KsTh7s4d", 2000, 19000)
    assert [len(forest.nodes) for forest in layout.tree.streets] == [33, 99]
    solver = Solver(layout, ranges)
    solver.run(60)
    found = solver.measure()
    assert found.exploitability < 0.03 * 2000
    assert found.values == pytest.approx((912.29 - 1000, 1087.71 - 1000), abs=5.0)


def test_any_number_of_threads_gives_the_same_turn() -> None:
    layout, ranges = holdem("KsTh7s4d", 2000, 19000)
    one, two = Solver(layout, ranges), Solver(layout, ranges, threads=2)
    one.run(3)
    two.run(3)
    for name, array in one.arrays().items():
        assert (array == two.arrays()[name]).all(), name
    asked = [(boards, seat) for boards in ((), (5,)) for seat in range(2)]
    looked = [two.look(boards, seat, kernels.RESPOND).values.copy() for boards, seat in asked]
    two.settle()
    for (boards, seat), values in zip(asked, looked, strict=True):
        assert (two.look(boards, seat, kernels.RESPOND).values == values).all()
    assert two.arrays()["regrets_1"] is two.arrays()["sums_1"]  # nothing else is held
    with pytest.raises(AssertionError, match="settled"):
        two.run(1)


@pytest.mark.parametrize(("board", "count"), [("Ks7s4s2s", 9 + 13), ("KsTs7h4h", 2 * 11 + 13)])
def test_suits_that_can_be_renamed_are_solved_once_with_the_same_result(board: str, count: int) -> None:
    texts = ("QQ+,AKs,T9s", "JJ,AQs,76s,KQo:0.5")
    (whole, ranges), (short, _) = (holdem(board, 100, 150, texts, isomorphic=way) for way in (False, True))
    assert len(whole.boards[1]) == 48
    assert len(short.boards[1]) == count
    solvers = [Solver(layout, ranges) for layout in (whole, short)]
    for solver in solvers:
        solver.run(1)
    first, second = (solver.measure() for solver in solvers)  # everybody still plays at random
    assert first.values == pytest.approx(second.values, abs=1e-4)
    assert first.responses == pytest.approx(second.responses, abs=1e-4)
    for solver in solvers:
        solver.run(199)  # where nobody comes, rounding decides: the ways differ, the end does not
    first, second = (solver.measure() for solver in solvers)
    near = 2 * (first.exploitability + second.exploitability)
    assert near < 1.0
    assert first.values == pytest.approx(second.values, abs=near)


def test_suits_are_not_renamed_where_a_range_tells_them_apart() -> None:
    same, _ = holdem("Ks7s4s2s", 100, 150, ("QQ", "JJ"))
    told, _ = holdem("Ks7s4s2s", 100, 150, ("QQ,QhQd:0.5", "JJ"))
    assert len(same.boards[1]) == 9 + 13  # a spade each, and a rank each of the three suits that are alike
    assert len(told.boards[1]) == 9 + 2 * 13  # hearts and diamonds are still alike
    one_hand, _ = holdem("Ks7s4s2s", 100, 150, ("AcAd", "JJ"))
    assert len(one_hand.boards[1]) == 9 + 2 * 13


def test_what_cannot_be_solved_is_said() -> None:
    layout, ranges = holdem(BOARD, 100, 150, ("KhKd", "KhKd"))
    with pytest.raises(UsageError, match="can never meet"):
        Solver(layout, ranges)
    layout, ranges = holdem(BOARD, 100, 150)
    with pytest.raises(UsageError, match="predicts regrets"):
        Solver(layout, ranges, variant="pdcfr_plus")
    with pytest.raises(UsageError, match=r"must hold chips\. Got 0"):
        street_betting(0, 1)
    with pytest.raises(UsageError, match="double all amounts"):
        street_betting(55, 1)
    with pytest.raises(UsageError, match="more than 50 nodes"):
        betting_tree(street_betting(100, 2), (1000, 1000), menus("0.5+1+allin", STREETS[1:]), most=50)
