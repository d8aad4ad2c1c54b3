"""How a hand begins, apart from the cards, and what is known of one that is over: as objects and as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Records


@frozen
class Setup:
    """How a hand begins, apart from the cards.

    ``starter`` is the seat that begins (in some games: the dealer); ``hand`` counts the hands of the match from 0; ``score``
    and ``stacks`` have an entry a seat, or none outside a match (a stack of 0 or less means the game's default).
    """

    starter: int = 0
    hand: int = 0
    score: tuple[float, ...] = ()
    stacks: tuple[int, ...] = ()


@frozen
class PlayedHand:
    """A finished hand, as the next one needs to know it. ``outcome`` maps the game's outcome fields to values."""

    setup: Setup
    returns: tuple[float, ...]
    outcome: Mapping[str, Any] = field(factory=dict)


@cache
def setup_dtype(num_players: int) -> np.dtype[Any]:
    """Return the dtype of setups as rows: starter, hand, in_match, score (P,), stacks (P,)."""
    return np.dtype(
        [
            ("starter", np.int8),
            ("hand", np.int32),
            ("in_match", np.bool_),
            ("score", np.float64, (num_players,)),
            ("stacks", np.int64, (num_players,)),
        ]
    )


def pack_setups(num_players: int, setups: Sequence[Setup]) -> Records:
    """Return setups as a structured array of :func:`setup_dtype`."""
    out = np.zeros(len(setups), setup_dtype(num_players))
    for i, setup in enumerate(setups):
        out[i]["starter"] = setup.starter
        out[i]["hand"] = setup.hand
        out[i]["in_match"] = bool(setup.score)
        out[i]["score"] = setup.score or (0,) * num_players
        out[i]["stacks"] = setup.stacks or (0,) * num_players
    return out


def unpack_setup(row: Any) -> Setup:
    """Return one row of :func:`setup_dtype` as a :class:`Setup`."""
    return Setup(
        starter=int(row["starter"]),
        hand=int(row["hand"]),
        score=tuple(float(x) for x in row["score"]) if row["in_match"] else (),
        stacks=tuple(int(x) for x in row["stacks"]) if any(x > 0 for x in row["stacks"]) else (),
    )
