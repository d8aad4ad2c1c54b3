"""Hold'em equity: hands and whole ranges on any board, heads-up and multiway, exact or sampled.

A *range* is a (1326,) array of weights, one a hand, numbered as in :mod:`cardai.poker.hands.combos`. ``samples`` None is exact:
every completion of the board. Exact figures of ranges before the flop take minutes (2,598,960 boards at 60 us); hands against
hands take a quarter of a second.

>>> from cardai.cards.text import parse_cards
>>> result = hand_equity([parse_cards("AsAh"), parse_cards("KsKh")])
>>> result.exact, result.count, round(result.share[0], 4)
(True, 1712304, 0.8264)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.text import card_set, cards_text
from cardai.core.arrays import Float64s, Int8s, Int64s
from cardai.core.rng import derive
from cardai.poker.hands import _equity_kernels as kernels
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.hands.ranking import batch_tables

Cards = Sequence[int]
Weights = Float64s
_CHUNK = 65_536


@frozen
class Equity:
    """Each player's mean share of the pot and chance to win it alone.

    ``half_width`` is that of a 95 % interval of the share, zeros if ``exact``; ``count`` is the number of boards or samples.
    """

    share: tuple[float, ...]
    win: tuple[float, ...]
    half_width: tuple[float, ...]
    count: int
    exact: bool


@frozen
class RangeEquity:
    """Two ranges against each other: ``share`` is each side's pot share over all matchups that share no card.

    ``by_hand`` (2, 1326) is each hand's share against the other range, nan for hands that never meet an opponent's.
    """

    share: tuple[float, float]
    by_hand: Weights
    half_width: float
    count: int
    exact: bool


def uniform_range() -> Weights:
    """Return the range of a random hand: weight 1 for each of the 1,326."""
    return np.ones(COUNT)


def river_strengths(board: Cards) -> Int64s:
    """Return (1326,) values of all hands on a board of five cards (bigger is better), -1 for hands that it blocks."""
    if len(_check(board, [], [])) != 5 or -1 in board:
        raise ValueError(f"A river board has five cards. Got {cards_text(board)!r}.")
    ranked = np.empty(COUNT, np.int64)
    count = int(kernels.rank_all(np.array(board, np.int8), pairs(), batch_tables(7), ranked))
    out = np.full(COUNT, -1, np.int64)
    out[ranked[:count] & 2047] = ranked[:count] >> 11
    return out


def hand_equity(
    hands: Sequence[Cards], board: Cards = (), *, dead: Cards = (), samples: int | None = None, seed: int = 0
) -> Equity:
    """Return the equity of two or more hands of two cards on a board of 0 to 5 cards.

    ``dead`` cards can neither come. ``samples`` None enumerates all boards; else that many are drawn from ``seed``.

    Raises:
        ValueError: a card that is used twice, or a wrong number of cards.
    """
    _check(board, hands, dead)
    if len(hands) < 2:
        raise ValueError(f"Equity needs at least two hands. Got {len(hands)}.")
    sums = np.zeros((3, len(hands)))
    count = 0
    for boards in _boards(board, [card for hand in hands for card in hand] + list(dead), samples, seed):
        kernels.hands_on_boards(boards, np.array(hands, np.int8), batch_tables(7), sums)
        count += len(boards)
    return _equity(sums, count, samples is None)


def range_equity(
    first: npt.ArrayLike, second: npt.ArrayLike, board: Cards = (), *, samples: int | None = None, seed: int = 0
) -> RangeEquity:
    """Return the equity of two ranges on a board of 0 to 5 cards, and of each of their hands.

    Each board is ranked once and swept in order of strength, with shared cards taken out: about 0.1 ms a board.
    ``samples`` is a number of boards to draw, each with all matchups.

    Raises:
        ValueError: a range of the wrong shape, a wrong board, or ranges that can never meet.
    """
    _check(board, [], [])
    ranges = np.stack([_range(first, board), _range(second, board)])
    sums = np.zeros((2, 3, COUNT))
    parts = []
    for boards in _boards(board, [], samples, seed):
        by_board = np.zeros((len(boards), 2))
        kernels.ranges_on_boards(boards, pairs(), batch_tables(7), ranges, sums, by_board)
        parts.append(by_board)
    by_board = np.concatenate(parts)
    met = by_board[:, 1].sum()
    if met <= 0:
        raise ValueError("The ranges can never meet: every pair of their hands shares a card.")
    share = by_board[:, 0].sum() / met
    half_width = 0.0
    if samples is not None:
        rest = by_board[:, 0] - share * by_board[:, 1]
        half_width = 1.96 * float(np.sqrt((rest**2).sum()) / met)
    with np.errstate(invalid="ignore"):
        by_hand = (sums[:, 0] + 0.5 * sums[:, 1]) / sums[:, 2]
    by_hand[sums[:, 2] <= 1e-12 * met] = np.nan
    return RangeEquity((float(share), float(1 - share)), by_hand, half_width, len(by_board), samples is None)


def range_equity_sums(first: npt.ArrayLike, second: npt.ArrayLike, board: Cards) -> Weights:
    """Return (2, 3, 1326) win, tie and total of each hand of two ranges, summed over all boards that can come.

    Raises:
        ValueError: a range of the wrong shape, or a wrong board.
    """
    _check(board, [], [])
    ranges, sums = np.stack([_range(first, board), _range(second, board)]), np.zeros((2, 3, COUNT))
    for boards in _boards(board, [], None, 0):
        kernels.ranges_on_boards(boards, pairs(), batch_tables(7), ranges, sums, np.zeros((len(boards), 2)))
    return sums


def multiway_equity(ranges: Sequence[npt.ArrayLike], board: Cards = (), *, samples: int, seed: int = 0) -> Equity:
    """Return the equity of two or more ranges on a board of 0 to 5 cards, from ``samples`` dealt pots.

    Raises:
        ValueError: a range of the wrong shape, a wrong board, or ranges whose hands nearly always share cards.
    """
    _check(board, [], [])
    if len(ranges) < 2:
        raise ValueError(f"Equity needs at least two ranges. Got {len(ranges)}.")
    cumulative = np.cumsum([_range(one, board) for one in ranges], axis=1)
    whole = np.array([*board, *[-1] * 5][:5], np.int8)
    sums = np.zeros((3, len(ranges)))
    dealt = int(
        kernels.ranges_sampled(
            np.uint64(derive(seed, "equity")),
            whole,
            np.int64(card_set(board)),
            pairs(),
            batch_tables(7),
            cumulative,
            samples,
            sums,
        )
    )
    if dealt < samples:
        raise ValueError(f"The ranges' hands nearly always share cards: only {dealt} of {samples} pots could be dealt.")
    return _equity(sums, dealt, False)


def equity_vs_random(
    hand: Cards, board: Cards = (), *, opponents: int = 1, samples: int | None = None, seed: int = 0
) -> Equity:
    """Return a hand's equity against 1 or more random hands; index 0 is the hand, the others share the rest evenly.

    ``samples`` None is exact, for one opponent: quick from the flop on, two minutes before it.

    Raises:
        ValueError: wrong cards, or exact equity against several opponents.
    """
    _check(board, [hand], [])
    own = np.zeros(COUNT)
    high, low = max(hand), min(hand)
    own[high * (high - 1) // 2 + low] = 1.0
    if samples is not None:
        return multiway_equity([own, *[uniform_range()] * opponents], board, samples=samples, seed=seed)
    if opponents != 1:
        raise ValueError(f"Equity against {opponents} random hands needs samples, such as samples=100000.")
    sums, count = np.zeros((2, 3, COUNT)), 0
    for boards in _boards(board, list(hand), None, 0):
        ranges = np.stack([own, uniform_range()])
        kernels.ranges_on_boards(boards, pairs(), batch_tables(7), ranges, sums, np.zeros((len(boards), 2)))
        count += len(boards)
    won, tied, met = sums[0, :, own > 0][0]
    share = (won + 0.5 * tied) / met
    return Equity((share, 1 - share), (won / met, 1 - (won + tied) / met), (0.0, 0.0), count, True)


def _equity(sums: Weights, count: int, exact: bool) -> Equity:
    share, win, square = sums / count
    spread = np.zeros(len(share)) if exact else 1.96 * np.sqrt(np.maximum(square - share**2, 0.0) / count)
    return Equity(
        tuple(float(x) for x in share), tuple(float(x) for x in win), tuple(float(x) for x in spread), count, exact
    )


def _boards(board: Cards, used: Cards, samples: int | None, seed: int) -> Iterator[Int8s]:
    """Yield completions of ``board`` without the cards ``used``, as (m, 5) int8: all of them, or random ones."""
    missing = 5 - len(board)
    taken = card_set([*board, *used])
    if samples is not None:
        if samples < 1:
            raise ValueError(f"samples must be at least 1. Got {samples}.")
        out = np.empty((samples, 5), np.int8)
        kernels.random_boards(
            np.uint64(derive(seed, "equity")), np.array([*board, *[-1] * missing], np.int8), np.int64(taken), out
        )
        yield out
        return
    rest = [card for card in range(52) if not taken >> card & 1]
    chosen = itertools.combinations(rest, missing)
    left = comb(len(rest), missing)
    while left:
        size = min(left, _CHUNK)
        flat = itertools.chain.from_iterable(itertools.islice(chosen, size))
        out = np.empty((size, 5), np.int8)
        out[:, : len(board)] = list(board)
        out[:, len(board) :] = np.fromiter(flat, np.int8, size * missing).reshape(size, missing)
        yield out
        left -= size


def _check(board: Cards, hands: Sequence[Cards], dead: Cards) -> list[int]:
    if len(board) not in (0, 3, 4, 5):
        raise ValueError(f"A board has 0, 3, 4 or 5 cards. Got {cards_text(board)!r}.")
    for hand in hands:
        if len(hand) != 2:
            raise ValueError(f"A hold'em hand has two cards. Got {cards_text(hand)!r}.")
    cards = [*board, *(card for hand in hands for card in hand), *dead]
    for card in cards:
        if not 0 <= card < 52:
            raise ValueError(f"A card is a number from 0 to 51. Got {card}.")
    if len(set(cards)) != len(cards):
        raise ValueError(f"A card is used twice: {cards_text(cards)}.")
    return cards


def _range(weights: npt.ArrayLike, board: Cards) -> Weights:
    out = np.array(weights, np.float64)
    if out.shape != (COUNT,):
        raise ValueError(f"A range has a weight for each of the {COUNT} hands. Got the shape {out.shape}.")
    if not np.isfinite(out).all() or out.min() < 0:
        raise ValueError("A range's weights must be finite and not negative.")
    out[~left_by(board)] = 0.0
    if out.sum() <= 0:
        raise ValueError(f"A range has no hand that the board {cards_text(board)!r} leaves possible.")
    return out
