"""Many public trees of one shape side by side in torch: the back end of :mod:`.cfr` for GPUs, where showdowns are dense products.

Tensors are (slots or nodes, rows, hands), with a row for each board of each subgame. The hands that a board leaves are the
pairs of the cards that are left, so who collides with whom, and which hands a dealt card takes, is the same on all boards of
a street. A forest's nodes, slots and rows of reach are those of :mod:`.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import torch
from attrs import define, field
from torch import Tensor

from cardai.core.arrays import Float64s, Int64s
from cardai.learn.networks import choose_device
from cardai.poker.hands.combos import pairs
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.cfr import RangeCfr, Variant
from cardai.poker.ranges.hands import HOLDEM, Hands
from cardai.poker.ranges.layout import rows_of_reach
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, SHOWDOWN, Forest, PublicTree
from cardai.poker.responses.dense_showdowns import apart

FREE = 0.6
"""The share of a GPU's free memory that is taken."""
ON_CPU = 2**30
"""Bytes that are taken on a CPU."""
Shape = tuple[bytes, ...]


def room(device: str) -> int:
    """Return how many bytes may be taken on ``device``. Raises UsageError: torch does not see it."""
    where = choose_device(device)
    return int(FREE * torch.cuda.mem_get_info(where)[0]) if where.type == "cuda" else ON_CPU


def shape_of(tree: PublicTree) -> Shape:
    """Return what trees of one shape have alike: kind, actor and number of actions of every node, by street."""
    return tuple(
        np.stack([one.kind, np.where(one.kind == DECISION, one.actor, -1), one.num_actions]).tobytes()
        for one in tree.streets
    )


Layer = tuple[int, Tensor, Tensor]
"""Decisions of one depth, one player and one number of actions: the player, nodes (k,), slots (k, A)."""


def layers(forest: Forest, where: torch.device) -> list[Layer]:
    """Return the decisions of a forest by depth, parents before children."""
    depth = np.zeros(len(forest.numbers), np.int64)
    decisions = np.flatnonzero(forest.num_actions)
    for node in decisions:  # parents before children
        depth[forest.roots + forest.first_slot[node] + np.arange(forest.num_actions[node])] = depth[node] + 1
    kinds = sorted((int(depth[n]), int(forest.actor[n]), int(forest.num_actions[n]), int(n)) for n in decisions)
    found = []
    for (_, actor, actions), group in groupby(kinds, key=lambda one: one[:3]):
        nodes = np.array([one[3] for one in group], np.int64)
        slots = (forest.first_slot[nodes][:, None] + np.arange(actions)).astype(np.int64)
        found.append((actor, torch.from_numpy(nodes).to(where), torch.from_numpy(slots).to(where)))
    return found


