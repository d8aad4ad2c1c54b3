"""What happens at a table, for those who watch it: moves with what each seat saw of them, and how a hand ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.agent import legal_list
from cardai.core.game import Game, Tables
from cardai.core.rows import RowGame, RowTables

HIDDEN = -1
"""What a seat saw of an action that it cannot tell from others (a card laid face down)."""


@frozen
class Move:
    """One move: the seat, the action, and by seat what each saw of it: the action, HIDDEN, or None, nothing at all."""

    seat: int
    action: int
    seen: tuple[int | None, ...]


@frozen
class HandEnd:
    """How a hand ended.

    ``returns`` (P,) and ``views`` are by seat: each seat's result in the game's unit, and its last view. ``outcome`` maps
    the game's outcome fields to values. ``shown`` are the seats whose cards are turned over.
    """

    returns: tuple[float, ...]
    outcome: Mapping[str, Any]
    views: tuple[Mapping[str, Any], ...]
    shown: tuple[int, ...]


def sight(game: Game, tables: Tables, actor: int, action: int) -> tuple[int | None, ...]:
    """Return by seat what is seen of an action that ``actor`` is about to play at the first of ``tables``.

    Fast games say what is seen of an action; of plain ones everything is.
    """
    if not (isinstance(game, RowGame) and isinstance(tables, RowTables)) or type(game).observed is RowGame.observed:
        return (action,) * game.num_players
    row = tables.data[0]
    others = [other for other in legal_list(tables.legal(np.zeros(1, np.int64)), 0) if other != action]
    seen: list[int | None] = []
    for player in range(game.num_players):
        noticed = game.observed(row, actor, action, player)
        hidden = noticed is not None and any(game.observed(row, actor, other, player) == noticed for other in others)
        seen.append(HIDDEN if hidden else None if noticed is None else action)
    return tuple(seen)
