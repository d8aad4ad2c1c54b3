"""The default Tables: States side by side, whose chance follows from the deck seed alone."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.errors import IllegalActionError
from cardai.core.game import Amounts, allows
from cardai.core.rng import derive_many
from cardai.core.states import StateTables


def kuhn_tables(count: int) -> StateTables:
    return StateTables(cardai.game("kuhn"), count)


def test_the_cards_follow_from_the_seed_whatever_is_played() -> None:
    seeds = derive_many(1, count=50)
    one, two = kuhn_tables(50), kuhn_tables(50)
    one.reset(seeds)
    two.reset(seeds[::-1].copy())
    assert [one.deck(i) for i in range(50)] == [two.deck(49 - i) for i in range(50)]
    assert len({tuple(one.deck(i)) for i in range(50)}) == 6


def test_deals_are_equally_likely() -> None:
    tables = kuhn_tables(6000)
    tables.reset(derive_many(2, count=6000))
    counts = np.zeros((3, 3))
    for i in range(6000):
        counts[tuple(tables.deck(i))] += 1
    assert np.trace(counts) == 0
    off = counts[~np.eye(3, dtype=bool)] - 1000
    assert (off**2 / 1000).sum() < 20.5  # chi-square, 5 degrees of freedom, the 99.9% point


def test_given_cards_come_first_and_the_rest_from_the_seed() -> None:
    tables = kuhn_tables(2)
    tables.reset(derive_many(3, count=2), decks=[[2], [1, 0]])
    assert tables.deck(0)[0] == 2
    assert tables.deck(1) == [1, 0]


def test_a_given_card_that_is_gone_is_refused() -> None:
    with pytest.raises(IllegalActionError, match="1 is not legal here"):
        kuhn_tables(1).reset(derive_many(3, count=1), decks=[[1, 1]])


def test_an_unused_table_says_to_reset_first() -> None:
    with pytest.raises(IllegalActionError, match="call reset first"):
        kuhn_tables(1).views(0, np.zeros(1, np.int64))


def test_an_illegal_action_names_its_table_and_plays_nothing() -> None:
    tables = kuhn_tables(3)
    tables.reset(derive_many(4, count=3))
    with pytest.raises(IllegalActionError, match=r"The action 5 is not legal at table 2. Legal: \[0, 1\]"):
        tables.apply(np.array([0, 2]), np.array([1, 5]))
    assert tables.current_players().tolist() == [0, 0, 0]


def test_results_follow_the_order_of_rows() -> None:
    tables = kuhn_tables(2)
    tables.reset(derive_many(5, count=2), decks=[[2, 0], [0, 2]])
    rows = np.array([0, 1])
    for _ in range(2):
        tables.apply(rows, np.array([0, 0]))
    assert tables.returns(rows).tolist() == [[1, -1], [-1, 1]]
    assert tables.returns(rows[::-1]).tolist() == [[-1, 1], [1, -1]]
    assert not tables.legal(rows).any()  # type: ignore[union-attr]


def test_amounts_allow_what_lies_between() -> None:
    amounts = Amounts(np.array([[True, True, True], [False, True, False]]), np.array([4, 0]), np.array([9, 0]))
    for action, legal in [(0, True), (1, True), (2, False), (4, True), (9, True), (10, False), (-1, False)]:
        assert allows(amounts, np.array([action, 1])).tolist() == [legal, True]
    assert allows(amounts, np.array([1, 0])).tolist() == [True, False]
    assert len(amounts.take(np.array([1]))) == 1


def test_a_mask_allows_nothing_outside_it() -> None:
    assert allows(np.array([[True, False]] * 4), np.array([0, 1, 2, -1])).tolist() == [True, False, False, False]


def test_a_copy_goes_on_without_its_original() -> None:
    leduc = cardai.game("leduc")
    source, copy = StateTables(leduc, 3), StateTables(leduc, 3)
    source.reset(derive_many(6, count=3))
    before = [source.deck(row) for row in range(3)]
    copy.copy_rows(source, np.array([2, 0]))
    assert [copy.deck(0), copy.deck(1)] == [before[2], before[0]]
    for _ in range(2):  # two calls end the first round: chance turns up the board card, of the copy alone
        copy.apply(np.array([0, 1]), np.array([1, 1]))
    assert [len(copy.deck(row)) for row in (0, 1)] == [3, 3]
    assert [source.deck(row) for row in range(3)] == before
    assert source.views(0, np.arange(3))["board"].tolist() == [[-1]] * 3


def test_amounts_reach_from_the_least_to_the_most() -> None:
    game = cardai.game("holdem_nolimit:stack=400")
    fast, plain = game.tables(1), StateTables(game, 1)
    fast.reset(derive_many(6, count=1))
    plain.reset(derive_many(6, count=1), [fast.deck(0)])
    row = np.zeros(1, np.int64)
    for action in (300, 1, 1):  # blinds 50 and 100: a raise to 300, a call, a check
        for tables in (fast, plain):
            tables.apply(row, np.array([action]))
        one, other = fast.legal(row), plain.legal(row)
        assert isinstance(one, Amounts)
        assert isinstance(other, Amounts)
        assert one.kinds.tolist() == other.kinds.tolist()
        assert (one.min_amount.tolist(), one.max_amount.tolist()) == ([400], [400])
        assert (other.min_amount.tolist(), other.max_amount.tolist()) == ([400], [400])
    plain.reset(derive_many(7, count=1))
    first = plain.legal(row)
    assert isinstance(first, Amounts)
    assert (first.min_amount.tolist(), first.max_amount.tolist()) == ([200], [400])