@define(eq=False)
class _Street:
    """One street of M subgames, B boards each, H hands."""

    roots: int
    boards: int
    layers: list[Layer]
    slots: list[Tensor]
    """By player: (S,) those of its decisions."""
    row_of: Tensor
    """(2, N) the row of ``reach`` of each player at each node."""
    shown: Tensor
    folded: Tensor
    chance: Tensor
    gain: Tensor
    """(2, N, M, 1, 1) what a showdown is about, or what a fold brings each player."""
    cards: Tensor
    """(H, cards left) 1 where a hand holds a card."""
    wins: Tensor | None
    """(M B, H, H) 1 where the row's hand beats the column's, -1 where it loses; on the last street."""
    regrets: Tensor
    """(S, M B, H), as sums and sigma."""
    sums: Tensor
    sigma: Tensor
    reach: Tensor
    """(2 R + S, M B, H) both players' at roots, the actor's behind each slot."""
    values: Tensor
    """(N, M B, H)"""
    hands: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.hands = self.values.shape[-1]

    def descend(self, player: int, source: Tensor) -> None:
        """Set the player's strategy from positive regrets, or sums, and its reach from that at the roots."""
        for actor, nodes, slots in self.layers:
            if actor == player:
                positive = source[slots].clamp(min=0)
                total = positive.sum(dim=1, keepdim=True)
                share = torch.where(total > 0, positive / total, 1.0 / slots.shape[1])
                self.sigma[slots] = share
                self.reach[2 * self.roots + slots] = self.reach[self.row_of[player][nodes]][:, None] * share

    def ascend(self, player: int, respond: bool) -> None:
        """Set the values of ends, and of decisions from those behind them."""
        self._value_ends(player)
        for actor, nodes, slots in reversed(self.layers):
            below = self.values[self.roots + slots]
            if actor == player and respond:
                self.values[nodes] = below.amax(dim=1)
            elif actor == player:
                self.values[nodes] = (below * self.sigma[slots]).sum(dim=1)
            else:
                self.values[nodes] = below.sum(dim=1)

    def _value_ends(self, player: int) -> None:
        if len(self.folded):
            reach = self.reach[self.row_of[1 - player][self.folded]]
            met = reach.sum(dim=-1, keepdim=True) - (reach @ self.cards) @ self.cards.T + reach
            self._put(met, self.folded, player)
        if len(self.shown):
            assert self.wins is not None
            reach = self.reach[self.row_of[1 - player][self.shown]]
            won = torch.bmm(reach.transpose(0, 1), self.wins.transpose(1, 2)).transpose(0, 1)
            self._put(won, self.shown, player)

    def _put(self, found: Tensor, nodes: Tensor, player: int) -> None:
        by_game = found.reshape(len(found), -1, self.boards, self.hands) * self.gain[player][nodes]
        self.values[nodes] = by_game.view(len(found), -1, self.hands)

    def average(self, player: int, keep: float) -> None:
        """Add the player's reach to the average strategy, of which ``keep`` is kept."""
        mine = self.slots[player]
        self.sums[mine] = self.sums[mine] * keep + self.reach[2 * self.roots + mine]

    def learn(self, player: int, positive: float, negative: float) -> None:
        """Update the player's regrets."""
        for actor, nodes, slots in self.layers:
            if actor == player:
                known = self.regrets[slots]
                known *= torch.where(known > 0, positive, negative)
                self.regrets[slots] = known + self.values[self.roots + slots] - self.values[nodes][:, None]


class TorchSolver(RangeCfr):
    """CFR in M subgames of one or two streets whose trees have one shape; vectors are in order of the hands' numbers.

    Args:
        trees: M public trees. boards: their first boards. ranges: (M, 2, K) weights of all hands, by seat.
        kind: float32 or float64.

    Raises:
        UsageError: torch does not see the device.
    """

    def __init__(
        self,
        trees: Sequence[PublicTree],
        boards: Sequence[Sequence[int]],
        ranges: Float64s,
        hands: Hands = HOLDEM,
        *,
        variant: Variant = "dcfr",
        device: str = "auto",
        kind: str = "float32",
    ) -> None:
        self.hands = np.stack([_free(hands, board) for board in boards])
        """(M, H) the numbers of the hands that each board leaves, in order of the vectors."""
        own = np.stack([both[:, mine] for both, mine in zip(ranges, self.hands, strict=True)])
        super().__init__(hands, self.hands, own, variant)
        where, number = choose_device(device), getattr(torch, kind)
        left = len(hands.deck) - len(boards[0])
        self._streets = [
            _street(trees, boards, hands, number_, where, number) for number_ in range(len(trees[0].streets))
        ]
        if len(self._streets) > 1:
            self._up, self._back = (torch.from_numpy(array).to(where) for array in dealt(left))
            self._factor = 1.0 / (left - 2 * hands.held)
        for player in range(2):
            self._streets[0].reach[player] = torch.from_numpy(own[:, player]).to(where, number)
        self._averaged = True
        """Whether strategies and reach are those of the averages, and not of the iteration to come."""

    def iterate(self, count: int) -> None:
        with torch.inference_mode():
            self._look(averaged=False)
            super().iterate(count)

    def half(self, player: int, discounts: tuple[float, float, float]) -> None:
        for street in self._streets:
            street.average(player, discounts[2])
        self._ascend(player, respond=False)
        for street in self._streets:
            street.learn(player, *discounts[:2])
        self._descend(player)

    def forget_average(self) -> None:
        for street in self._streets:
            street.sums.zero_()

    def root_values(self, player: int, mode: int = EXPECT) -> Float64s:
        with torch.inference_mode():
            self._look(averaged=True)
            self._ascend(player, mode == RESPOND)
            return np.array(self._streets[0].values[0].cpu().numpy(), np.float64)  # a copy

    def _look(self, *, averaged: bool) -> None:
        if self._averaged is not averaged or not self.iterations:
            self._averaged = averaged
            for player in range(2):
                self._descend(player)

    def _descend(self, player: int) -> None:
        for k, street in enumerate(self._streets):
            if k:
                above = self._streets[k - 1]
                reach = above.reach[above.row_of[player][above.chance]]
                first = player * street.roots
                street.reach[first : first + street.roots] = reach[..., self._up].reshape(len(reach), -1, street.hands)
            street.descend(player, street.sums if self._averaged else street.regrets)

    def _ascend(self, player: int, respond: bool) -> None:
        for k in range(len(self._streets) - 1, -1, -1):
            street = self._streets[k]
            if k + 1 < len(self._streets):
                below = self._streets[k + 1]
                flat = below.values[: below.roots].reshape(below.roots, -1, below.boards * below.hands)
                street.values[street.chance] = flat[..., self._back].sum(dim=-1) * self._factor
            street.ascend(player, respond)


