"""Networks over card grids, by name.

The first three are those of Poker-CNN (Yakovenko, Cao, Raffel, Fan, AAAI 2016) and of its authors' repository; "suits" is
our own: it treats suits alike by construction and keeps a value and a policy head apart.
"""

from __future__ import annotations

from typing import Literal

import torch
from attrs import frozen
from torch import Tensor, nn

NetworkName = Literal["cnn", "cnn_16", "dense", "suits"]


@frozen
class GridShape:
    """What a network sees: (planes, height, width), and which planes hold cards (the others hold levels or amounts)."""

    shape: tuple[int, ...]
    card_planes: tuple[int, ...] = ()


def build(
    name: NetworkName, grid: GridShape, outputs: int, same_padding: bool = False, whole_suits: bool = False
) -> nn.Module:
    """Return the network ``name`` with ``outputs`` outputs, initialised by torch's current random state.

    ``same_padding`` keeps planes their size (needed where 4x13 planes are not padded). ``whole_suits`` is of "suits":
    see :class:`SuitLayer`.

    Raises:
        ValueError: an unpadded plane is too small for the layers.
    """
    if name == "dense":
        return dense(grid, outputs)
    if name == "suits":
        return SuitNetwork(grid, outputs, whole_suits=whole_suits)
    return paper_cnn(grid, outputs, 24 if name == "cnn" else 16, same_padding)


def paper_cnn(grid: GridShape, outputs: int, narrow: int, same_padding: bool) -> nn.Sequential:
    """Return conv-conv-pool-conv-conv-pool-1024-dropout-outputs: 267,944 parameters at 5 planes of 17x17 and 24 filters.

    Pooling keeps partial windows; ReLU follows every layer but the last (the published net had one there too: see
    ``relu_output`` of the trainers).
    """
    planes, height, width = grid.shape
    padding = "same" if same_padding else "valid"
    layers: list[nn.Module] = []
    for inputs, filters in ((planes, narrow), (narrow, 2 * narrow)):
        layers += [nn.Conv2d(inputs, filters, 3, padding=padding), nn.ReLU()]
        layers += [nn.Conv2d(filters, filters, 3, padding=padding), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True)]
    layers.append(nn.Flatten())
    with torch.no_grad():
        try:
            flat = nn.Sequential(*layers)(torch.zeros(1, planes, height, width)).shape[1]
        except RuntimeError as error:
            raise ValueError(
                f"Planes of {height}x{width} are too small for unpadded convolutions: use an encoder padded to 15x15 or "
                f"17x17, or same_padding=true."
            ) from error
    layers += [nn.Linear(flat, 1024), nn.ReLU(), nn.Dropout(0.5), nn.Linear(1024, outputs)]
    return _glorot(nn.Sequential(*layers))


def dense(grid: GridShape, outputs: int) -> nn.Sequential:
    """Return Poker-CNN's dense baseline 1024-1024-dropout-outputs: 2.56 M parameters at 5 planes of 17x17."""
    inputs = 1
    for size in grid.shape:
        inputs *= size
    layers = [nn.Flatten(), nn.Linear(inputs, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Dropout(0.5)]
    return _glorot(nn.Sequential(*layers, nn.Linear(1024, outputs)))


def _glorot(network: nn.Sequential) -> nn.Sequential:
    for layer in network:
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.xavier_uniform_(layer.weight)
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)
    return network


class SuitLayer(nn.Module):
    """A convolution along ranks that treats suits alike: f(own suit's row) + g(mean of all rows).

    Exchanging suits exchanges the rows of its output (Zaheer et al., "Deep Sets", NIPS 2017, section 3.1).

    Three such layers see four ranks to either side. With ``whole`` a layer adds h(mean of the own row), so that cards
    far apart are known to be of one suit, and ranks lie in a circle, the ace beside the two.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, whole: bool = False) -> None:
        super().__init__()
        edges: Literal["circular", "zeros"] = "circular" if whole else "zeros"
        self.own = nn.Conv2d(inputs, outputs, (1, kernel), padding="same", padding_mode=edges)
        self.shared = nn.Conv2d(inputs, outputs, (1, kernel), padding="same", padding_mode=edges, bias=False)
        self.row = nn.Conv2d(inputs, outputs, 1, bias=False) if whole else None

    def forward(self, x: Tensor) -> Tensor:  # (B, C, 4, 13) -> (B, K, 4, 13)
        out = self.own(x) + self.shared(x.mean(dim=2, keepdim=True))
        if self.row is not None:
            out = out + self.row(x.mean(dim=3, keepdim=True))
        return torch.relu(out)


class SuitTrunk(nn.Module):
    """Card planes to features: three suit layers, the rows' mean and maximum, one dense layer."""

    def __init__(self, planes: int, width: int, channels: int, features: int, whole: bool) -> None:
        super().__init__()
        shapes = ((planes, 5), (channels, 3), (channels, 3))
        self.layers = nn.Sequential(*(SuitLayer(inputs, channels, kernel, whole) for inputs, kernel in shapes))
        self.dense = nn.Linear(2 * channels * width, features)

    def forward(self, cards: Tensor) -> Tensor:  # (B, C, 4, 13) -> (B, F)
        x = self.layers(cards)
        pooled = torch.cat([x.mean(dim=2), x.amax(dim=2)], dim=1).flatten(1)  # (B, 2 * K * 13)
        return torch.relu(self.dense(pooled))


class SuitNetwork(nn.Module):
    """Trunk over the card planes, then two hidden layers that also see the other planes' levels, then the heads.

    ``forward`` returns the value head (linear); :meth:`both` also the policy head's logits. Planes must be 4x13.
    """

    def __init__(
        self,
        grid: GridShape,
        outputs: int,
        channels: int = 32,
        features: int = 384,
        hidden: int = 256,
        whole_suits: bool = False,
    ) -> None:
        super().__init__()
        planes, height, width = grid.shape
        if (height, width) != (4, 13):
            raise ValueError(f"The network 'suits' needs planes of 4x13. Got {height}x{width}: choose size=4x13.")
        cards = grid.card_planes or tuple(range(planes))
        context = tuple(p for p in range(planes) if p not in cards)
        self.card_planes, self.context_planes = list(cards), list(context)
        self.trunk = SuitTrunk(len(cards), width, channels, features, whole_suits)
        self.body = nn.Sequential(
            nn.Linear(features + len(context), hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.value = nn.Linear(hidden, outputs)
        self.policy = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:  # (B, P, 4, 13) -> (B, outputs)
        return self.both(x)[0]

    def both(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return (values, policy logits), each (B, outputs)."""
        features = self.trunk(x[:, self.card_planes])
        return self.heads(features, self.context(x))

    def context(self, x: Tensor) -> Tensor:
        """Return what the planes that are no cards say, (B, K): a filled plane's level, an amount's share of cells."""
        return x[:, self.context_planes].mean(dim=(2, 3))

    def heads(self, features: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        """Return (values, policy logits) from the trunk's features (B, F) and the other planes' levels (B, K)."""
        hidden = self.body(torch.cat([features, context], dim=1))
        return self.value(hidden), self.policy(hidden)


def parameters(network: nn.Module) -> int:
    """Return the number of trainable parameters."""
    return sum(p.numel() for p in network.parameters() if p.requires_grad)
