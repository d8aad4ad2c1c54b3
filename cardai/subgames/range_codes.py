"""Encodings of public states with ranges: which hands are one bucket on a board, and the masses of buckets as numbers.

DeepStack's network takes 1,000 masses a player and the pot. What else a bucket may be is compared in arXiv 1807.00900, whose
encodings are the encoders on this base; that every hand is a bucket of its own is one of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from attrs import field, frozen

from cardai.cards.poker.combos import COUNT, compatible, pair_index
from cardai.cards.poker.equity import range_equity, uniform_range
from cardai.cards.text import card_set
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.subgames.situations import STACK
from cardai.subgames.spot_game import SpotGame

_CARDS = 52


@frozen
class RangeEncoder(Encoder):
    """An encoding of ranges on the turn and on the river; a subclass says what a bucket is."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many buckets there are on a board, occupied or not."""

    @abstractmethod
    def buckets(self, board: Sequence[int]) -> Int64s:
        """Return (1326,) the bucket of each hand on a board of four or five cards, below ``size``; -1 if it is blocked."""

    @property
    def shows_board(self) -> bool:
        """Whether a code says which cards lie on the board."""
        return False

    @property
    def width(self) -> int:
        """How many numbers a code has: the masses of both players, the pot, and the board if it shows it."""
        return 2 * self.size + 1 + _CARDS * self.shows_board

    def code(self, board: Sequence[int], ranges: Float64s, half_pot: float, stack: float = STACK) -> Float32s:
        """Return (width,) the code of ``ranges`` (2, 1326) on ``board``; the pot as the share of the stacks that is in it."""
        return code_of(self, self.buckets(board), board, ranges, half_pot / stack)

    def for_game(self, game: Game) -> Layout:
        if not isinstance(game, SpotGame) or len(game.board) < 4:
            raise UsageError(
                f"{type(self).__name__} encodes ranges on the turn and the river. {brief(game)} has other views. Take "
                "holdem_spot:directory=DIR of a spot that begins there, or train: --trainer counterfactual_values."
            )
        return RangeLayout(self, max(game.tree.stacks))


def code_of(
    encoder: RangeEncoder, buckets: Int64s, board: Sequence[int], ranges: Float64s, pot_share: float
) -> Float32s:
    """Return (width,) a code of ``ranges`` (2, 1326) where ``buckets`` (1326,) are known."""
    out = np.zeros(encoder.width, np.float32)
    legal = buckets >= 0
    for seat in range(2):
        masses = np.bincount(buckets[legal], ranges[seat, legal], encoder.size)
        out[seat * encoder.size : (seat + 1) * encoder.size] = masses
    out[2 * encoder.size] = pot_share
    if encoder.shows_board:
        out[2 * encoder.size + 1 + np.asarray(board)] = 1.0
    return out


class RangeLayout(Layout):
    """A view as a situation: the own range is the hand that is held, the opponent's all that it and the board leave."""

    lossless = False

    def __init__(self, encoder: RangeEncoder, stack: int) -> None:
        self.encoder, self.stack = encoder, stack
        size = encoder.size
        planes = [
            Plane("own", f"0:{size}", "mass of each bucket in the own range", "sums to 1"),
            Plane("opponent", f"{size}:{2 * size}", "mass of each bucket in the opponent's range", "sums to 1"),
            Plane("pot", f"{2 * size}:{2 * size + 1}", "half of the pot as a share of a stack", "0 to 1"),
        ]
        if encoder.shows_board:
            planes.append(Plane("board", f"{2 * size + 1}:{encoder.width}", "public cards, 13 * suit + rank"))
        self.planes = tuple(planes)
        self.shape = (encoder.width,)

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        known: dict[bytes, Int64s] = {}
        for row, view in enumerate(views):
            board = [int(card) for card in view["board"] if card >= 0]
            buckets = known.setdefault(view["board"].tobytes(), self.encoder.buckets(board))
            hole = view["hole"]
            ranges = np.zeros((2, COUNT))
            dead = card_set([*board, *(int(card) for card in hole if card >= 0)])
            ranges[1] = compatible(np.array([dead], np.uint64))[0]
            ranges[1] /= ranges[1].sum()
            held = int(pair_index(hole[:1], hole[1:])[0])
            if held >= 0:
                ranges[0, held] = 1.0
            share = float(view["spent"].min()) / self.stack
            out[row] = code_of(self.encoder, buckets, board, ranges, share)
        return out


def river_boards(board: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the boards of five cards that ``board``, of four or five, can become."""
    if len(board) == 5:
        return [tuple(board)]
    if len(board) != 4:
        raise UsageError(f"Ranges are encoded on boards of four or five cards. Got {len(board)}.")
    return [(*board, card) for card in range(_CARDS) if card not in board]


def strength_moments(board: Sequence[int]) -> Float64s:
    """Return (2, 1326) the mean of the strength on the river, and of its square; nan for hands that the board blocks.

    A hand's strength is its chance to beat a hand at random, ties counted half.
    """
    return _moments(tuple(int(card) for card in board))


@lru_cache(maxsize=1024)
def _moments(board: tuple[int, ...]) -> Float64s:
    sums, count = np.zeros((2, COUNT)), np.zeros(COUNT)
    everything = uniform_range()
    for whole in river_boards(board):
        strength = range_equity(everything, everything, whole).by_hand[0]
        alive = np.isfinite(strength)
        sums[0, alive] += strength[alive]
        sums[1, alive] += strength[alive] ** 2
        count += alive
    with np.errstate(invalid="ignore"):
        found = np.asarray(np.where(count > 0, sums / count, np.nan))
    found.flags.writeable = False  # it is handed out again
    return found


def equal_bins(values: Float64s, count: int) -> Int64s:
    """Return which of ``count`` equal bins of [0, 1] each value is in; -1 for nan."""
    alive = np.isfinite(values)
    found = np.minimum(np.nan_to_num(values) * count + 1e-9, count - 1).astype(np.int64)
    return np.where(alive, found, -1)


@frozen
class BoardClusters:
    """Clusters of boards by two numbers each: how many hands would draw, and how high the cards are."""

    mean: Float64s
    deviation: Float64s
    centres: Float64s = field(repr=False)
    """(k, 2) in standard deviations from the mean."""

    def find(self, features: Float64s) -> int:
        """Return the cluster of a board with ``features`` (2,)."""
        apart = (features - self.mean) / self.deviation - self.centres
        return int((apart**2).sum(axis=1).argmin())
