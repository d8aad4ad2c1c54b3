"""What :mod:`.device_walk` walks on a device: shapes of subtrees, rivers' cards, and our kernels where they can be compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from attrs import field, frozen
from torch import Tensor

from cardai.core import notes
from cardai.core.arrays import Int64s
from cardai.poker.hands.boards import hand_maps
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.range_policy import PlacesInRanges
from cardai.poker.ranges.public_tree import DEAL, PublicTree
from cardai.poker.responses import _device_source as source
from cardai.poker.responses._river_cards_kernels import come_back, river_cards
from cardai.poker.responses.river_forest import Grove

_PAIRS = pairs()
_ALL = np.arange(COUNT)


@frozen(eq=False)
class Level:
    """A street's subtrees of one shape on a device."""

    grove: Grove
    deal: Int64s = field(repr=False)
    """(t,) the number of each end among those where the next street is dealt, else -1."""
    won: Tensor = field(repr=False)
    """(2, S, t) float32 what a hand of each seat wins there."""

    @classmethod
    def of(cls, tree: PublicTree, grove: Grove, device: torch.device) -> Level:
        deal = tree.kind[grove.ends[0]] == DEAL
        won = torch.from_numpy(np.ascontiguousarray(tree.won[:, grove.ends], np.float32)).to(device)
        return cls(grove, np.where(deal, np.cumsum(deal) - 1, -1), won)

    @cached_property
    def behind(self) -> list[Tensor]:
        """By seat: the sequences that lead to where the next street is dealt."""
        ends = self.grove.shape.end[self.deal >= 0]
        return [torch.from_numpy(ends[:, 1 + seat].copy()).to(self.won.device) for seat in range(2)]

    @property
    def ends(self) -> int:
        """How many ends each of its subtrees has."""
        return len(self.deal)

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
        return _held(self.cards.device, torch.float32)[self.cards[:, 0].long()]

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
        make = getattr(torch.cuda, "_compile_kernel", None)  # since torch 2.8, by NVRTC
        if make is None:
            return None
        heads = [[source.head(seat, one.grove.shape, one.grove.width) for seat in range(2)] for one in levels]
        room = [[4 * count for _, count in both] for both in heads]
        if max(max(both) for both in room) > getattr(
            torch.cuda.get_device_properties(), "shared_memory_per_block_optin", 0
        ):
            return None
        try:
            with _without_a_toolkit():
                begin = source.ON_GPU + source.COMMON
                walks = [[make(begin + text + source.WALK, "walk") for text, _ in both] for both in heads]
                place = make(begin + source.PLACES, "places") if places else None
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

    def places(self, rivers: Rivers, came: Tensor, kind: PlacesInRanges) -> Tensor:
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
    found = torch.from_numpy(array if array.flags.writeable else array.copy())  # torch warns of what it may not write
    return found.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else found.to(device)


def looked_up(table: Tensor, which: Int64s) -> Tensor:
    """Return (S, A, n) the probabilities of hands in the buckets ``which`` (n, S), of a ``table`` (S, A, buckets)."""
    if which.strides[1] == 0:  # the same in all subtrees
        return table[:, :, sent(np.ascontiguousarray(which[:, 0]), table.device)]
    places = sent(np.ascontiguousarray(which.T), table.device)
    return table.gather(2, places[:, None].expand(-1, table.shape[1], -1))


@contextmanager
def _without_a_toolkit() -> Iterator[None]:
    """Let torch compile though no toolkit of CUDA is there: it asks for its headers, of which our kernels use none."""
    from torch.utils import cpp_extension

    known = cpp_extension.CUDA_HOME
    cpp_extension.CUDA_HOME = known or "/usr/local/cuda"
    try:
        yield
    finally:
        cpp_extension.CUDA_HOME = known


@lru_cache(maxsize=4)
def _held(device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return (1326, 52) 1 for the cards of each hand."""
    held = np.zeros((COUNT, 52))
    held[_ALL[:, None], _PAIRS] = 1
    return torch.from_numpy(held).to(device, dtype)


def folded(reach: Tensor) -> Tensor:
    """Return (..., 1326) how much of ranges ``reach`` (..., 1326) each hand can meet."""
    return folded_on(reach, _held(reach.device, reach.dtype))


def folded_on(reach: Tensor, holds: Tensor) -> Tensor:
    """Return the same for n hands that hold the cards ``holds`` ((R,) n, 52)."""
    return reach.sum(dim=-1, keepdim=True) + reach - (reach @ holds) @ holds.transpose(-1, -2)
