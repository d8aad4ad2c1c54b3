"""Graded decisions: what somebody did, what would have been best, what the difference cost, and why. The rows of a review."""

from __future__ import annotations

from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.reasons import Reason
from cardai.core.schema import whole


def _finite(instance: Any, attribute: Attribute[Any], value: float) -> None:
    if not abs(value) < 2**63:
        raise ValueError(f"{attribute.name} must be a number that something can cost. Got {value}")


@frozen
class Decision:
    """One decision of the reviewed player. Values and costs are in the judge's unit."""

    place: int = field(validator=whole())
    """Which of the hand's actions it is, from 0."""
    action: int = field(validator=whole(0, 2**31))
    words: str
    best: int = field(validator=whole(0, 2**31))
    best_words: str
    value: float = field(validator=_finite)
    """What the judge expects of what was done."""
    best_value: float = field(validator=_finite)
    worst_value: float = field(validator=_finite)
    floor: float = field(validator=_finite)
    """What the difference to the best may be by the judge's own error: what lost no more, cost nothing."""
    verdict: str
    situation: dict[str, str] = field(factory=dict)
    reasons: tuple[Reason, ...] = ()
    options: dict[str, float] = field(factory=dict)
    """The best few actions, and the one that was taken, by their words, with their values."""

    @property
    def lost(self) -> float:
        """How much less is expected of what was done than of the best, the judge's error not heeded."""
        return max(self.best_value - self.value, 0.0)

    @property
    def cost(self) -> float:
        """What the decision cost: what it lost, 0 where that is no more than the floor."""
        return self.lost if self.lost > self.floor else 0.0


@frozen
class GradedHand:
    """One hand of the reviewed player. ``number`` counts the file's hands from 1; ``returns`` is what he won."""

    number: int = field(validator=whole(1))
    game_number: int = field(validator=whole())
    hand: int = field(validator=whole())
    group: int = field(validator=whole())
    """Its duplicate group: only groups are independent."""
    seat: int = field(validator=whole(0, 127))
    returns: float = field(validator=_finite)
    decisions: tuple[Decision, ...] = ()
    left_out: dict[str, int] = field(factory=dict)
    """Decisions that were not graded, counted by the reason."""

    @property
    def cost(self) -> float:
        """What its decisions cost together."""
        return sum(decision.cost for decision in self.decisions)
