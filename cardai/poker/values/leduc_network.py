"""Values of Leduc's second round from a network, evaluated in numpy, as the leaves of its first round.

Two encodings of a situation, both with an outer layer that makes the game zero-sum:

release    DeepStack's for Leduc (Moravcik et al. 2017 and its public example): both ranges in the places of the board among
           36 (6 boards x 6 hands), and the pot; 36 values a player.
ours       the board's suits renamed, so 5 hands remain; ranges, equities against the other's range, the weight that each
           hand can meet, the board's rank, the pot. The network gives what is won beyond checking down, per weight met.

values.npz      weight_k (outputs, inputs), bias_k, slope_k (the negative side of layer k's PReLU), scheme, stack, ante
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import DamagedFileError, OptionError
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.spec import convert
from cardai.poker.ranges.averaged_leaves import AveragedLeaves
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import LeducHands
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.public_tree import Node, PublicTree
from cardai.poker.ranges.solver import LeafEvaluator
from cardai.poker.resolving.player import leduc_player
from cardai.poker.resolving.resolver import Public

CARDS, RANKS = 6, 3
Scheme = Literal["release", "ours"]
SCHEMES: Mapping[str, Scheme] = {"buckets": "release", "hands": "ours"}
"""The encoding of each shape of networks."""
_WINS = np.stack(
    [
        np.sign(strength[:, None] - strength[None, :]) * (1.0 - np.eye(CARDS))
        for strength in (LeducHands().strengths((board,)) for board in range(CARDS))
    ]
)
"""(6, 6, 6): by board, whether the row's hand beats the column's."""
for _board in range(CARDS):
    _WINS[_board, _board] = _WINS[_board, :, _board] = 0.0
_LEFT = np.array(
    [[board ^ 1, *[card for card in range(CARDS) if card // 2 != board // 2]] for board in range(CARDS)], np.int64
)
"""(6, 5): by board, the hands that remain: the one that pairs it, and the others ascending."""


@frozen(eq=False)
class Encoded:
    """n situations as a network takes them, H places of hands a player (H = 36, or 5).

    A network's outputs o (n, 2, H) stand for values ``base + scale * o``, before what keeps the game from being zero-sum is
    taken from both players alike.
    """

    inputs: Float32s  # (n, F)
    ranges: Float32s  # (n, 2, H)
    base: Float32s  # (n, 2, H)
    scale: Float32s  # (n, 2, H)
    places: Int64s  # (n, K) the place of each hand; -1: none, the board blocks it

    def zero_sum(self, outputs: Any) -> Any:
        """Return the values (n, 2, H) that ``outputs`` (n, 2, H) stand for (arrays)."""
        values = self.base + self.scale * outputs
        odd = (self.ranges * values).sum(axis=(1, 2))
        mass = (self.ranges * self.scale).sum(axis=(1, 2))
        odd = np.where(mass > 1e-6, odd / np.maximum(mass, 1e-6), np.float32(0))
        return values - odd[:, None, None] * self.scale

    def by_hand(self, values: Float32s) -> Float32s:
        """Return values (n, 2, H) as those of hands (n, 2, K)."""
        places = np.broadcast_to(self.places[:, None, :], (len(values), 2, CARDS))
        return np.where(places >= 0, np.take_along_axis(values, np.maximum(places, 0), axis=2), np.float32(0))

    def of_hands(self, values: Float32s) -> tuple[Float32s, Float32s]:
        """Return values of hands (n, 2, K) at their places (n, 2, H), and 1 where there is a hand (n, 2, H)."""
        out, there = np.zeros_like(self.ranges), np.zeros_like(self.ranges)
        rows, hands = np.nonzero(self.places >= 0)
        out[rows, :, self.places[rows, hands]] = values[rows, :, hands]
        there[rows, :, self.places[rows, hands]] = 1.0
        return out, there


def encode(scheme: Scheme, stack: int, boards: Int64s, half_pots: Float64s, ranges: Float64s) -> Encoded:
    """Return situations as a network takes them; ``ranges`` (n, 2, K) sum to 1 and are zero where the board blocks."""
    n, pot = len(boards), np.asarray(half_pots, np.float64) / stack
    rows = np.arange(n)
    if scheme == "release":
        wide = np.zeros((n, 2, CARDS * CARDS), np.float32)
        places = boards[:, None] * CARDS + np.arange(CARDS)
        wide[rows[:, None], :, places] = ranges.transpose(0, 2, 1)
        places = np.where(np.arange(CARDS) == boards[:, None], -1, places)
        inputs = np.concatenate([wide.reshape(n, -1), pot[:, None]], axis=1).astype(np.float32)
        return Encoded(inputs, wide, np.zeros_like(wide), np.ones_like(wide), places)
    hands = _LEFT[boards]  # (n, 5)
    own = np.take_along_axis(ranges, np.broadcast_to(hands[:, None], (n, 2, 5)), axis=2)
    other = own[:, ::-1]
    wins = _WINS[boards][rows[:, None, None], hands[:, :, None], hands[:, None, :]]  # (n, 5, 5)
    base = np.einsum("nij,npj->npi", wins, other)
    met = other.sum(axis=2, keepdims=True) - other
    rank = np.eye(RANKS)[boards // 2]
    size = np.stack([pot, -np.log(pot)], axis=1)
    parts = [own.reshape(n, -1), base.reshape(n, -1), met.reshape(n, -1), rank, size]
    places = np.full((n, CARDS), -1, np.int64)
    places[rows[:, None], hands] = np.arange(5)
    known = [np.asarray(one, np.float32) for one in (np.concatenate(parts, axis=1), own, base, met)]
    return Encoded(known[0], known[1], known[2], known[3], places)


@frozen(eq=False)
class LeducValues:
    """A network of values for the second round of ``leduc_deepstack``."""

    scheme: Scheme
    ante: int
    stack: int
    weights: tuple[Float32s, ...]
    biases: tuple[Float32s, ...]
    slopes: tuple[float, ...]

    def values(self, boards: Int64s, half_pots: Float64s, ranges: Float64s) -> Float32s:
        """Return (n, 2, K) what each hand wins of the opponent's range, net, in units of the half pot."""
        encoded = encode(self.scheme, self.stack, boards, half_pots, ranges)
        x = encoded.inputs
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ weight.T + bias
            if k < len(self.slopes):
                x = np.maximum(x, 0) + np.float32(self.slopes[k]) * np.minimum(x, 0)
        return encoded.by_hand(encoded.zero_sum(x.reshape(encoded.ranges.shape)))

    def write(self, path: Path) -> None:
        """Write the network as an npz file."""
        arrays: dict[str, Any] = {f"weight_{k}": one for k, one in enumerate(self.weights)}
        arrays |= {f"bias_{k}": one for k, one in enumerate(self.biases)}
        arrays |= {"slopes": np.array(self.slopes, np.float32), "scheme": np.int64(self.scheme == "ours")}
        write_npz(path, arrays | {"ante": np.int64(self.ante), "stack": np.int64(self.stack)})


