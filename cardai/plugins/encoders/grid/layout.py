"""The layout that all card grids share: a list of plane sources painted into one window."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.arrays import Float32s, Uint64s
from cardai.core.encoder import Layout, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field, Views
from cardai.core.game import Game
from cardai.plugins.encoders.grid._kernels import card_bits, paint
from cardai.plugins.encoders.grid.windows import Window

Bits = Uint64s
Levels = Float32s
Fill = Callable[[Views, Bits, Levels], None]


@frozen(eq=False)
class Source:
    """Some neighbouring planes: ``fill(views, bits, levels)`` writes their (n, k) card sets and fill levels (zeroed)."""

    planes: tuple[Plane, ...]
    fill: Fill
    cards: bool = False
    """Whether the planes show cards, rather than filled levels or amounts written as cards."""
    decode: Callable[[Bits, Levels], dict[str, Any]] | None = None
    """From (k,) bits and (k,) levels of one view back to field values."""
    low: float = 0.0
    """The least level that a plane can have; the greatest is 1."""
    cells: bool = False
    """Whether the planes are read cell by cell: one cell of all of them is marked, the number of a class."""
    of_hand: bool = False
    """Whether the levels or cells follow from the player's own cards and the board alone."""


class GridLayout(Layout):
    """Planes over a window; :meth:`encode` may write into an array that it returned before, which is much faster."""

    def __init__(self, window: Window, sources: list[Source], lossless: bool) -> None:
        self.window = window
        self.sources = sources
        self.lossless = lossless
        self.planes = tuple(plane for source in sources for plane in source.planes)
        shows = [source.cards for source in sources for _ in source.planes]
        self.card_planes = tuple(k for k, cards in enumerate(shows) if cards)
        marked = [source.cells for source in sources for _ in source.planes]
        self.cell_planes = tuple(k for k, cells in enumerate(marked) if cells)
        hands = [source.of_hand for source in sources for _ in source.planes]
        self.hand_planes = tuple(k for k, of_hand in enumerate(hands) if of_hand)
        self.shape = (len(self.planes), window.height, window.width)
        self.low, self.high = min([0.0, *(source.low for source in sources)]), 1.0

    def encode(self, views: Views, out: Float32s | None = None) -> Float32s:
        """Return (n, P, H, W) float32. ``out``: an array of that shape from an earlier call, to be overwritten."""
        count = len(views)
        bits = np.zeros((count, len(self.planes)), np.uint64)
        levels = np.zeros((count, len(self.planes)), np.float32)
        start = 0
        for source in self.sources:
            end = start + len(source.planes)
            source.fill(views, bits[:, start:end], levels[:, start:end])
            start = end
        if out is None:
            out = np.zeros((count, *self.shape), np.float32)
        elif out.shape != (count, *self.shape) or out.dtype != np.float32 or not out.flags.c_contiguous:
            raise ValueError(
                f"out must be a contiguous float32 array of shape {(count, *self.shape)}. Got {out.dtype} {out.shape}."
            )
        flat = out.reshape(count, len(self.planes), math.prod(self.shape[1:]))
        paint(bits, levels, self.window.rows, self.window.suit_of_row, flat)
        return out

    def decode(self, code: Float32s) -> dict[str, Any]:
        """Return field values where a source can give them back, else each plane's cards or level by its name."""
        cells = np.asarray(code, np.float32).reshape(len(self.planes), -1)[:, self.window.cells()]  # (P, 52)
        levels = cells.min(axis=1)
        full = (cells == cells[:, :1]).all(axis=1)
        powers = np.uint64(1) << np.arange(52, dtype=np.uint64)
        bits = np.where(full, np.uint64(0), ((cells == 1.0) * powers).sum(axis=1, dtype=np.uint64))
        out: dict[str, Any] = {}
        start = 0
        for source in self.sources:
            end = start + len(source.planes)
            if source.decode is not None:
                out.update(source.decode(bits[start:end], levels[start:end]))
            else:
                for plane, b, level in zip(source.planes, bits[start:end], levels[start:end], strict=True):
                    out[plane.name] = _cards(int(b)) if b else float(level)
            start = end
        return out


def _cards(bits: int) -> list[int]:
    return [card for card in range(52) if bits >> card & 1]


def need(game: Game, called: str, *names: str) -> dict[str, Field]:
    """Return the game's fields by name; raise UsageError naming the first of ``names`` it lacks."""
    fields = {f.name: f for f in game.view_fields}
    for name in names:
        if name not in fields:
            raise UsageError(
                f"The encoder {called!r} needs the view field {name!r}. The game has: {', '.join(fields)}."
            )
    return fields


def write_card(column: npt.NDArray[Any], bits: Bits) -> None:
    """Write the one-card sets of ``column`` (n,) into ``bits`` (n,), a strided column."""
    out = np.empty(len(column), np.uint64)
    card_bits(np.ascontiguousarray(column), out)
    bits[:] = out


def union(columns: npt.NDArray[Any]) -> Bits:
    """Return the card sets (n,) of ``columns`` (n, k), -1 for no card."""
    total = np.zeros(len(columns), np.uint64)
    out = np.empty(len(columns), np.uint64)
    for k in range(columns.shape[1]):
        card_bits(np.ascontiguousarray(columns[:, k]), out)
        total |= out
    return total
