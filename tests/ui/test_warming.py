"""What is compiled before the first hand, in a thread of its own."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.ui.match import Match
from cardai.ui.warming import warm

BROKEN = '''"""A game with a kernel that cannot be compiled."""
from attrs import frozen
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.plugins.games.kuhn import Kuhn

@kernel
def broken(action):
    return action + "a"

@frozen
class Broken(Kuhn):
    def action_to_string(self, action):
        return broken(action)

@hookimpl
def cardai_game():
    return {"broken": Broken}
'''


def test_a_game_whose_kernel_cannot_be_compiled_is_waited_for_no_longer_and_errs_at_the_table(tmp_path: Path) -> None:
    """Its thread ended with the error while a kernel was being compiled, for which all tables then waited for ever."""
    (tmp_path / "broken.py").write_text(BROKEN)
    registry.add_file(str(tmp_path / "broken.py"))
    warming = threading.Thread(target=warm, args=("broken", ["random"]), daemon=True)
    warming.start()
    warming.join(60)
    assert not warming.is_alive()
    match = Match.begin("broken", ["random"], seed=1)
    with pytest.raises(Exception, match=r"unsupported operand|No implementation of function"):
        match.step() if match.waiting else match.act(1)
