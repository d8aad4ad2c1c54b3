"""Few flops that stand for all: weighted subsets of the 1,755 classes, by what hands are worth on them.

A subset is good where what each starting hand wins of two ranges' pots, over its flops and with their weights, is what it wins
over all flops, and where each texture has the share that it has of all flops: equities alone are kept as well by flops of one
suit, on which nobody plays as on others. It is chosen by taking again and again the flop that brings the sums nearest to that, then by weighing the flops
and by exchanging them; the error is printed, beside that of flops drawn at random.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
from attrs import frozen

from cardai.cards.text import cards_text, parse_cards
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.rng import derive
from cardai.core.schema import structure
from cardai.poker.hand_classes import class_of
from cardai.poker.hands.boards import boards
from cardai.poker.hands.equity import range_equity_sums
from cardai.poker.notation import parse_range

SIZES = (25, 49, 74, 95, 184)
"""The subsets in the box."""
CALLER = "JJ-22,AJs-A2s,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,AQo-A9o,KTo+,QTo+,JTo"
OPENER = "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,ATo+,KJo+,QJo"
PAIRS = (("random", "random"), (CALLER, OPENER))
"""The ranges whose hands' equities a subset keeps: all hands, and about what calls and opens in a single-raised pot."""
FILE = "flops.json"


@frozen
class Subset:
    """Flops and their weights, which sum to 1."""

    flops: tuple[str, ...]
    weights: tuple[float, ...]
    error: float
    """The root mean square, in percent of the pot, of how far a starting hand's equity lies from that over all flops."""
    worst: float
    random: float
    """The error of as many flops drawn at random, by their numbers of suits, mean of 20 draws."""


@frozen
class _Box:
    subsets: dict[str, Subset]


def subset(count: int) -> Subset:
    """Return the subset of ``count`` flops in the box; 1755: all. Raises UsageError."""
    if count == len(classes()[0]):
        weights = classes()[1] / classes()[1].sum()
        return Subset(tuple(cards_text(one) for one in classes()[0]), tuple(weights.tolist()), 0.0, 0.0, 0.0)
    known = subsets_of(files("cardai.poker.ranges").joinpath(FILE).read_text(encoding="utf-8"), FILE)
    if str(count) not in known:
        raise UsageError(f"There are subsets of {', '.join(known)} flops, and all 1755. Got {count}.")
    return known[str(count)]


def subsets_of(text: str, file: str) -> dict[str, Subset]:
    """Return the subsets that the text of ``file`` holds, by their number of flops. Raises DamagedFileError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return structure(value, _Box, f"The file {file}").subsets


def classes() -> tuple[Int64s, Float64s]:
    """Return (1755, 3) a flop of each class, and (1755,) how many flops it has."""
    known = boards(3)
    return known.cards.astype(np.int64), known.weights.astype(np.float64)


def winnings(flop: Int64s) -> Float64s:
    """Return (pairs x 2 x 169, 2) what starting hands win on a flop, and of how much: sums over hands, ends and the other
    range's hands."""
    rows, groups = [], class_of()
    for texts in PAIRS:
        weights = [parse_range(text) for text in texts]
        sums = range_equity_sums(weights[0], weights[1], flop.tolist())
        won, met = sums[:, 0] + 0.5 * sums[:, 1], sums[:, 2]
        for seat in range(2):
            rows.append(np.stack([np.bincount(groups, weights[seat] * one[seat], 169) for one in (won, met)], axis=1))
    return np.concatenate(rows)


def residuals(found: Float64s) -> Float64s:
    """Return (F, D) how far each flop's winnings lie from the mean, so that a weighted sum is an equity's error in percent.

    ``found`` (F, D, 2): see :func:`winnings`; ``classes`` are in order.
    """
    weights = classes()[1] / classes()[1].sum()
    whole = np.tensordot(weights, found, 1)
    held = whole[:, 1] > 0
    equity = whole[held, 0] / whole[held, 1]
    return np.asarray(100.0 * (found[:, held, 0] - equity * found[:, held, 1]) / whole[held, 1])


