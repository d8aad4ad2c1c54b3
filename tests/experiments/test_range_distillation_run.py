"""experiments/range_distillation: its measures are commands that exist, each done once, and the report has what they printed."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.cli import load_command
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import PublicTree, holdem_tree
from tests.support import ROOT


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(
        f"distil_{name}", ROOT / "experiments" / "range_distillation" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run() -> Any:
    return loaded("run")


def test_every_seed_is_measured_once_by_commands_that_exist(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def printed(words: list[str]) -> dict[str, Any]:
        asked.append(words)
        won = {"mean": -42.5, "low": -52.5, "high": -32.5, "count": 10}
        found = {"players": [{"figures": {"mbb/g": won}}], "mean": 94.25, "half_width": 7.0, "hands": 20, "low": 88.0,
                 "high": 101.0, "boards": 12}  # fmt: skip
        return {"command": shlex.join(["cardai", *words]), "found": found}

    metrics = [{"step": 6000, "cpu_seconds": 143.0}]
    monkeypatch.setattr(run, "figure", printed)
    monkeypatch.setattr(run, "called", lambda words: asked.append(words) or "")
    monkeypatch.setattr(run, "costs", lambda player: {"flop": [16.0, 17.5], "river": [2.0, 3.0]})
    monkeypatch.setattr(run.Run, "open", lambda path: SimpleNamespace(read_metrics=lambda: metrics))
    run.main(["--work", str(tmp_path), "--seeds", "2"])
    assert len(asked) == 2 * 4
    for words in asked:
        command = load_command(words[0])
        command = command.commands[words[1]] if hasattr(command, "commands") else command
        assert {word for word in words if word.startswith("--")} <= {o for p in command.params for o in p.opts}
    page = (tmp_path / "report.md").read_text()
    assert (
        "| seed1 | 6,000 | 143 | 94.2 (88 to 101; 12 boards) |  | +94 ± 7 (20 hands) | -42.5 ± 10.0 (10 deals) |  | at most 17.5 |"
        in page
    )
    assert "- 2 seeds, best response from the river: mean +94.2 (+94.2 to +94.2)" in page
    run.main(["--work", str(tmp_path), "--seeds", "2", "--only", "measure"])
    assert len(asked) == 2 * 4
    run.main(["--work", str(tmp_path), "--seeds", "2", "--only", "measure", "--deals", "7"])
    assert [words[words.index("--games") + 1] for words in asked[2 * 4 :]] == ["14", "14"]

    one = {"mean": -1.5, "half_width": 0.5}
    hint = {"boards": 4, "error": one, "spread": 5.0, "left": 1.0, "costs": one}
    monkeypatch.setattr(run, "against", lambda *words: {"boards": 16, "all": one, "river": one})
    monkeypatch.setattr(run, "streets", lambda *words: {"river": one})
    monkeypatch.setattr(run, "actions", lambda *words: {"boards": 8, "raise": one})
    monkeypatch.setattr(run, "hints", lambda *words: {"turn": hint})
    words = [
        "--seed",
        "1",
        "--only",
        "against+streets+actions+hints+turn",
        "--values",
        "--least",
        "0+0.1",
        "--device",
        "cuda",
    ]
    run.main(["--work", str(tmp_path), *words])
    assert [words[words.index("--agent") + 1] for words in asked[-2:]] == [
        f"{tmp_path / 'seed1'}:device=cuda",
        f"{tmp_path / 'seed1'}:least=0.1,device=cuda",
    ]
    page = (tmp_path / "report.md").read_text()
    assert "(10 deals) | -1.5 ± 0.5 (16 boards) | at most 17.5 |" in page
    assert "- seed1-least0.1, playing as learned on one street alone, wins from the teacher: river -1.5 ± 0.5" in page
    assert "- seed1 gives away on the river, by what it does more or less often (8 boards): raise -1.50 ± 0.50" in page
    assert "- seed1, turn (4 boards): off by -1.500 ± 0.500" in page


def test_wrong_parts_are_refused_in_a_sentence(run: Any) -> None:
    with pytest.raises(UsageError, match="takes some of train"):
        run.main(["--only", "all"])


def test_players_are_played_out_over_all_hands_of_a_board() -> None:
    game = cardai.game("holdem_limit:max_raises=1+0+1+1")
    tree, judging = holdem_tree(game, "A test"), loaded("judging")
    bold, timid, caller = (Fixed(tree, order) for order in ((2, 1, 0), (0, 1, 2), (1, 2, 0)))
    found = judging._counted_out(game, tree, (bold, timid), 1)
    assert found == pytest.approx(np.array([[750, 0, 0, 0]]))  # the small blind is folded, or the big one to a raise
    on_the_turn = judging._OneStreet(timid, caller, 2)
    assert judging._counted_out(game, tree, (on_the_turn, bold), 1) == pytest.approx(np.array([[0, 0, -2000, 0]]))
    assert judging._counted_out(game, tree, (bold, caller), 1) == pytest.approx(np.zeros((1, 4)), abs=1e-6)


@frozen
class Fixed:
    """Does the first of some actions that it may, with all hands."""

    tree: PublicTree
    order: tuple[int, ...]

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        rows = []
        for node in nodes.tolist():
            actions = self.tree.action[node, : self.tree.num_children[node]].tolist()
            chosen = next(action for action in self.order if action in actions)
            rows += [np.full(COUNT, float(action == chosen)) for action in actions]
        return np.array(rows)
