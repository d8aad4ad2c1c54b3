"""The conformance kit: named checks that every game, encoder, agent and trainer passes, ours and others'.

In a test module, a named pytest case a check::

    from cardai import testing

    @testing.parametrize_checks("game", "my_game")
    def test_my_game_conforms(check):
        check()

    @testing.parametrize_checks("agent", "my_bot", game="kuhn", exempt={"batch-independent": "it bluffs by row"})
    def test_my_bot_conforms(check):
        check()

Without pytest: ``cardai check KIND NAME``, or :func:`run_checks`. A plugin is named by its spec or given as an instance.
"""

from __future__ import annotations

from cardai.testing._cases import Case, Result, checks_for, parametrize_checks, run_checks
from cardai.testing._checks import CHECKS, Check, CheckFailed, NotApplicable
from cardai.testing._play import seconds_a_hand

__all__ = [
    "CHECKS",
    "Case",
    "Check",
    "CheckFailed",
    "NotApplicable",
    "Result",
    "checks_for",
    "parametrize_checks",
    "run_checks",
    "seconds_a_hand",
]
