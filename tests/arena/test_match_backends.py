"""Matches: the same through any joblib backend, and recorded by specs that make them again."""

from __future__ import annotations

import json
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend

import cardai
from cardai import make
from cardai.arena import match
from cardai.core import registry


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


def test_a_record_of_objects_names_them_by_specs(tmp_path: Path) -> None:
    leduc = cardai.game("leduc_rlcard", suits=False)
    result = match.play(leduc, [cardai.agent("always_raise"), "random"], games=2, record=tmp_path / "r.jsonl")
    header = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    assert registry.create("game", header["game"]) == leduc
    assert make.agent(result.agents[0]) == cardai.agent("always_raise")
