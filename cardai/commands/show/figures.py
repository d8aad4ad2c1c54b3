"""Estimates as programs read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardai.arena.bootstrap import Interval
    from cardai.core.statistics import Estimate


def interval_json(found: Interval) -> dict[str, Any]:
    """Return an interval as mean, low, high (null where unknown) and its independent values."""
    values = {"mean": found.mean, "low": found.low, "high": found.high}
    return {key: None if math.isnan(x) else x for key, x in values.items()} | {"count": found.count}


def spread_json(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as mean and half_width, null where unknown."""
    figures = {"mean": estimate.mean, "half_width": estimate.half_width}
    return {key: None if math.isnan(x) else x for key, x in figures.items()}


def estimate_json(estimate: Estimate, rate: bool = False) -> dict[str, Any]:
    """Return an estimate as mean, low, high (null where unknown; a rate's within 0 and 1) and its independent values."""
    values = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    if rate:
        values = {key: min(1.0, max(0.0, value)) if value == value else value for key, value in values.items()}
    return {key: None if math.isnan(x) else x for key, x in values.items()} | {"count": estimate.count}
