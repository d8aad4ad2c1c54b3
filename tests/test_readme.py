"""The README is true: its commands exist, its output is what comes out, its plugin plays, its Python runs.

``python tests/test_readme.py`` writes the output of its first command into it anew.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cardai.cli import COMMANDS, load_command
from cardai.core import registry
from cardai.core.spec import parse
from tests.commands.conftest import Call, cardai  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SHELL = [line for kind, body in BLOCKS if kind == "sh" for line in body.splitlines()]
INSTALL = "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt"
FIRST = f"{INSTALL} . && .venv/bin/cardai run --game gin --agent heisenbot --vs simple"
TESTS = f"{INSTALL} -e '.[dev]' && .venv/bin/python -m pytest -n 2"


def _calls() -> list[str]:
    return [line for line in SHELL if line.startswith("cardai ")]


def _block(kind: str, number: int = 0) -> str:
    return [body for name, body in BLOCKS if name == kind][number]


def test_the_two_commands_stand_there_and_ci_calls_the_second_and_then_the_style_checks() -> None:
    assert SHELL[0] == FIRST
    assert SHELL[-1] == TESTS
    ci = [line for line in (ROOT / ".ci/run").read_text().splitlines() if not line.startswith(("#", "set ", "cd "))]
    style = [".venv/bin/ruff format --check .", ".venv/bin/ruff check .", ".venv/bin/mypy"]
    assert ci == [TESTS, *style]


def test_the_shown_output_is_what_the_first_command_prints(cardai: Call) -> None:  # noqa: F811
    called = cardai(*FIRST.partition(".venv/bin/cardai ")[2].split())
    speed = re.compile(r"^[\d,]+ games a second.*$", re.MULTILINE)
    shown = "\n".join(line.rstrip() for line in called.out.splitlines()) + "\n"
    assert speed.sub("", shown) == speed.sub("", _block("text"))


@pytest.mark.parametrize("line", _calls())
def test_every_command_option_and_plugin_shown_exists(line: str) -> None:
    _, name, *words = shlex.split(line)
    assert name in COMMANDS
    command = load_command(name)
    if hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    known = {option for param in command.params for option in param.opts}
    for word, value in zip(words, [*words, ""][1:], strict=True):
        if word.startswith("-"):
            assert word in known
        kind = {"--game": "game", "--agent": "agent", "--vs": "agent", "--trainer": "trainer"}.get(word)
        if kind and value not in ("caller", "runs/leduc", "runs/video"):  # made by the reader
            registry.create(kind, parse(value))


def test_every_command_named_in_the_text_exists() -> None:
    for name in re.findall(r"`cardai ([a-z-]+)", TEXT):
        assert load_command(name).name == name


def test_the_player_has_12_lines_and_plays(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = _block("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    (tmp_path / "caller.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    call = next(line for line in _calls() if "caller.py" in line)
    assert cardai(*shlex.split(call)[1:], "--games", "20").code == 0


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(_block("python", 1), "README.md", "exec"), {})
    assert re.fullmatch(r"0\.\d{3} ± 0\.\d{3}\n", capsys.readouterr().out)


def test_every_linked_file_is_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            assert (ROOT / target).is_file(), (page, target)


def _renew() -> None:
    import subprocess
    import sys

    call = [sys.executable, "-m", "cardai", *FIRST.partition(".venv/bin/cardai ")[2].split()]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    (ROOT / "README.md").write_text(TEXT.replace(_block("text"), out), encoding="utf-8")


if __name__ == "__main__":
    _renew()
