"""How good encodings, labels and networks are: losses over solved situations, with intervals over situations.

A loss is the mean over the hands that the board leaves, then over situations. ``player`` divides values by what each player
has put in, ``pot`` by the whole pot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, frozen

from cardai.arena.statistics import Estimate, mean
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.files import read_json, write_json
from cardai.core.schema import structure
from cardai.poker.values import prepared
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network import ValueNetwork, bucket_means, hand_buckets, of_hands
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.range_codes import RangeCode
from cardai.poker.values.situation_set import Behind, Recipe, SituationSet, check_behind
from cardai.poker.values.situations import INTERVALS, Situation, labels

DIVISORS = {"player": 1.0, "pot": 0.5}
"""What values per player are multiplied with."""
NOISE = "noise.json"
PUBLISHED = {"e_hs2": (0.0240, 0.0509), "public_nested": (0.0406, 0.0886), "potential_aware": (0.0258, 0.0544)}
"""Huber loss and mean squared error of encodings on the turn (arXiv 1807.00900, table 1)."""


@frozen(eq=False)
class Losses:
    """Losses of n situations: (n,) by name of the divisor and of the loss, and each situation's interval of pots."""

    by_name: dict[str, Float64s]
    intervals: Int64s

    def of(self, name: str, interval: int | None = None) -> Estimate | None:
        """Return a mean with its interval; None where there are not two situations."""
        chosen = self.by_name[name] if interval is None else self.by_name[name][self.intervals == interval]
        return mean(chosen) if len(chosen) > 1 else None

    def where(self, chosen: Bools) -> Losses:
        """Return those of the situations that are ``chosen`` (n,)."""
        return Losses({name: found[chosen] for name, found in self.by_name.items()}, self.intervals[chosen])

    def as_json(self) -> dict[str, Any]:
        """Return all means and half widths, over all situations and by interval."""
        out: dict[str, Any] = {"situations": len(self.intervals)}
        for name in self.by_name:
            whole, parts = self.of(name), [self.of(name, k) for k in range(len(INTERVALS))]
            out[name] = _plain(whole) | {"by_interval": [_plain(part) for part in parts]}
        return out


def _plain(one: Estimate | None) -> dict[str, Any]:
    return {"mean": None if one is None else one.mean, "half_width": None if one is None else one.half_width}


def huber(errors: Any) -> Any:
    """Return the Huber loss (delta 1) of each error."""
    size = np.abs(errors)
    return np.where(size < 1.0, 0.5 * size * size, size - 0.5)


def losses(errors: Float32s, data: Prepared) -> Losses:
    """Return the losses of errors (n, 2, H), per player, in the values of ``data``."""
    found: dict[str, Float64s] = {}
    weights = data.ranges.astype(np.float64) / data.ranges.shape[2]
    for name, factor in DIVISORS.items():
        scaled = errors.astype(np.float64) * factor
        found[f"huber_{name}"] = huber(scaled).mean(axis=(1, 2))
        found[f"mse_{name}"] = (scaled**2).mean(axis=(1, 2))
        found[f"weighted_huber_{name}"] = 0.5 * (huber(scaled) * weights).sum(axis=(1, 2))
    return Losses(found, data.intervals.astype(np.int64))


def encoding_losses(code: RangeCode, data: Prepared, equity_valued: bool = False) -> Losses:
    """Return what is lost where each hand's value is replaced by the mean over its bucket's hands.

    Args:
        equity_valued: average what hands are worth when they meet a hand, and multiply with the weight that each meets.
    """
    buckets, values = hand_buckets(code, data), data.values.astype(np.float32)
    met = np.ones_like(values)
    if equity_valued:
        met = np.stack([data.hands[:, prepared.MET + 1 - s] for s in range(2)], axis=1).astype(np.float32)
        met = np.maximum(met, 1e-3)
    means, _ = bucket_means(buckets, values / met, code.size)
    index = np.broadcast_to(buckets[:, None], values.shape)
    return losses(np.take_along_axis(means, index, axis=2) * met - values, data)