def _free(hands: Hands, board: Sequence[int]) -> Int64s:
    return np.flatnonzero(~np.isin(hands.cards, board).any(axis=1))


def _street(
    trees: Sequence[PublicTree],
    boards: Sequence[Sequence[int]],
    hands: Hands,
    number: int,
    where: torch.device,
    kind: torch.dtype,
) -> _Street:
    forest, left = trees[0].streets[number], len(hands.deck) - len(boards[0]) - number
    each = left + 1 if number else 1
    count, size = len(trees) * each, left * (left - 1) // 2

    def made(array: Int64s) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.int64)).to(where)

    def zeros(first: int) -> Tensor:
        return torch.zeros((first, count, size), dtype=kind, device=where)

    found, shown, none = layers(forest, where), forest.ends(SHOWDOWN), made(np.zeros(0, np.int64))
    mine = [[slots.ravel() for actor, _, slots in found if actor == player] for player in range(2)]
    gain = np.stack([tree.streets[number].won for tree in trees], axis=2)
    return _Street(
        roots=forest.roots,
        boards=each,
        layers=found,
        slots=[torch.cat([none, *slots]) for slots in mine],
        row_of=made(rows_of_reach(forest).astype(np.int64)),
        shown=made(shown),
        folded=made(forest.ends(FOLD)),
        chance=made(forest.ends(DEAL)),
        gain=torch.from_numpy(gain).to(where, kind)[..., None, None],
        cards=_holders(left).to(where, kind),
        wins=_wins(hands, boards, left, where, kind) if len(shown) else None,
        regrets=zeros(forest.num_slots),
        sums=zeros(forest.num_slots),
        sigma=zeros(forest.num_slots),
        reach=zeros(2 * forest.roots + forest.num_slots),
        values=zeros(len(forest.numbers)),
    )


def _wins(hands: Hands, boards: Sequence[Sequence[int]], left: int, where: torch.device, kind: torch.dtype) -> Tensor:
    """Return (rows, H, H) who beats whom on every whole board, a subgame's boards one after another."""
    own = torch.from_numpy(hand_cards(left)).to(where)
    meet = apart(own).to(kind)
    found = []
    for board in boards:
        rest = [[card] for card in hands.deck if card not in board] if len(board) < hands.whole else [[]]
        for more in rest:
            line = torch.from_numpy(hands.strengths([*board, *more])[_free(hands, [*board, *more])]).to(where)
            found.append(torch.sign(line[:, None] - line[None, :]) * meet)
    return torch.stack(found)


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
