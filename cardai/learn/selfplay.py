"""Self-play events: every decision of the players that learn, with what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import TERMINAL, Amounts, Game, IntArray, Tables
from cardai.core.rng import Rows, derive, derive_many, hash_rows

Floats = npt.NDArray[np.float64]
PROBED = 8
"""How many kinds of action are tried for ending the hand at once: the first ones (fold, call, raise in betting games)."""


@frozen(eq=False)
class Events:
    """Decisions (n) and their worth, in the game's unit and from the decision on: chips put in earlier are gone.

    ``values`` (n,) is what the action taken brought: the hand's return plus what the player had put in before.
    ``known`` (n, A) is the exact worth of every legal action that ends the hand at once, nan for the others (the one who
    watches sees all cards). ``probabilities`` (n, A) is the policy that acted, zeros where it was not asked.
    """

    views: Views
    legal: npt.NDArray[np.bool_]
    actions: npt.NDArray[np.int64]
    values: Floats
    known: npt.NDArray[np.float32]
    probabilities: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: Any) -> Events:
        """Return the events ``rows`` alone."""
        return Events(*(getattr(self, name)[rows] for name in EVENT_PARTS))


EVENT_PARTS = ("views", "legal", "actions", "values", "known", "probabilities")


def joined(parts: Sequence[Events]) -> Events:
    """Return several batches of events as one."""
    return Events(*(np.concatenate([getattr(part, name) for part in parts]) for name in EVENT_PARTS))


@frozen(eq=False)
class Cast:
    """Who plays: ``players`` and, for hand h and seat s, the player ``seats[h, s]``; those in ``learn`` give events."""

    players: Sequence[Agent]
    seats: npt.NDArray[np.int64]
    learn: tuple[int, ...]


@frozen(eq=False)
class _Step:
    """The decisions of one step of the loop."""

    hands: IntArray
    seat: int
    events: Events = field()


def collect(game: Game, cast: Cast, seed: int, first: int, tables: int = 4096) -> Events:
    """Play the hands first, first + 1, ... of the seed (one a row of ``cast.seats``) and return the learners' events.

    A hand depends on (seed, its number) and its players alone, whatever the number of tables.

    Raises:
        UsageError: the game is full no-limit (choose a ladder of bets).
    """
    parts = []
    for start in range(0, len(cast.seats), tables):
        seats = cast.seats[start : start + tables]
        parts += _block(game, cast, seats, seed, first + start)
    return joined(parts)


def _block(game: Game, cast: Cast, seats: npt.NDArray[np.int64], seed: int, first: int) -> list[Events]:
    count = len(seats)
    numbers = np.arange(first, first + count)
    table, probe = game.tables(count), game.tables(count)
    streams = derive_many(seed, "players", count=count, start=first)
    setups = game.next_hands(
        None,
        np.zeros((count, game.num_players)),
        np.zeros((count, game.num_players)),
        np.zeros(count, np.dtype([])),
        derive_many(seed, "setup", count=count, start=first),
    )
    setups["starter"] = numbers % game.num_players  # every seat has every position in turn
    table.reset(derive_many(seed, "deal", count=count, start=first), None, np.arange(count), setups)
    steps: list[_Step] = []
    decision = 0
    while True:
        current = table.current_players()
        if (current == TERMINAL).all():
            break
        for seat in range(game.num_players):
            acting = np.flatnonzero(current == seat)
            for who in np.unique(seats[acting, seat]):
                rows = acting[seats[acting, seat] == who]
                rng = Rows(hash_rows(streams[rows], decision * game.num_players + seat))
                steps += _decide(table, probe, cast, int(who), seat, rows, rng)
        decision += 1
    returns = table.returns(np.arange(count))
    out = []
    for step in steps:
        events = step.events
        events.values[:] += returns[step.hands, step.seat]
        out.append(events)
    return out


def _decide(table: Tables, probe: Tables, cast: Cast, who: int, seat: int, rows: IntArray, rng: Rows) -> list[_Step]:
    agent = cast.players[who]
    views, legal = table.views(seat, rows), table.legal(rows)
    if isinstance(legal, Amounts):
        raise UsageError(
            "Self-play needs a mask of actions: give the no-limit game a ladder of bets (bets=0.5+1+allin)."
        )
    steps = []
    if who in cast.learn:
        policy = getattr(agent, "decide", None)
        if policy is not None:
            actions, probabilities = policy(views, legal, rng)
        else:
            actions, probabilities = agent.act(views, legal, rng), np.zeros(legal.shape, np.float32)
        spent = spent_so_far(views, seat)
        known = _known(table, probe, rows, seat, legal) + spent[:, None].astype(np.float32)
        events = Events(views, legal, np.asarray(actions), spent, known, probabilities.astype(np.float32))
        steps.append(_Step(rows, seat, events))
    else:
        actions = agent.act(views, legal, rng)
    table.apply(rows, actions)
    return steps


def spent_so_far(views: Views, seat: int) -> Floats:
    """Return (n,) what the player has put in already (views without a field ``spent``: nothing)."""
    if "spent" not in (views.dtype.names or ()):
        return np.zeros(len(views))
    return np.asarray(views["spent"][:, seat], np.float64)


def _known(
    table: Tables, probe: Tables, rows: IntArray, seat: int, legal: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float32]:
    """Return (n, A) the exact return of each legal action that ends the hand at once, nan for the others."""
    out = np.full(legal.shape, np.nan, np.float32)
    for action in np.flatnonzero(legal.any(axis=0))[:PROBED]:
        able = np.flatnonzero(legal[:, action])
        probe.copy_rows(table, rows[able])
        there = np.arange(len(able))
        probe.apply(there, np.full(len(able), action))
        over = probe.current_players()[: len(able)] == TERMINAL
        out[able[over], action] = probe.returns(there[over])[:, seat]
    return out


def fields_digest(game: Game) -> str:
    """Return a text that changes when a game's views do (kept events are refused then)."""
    return str(derive(0, repr(game.view_fields)))
