"""experiments/fair_imitation: one command makes everything once, from commands that exist, and the report has what was measured."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cardai.cli import load_command
from cardai.core.errors import UsageError
from cardai.learn.imitation.examples import COLUMNS, Examples
from tests.support import ROOT

pytestmark = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("lightgbm")), reason="torch and lightgbm are not installed"
)
FOLDER = ROOT / "experiments" / "fair_imitation"
SIZES = [
    "--decisions",
    "500",
    "--presented",
    "512",
    "--held-out",
    "100",
    "--fresh",
    "120",
    "--amounts",
    "280",
    "--epochs",
    "1",
    "--deals",
    "10",
    "--seeds",
    "1",
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("fair_imitation_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {"cnn": evolve(module.TEACHERS["cnn"], player="threshold", fair=("paper",))}
    monkeypatch.setattr(module, "TEACHERS", known)
    return module


@pytest.mark.long
def test_one_command_makes_everything_once(
    run: Any, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def printed(words: list[str]) -> dict[str, Any]:
        asked.append(words)
        won = {"mean": -12.5, "low": -20.5, "high": -4.5, "count": 10}
        if words[0] == "run":
            found: dict[str, Any] = {"players": [{"figures": {"mbb/g": won}}]}
        else:
            found = {"mean": 300.25, "low": 290.0, "high": 310.0, "boards": 2, "half_width": 9.0, "hands": 20}
        return {"command": shlex.join(["cardai", *words]), "found": found}

    monkeypatch.setattr(run, "figure", printed)
    run.main(["--work", str(tmp_path), *SIZES])
    first = capsys.readouterr().out
    assert "paper-cnn-0: 4 steps" in first
    report = (tmp_path / "report.md").read_text()
    for words in (
        "two cuts on strength",
        "gradient-boosted trees",
        "4 folds",
        "-12.5 ± 8.0",
        "acts on E(S), chips",
        "| paper-cnn-0 | 120 |",
        "300.2",
    ):
        assert words in report
    for words in asked:
        command = load_command(words[0])
        command = command.commands[words[1]] if hasattr(command, "commands") else command
        assert {word for word in words if word.startswith("--")} <= {o for p in command.params for o in p.opts}
    run.main(["--work", str(tmp_path), *SIZES])
    assert capsys.readouterr().out == f"Report: {tmp_path / 'report.md'}\n"
    with pytest.raises(UsageError, match=r"are made with --fresh 120. Got --fresh 7"):
        run.main(["--work", str(tmp_path), *SIZES, "--fresh", "7"])
    with pytest.raises(UsageError, match=r"are made with --held-out .* Got --held-out 7"):
        run.main(["--work", str(tmp_path), *SIZES, "--held-out", "7"])


def test_agreement_is_a_share_of_what_anybody_can_guess_and_raises_of_all_sizes_are_one(run: Any) -> None:
    measuring = sys.modules["fair_measuring"]
    taught = np.array([[0.2, 0.8, 0.0], [0.6, 0.4, 0.0]])
    assert measuring.agreement(taught, taught) == pytest.approx(1.0)
    assert measuring.agreement(taught, taught[:, [1, 0, 2]]) == pytest.approx((0.2 + 0.4) / 1.4)
    assert measuring.of_kinds(np.array([[0.1, 0.2, 0.3, 0.4]])) == pytest.approx(np.array([[0.1, 0.2, 0.7]]))


def test_nobody_learns_from_what_is_held_out(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    teachers, measuring = sys.modules["fair_teachers"], sys.modules["fair_measuring"]
    monkeypatch.setattr(
        teachers, "read_manifest", lambda data: SimpleNamespace(sources=[f"{k}.jsonl" for k in range(9)])
    )
    monkeypatch.setattr(teachers, "_converted", lambda files, out, share: (out, files, share))
    folds = teachers.fold_examples(tmp_path, run.TEACHERS["cnn"], tmp_path)
    held = [file for _, (_, files, _) in folds for file in files]
    assert len(held) == len(set(held)) == 9
    for (_, taught, _), (_, left, share) in folds:
        assert not set(taught) & set(left)
        assert len(taught) + len(left) == 9
        assert share == 0.0
    told = {}
    n = 20
    columns = {name: np.zeros(n, np.int64) for name in (*COLUMNS, "hand") if name != "test"} | {"deal": np.arange(n)}
    examples = Examples(np.zeros(n), **columns, test=np.arange(n) % 4 == 0)
    monkeypatch.setattr(measuring, "read_manifest", lambda data: SimpleNamespace(game="holdem_limit"))
    monkeypatch.setattr(measuring, "read_examples", lambda data, game, keep: (None, examples))
    monkeypatch.setattr(measuring, "curve", lambda path: {})
    monkeypatch.setattr(measuring, "figures", lambda path, teacher, work, test: told.update(judged=test) or {})
    monkeypatch.setattr(measuring, "plain", lambda train, test: told.update(train=train, test=test) or {})
    found = measuring.learned_figures(tmp_path, tmp_path, run.TEACHERS["cnn"], tmp_path, 10, 4, True)
    assert found["fitted"] == 10
    assert told["train"].deal.tolist() == [1, 2, 3, 5, 6, 7, 9, 10, 11, 13]
    assert told["test"].deal.tolist() == told["judged"].deal.tolist() == [0, 4, 8, 12]


def test_figures_are_of_the_imitator_beside_its_teacher(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measuring = sys.modules["fair_measuring"]
    taught, learned = np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]]), np.array([[0.25, 0.75, 0.0], [0.2, 0.8, 0.0]])
    monkeypatch.setattr(measuring, "Run", SimpleNamespace(open=lambda path: SimpleNamespace(game=lambda: None)))
    monkeypatch.setattr(
        measuring.measures, "policy_of", lambda spec, game, test: taught if spec == "threshold" else learned
    )
    test = SimpleNamespace(views={"round": np.array([0, 3])}, label=np.array([1, 1]), hand=np.array([0, 1]))
    found = measuring.figures(tmp_path, run.TEACHERS["cnn"], tmp_path, test)
    apart = [0.5 * np.log(2) + 0.5 * np.log(0.5 / 0.75), 0.9 * np.log(0.9 / 0.2) + 0.1 * np.log(0.1 / 0.8)]
    assert found["kl"] == pytest.approx(np.mean(apart))
    assert [found["streets"][name]["kl"] for name in ("preflop", "river")] == pytest.approx(apart)
    assert (found["own"]["accuracy"], found["ceiling"]) == (1.0, pytest.approx(0.7))
    assert found["agreement"] == pytest.approx((0.5 + 0.1) / 1.4)


@pytest.mark.parametrize(("wins", "chosen"), [((0.1, 0.15), 0), ((0.3, 0.35), 1), ((0.6, 0.8), 2)])
def test_who_weighs_chips_counts_what_a_raise_and_its_call_put_in(
    run: Any, wins: tuple[float, float], chosen: int
) -> None:
    """A pot of 100 that a call of 20 is asked for, raises are of 40: what is won on the mean is counted by hand."""
    acts = sys.modules["fair_acting"].ActsOnValues.__new__(sys.modules["fair_acting"].ActsOnValues)
    acts.worth, acts.sizes = "chips", np.array([40])
    views = {"to_call": np.array([20]), "pot": np.array([100]), "round": np.array([0])}
    paid: list[int] = []
    acts._wins = lambda views, more: paid.append(int(more[0])) or np.array([wins[len(paid) - 1]])
    worth = [0.0, wins[0] * 120 - 20, wins[1] * 200 - 60]
    assert int(np.argmax(worth)) == chosen

    class Shown(dict):
        def __len__(self) -> int:
            return 1

    assert acts.policy(Shown(views), np.ones((1, 3), bool))[0, chosen] == 1.0
    assert paid == [20, 60]


def test_as_many_decisions_are_presented_to_every_system_whatever_its_minibatches(run: Any, tmp_path: Path) -> None:
    options = run.asked_for(["--work", str(tmp_path), "--teachers", "cnn", "--presented", "5120"])
    steps = [run.planned(options, run.TEACHERS["cnn"], one, 0).steps for one in run.SYSTEMS]
    assert [n * run.BATCH[one] for n, one in zip(steps, run.SYSTEMS, strict=True)] == [5120] * len(run.SYSTEMS)


def test_wrong_parts_are_refused_in_a_sentence(run: Any) -> None:
    with pytest.raises(UsageError, match="--only takes some of logs"):
        run.main(["--only", "everything"])
