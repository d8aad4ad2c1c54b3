"""Leduc hold'em in 30 bits: own rank, board rank, betting (Heinrich and Silver 2016): ranks only."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.numbers import NumberLayout
from cardai.core.spec import brief
from cardai.poker.contract import PAIR, board_game, described

RANKS, ROUNDS, LEVELS = 3, 2, 3
_HISTORY = 2 * RANKS


@kernel
def _show(numbers: Any, at: Any, most: Any, out: Any) -> None:
    """Fill ``out`` (n, 30), which is zero before; ``at``: columns of hole, board, history, its rounds and its seats."""
    for i in range(len(numbers)):
        row = numbers[i]
        out[i, row[at[0]] // 2] = 1
        if row[at[1]] >= 0:
            out[i, RANKS + row[at[1]] // 2] = 1
        level = np.zeros(ROUNDS, np.int64)
        for k in range(most):
            raised = row[at[2] + k] - 1
            if raised >= 0:
                number = row[at[3] + k]
                place = ((row[at[4] + k] * ROUNDS + number) * LEVELS + level[number]) * 2 + raised
                out[i, _HISTORY + place] = 1
                level[number] += raised


class Leduc30Layout(NumberLayout):
    """The layout of the NFSP paper's released Leduc code (github.com/Johannes-H/nfsp-leduc).

    Seats are absolute. A betting bit is set at the number of bets and raises made in the round *before* the action;
    folds are not encoded. At most 9 bits are set. The 288 information sets of Leduc without suits all differ.
    """

    shape = (30,)
    low, high = 0.0, 1.0
    planes = (
        Plane("own rank", "0:3", "one-hot J Q K"),
        Plane("board rank", "3:6", "one-hot J Q K, zeros before the flop"),
        Plane("betting", "6:30", "[seat 2][round 2][raises before 3][check or call, bet or raise]"),
    )

    def __init__(self, fields: tuple[Field, ...], lossless: bool) -> None:
        super().__init__(fields)
        self.lossless = lossless
        self._at = self.numbers.at("hole", "board", "history", "history_round", "history_seat")
        self._most = fields[-1].size

    def write(self, numbers: Int64s, out: Float32s) -> None:
        _show(numbers, self._at, self._most, out)

    def decode(self, code: Float32s) -> dict[str, Any]:
        bits = code[_HISTORY:].reshape(2, ROUNDS, LEVELS, 2)
        betting = [
            {"seat": int(s), "round": int(r), "raises before": int(level), "action": "bet or raise" if a else "call"}
            for r, level, a, s in np.argwhere(bits.transpose(1, 2, 3, 0))
        ]
        own, board = (["JQK"[i] for i in np.flatnonzero(code[at : at + RANKS])] for at in (0, RANKS))
        return {"own rank": own[0], "board rank": board[0] if board else None, "betting": betting}


@frozen
class Leduc30(Encoder):
    """Leduc hold'em's 30-element state of the NFSP paper."""

    def for_game(self, game: Game) -> Layout:
        said = board_game(game)
        if said is None or said.ranking != PAIR or not set(said.deck.cards) <= set(range(2 * RANKS)):
            raise UsageError(
                f"leduc_30 shows Leduc hold'em, cards of {RANKS} ranks and two suits. {brief(game)} is {described(game)}."
            )
        betting = said.betting
        if betting.num_players != 2 or betting.no_limit or said.ladder:
            raise UsageError(
                f"leduc_30 is for two seats and raises of one size. {brief(game)} has {betting.num_players} seats"
                f"{' and chooses what it raises to' if betting.no_limit or said.ladder else ''}."
            )
        raises = max(betting.max_raises)
        if betting.num_rounds > ROUNDS or raises > LEVELS - 1:
            raise UsageError(
                f"leduc_30 has room for {ROUNDS} rounds of {LEVELS - 1} raises. {brief(game)} has {betting.num_rounds} of {raises}."
            )
        return Leduc30Layout(game.view_fields, lossless=not said.suits_seen)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    return Leduc30
