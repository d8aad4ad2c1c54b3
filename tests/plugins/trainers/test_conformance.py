"""What tests/test_conformance.py leaves out passes the kit, and tabular trainers solve the example package's game with no further code."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from cardai import testing
from cardai.core import registry
from cardai.core.errors import OptionError
from cardai.core.game import Game
from cardai.core.registry import create
from cardai.core.spec import build, options_of
from cardai.solve.measures import measure
from cardai.testing import Case

TRAINERS = sorted(
    {registry.load("trainer", one.name)[0] for one in registry.entries("trainer")}, key=lambda one: one.__name__
)
MANY = ("batch", "average_batch", "tables", "examples", "rl_capacity", "sl_capacity")
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "cardai-doubt"


@testing.parametrize_checks("trainer", "outcome_mccfr", game="kuhn")
def test_trainer_conforms(check: Case) -> None:
    check()


@testing.parametrize_checks("agent", "best_response", game="kuhn")
def test_agent_conforms(check: Case) -> None:
    check()


@pytest.fixture
def doubt(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the example package's game class, imported from where it lies."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield importlib.import_module("cardai_doubt.game").Doubt
    for name in [name for name in sys.modules if name.startswith("cardai_doubt")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("spec", "steps", "below"), [("pcfr_plus", 2_000, 1e-4), ("mccfr", 200_000, 0.05), ("xfp", 3_000, 0.03)]
)
def test_the_example_packages_game_is_solved(doubt: type[Game], spec: str, steps: int, below: float) -> None:
    game = doubt()
    training = create("trainer", spec).start(game, None, 0)
    training.iterate(steps)
    measured = measure(game, training.agent({}))
    assert measured.exploitability < below
    assert measured.expected[0] == pytest.approx(-measured.expected[1])


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda one: one.__name__)
def test_no_trainer_begins_with_a_rate_threads_or_batch_beyond_all_reason(trainer: type) -> None:
    """1e300 is no number to torch, and of a hundred thousand threads a process does not come back to be ended."""
    absurd = {"threads": "99999"} | dict.fromkeys(MANY, "1000000000000")
    absurd |= {name: "1e300" for name in options_of(trainer) if name.removesuffix("_end").endswith("rate")}
    for name in absurd.keys() & options_of(trainer).keys():
        with pytest.raises(OptionError, match=f"'{name}' must be"):
            build(trainer, {name: absurd[name]}, f"The trainer {trainer.__name__!r}")


@pytest.mark.parametrize(
    "spec",
    [
        *(
            "nfsp:epsilon_decay=-1",
            "nfsp:compile_limit=0",
            "nfsp:target_every=-1",
            "nfsp:batch=1048576",
            "nfsp:sl_capacity=0",
        ),
        *("mmd:clip=1e300", "mmd:average_batch=0", "poker_cnn:examples=-1", "sd_cfr:threads=257", "mmd:rate=1000"),
        *("poker_cnn_betting:noise=-1", "poker_cnn_betting:keep_share=-3", "poker_cnn_betting:policy_mix=2"),
        *("poker_cnn_betting:step_size=-1", "poker_cnn_betting:discount=7", "poker_cnn_betting:draw_shares=1+2+0.5"),
    ],
)
def test_numbers_that_a_training_cannot_reckon_with_are_refused(spec: str) -> None:
    with pytest.raises(OptionError, match=f"'{spec.partition(':')[2].partition('=')[0]}' must be"):
        create("trainer", spec)


@pytest.mark.parametrize(
    "spec",
    ["nfsp:batch=1048575,sl_capacity=4294967296,epsilon_decay=0,target_every=0", "sd_cfr:threads=256", "mmd:rate=999"],
)
def test_the_largest_numbers_are_taken(spec: str) -> None:
    create("trainer", spec)
