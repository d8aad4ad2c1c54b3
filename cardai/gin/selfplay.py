"""Hands of gin that a learner plays against a league, and every situation it came into with what it brought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import fields, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s, Int64s, Records, Uint64s
from cardai.core.fields import Views
from cardai.core.game import Game, setup_dtype
from cardai.core.rng import derive, derive_many
from cardai.gin._situation_kernels import AFTER, FEATURES, KNOCKED, situations
from cardai.gin.actions import ASK_KNOCK, DISCARD, KNOCK
from cardai.gin.styles import drawn_chances, evidence
from cardai.gin.values import ValueNetworks, actions_against
from cardai.learn.selfplay import turns

_LIMITS = np.full(52, 10, np.int64)
_TARGET = 100


@frozen(eq=False)
class Situations:
    """Situations (n): features (n, F), kinds (n,), and the points (n,) that they brought."""

    features: Float32s
    kinds: Int64s
    points: Float64s


@frozen(eq=False)
class Held:
    """Views (n) of players about to discard, the opponents' hands (n,) then, and who these are, for the belief."""

    views: Views
    hands: Uint64s
    others: Int64s


@frozen(eq=False)
class Met:
    """Hands (n) of player 0: who the other one was, what kind of hand he played, and player 0's points, (n,) each."""

    others: Int64s
    kinds: Int64s
    points: Float64s


@frozen(eq=False)
class PlayedHands:
    """What came of hands: situations of player 0, held hands, whom he met, and all returns (hands, 2)."""

    situations: Situations
    held: Held
    met: Met
    returns: Float64s


def joined(parts: Sequence[PlayedHands]) -> PlayedHands:
    """Return what came of several batches of hands, in their order."""
    if len(parts) == 1:
        return parts[0]

    def together(kind: Any, of: Sequence[Any]) -> Any:
        return kind(*(np.concatenate([getattr(one, field.name) for one in of]) for field in fields(kind)))

    situations, held, met = (
        together(kind, [getattr(part, name) for part in parts])
        for kind, name in ((Situations, "situations"), (Held, "held"), (Met, "met"))
    )
    return PlayedHands(situations, held, met, np.concatenate([part.returns for part in parts]))


def seats_for(rng: np.random.Generator, count: int, league: Sequence[int]) -> Int64s:
    """Return who sits where, (count, 2): player 0 in a drawn seat, one of the players ``league`` in the other."""
    seats = np.zeros((count, 2), np.int64)
    side = rng.integers(0, 2, count)
    seats[np.arange(count), side] = np.asarray(league)[rng.integers(0, len(league), count)]
    return seats


def _setups(rng: np.random.Generator, count: int) -> Records:
    """Return hands in the middle of matches: any scores, a fifth of them the first hand."""
    setups = np.zeros(count, setup_dtype(2))
    setups["in_match"] = True
    setups["starter"] = rng.integers(0, 2, count)
    scores = rng.integers(0, _TARGET, (count, 2))
    scores[rng.random(count) < 0.2] = 0
    setups["score"] = scores
    return setups