def network_losses(network: ValueNetwork, data: Prepared, known: Int64s | None = None) -> Losses:
    """Return how far a network is off; with buckets, also how far it is from what each bucket's hands are worth on average
    (``abstracted_player``, over the buckets that hold a hand).

    ``known`` (n, H) are the hands' buckets, where they have been worked out before.
    """
    values = data.values.astype(np.float32)
    if network.code is None:
        return losses(network.values(data) - values, data)
    buckets = hand_buckets(network.code, data) if known is None else known
    wanted, mask = bucket_means(buckets, values, network.code.size)
    found = network.of_buckets(data, buckets)
    out = losses(of_hands(found, buckets) - values, data)
    off = huber(found - wanted) * mask
    out.by_name["abstracted_player"] = off.sum(axis=(1, 2)) / (2 * mask.sum(axis=(1, 2)))
    return out


def checked_down_losses(data: Prepared) -> Losses:
    """Return what is lost where a hand is taken for what it is worth if nobody bets any more, which is counted from the cards: a network
    learns what is to be added to that."""
    equity, met = (
        np.stack([data.hands[:, row + 1 - seat] for seat in range(2)], axis=1).astype(np.float32)
        for row in (prepared.EQUITY, prepared.MET)
    )
    return losses((2 * equity - 1) * met - data.values.astype(np.float32), data)


@frozen
class Noise:
    """How far labels are from those of a longer solve, by interval of pots: Huber loss, per player and per pot."""

    times: int
    """How many times longer the other solve was."""
    situations: tuple[int, ...]
    huber_player: tuple[float, ...]
    huber_pot: tuple[float, ...]
    exploitability: tuple[float, ...]
    """Of the labels' strategies, in % of the pot."""

    def __attrs_post_init__(self) -> None:
        columns = (self.situations, self.huber_player, self.huber_pot, self.exploitability)
        if any(len(column) != len(INTERVALS) for column in columns):
            raise ValueError(f"must have {len(INTERVALS)} figures of each, one for each interval of pots")

    @property
    def mean_pot(self) -> float:
        """The loss per pot, the mean over the intervals that there are."""
        return _over(self.huber_pot, self.situations)

    @property
    def mean_player(self) -> float:
        """The loss per player, the mean over the intervals that there are."""
        return _over(self.huber_player, self.situations)


def _over(values: Sequence[float], counts: Sequence[int]) -> float:
    there = [value for value, count in zip(values, counts, strict=True) if count]
    return sum(there) / max(1, len(there))


def label_noise(
    found: SituationSet,
    sample: int,
    times: int,
    progress: Callable[[int, int], bool] | None = None,
    behind: Behind | None = None,
) -> Noise:
    """Solve a sample of situations ``times`` as long as the set's recipe says, and return how far its labels are off.

    The first ``sample`` situations of the set are taken; what was found is kept in the set's directory. ``behind`` values what lies
    behind flops. Raises UsageError: the set is of another network.
    """
    check_behind(found.directory, found.recipe, behind)
    rows: list[list[tuple[float, float, float]]] = [[] for _ in INTERVALS]
    done = 0
    for shard in found.numbers:
        solved = found.read(shard)
        for k in range(0, len(solved.values), found.recipe.rows):  # those that were solved
            if done >= sample or (progress is not None and not progress(done, sample)):
                break
            one = found.recipe.situation(solved.first + k)
            rows[one.interval].append(
                (*_off(found.recipe, solved.values[k], one, times, behind), float(solved.exploitability[k]))
            )
            done += 1
    columns = [[float(np.mean([row[k] for row in part])) if part else 0.0 for part in rows] for k in range(3)]
    noise = Noise(times, tuple(len(part) for part in rows), *(tuple(column) for column in columns))
    write_json(found.directory / NOISE, asdict(noise))
    return noise


def _off(recipe: Recipe, values: Float32s, one: Situation, times: int, behind: Behind | None) -> tuple[float, float]:
    count, how = times * recipe.iterations[one.interval], (recipe.bets, recipe.discounts)
    longer = labels(one, count, *how) if behind is None else behind.labels(one, count, *how, recipe.cards)
    errors = longer.values[:, legal_hands(one.board, one.game.hands)] - values
    return float(huber(errors).mean()), float(huber(errors / 2).mean())


def read_noise(directory: Path) -> Noise | None:
    """Return the noise that was measured in a set, if it was. Raises DamagedFileError."""
    file = directory / NOISE
    return structure(read_json(file), Noise, f"The file {file}") if os.path.isfile(file) else None
