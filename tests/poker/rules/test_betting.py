"""Betting: the same functions on plain dicts and compiled on records, chips conserved, side pots, the protocol's limits."""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.core import kernel
from cardai.poker.rules import _betting_kernels as compiled
from cardai.poker.rules.betting import Betting, row_fields, rules_fields


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


def pot_limit(stack: int) -> Betting:
    blinds, first = (50, 100, 0), (2, 0, 0, 0)
    return Betting(3, 4, blinds, first, (255,) * 4, (0,) * 4, no_limit=True, pot_limit=True, deepest=stack)


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


@pytest.mark.parametrize("rules", [LIMIT, no_limit(3), no_limit(6), pot_limit(2000)])
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


def test_a_pot_limit_raise_is_at_most_the_pot_after_the_call():
    rules = pot_limit(5000)
    row, law = rules.new_row(2, (5000, 5000, 700)), rules.rules()
    b.post(row, law)
    assert b.raise_bounds(row, law) == (200, 350)  # blinds of 150 and a call of 100 make 250, on top of the 100
    b.act(row, law, 350)
    assert b.raise_bounds(row, law) == (600, 1150)  # 500 in the pot and a call of 300 make 800, on top of the 350
    b.act(row, law, 1)
    assert b.raise_bounds(row, law) == (600, 1400)  # 800 in the pot and a call of 250 make 1,050


def test_a_short_stack_in_a_pot_limit_game_may_go_all_in_and_no_further():
    rules = pot_limit(5000)
    row, law = rules.new_row(2, (5000, 5000, 250)), rules.rules()
    b.post(row, law)
    assert b.raise_bounds(row, law) == (200, 250)


def with_dead_ante(stacks: tuple[int, ...]) -> tuple[dict, dict]:
    rules = Betting(
        3, 4, (50, 100, 0), (2, 0, 0, 0), (255,) * 4, (0,) * 4,
        no_limit=True, dead_ante=100, dead_position=1, deepest=max(stacks),
    )  # fmt: skip
    row, law = rules.new_row(2, stacks), rules.rules()
    b.post(row, law)
    return row, law


def test_a_dead_ante_is_won_and_counts_towards_no_bet():
    row, law = with_dead_ante((1000, 1000, 1000))
    assert (row["dead"], row["stack"]) == ([0, 100, 0], [1000, 900, 1000])
    assert (row["spent"], row["max_spent"]) == ([50, 100, 0], 100)
    assert (b.pot(row, law), b.to_call(row, 2)) == (250, 100)
    for action in (300, 1, 0):
        b.act(row, law, action)
    out = [0.0] * 3
    b.payoffs(row, law, [9, 9, 9], out)
    assert out == [
        100.0,
        -200.0,
        100.0,
    ]  # seat 1 folded 100 and the ante; the other two, with equal hands, win half each


@pytest.mark.parametrize(("small_stack", "won"), [(1000, 200.0), (50, 100.0)], ids=["chips behind", "all-in"])
def test_who_is_left_alone_wins_the_whole_blinds_of_those_who_are_away(small_stack, won):
    rules = Betting(
        4, 4, (50, 100, 100, 0), (3, 0, 0, 0), (255,) * 4, (0,) * 4, no_limit=True, away=(0, 1, 1, 0), deepest=1000
    )
    row, law = rules.new_row(3, (small_stack, 1000, 1000, 1000)), rules.rules()
    b.post(row, law)
    assert b.act(row, law, 0) == 3  # the button folds, and the small blind is alone: it was yet to call 50
    out = [0.0] * 4
    b.payoffs(row, law, [0] * 4, out)
    assert out == [won, -won / 2, -won / 2, 0.0]


def test_nobody_is_asked_for_the_part_of_a_blind_that_no_other_has():
    def posted(*stacks: int) -> tuple[dict, dict]:
        blinds, first = ((100, 50), 1) if len(stacks) == 2 else ((50, 100, 0), 2)
        rules = Betting(
            len(stacks),
            4,
            blinds,
            (first, 0, 0, 0),
            (255,) * 4,
            (0,) * 4,
            no_limit=True,
            full_blinds=True,
            deepest=1000,
        )
        row, law = rules.new_row(len(stacks) - 1, stacks), rules.rules()
        b.post(row, law)
        return row, law

    row, law = posted(1000, 80, 1000)  # the big blind is all-in
    assert b.to_call(row, 2) == 100
    assert (b.act(row, law, 0), row["current"], b.to_call(row, 0)) == (b.CONTINUES, 0, 50)
    assert b.act(row, law, 1) == b.SHOWDOWN
    row, law = posted(1000, 50, 1000)
    assert b.act(row, law, 0) == b.SHOWDOWN  # the small blind has put in as much
    row, law = posted(80, 1000)
    assert b.to_call(row, 1) == 30


@pytest.mark.parametrize(("stack", "dead", "spent"), [(100, 100, 0), (60, 60, 0), (130, 100, 30)])
def test_a_stack_too_short_for_ante_and_blind_posts_the_ante_first(stack, dead, spent):
    row, law = with_dead_ante((1000, stack, 1000))
    assert (row["dead"][1], row["spent"][1]) == (dead, spent)
    for action in (1, 1):
        b.act(row, law, action)
    while row["current"] >= 0:
        b.act(row, law, 1)
    out = [0.0] * 3
    b.payoffs(row, law, [3, 9, 5], out)  # it wins what it can: the ante, and as much of each bet as it has put in
    assert out == [-50.0, 2.0 * spent, 50.0 - 2 * spent]
    assert sum(out) == 0


def test_a_straddle_sets_the_first_raise_and_the_big_blind_the_later_bets():
    rules = Betting(
        4, 4, (50, 100, 200, 0), (3, 0, 0, 0), (255,) * 4, (0,) * 4, no_limit=True, minimum_bet=100, deepest=5000
    )
    row, law = rules.new_row(3, (5000,) * 4), rules.rules()
    b.post(row, law)
    order = []
    while row["round"] == 0:
        order.append(row["current"])
        assert b.raise_bounds(row, law)[0] == 400
        b.act(row, law, 1)
    assert order == [3, 0, 1, 2]
    assert b.raise_bounds(row, law)[0] == 300


@pytest.mark.parametrize(
    ("change", "says"),
    [({"pot_limit": True}, "no_limit betting"), ({"dead_position": 2}, "must be a position, 0 to 1")],
)
def test_pot_limits_and_dead_antes_that_make_no_sense_are_refused(change, says):
    given = {"num_players": 2, "num_rounds": 4, "blinds": (10, 5), "first": (1, 0, 0, 0)}
    with pytest.raises(ValueError, match=says):
        Betting(**{**given, "max_raises": (3,) * 4, "raise_sizes": (1,) * 4, **change})


def test_nobody_folds_where_there_is_nothing_to_call():
    rules = no_limit(2)
    row, law = rules.new_row(1, (2000, 2000)), rules.rules()
    b.post(row, law)
    assert b.can_fold(row, law)
    b.act(row, law, 1)
    assert not b.can_fold(row, law)  # the big blind
    b.act(row, law, 1)
    assert (row["round"], b.can_fold(row, law)) == (1, False)


def test_who_has_no_more_than_the_bet_does_not_raise():
    rules = no_limit(3)
    row, law = rules.new_row(2, (2000, 500, 2000)), rules.rules()
    b.post(row, law)
    b.act(row, law, 500)
    assert b.raise_bounds(row, law) == (900, 2000)
    b.act(row, law, 1)
    assert row["current"] == 1
    assert b.raise_bounds(row, law) == (0, 0)
