"""Limit hold'em for two as it is graded: with which ranges both come to each street, as the player in the box says it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.arena.asking import bound
from cardai.arena.table import replay
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import ALL_HANDS, need_policy, policies_of

PLAYER = "limit_equilibrium"
"""The player of the package cardai-players whose ranges are taken."""
SLIP = 0.001
"""How often anything at all is done by mistake: what is never done, and was, says nothing of the hand."""
SELDOM = 0.005
"""Hands that come so seldom beside those that come most often are left out."""


def range_player(game: Game) -> Agent | None:
    """Return who says whole ranges of ``game``, None: the box is not installed, or plays another game.

    Raises DamagedFileError, PluginError where it is installed and broken: nobody is judged by another without a word.
    """
    try:
        player = bound(PLAYER, game)
        need_policy(player)
    except UsageError:
        return None
    return player


def ranges_along(player: Agent, game: Game, record: dict[str, Any]) -> list[Float64s]:
    """Return (2, 1326) by seat, for each street from the flop on that an action was made on: the weights with which both come
    to it if they play as ``player`` does, the largest 1.
    """
    found: list[Float64s] = []
    ranges = np.ones((2, COUNT))
    for table, action in replay(game, record):
        seat = table.to_act
        if seat is None or action < 0:
            continue
        views, legal = table.views(), table.legal()
        round_ = int(views["round"][0])
        while len(found) < round_:
            found.append(np.where(ranges < SELDOM, 0.0, ranges))
        if round_ < 3:  # how the river was played narrows nothing that is looked at
            often = policies_of(player, views, legal, ALL_HANDS, PLAYER)[0, :, action]
            ranges[seat] *= (1 - SLIP) * often + SLIP
            ranges[seat] /= ranges[seat].max()
    return found
