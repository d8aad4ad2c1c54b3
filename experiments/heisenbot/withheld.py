"""Figures 1 and 2: the simple player against itself, where both withhold every knock until gin or turn 30.

The paper's figure 1 speaks of forced knocking past turn 30. Turns of both players are counted.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import asdict, frozen

import cardai
from cardai.core.rng import Rows, derive_many, hash_rows
from cardai.gin.actions import DISCARD, GIN

PLAYER = "gin_rules:knock=rules,lead=999,trail=999,early=0,late=29,low=0,few_cards=0,count_turns=both,otherwise=false"
"""Knocks with gin, or from turn 30 on as soon as it can."""
_BATCH = 4096
_TURNS = 202


@frozen
class Withheld:
    """What was noted. Turns count both players'."""

    rounds: int
    deadwoods: list[list[int]]
    """deadwoods[turn][points]: hands that had so much deadwood after that turn."""
    since: list[list[list[float]]]
    """since[k][turns]: number, sum and sum of squares of the scores, had the player knocked so long after it first could;
    k 0 for the first of the two who could, 1 for the other."""
    gins: list[int]
    """gins[turn]: hands that ended with gin at that turn."""
    first_able: float
    """Mean turn after which a player could first knock."""
    earlier_able: float
    """The same for whoever of the two could first."""


def play(rounds: int, seed: int, out: Path) -> Withheld:
    """Play ``rounds`` hands, or return what ``out`` holds of them already."""
    file = out / f"withheld-{rounds}-{seed}.json"
    if file.exists():
        return Withheld(**json.loads(file.read_text(encoding="utf-8")))
    found = _play(rounds, seed)
    out.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(asdict(found)), encoding="utf-8")
    os.replace(beside, file)
    return found


def _play(rounds: int, seed: int) -> Withheld:
    deadwoods = np.zeros((_TURNS, 101), np.int64)
    since = np.zeros((2, _TURNS, 3))
    gins = np.zeros(_TURNS, np.int64)
    first_able: list[npt.NDArray[np.int64]] = []
    for start in range(0, rounds, _BATCH):
        first_able.append(_play_batch(min(_BATCH, rounds - start), start, seed, deadwoods, since, gins))
    able = np.concatenate(first_able)
    both = np.where(able == 0, 10_000, able)
    earlier = both.min(axis=1)
    return Withheld(
        rounds,
        deadwoods.tolist(),
        since.tolist(),
        gins.tolist(),
        float(able[able > 0].mean()),
        float(earlier[earlier < 10_000].mean()),
    )


def _play_batch(count: int, start: int, seed: int, deadwoods: Any, since: Any, gins: Any) -> npt.NDArray[np.int64]:
    """Play ``count`` hands in lock step; return each seat's first turn with a legal knock, (count, 2), 0 never."""
    from experiments.heisenbot._kernels import note_turns

    tables: Any = cardai.game("gin").tables(count)
    player = cardai.agent(PLAYER)
    tables.reset(derive_many(seed, "withheld", count=count, start=start))
    streams = derive_many(seed, "withheld players", count=count, start=start)
    first = np.zeros((count, 2), np.int64)
    step = 0
    while True:
        current = tables.current_players()
        if (current < 0).all():
            break
        for seat in range(2):
            rows = np.flatnonzero(current == seat)
            if not len(rows):
                continue
            rng = Rows(hash_rows(streams[rows], np.full(len(rows), step)))
            actions = player.act(tables.views(seat, rows), tables.legal(rows), rng)
            asked = tables.data["phase"][rows] == DISCARD
            note_turns(tables.data, rows[asked], actions[asked], seat, deadwoods, since, first)
            tables.apply(rows, actions)
        step += 1
    ended = tables.outcomes(np.arange(count))
    np.add.at(gins, ended["turns"][ended["ending"] == GIN], 1)
    return first
