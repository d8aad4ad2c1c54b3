"""Random hands replayed move by move in OpenSpiel and PokerKit: same legal actions, same movers, same payoffs.

The comparisons are those of ``benchmarks/rules_poker.py``, which plays 20,000 hands of each.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

from tests.support import sizes

_FILE = Path(__file__).parents[4] / "benchmarks" / "rules_poker.py"
_SPEC = importlib.util.spec_from_file_location("rules_poker", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
rules_poker = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(rules_poker)


@pytest.mark.parametrize("name", [name for name in rules_poker.COMPARISONS if name.startswith("OpenSpiel")])
@pytest.mark.parametrize("hands", sizes(100, 1000))
def test_random_hands_are_openspiels(name, hands):
    tally = rules_poker.COMPARISONS[name](hands, 11)
    assert tally.hands == hands
    assert tally.showdowns > hands // 20
    assert tally.excused == 0


PLAIN = ("PokerKit limit", "PokerKit no-limit")
HOLDEM = [f"{name}{players}" for name in PLAIN for players in ("", ", three players", ", six players")]


@pytest.mark.parametrize("name", [name for name in HOLDEM if name in rules_poker.COMPARISONS])
@pytest.mark.parametrize("hands", sizes(30, 1000))
def test_random_hands_are_pokerkits_but_for_tournament_rules(name, hands):
    with warnings.catch_warnings():
        tally = rules_poker.COMPARISONS[name](hands, 12)
    assert tally.hands == hands
    assert tally.differences == 0, tally.first
    if "players" not in name:
        assert tally.excused == 0  # heads-up the two sets of rules do not differ


OTHERS = [name for name in rules_poker.SPECS if name not in HOLDEM]
"""Short deck, Omaha, antes, straddles."""


@pytest.mark.long("three", "four", "five", "six")
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("hands", sizes(10, 1000))
def test_random_hands_of_other_games_are_pokerkits(name, hands):
    with warnings.catch_warnings():
        tally = rules_poker.COMPARISONS[name](hands, 12)
    assert (tally.hands, tally.differences) == (hands, 0), tally.first
    assert tally.actions > 3 * hands


@pytest.mark.long("Omaha of 5", "Omaha of 6")
@pytest.mark.parametrize("name", [name for name in rules_poker.COMPARISONS if name.startswith("PokerKit ranking")])
def test_random_hands_are_in_pokerkits_order(name):
    tally = rules_poker.COMPARISONS[name](500, 3)
    assert (tally.hands, tally.differences) == (500, 0), tally.first
