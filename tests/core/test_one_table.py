"""One table, a kernel call a decision, plays what Tables play in lock step and shows what they show."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import cardai
from cardai import make
from cardai.core.game import TERMINAL, setup_dtype
from cardai.core.one_table import INDEX, OneTable, RowTable, one_table
from cardai.core.rng import Rows, below, below_int, hash64, hash_int

GAMES = ["kuhn", "leduc:players=3", "leduc:suits=false", "holdem_limit", "holdem_fcpa", "gin", "triple_draw:players=6", "video_poker"]  # fmt: skip


def table_of(spec: str, encoder: str = "flat") -> OneTable:
    game = cardai.game(spec)
    return one_table(game, make.encoder(encoder).for_game(game))


@pytest.mark.parametrize("spec", GAMES)
def test_it_plays_and_shows_what_tables_in_lock_step_do(spec: str) -> None:
    """The same deck and actions: seat to act, legal actions, codes and results are the same, hand after hand."""
    table, rng = table_of(spec), random.Random(spec)
    game, many = table.game, table.game.tables(2)
    assert isinstance(table, RowTable) == (spec != "kuhn")
    for seed in range(6):
        setups = np.zeros(1, setup_dtype(game.num_players))
        setups["starter"] = seed % game.num_players
        table.begin(seed, setups)
        many.reset(np.full(2, seed, np.uint64), None, np.arange(2), np.repeat(setups, 2))
        while table.current != TERMINAL:
            assert many.current_players().tolist() == [table.current] * 2
            legal: Any = many.legal(np.arange(2))
            assert table.mask.tolist() == legal[1].tolist()
            assert table.listed() == legal[1].nonzero()[0].tolist()
            for player in range(game.num_players):
                assert np.array_equal(table.see(player), table.layout.encode(many.views(player, np.arange(2)))[1])
            action = rng.choice(table.listed())
            table.play(action)
            many.apply(np.arange(2), np.full(2, action))
        assert many.current_players()[1] == TERMINAL
        assert not table.mask.any()
        assert np.array_equal(table.returns, many.returns(np.arange(2))[1:])
        assert np.array_equal(table.tables.outcomes(INDEX), many.outcomes(np.arange(2))[1:])


@pytest.mark.parametrize(("spec", "encoder"), [("gin", "gin_compact"), ("holdem_limit", "holdem_compact")])
def test_a_layout_of_some_fields_is_given_those(spec: str, encoder: str) -> None:
    table = table_of(spec, encoder)
    table.begin(3, np.zeros(1, setup_dtype(2)))
    while table.current != TERMINAL:
        expected = table.layout.encode(table.tables.views(table.current, INDEX))[0]
        assert np.array_equal(table.see(table.current), expected)
        table.play(table.listed()[-1])


@pytest.mark.parametrize("again", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
@pytest.mark.parametrize("spec", ["leduc", "video_poker"])
def test_a_copy_goes_on_by_itself(spec: str, again: Any) -> None:
    table = table_of(spec)
    table.begin(3, np.zeros(1, setup_dtype(table.game.num_players)))
    other, left = again(table), table.mask.copy()
    while other.current != TERMINAL:
        other.play(other.listed()[0])
    assert table.current != TERMINAL
    assert np.array_equal(table.mask, left)
    while table.current != TERMINAL:
        table.play(table.listed()[0])
    assert np.array_equal(table.returns, other.returns)


def test_the_random_player_draws_as_it_says() -> None:
    """Whoever is uniform is drawn for: by the number of its stream that its kernel takes."""
    agent = make.agent("random")
    assert agent.uniform
    rng = np.random.default_rng(0)
    for _ in range(200):
        mask = rng.random((1, 9)) < 0.5
        mask[0, 4] = True
        seed = int(rng.integers(2**63))
        legal = mask[0].nonzero()[0].tolist()
        chosen = agent.act(np.zeros(1), mask, Rows(np.array([seed], np.uint64)))
        assert chosen.tolist() == [legal[below_int(seed, 0, len(legal))]]
        assert below_int(seed, 7, 5) == below(np.uint64(seed), 7, 5)
        assert hash_int(seed, 7) == hash64(np.uint64(seed), 7)
