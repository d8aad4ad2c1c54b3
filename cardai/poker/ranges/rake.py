"""Rake: what the house takes of a pot.

At every end of a hand with a flop, min(rate x pot, cap) goes to the house: who gets the pot pays it, and at a tie each half. A
bet that nobody called is no part of the pot. A hand that ends before the flop pays none ("no flop, no drop").
"""

from __future__ import annotations

from attrs import field, frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError


@frozen
class Rake:
    """A share of the pot, up to a cap."""

    rate: float = field(default=0.0)
    """From 0 to 1."""
    cap: float = field(default=float("inf"))
    """In chips."""

    def __bool__(self) -> bool:
        return self.rate > 0 and self.cap > 0

    def of(self, pots: Float64s) -> Float64s:
        """Return what is taken of each pot."""
        return (self.rate * pots).clip(max=self.cap)


NO_RAKE = Rake()
"""Nothing is taken."""


def check_rake(rate: float, cap: float) -> None:
    """Raise UsageError unless they make sense."""
    if not 0.0 <= rate < 1.0:
        raise UsageError(f"The rake is a share of the pot from 0 to below 1, such as 0.05 or 5%. Got {rate:g}.")
    if not cap >= 0.0:
        raise UsageError(f"The cap of the rake is in chips, 0 or more. Got {cap:g}.")


__all__ = ["NO_RAKE", "Rake", "check_rake"]
