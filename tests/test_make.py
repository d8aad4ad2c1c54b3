"""From a spec to what it names: plugins, files, runs, functions, and what is none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cardai
from cardai import make
from cardai.core import registry
from cardai.core.agent import FunctionAgent, ScalarAgent
from cardai.core.errors import CardaiError, UsageError
from tests.support import python

BOT = '''"""A bot in a file."""
from cardai import hookimpl
from cardai.core.agent import ScalarAgent

class First(ScalarAgent):
    def choose(self, view, legal, rng):
        return legal[0]

@hookimpl
def cardai_agent():
    return First
'''


def test_naming_things_starts_fast() -> None:
    """Whoever imports it pays for numpy once a game is made, half a second later."""
    called = python("-c", "import sys; import cardai.make; print('numpy' in sys.modules, 'numba' in sys.modules)")
    assert called.stdout == "False False\n", called.stderr


def test_a_trained_run_is_a_player_and_remembers_its_spec(tmp_path: Path) -> None:
    cardai.train("cfr", "kuhn", steps=3, out=tmp_path / "run")
    spec = f"{tmp_path}/run"
    made = make.agent(spec)
    assert made.has_policy()
    assert registry.spec_of(made) == spec
    assert registry.spec_of(make.agent(f"{spec}:step=3")) == f"{spec}:step=3"


def test_a_file_of_python_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """./bot.py looks like a path: it is refused as a plugin that is not there, never opened as a directory of a run."""
    file = tmp_path / "bot.py"
    file.write_text(BOT)
    with pytest.raises(CardaiError) as said:
        make.agent(str(file))
    assert "run.json" not in str(said.value)
    assert "training run" not in str(said.value)


def test_what_can_be_had_for_a_game_is_told_by_asking_it() -> None:
    leduc, gin = make.game("leduc"), make.game("gin")
    assert make.takes("agent", "heisenbot", gin)
    assert not make.takes("agent", "heisenbot", leduc)
    assert make.takes("encoder", "flat", leduc)
    assert not make.takes("encoder", "gin_compact", leduc)
    assert make.takes("trainer", "cfr", leduc)
    assert not make.takes("trainer", "cfr", gin)
    assert not make.takes("agent", "nobody", leduc)


def test_whatever_a_plugin_raises_it_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(ScalarAgent):
        def for_game(self, game: Any) -> Any:
            raise ZeroDivisionError

    monkeypatch.setattr(registry, "create", lambda kind, name: Odd())
    assert not make.takes("agent", "odd", cardai.game("kuhn"))


def test_a_player_is_itself_a_spec_or_a_function() -> None:
    def first(view: Any, legal: list[int]) -> int:
        return legal[0]

    agent = make.agent("random")
    assert make.as_agent(agent) is agent
    assert isinstance(make.as_agent(first), FunctionAgent)
    assert type(make.as_agent("random")) is type(agent)
    game = make.game("kuhn")
    assert make.as_game(game) is game
    assert make.as_game("kuhn") == game
    for wrong in (FunctionAgent, 3, None, ["random"]):
        with pytest.raises(UsageError, match="An agent must be"):
            make.as_agent(wrong)  # type: ignore[arg-type]
    for wrong in (type(game), 3, None):
        with pytest.raises(UsageError, match="A game must be"):
            make.as_game(wrong)  # type: ignore[arg-type]
