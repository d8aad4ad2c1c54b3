"""Self-play events: every decision of the players that learn, with what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s, Records, Uint64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import TERMINAL, Amounts, Game, IntArray, Tables
from cardai.core.rng import Rows, derive, derive_many, hash_rows
from cardai.learn.abstraction import ActionAbstraction

_BRANCH = 1 << 32  # counters of the draws of branches, beyond those of decisions
_ALTERNATIVES = 2  # actions not taken that are played out at a branch


@frozen(eq=False)
class Events:
    """Decisions (n) and their worth, in the game's unit and from the decision on: chips put in earlier are gone.

    ``hands`` (n,) numbers the hands; the decisions of a hand follow one another, in order. ``chosen`` (n,) is the abstract
    action taken, of those in ``legal`` (n, C). ``values`` (n,) is what it brought: the hand's return plus what the player
    had put in before. ``known`` (n, C) is the exact worth of every legal one that ends the hand at once, nan for the others
    (the one who watches sees all cards). ``branched`` (n, C) is what others brought where they were played out from
    here with the same cards and the same random numbers, else nan. ``probabilities`` (n, C) is the policy that acted,
    zeros where it was not asked.
    """

    hands: Int64s
    views: Views
    legal: Bools
    chosen: Int64s
    values: Float64s
    known: Float32s
    branched: Float32s
    probabilities: Float32s

    def __len__(self) -> int:
        return len(self.chosen)

    def take(self, rows: Any) -> Events:
        """Return the events ``rows`` alone."""
        return Events(*(getattr(self, name)[rows] for name in EVENT_PARTS))


EVENT_PARTS = ("hands", "views", "legal", "chosen", "values", "known", "branched", "probabilities")


def joined(parts: Sequence[Events]) -> Events:
    """Return several batches of events as one, in their order."""
    return Events(*(np.concatenate([getattr(part, name) for part in parts]) for name in EVENT_PARTS))


def draws_of(events: Events, seed: int) -> Float64s:
    """Return a random number (n,) in [0, 1) an event, by seed, hand and place in the hand alone."""
    hands = events.hands
    starts = np.flatnonzero(np.diff(hands, prepend=hands[:1] - 1))
    place = np.arange(len(hands)) - np.repeat(starts, np.diff(starts, append=len(hands)))
    streams = hash_rows(np.full(len(hands), derive(seed), np.uint64), hands)
    return Rows(hash_rows(streams, place)).random()


@frozen(eq=False)
class Seating:
    """Who plays: ``players`` and, for hand h and seat s, the player ``seats[h, s]``; those in ``learn`` give events.

    A learner with a method ``decide(views, legal, rng) -> (chosen, probabilities)`` over abstract actions is asked by it.
    ``branches``: at so many of the learners' decisions in a hand, drawn at random, up to two of the actions not taken are
    played out too. Cards and luck are the same, so the difference between actions is known much better than either.
    ``anywhere``: the seats begin hands in turn, else all hands begin as a match's first does (see :func:`begin_anywhere`).
    """

    players: Sequence[Agent]
    seats: Int64s
    learn: tuple[int, ...]
    abstraction: ActionAbstraction
    branches: int = 0
    anywhere: bool = True


@frozen(eq=False)
class _Hands:
    """Hands about to be played, a row each: all their luck, and who sits where."""

    deals: Uint64s
    setups: Records
    streams: Uint64s
    seats: Int64s

    def __len__(self) -> int:
        return len(self.deals)

    def take(self, rows: IntArray) -> _Hands:
        """Return the hands ``rows`` (any of them more than once)."""
        return _Hands(self.deals[rows], self.setups[rows], self.streams[rows], self.seats[rows])

    def tables(self, game: Game) -> Tables:
        """Return tables with the hands dealt."""
        tables = game.tables(len(self))
        tables.reset(self.deals, None, np.arange(len(self)), self.setups)
        return tables


def turns(seats: Int64s, streams: Uint64s, current: Records, decision: int) -> Iterator[tuple[int, int, Int64s, Rows]]:
    """Yield (seat, player, rows, random numbers) of those who are to act at tables (n,) where ``current`` (n,) are.

    ``seats`` (n, P) are the players in them; a random number follows from a table's stream (n,), decision and seat alone.
    """
    count = seats.shape[1]
    for seat in range(count):
        acting = np.flatnonzero(current == seat)
        for who in np.unique(seats[acting, seat]):
            rows = acting[seats[acting, seat] == who]
            yield seat, int(who), rows, Rows(hash_rows(streams[rows], decision * count + seat))


@frozen(eq=False)
class _Step:
    """The decisions (m) of one player in one step of the loop: their hands' rows and the events."""

    decision: int
    rows: IntArray
    seat: int
    events: Events


