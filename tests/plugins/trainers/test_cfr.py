"""The CFR family: OpenSpiel's policies, published speeds of convergence, and the life of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

import cardai
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.npz import read_npz, write_npz
from cardai.core.registry import create
from cardai.solve.measures import exploitability, measure
from cardai.solve.sequence_form import policy_table
from cardai.solve.tree import game_tree
from cardai.training.runs import Run
from cardai.training.session import Session
from tests.solve.by_hand import exact, matched, reached
from tests.solve.small_games import Coin, Hide
from tests.solve.spiel import information_states


def solve(spec: str, game: Any, steps: int) -> Any:
    training = create("trainer", spec).start(cardai.game(game) if isinstance(game, str) else game, None, 0)
    training.iterate(steps)
    training.step += steps
    return training


@pytest.mark.parametrize(("name", "spiel"), [("kuhn", "kuhn_poker"), ("leduc", "leduc_poker")])
@pytest.mark.parametrize(("spec", "solver"), [("cfr", pyspiel.CFRSolver), ("cfr_plus", pyspiel.CFRPlusSolver)])
def test_average_policies_are_openspiels(name: str, spiel: str, spec: str, solver: Any) -> None:
    theirs = pyspiel.load_game(spiel)
    reference = solver(theirs)
    for _ in range(12):
        reference.evaluate_and_update_policy()
    average = reference.tabular_average_policy().policy_table()
    tree = game_tree(cardai.game(name))
    training = solve(spec, name, 12)
    table = policy_table(tree, training.behaviour("average"))
    for state, row in zip(information_states(tree, theirs), table, strict=True):
        assert row[[a for a, _ in average[state]]] == pytest.approx([p for _, p in average[state]], abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "steps", "below"),
    [
        # exploitability after so many iterations on Leduc, 5% above what other implementations reach:
        # OpenSpiel 2.0.2 CFR 0.0957 (100) and 0.01182 (1,000), CFR+ 0.01342 (100) and 0.000257 (1,000)
        ("cfr", 100, 0.1005),
        ("cfr", 1_000, 0.0125),
        ("cfr_plus", 100, 0.0141),
        ("cfr_plus", 1_000, 0.00027),
        # our own, with a little room: they guard against getting slower
        ("dcfr", 1_000, 2.0e-4),
        ("linear_cfr", 1_000, 6.0e-3),
        ("pcfr_plus", 1_000, 8.0e-4),
        ("pdcfr_plus", 1_000, 1.0e-3),
        ("cfr:updates=simultaneous", 1_000, 0.05),
        ("cfr_plus:gamma=2", 1_000, 2.2e-4),
        ("cfr_plus:gamma=0,delay=500", 1_000, 2.0e-3),
    ],
)
def test_leduc_converges_as_fast_as_published(spec: str, steps: int, below: float) -> None:
    assert solve(spec, "leduc", steps).metrics()["exploitability"] < below


@pytest.mark.long
def test_predictive_discounted_cfr_solves_leduc_to_a_millionth() -> None:
    training = solve("pdcfr_plus", "leduc", 15_000)
    assert training.metrics()["exploitability"] < 1e-6
    assert training.metrics()["current_exploitability"] < 1e-5


def test_a_third_partys_games_are_solved_with_no_further_code() -> None:
    hide = solve("pcfr_plus", Hide(), 3_000)
    assert hide.metrics()["value"] == pytest.approx(-6 / 11, abs=1e-4)
    hiding = hide.agent({}).policy(hide.tree.infosets.views[:1], hide.tree.infosets.legal[:1])[0]
    assert hiding == pytest.approx(np.array([6, 3, 2]) / 11, abs=1e-3)
    assert solve("cfr_plus", Coin(heads=0.25), 1_000).metrics()["exploitability"] < 1e-3


def test_linear_cfr_is_discounted_cfr_with_all_exponents_one() -> None:
    linear = solve("linear_cfr", "kuhn", 50).arrays["average"]
    assert np.array_equal(linear, solve("cfr:alpha=1,beta=1,gamma=1", "kuhn", 50).arrays["average"])


def test_minus_infinity_as_beta_is_regret_matching_plus() -> None:
    plus = solve("cfr_plus", "leduc", 50).arrays["average"]
    assert np.array_equal(plus, solve("cfr:beta=-inf,gamma=1", "leduc", 50).arrays["average"])


def test_a_huge_exponent_forgets_nothing_and_what_is_no_number_is_refused() -> None:
    """t^400 is infinite from t = 6 on: regrets became no numbers, all policies uniform, and the run could not go on."""
    huge, plain = (solve(spec, "kuhn", 20).arrays["regret"] for spec in ("cfr:alpha=400,beta=400", "cfr"))
    assert np.isfinite(huge).all()
    assert np.abs(huge).max() > 0.1 * np.abs(plain).max()
    with pytest.raises(OptionError, match=r"'alpha' of the trainer 'cfr' must be a number\. Got nan"):
        create("trainer", "cfr:alpha=nan")


def test_metrics_fall_on_the_same_steps_however_training_is_cut() -> None:
    whole = create("trainer", "cfr").start(cardai.game("kuhn"), None, 0)
    steps = [whole.step for row in whole.train(300) if row]
    cut = create("trainer", "cfr").start(cardai.game("kuhn"), None, 0)
    pieces = [cut.step for n in (100, 100, 100) for row in cut.train(n) if row]
    assert set(pieces) - set(steps) <= {100, 200}
    assert set(steps) <= set(pieces)
    assert steps[:9] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert np.array_equal(whole.arrays["average"], cut.arrays["average"])


def test_measure_every_sets_the_steps() -> None:
    training = create("trainer", "cfr:measure_every=25").start(cardai.game("kuhn"), None, 0)
    assert [training.step for row in training.train(80) if row] == [25, 50, 75, 80]


@pytest.mark.parametrize("spec", ["pdcfr_plus", "cfr:updates=simultaneous", "mccfr", "outcome_mccfr", "xfp"])
def test_a_run_goes_on_bit_for_bit_and_is_an_agent_afterwards(spec: str, tmp_path: Path) -> None:
    whole = solve(spec, "leduc", 700)
    run = Run.create(tmp_path / "x", spec, "leduc", None, seed=0)
    Session.start(run).train(300)
    session = Session.resume(Run.open(tmp_path / "x"))
    assert session.training.step == 300
    session.train(700)
    resumed: Any = session.training
    for name, array in whole.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name
    game = cardai.game("leduc")
    measured = measure(game, cardai.agent(str(tmp_path / "x")))
    assert measured.exploitability == pytest.approx(whole.metrics()["exploitability"], abs=1e-12)
    current = exploitability(game, cardai.agent(f"{tmp_path / 'x'}:policy=current"))
    assert current == pytest.approx(whole.metrics()["current_exploitability"], abs=1e-12)
    assert run.read_metrics()[-1]["exploitability"] == pytest.approx(measured.exploitability, abs=1e-12)
    with pytest.raises(OptionError, match="must be average or current"):
        cardai.agent(f"{tmp_path / 'x'}:policy=newest")


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    solve("cfr", "kuhn", 3).save(tmp_path)
    with pytest.raises(DamagedFileError, match="belongs to another run or is damaged"):
        solve("cfr", "leduc", 1).load(tmp_path)


def test_an_encoder_is_refused() -> None:
    with pytest.raises(UsageError, match="takes no --encoder"):
        create("trainer", "cfr").start(cardai.game("kuhn"), create("encoder", "flat"), 0)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="must be one of cfr, cfr_plus"):
        create("trainer", "cfr:variant=cfr2")
    with pytest.raises(OptionError, match="gamma"):
        create("trainer", "cfr:gamma=-1")


def test_a_solved_run_is_played_without_walking_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(tmp_path / "x", "cfr_plus", "kuhn", None, seed=0)
    Session.start(run).train(50)
    monkeypatch.setattr("cardai.solve.training.game_form", None)
    assert len(cardai.play("kuhn", [str(tmp_path / "x"), "random"], games=200, seed=1).games) == 200


def test_a_policy_that_is_none_is_refused(tmp_path: Path) -> None:
    trainer, game = create("trainer", "cfr"), cardai.game("kuhn")
    solve("cfr", "kuhn", 3).save(tmp_path)
    found = read_npz(tmp_path / "player.npz")
    write_npz(tmp_path / "player.npz", found | {"average": found["average"] * 2})
    with pytest.raises(DamagedFileError, match="holds no policy"):
        trainer.trained_agent(game, None, 0, tmp_path, {})
    (tmp_path / "player.npz").write_bytes(b"PK")
    with pytest.raises(DamagedFileError, match="not a readable npz"):
        trainer.trained_agent(game, None, 0, tmp_path, {})


def discounted(regret: np.ndarray, t: int, alpha: float, beta: float) -> np.ndarray:
    """Return regrets after iteration t times t^a / (t^a + 1), a of their sign (Brown and Sandholm 2019, section 3)."""

    def factor(exponent: float) -> float:
        return 1.0 if exponent == np.inf else 0.0 if exponent == -np.inf else t**exponent / (t**exponent + 1)

    return np.where(regret > 0, regret * factor(alpha), regret * factor(beta))


@pytest.mark.parametrize(
    "spec", ["cfr", "cfr_plus", "linear_cfr", "dcfr", "pcfr_plus", "pdcfr_plus", "cfr_plus:delay=2"]
)
@pytest.mark.parametrize("game", [Coin(heads=0.3), Coin(heads=0.8), Hide()])  # Kuhn has ties that rounding breaks
def test_a_few_iterations_are_those_of_the_definitions(spec: str, game: Any) -> None:
    trainer: Any = create("trainer", spec)
    alpha, beta, gamma, predictive, delay, _ = trainer.rule
    tree = game_tree(game)
    starts = tree.infosets.sequence_start
    behaviour = matched(tree, np.zeros(tree.infosets.num_sequences))
    regret, average = np.zeros_like(behaviour), np.zeros_like(behaviour)
    for t in range(1, 8):
        for player in range(2):
            own = slice(starts[player], starts[player + 1])
            weight = max(t - delay, 0) ** gamma if t > delay else 0.0
            average[own] += weight * reached(tree, behaviour)[own]
            instant = exact(tree, behaviour, player)[0]
            regret[own] = discounted(regret[own], t - 1, alpha, beta) + instant[own] if t > 1 else instant[own]
            ahead = discounted(regret, t, alpha, beta) + predictive * instant
            behaviour[own] = matched(tree, ahead)[own]
    training = solve(spec, game, 7)
    acting = tree.infosets.sequence_infoset >= 0
    assert training.arrays["regret"][acting] == pytest.approx(regret[acting], abs=1e-12)
    assert training.behaviour("current")[acting] == pytest.approx(behaviour[acting], abs=1e-12)
    assert training.behaviour("average")[acting] == pytest.approx(matched(tree, average)[acting], abs=1e-12)


def test_measures_fall_on_the_same_steps_after_a_pause() -> None:
    training = create("trainer", "cfr:measure_every=25").start(cardai.game("kuhn"), None, 0)
    assert [training.step for row in training.train(30) if row] == [25, 30]
    assert [training.step for row in training.train(50) if row] == [50, 75, 80]
