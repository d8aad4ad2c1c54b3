"""A policy as a table for other programs: a row an information set, what the player sees there and how it plays.

The columns are ``player``, one a field of the game's views in words ("hole": "Js"), ``key`` (the information state) and
one an action, its probability (nothing where it is not legal).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.drawing import field_text
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.fields import unpack_view
from cardai.core.files import STANDARD, Output
from cardai.core.game import Game
from cardai.core.text import cell
from cardai.solve.measures import ask
from cardai.solve.tree import NODE_LIMIT, game_tree

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "json", "parquet")
_ELSEWHERE = ("player", "seat_of", "round_of")
"""Roles of fields that are no column: who looks has one, and histories are shown whole."""


@frozen
class InformationSet:
    """How a player plays where it sees ``sees`` (a text a field): ``policy`` is a probability an action, by name."""

    player: int
    sees: Mapping[str, str]
    key: str
    policy: Mapping[str, float]


def policy_table(game: Game, agent: Agent, name: str = "", limit: int = NODE_LIMIT) -> list[InformationSet]:
    """Return how ``agent`` plays in every information set of a small game, seat by seat.

    Raises:
        UsageError: the game is too large, or the agent has no policy.
    """
    sets = game_tree(game, limit).infosets
    table = ask(game_tree(game, limit), agent.for_game(game), np.arange(len(sets)), name)
    shown = [f for f in game.view_fields if f.role.partition(":")[0] not in _ELSEWHERE]
    rows = []
    for i in range(len(sets)):
        view = unpack_view(game.view_fields, sets.views[i])
        sees = {f.name: field_text(game, f, view[f.name]) for f in shown}
        legal = np.flatnonzero(sets.legal[i])
        policy = {game.action_to_string(int(action)): float(table[i, action]) for action in legal}
        rows.append(InformationSet(int(sets.player[i]), sees, sets.keys[i].decode("utf-8", "replace"), policy))
    return rows


def columns_of(rows: Sequence[InformationSet]) -> dict[str, list[Any]]:
    """Return the table's columns by name."""
    actions = dict.fromkeys(action for row in rows for action in row.policy)
    found: dict[str, list[Any]] = {"player": [row.player for row in rows]}
    found |= {name: [row.sees[name] for row in rows] for name in (rows[0].sees if rows else ())}
    found["key"] = [row.key for row in rows]
    return found | {action: [row.policy.get(action) for row in rows] for action in actions}


def write_policy(
    path: str | Path, rows: Sequence[InformationSet], form: Format, about: Mapping[str, Any] | None = None
) -> None:
    """Write the table to a file (``-``: standard output); ``about`` are further entries of a JSON file.

    Raises:
        UsageError: the file cannot be written, or Parquet would go to standard output.
        PluginError: Parquet needs polars, which is not installed.
    """
    if form == "parquet":
        if str(path) in STANDARD:
            raise UsageError("Parquet is no text: give a file to write it to (--out FILE).")
        need_extra("polars", "Writing Parquet")
    with Output(path) as file:
        if form == "parquet":
            import polars

            polars.DataFrame(columns_of(rows)).write_parquet(file)
        else:
            file.write((_csv(rows) if form == "csv" else _json(rows, about or {})).encode())


def _csv(rows: Sequence[InformationSet]) -> str:
    columns = columns_of(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(cell, columns))
    for row in zip(*columns.values(), strict=True):
        writer.writerow([cell(value) if isinstance(value, str) else value for value in row])
    return text.getvalue()


def _json(rows: Sequence[InformationSet], about: Mapping[str, Any]) -> str:
    sets = [{"player": r.player, "sees": dict(r.sees), "key": r.key, "policy": dict(r.policy)} for r in rows]
    return json.dumps({**about, "information_sets": sets}, indent=2) + "\n"
