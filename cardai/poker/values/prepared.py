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
from cardai.core.errors import DamagedFileError
from cardai.core.files import digest_of, user_cache
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.poker.hands.boards import boards as known_boards
from cardai.poker.ranges.hands import HOLDEM, Hands
from cardai.poker.values.match_ups import against, both_leave, legal_hands, strength_moments
from cardai.poker.values.situation_set import SituationSet
from cardai.poker.values.situations import BOARD_CARDS, Situation

VERSION = 5
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
    """(n, cards)"""
    numbers: Int64s
    """(n,) of the situations, in their set."""
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
    """Return the arrays of situations on one street of one game; ``values`` (n, 2, H) if they are solved."""
    hands = situations[0].game.hands if situations else HOLDEM
    boards = [one.board for one in situations]
    legal = {board: _facts(board, hands).numbers for board in set(boards)}
    shape = (len(boards), 2, len(legal[boards[0]]) if boards else 0)
    held = [one.ranges[:, legal[one.board]] for one in situations]
    both = np.array([one / one.sum(axis=1, keepdims=True) for one in held]).reshape(shape)
    rows = hand_rows(boards, both, hands)
    return Prepared(
        boards=np.array(boards, np.int8),
        numbers=np.array([one.number for one in situations], np.int64),
        half_pots=np.array([one.half_pot for one in situations], np.float32),
        intervals=np.array([one.interval for one in situations], np.int8),
        ranges=(both * shape[2]).astype(np.float16),
        hands=rows.astype(np.float16),
        context=contexts(both, rows).astype(np.float16),
        values=np.zeros(shape, np.float16) if values is None else values.astype(np.float16),
    )


def hand_rows(boards: Sequence[tuple[int, ...]], ranges: Float64s, hands: Hands = HOLDEM) -> Float64s:
    """Return (n, ROWS, H) what is known of each hand that each board leaves; ``ranges`` (n, 2, H) sum to 1."""
    out = np.zeros((len(boards), ROWS, ranges.shape[2]))
    met, (legal, level) = np.zeros((3, *ranges.shape)), np.zeros((2, len(boards), ranges.shape[2]), np.int64)
    for board in set(boards):
        rows, known = np.array([k for k, one in enumerate(boards) if one == board]), _facts(board, hands)
        whole = np.zeros((len(rows), 2, len(hands.cards)))
        whole[:, :, known.numbers] = ranges[rows]
        met[:, rows] = against(board, whole, hands)[..., known.numbers]
        legal[rows], level[rows] = known.numbers, known.level
        out[rows, STRENGTH], out[rows, SPREAD] = known.strength, known.spread
        out[rows, MET : MET + 2] = met[2, rows] / both_leave(board, hands)
    strength, (win, tie, total) = out[:, STRENGTH], met
    meet = total > 1e-9 * total.max(axis=2, keepdims=True, initial=0.0)
    safe = np.where(meet, total, 1.0)
    out[:, EQUITY : EQUITY + 2] = np.where(meet, (win + 0.5 * tie) / safe, strength[:, None])
    out[:, TIE : TIE + 2] = np.where(meet, tie / safe, 0.0)
    for seat in range(2):
        below = _below(level, ranges[:, seat])
        for row, chosen in ((STRONG, below > 1 - TAIL), (WEAK, below < TAIL)):
            part = np.where(chosen, ranges[:, seat], 0.0)
            out[:, row + seat] = _unblocked(part, hands.cards[legal], hands.places) / np.maximum(
                out[:, MET + seat], 1e-9
            )
    out[:, STRONG:STRENGTH] = np.clip(out[:, STRONG:STRENGTH], 0.0, 1.0)
    return out


@frozen(eq=False)
class _Facts:
    """What does not depend on ranges, of the H hands that a board leaves."""

    numbers: Int64s
    strength: Float64s
    spread: Float64s
    level: Int64s
    """Of strength, from 0: hands as strong are on one."""


@lru_cache(maxsize=256)
def _facts(board: tuple[int, ...], hands: Hands) -> _Facts:
    numbers = legal_hands(board, hands)
    mean, square = strength_moments(board, hands)[:, numbers]
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    return _Facts(numbers, mean, spread, np.unique(np.round(mean, 9), return_inverse=True)[1])


