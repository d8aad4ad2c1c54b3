"""One hand at one table, its cards dealt, played a decision a call: what learning environments of one table stand on.

:class:`~cardai.core.game.Tables` play many hands in lock step, and what a call of theirs costs is shared by all. At one table
nobody shares: here a fast game is asked by the kernel of :attr:`~cardai.core.rows.RowKernels.step`, as its States are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.direct import direct
from cardai.core.encoder import Layout
from cardai.core.game import CHANCE, TERMINAL, Game, Tables
from cardai.core.legal import Amounts
from cardai.core.numbers import NumberLayout, field_columns, numbers_of
from cardai.core.row_state import RowState
from cardai.core.rows import RowGame, RowTables

INDEX = np.zeros(1, np.int64)
"""The number of the only table, as Tables take it."""


def one_table(game: Game, layout: Layout) -> OneTable:
    """Return a table of ``game``, whose actions are a mask, at which players see what ``layout`` makes of their views."""
    return RowTable(game, layout) if isinstance(game, RowGame) else OneTable(game, layout)


class OneTable:
    """One table of any game.

    ``current`` is the seat to act, or TERMINAL; ``mask`` (A,) bool its legal actions, none when the hand is over, in memory
    that the next move writes into; ``returns`` (1, P) each seat's result when it is over.
    """

    current = TERMINAL

    def __init__(self, game: Game, layout: Layout) -> None:
        self.game, self.layout = game, layout
        self.tables: Tables = game.tables(1)
        self.mask: Bools = np.zeros(game.num_distinct_actions, np.bool_)
        self.returns: Float64s = np.zeros((1, game.num_players))

    def begin(self, seed: int, setups: Any) -> None:
        """Deal a hand of the deck ``seed``, as ``setups`` (1,) says, and play on to its first decision."""
        self.tables.reset(np.array([seed], np.uint64), None, INDEX, setups)
        self._note()

    def play(self, action: int) -> None:
        """Play a legal action of the seat to act."""
        self.tables.apply_checked(INDEX, np.array([action], np.int64))
        self._note()

    def listed(self) -> list[int]:
        """Return the legal actions, ascending; read the list, never write into it."""
        return self.mask.nonzero()[0].tolist()

    def see(self, player: int) -> Float32s:
        """Return what ``player`` may know as the layout has it, (\\*shape,) float32."""
        code: Float32s = self.layout.encode(self.tables.views(player, INDEX))[0]
        return code

    def _note(self) -> None:
        self.current = int(self.tables.current_players()[0])
        self.mask[:] = False
        if self.current >= 0:
            legal = self.tables.legal(INDEX)
            assert not isinstance(legal, Amounts)
            self.mask[:] = legal[0]
        else:
            self.returns = self.tables.returns(INDEX)


class RowTable(OneTable):
    """One table of a fast game: a kernel call a decision and a card."""

    tables: RowTables

    def __init__(self, game: RowGame, layout: Layout) -> None:
        super().__init__(game, layout)
        self._sight = RowSight(game, layout) if isinstance(layout, NumberLayout) else None
        self._bind()

    def _bind(self) -> None:
        """Take hold of what all hands of the game share, and of the parts of this one's row."""
        self._hand = self.tables.game.one_hand
        self._data, self._masks = self.tables.data, self.mask[None]
        self._deck, self._dealt = self._data["deck"][0], self._data["dealt"]
        self._choices = np.empty_like(self._hand.choices)
        seats = self.game.num_players
        columns = np.zeros(1, np.int8), np.zeros((1, seats)), np.zeros((1, seats), np.int64)
        self._fixed = self._data, self._hand.rules, INDEX, self.game.deck_template()
        self._seed, self._columns = np.zeros(1, np.uint64), columns
        kernel = self.tables.kernels.begin
        self._begin = None if kernel is None else direct(kernel, *self._fixed, self._seed, *columns)

    def __getstate__(self) -> dict[str, Any]:
        parts = ("_hand", "_data", "_masks", "_deck", "_dealt", "_choices", "_fixed", "_begin")
        return {name: value for name, value in self.__dict__.items() if name not in parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def begin(self, seed: int, setups: Any) -> None:
        if self._begin is None:
            super().begin(seed, setups)
            return
        starter, score, stacks = self._columns
        self._seed[0], starter[0] = seed, setups["starter"][0]
        score[0], stacks[0] = setups["score"][0], setups["stacks"][0]
        self._begin(*self._fixed, self._seed, starter, score, stacks)
        self._note()

    def play(self, action: int) -> None:
        hand, data, mask, choices = self._hand, self._data, self._masks, self._choices
        current, _ = hand.step(data, hand.rules, hand.index, action, mask, choices, self.returns)
        while current == CHANCE:
            card = self._deck.item(self._dealt.item())
            current, _ = hand.step(data, hand.rules, hand.index, card, mask, choices, self.returns)
        self.current = current
        if current == TERMINAL:
            self.mask.fill(False)

    def _note(self) -> None:
        self.play(-1)

    def listed(self) -> list[int]:
        marked = self.mask.tobytes()
        return self._hand.lists.get(marked) or self._hand.listed(marked)

    def see(self, player: int) -> Float32s:
        if self._sight is None:
            return super().see(player)
        return self._sight.of(self._hand.numbers(self._data, player))


class RowSight:
    """A layout over numbers for one view of a fast game: it may read some of the game's fields."""

    def __init__(self, game: RowGame, layout: NumberLayout) -> None:
        self._layout = layout
        self._columns = field_columns(numbers_of(game.view_fields), layout.numbers)

    def of(self, numbers: Int64s) -> Float32s:
        """Return what the layout makes (\\*shape,) of one view of the game as numbers (1, width)."""
        code: Float32s = self._layout.encode_numbers(numbers if self._columns is None else numbers[:, self._columns])[0]
        return code

    def at(self, state: RowState, player: int) -> Float32s:
        """Return what ``player`` may know at ``state``, (\\*shape,)."""
        return self.of(state.numbers(player))
