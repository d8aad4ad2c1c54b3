"""What two agents of a tournament have played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.arena import streaming
from cardai.arena.lockstep import LockStep, Part
from cardai.arena.played import Played
from cardai.arena.row_buffer import BLOCK, RowBuffer
from cardai.arena.statistics import Estimate, shares_by_group
from cardai.core.npz import Shape

COLUMNS: dict[str, tuple[Any, Shape]] = {
    "groups": (np.int64, (None,)),
    "hands": (np.int64, (None,)),
    "wins": (np.float64, (None,)),
    "returns": (np.float64, (None,)),
}
"""A pairing's arrays by name."""


@frozen(eq=False)
class Pairing:
    """What two agents have played so far: a row a finished group (a duplicate pair), in a file once they are many.

    Of the arrays, each (g,), ``hands`` counts hands, ``wins`` is the first agent's share of the group's games won in
    [0, 1], ``returns`` its summed hand results.
    """

    first: str
    second: str
    rows: RowBuffer = field(factory=lambda: RowBuffer([(name, dtype) for name, (dtype, _) in COLUMNS.items()]))

    def take(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take groups by their arrays, all of :data:`COLUMNS`."""
        rows = np.zeros(len(arrays["groups"]), self.rows.dtype)
        for name in COLUMNS:
            rows[name] = arrays[name]
        self.rows.append(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, *names: str) -> Iterator[npt.NDArray[np.float64]]:
        """Yield columns as numbers, (names, m) at a time, in order of groups: figures do not tell in which they came."""
        rows = self.rows.read()
        rows = rows[np.argsort(rows["groups"], kind="stable")]
        for at in range(0, len(rows), BLOCK):
            yield np.array([rows[name][at : at + BLOCK] for name in names], np.float64)

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """The groups that are finished, (g,)."""
        return np.array(self.rows.read()["groups"])

    @property
    def hands(self) -> int:
        """How many hands were played."""
        return sum(int(block["hands"].sum()) for block in self.rows.blocks())

    def win_rate(self) -> Estimate:
        """Return the first agent's share of games won."""
        return streaming.rates(lambda: self.column("wins"), 1, len(self))[0]

    def mean_return(self) -> Estimate:
        """Return the first agent's mean return a hand."""
        return streaming.ratios(lambda: self.column("returns", "hands"), 1, len(self))[0]

    def add(self, engine: LockStep, part: Part) -> None:
        """Take the groups that a part of their match has finished."""
        self.rows.append(pairing_rows(engine, part))


def pairing_rows(engine: LockStep, part: Part) -> npt.NDArray[Any]:
    """Return a row of :data:`COLUMNS` for each group that a part of a match has finished."""
    numbers = np.unique(part.games // engine.group_size)
    played = Played(engine.game, engine.names, engine.group_size, numbers.tolist())
    played.add(part)
    blocks = []
    for block in played.blocks():
        at, count = block.group_of, len(block.groups)
        seats = block.hands["rotation"] % engine.game.num_players  # of the first agent
        rows = np.zeros(count, [(name, dtype) for name, (dtype, _) in COLUMNS.items()])
        rows["groups"] = block.groups
        rows["hands"] = np.bincount(at, minlength=count)
        rows["wins"] = shares_by_group(block.scores)[:, 0]
        rows["returns"] = np.bincount(at, block.hands["returns"][np.arange(len(at)), seats], count)
        blocks.append(rows)
    return np.concatenate(blocks) if blocks else np.zeros(0, [(name, dtype) for name, (dtype, _) in COLUMNS.items()])


def sound(arrays: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Whether the numbers can be those of games: as many of each, each group once, shares from 0 to 1."""
    groups, hands, wins, returns = (arrays[name] for name in COLUMNS)
    even = len(groups) == len(hands) == len(wins) == len(returns)
    once = len(np.unique(groups)) == len(groups)
    shares = bool(((wins >= 0) & (wins <= 1)).all())
    counts = bool((groups >= 0).all() and (hands > 0).all())
    return even and once and shares and counts and bool(np.isfinite(returns).all())
