"""list-plugins and describe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cardai.cli import COMMANDS
from cardai.core import registry
from cardai.core.discovery import preset_lines
from cardai.core.registry import GROUPS, Entry
from tests.commands.conftest import Call
from tests.support import sizes


def test_help_lists_every_command_that_is_there(cardai: Call) -> None:
    called = cardai("--help")
    assert called.code == 0
    for name in COMMANDS:
        assert f" {name} " in called.out
    assert called == cardai() == cardai("help")  # nothing given: the help too
    assert cardai("help", "run") == cardai("run", "--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_the_common_options(cardai: Call, command: str) -> None:
    called = cardai(command, "--help")
    assert called.code == 0
    for option in ("--plugin", "--watch", "--quiet", "--debug"):
        assert option in called.out


def test_version(cardai: Call) -> None:
    assert cardai("--version").out == "cardai 0.1.0\n"


def test_plugins_are_listed_by_kind_with_their_first_line(cardai: Call) -> None:
    called = cardai("list-plugins")
    assert "games\n" in called.out
    assert "  kuhn " in called.out
    assert "Kuhn poker: one card each" in called.out
    assert "agents\n" not in cardai("list-plugins", "--kind", "games").out


def test_every_preset_of_ours_says_what_it_is_with_its_publication_or_that_it_is_ours() -> None:
    plain = {"always_call", "always_raise", "always_fold", "grid_4x13", "double_row_8x13"}
    competition = re.compile(r"Annual Computer Poker Competition|ACPC|the same competition")
    for entry in registry.entries():
        if entry.distribution == "cardai" and entry.preset_of:
            line = entry.preset_line()
            assert line.endswith("."), entry.name
            source = re.search(r"\d{4}", line) or competition.search(line) or "; ours" in line
            assert source or entry.name in plain, f"{entry.name}: {line}"


def test_a_presets_line_may_go_on_and_ends_where_the_list_does() -> None:
    doc = """A plugin.

Presets:
    one: what it is,
        told at length.
    two-2: another: with a colon.

Other: no preset.
"""
    assert preset_lines(doc) == {"one": "what it is, told at length.", "two-2": "another: with a colon."}
    assert preset_lines("A plugin without.") == {}


def test_presets_are_listed_with_their_lines(cardai: Call) -> None:
    out = cardai("list-plugins", "--kind", "agent").out
    assert "heisenbot       looks ahead in drawing" in out
    assert "preset of" not in out
    said = json.loads(cardai("list-plugins", "--kind", "trainer", "--json").out)
    assert next(row for row in said if row["name"] == "dcfr")["summary"].startswith("discounted CFR with alpha 1.5")
    assert "discounted CFR with alpha 1.5" in cardai("describe", "trainer", "cfr").out


@pytest.mark.long("gin")
@pytest.mark.parametrize(
    ("game", "fits", "not_"),
    [
        (
            "leduc",
            {"leduc_30", "always_call", "human", "nfsp", "cfr_plus"},
            {"heisenbot", "video_perfect", "poker_cnn", "gin_values", "bucket_mccfr", "counterfactual_values"},
        ),
        (
            "gin",
            {"heisenbot", "flat", "gin_values"},
            {"nfsp", "leduc_values", "bucket_mccfr", "always_call", "cfr", "leduc_30", "one_hot_1326"},
        ),
        ("video_poker", {"video_perfect", "poker_cnn_video_ours"}, {"nfsp", "heisenbot", "always_call"}),
    ],
)
def test_what_can_play_encode_and_train_a_game_is_listed(
    cardai: Call, game: str, fits: set[str], not_: set[str]
) -> None:
    listed = {row["name"] for row in json.loads(cardai("list-plugins", "--for", game, "--json").out)}
    assert fits <= listed
    assert not not_ & listed
    assert game not in listed


def test_plugins_as_json(cardai: Call) -> None:
    rows = json.loads(cardai("list-plugins", "--json", "--kind", "game").out)
    kuhn = next(row for row in rows if row["name"] == "kuhn")
    assert kuhn["kind"] == "game"
    assert kuhn["distribution"] == "cardai"
    assert kuhn["status"] == "ok"
    assert {row["kind"] for row in rows} == {"game"}


def test_a_plugin_file_is_listed_with_its_file(cardai: Call, bots: str) -> None:
    called = cardai("list-plugins", "--kind", "agent", "--plugin", bots)
    assert "highest" in called.out
    assert Path(bots).name in called.out.replace("\n", "")


def test_check_names_what_is_broken_and_ends_with_1(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Entry("agent", "odd", "no_such_module_here", "somebodys-bots", "1.0")
    registry.default.reset((odd,))
    called = cardai("list-plugins", "--check")
    assert called.code == 1
    assert "somebodys-bots 1.0" in called.out
    assert "ModuleNotFoundError" in called.out.replace("\n", " ")
    assert cardai("list-plugins").code == 0  # listing never fails


def test_a_missing_extra_is_shown_with_the_command_that_mends_it(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = Entry("trainer", "deep", "deep", "cardai", "1", extras=("torch",), missing="pip install './x[torch]'")
    registry.default.reset((deep,))
    assert "needs: pip install './x[torch]'" in cardai("list-plugins").out
    assert cardai("list-plugins", "--check").code == 0  # an extra is a choice, not a fault


def test_describe_shows_a_games_rules_fields_and_actions(cardai: Call) -> None:
    called = cardai("describe", "game", "kuhn")
    assert "Ante one, get a card" in called.out
    assert "history  public_history  3" in called.out
    assert "0 pass, 1 bet" in called.out
    about = json.loads(cardai("describe", "games", "kuhn", "--json").out)
    assert about["actions"] == {"0": "pass", "1": "bet"}
    assert [field["name"] for field in about["view_fields"]] == ["player", "card", "history"]


@pytest.mark.parametrize("every", sizes(8, 1))
def test_every_built_in_plugin_can_be_described(cardai: Call, every: int) -> None:
    for kind in GROUPS:
        for entry in list(registry.entries(kind))[::every]:
            if entry.status == "ok":
                called = cardai("describe", kind, entry.name)
                assert called.code == 0, (entry, called.err)
                assert entry.name in called.out


def test_a_trained_run_can_be_described_as_the_agent_it_is(cardai: Call, tmp_path: Path) -> None:
    from cardai.training.runs import Run

    Run.create(tmp_path / "run", "cfr_plus", "kuhn", None, seed=3, steps=5)
    called = cardai("describe", "agent", str(tmp_path / "run"))
    assert called.code == 0
    assert "game     kuhn" in called.out
    assert "steps    0 iterations (checkpoints: none yet)" in called.out
    assert "There is no training run in 'runs/none'" in cardai("describe", "agent", "runs/none").err


def test_warnings_are_one_line_in_the_same_style(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def warn(kind: str | None) -> list[Entry]:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("Playing step 3 instead.", UserWarning, stacklevel=1)
        return []

    monkeypatch.setattr("cardai.commands.list_plugins.entries", warn)
    assert cardai("list-plugins").err == "cardai: Playing step 3 instead.\n"
