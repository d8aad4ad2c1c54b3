"""Every built-in plugin passes the conformance kit."""

from __future__ import annotations

from cardai import testing
from cardai.core import registry
from cardai.testing import Case

GAMES = [entry.name for entry in registry.entries("game") if entry.distribution == "cardai"]


@testing.parametrize_checks("game", *GAMES)
def test_game_conforms(check: Case) -> None:
    check()
