"""Pots that two players see the flop in: what is needed to solve one, and the ranges that they come with."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.notation import parse_range
from cardai.poker.preflop.charts import POTS

ROLES = ("raise", "call")
"""Whether a player raised last before the flop, or not."""


@frozen
class Move:
    """One action after the flop: ``seat`` 0 acts first on every street, 1 last; ``to`` is what the player has then put in on
    this street; ``kind`` is fold, check, call, bet or raise."""

    street: int
    """0 flop, 1 turn, 2 river."""
    seat: int
    kind: str
    to: float


@frozen
class FlopHand:
    """A hand of no-limit hold'em that two players saw the flop of, in chips. ``hero`` is the seat that is graded.

    ``positions`` are what the seats are called before the flop ("BTN", "BB"), ``roles`` what each did last there.
    """

    board: tuple[int, ...]
    """Three to five cards."""
    pot: float
    stacks: tuple[float, float]
    """Behind, at the flop."""
    moves: tuple[Move, ...]
    hero: int
    cards: tuple[int, int]
    """The hero's."""
    positions: tuple[str, str]
    kind: str
    """One of :data:`POTS`."""
    roles: tuple[str, str]
    big_blind: float
    returns: float
    """What the hand brought the hero, after rake."""
    aggressor: int = -1
    seats: tuple[int, int] = (0, 1)
    """Which of the hand's players the two are, from the first after the button."""
    raked: bool = True
    """Whether the room takes a share: not in tournaments."""
    bets: tuple[float, ...] = ()
    """What a bet is on the flop, the turn and the river where all are of one size (limit); else none."""
    caps: tuple[int, ...] = ()
    """How many bets such a street has at most."""
    come: tuple[tuple[Float64s, Float64s], ...] = field(default=(), eq=False)
    """The ranges (1326,) with which both come to each street, where somebody says so who plays whole ranges; else none: they
    are those that the solution of the street before leaves."""
    asked: tuple[int, ...] = (0, 1, 2)
    """The streets whose decisions are graded."""


def _known(instance: RangeBook, attribute: object, value: Mapping[str, str]) -> None:
    for key, text in value.items():
        parts = key.split(".") if key else []
        kinds = [[part in POTS, part in ROLES, part.isupper() or part[:3] == "UTG"] for part in parts]
        if any(not any(kind) for kind in kinds) or any(sum(column) > 1 for column in zip(*kinds, strict=True)):
            raise UsageError(
                f"A range is for a kind of pot ({', '.join(POTS)}), a role ({', '.join(ROLES)}) and a position (BTN, BB, ...), "
                f"joined by dots, each at most once. Got {key!r}."
            )
        parse_range(text)


@frozen
class RangeBook:
    """Ranges at the flop by who comes with them: "single.BTN.raise", "3bet.call", "BB", "" for everybody. The most particular
    name holds; of equally particular ones that with the kind of pot, then that with the role.

    Raises:
        UsageError: a name or a range that cannot be read.
    """

    ranges: Mapping[str, str] = field(factory=dict, validator=_known)

    def of(self, kind: str, position: str, role: str) -> str | None:
        """Return the range (in the notation of :mod:`cardai.poker.notation`) of a player at a flop, None: none is known."""
        known = {frozenset(key.split(".")) if key else frozenset(): text for key, text in self.ranges.items()}
        for name in (
            {kind, position, role}, {kind, role}, {kind, position}, {position, role}, {kind}, {role}, {position}, set[str](),
        ):  # fmt: skip
            if frozenset(name) in known:
                return known[frozenset(name)]
        return None
