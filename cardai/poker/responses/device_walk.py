"""Best responses of whole ranges on a GPU: all rivers of a turn at once, ranges, probabilities and maxima on the device.

The streets before the river are walked by torch, all subtrees of a shape side by side; so is the river where no kernel of
ours can be compiled (a CPU, on which all of it is tried, or an older GPU), by products with the matrix of who beats
whom. On a GPU with room enough for a subtree the river is :mod:`._device_source`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeGuard

import numpy as np
import torch
from torch import Tensor

from cardai.learn.networks import choose_device
from cardai.poker.hands.boards import BOARD_SIZES, hand_maps
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import BucketPolicy, RangePolicy, TablePolicy
from cardai.poker.ranges.public_tree import SHOWDOWN, PublicTree
from cardai.poker.responses import _device_source as source
from cardai.poker.responses.device_rivers import Compiled, Level, Rivers, folded, folded_on, looked_up, sent
from cardai.poker.responses.river_forest import groves_of
from cardai.poker.responses.street_response import Vectors, Walker, next_cards

_ALL = np.arange(COUNT)


def can_walk(player: RangePolicy, tree: PublicTree) -> TypeGuard[TablePolicy]:
    """Whether a :class:`DeviceWalker` can: the player has tables, and nobody can be all-in before the river."""
    return isinstance(player, TablePolicy) and not ((tree.kind == SHOWDOWN) & (tree.street < 3)).any()


class DeviceWalker(Walker):
    """:class:`~.street_response.Walker` on ``device`` (cpu, cuda), for a player that has tables, with the same results.

    See :func:`can_walk`.

    Raises:
        UsageError: torch sees no such device.
    """

    def __init__(self, tree: PublicTree, player: TablePolicy, device: str) -> None:
        super().__init__(tree, player)
        self.device, self.tables = choose_device(device), player
        self.places = player.places_in_ranges()
        self.levels = [
            [Level.of(tree, one, self.device) for one in groves_of(tree, street, np.float32)] for street in range(4)
        ]
        self.roots_of = [
            np.concatenate([one.grove.roots for one in row]) if row else np.zeros(0, np.int64) for row in self.levels
        ]
        self.chances = [_tables(tree, row, player, k, self.device) for k, row in enumerate(self.levels)]

    # -- the walker's one question -------------------------------------------------------------------------------------

    def values(
        self,
        street: int,
        board: Sequence[int],
        roots: Mapping[int, Vectors],
        told: Callable[[int], None] = lambda boards: None,
        alike: int = 1,
    ) -> dict[int, Vectors]:
        """Return what :meth:`Walker.values` does."""
        order = self.roots_of[street]
        ranges = np.zeros((2, len(order), COUNT))
        for lane, root in enumerate(order.tolist()):
            if root in roots:
                ranges[:, lane] = roots[root]
        given = sent(ranges, self.device)
        if street == 3:
            sums = torch.zeros_like(given)
            self._add_rivers(list(board[:4]), [(int(board[4]), [0])], given, sums)
            told(alike)
        else:
            sums = self._answer(street, list(board), given, told, alike)
        found = sums.cpu().numpy() * left_by(board)
        return {root: found[:, lane].copy() for lane, root in enumerate(order.tolist()) if root in roots}

    # -- before the river ----------------------------------------------------------------------------------------------

    def _answer(self, street: int, board: list[int], ranges: Tensor, told: Callable[[int], None], alike: int) -> Tensor:
        """Return (2, S, 1326) what hands win best from a street's roots on, at which ``ranges`` (2, S, 1326) come."""
        reaches = list(self._spread(street, board, ranges, self.tables, self.chances[street]))
        after = self._after(street, board, self._deals(street, reaches), told, alike)
        out = torch.empty_like(ranges)
        taken, given = 0, 0
        for level, both in zip(self.levels[street], reaches, strict=True):
            dealt = after[:, given : given + level.dealt]
            later = dealt.reshape(2, len(level.grove.roots), -1, dealt.shape[-1])
            for seat in range(2):
                met = folded(both[1 - seat])
                ends = []
                for end in range(level.ends):
                    sequence = int(level.grove.shape.end[end, 2 - seat])
                    if level.deal[end] >= 0:
                        ends.append(later[seat][:, int(level.deal[end])])
                    else:
                        ends.append(met[:, sequence] * level.won[seat, :, end, None])
                out[seat, taken : taken + len(level.grove.roots)] = level.respond(seat, ends)
            taken, given = taken + len(level.grove.roots), given + level.dealt
        return out

    def _after(self, street: int, board: list[int], ranges: Tensor, told: Callable[[int], None], alike: int) -> Tensor:
        """Return (2, deals, 1326) what follows a street's deals, at which ``ranges`` come: the mean over what is dealt."""
        back = self.order_of[street + 1]
        below, sums = ranges[:, back], torch.zeros_like(ranges)
        cards = next_cards(board, getattr(self.player, "ignores_suits", False))
        if street == 2:
            self._add_rivers(board, cards, below, sums)
            told(alike * sum(len(namings) for _, namings in cards))
        else:
            for card, namings in cards:
                open_ = self._open[card]
                found = self._answer(street + 1, [*board, card], below * open_, told, alike * len(namings)) * open_
                for renaming in namings:
                    sums.index_add_(2, self._maps[renaming], found)
        out = torch.empty_like(sums)
        out[:, back] = sums / (52 - len(board) - 4)
        return out

    def _spread(
        self,
        street: int,
        board: Sequence[int],
        ranges: Tensor,
        player: BucketPolicy,
        chances: Sequence[tuple[Tensor, Tensor]],
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield for each shape both seats' ranges (S, A + 1, 1326) behind their sequences, by a player's ``chances``."""
        taken = 0
        for level, tables in zip(self.levels[street], chances, strict=True):
            roots = level.grove.roots
            which = player.buckets_at(roots, board[: BOARD_SIZES[street]], _ALL)
            start = ranges[:, taken : taken + len(roots)]
            own = [looked_up(table, one) for table, one in zip(tables, which, strict=True)]
            yield level.spread(0, start[0], own[0]), level.spread(1, start[1], own[1])
            taken += len(roots)

    def _deals(self, street: int, reaches: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Return (2, deals, 1326) the ranges at a street's deals, shape by shape."""
        parts = []
        for level, both in zip(self.levels[street], reaches, strict=True):
            own = [both[seat].index_select(1, level.behind[seat]).flatten(0, 1) for seat in range(2)]
            parts.append(torch.stack(own))
        return torch.cat(parts, dim=1)

    @cached_property
    def order_of(self) -> list[Tensor]:
        """By street: the place of each of its roots among the deals of the street before it."""
        out = [torch.zeros(0, dtype=torch.int64)]
        for street in range(1, 4):
            deals = np.concatenate(
                [self.tree.child[one.grove.ends[:, one.deal >= 0], 0].ravel() for one in self.levels[street - 1]]
            )
            place = np.argsort(deals)
            found = place[np.searchsorted(deals[place], self.roots_of[street])]
            out.append(torch.from_numpy(found).to(self.device))
        return out

    @cached_property
    def _open(self) -> Tensor:
        """(52, 1326) 0 for the hands with a card."""
        return torch.from_numpy(np.stack([left_by([card]) for card in range(52)]).astype(np.float64)).to(self.device)

    @cached_property
    def _maps(self) -> Tensor:
        return torch.from_numpy(hand_maps().astype(np.int64)).to(self.device)

    # -- the river -----------------------------------------------------------------------------------------------------

    def _add_rivers(
        self, turn: list[int], cards: Sequence[tuple[int, Sequence[int]]], ranges: Tensor, sums: Tensor
    ) -> None:
        """Add to ``sums`` (2, S, 1326) what hands win on the rivers ``cards``, each for the renamings it stands for."""
        start = ranges.to(torch.float32)
        for first in range(0, len(cards), self.at_once):
            part = cards[first : first + self.at_once]
            rivers = Rivers.of([[*turn, card] for card, _ in part], self.device)
            which = self._buckets(rivers)
            found = self._walk(rivers, which, start)
            index = [(number, naming) for number, (_, namings) in enumerate(part) for naming in namings]
            back = rivers.back(index)
            for (number, _), places in zip(index, back, strict=True):
                sums += found[number].index_select(2, places)

    @cached_property
    def at_once(self) -> int:
        """How many rivers are walked at once: the products need two gigabytes for one."""
        return 48 if self.compiled else 8 if self.device.type == "cuda" else 1

    @cached_property
    def compiled(self) -> Compiled | None:
        """The kernels, where there can be some."""
        return Compiled.of(self.levels[3], self.places is not None) if self.device.type == "cuda" else None

    def _walk(self, rivers: Rivers, which: Sequence[Tensor], start: Tensor) -> Tensor:
        """Return (R, 2, S, 1082) what hands win best, in order of strength, the last one 0; ``start`` (2, S, 1326) float32."""
        lanes = len(self.roots_of[3])
        out = torch.zeros((len(rivers.boards), 2, lanes, source.HANDS + 1), device=self.device)
        taken = 0
        for number, (level, buckets) in enumerate(zip(self.levels[3], which, strict=True)):
            mine = slice(taken, taken + len(level.grove.roots))
            if self.compiled:
                self.compiled.walk(
                    number, rivers, start[:, mine], buckets, self.rows[number], level.won, out[:, :, mine]
                )
            else:
                out[:, :, mine, :-1] = self._products(level, rivers, buckets, start[:, mine], self.chances[3][number])
            taken = mine.stop
        return out

    def _products(
        self, level: Level, rivers: Rivers, which: Tensor, start: Tensor, tables: tuple[Tensor, Tensor]
    ) -> Tensor:
        """Return (R, 2, S, 1081) what :meth:`_walk` does, by products."""
        out, shape = [], level.grove.shape
        order = rivers.cards[:, 0].long()
        for seat in range(2):
            other = 1 - seat
            begin = start[other][:, order].transpose(0, 1)  # (R, S, n)
            table = tables[other][None].expand(len(order), *tables[other].shape)
            buckets = which[:, other].long().transpose(1, 2)  # (R, S, n)
            chances = table.gather(3, buckets[:, :, None].expand(*buckets.shape[:2], table.shape[2], -1))
            reach = level.spread(other, begin, chances)  # (R, S, A + 1, n)
            ends = []
            for end in range(level.ends):
                one = reach[:, :, int(shape.end[end, 1 + other])]
                met = (
                    torch.matmul(one, rivers.wins.transpose(1, 2))
                    if shape.end[end, 0]
                    else folded_on(one, rivers.holds)
                )
                ends.append(met * level.won[seat, :, end, None])
            out.append(level.respond(seat, ends))
        return torch.stack(out, dim=1)

    @cached_property
    def rows(self) -> list[Tensor]:
        """By shape of the river (S, 2, buckets, W): a row has the probabilities of all actions of a seat."""
        out = []
        for level, tables in zip(self.levels[3], self.chances[3], strict=True):
            width = level.grove.width
            both = [torch.nn.functional.pad(one.transpose(1, 2), (0, width - one.shape[1])) for one in tables]
            out.append(torch.stack(both, dim=1).contiguous())
        return out

    def _buckets(self, rivers: Rivers) -> list[Tensor]:
        """Return by shape (R, 2, 1081, S) uint16 buckets of the hands of either seat, in order of strength."""
        if self.compiled and self.places:
            came = self._came(tuple(rivers.boards[0][:4]))
            ends = np.cumsum([len(one.grove.roots) for one in self.levels[3]])
            parts = [came[:, first:last] for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
            return [self.compiled.places(rivers, part.transpose(1, 2).contiguous(), self.places) for part in parts]
        found = [
            self.tables.buckets_at(self.roots_of[3], board, order)
            for board, order in zip(rivers.boards, rivers.order, strict=True)
        ]
        whole = np.stack(found).astype(np.int32)
        rows = np.split(whole, np.cumsum([len(one.grove.roots) for one in self.levels[3]])[:-1], axis=3)
        if not self.compiled:
            return [torch.from_numpy(np.ascontiguousarray(one)).to(self.device) for one in rows]
        shorts = [np.ascontiguousarray(one.astype(np.uint16)).view(np.int16) for one in rows]
        return [torch.from_numpy(part).to(self.device) for part in shorts]

    def _came(self, turn: tuple[int, ...]) -> Tensor:
        """Return (2, S, 1326) float32 the ranges at the river's roots by which it tells buckets."""
        assert self.places
        ranges = torch.ones((2, 1, COUNT), device=self.device)
        for street in range(3):
            reaches = list(self._spread(street, turn, ranges, self.places.trunk, self._trunk[street]))
            ranges = self._deals(street, reaches)[:, self.order_of[street + 1]]
        return ranges

    @cached_property
    def _trunk(self) -> list[list[tuple[Tensor, Tensor]]]:
        assert self.places
        return [_tables(self.tree, row, self.places.trunk, k, self.device) for k, row in enumerate(self.levels[:3])]


def _tables(
    tree: PublicTree,
    row: Sequence[Level],
    player: BucketPolicy,
    street: int,
    device: torch.device,
) -> list[tuple[Tensor, Tensor]]:
    """Return by shape and seat (S, A, buckets) the probabilities of the seat's actions."""
    out = []
    for level in row:
        both = []
        for nodes, actions in zip(level.grove.decisions, level.grove.shape.actions.tolist(), strict=True):
            found = np.zeros((len(nodes), actions, player.bucket_count(street)), np.float32)
            for lane, own in enumerate(nodes if actions else ()):
                found[lane] = player.bucket_policy(own)
            both.append(torch.from_numpy(found).to(device))
        out.append((both[0], both[1]))
    return out
