"""docs/play.md is true: its commands and options exist, its keys are those of the app, its pictures are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cardai.cli import COMMANDS, load_command

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "play.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
CALLS = [line for line in "".join(BLOCKS).splitlines() if line.startswith("cardai ")]


@pytest.mark.parametrize("line", CALLS)
def test_the_commands_and_options_exist(line: str) -> None:
    _, name, *words = shlex.split(line)
    assert name in COMMANDS
    known = {option for param in load_command(name).params for option in param.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_the_options_that_are_spoken_of_exist() -> None:
    known = {
        option
        for name in ("play", "replay", "matches", "drill")
        for param in load_command(name).params
        for option in param.opts
    }
    assert set(re.findall(r"`(--[\w-]+)", TEXT)) <= known


def test_every_picture_is_there_and_every_kept_one_is_shown() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in (*DOCS.glob("*.md"), DOCS.parent / "README.md")}
    shown = {name: set(re.findall(r"\]\((?:docs/)?pictures/([^)]+)\)", text)) for name, text in pages.items()}
    assert set().union(*shown.values()) == {path.name for path in (DOCS / "pictures").iterdir()}
    for picture in (DOCS / "pictures").glob("*.svg"):
        assert picture.read_text(encoding="utf-8").count("<text") > 20, picture.name  # more than an empty screen
    sizes = [re.fullmatch(r"web-(.+)-(390|1280|2560)\.webp", name) for name in shown["tables.md"]]
    games = [one[1] for one in sizes if one]
    assert len(games) == len(sizes) == 42
    assert all(games.count(name) == 3 for name in games)


def test_the_keys_listed_are_told_by_the_app_too() -> None:
    pytest.importorskip("textual")
    from cardai.ui import replaying, table

    told = table.KEYS_HELP + replaying.KEYS_HELP
    for key in re.findall(r"^\| (.*?) \|", TEXT, re.MULTILINE):
        for letter in re.findall(r"`([^`])`", key):
            assert re.search(rf"(?<![\w]){re.escape(letter)}(?![\w])", told), letter