class _Notes:
    """Situations and held hands as they come up."""

    def __init__(self, game: Game, count: int, values: ValueNetworks) -> None:
        self.belief = values.belief
        self.knocking: Any = game.tables(count)
        self.rows: list[tuple[Any, ...]] = []
        self.held: list[tuple[Views, Uint64s, Int64s]] = []

    def note(self, tables: Any, seat: int, rows: Int64s, views: Views, actions: Int64s, styles: Float64s) -> None:
        """Note where the learner's ``actions`` lead, and what a knock would bring wherever it can knock."""
        features, kinds = np.empty((len(rows), FEATURES), np.float32), np.empty(len(rows), np.int64)
        situations(views, actions, styles, _LIMITS, _TARGET, self.belief, features, kinds)
        there = kinds >= 0
        unknown = np.full(int(there.sum()), np.nan)
        self.rows.append((rows[there], np.full(len(unknown), seat), features[there], kinds[there], unknown))
        asked = np.flatnonzero((views["phase"] == ASK_KNOCK) & (kinds == AFTER))
        if len(asked):
            here = np.arange(len(asked))
            self.knocking.copy_rows(tables, rows[asked])
            self.knocking.apply_checked(here, np.full(len(asked), KNOCK))
            points = self.knocking.returns(here)[:, seat]
            kind = np.full(len(asked), KNOCKED)
            self.rows.append((rows[asked], np.full(len(asked), seat), features[asked], kind, points))

    def hold(self, tables: Any, seat: int, rows: Int64s, views: Views, drawn: Any, seats: Int64s) -> None:
        """Keep the views before discards that are ``drawn`` (m,), with the opponents' hands and who they are."""
        kept = (views["phase"] == DISCARD) & drawn
        hands = tables.data["hands"][rows[kept], 1 - seat].copy()
        self.held.append((views[kept], hands, seats[rows[kept], 1 - seat]))

    def results(self, tables: Any, returns: Float64s, holding: bool) -> tuple[Situations, Held]:
        """Return the situations, or what was held where ``holding``; there is none of the other."""
        if holding:
            none = Situations(np.zeros((0, FEATURES), np.float32), np.zeros(0, np.int64), np.zeros(0))
            return none, Held(*(np.concatenate(part) for part in zip(*self.held, strict=True)))
        nobody = Held(tables.views(0, np.zeros(0, np.int64)), np.zeros(0, np.uint64), np.zeros(0, np.int64))
        return self.situations(returns), nobody

    def situations(self, returns: Float64s) -> Situations:
        """Return all situations, now that the hands' ``returns`` are known."""
        rows, seats, features, kinds, points = (np.concatenate(part) for part in zip(*self.rows, strict=True))
        return Situations(features, kinds, np.where(np.isnan(points), returns[rows, seats], points))


def play_hands(
    game: Game, players: Sequence[Agent], seats: Int64s, values: ValueNetworks, seed: int, hold: float = 0.0
) -> PlayedHands:
    """Play one hand a row of ``seats`` (n, 2) between ``players`` and note player 0's situations.

    Player 0 is told what ``values`` would make of its opponent after some hands: player k has the k-th style. With ``hold``
    above 0, a share of everybody's views before discards is kept instead, with the opponents' hands.
    """
    count = len(seats)
    rng = np.random.default_rng([seed, 2])
    tables: Any = game.tables(count)
    setups = _setups(rng, count)
    tables.reset(derive_many(seed, "deck", count=count), setups=setups)
    fresh = (setups["score"] == 0).all(axis=1)
    styles = [drawn_chances(rng, values.styles, seats[:, 1 - seat], fresh) for seat in range(2)]
    streams = derive_many(derive(seed, "players"), count=count)
    notes = _Notes(game, count, values)
    step = 0
    while True:
        current = tables.current_players()
        if (current < 0).all():
            break
        for seat, who, rows, luck in turns(seats, streams, current, step):
            views, legal, thought = tables.views(seat, rows), tables.legal(rows), styles[seat][rows]
            actions = actions_against(players[who], views, legal, luck, thought)
            if hold:
                notes.hold(tables, seat, rows, views, rng.random(len(rows)) < hold, seats)
            elif who == 0:
                notes.note(tables, seat, rows, views, actions, thought)
            tables.apply_checked(rows, actions)
        step += 1
    returns = tables.returns(np.arange(count))
    return PlayedHands(*notes.results(tables, returns, hold > 0), _met(tables, seats, returns), returns)


def _met(tables: Any, seats: Int64s, returns: Float64s) -> Met:
    """Return what player 0's opponents showed: both sides where it met itself."""
    parts = []
    for seat in range(2):
        rows = np.flatnonzero(seats[:, seat] == 0)
        kinds = evidence(tables.views(seat, rows))
        parts.append((seats[rows, 1 - seat], kinds, returns[rows, seat]))
    return Met(*(np.concatenate(part) for part in zip(*parts, strict=True)))
