"""experiments/no_limit_player: what is measured is asked once, by a command that exists, and the page says what is missing."""

from __future__ import annotations

import importlib.util
import shlex
from typing import Any

import pytest

from cardai.cli import load_command
from cardai.core import registry
from cardai.poker.resolving import games
from tests.support import ROOT

FOLDER = ROOT / "experiments" / "no_limit_player"


@pytest.fixture(scope="module")
def run() -> Any:
    spec = importlib.util.spec_from_file_location("no_limit_player_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_every_measure_is_a_command_that_exists(run: Any) -> None:
    for one in run.MEASURES:
        program, name, *words = shlex.split(one.command)
        if program == "python":
            assert (ROOT / name).exists()
            continue
        command = load_command(name)
        command = command.commands[words.pop(0)] if hasattr(command, "commands") else command
        known = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("--")} <= known
        registry.create("game", words[words.index("--game") + 1])


def test_the_page_has_what_was_measured_by_this_very_command_and_says_what_is_missing(run: Any) -> None:
    player = run.decides()
    first, second = run.MEASURES[:2]
    third = next(one for one in run.MEASURES if run.PLAYER not in one.command)
    found = {"mean": 12.4, "low": 9.4, "high": 16.4, "hands": 16, "reached": 9, "promised": 20.1}
    known = {
        first.name: {**first.of(player), "cpu_seconds": 20.0, "found": found},
        second.name: {
            **second.of(player),
            "command": f"{second.command} --seed 2",
            "cpu_seconds": 20.0,
            "found": found,
        },
        third.name: {**third.of("another"), "cpu_seconds": 20.0, "found": found},
    }
    page = run.report(known)
    assert f"| {first.words} | +12 (+9 to +16) | 16 hands, 9 came there, promised +20 | 20 |" in page
    assert first.command in page
    assert f"Not measured yet: {second.words}" in page
    assert third.words in page.partition("Not measured yet: ")[0]  # not the player's, so whoever is in the box


def test_a_figure_is_of_the_player_that_is_in_the_box_and_of_how_it_decides(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run.decides()
    monkeypatch.setattr(games, "WITH_VALUES", games.WITH_VALUES + 1)
    assert run.decides() != before
    one = run.MEASURES[0]
    found = {"mean": 12.4, "low": 9.4, "high": 16.4, "hands": 16, "reached": 9, "promised": 20.1}
    page = run.report({one.name: {**one.of("another"), "cpu_seconds": 20.0, "found": found}})
    assert f"Not measured yet: {one.words}" in page


def test_the_page_is_the_one_of_its_figures(run: Any) -> None:
    assert run.REPORT.read_text(encoding="utf-8") == run.report(run.read_json(run.MEASURED))
