"""Matches in several processes are the match in one, whatever joblib backend carries them."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend

import cardai


class LateBackend(ThreadingBackend):
    """Like joblib's multiprocessing, and so Ray's: results come all at once at the end."""

    supports_return_generator = False


joblib.register_parallel_backend("late", LateBackend)


@pytest.mark.parametrize("backend", ["threading", "late"])
def test_every_joblib_backend_plays_the_same_hands(backend: str) -> None:
    alone = cardai.play("kuhn", ["random", "random"], games=40, seed=3)
    with joblib.parallel_config(backend=backend):
        spread = cardai.play("kuhn", ["random", "random"], games=40, seed=3, jobs=2)
    assert np.array_equal(alone.hands, spread.hands)
