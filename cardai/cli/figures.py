"""Estimates as people and programs read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardai.core.statistics import Estimate


def percent(estimate: Estimate) -> str:
    """Return a rate as "59.1 ± 2.9 %"."""
    return estimate.scaled(100).text(1, "%")


def signed(estimate: Estimate, unit: str) -> str:
    """Return a mean as "+1.23 ± 0.31 points", with as many digits as its interval is worth."""
    width = estimate.half_width
    digits = 2 if math.isnan(width) or width == 0 else max(0, min(6, 1 - math.floor(math.log10(width))))
    return f"{estimate.mean:+.{digits}f} ± {'?' if math.isnan(width) else f'{width:.{digits}f}'} {unit}"


def columns(agents: Sequence[str]) -> list[str]:
    """Return a heading for each agent; clones are numbered."""
    return [
        f"{name} ({agents[: i + 1].count(name)})" if agents.count(name) > 1 else name for i, name in enumerate(agents)
    ]


def estimate_json(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as mean, low, high (null where unknown) and the number of independent values."""
    values = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    return {key: None if math.isnan(x) else x for key, x in values.items()} | {"count": estimate.count}
