"""What a set of solved situations is made by: all that its boards, pots, ranges and values depend on."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from itertools import count

import numpy as np
from attrs import evolve, field, frozen

from cardai.core.errors import UsageError
from cardai.core.schema import whole
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.values.situations import (
    BETS,
    BOARD_CARDS,
    EVERY,
    FASTER,
    FLOP,
    HOLDEM_GAME,
    INTERVALS,
    SECOND,
    STREETS,
    Situation,
    nearby,
    situation,
    situation_game,
)

LEAST_SHARE = 0.001
"""The least share of self-play but none: one file of a thousand."""
PER_SHARD = {"river": 250, "turn": 10, "flop": 10, SECOND: 4000}
"""How many situations make a shard unless told: some ten seconds of one CPU, and in Leduc many of each pot and board."""


@frozen
class Recipe:
    """Everything that a set's situations and values depend on."""

    street: str
    seed: int = field(validator=whole())
    iterations: tuple[int, ...] = field(validator=whole(1, 10**6))
    """How often a situation is iterated, by the interval of its pot."""
    intervals: tuple[int, ...] = field(default=EVERY, validator=whole(0, len(INTERVALS) - 1))
    """Which intervals pots are from."""
    bets: str = BETS
    discounts: tuple[float, float, float] = FASTER
    player: str = ""
    """Whose self-play the ranges are from; empty: they are drawn at random."""
    game: str = ""
    """The game of that self-play; without a player the Leduc that situations are of (empty: they are hold'em's)."""
    share: float = 1.0
    """With a player: of how many files the ranges are its; those of the others are at random, and the same as in a set without one."""
    rows: int = field(default=1, validator=whole(1, 64))
    """Situations of a solve: the first is solved, the others are its neighbours, worth what its strategies win there."""
    per_shard: int = field(default=PER_SHARD["river"], validator=whole(1, 100_000))
    network: str = ""
    """On the flop: the SHA-256 of the network of the turn that values what lies behind it (:attr:`.plain_network.PlainNetwork.digest`)."""
    cards: int = field(default=0, validator=whole(0, 49))
    """On the flop: the turns that an iteration looks at; 0: all."""

    def check(self) -> None:
        """Raise UsageError for what no set can be made by."""
        if (self.street == SECOND) != (self.drawn_in.hands.held == 1) or self.street not in BOARD_CARDS:
            raise UsageError(f"Situations are on the {', the '.join(STREETS)}, Leduc's {SECOND}. Got {self.street!r}.")
        if len(self.iterations) != len(INTERVALS):
            raise UsageError(
                f"Iterations are one number, or {len(INTERVALS)} joined by +, one for each interval of pots. "
                f"Got {len(self.iterations)}."
            )
        if self.street == SECOND and self.intervals != EVERY:
            raise UsageError(
                f"The intervals of pots are hold'em's: Leduc's pots are those that can come. Got {self.intervals}."
            )
        if not LEAST_SHARE <= self.share <= 1 or (self.share < 1 and not self.player):
            raise UsageError(
                f"The share of self-play is {LEAST_SHARE:g} to 1, and below 1 there must be a player, who has that share. "
                f"Got {self.share:g}."
            )
        if self.per_shard % self.rows:
            raise UsageError(
                f"A file has whole solves: {self.per_shard} situations are no multiple of {self.rows} rows."
            )
        if len(set(self.intervals)) != len(self.intervals):
            raise UsageError("An interval of pots is named twice.")
        if (self.street == FLOP) != bool(self.network) or (self.street != FLOP and self.cards):
            raise UsageError(
                "A network of the turn values what lies behind the flop, and no other street: --values RUN with --street flop."
            )
        if self.street == FLOP and self.rows > 1:
            raise UsageError("Neighbours of a situation are worked out where it is solved to the end, not on the flop.")
        menus(self.bets, (SECOND,) if self.street == SECOND else STREETS[STREETS.index(self.street) :])

    @property
    def drawn_in(self) -> RangeGame:
        """The game that situations are drawn in. Raises UsageError: there are none of it."""
        return HOLDEM_GAME if self.player or not self.game else _drawn_in(self.game)

    def situation(self, number: int) -> Situation:
        """Return situation ``number``: each kind of ranges is drawn by numbers of its own, which do not depend on the share."""
        shard, place = divmod(number, self.per_shard)
        before = self._played_before(shard)
        if self.played(number):
            from cardai.poker.values.played_ranges import played_situation

            own = (before * self.per_shard + place) // self.rows
            made = played_situation(self.player, self.game, self.seed, own, self.street, self.intervals)
        else:
            own = ((shard - before) * self.per_shard + place) // self.rows
            made = situation(self.seed, own, self.street, self.intervals, self.drawn_in)
        made = nearby(made, number % self.rows) if number % self.rows else made
        return evolve(made, number=number)

    def played(self, number: int) -> bool:
        """Return whether situation ``number`` has ranges of self-play."""
        shard = number // self.per_shard
        return self._played_before(shard + 1) > self._played_before(shard)

    def _played_before(self, shard: int) -> int:
        """Return how many of the files before ``shard`` have ranges of self-play."""
        return int(shard * self.share + 1e-9) if self.player else 0

    def fingerprint(self) -> str:
        """Return the SHA-256 of the board, pot and ranges of the first situation, and of the first of self-play if that is another:
        two alike make the same situations."""
        first = next(k for k in count() if self._played_before(k + 1)) if self.player else 0
        found = sha256()
        for number in sorted({0, first * self.per_shard}):
            one = self.situation(number)
            found.update(np.array([*one.board, one.half_pot], np.int64).tobytes())
            found.update(np.round(one.ranges, 9).astype(np.float32).tobytes())
        return found.hexdigest()


@cache
def _drawn_in(spec: str) -> RangeGame:
    from cardai import make

    return situation_game(make.game(spec))
