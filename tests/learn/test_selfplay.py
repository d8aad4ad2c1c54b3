"""Self-play events: what other actions would have brought is played out with the same cards."""

from __future__ import annotations

import numpy as np
import pytest

from cardai import make
from cardai.core import registry
from cardai.learn import selfplay
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Seating, collect, draws_of

GAMES = ("leduc", "poker_cnn_limit")


def _seating(game_spec: str, hands: int, branches: int) -> tuple[object, Seating]:
    game = registry.create("game", game_spec)
    players = [make.agent(spec).for_game(game) for spec in ("random", "always_call")]
    seats = np.zeros((hands, 2), np.int64)
    seats[: hands // 2, 1] = 1
    return game, Seating(players, seats, (0,), ActionAbstraction(3), branches)


@pytest.mark.parametrize("game_spec", GAMES)
def test_playing_out_the_action_that_was_taken_brings_what_it_brought(game_spec: str) -> None:
    game, seating = _seating(game_spec, 300, 1)
    hands = selfplay._dealt(game, seating.seats, 5, 0)  # type: ignore[arg-type]
    steps, moves = selfplay._played(game, seating, hands, 0)  # type: ignore[arg-type]
    at = np.repeat(np.arange(len(steps)), [len(step.rows) for step in steps])
    row = np.concatenate([np.arange(len(step.rows)) for step in steps])
    chosen = np.concatenate([step.events.chosen for step in steps])
    selfplay._play_from(game, seating, hands, steps, moves, at, row, chosen)  # type: ignore[arg-type]
    for step in steps:
        brought = step.events.branched[np.arange(len(step.rows)), step.events.chosen]
        assert np.array_equal(brought, step.events.values)


def test_branches_are_of_actions_not_taken_whose_worth_is_unknown() -> None:
    game, seating = _seating("poker_cnn_limit", 400, 1)
    events = collect(game, seating, 3, 0)  # type: ignore[arg-type]
    row, action = np.nonzero(~np.isnan(events.branched))
    assert len(row) > 200
    assert (action != events.chosen[row]).all()
    assert events.legal[row, action].all()
    assert np.isnan(events.known[row, action]).all()
    hands_with_a_branch = np.unique(row)
    assert len(np.unique(events.hands[hands_with_a_branch])) == len(hands_with_a_branch), "one decision a hand"


def test_branches_do_not_depend_on_the_number_of_tables() -> None:
    game, seating = _seating("leduc", 200, 1)
    one, many = (collect(game, seating, 3, 0, tables=tables) for tables in (7, 4096))  # type: ignore[arg-type]
    assert np.array_equal(one.branched, many.branched, equal_nan=True)
    assert np.array_equal(one.values, many.values)


def test_the_difference_between_actions_is_known_better_than_by_other_hands() -> None:
    game, seating = _seating("poker_cnn_limit", 4000, 1)
    events = collect(game, seating, 3, 0)  # type: ignore[arg-type]
    rows = np.flatnonzero((events.chosen == 1) & ~np.isnan(events.branched[:, 2]))
    brought = events.branched[rows, 2]
    together = np.var(brought - events.values[rows])
    apart = np.var(brought) + np.var(events.values[rows])
    assert together < 0.6 * apart


def test_each_event_has_a_number_of_its_own_by_hand_and_place() -> None:
    game, seating = _seating("leduc", 60, 0)
    events = collect(game, seating, 3, 0)  # type: ignore[arg-type]
    numbers = draws_of(events, 9)
    assert len(np.unique(numbers)) == len(events) > len(np.unique(events.hands))
    assert np.array_equal(draws_of(events, 9), numbers)
    assert not np.array_equal(draws_of(events, 8), numbers)
    late = np.flatnonzero(events.hands >= 20)  # hands before them do not matter
    assert np.array_equal(draws_of(events.take(late), 9), numbers[late])


def test_what_is_known_exactly_is_what_it_brings_when_it_is_done() -> None:
    game, seating = _seating("leduc", 300, 0)
    events = collect(game, seating, 3, 0)  # type: ignore[arg-type]
    rows = np.arange(len(events))
    exact = ~np.isnan(events.known[rows, events.chosen])
    spent = events.views["spent"][rows, events.views["player"].astype(int)]
    assert (spent[exact] > 0).all()
    assert np.array_equal(events.known[rows, events.chosen][exact], events.values[exact].astype(np.float32))
    assert (events.known[:, 0][events.legal[:, 0]] == 0).all()  # a fold is worth nothing, whatever was put in before
