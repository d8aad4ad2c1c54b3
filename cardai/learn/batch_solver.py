"""Situations solved side by side in torch: showdowns are products with dense matrices, on a GPU if there is one.

The iterations are those of :mod:`cardai.subgames.solver`: alternating discounted CFR, averages weighted by reach, in float32. Situations
whose trees have one shape are one batch; tensors are (slots or nodes, rows, hands) with a row for each board of each
situation. The hands that a board leaves are pairs of the cards that are left, so who collides with whom, and which hands a
dealt card takes, is the same on all boards of a street.

Values are equal to those of :func:`cardai.subgames.situations.labels` but for rounding, well within 1e-3 of the pot. A CPU is some ten times
as fast by sweeps: this is for GPUs, and runs on a CPU to be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from attrs import define, field, frozen
from torch import Tensor

from cardai.cards.poker.combos import COUNT
from cardai.cards.poker.equity import river_strengths
from cardai.core.arrays import Float64s, Int64s
from cardai.learn.networks import choose_device
from cardai.solve.discounting import discount, kept
from cardai.subgames.batch_shapes import ForestShape, Shape, forest_shape, gains, shape_of, stakes
from cardai.subgames.situations import FASTER, Labels, Situation, legal_hands, situation_tree
from cardai.subgames.tree import Tree

_FREE = 0.6
"""The share of a GPU's free memory that a batch may take."""
_ON_CPU = 2**30
"""Bytes that a batch may take on a CPU."""


def solve_situations(
    situations: Sequence[Situation],
    iterations: Sequence[int],
    *,
    bets: str = "1+allin",
    discounts: tuple[float, float, float] = FASTER,
    device: str = "auto",
    batch: int = 0,
    kind: torch.dtype = torch.float32,
    progress: Callable[[int, int], bool] | None = None,
) -> list[Labels]:
    """Return what each situation is worth, per player (see :func:`cardai.subgames.situations.labels`), after its number of ``iterations``.

    Args:
        situations: all on one street. batch: how many are solved at once at most; 0: as many as memory holds.
        kind: float32 or float64.
        progress: told (solved, all) after each batch; False stops, and what is not solved is not returned.

    Raises:
        UsageError: torch does not see such a device.
    """
    where = choose_device(device)
    trees = [situation_tree(one, bets) for one in situations]
    groups: dict[tuple[Shape, int], list[int]] = {}
    for k, tree in enumerate(trees):
        groups.setdefault((shape_of(tree), iterations[k]), []).append(k)
    found: dict[int, Labels] = {}
    for (_, count), group in groups.items():
        size = batch or _fitting(trees[group[0]], len(situations[group[0]].board), where, kind)
        for first in range(0, len(group), size):
            chosen = group[first : first + size]
            solver = BatchSolver([situations[k] for k in chosen], [trees[k] for k in chosen], discounts, where, kind)
            solver.run(count)
            found |= dict(zip(chosen, solver.labels(), strict=True))
            if progress is not None and not progress(len(found), len(situations)):
                return [found[k] for k in sorted(found)]
    return [found[k] for k in range(len(situations))]


