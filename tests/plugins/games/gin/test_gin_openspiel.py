"""Gin's rules are exactly OpenSpiel's under the options in which the two agree (20,000 hands: benchmarks/gin_rules.py)."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import sizes

pytest.importorskip("pyspiel")


def comparison() -> Any:
    """Return the benchmark as a module."""
    file = Path(__file__).parents[4] / "benchmarks" / "gin_rules.py"
    spec = importlib.util.spec_from_file_location("gin_rules", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gin_rules"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("hands", sizes(32, 512))
def test_hands_agree_decision_by_decision(hands: int) -> None:
    module = comparison()
    counts: Counter[str] = Counter()
    module.compare(hands, 3, "random", counts)
    module.compare(hands, 4, "choose", counts)
    assert counts["knocks"] > hands - 12
    assert counts["gins"] > hands // 26
    assert counts["undercuts"] > hands // 52
    assert counts["hands with a layoff"] > hands // 6
    assert counts["void or capped"] > hands // 52


@pytest.mark.long
@pytest.mark.parametrize("hands", sizes(128, 512))
def test_oklahoma_hands_agree_decision_by_decision(hands: int) -> None:
    counts: Counter[str] = Counter()
    comparison().compare(hands, 5, "random", counts, oklahoma=True)
    assert counts["knocks or gins with a limit below ten"] > hands // 11
    assert counts["gins that an ace demanded"] > hands // 256
