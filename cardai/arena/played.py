"""What a match has played: a row a group and a row a hand, in a temporary file once they are many.

A match is summed up from here in blocks of some ten thousand hands, so what it takes in memory does not grow with the
number of games; where all hands are asked for (``result.hands``), they are mapped from a file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.arena import row_buffer
from cardai.arena.hands import Hands
from cardai.arena.lockstep import Part, hand_dtype
from cardai.arena.row_buffer import RowBuffer
from cardai.core.arrays import Float64s, Int64s
from cardai.core.game import Game

_GROUPS = 4096  # rows of groups that are read at once
_HANDS = 1 << 15  # hands of a block, or more where one group has more


@frozen(eq=False)
class Block:
    """Some groups in order: their numbers (g,), scores (g, size, P) in agent order, and the hands (n,) of their games."""

    groups: Int64s
    scores: Float64s
    hands: npt.NDArray[Any]

    @property
    def group_of(self) -> Int64s:
        """The place in ``groups`` of each hand's group, (n,)."""
        return np.asarray(np.searchsorted(self.groups, self.hands["group"]), np.int64)


class Played:
    """Finished games of ``groups``, taken in any order and given in theirs.

    ``games``, ``hands_count`` and ``groups_count`` say how much there is; ``forfeits`` (P,) are counted by agent.
    """

    def __init__(self, game: Game, agents: tuple[str, ...], size: int, groups: Sequence[int]) -> None:
        self.game, self.agents, self.size = game, agents, size
        self.games = self.hands_count = self.groups_count = 0
        self.forfeits = np.zeros(game.num_players, np.int64)
        self._groups = groups if isinstance(groups, range) else np.unique(np.asarray(groups, np.int64))
        numbers: list[Any] = [("group", np.int64), ("start", np.int64), ("hands", np.int64)]
        self._index = RowBuffer([*numbers, ("scores", np.float64, (size, game.num_players))])
        self._hands = RowBuffer(hand_dtype(game))  # as they came in
        self._all: Hands | None = None

    def add(self, part: Part) -> None:
        """Take a part of a match: whole groups."""
        self.forfeits = self.forfeits + part.forfeits
        if not len(part.games):
            return
        order = np.argsort(part.games, kind="stable")
        hands = (
            part.hands if _in_order(part.hands) else part.hands[np.lexsort((part.hands["hand"], part.hands["game"]))]
        )
        rows = np.zeros(len(order) // self.size, self._index.dtype)
        rows["group"] = part.games[order][:: self.size] // self.size
        rows["scores"] = part.scores[order].reshape(rows["scores"].shape)
        starts = np.searchsorted(hands["group"], rows["group"])
        rows["start"] = starts + self.hands_count
        rows["hands"] = np.diff(starts, append=len(hands))
        self._hands.append(hands)
        places = self._places(rows["group"])
        for run in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(places) != 1) + 1):
            self._index.write(int(places[run[0]]), rows[run])
        self.games += len(order)
        self.groups_count += len(rows)
        self.hands_count += len(hands)
        self._all = None

    def _places(self, groups: Int64s) -> Int64s:
        if isinstance(self._groups, range):
            return (groups - self._groups.start) // self._groups.step
        return np.asarray(np.searchsorted(self._groups, groups), np.int64)

    # -- reading ---------------------------------------------------------------------------------------------------

    def blocks(self) -> Iterator[Block]:
        """Yield what there is in order of groups."""
        for rows in self._rows():
            counts = np.cumsum(rows["hands"])
            first = 0
            while first < len(rows):
                before = counts[first - 1] if first else 0
                last = max(first + 1, int(np.searchsorted(counts, before + _HANDS, "right")))
                some = rows[first:last]
                yield Block(some["group"].copy(), some["scores"].copy(), self._hands_of(some))
                first = last

    def score_blocks(self) -> Iterator[Float64s]:
        """Yield the scores of groups in order, (g, size, P) in agent order."""
        yield from (rows["scores"] for rows in self._rows())

    def _rows(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of groups that are there, some thousand at a time."""
        for found in self._index.blocks(_GROUPS):
            rows = found[found["hands"] > 0]
            if len(rows):
                yield rows

    def _hands_of(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the hands of groups, in order of game and hand."""
        by_start = rows[np.argsort(rows["start"])]
        ends = by_start["start"] + by_start["hands"]
        gaps = np.flatnonzero(ends[:-1] != by_start["start"][1:])
        parts = []
        for start, end in zip(by_start["start"][np.append(0, gaps + 1)], ends[np.append(gaps, -1)], strict=True):
            parts.append(self._hands.read(int(start), int(end - start)))
        hands = np.concatenate(parts)
        if len(parts) == 1 and bool((np.diff(hands["game"]) >= 0).all()):  # each part is in order
            return hands
        return hands[np.lexsort((hands["hand"], hands["game"]))]

    @property
    def hands(self) -> Hands:
        """All hands, in order of game and hand: an array, or where they are many one that is mapped from a file."""
        if self._all is None:
            self._all = Hands.of(self._ordered(), self.agents)
        return self._all

    def _ordered(self) -> npt.NDArray[Any]:
        if self._hands.nbytes <= row_buffer.IN_MEMORY:
            return np.concatenate([np.zeros(0, self._hands.dtype), *(block.hands for block in self.blocks())])
        with tempfile.TemporaryFile() as file:
            for block in self.blocks():
                file.write(block.hands.tobytes())
            file.flush()
            return np.memmap(file, self._hands.dtype, "r+", shape=(self.hands_count,))

    def groups(self) -> Int64s:
        """Return the numbers of the groups that are there, (g,)."""
        return np.concatenate([np.zeros(0, np.int64), *(rows["group"] for rows in self._rows())])

    def scores(self) -> Float64s:
        """Return the scores of all games in agent order, (games, P)."""
        none = np.zeros((0, self.game.num_players))
        return np.concatenate([none, *(scores.reshape(-1, none.shape[1]) for scores in self.score_blocks())])

    def game_numbers(self) -> Int64s:
        """Return the numbers of all games, (games,)."""
        return (self.groups()[:, None] * self.size + np.arange(self.size)).ravel()

    # -- as a value ------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        whole = Part(np.asarray(self.hands), self.game_numbers(), self.scores(), self.forfeits, [])
        return _with, (self.game, self.agents, self.size, self.groups().tolist(), whole)


def _in_order(hands: npt.NDArray[Any]) -> bool:
    """Whether hands are in order of game and hand, as those that come from other workers are."""
    games = np.diff(hands["game"])
    return bool(((games > 0) | ((games == 0) & (np.diff(hands["hand"]) > 0))).all())


def _with(game: Game, agents: tuple[str, ...], size: int, groups: list[int], whole: Part) -> Played:
    played = Played(game, agents, size, groups)
    played.add(whole)
    return played
