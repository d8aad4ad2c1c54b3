"""Fast games whose chance rolls dice: every outcome may be any, whatever came before, which no deck can deal.

Such a game is a :class:`DiceGame` instead of a :class:`~cardai.core.rows.RowGame`, and all else is the same: the row's
``deck`` holds all rolls of the hand in order, ``dealt`` says how many have been made, :attr:`DiceGame.num_rolls` how many
there will be: a row may have room for more, so that games of several sizes share what is compiled for a row. Its kernels bring a ``step`` or
none: the plain one rolls dice too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import IllegalActionError
from cardai.core.game import IntArray
from cardai.core.kernel import kernel
from cardai.core.rng import below
from cardai.core.rows import RowGame, RowTables


@kernel
def _rolled(data: Any, index: Any, faces: Any, rolls: Any, seeds: Any) -> None:
    """Roll the ``rolls`` dice of the rows ``index`` (m,) from the streams ``seeds`` (m,)."""
    for i in range(len(index)):
        deck = data[index[i]]["deck"]
        for k in range(rolls):
            deck[k] = below(seeds[i], k, faces)


class DiceGame(RowGame):
    """Base of fast games in which each chance outcome is one of ``num_chance_outcomes``, all equally likely."""

    @property
    def num_rolls(self) -> int:
        """How many dice are rolled in a hand."""
        raise NotImplementedError

    def deck_template(self) -> npt.NDArray[np.int8]:
        return np.zeros(0, np.int8)

    def chance_choices(self, row: Any) -> list[int]:
        return list(range(self.num_chance_outcomes))

    def tables(self, count: int) -> DiceTables:
        return DiceTables(self, count)


class DiceTables(RowTables):
    """Tables whose ``deck`` is rolled, not shuffled."""

    game: DiceGame

    def place(self, index: IntArray, seeds: npt.NDArray[np.uint64], decks: Any = None) -> None:
        """Roll all dice of each row of ``index`` and mark them unrolled; given rolls come first, in order."""
        _rolled(self.data, index, self.game.num_chance_outcomes, self.game.num_rolls, np.asarray(seeds, np.uint64))
        self.data["deck_seed"][index] = seeds
        self.data["dealt"][index] = 0
        if decks is not None:
            self._give(index, decks)

    def _give(self, index: IntArray, decks: Sequence[Sequence[int]] | npt.NDArray[Any]) -> None:
        if isinstance(decks, np.ndarray):
            self._check(decks.ravel())
            self.data["deck"][index, : decks.shape[1]] = decks
            return
        for row, deck in zip(index, decks, strict=True):
            self._check(np.asarray(deck))
            self.data["deck"][row, : len(deck)] = deck

    def deck(self, row: int) -> list[int]:
        return super().deck(row)[: self.game.num_rolls]

    def put(self, row: Any, position: int, outcome: int) -> None:
        self._check(np.array([outcome]))
        row["deck"][position] = outcome

    def _check(self, rolls: npt.NDArray[Any]) -> None:
        faces = self.game.num_chance_outcomes
        wrong = rolls[(rolls < 0) | (rolls >= faces)]
        if len(wrong):
            raise IllegalActionError(f"There is no outcome {wrong[0]}: rolls are 0 to {faces - 1}.")
