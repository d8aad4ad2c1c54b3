"""A player that re-solves as what it is asked: shares of hands, amounts that are drawn, public states told apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.rng import Rows, derive_many
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import Action
from cardai.poker.resolving.games import resolved_game
from cardai.poker.resolving.player import Plan, ResolvingPlayer, public_of, same_public

GAME = cardai.game("holdem")
ROW = np.zeros(1, np.int64)


def player(noise: float = 0.0, total: float = 1.0) -> ResolvingPlayer:
    """Return one that folds 1 of 10 times, calls 2, raises to 300 3, to 900 and to 2,000 2 times; its plan adds up to ``total``."""
    shares = np.repeat(total * np.array([[0.1], [0.2], [0.3], [0.2], [0.2]]), COUNT, axis=1)
    plan = Plan((Action(0), Action(1), Action(2, 300), Action(2, 900), Action(2, 2000)), shares)
    resolver: Any = SimpleNamespace(game=evolve(resolved_game(GAME), first=1))
    return ResolvingPlayer(GAME, resolver, lambda public: plan, noise)


def dealt() -> Any:
    tables = GAME.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    return tables.views(int(tables.current_players()[0]), ROW), tables.legal(ROW)


def test_shares_add_up_and_noise_takes_every_action_as_often() -> None:
    views, legal = dealt()
    for total in (1.0, 2.0):
        assert player(total=total).policy(views, legal)[0] == pytest.approx([0.1, 0.2, 0.7])
    assert player(0.2).policy(views, legal)[0] == pytest.approx([0.8 * 0.1 + 0.04, 0.8 * 0.2 + 0.04, 0.8 * 0.7 + 0.12])


def test_amounts_are_drawn_as_often_as_it_says() -> None:
    views, legal = dealt()
    amounts, odds = player().raise_odds(views, legal)
    assert (amounts.tolist(), odds[0].tolist()) == ([300, 900, 2000], pytest.approx([3 / 7, 2 / 7, 2 / 7]))
    many = 4000
    drawn = player().raise_to(
        np.repeat(views, many), legal.take(np.zeros(many, np.int64)), Rows(derive_many(0, "x", count=many))
    )
    for amount, share in zip(amounts, odds[0], strict=True):
        assert (drawn == amount).mean() == pytest.approx(share, abs=4 * 0.5 / many**0.5)


def test_an_all_in_of_the_other_that_is_less_than_a_raise_is_raised_to_what_is_legal() -> None:
    """Of uneven stacks all that can be lost is the shorter one: behind 517 of its 1,000 a raise is to 1,034 at least."""
    views, legal = dealt()
    amounts, odds = player().raise_odds(views, evolve(legal, min_amount=np.array([1034]), max_amount=np.array([1500])))
    assert (amounts.tolist(), odds[0].tolist()) == ([1034, 1500], pytest.approx([5 / 7, 2 / 7]))


@pytest.mark.parametrize("name", ["player", "button", "history", "history_round", "board", "stacks", "spent"])
def test_views_of_one_batch_are_told_apart_by_all_that_is_public(name: str) -> None:
    views = np.repeat(dealt()[0], 3)
    views["hole"][1] = (50, 51)
    assert [rows.tolist() for rows in same_public(views)] == [[0, 1, 2]]
    views[name][1] += 1
    assert [rows.tolist() for rows in same_public(views)] == [[0, 2], [1]]


def test_the_stacks_of_a_cash_game_are_told_by_seat() -> None:
    game = cardai.game("holdem_nolimit:stack=10000,cash=3,hands=2")
    tables = game.tables(1)
    setups = np.zeros(1, tables._setup_dtype)  # type: ignore[attr-defined]
    setups["stacks"] = [3000, 20_000]
    tables.reset(np.zeros(1, np.uint64), setups=setups)
    for seat in (0, 1):
        assert public_of(tables.views(seat, ROW)[0], resolved_game(game)).stacks == (3000, 20_000)


def test_it_says_what_it_has_promised_the_opponent_where_a_round_begins() -> None:
    """In Leduc, after a raise and a call: who raised is worth more, and what both are worth adds up to nothing but what solutions lack."""
    game = cardai.game("leduc")
    made: Any = cardai.agent("resolving:iterations=300").for_game(game)
    tables = game.tables(1)
    tables.reset(np.array([5], np.uint64))
    first = int(tables.current_players()[0])
    assert made.promised(tables.views(first, ROW)[0], first) is None  # a hand begins without a promise
    for action in (2, 1):
        tables.apply(ROW, np.array([action], np.int64))
    worth = []
    for me in (1 - first, first):  # to whom raised, and to whom called
        view = tables.views(me, ROW)[0]
        ranges = made.resolver.decision(public_of(view, made.resolver.game), me).ranges
        worth.append(float(ranges[1 - me] @ made.promised(view, me)))
    assert worth[0] > 0.05 > -0.05 > worth[1]
    assert sum(worth) == pytest.approx(0.0, abs=0.02)
