"""Discounted CFR over ranges in torch, many public trees of one shape side by side: showdowns are dense products, for GPUs.

The iterations are those of :mod:`cardai.subgames.solver`: alternating, averages weighted by reach. Tensors are (slots or
nodes, rows, hands), with a row for each board of each subgame. The hands that a board leaves are the pairs of the cards that
are left, so who collides with whom, and which hands a dealt card takes, is the same on all boards of a street.

A *street* has a forest of public nodes: its R roots come first, and the child behind slot s (an action at a decision) is node
R + s, parents before children. A player's slots are put in order of how many actions their decisions have, so that the
strategies of all decisions with A actions are one block (decisions, A).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from attrs import define, field, frozen
from torch import Tensor

from cardai.cards.poker.combos import pairs
from cardai.core.arrays import Float64s, Int64s
from cardai.learn.dense_showdowns import apart
from cardai.learn.networks import choose_device

FREE = 0.6
"""The share of a GPU's free memory that is taken."""
ON_CPU = 2**30
"""Bytes that are taken on a CPU."""


def room(device: str) -> int:
    """Return how many bytes may be taken on ``device``. Raises UsageError: torch does not see it."""
    where = choose_device(device)
    return int(FREE * torch.cuda.mem_get_info(where)[0]) if where.type == "cuda" else ON_CPU


@frozen(eq=False)
class Layer:
    """Decisions of one depth, one player and one number of actions."""

    own: bool
    """Whether they are those of the player whose values are wanted."""
    nodes: Int64s
    """(k,)"""
    children: Int64s
    """(k, A) nodes."""
    places: Int64s
    """(k, A) of their slots among those of who acts."""


@frozen(eq=False)
class Side:
    """One player in one forest."""

    slots: Int64s
    """(S,) the player's slots."""
    parents: Int64s
    """(S,) the decision of each."""
    blocks: tuple[tuple[int, int, int], ...]
    """(first place, one past the last, A) of the slots of decisions with A actions."""
    row_of: Int64s
    """(N,) the row of the player's reach at each node: root i is row i, the slot at place k row R + k."""
    down: tuple[tuple[Int64s, Int64s], ...]
    """By how many decisions of the player's are before: places (k,), and the rows (k,) that they are reached from."""
    up: tuple[Layer, ...]
    """All decisions, the deepest first, as they are for this player's values."""


@frozen(eq=False)
class ForestShape:
    """One street."""

    roots: int
    nodes: int
    shown: Int64s
    folded: Int64s
    chance: Int64s
    sides: tuple[Side, Side]


@frozen(eq=False)
class StreetData:
    """One street of M subgames, B boards each, H hands."""

    shape: ForestShape
    boards: int
    left: int
    """How many cards a board leaves."""
    shown: Float64s
    """(E, M) what a showdown is about."""
    folded: tuple[Float64s, Float64s]
    """(E, M) what a fold brings each player."""
    strengths: Int64s | None
    """(M B, H) on boards of five cards."""


@frozen(eq=False)
class Deal:
    """What a card that is dealt does to hands: see :func:`dealt`."""

    up: Int64s
    back: Int64s
    factor: float
    """The probability of each card."""


@frozen(eq=False)
class _Ends:
    """What the ends of a street bring, by player: (E, M, 1, 1)."""

    shown: Tensor
    folded: tuple[Tensor, Tensor]


