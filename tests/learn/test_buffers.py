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


class Drawn(np.random.Generator):
    """A generator whose uniform numbers are given."""

    def __new__(cls, *numbers: float) -> Drawn:
        return super().__new__(cls, np.random.PCG64(0))

    def __init__(self, *numbers: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = list(numbers)

    def random(self, size: int) -> np.ndarray:  # type: ignore[override]
        taken, self.numbers = self.numbers[:size], self.numbers[size:]
        return np.array(taken)


@pytest.mark.parametrize(
    ("recency", "number", "kept"),
    [
        # entry n is taken with probability 2 / n, to place floor(u n): for n = 3 where u < 2 / 3
        (0.0, 0.0, [2, 1]),
        (0.0, 0.332, [2, 1]),
        (0.0, 0.334, [0, 2]),
        (0.0, 0.666, [0, 2]),
        (0.0, 0.667, [0, 1]),
        (0.0, 0.999, [0, 1]),
        # and with (1 + recency) 2 / n: for n = 3 and recency 0.2 where u < 0.8
        (0.2, 0.399, [2, 1]),
        (0.2, 0.401, [0, 2]),
        (0.2, 0.799, [0, 2]),
        (0.2, 0.801, [0, 1]),
    ],
)
def test_the_third_entry_enters_a_reservoir_of_two_with_its_probability(
    recency: float, number: float, kept: list[int]
) -> None:
    buffer = Reservoir(2, ENTRY)
    buffer.offer(entries(0, 2), Drawn(0.9, 0.9), recency)
    assert buffer.data["value"].tolist() == [0, 1]  # the first ones fill it, whatever is drawn
    buffer.offer(entries(2, 3), Drawn(number), recency)
    assert buffer.data["value"].tolist() == kept


def test_entries_offered_at_once_are_offered_one_after_another() -> None:
    at_once, singly = Reservoir(2, ENTRY), Reservoir(2, ENTRY)
    numbers = (0.9, 0.9, 0.1, 0.2, 0.9, 0.3)
    at_once.offer(entries(0, 6), Drawn(*numbers))
    for k, number in enumerate(numbers):
        singly.offer(entries(k, k + 1), Drawn(number))
    assert at_once.data["value"].tolist() == singly.data["value"].tolist() == [3, 5]


def test_a_recent_entry_can_weigh_more_in_a_reservoir() -> None:
    counts = np.zeros(1000)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        buffer = Reservoir(20, ENTRY)
        for start in range(0, 1000, 10):
            buffer.offer(entries(start, start + 10), rng, recency=1.0)
        counts[buffer.data["value"]] += 1
    # weight n: the last half of the entries has 3/4 of the weight, 6,000 of 8,000 kept (standard deviation < 39)
    assert counts[500:].sum() == pytest.approx(6000, abs=200)


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
