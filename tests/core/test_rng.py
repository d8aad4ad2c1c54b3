"""Random numbers: the same compiled, interpreted and in Python ints; independent of neighbours; evenly spread."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardai.core import rng
from tests.support import python

words = st.integers(0, 2**64 - 1)


@given(words, words)
def test_compiled_hashes_are_those_of_python_ints(seed: int, counter: int) -> None:
    assert int(rng.hash64(np.uint64(seed), np.uint64(counter))) == rng.hash_int(seed, counter)
    assert int(rng.below(np.uint64(seed), counter & 0xFFFF, 10)) == rng.below_int(seed, counter & 0xFFFF, 10)


def test_the_hash_is_splitmix64() -> None:
    # The first outputs of SplitMix64 from the state 1234567, as in the reference implementation of
    # S. Vigna (https://prng.di.unimi.it/splitmix64.c), published in Rosetta Code's "Pseudo-random numbers/Splitmix64".
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [rng.hash_int(1234567, k) for k in range(4)] == expected


@pytest.mark.long
def test_interpreted_numbers_are_the_compiled_ones() -> None:
    script = """
import json, sys
import numpy as np
from cardai.core import rng
deck = np.arange(52)
rng.shuffle(np.uint64(2**64 - 5), deck)
print(json.dumps([int(rng.hash64(np.uint64(3), 2**40)), float(rng.uniform(np.uint64(9), 4)),
                  [int(rng.below(np.uint64(7), k, 10)) for k in range(20)], deck.tolist(), "numba" in sys.modules]))
"""
    compiled, interpreted = (json.loads(python("-c", script, NUMBA_DISABLE_JIT=flag).stdout) for flag in ("0", "1"))
    assert compiled[:-1] == interpreted[:-1]
    assert (compiled[-1], interpreted[-1]) == (True, False)


@given(words, st.integers(0, 5), st.integers(1, 20))
def test_many_seeds_are_those_derived_one_by_one(root: int, start: int, count: int) -> None:
    many = rng.derive_many(root, "deal", 3, count=count, start=start)
    assert many.tolist() == [rng.derive(root, "deal", 3, k) for k in range(start, start + count)]


def test_seeds_of_different_paths_differ() -> None:
    paths = [("deal", i, j) for i in range(30) for j in range(30)] + [("play", i, 0) for i in range(30)]
    assert len({rng.derive(1, *path) for path in paths}) == len(paths)
    assert rng.derive(1, "a") != rng.derive(2, "a")
    assert rng.derive(-1, "a") != rng.derive(1, "a")
    assert rng.derive(2**70, "a") != rng.derive(0, "a")


def test_numbers_are_evenly_spread() -> None:
    """Chi-square of 60,000 draws below 10 against 27.88, the 99.9% point with 9 degrees of freedom."""
    draws = Counter(int(rng.below(np.uint64(5), k, 10)) for k in range(60_000))
    assert sum((draws[d] - 6000) ** 2 / 6000 for d in range(10)) < 27.88
    mean = np.mean([rng.uniform(np.uint64(8), k) for k in range(20_000)])
    assert mean == pytest.approx(0.5, abs=4 * (1 / 12 / 20_000) ** 0.5)


def test_a_shuffle_puts_every_card_anywhere() -> None:
    """Each card at each place within five standard deviations of its expected number of times."""
    counts = np.zeros((6, 6))
    for seed in rng.derive_many(4, count=6000):
        deck = np.arange(6)
        rng.shuffle(seed, deck)
        assert sorted(deck) == list(range(6))
        counts[np.arange(6), deck] += 1
    assert np.abs(counts - 1000).max() < 5 * (6000 * (1 / 6) * (5 / 6)) ** 0.5


def test_a_rows_numbers_do_not_depend_on_its_neighbours() -> None:
    seeds = rng.derive_many(2, count=9)
    whole, alone = rng.Rows(seeds), rng.Rows(seeds[4:5])
    assert whole.random(3)[4].tolist() == alone.random(3)[0].tolist()
    assert whole.generator(4).random() == alone.generator(0).random()
    assert whole.fork(1000).seeds[4] == alone.fork(1000).seeds[0]
    weights = np.tile([0.2, 0.0, 0.8], (9, 1))
    assert whole.choice(weights)[4] == alone.choice(weights[:1])[0]


def test_a_choice_follows_the_probabilities_and_never_takes_a_zero() -> None:
    rows = rng.Rows(rng.derive_many(3, count=20_000))
    drawn = np.bincount(rows.choice(np.tile([0.0, 0.3, 0.0, 0.7, 0.0], (20_000, 1))), minlength=5) / 20_000
    assert drawn[[0, 2, 4]].tolist() == [0, 0, 0]
    assert drawn[1] == pytest.approx(0.3, abs=5 * (0.21 / 20_000) ** 0.5)


def test_a_choice_at_the_border_of_two_columns_takes_the_upper_one_and_still_no_zero() -> None:
    class Given(rng.Rows):
        def random(self, count: int = 1) -> np.ndarray:
            return np.array([0.0, 0.25, 0.5, 1 - 2**-53])

    rows = Given(rng.derive_many(3, count=4))
    assert rows.choice(np.tile([0.0, 0.5, 0.5, 0.0], (4, 1))).tolist() == [1, 1, 2, 2]
    assert rows.choice(np.tile([0.0, 1.0, 0.0, 3.0], (4, 1))).tolist() == [1, 3, 3, 3]  # rows are normalised


def test_a_path_is_hashed_64_bits_at_a_time() -> None:
    above = rng.derive(3, "a")
    for number in (0, 5, 2**63, 2**64 - 1):
        assert rng.derive(3, "a", number) == rng.hash_int(above, number)
    assert rng.derive(3, "a", 2**64 + 7) == rng.hash_int(rng.hash_int(above, 7), 1)
    assert rng.derive(3, "12345678!") == rng.hash_int(
        rng.hash_int(rng.derive(3), int.from_bytes(b"12345678", "little")), ord("!")
    )


def test_the_last_two_cards_of_a_shuffle_change_places_half_of_the_time() -> None:
    firsts = []
    for seed in range(400):
        deck = np.arange(2)
        rng.shuffle(np.uint64(seed), deck)
        assert (deck[0] == 0) == (int(rng.below(np.uint64(seed), 1, 2)) == 1)
        firsts.append(int(deck[0]))
    assert 160 < sum(firsts) < 240  # four standard deviations