@define(eq=False)
class _Street:
    """One street of all situations: M situations, B boards each, H hands."""

    shape: ForestShape
    boards: int
    ends: _Ends
    cards: Tensor
    """(H, cards left) 1 where a hand holds a card."""
    wins: Tensor | None
    """(M B, H, H) 1 where the row's hand beats the column's, -1 where it loses; on the last street."""
    regrets: list[Tensor]
    """By player: (S, M B, H)."""
    sums: list[Tensor]
    reach: list[Tensor]
    """By player: (R + S, M B, H)."""
    values: Tensor
    """(N, M B, H)"""
    sigma: list[Tensor] = field(init=False)
    sides: list[_Side] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.sigma = [torch.zeros_like(one) for one in self.regrets]
        self.sides = [_Side.of(self.shape, player, self.values.device) for player in range(2)]

    def choose(self, player: int, source: Tensor) -> None:
        """Set the player's strategy from positive regrets, or sums."""
        side = self.sides[player]
        rows = source.shape[1:]
        for first, last, actions in side.blocks:
            positive = source[first:last].clamp(min=0).view(-1, actions, *rows)
            total = positive.sum(dim=1, keepdim=True)
            share = torch.where(total > 0, positive / total, 1.0 / actions)
            self.sigma[player][first:last] = share.view(-1, *rows)

    def descend(self, player: int) -> None:
        """Set the player's reach behind slots from that at the roots."""
        reach, sigma, roots = self.reach[player], self.sigma[player], self.shape.roots
        for places, sources in self.sides[player].down:
            reach[roots + places] = reach[sources] * sigma[places]

    def ascend(self, player: int, respond: bool) -> None:
        """Set the values of decisions from those behind them."""
        for layer in self.sides[player].up:
            below = self.values[layer.children]
            if layer.own and respond:
                found = below.amax(dim=1)
            elif layer.own:
                found = (below * self.sigma[player][layer.places]).sum(dim=1)
            else:
                found = below.sum(dim=1)
            self.values[layer.nodes] = found

    def value_ends(self, player: int) -> None:
        """Set the values of folds and showdowns."""
        other, rows = self.sides[1 - player], self.values.shape[1:]
        if len(other.folded):
            reach = self.reach[1 - player][other.row_of[other.folded]]
            met = reach.sum(dim=-1, keepdim=True) - (reach @ self.cards) @ self.cards.T + reach
            self.values[other.folded] = self._times(met, self.ends.folded[player]).view(-1, *rows)
        if len(other.shown):
            assert self.wins is not None
            reach = self.reach[1 - player][other.row_of[other.shown]]
            won = torch.bmm(reach.transpose(0, 1), self.wins.transpose(1, 2)).transpose(0, 1)
            self.values[other.shown] = self._times(won, self.ends.shown).view(-1, *rows)

    def _times(self, found: Tensor, factors: Tensor) -> Tensor:
        return found.reshape(len(found), -1, self.boards, found.shape[-1]) * factors

    def average(self, player: int, keep: float) -> None:
        """Add the player's reach to the average strategy, of which ``keep`` is kept."""
        self.sums[player].mul_(keep).add_(self.reach[player][self.shape.roots :])

    def learn(self, player: int, positive: float, negative: float) -> None:
        """Update the player's regrets."""
        side, known = self.sides[player], self.regrets[player]
        known.mul_(torch.where(known > 0, positive, negative))
        known.add_(self.values[side.after]).sub_(self.values[side.parents])


@frozen(eq=False)
class _Side:
    """:class:`Side` as tensors."""

    blocks: tuple[tuple[int, int, int], ...]
    row_of: Tensor
    after: Tensor
    """(S,) the nodes behind the player's slots."""
    parents: Tensor
    down: list[tuple[Tensor, Tensor]]
    up: list[_Layer]
    shown: Tensor
    folded: Tensor
    chance: Tensor

    @classmethod
    def of(cls, shape: ForestShape, player: int, where: torch.device) -> _Side:
        side = shape.sides[player]

        def made(array: Int64s) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(where)

        return cls(
            side.blocks,
            made(side.row_of),
            made(shape.roots + side.slots),
            made(side.parents),
            [(made(places), made(sources)) for places, sources in side.down],
            [_Layer(one.own, made(one.nodes), made(one.children), made(one.places)) for one in side.up],
            made(shape.shown),
            made(shape.folded),
            made(shape.chance),
        )


@frozen(eq=False)
class _Layer:
    own: bool
    nodes: Tensor
    children: Tensor
    places: Tensor


