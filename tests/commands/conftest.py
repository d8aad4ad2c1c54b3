"""The command line as a function: arguments in; exit code, stdout and stderr out."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from cardai.cli import main
from cardai.core import registry

BOTS = '''"""Players of any game, for tests."""

from cardai import hookimpl
from cardai.core.agent import ScalarAgent


class Lowest(ScalarAgent):
    def choose(self, view, legal, rng):
        return legal[0]


class Highest(ScalarAgent):
    def choose(self, view, legal, rng):
        return legal[-1]


class Raises(ScalarAgent):
    def choose(self, view, legal, rng):
        raise ValueError("no idea")


class Cheats(ScalarAgent):
    def choose(self, view, legal, rng):
        return 77


@hookimpl
def cardai_agent():
    return {"lowest": Lowest, "highest": Highest, "raises": Raises, "cheats": Cheats}
'''


@frozen
class Called:
    """What a call of the command line left."""

    code: int
    out: str
    err: str


Call = Callable[..., Called]


@pytest.fixture
def cardai(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Give a function that calls the command line in this process, with a registry that knows no files."""
    registry.default.reset()
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: str, stdin: str = "") -> Called:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(stop.value.code if isinstance(stop.value.code, int) else 0, captured.out, captured.err)

    yield call
    registry.default.reset()


@pytest.fixture
def bots(tmp_path: Path) -> str:
    """Return a one-file plugin with the agents lowest, highest, raises and cheats."""
    file = tmp_path / "bots.py"
    file.write_text(BOTS)
    return str(file)


@pytest.fixture
def record(cardai: Call, bots: str, tmp_path: Path) -> str:
    """Return a record of six games of Kuhn poker, highest against lowest."""
    file = str(tmp_path / "hands.jsonl")
    call = cardai("run", "-g", "kuhn", "-a", "highest", "--vs", "lowest", "--plugin", bots, "-n", "6", "--record", file)
    assert call.code == 0
    return file
