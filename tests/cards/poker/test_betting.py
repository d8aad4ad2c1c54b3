"""Betting: the same functions on plain dicts and compiled on records, chips conserved, side pots, the protocol's limits."""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.cards.poker import _betting_kernels as compiled
from cardai.cards.poker.betting import Betting, row_fields, rules_fields
from cardai.core import kernel


def as_python():
    """Return the kernels' module once more, as ordinary Python, as the competition's dealer runs it."""
    spec = importlib.util.spec_from_file_location("betting_as_python", compiled.__file__)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch, np.errstate():
        patch.setattr(kernel, "_interpreted", True)
        spec.loader.exec_module(module)
    return module


b = as_python()
LIMIT = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))


def no_limit(players: int, stack: int = 2000) -> Betting:
    blinds = (100, 50) if players == 2 else (50, 100) + (0,) * (players - 2)
    first = (1 if players == 2 else 2 % players, 0, 0, 0)
    return Betting(players, 4, blinds, first, (255,) * 4, (0,) * 4, no_limit=True, deepest=stack)


def play(rules: Betting, stacks: tuple[int, ...], seed: int) -> tuple[dict, int, list[int]]:
    """Play a random hand on a dict; return the row, how it ended, and the actions."""
    rng = random.Random(seed)
    row, law, actions = rules.new_row(rules.num_players - 1, stacks), rules.rules(), []
    status = b.post(row, law)
    while row["current"] >= 0:
        low, high = b.raise_bounds(row, law)
        legal = [0] * bool(b.can_fold(row, law)) + [1, 1] + ([low, high, rng.randint(low, high)] if high else [])
        action = rng.choice(legal)
        if action >= 2 and not rules.no_limit:
            action = 2
        actions.append(action)
        status = b.act(row, law, action)
    return row, status, actions


@given(st.integers(2, 10), st.integers(0, 2**32), st.data())
@settings(max_examples=150, deadline=None)
def test_chips_are_conserved_and_nobody_wins_more_than_others_put_in(players, seed, data):
    stacks = tuple(data.draw(st.lists(st.integers(100, 5000), min_size=players, max_size=players)))
    rules = no_limit(players, max(stacks))
    row, status, actions = play(rules, stacks, seed)
    assert len(actions) <= rules.history_length
    assert row["history"][: len(actions)] == actions
    assert all(0 <= spent <= stack for spent, stack in zip(row["spent"], stacks, strict=True))
    ranks = data.draw(st.lists(st.integers(0, 3), min_size=players, max_size=players))
    out = [0.0] * players
    b.payoffs(row, rules.rules(), ranks, out)
    assert sum(out) == pytest.approx(0, abs=1e-9)  # chips; pots are split evenly, so thirds are rounded
    assert (status == b.UNCONTESTED) == (row["folded"].count(0) == 1)
    for seat in range(players):
        assert -row["spent"][seat] <= out[seat]
        most = sum(min(spent, row["spent"][seat]) for other, spent in enumerate(row["spent"]) if other != seat)
        assert out[seat] <= most
        if row["folded"][seat]:
            assert out[seat] == -row["spent"][seat]


@pytest.mark.parametrize("rules", [LIMIT, no_limit(3), no_limit(6)])
def test_a_numpy_record_and_a_dict_go_the_same_way(rules):
    n = rules.num_players
    dtype = np.dtype([("current", "i1"), *row_fields(10, 256)])  # one size for all: compiled once
    law = np.zeros(1, rules_fields(10, 4))
    for name, value in rules.rules().items():
        law[name][..., : np.size(value)] = value
    for seed in range(20):
        stacks = (b.UNLIMITED,) * n if not rules.no_limit else tuple(500 + 300 * p for p in range(n))
        plain, _, actions = play(rules, stacks, seed)
        rows = np.zeros(1, dtype)
        rows["button"], rows["stack"][0, :n] = n - 1, stacks
        compiled.clear_history(rows[0])
        compiled.post(rows[0], law[0])
        for action in actions:
            compiled.act(rows[0], law[0], action)
        for name in dtype.names or ():
            assert rows[0][name].ravel()[: np.size(plain[name])].tolist() == np.ravel(plain[name]).tolist(), name


def test_who_only_raises_the_minimum_gets_63_raises_in_a_round():
    # The protocol's limit of 64 actions a round, seen in the C dealer: 63 raises, then only a call.
    rules = no_limit(2, 10**6)
    row, law = rules.new_row(1, (10**6, 10**6)), rules.rules()
    b.post(row, law)
    raises = 0
    while row["round"] == 0:
        low, high = b.raise_bounds(row, law)
        b.act(row, law, low if high else 1)
        raises += bool(high)
    assert raises == 63


def test_the_least_raise_follows_the_last_one():
    rules = no_limit(2, 20000)
    row, law = rules.new_row(1, (20000, 20000)), rules.rules()
    b.post(row, law)
    assert b.raise_bounds(row, law) == (200, 20000)  # two big blinds
    b.act(row, law, 300)
    assert b.raise_bounds(row, law) == (500, 20000)  # 2 * 300 - 100
    b.act(row, law, 1)
    assert (row["round"], b.raise_bounds(row, law)) == (1, (400, 20000))  # the bet so far and a big blind
    b.act(row, law, 19950)
    assert b.raise_bounds(row, law) == (20000, 20000)  # too short for a full raise: all-in alone


def test_side_pots_and_split_pots_pay_by_what_each_put_in():
    # 9525.5|-19051|9525.5: two of three split a pot of whole chips, as the C dealer prints it
    rules = no_limit(3, 20000)
    row = rules.new_row(2) | {"spent": [19051, 19051, 19051]}
    out = [0.0] * 3
    b.payoffs(row, rules.rules(), [5, 2, 5], out)
    assert out == [9525.5, -19051, 9525.5]
    row = rules.new_row(2) | {"spent": [100, 300, 500], "folded": [0, 0, 1]}
    b.payoffs(row, rules.rules(), [9, 5, 99], out)
    assert out == [200.0, 100.0, -300.0]  # a pot of 300 to the first, 400 to the second; the last 200 are uncalled


@pytest.mark.parametrize(
    ("change", "says"),
    [({"num_players": 11}, "2 to 10"), ({"blinds": (5,)}, "blinds needs 2"), ({"first": (0,)}, "first needs 4")],
)
def test_wrong_descriptions_are_refused(change, says):
    given = {"num_players": 2, "num_rounds": 4, "blinds": (10, 5), "first": (1, 0, 0, 0)}
    with pytest.raises(ValueError, match=says):
        Betting(**{**given, "max_raises": (3,) * 4, "raise_sizes": (1,) * 4, **change})


def test_a_short_all_in_does_not_lower_the_least_raise():
    rules = no_limit(3, 20000)
    row, law = rules.new_row(2, (20000, 350, 20000)), rules.rules()
    b.post(row, law)
    assert row["current"] == 2
    b.act(row, law, 300)
    assert b.raise_bounds(row, law) == (500, 20000)  # seat 0: 2 * 300 - 100
    b.act(row, law, 1)
    assert b.raise_bounds(row, law) == (350, 350)  # seat 1 has no more
    b.act(row, law, 350)
    assert (row["current"], b.raise_bounds(row, law)) == (2, (500, 20000))
