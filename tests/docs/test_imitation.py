"""docs/imitation.md is true: its options, plugins, columns and weights are the real ones, its Python reads real shards."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from cardai.cli import load_command
from cardai.core import registry
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.learn.imitation.examples import COLUMNS
from tests.formats.acpc_table import DATA
from tests.support import ROOT

TEXT = (ROOT / "docs" / "imitation.md").read_text(encoding="utf-8")
LINES = [shlex.split(line) for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]


def test_every_option_plugin_and_column_shown_exists() -> None:
    assert len(LINES) == 9
    for program, name, *words in LINES:
        if program == "python":
            script = (ROOT / name).read_text(encoding="utf-8")
            assert all(f'"{word}"' in script for word in words if word.startswith("-"))
            continue
        command = load_command(name)
        command = command.commands[words.pop(0)] if hasattr(command, "commands") else command
        known = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known
    presets = re.findall(r"^\| `(cnn_valuation\w+)`", TEXT, re.MULTILINE)
    assert len(presets) == 4
    for preset in presets:
        registry.create("trainer", preset)
    columns = set(
        re.findall(
            r"`(\w+)`", " ".join(re.findall(r"^\| (`(?:label|action|hand|value|deal)`.*?) \|", TEXT, re.MULTILINE))
        )
    )
    assert columns == set(COLUMNS)


def test_the_python_shown_reads_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = DATA / "2p.limit.seed0.log"
    manifest = convert([str(log)], stream_hands, Path("examples/all"), Settings("cnn_valuation"))
    seen = []
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code, {"fit": lambda codes, labels: seen.append((codes, labels))})
    ((codes, labels),) = seen
    assert len(codes) == len(labels) < manifest.examples
    assert codes.shape[1:] == manifest.shape
    assert labels.dtype == np.int16
