"""Memories: what they keep and how small."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.encoder import Plane
from cardai.learn.buffers import Circular, Codec, Reservoir

ENTRY = np.dtype([("value", np.int64)])


def entries(start: int, stop: int) -> np.ndarray:
    return np.arange(start, stop).astype(np.int64).view(ENTRY)


def test_a_circular_buffer_keeps_the_last_entries() -> None:
    buffer = Circular(10, ENTRY)
    for start in range(0, 24, 4):
        buffer.add(entries(start, start + 4))
    assert sorted(buffer.data["value"]) == list(range(14, 24))
    assert len(buffer) == 10


def test_a_reservoir_is_a_uniform_sample_of_everything_offered() -> None:
    counts = np.zeros(100)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        buffer = Reservoir(20, ENTRY)
        for start in range(0, 100, 10):
            buffer.offer(entries(start, start + 10), rng)
        counts[buffer.data["value"]] += 1
    # each entry is kept with probability 20 / 100: binomial(400, 0.2), standard deviation 8
    assert np.abs(counts - 80).max() < 4.5 * 8
    assert abs(counts[:50].sum() - counts[50:].sum()) < 5 * np.sqrt(400 * 20 * 0.25 * 4)


def test_binary_views_are_kept_in_bits_and_come_back() -> None:
    layout = cardai.encoder("leduc_30").for_game(cardai.game("leduc"))
    codec = Codec(layout)
    codes = (np.random.default_rng(0).random((50, 30)) < 0.3).astype(np.float32)
    packed = codec.pack(codes)
    assert packed.shape == (50, 4)
    assert (codec.unpack(packed) == codes).all()
    with pytest.raises(ValueError, match="state their scale"):
        codec.pack(codes / 2)


def test_other_views_are_kept_whole() -> None:
    class Scaled:
        shape = (3,)
        planes = (Plane("chips", "0:3", "stacks", "chips / 100"),)

    codec = Codec(Scaled())  # type: ignore[arg-type]
    codes = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    assert (codec.unpack(codec.pack(codes)) == codes).all()
