"""Recorded hands as what was played: a match goes on from the groups that are whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.arena.lockstep import LockStep, Part, hand_dtype
from cardai.arena.record_lines import Hand
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import DamagedFileError
from cardai.core.fields import pack_views


def part_of(engine: LockStep, groups: Sequence[Sequence[Hand]]) -> Part:
    """Return the hands of ``groups``, in order of game and hand, as a part of their match, without groups that are not whole.

    Whole is one that has all its games, each from its first hand to that which ended it, with the players in their seats.
    What a hand says it brought is believed.

    Raises:
        DamagedFileError: hands have returns or outcomes that are none of the game's.
    """
    seats, size = engine.game.num_players, engine.group_size
    hands = [hand for group in groups for hand in group]
    rows, group_of = _rows(engine, hands), np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    starts = np.flatnonzero(rows["hand"] == 0)
    game_of = np.searchsorted(starts, np.arange(len(rows)), "right") - 1  # -1: before the first start
    ends = np.append((rows["hand"][1:] == 0) | (np.diff(group_of) != 0), True)[: len(rows)]
    scores, sound = _played_through(engine, rows, starts, game_of, ends)
    rotation = rows["rotation"].astype(np.int64)
    sound &= (_seats(hands, seats) == (np.arange(seats) - rotation[:, None]) % seats).all(axis=1)
    first = np.searchsorted(group_of[starts], np.arange(len(groups)))  # of each group's games
    number = np.array([group[0].group for group in groups], np.int64)[group_of[starts]]
    sound[starts] &= rows["game"][starts] == number * size + np.arange(len(starts)) - first[group_of[starts]]
    whole = np.bincount(group_of[starts], minlength=len(groups)) == size
    whole &= np.bincount(group_of[~sound], minlength=len(groups)) == 0
    kept = whole[group_of[starts]]
    by_agent = np.take_along_axis(scores, (np.arange(seats) + rotation[starts][:, None]) % seats, axis=1)
    none = np.zeros(seats, np.int64)
    return Part(rows[whole[group_of]], rows["game"][starts][kept], by_agent[kept], none, [])


def _rows(engine: LockStep, hands: Sequence[Hand]) -> npt.NDArray[Any]:
    """Return hands as the loop notes them, (n,) of :func:`hand_dtype`."""
    game, size = engine.game, engine.group_size
    rows = np.zeros(len(hands), hand_dtype(game))
    rows["game"] = [hand.game_number for hand in hands]
    rows["group"] = rows["game"] // size
    rows["hand"] = [hand.hand for hand in hands]
    rows["rotation"] = rows["game"] % (size if engine.duplicate else game.num_players)
    rows["starter"] = [hand.setup.starter for hand in hands]
    try:
        rows["returns"] = np.array([hand.returns for hand in hands], np.float64).reshape(-1, game.num_players)
        outcomes = pack_views(game.outcome_fields, [hand.outcome for hand in hands])
    except (TypeError, ValueError) as error:
        raise DamagedFileError(f"The recorded hands are none of {engine.game_name}: {error}") from error
    for name in outcomes.dtype.names or ():
        rows[name] = outcomes[name]
    return rows


def _seats(hands: Sequence[Hand], seats: int) -> Int64s:
    """Return who sat where, (n, seats), -1 for a hand of another number of seats."""
    nobody = (-1,) * seats
    return np.array([hand.seats if len(hand.seats) == seats else nobody for hand in hands], np.int64).reshape(-1, seats)


def _played_through(
    engine: LockStep, rows: npt.NDArray[Any], starts: Int64s, game_of: Int64s, ends: Bools
) -> tuple[Float64s, Bools]:
    """Return the games' scores by seat, (g, P), and of each row whether it is its game's next, which ends where ``ends`` says."""
    if not len(starts):
        return np.zeros((0, engine.game.num_players)), np.zeros(len(rows), bool)
    place = np.arange(len(rows)) - starts[game_of]
    sound = (game_of >= 0) & (rows["hand"] == place) & (rows["game"] == rows["game"][starts[game_of]])
    scores = np.zeros((len(starts), engine.game.num_players))
    for hand in range(int(place.max(initial=-1)) + 1):
        at = np.flatnonzero(sound & (place == hand))
        games = game_of[at]
        scores[games] = engine.game.add_score(scores[games], rows["returns"][at])
        over = engine.game.matches_over(scores[games], np.full(len(at), hand + 1))
        sound[at] &= over == ends[at]
    return scores, sound
