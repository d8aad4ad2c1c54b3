"""docs/bridges.md is true: its Python runs, and its commands, options and plugins exist."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from cardai.cli import load_command
from cardai.core import registry
from cardai.core.spec import parse
from tests.support import ROOT

TEXT = (ROOT / "docs" / "bridges.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SHELL = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
TELL = (
    "cardai() { '" + sys.executable + "' -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\"; }\n"
    'python() { test -f "$1"; }\n'
)


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_the_python_shown_runs(block: str) -> None:
    for library in ("gymnasium", "pettingzoo"):
        if library in block or ("vector_env" in block and library == "gymnasium"):
            pytest.importorskip(library)
    exec(compile(block, "docs/bridges.md", "exec"), {"__name__": "docs"})


def test_every_command_option_and_plugin_shown_exists() -> None:
    script = TELL + "".join(SHELL)
    done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=True, cwd=ROOT)
    calls = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(calls) > 8
    for name, *words in calls:
        called = load_command(name)
        while hasattr(called, "commands"):
            called = called.commands[words.pop(0)]
        known = {option for param in called.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known
        for kind in ("trainer", "game"):
            if f"--{kind}" in words:
                spec = parse(words[words.index(f"--{kind}") + 1])
                made: Any = registry.find(kind, spec.name)
                assert made
        for given in (words[k + 1] for k, word in enumerate(words) if word == "--set"):
            trainer = words[words.index("--trainer") + 1]
            key, _, values = given.partition("=")
            for value in values.split("+"):
                registry.create("trainer", f"{trainer}:{key}={value}")


def test_the_sizes_of_encodings_are_those_said() -> None:
    def size(encoder: str, game: str) -> int:
        made = registry.create("encoder", encoder).for_game(registry.create("game", game))
        return int(made.shape[0])

    assert size("flat", "gin") == 28_883
    assert size("gin_compact", "gin") == 329
    assert 195 <= size("holdem_compact", "holdem_limit") <= 205
