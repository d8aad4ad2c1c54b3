"""Hands of a generation: the piece of work that an actor does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Int64s
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Events, Seating, collect


@frozen(eq=False)
class Cast:
    """What lasts as long as a training: the game, and who plays beside the networks."""

    game: Game
    abstraction: ActionAbstraction
    teachers: Sequence[Agent]
    league: Sequence[Agent]
    branches: int
    alone: bool
    """Whether one actor plays all hands, with as many threads as torch takes; others take one, wherever they play."""
    anywhere: bool
    """Whether the seats begin hands in turn (see :class:`~cardai.learn.selfplay.Seating`)."""


def collected(cast: Cast, networks: Sequence[Agent], seed: int, first: int, seats: Int64s) -> Events:
    """Return the events of the hands ``first`` and on, one a row of ``seats`` (n, P).

    They are those of the newest network, which is the first; where there is none, of all the teachers, who play alone.
    """
    players = [*networks, *cast.league] if networks else cast.teachers
    learn = (0,) if networks else tuple(range(len(players)))
    seating = Seating(players, seats, learn, cast.abstraction, cast.branches, cast.anywhere)
    with nullcontext() if cast.alone else tensors.threads(1):
        return collect(cast.game, seating, seed, first)
