"""Estimates as people and programs read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardai.core.statistics import Estimate


def percent(estimate: Estimate) -> str:
    """Return a rate as "59.1 ± 2.9 %"."""
    if estimate.half_width >= 0.5:  # says nothing about a rate
        return f"{100 * estimate.mean:.1f} ± ? %"
    return estimate.scaled(100).text(1, "%")


def signed(estimate: Estimate, unit: str) -> str:
    """Return a mean as "+1.23 ± 0.31 points", with as many digits as its interval is worth."""
    width = estimate.half_width
    digits = 2 if math.isnan(width) or width == 0 else max(0, min(6, 1 - math.floor(math.log10(width))))
    mean = round(estimate.mean, digits) + 0.0  # no -0
    return f"{mean:+.{digits}f} ± {'?' if math.isnan(width) else f'{width:.{digits}f}'} {unit}"


def columns(agents: Sequence[str]) -> list[str]:
    """Return a heading for each agent; clones are numbered."""
    return [
        f"{name} ({agents[: i + 1].count(name)})" if agents.count(name) > 1 else name for i, name in enumerate(agents)
    ]


def estimate_json(estimate: Estimate, rate: bool = False) -> dict[str, Any]:
    """Return an estimate as mean, low, high (null where unknown; a rate's within 0 and 1) and its independent values."""
    values = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    if rate:
        values = {key: min(1.0, max(0.0, value)) if value == value else value for key, value in values.items()}
    return {key: None if math.isnan(x) else x for key, x in values.items()} | {"count": estimate.count}
