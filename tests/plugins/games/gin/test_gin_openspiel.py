"""Gin's rules are exactly OpenSpiel's under the options in which the two agree (20,000 hands: benchmarks/gin_rules.py)."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

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


def test_a_thousand_hands_agree_decision_by_decision() -> None:
    module = comparison()
    counts: Counter[str] = Counter()
    module.compare(512, 3, "random", counts)
    module.compare(512, 4, "choose", counts)
    assert counts["knocks"] > 500
    assert counts["gins"] > 20
    assert counts["undercuts"] > 10
    assert counts["hands with a layoff"] > 100
    assert counts["void or capped"] > 10


def test_oklahoma_hands_agree_decision_by_decision() -> None:
    counts: Counter[str] = Counter()
    comparison().compare(512, 5, "random", counts, oklahoma=True)
    assert counts["knocks or gins with a limit below ten"] > 50
    assert counts["gins that an ace demanded"] > 2