def collect(game: Game, seating: Seating, seed: int, first: int, tables: int = 4096) -> Events:
    """Play the hands first, first + 1, ... of the seed (one a row of ``seating.seats``) and return the learners' events.

    A hand depends on (seed, its number) and its players alone, whatever the number of tables. Events come in the order
    of hands.

    Raises:
        UsageError: the game is full no-limit (choose a ladder of bets).
    """
    parts = []
    for start in range(0, len(seating.seats), tables):
        hands = _dealt(game, seating.seats[start : start + tables], seed, first + start, seating.anywhere)
        steps, moves = _played(game, seating, hands, first + start)
        if seating.branches:
            _play_branches(game, seating, hands, steps, moves)
        parts += [step.events for step in steps]
    events = joined(parts)
    return events.take(np.argsort(events.hands, kind="stable"))


def begin_anywhere(game: Game, players: Sequence[Agent]) -> bool:
    """Return whether ``players`` know hands that any seat begins: one that was solved may know a match's first hand alone.

    Raises UsageError for one that does not know that either.
    """
    seats = np.zeros((game.num_players, game.num_players), np.int64)
    for anywhere in (False, True):
        hands = _dealt(game, seats, 0, 0, anywhere)
        table = hands.tables(game)
        for seat, _, rows, rng in turns(hands.seats, hands.streams, table.current_players(), 0):
            for player in players:
                try:
                    player.act(table.views(seat, rows), _mask(table, rows), rng)
                except UsageError:
                    if anywhere:
                        return False
                    raise
    return True


def _dealt(game: Game, seats: Int64s, seed: int, first: int, anywhere: bool = True) -> _Hands:
    count = len(seats)

    def drawn(name: str) -> Uint64s:
        return derive_many(seed, name, count=count, start=first)

    nothing = np.zeros((count, game.num_players))
    setups = game.next_hands(None, nothing, nothing, np.zeros(count, np.dtype([])), drawn("setup"))
    if anywhere:
        setups["starter"] = np.arange(first, first + count) % game.num_players  # every seat has every position in turn
    return _Hands(drawn("deal"), setups, drawn("players"), seats)


def _played(game: Game, seating: Seating, hands: _Hands, first: int) -> tuple[list[_Step], list[IntArray]]:
    """Play hands to their end; return the learners' decisions, and everybody's actions step by step."""
    table, probe = hands.tables(game), game.tables(len(hands))
    steps: list[_Step] = []
    moves: list[IntArray] = []
    while not ((current := table.current_players()) == TERMINAL).all():
        taken = np.full(len(hands), -1, np.int64)
        for seat, who, rows, rng in turns(hands.seats, hands.streams, current, len(moves)):
            if who in seating.learn:
                taken[rows], events = _decide(game, table, probe, seating, who, seat, rows, rng)
                events.hands[:] += first
                steps.append(_Step(len(moves), rows, seat, events))
            else:
                taken[rows] = seating.players[who].act(table.views(seat, rows), _mask(table, rows), rng)
            table.apply(rows, taken[rows])
        moves.append(taken)
    returns = table.returns(np.arange(len(hands)))
    for step in steps:
        step.events.values[:] += returns[step.rows, step.seat]
    return steps, moves


def _mask(table: Tables, rows: IntArray) -> Bools:
    legal = table.legal(rows)
    if isinstance(legal, Amounts):
        raise UsageError(
            "Self-play needs a mask of actions: give the no-limit game a ladder of bets (bets=0.5+1+allin)."
        )
    return legal


