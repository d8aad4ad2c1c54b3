"""Self-play events: every decision of the players that learn, with what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import TERMINAL, Amounts, Game, IntArray, Tables
from cardai.core.rng import Rows, derive, derive_many, hash_rows
from cardai.learn.choices import Choices

Floats = npt.NDArray[np.float64]


@frozen(eq=False)
class Events:
    """Decisions (n) and their worth, in the game's unit and from the decision on: chips put in earlier are gone.

    ``hands`` (n,) numbers the hands; the decisions of a hand follow one another, in order. ``chosen`` (n,) is the choice
    taken of those in ``legal`` (n, C). ``values`` (n,) is what it brought: the hand's return plus what the player had put
    in before. ``known`` (n, C) is the exact worth of every legal choice that ends the hand at once, nan for the others
    (the one who watches sees all cards). ``probabilities`` (n, C) is the policy that acted, zeros where it was not asked.
    """

    hands: npt.NDArray[np.int64]
    views: Views
    legal: npt.NDArray[np.bool_]
    chosen: npt.NDArray[np.int64]
    values: Floats
    known: npt.NDArray[np.float32]
    probabilities: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.chosen)

    def take(self, rows: Any) -> Events:
        """Return the events ``rows`` alone."""
        return Events(*(getattr(self, name)[rows] for name in EVENT_PARTS))


EVENT_PARTS = ("hands", "views", "legal", "chosen", "values", "known", "probabilities")


def joined(parts: Sequence[Events]) -> Events:
    """Return several batches of events as one, in their order."""
    return Events(*(np.concatenate([getattr(part, name) for part in parts]) for name in EVENT_PARTS))


def draws_of(events: Events, seed: int) -> Floats:
    """Return a random number (n,) in [0, 1) an event, by seed, hand and place in the hand alone."""
    hands = events.hands
    starts = np.flatnonzero(np.diff(hands, prepend=hands[:1] - 1))
    place = np.arange(len(hands)) - np.repeat(starts, np.diff(starts, append=len(hands)))
    streams = hash_rows(np.full(len(hands), derive(seed), np.uint64), hands)
    return Rows(hash_rows(streams, place)).random()


@frozen(eq=False)
class Cast:
    """Who plays: ``players`` and, for hand h and seat s, the player ``seats[h, s]``; those in ``learn`` give events.

    A learner with a method ``decide(views, legal choices, rng) -> (choices, probabilities)`` is asked for choices.
    """

    players: Sequence[Agent]
    seats: npt.NDArray[np.int64]
    learn: tuple[int, ...]
    choices: Choices


@frozen(eq=False)
class _Step:
    """The decisions of one step of the loop."""

    hands: IntArray
    seat: int
    events: Events


def collect(game: Game, cast: Cast, seed: int, first: int, tables: int = 4096) -> Events:
    """Play the hands first, first + 1, ... of the seed (one a row of ``cast.seats``) and return the learners' events.

    A hand depends on (seed, its number) and its players alone, whatever the number of tables. Events come in the order
    of hands.

    Raises:
        UsageError: the game is full no-limit (choose a ladder of bets).
    """
    parts = []
    for start in range(0, len(cast.seats), tables):
        seats = cast.seats[start : start + tables]
        parts += _block(game, cast, seats, seed, first + start)
    events = joined(parts)
    return events.take(np.argsort(events.hands, kind="stable"))


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
                steps += _decide(table, probe, cast, int(who), seat, rows, rng, first)
        decision += 1
    returns = table.returns(np.arange(count))
    out = []
    for step in steps:
        events = step.events
        events.values[:] += returns[step.hands, step.seat]
        out.append(events)
    return out


def _decide(
    table: Tables, probe: Tables, cast: Cast, who: int, seat: int, rows: IntArray, rng: Rows, first: int
) -> list[_Step]:
    agent, choices = cast.players[who], cast.choices
    views, legal = table.views(seat, rows), table.legal(rows)
    if isinstance(legal, Amounts):
        raise UsageError(
            "Self-play needs a mask of actions: give the no-limit game a ladder of bets (bets=0.5+1+allin)."
        )
    if who not in cast.learn:
        table.apply(rows, agent.act(views, legal, rng))
        return []
    offered = choices.legal(legal)
    decide = getattr(agent, "decide", None)
    if decide is not None:
        chosen, probabilities = decide(views, offered, rng)
        actions = choices.actions(views, chosen)
    else:
        actions = agent.act(views, legal, rng)
        chosen, probabilities = choices.of(np.asarray(actions)), np.zeros(offered.shape)
    spent = spent_so_far(views, seat)
    known = np.full(offered.shape, np.nan, np.float32)
    known[:, : choices.probed] = _known(table, probe, rows, seat, legal[:, : choices.probed])
    known += spent[:, None].astype(np.float32)
    events = Events(
        np.asarray(rows + first, np.int64), views, offered, chosen, spent, known, probabilities.astype(np.float32)
    )
    table.apply(rows, actions)
    return [_Step(rows, seat, events)]


def spent_so_far(views: Views, seat: int) -> Floats:
    """Return (n,) what the player has put in already (views without a field ``spent``: nothing)."""
    if "spent" not in (views.dtype.names or ()):
        return np.zeros(len(views))
    return np.asarray(views["spent"][:, seat], np.float64)


def _known(
    table: Tables, probe: Tables, rows: IntArray, seat: int, legal: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float32]:
    """Return (n, K) the exact return of each of the first K actions that ends the hand at once, nan for the others."""
    out = np.full(legal.shape, np.nan, np.float32)
    for action in np.flatnonzero(legal.any(axis=0)):
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
