"""docs/training.md is true: its limit player is the report's, its options and presets exist."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from cardai.cli import load_command
from cardai.core import registry
from cardai.core.spec import parse
from tests.support import ROOT

TEXT = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
README = (ROOT / "README.md").read_text(encoding="utf-8")
TELL = "cardai() { '" + sys.executable + "' -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\"; }\n"


def calls() -> list[list[str]]:
    """Return the arguments of every command in the page, as the shell hands them on."""
    done = subprocess.run(["bash", "-ec", TELL + "".join(BLOCKS)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]


def test_every_option_and_plugin_shown_exists() -> None:
    assert len(calls()) > 8
    for name, *words in calls():
        command = load_command(name)
        command = command.commands[words.pop(0)] if hasattr(command, "commands") else command
        known = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known
        for kind in ("trainer", "game", "encoder"):
            if f"--{kind}" in words:
                registry.create(kind, parse(option(words, f"--{kind}")))


def test_the_limit_player_is_that_of_the_report() -> None:
    sys.path.insert(0, str(ROOT / "experiments"))
    try:
        from poker_cnn_limit.run import OURS
    finally:
        sys.path.remove(str(ROOT / "experiments"))
    values, bets = (call for call in calls() if "poker_cnn_limit" in call and call[0] == "train")
    assert option(bets, "--encoder") == option(values, "--encoder") == OURS.encoder
    assert int(option(values, "--steps")) == OURS.value_steps
    assert int(option(bets, "--steps")) == OURS.hands * OURS.generations
    for shown, reported in ((values, OURS.values), (bets, OURS.bets.format(values=option(values, "--out")))):
        assert registry.create("trainer", option(shown, "--trainer")) == registry.create("trainer", reported)


@pytest.mark.long
def test_no_two_pages_train_into_one_directory() -> None:
    made = [option(call, "--out") for call in calls() if call[0] == "train" and "--out" in call]
    elsewhere = re.findall(r"^cardai train .*--out (\S+)", README, re.MULTILINE)
    shared = set(made) & set(elsewhere)
    assert shared == {"runs/video"}, "but for the command that both show"
    lines = {line for line in "".join(BLOCKS).splitlines() if "--out runs/video" in line}
    assert all(line in README for line in lines)


def test_every_preset_named_exists() -> None:
    for name in re.findall(r"`((?:nfsp|poker_cnn)_\w+)`", TEXT):
        kinds = [entry.kind for entry in registry.entries() if entry.name == name]
        assert kinds, name