def _decide(
    game: Game, table: Tables, probe: Tables, seating: Seating, who: int, seat: int, rows: IntArray, rng: Rows
) -> tuple[IntArray, Events]:
    """Return a learner's actions and the events: hands are numbered by rows, values are what was put in so far."""
    abstraction, agent = seating.abstraction, seating.players[who]
    views, legal = table.views(seat, rows), _mask(table, rows)
    offered = abstraction.legal(legal)
    decide = getattr(agent, "decide", None)
    if decide is not None:
        chosen, probabilities = decide(views, offered, rng)
        actions = abstraction.concrete(views, chosen)
    else:
        actions = np.asarray(agent.act(views, legal, rng))
        chosen, probabilities = abstraction.abstract(actions), np.zeros(offered.shape)
    spent = game.put_in(views, seat)
    unknown = np.full(offered.shape, np.nan, np.float32)
    known = unknown.copy()
    known[:, : abstraction.probed] = _known(table, probe, rows, seat, legal[:, : abstraction.probed])
    known += spent[:, None].astype(np.float32)
    numbers = np.array(rows, np.int64)
    return actions, Events(
        numbers, views, offered, chosen, spent, known, unknown, np.asarray(probabilities, np.float32)
    )


def _play_branches(game: Game, seating: Seating, hands: _Hands, steps: list[_Step], moves: list[IntArray]) -> None:
    """Play out actions not taken, and put what they brought into the events' ``branched``."""
    at, row, action = _branches(hands, steps, seating.branches)
    for start in range(0, len(at), len(hands)):
        part = slice(start, start + len(hands))
        _play_from(game, seating, hands, steps, moves, at[part], row[part], action[part])


def _branches(hands: _Hands, steps: list[_Step], count: int) -> tuple[IntArray, IntArray, IntArray]:
    """Draw ``count`` decisions a hand; return (step, row in the step, action) of up to two other actions of each."""
    open_ = [step.events.legal & np.isnan(step.events.known) for step in steps]
    for step, mask in zip(steps, open_, strict=True):
        mask[np.arange(len(mask)), step.events.chosen] = False
    found = [np.flatnonzero(mask.any(axis=1)) for mask in open_]
    at = np.repeat(np.arange(len(steps)), [len(rows) for rows in found])
    row = np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int64)
    hand = np.concatenate([step.rows[rows] for step, rows in zip(steps, found, strict=True)]) if steps else row
    decisions = np.array([step.decision for step in steps], np.int64)[at] if steps else at
    keys = hash_rows(hands.streams[hand], _BRANCH + decisions)
    drawn = _least(hand, keys, count)
    at, row, keys = at[drawn], row[drawn], keys[drawn]
    masks = np.array([open_[s][r] for s, r in zip(at, row, strict=True)], np.bool_).reshape(len(at), -1)
    which, action = np.nonzero(masks)
    drawn = _least(which, hash_rows(keys[which], action), _ALTERNATIVES)
    return at[which[drawn]], row[which[drawn]], action[drawn]


def _least(groups: IntArray, keys: Uint64s, count: int) -> IntArray:
    """Return the places of the ``count`` least keys of each group, ascending."""
    order = np.lexsort((keys, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return np.sort(order[rank < count])


def _play_from(
    game: Game,
    seating: Seating,
    hands: _Hands,
    steps: list[_Step],
    moves: list[IntArray],
    at: IntArray,
    row: IntArray,
    action: IntArray,
) -> None:
    """Play hands again as they went up to a decision, then by another action to the end."""
    hand, when, seat, spent, forced = (np.zeros(len(at), np.int64) for _ in range(5))
    for s in np.unique(at):
        mine, step = np.flatnonzero(at == s), steps[s]
        views = step.events.views[row[mine]]
        hand[mine], when[mine], seat[mine] = step.rows[row[mine]], step.decision, step.seat
        spent[mine] = game.put_in(views, step.seat)
        forced[mine] = seating.abstraction.concrete(views, np.asarray(action[mine], np.int64))
    again = hands.take(hand)
    table = again.tables(game)
    decision = 0
    while not ((current := table.current_players()) == TERMINAL).all():
        current = current.copy()
        rows: IntArray = np.flatnonzero((decision <= when) & (current != TERMINAL))
        if len(rows):
            table.apply(rows, np.where(decision < when, moves[decision][hand], forced)[rows])
            current[rows] = TERMINAL  # has acted
        for there, who, acting, rng in turns(again.seats, again.streams, current, decision):
            table.apply(acting, seating.players[who].act(table.views(there, acting), _mask(table, acting), rng))
        decision += 1
    brought = table.returns(np.arange(len(at)))[np.arange(len(at)), seat] + spent
    for s in np.unique(at):
        mine = np.flatnonzero(at == s)
        steps[s].events.branched[row[mine], action[mine]] = brought[mine]


def _known(table: Tables, probe: Tables, rows: IntArray, seat: int, legal: Bools) -> Float32s:
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
