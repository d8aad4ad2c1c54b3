"""The no-limit player of the package cardai-players, if it is installed: where its network and its table lie."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.range_game import RangeGame

PLAYER = "cardai_players.nolimit_resolving"
VALUES, PREFLOP = "values", "preflop"
"""Folders of the player: a network of the turn (:mod:`cardai.poker.values.plain_network`), a table of play before the flop."""
CHECKED_DOWN = (
    "resolving has no network of values and no blueprint here: before the turn it plays as if both checked from the end of the "
    "round on, and loses much. In no-limit hold'em, pip install ./players gives it both; else values=RUN, blueprint=RUN. "
    "values=exact plays so without a word."
)


class ResolvingWarning(UserWarning):
    """A player that re-solves has nothing that values what lies behind the round before the turn."""


@cache
def box() -> Path | None:
    """Return the player's folder; None: it is not installed."""
    try:
        spec = importlib.util.find_spec(PLAYER)
    except ImportError:
        return None
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def full_no_limit(game: RangeGame) -> bool:
    """Whether it is hold'em of any bets, which is what the player in the box plays."""
    return game.hands == HOLDEM and game.betting.no_limit and bool(game.ahead)
