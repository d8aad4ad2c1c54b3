"""What networks look at in situations, as arrays: ranges, match-ups, strength and equity of every hand.

Everything here stays the same under a renaming of suits: a network that sees nothing else treats all 24 images of a situation
alike. Arrays are kept in the user's cache directory by shard, since they take longer to make than to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import fields_dict, frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import CardaiError
from cardai.core.files import digest_of, user_cache
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.poker.hands import _equity_kernels as kernels
from cardai.poker.hands.boards import boards as known_boards
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.values.range_codes import river_boards
from cardai.poker.values.situation_set import SituationSet
from cardai.poker.values.situations import Situation, legal_hands

VERSION = 4
EQUITY, TIE, MET, STRONG, WEAK, STRENGTH, SPREAD = 0, 2, 4, 6, 8, 10, 11
"""Rows of ``hands``: the first five are pairs, against seat 0's range and against seat 1's."""
ROWS = 12
BINS, EQUITY_BINS = 64, 32
CONTEXT = BINS + EQUITY_BINS
TAIL = 0.25
"""The share of a range that counts as its strong hands, and as its weak ones."""
Halves = npt.NDArray[np.float16]


@frozen(eq=False)
class Prepared:
    """n situations with H hands each, those that the board leaves in order of their numbers."""

    boards: npt.NDArray[np.int8]
    """(n, 4 or 5)"""
    half_pots: Float32s
    """(n,) chips that each player has put in."""
    intervals: npt.NDArray[np.int8]
    """(n,)"""
    ranges: Halves
    """(n, 2, H) probabilities times H."""
    hands: Halves
    """(n, ROWS, H): equity, chance of a tie, weight that can be met (of 1), share of the strong and of the weak hands of a
    range that can be met; strength, and the deviation of its strength on the river."""
    context: Halves
    """(n, 2, CONTEXT): each seat's range by strength, and by equity against the other's."""
    values: Halves
    """(n, 2, H) counterfactual values in units of ``half_pots``; 0 where they are not known."""

    def __len__(self) -> int:
        return len(self.boards)

    def take(self, rows: Int64s | slice) -> Prepared:
        """Return some of the situations."""
        return Prepared(**{name: getattr(self, name)[rows] for name in fields_dict(Prepared)})


def prepare(situations: Sequence[Situation], values: Float32s | None = None) -> Prepared:
    """Return the arrays of situations on one street; ``values`` (n, 2, H) if they are solved."""
    count, hands = len(situations), len(legal_hands(situations[0].board)) if situations else 0
    ranges = np.zeros((count, 2, hands), np.float16)
    rows = np.zeros((count, ROWS, hands), np.float16)
    context = np.zeros((count, 2, CONTEXT), np.float16)
    for k, one in enumerate(situations):
        legal = legal_hands(one.board)
        both = one.ranges[:, legal]
        both = both / both.sum(axis=1, keepdims=True)
        found = hand_rows(one.board, both, legal)
        ranges[k], rows[k] = both * hands, found
        context[k] = contexts(both, found)
    return Prepared(
        boards=np.array([one.board for one in situations], np.int8),
        half_pots=np.array([one.half_pot for one in situations], np.float32),
        intervals=np.array([one.interval for one in situations], np.int8),
        ranges=ranges,
        hands=rows,
        context=context,
        values=np.zeros((count, 2, hands), np.float16) if values is None else values.astype(np.float16),
    )


def hand_rows(board: Sequence[int], ranges: Float64s, legal: Int64s) -> Float64s:
    """Return (ROWS, H) what is known of each of the hands ``legal`` (H,); ``ranges`` (2, H) sum to 1."""
    out = np.zeros((ROWS, len(legal)))
    whole = np.zeros((2, COUNT))
    whole[:, legal] = ranges
    win, tie, total = _against(board, whole)[:, :, legal]
    runs = len(river_boards(board)) - (4 if len(board) == 4 else 0)  # those that both hands leave
    meet = total > 1e-9 * total.max(axis=1, keepdims=True)
    strength, spread = strengths(tuple(board))
    out[STRENGTH], out[SPREAD] = strength[legal], spread[legal]
    safe = np.where(meet, total, 1.0)
    out[EQUITY : EQUITY + 2] = np.where(meet, (win + 0.5 * tie) / safe, strength[legal])
    out[TIE : TIE + 2] = np.where(meet, tie / safe, 0.0)
    out[MET : MET + 2] = total / runs
    for seat in range(2):
        below = _below(strength[legal], ranges[seat])
        for row, chosen in ((STRONG, below > 1 - TAIL), (WEAK, below < TAIL)):
            part = np.where(chosen, ranges[seat], 0.0)
            out[row + seat] = _unblocked(part, legal) / np.maximum(out[MET + seat], 1e-9)
    out[STRONG:STRENGTH] = np.clip(out[STRONG:STRENGTH], 0.0, 1.0)
    return out


def _against(board: Sequence[int], ranges: Float64s) -> Float64s:
    """Return (3, 2, 1326) the weight that each hand beats, ties and meets of either range (2, 1326), over all rivers."""
    rivers = np.array(river_boards(board), np.int8)
    sums, by_board = np.zeros((2, 3, COUNT)), np.zeros((len(rivers), 2))
    kernels.ranges_on_boards(rivers, pairs(), batch_tables(7), ranges, sums, by_board)
    return np.asarray(sums[::-1].transpose(1, 0, 2))  # the kernel's first side is what meets the second range


@lru_cache(maxsize=4096)
def strengths(board: tuple[int, ...]) -> tuple[Float64s, Float64s]:
    """Return (1326,) the chance of each hand to beat a hand at random, and the deviation of that over the rivers."""
    total, squares, count = np.zeros(COUNT), np.zeros(COUNT), np.zeros(COUNT)
    for whole in river_boards(board):
        win, tie, met = _against(whole, np.ones((2, COUNT)))[:, 0]
        alive = met > 0
        share = (win[alive] + 0.5 * tie[alive]) / met[alive]
        total[alive] += share
        squares[alive] += share**2
        count += alive
    mean = total / np.maximum(count, 1)
    return mean, np.sqrt(np.maximum(squares / np.maximum(count, 1) - mean**2, 0.0))


def _below(strength: Float64s, weights: Float64s) -> Float64s:
    """Return (H,) the weight of the hands that are weaker than each, and half of the weight of those that are as strong."""
    _, group = np.unique(np.round(strength, 9), return_inverse=True)
    mass = np.bincount(group, weights)
    return np.asarray((np.cumsum(mass) - 0.5 * mass)[group])


def _unblocked(part: Float64s, legal: Int64s) -> Float64s:
    """Return (H,) the weight of ``part`` (H,) that shares no card with each hand."""
    cards = _PAIRS[legal]
    by_card = np.bincount(cards.ravel(), np.repeat(part, 2), 52)
    return np.asarray(part.sum() - by_card[cards].sum(axis=1) + part)


def contexts(ranges: Float64s, rows: Float64s) -> Float64s:
    """Return (2, CONTEXT) what each range looks like: its weight by strength, and by equity against the other."""
    out = np.zeros((2, CONTEXT))
    strength = _finer_above(rows[STRENGTH], BINS)
    for seat in range(2):
        equity = _finer_above(rows[EQUITY + 1 - seat], EQUITY_BINS)
        out[seat, :BINS] = np.bincount(strength, ranges[seat], BINS)
        out[seat, BINS:] = np.bincount(equity, ranges[seat], EQUITY_BINS)
    return out


def _finer_above(values: Float64s, bins: int) -> Int64s:
    """Return which bin of ``bins`` values in [0, 1] are in; deep stacks are about the best hands, so bins narrow towards 1."""
    return np.minimum((bins * (1.0 - np.sqrt(np.clip(1.0 - values, 0.0, 1.0)))).astype(np.int64), bins - 1)


def load_prepared(found: SituationSet, shards: Sequence[int]) -> Prepared:
    """Return the arrays of ``shards`` with their values, from the cache where they are there."""
    recipe = found.recipe
    identity = [VERSION, found.fingerprint, recipe.street, recipe.seed, recipe.intervals, recipe.per_shard]
    folder = user_cache() / f"situations-{digest_of(identity)[:16]}"
    whole, size = prepare([]), recipe.per_shard
    for done, shard in enumerate(shards):
        tell("Reading situations", done, len(shards))
        part = _one(found, shard, folder / f"prepared-{shard:06d}.npz")
        if not done:  # in place: hundreds of thousands fill half of a memory
            whole = Prepared(**{k: _room(len(shards) * size, getattr(part, k)) for k in fields_dict(Prepared)})
        for name in fields_dict(Prepared):
            getattr(whole, name)[done * size : (done + 1) * size] = getattr(part, name)
    tell("Reading situations", 1, 1)
    return whole


def joined(some: Sequence[Prepared]) -> Prepared:
    """Return the arrays of several, one behind the other; there must be one at least."""
    return Prepared(**{name: np.concatenate([getattr(one, name) for one in some]) for name in fields_dict(Prepared)})


def _room(count: int, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.empty((count, *like.shape[1:]), like.dtype)


def _one(found: SituationSet, shard: int, file: Path) -> Prepared:
    solved = found.read(shard)
    if file.is_file():
        with suppress(CardaiError, TypeError):  # of another version, or damaged: made anew
            part = Prepared(**read_npz(file), values=solved.values.astype(np.float16))
            if len(part) == len(solved.values) and part.hands.shape[1:] == (ROWS, solved.values.shape[2]):
                return part
    part = prepare(found.situations(shard), solved.values)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_npz(file, {name: getattr(part, name) for name in fields_dict(Prepared) if name != "values"})
    return part


def board_classes(boards: npt.NDArray[np.int8]) -> Int64s:
    """Return (n,) the class of each board up to the names of suits."""
    known = known_boards(boards.shape[1])
    return np.array([known.find([int(card) for card in board])[0] for board in boards], np.int64)


_PAIRS = pairs().astype(np.int64)