def _fitting(tree: Tree, cards: int, where: torch.device, kind: torch.dtype) -> int:
    """Return how many situations with such a tree are solved at once."""
    total, boards = 0, 1
    for street, forest in enumerate(tree.streets):
        hands = _hands(cards + street)
        last = street + 1 == len(tree.streets)
        total += kind.itemsize * boards * hands * (7 * forest.num_slots + 2 * len(forest.nodes) + 3 * hands * last)
        boards *= 52 - cards - street
    free = _FREE * torch.cuda.mem_get_info(where)[0] if where.type == "cuda" else _ON_CPU
    return max(1, int(free // total))


def _hands(cards: int) -> int:
    """Return how many hands a board of so many cards leaves."""
    return (52 - cards) * (51 - cards) // 2


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
    """:class:`~cardai.subgames.batch_shapes.Side` as tensors."""

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


class BatchSolver:
    """CFR under way in situations on one street whose trees have one shape."""

    def __init__(
        self,
        situations: Sequence[Situation],
        trees: Sequence[Tree],
        discounts: tuple[float, float, float],
        where: torch.device,
        kind: torch.dtype = torch.float32,
    ) -> None:
        self.situations, self.rule, self.iterations = situations, discounts, 0
        self.hands = [legal_hands(one.board) for one in situations]
        first = len(situations[0].board)
        self.streets = [_street(situations, trees, number, where, kind) for number in range(len(trees[0].streets))]
        if len(self.streets) > 1:
            up, back = _dealt(first)
            self._up, self._back = torch.from_numpy(up).to(where), torch.from_numpy(back).to(where)
            self._factor = 1.0 / (52 - first - 4)
        self.ranges = np.stack([one.ranges[:, own] for one, own in zip(situations, self.hands, strict=True)])
        for player in range(2):
            self.streets[0].reach[player][0] = torch.from_numpy(self.ranges[:, player]).to(where, kind)

    def run(self, count: int) -> None:
        """Do ``count`` more iterations."""
        with torch.inference_mode():
            for player in range(2):
                self._descend(player, False)
            for _ in range(count):
                self.iterations += 1
                t = self.iterations
                positive, negative = discount(t - 1, self.rule[0]), discount(t - 1, self.rule[1])
                keep = kept(t, self.rule[2], 0.0)
                for player in range(2):
                    for street in self.streets:
                        street.average(player, keep)
                    self._ascend(player, False)
                    for street in self.streets:
                        street.learn(player, positive, negative)
                    self._descend(player, False)

    def labels(self) -> list[Labels]:
        """Return what each situation is worth under the average strategies."""
        with torch.inference_mode():
            for player in range(2):
                self._descend(player, True)
            values, responses = (self._roots(respond) for respond in (False, True))
        out = []
        for m, (one, hands) in enumerate(zip(self.situations, self.hands, strict=True)):
            worth = np.zeros((2, COUNT), np.float32)
            worth[:, hands] = values[:, m] / one.half_pot
            gap = float(((responses[:, m] - values[:, m]) * self.ranges[m]).sum()) / 2 / self._matches(m)
            out.append(Labels(worth, 100 * gap / (2 * one.half_pot)))
        return out

    def _roots(self, respond: bool) -> Float64s:
        """Return (2, M, H) what each hand is worth at the root."""
        found = []
        for player in range(2):
            self._ascend(player, respond)
            found.append(self.streets[0].values[0].cpu().numpy().astype(np.float64))
        return np.stack(found)

    def _matches(self, m: int) -> float:
        from cardai.cards.poker.combos import pairs
        from cardai.subgames.solver import meetings

        cards = pairs().astype(np.int64)[self.hands[m]]
        return float(self.ranges[m, 0] @ meetings(cards, self.ranges[m, 1], 52))

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


def _street(
    situations: Sequence[Situation], trees: Sequence[Tree], number: int, where: torch.device, kind: torch.dtype
) -> _Street:
    cards, count = len(situations[0].board), len(situations)
    shape, boards = forest_shape(trees[0].streets[number]), 52 - cards if number else 1
    rows, hands = count * boards, _hands(cards + number)

    def zeros(first: int) -> Tensor:
        return torch.zeros((first, rows, hands), dtype=kind, device=where)

    def factors(found: Float64s) -> Tensor:
        return torch.from_numpy(found).to(where, kind)[:, :, None, None]

    sizes = [len(side.slots) for side in shape.sides]
    return _Street(
        shape=shape,
        boards=boards,
        ends=_Ends(
            factors(stakes(trees, number, shape.shown)),
            (factors(gains(trees, number, shape.folded, 0)), factors(gains(trees, number, shape.folded, 1))),
        ),
        cards=_holders(52 - cards - number).to(where, kind),
        wins=_wins(situations, where, kind) if len(shape.shown) else None,
        regrets=[zeros(size) for size in sizes],
        sums=[zeros(size) for size in sizes],
        reach=[zeros(shape.roots + size) for size in sizes],
        values=zeros(shape.nodes),
    )


def _pairs_of(cards: int) -> Int64s:
    """Return (H, 2) the pairs of so many cards in the order of hands' numbers."""
    high, low = np.tril_indices(cards, -1)
    return np.stack([low, high], axis=1).astype(np.int64)


def _holders(cards: int) -> Tensor:
    """Return (H, cards) 1 where a hand holds a card."""
    own = _pairs_of(cards)
    found = torch.zeros((len(own), cards), dtype=torch.float32)
    found.scatter_(1, torch.from_numpy(own), 1.0)
    return found


def _wins(situations: Sequence[Situation], where: torch.device, kind: torch.dtype) -> Tensor:
    """Return (rows, H, H) who beats whom on every board of five cards, a situation's boards one after another."""
    boards = []
    for one in situations:
        rest = [[card] for card in range(52) if card not in one.board] if len(one.board) == 4 else [[]]
        boards += [[*one.board, *more] for more in rest]
    strengths = np.stack([river_strengths(board)[legal_hands(board)] for board in boards]).astype(np.int32)
    own = torch.from_numpy(_pairs_of(47)).to(where)
    meet = (own[:, None, :, None] != own[None, :, None, :]).all(dim=3).all(dim=2).to(kind)
    found = torch.empty((len(boards), len(own), len(own)), dtype=kind, device=where)
    for row, line in enumerate(torch.from_numpy(strengths).to(where)):
        found[row] = torch.sign(line[:, None] - line[None, :]) * meet
    return found


def _dealt(cards: int) -> tuple[Int64s, Int64s]:
    """Return what a card dealt to a board of so many does to hands.

    The first (B, H') is each hand's place among those before the card; the second (H, B - 2) is where a hand is found again:
    board times H' plus its place there, on the boards that leave it.
    """
    left = 52 - cards
    before = _pairs_of(left)
    up = np.stack([np.flatnonzero((before != card).all(axis=1)) for card in range(left)])
    back: list[list[int]] = [[] for _ in before]
    for board, hands in enumerate(up):
        for place, hand in enumerate(hands):
            back[hand].append(board * up.shape[1] + place)
    return up, np.array(back, np.int64)