def choose(apart: Float64s, count: int, rounds: int = 400) -> Subset:
    """Return the best subset of ``count`` flops that is found; ``apart`` as :func:`residuals` returns it."""
    equities, apart = apart, np.hstack([apart, shares_apart(apart.shape[1])])
    squares = (apart**2).sum(axis=1)
    chosen: list[int] = []
    total = np.zeros(apart.shape[1])
    for _ in range(count):
        cost = squares + 2 * apart @ total
        cost[chosen] = np.inf
        chosen.append(int(cost.argmin()))
        total = total + apart[chosen[-1]]
    weights = weigh(apart[chosen])
    error = _error(apart, chosen, weights)
    for done in range(rounds):
        out = int(np.argsort(weights)[done % max(1, count // 3)])  # one of those that matter least
        rest = chosen[:out] + chosen[out + 1 :]
        total = np.delete(weights, out) @ apart[rest]
        cost = weights[out] ** 2 * squares + 2 * weights[out] * (apart @ total)
        cost[chosen] = np.inf
        tried = [*rest, int(cost.argmin())]
        found = weigh(apart[tried])
        if (now := _error(apart, tried, found)) < error:
            chosen, weights, error = tried, found, now
    return _named(equities, chosen, weights)


def shares_apart(columns: int) -> Float64s:
    """Return (F, T) how far each flop lies from the shares of the T textures, so that a weighted sum is a share's error.

    In percent, times what makes their mean square count as much as that of ``columns`` equities.
    """
    cards, counts = classes()
    names = np.array([texture(cards_text(one)) for one in cards])
    has = names[:, None] == np.unique(names)
    whole = counts @ has / counts.sum()
    return np.asarray(100.0 * (has - whole) * np.sqrt(columns / len(whole)))


def weigh(apart: Float64s, steps: int = 3000) -> Float64s:
    """Return weights (k,) above 0 that sum to 1 whose weighted sum of ``apart`` (k, D) is least: pairwise exchanges."""
    gram, count = apart @ apart.T, len(apart)
    weights = np.full(count, 1.0 / count)
    least = 0.1 / count
    slope = gram @ weights
    for _ in range(steps):
        down = np.where(weights > least, slope, -np.inf)
        i, j = int(down.argmax()), int(slope.argmin())
        bend = gram[i, i] + gram[j, j] - 2 * gram[i, j]
        move = min((slope[i] - slope[j]) / bend if bend > 0 else 0.0, weights[i] - least)
        if move <= 1e-9:
            break
        weights[i] -= move
        weights[j] += move
        slope += move * (gram[:, j] - gram[:, i])
    return weights


def _error(apart: Float64s, chosen: list[int], weights: Float64s) -> float:
    return float(np.sqrt(((weights @ apart[chosen]) ** 2).mean()))


def _named(apart: Float64s, chosen: list[int], weights: Float64s) -> Subset:
    cards, counts = classes()
    order = np.argsort(-weights, kind="stable")
    generator = np.random.default_rng(derive(0, "flops"))
    drawn = [generator.choice(len(counts), len(chosen), replace=False, p=counts / counts.sum()) for _ in range(20)]
    random = [_error(apart, one.tolist(), counts[one] / counts[one].sum()) for one in drawn]
    flops = tuple(cards_text(sorted(cards[chosen[k]].tolist(), key=lambda card: (-(card % 13), -card))) for k in order)
    rounded = np.round(weights[order], 6)
    worst = float(np.abs(weights @ apart[chosen]).max())
    return Subset(flops, tuple(rounded.tolist()), _error(apart, chosen, weights), worst, float(np.mean(random)))


TONES = {1: "monotone", 2: "two-tone", 3: "rainbow"}
"""What a flop is called by how many suits it has."""


def tones(found: Subset) -> dict[str, float]:
    """Return how much of a subset's weight lies on flops of one, two and three suits."""
    shares = dict.fromkeys(TONES.values(), 0.0)
    for flop, weight in zip(found.flops, found.weights, strict=True):
        shares[_tone(flop)] += weight
    return shares


def _tone(flop: str) -> str:
    return TONES[len({card // 13 for card in parse_cards(flop)})]


def turns(flops: Subset) -> Subset:
    """Return every turn of flops, each with its share of the flop's weight."""
    boards, weights = [], []
    for flop, weight in zip(flops.flops, flops.weights, strict=True):
        came = [card for card in range(51, -1, -1) if card not in parse_cards(flop)]
        boards += [flop + cards_text([card]) for card in came]
        weights += [weight / len(came)] * len(came)
    return Subset(tuple(boards), tuple(weights), flops.error, flops.worst, flops.random)


def texture(flop: str) -> str:
    """Return a flop's texture: its suits, and paired, trips or how connected it is; of a longer board what its last card brings.

    >>> texture("KsTh7s"), texture("2c2d2h"), texture("9s8s7s"), texture("KsTh7sAs"), texture("KsTh7s7c"), texture("5s4h2cAd")
    ('two-tone', 'trips', 'monotone connected', 'overcard flush', 'pairs', 'overcard straight')
    """
    *before, last = parse_cards(flop)
    if len(before) > 2:
        known, all_of = [card % 13 for card in before], {card % 13 for card in (*before, last)}
        four = any(len(all_of & {rank % 13 for rank in range(low, low + 5)}) > 3 for low in range(-1, 9))
        words = {
            "overcard": last % 13 > max(known),
            "pairs": last % 13 in known,
            "straight": four and len(all_of) > len(set(known)),
            "flush": sum(card // 13 == last // 13 for card in before) > 1,
        }
        return " ".join(word for word, holds in words.items() if holds) or "blank"
    ranks, tone = sorted({card % 13 for card in parse_cards(flop)}), _tone(flop)
    if len(ranks) == 1:
        return "trips"
    if len(ranks) == 2:
        return f"{tone} paired"
    low = ranks[:2] if ranks[2] == 12 and ranks[1] <= 3 else ranks  # an ace may be low
    return f"{tone} connected" if low[-1] - low[0] <= 4 and (len(low) == 3 or low[-1] <= 3) else tone
