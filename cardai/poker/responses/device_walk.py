"""Best responses of whole ranges on a GPU: all rivers of a turn at once, ranges, probabilities and maxima on the device.

The streets before the river are walked by torch, all subtrees of a shape side by side; so is the river where no kernel of
ours can be compiled (a CPU, on which all of it is tried, or an older GPU), by products with the matrix of who beats
whom. On a GPU with room enough for a subtree the river is :mod:`._device_source`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
import torch
from attrs import field, frozen
from torch import Tensor

from cardai.core import notes
from cardai.core.arrays import Int64s
from cardai.learn.networks import choose_device
from cardai.poker.hands.boards import BOARD_SIZES, hand_maps
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.range_policy import RangePolicy, TablePolicy
from cardai.poker.ranges.public_tree import DEAL, SHOWDOWN, PublicTree
from cardai.poker.responses import _device_source as source
from cardai.poker.responses._river_cards_kernels import come_back, river_cards
from cardai.poker.responses.river_forest import Grove, groves_of
from cardai.poker.responses.street_response import Vectors, Walker, next_cards

_PAIRS = pairs()
_CARDS = _PAIRS.astype(np.int64)
_ALL = np.arange(COUNT)


def can_walk(tree: PublicTree, player: RangePolicy) -> TypeGuard[TablePolicy]:
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
        self.chances = [
            _tables(tree, row, player.bucket_policy, player.bucket_count(k), self.device)
            for k, row in enumerate(self.levels)
        ]

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
        given = torch.from_numpy(ranges).to(self.device)
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
        reaches = list(self._spread(street, board, ranges, self.chances[street]))
        after = self._after(street, board, self._deals(street, reaches), told, alike)
        out = torch.empty_like(ranges)
        taken, given = 0, 0
        for level, both in zip(self.levels[street], reaches, strict=True):
            later = after[:, given : given + level.dealt].unflatten(1, (len(level.grove.roots), -1))
            for seat in range(2):
                met = _folded(both[1 - seat])
                ends = []
                for end in range(level.ends):
                    sequence = int(level.grove.shape.end[end, 2 - seat])
                    if level.deal[end] >= 0:
                        ends.append(later[seat][:, level.deal[end]])
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
                open_ = torch.from_numpy(left_by([card]).astype(np.float64)).to(self.device)
                found = self._answer(street + 1, [*board, card], below * open_, told, alike * len(namings)) * open_
                for renaming in namings:
                    sums.index_add_(2, self._maps[renaming], found)
        out = torch.empty_like(sums)
        out[:, back] = sums / (52 - len(board) - 4)
        return out

    def _spread(
        self, street: int, board: Sequence[int], ranges: Tensor, chances: Sequence[tuple[Tensor, Tensor]]
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield for each shape both seats' ranges (S, A + 1, 1326) behind their sequences."""
        taken = 0
        for level, tables in zip(self.levels[street], chances, strict=True):
            roots = level.grove.roots
            which = self.tables.buckets_at(roots, board[: BOARD_SIZES[street]], _ALL)
            lanes = torch.from_numpy(np.ascontiguousarray(which[:, :, 0])).to(self.device)
            start = ranges[:, taken : taken + len(roots)]
            yield tuple(level.spread(seat, start[seat], tables[seat][:, :, lanes[seat]]) for seat in range(2))  # type: ignore[misc]
            taken += len(roots)

    def _deals(self, street: int, reaches: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Return (2, deals, 1326) the ranges at a street's deals, shape by shape."""
        parts = []
        for level, both in zip(self.levels[street], reaches, strict=True):
            ends = np.flatnonzero(level.deal >= 0)
            own = [both[seat][:, level.grove.shape.end[ends, 1 + seat].tolist()].flatten(0, 1) for seat in range(2)]
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
                    else _folded_on(one, rivers.holds)
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
        parts = np.split(whole, np.cumsum([len(one.grove.roots) for one in self.levels[3]])[:-1], axis=3)
        if not self.compiled:
            return [torch.from_numpy(np.ascontiguousarray(part)).to(self.device) for part in parts]
        shorts = [np.ascontiguousarray(part.astype(np.uint16)).view(np.int16) for part in parts]
        return [torch.from_numpy(part).to(self.device) for part in shorts]

    def _came(self, turn: tuple[int, ...]) -> Tensor:
        """Return (2, S, 1326) float32 the ranges at the river's roots by which it tells buckets."""
        ranges = torch.ones((2, 1, COUNT), device=self.device)
        for street in range(3):
            reaches = list(self._spread(street, turn, ranges, self._trunk[street]))
            ranges = self._deals(street, reaches)[:, self.order_of[street + 1]]
        return ranges

    @cached_property
    def _trunk(self) -> list[list[tuple[Tensor, Tensor]]]:
        assert self.places
        trunk = self.places.trunk
        return [
            _tables(self.tree, row, trunk, self.tables.bucket_count(k), self.device)
            for k, row in enumerate(self.levels[:3])
        ]


@frozen(eq=False)
class Level:
    """A street's subtrees of one shape on a device."""

    grove: Grove
    ends: int
    deal: Int64s = field(repr=False)
    """(t,) the number of each end among those where the next street is dealt, else -1."""
    won: Tensor = field(repr=False)
    """(2, S, t) float32 what a hand of each seat wins there."""

    @classmethod
    def of(cls, tree: PublicTree, grove: Grove, device: torch.device) -> Level:
        deal = tree.kind[grove.ends[0]] == DEAL
        won = torch.from_numpy(np.ascontiguousarray(tree.won[:, grove.ends], np.float32)).to(device)
        return cls(grove, len(deal), np.where(deal, np.cumsum(deal) - 1, -1), won)

    @property
    def dealt(self) -> int:
        """How many deals all of its subtrees have."""
        return len(self.grove.roots) * int((self.deal >= 0).sum())

    def spread(self, seat: int, start: Tensor, chances: Tensor) -> Tensor:
        """Return (..., A + 1, n) the range ``start`` (..., n) behind each sequence by ``chances`` (..., A, n)."""
        out = [start]
        for action, above in enumerate(self.grove.shape.above[seat, : self.grove.shape.actions[seat]].tolist()):
            out.append(out[above] * chances[..., action, :])
        return torch.stack(out, dim=-2)

    def respond(self, seat: int, ends: Sequence[Tensor]) -> Tensor:
        """Return (..., n) what hands win best at the roots, of what they win at the ``ends``."""
        shape = self.grove.shape
        values: list[Tensor | None] = [*ends, *([None] * len(shape.decision))]
        for number in reversed(range(len(shape.decision))):
            actor, first, last = shape.decision[number].tolist()
            below = torch.stack([values[child] for child in shape.child[first:last].tolist()])  # type: ignore[misc]
            values[len(ends) + number] = below.amax(dim=0) if actor == seat else below.sum(dim=0)
        found = values[len(ends) if len(shape.decision) else 0]
        assert found is not None
        return found


@frozen(eq=False)
class Rivers:
    """The cards of some rivers of one turn, on a device."""

    boards: list[list[int]]
    order: npt.NDArray[np.int64] = field(repr=False)
    """(R, 1081) their hands in ascending order of strength."""
    cards: Tensor = field(repr=False)
    lists: Tensor = field(repr=False)
    """Both as :func:`._river_cards_kernels.river_cards` fills them."""

    @classmethod
    def of(cls, boards: list[list[int]], device: torch.device) -> Rivers:
        cards = np.empty((len(boards), 9, source.HANDS), np.int16)
        lists = np.empty((len(boards), source.HELD, source.LEFT), np.int16)
        river_cards(np.array(boards, np.int8), _PAIRS, batch_tables(7), cards, lists)
        return cls(boards, cards[:, 0].astype(np.int64), sent(cards, device), sent(lists, device))

    def back(self, index: Sequence[tuple[int, int]]) -> Tensor:
        """Return (m, 1326) where each hand stands on the river, under the renaming, of each of ``index``."""
        numbers, namings = np.array(index).T
        places = np.empty((len(index), COUNT), np.int64)
        come_back(self.order, hand_maps()[namings], numbers, places)
        return sent(places, self.cards.device)

    @cached_property
    def holds(self) -> Tensor:
        """(R, 1081, 52) 1 for the cards of each hand."""
        held = np.zeros((COUNT, 52), np.float32)
        held[_ALL[:, None], _CARDS] = 1
        return torch.from_numpy(held[self.order]).to(self.cards.device)

    @cached_property
    def wins(self) -> Tensor:
        """(R, 1081, 1081) 1 where the row's hand beats the column's, -1 where it loses; 0 where they cannot meet."""
        meet = (self.holds @ self.holds.transpose(1, 2) == 0).to(torch.float32)
        level = self.cards[:, 2].to(torch.float32)
        return meet * torch.sign(level[:, :, None] - level[:, None, :])


@frozen(eq=False)
class Compiled:
    """The kernels of :mod:`._device_source` on the current GPU."""

    walks: list[list[Callable[..., None]]] = field(repr=False)
    """By shape and seat."""
    room: list[list[int]]
    """By shape and seat: the bytes of shared memory they take."""
    place: Callable[..., None] | None = field(repr=False)

    @classmethod
    def of(cls, levels: Sequence[Level], places: bool) -> Compiled | None:
        """Return the kernels of these shapes; None where torch or the GPU cannot have them."""
        make = getattr(torch.cuda, "compile_kernel", getattr(torch.cuda, "_compile_kernel", None))
        if make is None:
            return None
        heads = [[source.head(seat, one.grove.shape, one.grove.width) for seat in range(2)] for one in levels]
        room = [[4 * count for _, count in both] for both in heads]
        if max(max(both) for both in room) > torch.cuda.get_device_properties().shared_memory_per_block_optin:
            return None
        try:
            walks = [
                [make(source.ON_GPU + source.COMMON + text + source.WALK, "walk") for text, _ in both] for both in heads
            ]
            place = make(source.ON_GPU + source.COMMON + source.PLACES, "places") if places else None
        except (OSError, RuntimeError) as error:
            notes.tell(f"The river is walked by products, since its kernels could not be compiled: {error}")
            return None
        for both, needed in zip(walks, room, strict=True):
            for one, count in zip(both, needed, strict=True):
                one.set_shared_memory_config(count)
        return cls(walks, room, place)

    def walk(
        self, number: int, rivers: Rivers, start: Tensor, which: Tensor, rows: Tensor, won: Tensor, out: Tensor
    ) -> None:
        """Fill ``out`` (R, 2, S, 1082) for one shape's subtrees."""
        lanes = start.shape[1]
        begin, into = (
            start.contiguous(),
            out if out.is_contiguous() else torch.zeros_like(out, memory_format=torch.contiguous_format),
        )
        for one, needed in zip(self.walks[number], self.room[number], strict=True):
            given = [rivers.cards, rivers.lists, begin, which, rows, won, into, lanes, rows.shape[2]]
            one(grid=(lanes, len(rivers.boards), 1), block=(source.THREADS, 1, 1), args=given, shared_mem=needed)
        if into is not out:
            out.copy_(into)

    def places(self, rivers: Rivers, came: Tensor, kind: Any) -> Tensor:
        """Return (R, 2, 1081, S) uint16 buckets, of the ranges ``came`` (2, 1326, S)."""
        assert self.place
        lanes, count = came.shape[2], len(rivers.boards)
        out = torch.empty((count, 2, source.HANDS, lanes), dtype=torch.int16, device=came.device)
        grid = (-(-lanes // source.PLACES_THREADS), 2, count)
        given = [rivers.cards, came, out, lanes, kind.own, kind.equity]
        self.place(grid=grid, block=(source.PLACES_THREADS, 1, 1), args=given)
        return out


def sent(array: npt.NDArray[Any], device: torch.device) -> Tensor:
    """Return an array on a device, without waiting for what runs there."""
    found = torch.from_numpy(array)
    return found.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else found.to(device)


def _tables(
    tree: PublicTree,
    row: Sequence[Level],
    policy: Callable[[Int64s], npt.NDArray[Any]],
    count: int,
    device: torch.device,
) -> list[tuple[Tensor, Tensor]]:
    """Return by shape and seat (S, A, buckets) the probabilities of the seat's actions."""
    out = []
    for level in row:
        both = []
        for nodes, actions in zip(level.grove.decisions, level.grove.shape.actions.tolist(), strict=True):
            found = np.zeros((len(nodes), actions, count), np.float32)
            for lane, own in enumerate(nodes if actions else ()):
                found[lane] = policy(own)
            both.append(torch.from_numpy(found).to(device))
        out.append((both[0], both[1]))
    return out


@lru_cache(maxsize=4)
def _held(device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return (1326, 52) 1 for the cards of each hand."""
    held = np.zeros((COUNT, 52))
    held[_ALL[:, None], _CARDS] = 1
    return torch.from_numpy(held).to(device, dtype)


def _folded(reach: Tensor) -> Tensor:
    """Return (..., 1326) how much of ranges ``reach`` (..., 1326) each hand can meet."""
    return _folded_on(reach, _held(reach.device, reach.dtype))


def _folded_on(reach: Tensor, holds: Tensor) -> Tensor:
    """Return the same for n hands that hold the cards ``holds`` ((R,) n, 52)."""
    return reach.sum(dim=-1, keepdim=True) + reach - (reach @ holds) @ holds.transpose(-1, -2)