def _sums(places: Int64s, weights: Float64s, size: int) -> Float64s:
    """Return (n, size) the weights (n, m) of each row by their places (n, m), added in order."""
    rows = np.arange(len(places))[:, None] * size + places
    return np.asarray(
        np.bincount(rows.ravel(), weights.ravel(), len(places) * size).reshape(len(places), size), np.float64
    )


def _below(level: Int64s, weights: Float64s) -> Float64s:
    """Return (n, H) the weight of the hands that are weaker than each, and half of the weight of those that are as strong."""
    mass = _sums(level, weights, level.shape[1])
    return np.take_along_axis(np.cumsum(mass, axis=1) - 0.5 * mass, level, axis=1)


def _unblocked(part: Float64s, cards: Int64s, places: int) -> Float64s:
    """Return (n, H) the weight of ``part`` (n, H) that shares no card with each hand; ``cards`` (n, H, 2) below ``places``."""
    held = cards.reshape(len(cards), 2 * cards.shape[1])
    by_card = _sums(held, np.repeat(part, 2, axis=1), places)
    blocked = np.take_along_axis(by_card, held, axis=1).reshape(cards.shape).sum(axis=2)
    return np.asarray(part.sum(axis=1, keepdims=True) - blocked + part)


def contexts(ranges: Float64s, rows: Float64s) -> Float64s:
    """Return (n, 2, CONTEXT) what each range looks like: its weight by strength, and by equity against the other."""
    out = np.zeros((len(ranges), 2, CONTEXT))
    strength = _finer_above(rows[:, STRENGTH], BINS)
    for seat in range(2):
        equity = _finer_above(rows[:, EQUITY + 1 - seat], EQUITY_BINS)
        out[:, seat, :BINS] = _sums(strength, ranges[:, seat], BINS)
        out[:, seat, BINS:] = _sums(equity, ranges[:, seat], EQUITY_BINS)
    return out


def _finer_above(values: Float64s, bins: int) -> Int64s:
    """Return which bin of ``bins`` values in [0, 1] are in; deep stacks are about the best hands, so bins narrow towards 1."""
    return np.minimum((bins * (1.0 - np.sqrt(np.clip(1.0 - values, 0.0, 1.0)))).astype(np.int64), bins - 1)


def load_prepared(found: SituationSet, shards: Sequence[int]) -> Prepared:
    """Return the arrays of ``shards`` with their values, from the cache where they are there."""
    recipe = found.recipe
    identity = [VERSION, found.fingerprint, recipe.street, recipe.seed, recipe.intervals, recipe.per_shard, recipe.game]
    identity += [recipe.share, recipe.rows] if recipe.share < 1 or recipe.rows > 1 else []
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


def _expected(n: int, held: int, found: SituationSet) -> dict[str, Any]:
    """Return the dtypes and shapes of ``n`` situations' arrays, of ``held`` hands each."""
    return {
        "boards": (np.int8, (n, BOARD_CARDS[found.recipe.street])),
        "numbers": (np.int64, (n,)),
        "half_pots": (np.float32, (n,)),
        "intervals": (np.int8, (n,)),
        "ranges": (np.float16, (n, 2, held)),
        "hands": (np.float16, (n, ROWS, held)),
        "context": (np.float16, (n, 2, CONTEXT)),
    }


def _one(found: SituationSet, shard: int, file: Path) -> Prepared:
    solved = found.read(shard)
    if file.is_file():
        with suppress(DamagedFileError):  # of another version, or damaged: made anew
            n, _, held = solved.values.shape
            return Prepared(**read_npz(file, _expected(n, held, found)), values=solved.values.astype(np.float16))
    part = prepare(found.situations(shard), solved.values)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_npz(file, {name: getattr(part, name) for name in fields_dict(Prepared) if name != "values"})
    return part


def board_classes(boards: npt.NDArray[np.int8]) -> Int64s:
    """Return (n,) the class of each board up to the names of suits."""
    known = known_boards(boards.shape[1])
    return np.array([known.find([int(card) for card in board])[0] for board in boards], np.int64)
