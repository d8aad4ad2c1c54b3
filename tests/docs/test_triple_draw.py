"""docs/triple-draw.md: its commands run, small, and its options are those there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardai.core.registry import create
from cardai.draw.draws_made import DRAWN
from tests.commands.conftest import Call, cardai  # noqa: F401
from tests.support import ROOT

PAGE = (ROOT / "docs" / "triple-draw.md").read_text()
SHORTER = (
    ("bucket_mccfr_draw ", "bucket_mccfr_draw:hands=5,final=4 "),
    ("--minutes 15", "--steps 300"),
    ("--games 20000", "--games 100"),
    ("--hands 20000", "--hands 50"),
    ("--hands 2000", "--hands 50"),
    ("--hands 500", "--hands 2"),
    ("--hands 20", "--hands 2"),
)


@pytest.mark.long
def test_the_commands_run_in_order(cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
    assert len(lines) == 6
    for line in lines:
        for text, shorter in SHORTER:
            line = line.replace(text, shorter)
        called = cardai(*line.split()[1:])
        assert called.code == 0, (line, called.err)


def test_the_numbers_said_are_the_options_defaults() -> None:
    trainer = create("trainer", "bucket_mccfr_draw")
    for text in re.findall(r"`(\w+=[\w.]+)`", PAGE):
        name, _, value = text.partition("=")
        if hasattr(trainer, name):
            assert str(getattr(trainer, name)) == value
        else:
            assert name in trainer.agent_options()
    assert " / ".join(DRAWN) in PAGE