class BatchCfr:
    """CFR under way in M subgames whose trees have one shape.

    Args:
        ranges: (M, 2, H) weights. deal: between the first street and the second, if there is one.
        weights: the discounts of iteration t: of positive and negative regrets, and what is kept of the average.
        kind: float32 or float64.

    Raises:
        UsageError: torch does not see the device.
    """

    def __init__(
        self,
        streets: Sequence[StreetData],
        ranges: Float64s,
        weights: Callable[[int], tuple[float, float, float]],
        *,
        deal: Deal | None = None,
        device: str = "auto",
        kind: str = "float32",
    ) -> None:
        self.weights, self.iterations = weights, 0
        where, number = choose_device(device), getattr(torch, kind)
        self.streets = [_street(one, len(ranges), where, number) for one in streets]
        if deal is not None:
            self._up, self._back = (torch.from_numpy(array).to(where) for array in (deal.up, deal.back))
            self._factor = deal.factor
        for player in range(2):
            self.streets[0].reach[player][0] = torch.from_numpy(ranges[:, player]).to(where, number)

    def run(self, count: int) -> None:
        """Do ``count`` more iterations."""
        with torch.inference_mode():
            for player in range(2):
                self._descend(player, False)
            for _ in range(count):
                self.iterations += 1
                positive, negative, keep = self.weights(self.iterations)
                for player in range(2):
                    for street in self.streets:
                        street.average(player, keep)
                    self._ascend(player, False)
                    for street in self.streets:
                        street.learn(player, positive, negative)
                    self._descend(player, False)

    def values(self) -> tuple[Float64s, Float64s]:
        """Return (2, M, H) what each hand is worth at the root under the average strategies, and to a best response."""
        with torch.inference_mode():
            for player in range(2):
                self._descend(player, True)
            return self._roots(False), self._roots(True)

    def _roots(self, respond: bool) -> Float64s:
        """Return (2, M, H) what each hand is worth at the root."""
        found = []
        for player in range(2):
            self._ascend(player, respond)
            found.append(self.streets[0].values[0].cpu().numpy().astype(np.float64))
        return np.stack(found)

    def _descend(self, player: int, average: bool) -> None:
        for number, street in enumerate(self.streets):
            street.choose(player, (street.sums if average else street.regrets)[player])
            if number:
                above = self.streets[number - 1]
                side = above.sides[player]
                reach = above.reach[player][side.row_of[side.chance]]
                street.reach[player][: street.shape.roots] = reach[..., self._up].reshape(
                    len(reach), -1, self._up.shape[1]
                )
            street.descend(player)

    def _ascend(self, player: int, respond: bool) -> None:
        for number in range(len(self.streets) - 1, -1, -1):
            street = self.streets[number]
            street.value_ends(player)
            if number + 1 < len(self.streets):
                below = self.streets[number + 1]
                roots = below.values[: below.shape.roots]
                flat = roots.reshape(len(roots), -1, below.boards * roots.shape[-1])
                street.values[street.sides[player].chance] = flat[..., self._back].sum(dim=-1) * self._factor
            street.ascend(player, respond)


def _street(data: StreetData, count: int, where: torch.device, kind: torch.dtype) -> _Street:
    shape, rows, hands = data.shape, count * data.boards, data.left * (data.left - 1) // 2

    def zeros(first: int) -> Tensor:
        return torch.zeros((first, rows, hands), dtype=kind, device=where)

    def factors(found: Float64s) -> Tensor:
        return torch.from_numpy(found).to(where, kind)[:, :, None, None]

    sizes = [len(side.slots) for side in shape.sides]
    return _Street(
        shape=shape,
        boards=data.boards,
        ends=_Ends(factors(data.shown), (factors(data.folded[0]), factors(data.folded[1]))),
        cards=_holders(data.left).to(where, kind),
        wins=None if data.strengths is None else _wins(data.strengths, data.left, where, kind),
        regrets=[zeros(size) for size in sizes],
        sums=[zeros(size) for size in sizes],
        reach=[zeros(shape.roots + size) for size in sizes],
        values=zeros(shape.nodes),
    )


def _wins(strengths: Int64s, left: int, where: torch.device, kind: torch.dtype) -> Tensor:
    """Return (rows, H, H) who beats whom on every board, from ``strengths`` (rows, H)."""
    own = torch.from_numpy(hand_cards(left)).to(where)
    meet = apart(own).to(kind)
    found = torch.empty((len(strengths), len(own), len(own)), dtype=kind, device=where)
    for row, line in enumerate(torch.from_numpy(strengths).to(where)):
        found[row] = torch.sign(line[:, None] - line[None, :]) * meet
    return found


def _holders(cards: int) -> Tensor:
    """Return (H, cards) 1 where a hand holds a card."""
    own = hand_cards(cards)
    found = torch.zeros((len(own), cards))
    found.scatter_(1, torch.from_numpy(own), 1.0)
    return found


def hand_cards(left: int) -> Int64s:
    """Return (H, 2) the pairs of so many cards in the order of hands' numbers."""
    return pairs()[: left * (left - 1) // 2].astype(np.int64)


def dealt(left: int) -> tuple[Int64s, Int64s]:
    """Return what one of ``left`` cards that is dealt does to hands.

    The first (B, H') is each hand's place among those before the card; the second (H, B - 2) is where a hand is found again:
    board times H' plus its place there, on the boards that leave it.
    """
    before = hand_cards(left)
    up = np.stack([np.flatnonzero((before != card).all(axis=1)) for card in range(left)])
    back: list[list[int]] = [[] for _ in before]
    for board, hands in enumerate(up):
        for place, hand in enumerate(hands):
            back[hand].append(board * up.shape[1] + place)
    return up, np.array(back, np.int64)
