"""A figure with its 95% interval, as games and the arena report it."""

from __future__ import annotations

import math

from attrs import frozen


@frozen
class Estimate:
    """A mean with the half-width of its 95% interval and the number of independent values behind it.

    ``half_width`` is nan when fewer than two values were given.
    """

    mean: float
    half_width: float
    count: int

    @property
    def low(self) -> float:
        """The interval's lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The interval's upper end."""
        return self.mean + self.half_width

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate in another unit."""
        return Estimate(self.mean * factor, self.half_width * abs(factor), self.count)

    def text(self, digits: int = 2, unit: str = "", sign: bool = False) -> str:
        """Return "53.60 ± 0.98 %", with ``sign`` "+53.60 ± 0.98 %"; a half-width that is not known is "?"."""
        width = "?" if math.isnan(self.half_width) else f"{self.half_width:.{digits}f}"
        return f"{self.mean:{'+' if sign else ''}.{digits}f} ± {width}{unit and ' ' + unit}"
