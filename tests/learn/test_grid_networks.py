"""The networks of Poker-CNN by their parameter counts, and our own by its symmetry."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cardai.learn.grid_networks import GridShape, NetworkName, SuitNetwork, build, parameters


@pytest.mark.parametrize(
    ("name", "planes", "count"),
    [
        # counted on the authors' published weights, and from the layer sizes of their repository
        ("cnn", 5, 267_944),
        ("cnn", 31, 273_560),
        ("cnn_16", 5, 181_840),
        ("dense", 5, 2_563_104),
        ("dense", 31, 10_257_440),
    ],
)
def test_published_networks_have_their_parameter_counts(name: NetworkName, planes: int, count: int) -> None:
    assert parameters(build(name, GridShape((planes, 17, 17)), 32)) == count


@pytest.mark.parametrize("whole", [False, True])
def test_renaming_suits_changes_nothing(whole: bool) -> None:
    torch.manual_seed(0)
    network = build("suits", GridShape((6, 4, 13), (0, 1, 2, 3)), 32, whole_suits=whole)
    assert isinstance(network, SuitNetwork)
    planes = (torch.rand(3, 6, 4, 13) < 0.2).float()
    planes[:, 4:] = 0.5
    with torch.inference_mode():
        first, second = network.both(planes), network.both(planes[:, :, [2, 0, 3, 1]])
    for a, b in zip(first, second, strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_whole_suits_tell_whether_far_cards_share_a_suit() -> None:
    """Two and queen of one suit, or of two: three plain layers see four ranks to either side, so never both cards."""
    same, mixed = torch.zeros(1, 1, 4, 13), torch.zeros(1, 1, 4, 13)
    same[0, 0, 0, [0, 10]] = 1
    mixed[0, 0, [0, 1], [0, 10]] = 1
    for whole in (False, True):
        torch.manual_seed(1)
        network = build("suits", GridShape((1, 4, 13)), 32, whole_suits=whole)
        with torch.inference_mode():
            equal = torch.allclose(network(same), network(mixed), atol=1e-6)
        assert equal == (not whole)


def test_unpadded_convolutions_need_room() -> None:
    with pytest.raises(ValueError, match="too small for unpadded convolutions"):
        build("cnn", GridShape((5, 4, 13)), 32)
    assert build("cnn", GridShape((5, 4, 13)), 32, same_padding=True)(torch.zeros(2, 5, 4, 13)).shape == (2, 32)
    with pytest.raises(ValueError, match="needs planes of 4x13"):
        build("suits", GridShape((5, 17, 17)), 32)


def test_pooling_keeps_partial_windows() -> None:
    """13 -> 7 and 3 -> 2: 192 values reach the dense layer (the shapes of the published weights)."""
    network = build("cnn", GridShape((5, 17, 17)), 32)
    linear = next(layer for layer in network.modules() if isinstance(layer, torch.nn.Linear))
    assert linear.in_features == 192
    assert np.isfinite(network(torch.zeros(1, 5, 17, 17)).detach().numpy()).all()


def test_planes_that_are_no_cards_are_read_by_their_share_of_cells() -> None:
    network = SuitNetwork(GridShape((3, 4, 13), (0,)), 2)
    planes = torch.zeros(2, 3, 4, 13)
    planes[0, 1] = 0.25  # a filled plane
    planes[1, 2].view(-1)[:13] = 1  # an amount: 13 of 52 cells
    assert torch.allclose(network.context(planes), torch.tensor([[0.25, 0.0], [0.0, 0.25]]))
