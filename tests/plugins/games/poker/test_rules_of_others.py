"""Random hands replayed move by move in OpenSpiel and PokerKit: same legal actions, same movers, same payoffs.

The comparisons are those of ``benchmarks/rules_poker.py``, which plays 20,000 hands of each.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[4] / "benchmarks" / "rules_poker.py"
_SPEC = importlib.util.spec_from_file_location("rules_poker", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
rules_poker = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(rules_poker)


@pytest.mark.parametrize("name", [name for name in rules_poker.COMPARISONS if name.startswith("OpenSpiel")])
def test_a_thousand_random_hands_are_openspiels(name):
    tally = rules_poker.COMPARISONS[name](1000, 11)
    assert tally.hands == 1000
    assert tally.showdowns > 50
    assert tally.excused == 0


@pytest.mark.parametrize("name", [name for name in rules_poker.COMPARISONS if name.startswith("PokerKit")])
def test_random_hands_are_pokerkits_but_for_tournament_rules(name):
    with warnings.catch_warnings():
        tally = rules_poker.COMPARISONS[name](1000, 12)
    assert tally.hands == 1000
    if "players" not in name:
        assert tally.excused == 0  # heads-up the two sets of rules do not differ