def read_values(path: Path) -> LeducValues:
    """Return the network in ``path``. Raises DamagedFileError."""
    found = read_npz(path)
    try:
        count = len([name for name in found if name.startswith("weight_")])
        scheme: Scheme = "ours" if int(found["scheme"]) else "release"
        weights = tuple(found[f"weight_{k}"] for k in range(count))
        biases = tuple(found[f"bias_{k}"] for k in range(count))
        slopes = tuple(float(x) for x in found["slopes"])
        made = LeducValues(scheme, int(found["ante"]), int(found["stack"]), weights, biases, slopes)
        numbers = np.array([0, made.stack / 2])
        tried = made.values(np.array([0]), numbers[1:], np.full((1, 2, CARDS), [0.0, *[0.2] * 5]))
        good = len(slopes) == count - 1 and bool(np.isfinite(tried).all()) and 0 < made.ante < made.stack
    except (KeyError, IndexError, ValueError, TypeError):
        good = False
    if not good:
        raise DamagedFileError(f"The file {path} holds no network of Leduc's values: it is damaged or foreign.")
    return made


class LeducLeaves(AveragedLeaves):
    """Values the boards that follow the first round: what is all-in exactly, all else by a network."""

    def __init__(self, network: LeducValues) -> None:
        super().__init__(np.arange(CARDS), CARDS, range(CARDS), CARDS - 2, network.stack)
        self.network = network
        self._down = CheckedDown((), self.hands, LeducHands(RANKS), np.float64)

    def boards(self, player: int, reach: Any, nodes: Sequence[Node], cards: Int64s) -> Float64s:
        """Return (C, b, 6): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`."""
        half_pots = np.repeat([float(min(node.spent)) for node in nodes], len(cards))
        boards, n = np.tile(cards, len(nodes)), len(nodes) * len(cards)
        ranges = np.repeat(np.asarray(reach, np.float64).transpose(1, 0, 2), len(cards), axis=0)  # (n, 2, 6)
        ranges[np.arange(n), :, boards] = 0.0
        mass = ranges.sum(axis=2, keepdims=True)
        free = (1.0 - np.eye(CARDS))[boards][:, None]
        shares = np.where(mass > 0, ranges / np.where(mass > 0, mass, 1), free / (CARDS - 1))
        found = self.network.values(boards, half_pots, shares)[:, player].astype(np.float64)
        chips = found * half_pots[:, None] * mass[:, 1 - player]
        return np.asarray(chips.reshape(len(nodes), len(cards), CARDS), np.float64)

    def closed(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, 6): see :class:`~cardai.poker.ranges.averaged_leaves.AveragedLeaves`."""
        return self._down.evaluate(player, reach, nodes)


@frozen
class LeducDepthLimit:
    """Looks ahead to the end of the round, the first valued by a network."""

    network: LeducValues

    def until(self, round_: int) -> int:
        return round_

    def promises(self, round_: int) -> bool:
        return True

    def leaves(self, public: Public, tree: PublicTree, hands: Any) -> LeafEvaluator | None:
        return LeducLeaves(self.network)


def values_player(game: Game, values: LeducValues, options: Mapping[str, Any]) -> Agent:
    """Return who re-solves ``game`` with these values. Raises OptionError."""
    unknown = sorted(options.keys() - {"iterations"})
    if unknown:
        raise OptionError(f"A player by Leduc's values has no option {unknown[0]!r}. Its options: iterations.")
    iterations = convert(options.get("iterations", 1000), int, "The option 'iterations' of a player by values")
    if iterations < 1:
        raise OptionError(f"The option 'iterations' of a player by values must be at least 1. Got {iterations}.")
    return leduc_player(game, SolverSettings(iterations), LeducDepthLimit(values), "A run of values")
