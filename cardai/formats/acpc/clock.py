"""The players' time: for one response, for a hand, for the whole match."""

from __future__ import annotations

from attrs import field, frozen, validators

from cardai.formats.acpc.seat import MatchAborted

_positive = validators.gt(0)


@frozen
class TimeLimits:
    """Limits in milliseconds; ``per_hand`` is an average, so the match may take it times the number of hands.

    The defaults are the C dealer's: ten minutes a response and a hand, seven seconds a hand on average.
    """

    response: int = field(default=600_000, validator=_positive)
    hand: int = field(default=600_000, validator=_positive)
    per_hand: int = field(default=7_000, validator=_positive)

    def patience(self, hands: int) -> float:
        """Return how long one wait can possibly be allowed, in seconds, in a match of ``hands`` hands."""
        return min(self.response, self.hand, self.per_hand * hands) / 1000


class Clock:
    """The time that the players have used."""

    def __init__(self, limits: TimeLimits, players: int, hands: int) -> None:
        self.limits = limits
        self.in_match = [0.0] * players
        self._in_hand = [0.0] * players
        self._response = limits.response / 1000
        self._hand = limits.hand / 1000
        self._match = limits.per_hand * hands / 1000

    def new_hand(self) -> None:
        """Begin a hand."""
        self._in_hand = [0.0] * len(self._in_hand)

    def left(self, seat: int) -> float:
        """Return the seconds that ``seat`` may still take for the response it is being asked for."""
        return min(self._response, self._hand - self._in_hand[seat], self._match - self.in_match[seat])

    def charge(self, seat: int, seconds: float) -> None:
        """Note that a response of ``seat`` took ``seconds``. Raises MatchAborted when a limit is exceeded."""
        self._in_hand[seat] += seconds
        self.in_match[seat] += seconds
        if seconds > self._response or self._in_hand[seat] > self._hand or self.in_match[seat] > self._match:
            raise MatchAborted(f"seat {seat + 1} ran out of time")
