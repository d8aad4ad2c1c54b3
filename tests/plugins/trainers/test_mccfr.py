"""Sampled CFR: it converges at the known pace, draws what it should, and depends on its seed alone."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardai
from cardai.core.errors import UsageError
from cardai.core.registry import create
from cardai.core.rng import hash64
from cardai.solve.sampling import alias_table, draw_chance, sampling_nodes
from cardai.solve.tree import game_tree
from tests.solve.small_games import Coin
from tests.solve.spiel import SpielGame


@pytest.mark.parametrize(
    ("spec", "steps", "below"),
    [
        # OpenSpiel 2.0.2 on Leduc: external 1.12 (1k), 0.27 (10k), 0.065 (100k); outcome 0.97 (10k), 0.48 (100k)
        ("mccfr", 10_000, 0.40),
        ("mccfr", 100_000, 0.10),
        ("outcome_mccfr", 10_000, 1.3),
        ("outcome_mccfr", 100_000, 0.6),
    ],
)
def test_leduc_converges_as_openspiels_samplers_do(spec: str, steps: int, below: float) -> None:
    training = create("trainer", spec).start(cardai.game("leduc"), None, 1)
    training.iterate(steps)
    assert training.metrics()["exploitability"] < below


@pytest.mark.parametrize("spec", ["mccfr", "outcome_mccfr"])
@pytest.mark.parametrize("game", [cardai.game("kuhn"), Coin(heads=0.3)])
def test_small_games_are_solved(spec: str, game: object) -> None:
    training = create("trainer", spec).start(game, None, 1)
    training.iterate(300_000)
    assert training.metrics()["exploitability"] < 0.01


def test_a_game_for_one_is_refused() -> None:
    """The average is of who does not learn: of a game's only player it stayed uniform."""
    with pytest.raises(UsageError, match="is for one alone: take cfr"):
        create("trainer", "mccfr").check_game(SpielGame("catch(rows=3,columns=2)"))


def test_three_players_are_taken() -> None:
    training = create("trainer", "mccfr").start(SpielGame("kuhn_poker(players=3)"), None, 1)
    training.iterate(200_000)
    assert training.metrics()["exploitability"] < 0.02


@pytest.mark.parametrize("spec", ["mccfr", "outcome_mccfr"])
def test_the_seed_decides_and_cutting_does_not(spec: str) -> None:
    def regrets(seed: int, pieces: tuple[int, ...]) -> np.ndarray:
        training = create("trainer", spec).start(cardai.game("leduc"), None, seed)
        for piece in pieces:
            training.iterate(piece)
            training.step += piece
        return training.arrays["regret"]

    assert np.array_equal(regrets(1, (500,)), regrets(1, (1, 99, 400)))
    assert not np.array_equal(regrets(1, (500,)), regrets(2, (500,)))


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=12))
def test_alias_tables_hold_the_probabilities(weights: list[float]) -> None:
    wanted = np.array(weights) / sum(weights)
    threshold, alias = alias_table(wanted)
    got = threshold.copy()
    np.add.at(got, alias, 1 - threshold)
    assert got / len(wanted) == pytest.approx(wanted, abs=1e-12)


def test_chance_is_drawn_with_its_probabilities() -> None:
    nodes = sampling_nodes(game_tree(Coin(heads=0.3)))
    heads = sum(int(draw_chance(nodes, np.uint64(0), np.uint64(hash64(9, k)))) == 2 for k in range(20_000))
    assert heads / 20_000 == pytest.approx(0.3, abs=0.013)  # four standard deviations


DIGESTS = """
import cardai, hashlib
from cardai.core.registry import create
for spec in ("cfr", "pdcfr_plus", "cfr:updates=simultaneous", "mccfr", "outcome_mccfr", "xfp"):
    training = create("trainer", spec).start(cardai.game("kuhn"), None, 3)
    for metrics in training.train(20):
        pass
    agent = training.agent({})
    arrays = [training.arrays[name] for name in sorted(training.arrays)]
    arrays += [agent.policy(training.tree.infosets.views, training.tree.infosets.legal)]
    print(spec, *(hashlib.sha256(array.round(9).tobytes()).hexdigest()[:8] for array in arrays))
"""


@pytest.mark.long
def test_solvers_give_the_same_numbers_compiled_and_interpreted() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert said[0] == said[1]
    assert said[0].count("\n") == 6
