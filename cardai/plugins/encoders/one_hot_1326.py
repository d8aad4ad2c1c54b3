"""One-hot hold'em: hole cards as one of 1,326 hands, ranges as 1,326 probabilities, the board one-hot."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import need_family
from cardai.core.arrays import Float32s, Uint64s
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.poker.contract import FRENCH, board_cards
from cardai.poker.fields import POKER
from cardai.poker.hands.combos import COUNT, compatible, pair_index, pairs

_CARDS = 52


@frozen
class OneHot1326(Encoder):
    """Hole cards as one of the 1,326 two-card hands, beside them a range and the board."""

    range: bool = option(
        True, help="a second 1,326 numbers: a range, uniform over the hands that own cards and board allow"
    )
    board: bool = option(True, help="52 numbers: the public cards")

    def for_game(self, game: Game) -> Layout:
        need_family(game, POKER, "The encoder one_hot_1326 shows")
        fields = {f.name: f for f in game.view_fields}
        said = board_cards(game)
        if said is None or (said.deck, said.hole.count) != (FRENCH, 2):
            raise UsageError(
                f"The encoder one_hot_1326 shows two hole cards of {_CARDS}. The views of {brief(game)} hold others."
            )
        return HandLayout(self.range, self.board and "board" in fields)


class HandLayout(Layout):
    """Slices of one vector; :meth:`with_ranges` puts other ranges than the uniform one in the second slice."""

    lossless = False
    low, high = 0.0, 1.0

    def __init__(self, range: bool, board: bool) -> None:
        self._range = COUNT if range else 0
        self._board = COUNT + self._range if board else 0
        end = COUNT + self._range
        planes = [Plane("hand", f"0:{COUNT}", "own hole cards: a < b at b * (b - 1) / 2 + a")]
        if range:
            planes.append(Plane("range", f"{COUNT}:{end}", "probability of each hand, in the same order", "sums to 1"))
        if board:
            planes.append(Plane("board", f"{end}:{end + _CARDS}", "public cards, 13 * suit + rank"))
        self.planes = tuple(planes)
        self.shape = (end + (_CARDS if board else 0),)

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        hole = views["hole"]
        index = pair_index(hole[:, 0], hole[:, 1])
        known = np.flatnonzero(index >= 0)
        out[known, index[known]] = 1.0
        dead = _sets(hole)
        if self._board:
            board = views["board"]
            dead |= _sets(board)
            rows, columns = np.nonzero(board >= 0)
            out[rows, self._board + board[rows, columns].astype(np.int64)] = 1.0
        if self._range:
            open_hands = compatible(dead)
            out[:, COUNT : 2 * COUNT] = open_hands / open_hands.sum(axis=1, keepdims=True)
        return out

    def with_ranges(self, codes: Float32s, ranges: npt.NDArray[np.floating[Any]]) -> Float32s:
        """Return ``codes`` (n, k) with ``ranges`` (n, 1326), each summing to 1, in place of the uniform ones."""
        if not self._range or ranges.shape != (len(codes), COUNT):
            raise ValueError(f"ranges must have shape {(len(codes), COUNT)} (and range=true). Got {ranges.shape}.")
        out = codes.copy()
        out[:, COUNT : 2 * COUNT] = ranges
        return out

    def decode(self, code: Float32s) -> dict[str, Any]:
        """Return ``hole`` and ``board`` as cards, and the most probable hands of ``range`` with their probabilities."""
        hands = pairs()
        hand = code[:COUNT]
        out: dict[str, Any] = {"hole": [int(c) for c in hands[hand.argmax()]] if hand.any() else []}
        if self._range:
            spread = code[COUNT : 2 * COUNT]
            best = np.argsort(-spread, kind="stable")[:5]
            out["range"] = [([int(c) for c in hands[k]], float(spread[k])) for k in best]
        if self._board:
            out["board"] = [int(c) for c in np.flatnonzero(code[self._board : self._board + _CARDS])]
        return out


def _sets(cards: npt.NDArray[Any]) -> Uint64s:
    bits = np.where(cards >= 0, np.uint64(1) << np.maximum(cards, 0).astype(np.uint64), np.uint64(0))
    return np.asarray(np.bitwise_or.reduce(bits, axis=1), np.uint64)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return OneHot1326
