"""Random games, general-sum, two or three seats, uneven chance: kernels against slow and obvious references."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.core.fields import Field
from cardai.core.game import CHANCE, TERMINAL, State
from cardai.core.registry import create
from cardai.solve.measures import measure_behaviour
from cardai.solve.sequence_form import behaviour_of, game_form
from tests.solve.small_games import Hide, ListState

Rows = dict[tuple[int, bytes], list[float]]


class RandomState(ListState):
    """Each seat is dealt 0 or 1 in secret; then a random public tree of two actions each, at most three moves deep."""

    def dice(self) -> Random:
        """Return dice that depend on what is public here alone."""
        return Random(repr((self.game.seed, self.played[self.game.num_players :])))

    def current_player(self) -> int:
        if len(self.played) < self.game.num_players:
            return CHANCE
        depth = len(self.played) - self.game.num_players
        over = depth == 3 or (depth > 0 and self.dice().random() < 0.3)
        return TERMINAL if over else self.dice().randrange(self.game.num_players)

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        heads = 0.1 + 0.8 * Random(repr((self.game.seed, "chance", len(self.played)))).random()
        return [(0, 1 - heads), (1, heads)]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (len(self.played),)

    def view(self, player: int) -> dict[str, Any]:
        seats = self.game.num_players
        own = self.played[player : player + 1] if player < len(self.played) else []
        return {"player": player, "own": own, "public": self.played[seats:]}

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.num_players
        dice = Random(repr((self.game.seed, self.played)))
        return [dice.uniform(-5, 5) for _ in range(self.game.num_players)]


@frozen
class RandomGame(Hide):
    seed: int = 0
    seats: int = 2
    num_distinct_actions, num_chance_outcomes = 2, 2
    view_fields = (
        Field("player", "seat", "who looks", maximum=2),
        Field("own", "private_history", "the own card", maximum=1, size=1),
        Field("public", "public_history", "moves so far", maximum=1, size=3),
    )

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.seats

    def new_initial_state(self, setup: Any = None) -> State:
        return RandomState(self)


def walk(state: State, rows: Rows) -> np.ndarray:
    """Return each seat's expected returns from ``state`` on, recursively."""
    if state.is_terminal():
        return np.array(state.returns())
    if state.is_chance_node():
        weights = dict(state.chance_outcomes())
    else:
        player = state.current_player()
        weights = dict(zip(state.legal_actions(), rows[player, state.key(player)], strict=True))
    total = np.zeros(len(state.returns()))
    for action, weight in weights.items():
        child = state.clone()
        child.apply_action(action)
        total += weight * walk(child, rows)
    return total


def best(game: RandomGame, rows: Rows, player: int) -> float:
    """Return the best that any pure strategy of ``player`` earns, by trying them all."""
    own = [key for key in rows if key[0] == player]
    pure = product(([1.0, 0.0], [0.0, 1.0]), repeat=len(own))
    return max(walk(game.new_initial_state(), rows | dict(zip(own, choice, strict=True)))[player] for choice in pure)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
@settings(max_examples=settings.default.max_examples // 10, deadline=None)
def test_values_and_best_responses_are_those_of_trying_everything(seed: int, seats: int) -> None:
    game = RandomGame(seed=seed, seats=seats)
    tree, form = game_form(game)
    sets = tree.infosets
    table = np.random.default_rng(seed).dirichlet([0.5, 0.5], len(sets))
    rows: Rows = {(int(p), k): list(row) for p, k, row in zip(sets.player, sets.keys, table, strict=True)}
    measured = measure_behaviour(form, behaviour_of(tree, table))
    assert measured.expected == pytest.approx(walk(game.new_initial_state(), rows), abs=1e-9)
    for player in range(seats):
        if sum(key[0] == player for key in rows) <= 6:
            assert measured.best_response[player] == pytest.approx(best(game, rows, player), abs=1e-9)


def first_players(training: Any) -> np.ndarray:
    """Return seat 0's regrets alone: it moves first, so the other's update has not touched what it saw."""
    regret: np.ndarray = training.arrays["regret"].copy()
    regret[training.form.sequence_start[1] :] = 0
    return regret


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("spec", "samples"), [("mccfr", 4_000), ("outcome_mccfr", 16_000)])
def test_sampled_regrets_are_the_full_ones_on_average(seed: int, spec: str, samples: int) -> None:
    """From the uniform policy, one iteration of full CFR has the regrets that samplers must meet in the mean."""
    game = RandomGame(seed=seed)
    full = create("trainer", "cfr").start(game, None, 0)
    full.iterate(1)
    sampled = create("trainer", spec).start(game, None, seed)
    uniform = sampled.arrays["behaviour"].copy()
    means = []
    for batch in np.arange(samples).reshape(-1, 100):
        total = sampled.zeros()
        for sampled.step in batch:
            sampled.arrays["regret"][:], sampled.arrays["behaviour"][:] = 0.0, uniform
            sampled.iterate(1)
            total += first_players(sampled)
        means.append(total / len(batch))
    error = np.std(means, axis=0) / np.sqrt(len(means))
    assert (np.abs(np.mean(means, axis=0) - first_players(full)) <= 6 * error + 1e-9).all()
