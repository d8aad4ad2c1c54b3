"""Leduc and short deck on the road of hold'em's values: situations, their solutions, what networks are shown, leaves."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import UsageError
from cardai.poker.contract import SHORT, SHORT_HIGH
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.hands import HoleCards, LeducHands, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.public_tree import betting_tree, tree_after
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.rows import RowSolver
from cardai.poker.ranges.solver import Solver
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network_leaves import NetworkLeaves
from cardai.poker.values.prepared import EQUITY, MET, TIE, Prepared, prepare
from cardai.poker.values.situation_set import Recipe
from cardai.poker.values.situations import (
    HOLDEM_GAME,
    SECOND,
    Situation,
    all_labels,
    labels,
    reachable_pots,
    situation,
    situation_game,
    situation_tree,
)
from tests.poker.chance_nodes import chance_node

SHORT_DECK = evolve(HOLDEM_GAME, hands=HoleCards(SHORT.cards, SHORT_HIGH))


@pytest.fixture(scope="module")
def game() -> RangeGame:
    return situation_game(cardai.game("leduc_deepstack"))


def drawn(game: RangeGame, count: int, seed: int = 3) -> list[Situation]:
    return [situation(seed, number, "second", game=game) for number in range(count)]


def test_where_more_pots_can_come_than_holdem_has_intervals_all_are_drawn() -> None:
    more = situation_game(cardai.game("leduc_deepstack:bets=half+pot+allin"))
    pots = {one.half_pot for one in drawn(more, 200)}
    assert pots == {least for least, _ in reachable_pots(more)} == {100, 200, 300, 400, 600, 800, 900}


def test_intervals_of_pots_are_refused_in_leduc() -> None:
    with pytest.raises(UsageError, match=r"Leduc's pots are those that can come. Got \(0, 1\)"):
        Recipe(SECOND, 0, (9,) * 5, intervals=(0, 1), game="leduc_deepstack").check()


def test_situations_are_of_pots_that_can_come_and_tell_no_suits_apart(game: RangeGame) -> None:
    # bets of the pot: 100 each; 100 + 200; 300 + 600; the next is all-in
    assert reachable_pots(game) == ((100, 100), (300, 300), (900, 900))
    found = drawn(game, 60)
    assert {one.half_pot for one in found} == {100, 300, 900}
    assert {one.board[0] for one in found} == set(range(6))
    for one in found:
        assert one.ranges.sum(axis=1) == pytest.approx(1)
        card = one.board[0]
        assert (one.ranges[:, card] == 0).all()
        others = [2 * rank for rank in range(3) if rank != card // 2]
        assert (one.ranges[:, others] == one.ranges[:, [hand + 1 for hand in others]]).all()
    again = situation(3, 7, "second", game=game)
    assert (again.board, again.half_pot) == (found[7].board, found[7].half_pot)
    assert (again.ranges == found[7].ranges).all()


def test_solved_side_by_side_is_solved_one_by_one(game: RangeGame) -> None:
    found, counts = drawn(game, 8), [5, 4] * 4  # of more, hands that are indifferent are decided by rounding
    for one, count, together in zip(found, counts, all_labels(found, counts), strict=True):
        alone = labels(one, count, discounts=(1.5, 0.5, 4.0))
        assert np.abs(together.values - alone.values).max() < 1e-3
        assert together.exploitability == pytest.approx(alone.exploitability, rel=1e-3)
        assert (one.ranges * together.values).sum() == pytest.approx(0, abs=1e-3)


def test_other_suits_are_other_places_of_the_same_values(game: RangeGame) -> None:
    (one,) = drawn(game, 1)
    swap = np.arange(6) ^ 1
    image = evolve(one, board=(one.board[0] ^ 1,), ranges=one.ranges[:, swap])
    first, second = all_labels([one, image], [50, 50])
    assert np.abs(first.values - second.values[:, swap]).max() < 1e-4
    assert np.abs(first.values).max() > 0.5


@pytest.mark.parametrize("kind", ["leduc", "short deck"])
def test_what_hands_meet_is_that_of_all_pairs(game: RangeGame, kind: str) -> None:
    one = drawn(game, 1)[0] if kind == "leduc" else situation(1, 2, "river", game=SHORT_DECK)
    hands, legal = one.game.hands, legal_hands(one.board, one.game.hands)
    rows, strengths = prepare([one]).hands[0].astype(float), hands.strengths(one.board)
    for seat in range(2):
        for place in (0, 2, 4):
            own = legal[place]
            met = [k for k in legal if not set(hands.cards[k]) & set(hands.cards[own])]
            weight = one.ranges[seat, met]
            better, level = (np.sign(strengths[own] - strengths[met]) == sign for sign in (1, 0))
            share = float(weight @ (better + 0.5 * level)) / weight.sum()
            assert rows[MET + seat, place] == pytest.approx(weight.sum(), abs=1e-3)
            assert rows[EQUITY + seat, place] == pytest.approx(share, abs=1e-3)
            assert rows[TIE + seat, place] == pytest.approx(float(weight @ level) / weight.sum(), abs=1e-3)


def test_short_deck_goes_the_same_road() -> None:
    one = situation(1, 2, "river", game=SHORT_DECK)
    found = labels(one, 30)
    assert found.values.shape == (2, 630)
    assert (one.ranges * found.values).sum() == pytest.approx(0, abs=1e-4)
    flop = tuple(one.board[:4])
    numbers, reach = legal_hands(flop, SHORT_DECK.hands), np.random.default_rng(1).random((2, 1, 496))
    leaves = NetworkLeaves(CheckDown(), flop, numbers, SHORT_DECK)
    exact = CheckedDown(flop, numbers, SHORT_DECK.hands).evaluate(0, reach, [chance_node((300, 300))])
    assert np.abs(leaves.evaluate(0, reach, [chance_node((300, 300))]) - exact).max() < 2e-3 * np.abs(exact).max()


class CheckDown:
    """What hands win if both check to the end, of a whole board."""

    def values(self, data: Prepared) -> np.ndarray:
        """Return (n, 2, H)."""
        rows = data.hands.astype(np.float32)
        worth = [(2 * rows[:, EQUITY + 1 - s] - 1) * rows[:, MET + 1 - s] for s in range(2)]
        return np.stack(worth, axis=1)


def leaves_of(game: RangeGame, network: object) -> NetworkLeaves:
    return NetworkLeaves(network, (), np.arange(6), game)  # type: ignore[arg-type]


def test_all_in_is_valued_exactly_and_boards_add_up(game: RangeGame) -> None:
    leaves, reach = leaves_of(game, CheckDown()), np.random.default_rng(1).random((2, 2, 6))
    nodes = [chance_node((1200, 1200)), chance_node((300, 300))]
    found = leaves.evaluate(0, reach, nodes)
    boards = [leaves.dealt(0, reach, nodes, 1, board) for board in range(6)]
    assert np.abs(found[1] - np.sum(boards, axis=0) / 4).max() < 1e-4  # each of four cards can come to two hands
    strengths = [LeducHands().strengths((board,)) for board in range(6)]
    slow = np.zeros((2, 6))
    for board in range(6):
        for own in range(6):
            for other in range(6):
                if len({board, own, other}) == 3:
                    sign = np.sign(strengths[board][own] - strengths[board][other])
                    slow[:, own] += reach[1, :, other] * sign / 4
    assert np.abs(found[0] - 1200 * slow[0]).max() < 1e-3
    assert np.abs(found[1] - 300 * slow[1]).max() < 1.0  # ranges and equities are halves


def test_values_of_leaves_are_averaged_with_the_weights_of_the_strategies(game: RangeGame) -> None:
    leaves, nodes = leaves_of(game, CheckDown()), [chance_node((300, 300)), chance_node((900, 900))]
    reaches = np.random.default_rng(2).random((3, 2, 2, 6))
    seen = [leaves.learn(0, reach, nodes, keep) for reach, keep in zip(reaches, (0.0, 0.25, 4 / 9), strict=True)]
    weights = np.array([1, 4, 9]) / 14  # t^2: DCFR's, where ((t - 1) / t)^2 is kept
    expected = np.tensordot(weights, np.array(seen), 1)
    assert np.abs(leaves.evaluate(0, reaches[0], nodes) - expected).max() < 1e-3  # whatever is asked about
    by_card = [leaves.dealt(0, reaches[0], nodes, 0, card) for card in range(6)]
    assert np.abs(np.sum(by_card, axis=0) / 4 - expected[0]).max() < 1e-3
    leaves.forget()
    assert np.abs(leaves.evaluate(0, reaches[0], nodes) - seen[0]).max() < 1e-3


class Exact:
    """What a network would say that makes no mistakes: each situation is solved."""

    def __init__(self, game: RangeGame) -> None:
        self.game = game

    def values(self, data: Prepared) -> np.ndarray:
        """Return (n, 2, 5) values in units of the half pot."""
        out, hands = np.zeros(data.values.shape), self.game.hands
        for board, half_pot in {*zip(data.boards[:, 0].tolist(), data.half_pots.tolist(), strict=True)}:
            rows = np.flatnonzero((data.boards[:, 0] == board) & (data.half_pots == half_pot))
            ranges = np.zeros((len(rows), 2, 6))
            ranges[:, :, legal_hands((board,), hands)] = data.ranges[rows].astype(float) / 5
            tree = situation_tree(Situation(0, 0, (board,), int(half_pot), ranges[0], self.game))
            solver = RowSolver(TreeLayout(tree, hands, deal_boards(hands, (board,), 1, np.ones((2, 6)))), ranges)
            solver.run(60)
            out[rows] = np.stack([solver.root_values(seat) for seat in range(2)], axis=1) / half_pot
        return out


@pytest.mark.long
def test_leaves_valued_without_mistakes_are_as_good_as_the_whole_game(game: RangeGame) -> None:
    played, ranges = cardai.game("leduc_deepstack"), np.ones((2, 6))
    tree = tree_after(played.betting, (1200, 1200), 0, (), game.menus, until=0)
    boards = deal_boards(LeducHands(), (), 1, ranges, isomorphic=False)
    leaves = leaves_of(game, Exact(game))
    short = Solver(TreeLayout(tree, LeducHands(), boards), ranges, leaves=leaves)
    short.run(40)
    whole = Solver(
        TreeLayout(betting_tree(played.betting, (1200, 1200), game.menus, button=0), LeducHands(), deal_boards(LeducHands(), (), 2, ranges)),
        ranges,
    )  # fmt: skip
    whole.run(100)
    own, best = (
        np.array([short.root_values(seat, mode).sum() / 30 for seat in range(2)]) for mode in (EXPECT, RESPOND)
    )
    assert abs(own[0] - whole.root_values(0).sum() / 30) < 3  # chips a dealt hand, of antes of 100
    assert sum(best) < 4
    leaves.forget()  # the values at the average ranges are something else: there hands are indifferent
    assert sum(short.root_values(seat, RESPOND).sum() / 30 for seat in range(2)) > 40
