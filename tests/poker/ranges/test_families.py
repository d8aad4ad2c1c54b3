"""One loop for any declared hands: short deck by all three back ends, Leduc's hands, and a refusal of Omaha's."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.plugins.games.poker.leduc import Leduc
from cardai.poker.contract import BoardCards, Deck
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.hands import HoleCards, LeducHands, deal_boards, hands_of
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import betting_tree, street_betting
from cardai.poker.ranges.range_game import range_game
from cardai.poker.ranges.rows import RowSolver
from cardai.poker.ranges.solver import Solver
from cardai.poker.rules.showdown import hand_values
from tests.support import sizes

BOARD = tuple(parse_cards("AhKh8h9cTd"))


def test_short_deck_has_630_hands_in_the_order_of_its_own_showdowns() -> None:
    game = cardai.game("short_deck")
    assert isinstance(game, BoardCards)
    hands = hands_of(game, "This")
    free = np.flatnonzero(~np.isin(hands.cards, BOARD).any(axis=1))
    assert (len(hands.cards), len(free)) == (630, 465)
    shown = hand_values(game, hands.cards[free], np.tile(BOARD, (len(free), 1)))
    assert (np.argsort(hands.strengths(BOARD)[free], kind="stable") == np.argsort(shown, kind="stable")).all()
    flush, full = (free[(hands.cards[free] == sorted(parse_cards(text))).all(axis=1)][0] for text in ("QhJh", "AcAd"))
    assert hands.strengths(BOARD)[flush] > hands.strengths(BOARD)[full]
    assert [len(found) for found in hands.renamings(())[3]] == [52, 630]


@pytest.mark.parametrize("further", sizes(0, 49))
def test_three_back_ends_solve_one_river_of_short_deck(further: int) -> None:
    torch_cfr = pytest.importorskip("cardai.poker.ranges.torch_cfr")
    hands = hands_of(cardai.game("short_deck"), "This")
    tree = betting_tree(street_betting(400, 1), (1000, 1000), menus("1+allin", ["river"]))
    ranges = np.random.default_rng(4).random((2, 2, 630)) ** 3
    ranges[:, :, np.isin(hands.cards, BOARD).any(axis=1)] = 0.0
    layout = TreeLayout(tree, hands, deal_boards(hands, BOARD, 1, ranges[0], every=True))
    rows = RowSolver(layout, ranges)
    dense = torch_cfr.TorchSolver([tree, tree], [BOARD, BOARD], ranges, hands, device="cpu", kind="float64")
    lanes = [Solver(layout, both) for both in ranges]
    order = np.argsort(lanes[0].hands)
    for back_end in (rows, dense, *lanes):
        back_end.run(1)
    for mode in (EXPECT, RESPOND):
        for seat in range(2):
            worth = np.stack([one.root_values(seat, mode)[0, order] for one in lanes])
            assert np.abs(worth).max() > 1000
            for other in (rows, dense):
                assert np.abs(other.root_values(seat, mode) - worth).max() < 1e-5 * np.abs(worth).max()
    for back_end in (rows, dense, *lanes):  # now rounding decides where nobody comes, but not what the ranges are worth
        back_end.run(further)
    for k, swept in enumerate(lanes if further else ()):
        found = [swept.measure(), rows.measures()[k], dense.measures()[k]]
        assert max(one.exploitability for one in found) < 2.0  # of a pot of 400
        for one in found[1:]:
            bound = 2 * (one.exploitability + found[0].exploitability)
            assert abs(one.values[0] - found[0].values[0]) < bound


def test_leducs_hands_are_what_it_declares() -> None:
    found = range_game(cardai.game("leduc_deepstack"), "This")
    assert (found.hands, found.board_cards, found.stacks) == (LeducHands(3), (0, 1), (1200, 1200))
    with pytest.raises(UsageError, match="without action_mapping"):
        range_game(cardai.game("leduc:action_mapping=true"), "This")


def test_leducs_cards_are_those_of_two_suits_from_0_on() -> None:
    odd = frozen(type("Odd", (Leduc,), {"deck": Deck("6 cards with gaps", (0, 1, 4, 5, 8, 9)), "presets": {}}))()
    with pytest.raises(UsageError, match="numbered from 0"):
        hands_of(odd, "This")


def test_suits_are_renamed_where_the_deck_has_them_alike() -> None:
    """A deck of clubs, diamonds and some hearts: renamed to spades, a hand was one that is not there."""
    deck = (*range(26), *range(34, 39))
    hands, ranges = HoleCards(deck), np.random.default_rng(5).random((2, 465))
    ranges[1] = ranges[0]
    assert [len(hands.renamings(board)) for board in ((), (0, 13), (0,))] == [2, 2, 1]
    for cards, numbers in hands.renamings(()):
        assert (np.sort(cards[hands.cards], axis=1) == np.sort(hands.cards[numbers], axis=1)).all()


def test_hands_of_four_cards_are_refused_by_what_they_declare() -> None:
    with pytest.raises(UsageError, match=r"This plays ranges of one hole card or of two .*52 cards, 4 hole cards"):
        hands_of(cardai.game("omaha"), "This")
    with pytest.raises(UsageError, match=r"no board game"):
        hands_of(cardai.game("gin"), "This")
    with pytest.raises(UsageError, match="two players"):
        range_game(cardai.game("holdem_limit:players=3"), "This")
