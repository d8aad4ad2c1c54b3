"""The publication's network (section 3.2, figure 3) and ours."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from cardai.core.encoder import Layout
from cardai.core.errors import UsageError
from cardai.learn.grid_networks import GridShape, SuitNetwork


def valuation_cnn(planes: int, height: int, width: int, outputs: int, dense: bool = True) -> nn.Sequential:
    """Return conv 32 of 5x5 by 2, 64 of 3x3 by 2, 64 of 2x2, dense 256 (unless not ``dense``), outputs; no pooling.

    114,339 weights at 16 planes of 17x17 and 3 outputs, 48,547 without the dense layer: the last convolution's 2x2x64
    values are the text's "256x1" then. Padding is valid, since 17 to 7 to 3 to 2 leaves no rest. He's initialisation.

    Raises:
        ValueError: the planes are too small for the layers.
    """
    layers: list[nn.Module] = []
    for inputs, filters, kernel, stride in ((planes, 32, 5, 2), (32, 64, 3, 2), (64, 64, 2, 1)):
        layers += [nn.Conv2d(inputs, filters, kernel, stride), nn.ReLU()]
        height, width = (height - kernel) // stride + 1, (width - kernel) // stride + 1
    if min(height, width) < 1:
        raise ValueError("The network cnn needs planes of 17x17 or 15x15: choose the encoder's size=17x17.")
    flat = 64 * height * width
    layers.append(nn.Flatten())
    layers += [nn.Linear(flat, 256), nn.ReLU(), nn.Linear(256, outputs)] if dense else [nn.Linear(flat, outputs)]
    network = nn.Sequential(*layers)
    for layer in network:
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    return network


Sizes = tuple[int, int, int]
"""Channels, features and hidden units."""
EMBEDDING = 64
"""Numbers that a marked cell becomes."""


class SuitPolicy(nn.Module):
    """The policy head of the network that treats suits alike.

    ``cells`` are planes of which one cell is marked, the number of a class: a class becomes ``EMBEDDING`` numbers of its
    own, which the hidden layers see beside the levels.
    """

    def __init__(self, grid: GridShape, outputs: int, sizes: Sizes, cells: tuple[int, ...] = ()) -> None:
        super().__init__()
        planes, height, width = grid.shape
        others = [p for p in range(planes) if p not in cells and p not in grid.card_planes]
        self.planes, self.levels, self.cells = list(grid.card_planes), others, list(cells)
        seen = len(self.planes) + len(others) + (EMBEDDING if cells else 0)
        seen_grid = GridShape((seen, height, width), tuple(range(len(self.planes))))
        self.network = SuitNetwork(seen_grid, outputs, *sizes, whole_suits=True)
        for weight in self.network.value.parameters():
            weight.requires_grad_(False)
        self.embedding = nn.Linear(len(cells) * height * width, EMBEDDING, bias=False) if cells else None
        if self.embedding is not None:
            nn.init.normal_(self.embedding.weight, std=0.1)

    def forward(self, x: Tensor) -> Tensor:  # (B, P, 4, 13) -> (B, outputs)
        context = x[:, self.levels].mean(dim=(2, 3))
        if self.embedding is not None:
            context = torch.cat([context, self.embedding(x[:, self.cells].flatten(1))], dim=1)
        return self.network.heads(self.network.trunk(x[:, self.planes]), context)[1]


class LevelPolicy(nn.Module):
    """Two hidden layers over the levels and the marked cell, without the cards themselves: nothing to convolve.

    :meth:`read` is what it sees of planes, a few numbers that are worked out once for all examples.
    """

    def __init__(self, shape: tuple[int, ...], levels: list[int], cells: list[int], outputs: int, hidden: int) -> None:
        super().__init__()
        self.levels, self.cells = levels, cells
        _, height, width = shape
        self.embedding = nn.Embedding(max(len(cells) * height * width, 1), EMBEDDING)
        nn.init.normal_(self.embedding.weight, std=0.1)
        sizes = [len(levels) + EMBEDDING, hidden, hidden]
        layers = [part for a, b in itertools.pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())]
        self.body = nn.Sequential(*layers, nn.Linear(hidden, outputs))

    def read(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the levels (B, K) and the number of the marked cell (B,) of planes (B, P, 4, 13)."""
        flat = x[:, self.cells].flatten(1)
        marked = flat.argmax(dim=1) if self.cells else flat.new_zeros(len(x), dtype=torch.int64)
        return x[:, self.levels].mean(dim=(2, 3)), marked

    def answer(self, levels: Tensor, marked: Tensor) -> Tensor:
        """Return the outputs (B, C) for what :meth:`read` gives."""
        return torch.as_tensor(self.body(torch.cat([levels, self.embedding(marked)], dim=1)))

    def forward(self, x: Tensor) -> Tensor:  # (B, P, 4, 13) -> (B, outputs)
        return self.answer(*self.read(x))


def make_network(name: str, layout: Layout, outputs: int, sizes: Sizes) -> nn.Module:
    """Return a fresh network over an encoder's layout, by torch's random state. Raises UsageError where they do not fit."""
    if len(layout.shape) != 3:
        raise UsageError(f"cnn_valuation needs planes (an encoder of grids). This encoder gives {layout.shape}.")
    try:
        cells, cards = tuple(getattr(layout, "cell_planes", ())), tuple(getattr(layout, "card_planes", ()))
        if name == "levels":
            levels = [p for p in range(layout.shape[0]) if p not in cards and p not in cells]
            return LevelPolicy(layout.shape, levels, list(cells), outputs, sizes[-1])
        if name == "suits":
            cards = cards or tuple(p for p in range(layout.shape[0]) if p not in cells)
            return SuitPolicy(GridShape(layout.shape, cards), outputs, sizes, cells)
        return valuation_cnn(*layout.shape, outputs, dense=name == "cnn")
    except ValueError as error:
        raise UsageError(str(error)) from error
