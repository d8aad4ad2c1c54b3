"""Who plays the hands of a generation: teachers at first, then the newest network, earlier ones and the league."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardai.core.agent import Agent
from cardai.core.arrays import Uint64s
from cardai.core.rng import derive_many, hash_rows
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Seating


def seat_teachers(
    teachers: Sequence[Agent], hands: range, seats: int, seed: int, abstraction: ActionAbstraction, branches: int
) -> Seating:
    """Return a seating in which every seat draws one of the teachers, and all of them give events."""
    drawn = _drawn(hands, seats, seed)
    seated = (drawn % np.uint64(len(teachers))).astype(np.int64)
    return Seating(teachers, seated, tuple(range(len(teachers))), abstraction, branches)


def seat_learner(
    networks: Sequence[Agent],
    league: Sequence[Agent],
    league_share: float,
    hands: range,
    seats: int,
    seed: int,
    abstraction: ActionAbstraction,
    branches: int,
) -> Seating:
    """Return a seating in which the newest network (the first) has one seat of each hand and gives its events.

    It changes seats once in so many hands as there are seats. Every other seat draws a player of the league with the
    chance ``league_share``, else one of the networks.
    """
    drawn = _drawn(hands, seats, seed)
    seated = (drawn % np.uint64(len(networks))).astype(np.int64)
    if league:
        met = len(networks) + (drawn % np.uint64(len(league))).astype(np.int64)
        seated = np.where((drawn >> np.uint64(32)) / 2**32 < league_share, met, seated)
    seated[np.arange(len(hands)), np.array(hands) // seats % seats] = 0
    return Seating([*networks, *league], seated, (0,), abstraction, branches)


def _drawn(hands: range, seats: int, seed: int) -> Uint64s:
    """Return random numbers (hands, seats): who sits where depends on the hand's number alone."""
    drawn = derive_many(seed, "cast", count=len(hands), start=hands.start)
    return np.stack([hash_rows(drawn, seat) for seat in range(seats)], axis=1)
