"""Situations solved side by side in torch, beside the solver that sweeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from cardai.core.errors import UsageError
from cardai.poker.ranges.torch_cfr import layers, shape_of
from cardai.poker.values import situation_set
from cardai.poker.values.batch_labels import solve_situations
from cardai.poker.values.situation_set import Recipe, load, produce
from cardai.poker.values.situations import FASTER, Labels, Situation, labels, situation, situation_tree


def off(found: Labels, wanted: Labels, one: Situation) -> tuple[float, float, float]:
    """Return the mean distance of hands' values in pots, that of the ranges' values, and of exploitabilities in %."""
    errors = np.abs(found.values - wanted.values)[:, one.ranges[0] > 0] / 2
    worth = np.abs((one.ranges * (found.values - wanted.values)).sum(axis=1)).max() / 2
    return float(errors.mean()), float(worth), abs(found.exploitability - wanted.exploitability)


@pytest.fixture(scope="module")
def rivers() -> list[Situation]:
    return [situation(5, number, "river", (1, 2, 3, 4)) for number in range(4)]


@pytest.mark.long
def test_rivers_are_worth_what_sweeps_find(rivers: list[Situation]) -> None:
    # Hands that are indifferent are decided by rounding, here and there: a single hand may differ by more
    assert len({shape_of(situation_tree(one)) for one in rivers}) > 1
    found = solve_situations(rivers, [60 + 20 * (k % 2) for k in range(4)], device="cpu")
    for k, (one, mine) in enumerate(zip(rivers, found, strict=True)):
        hands, worth, gap = off(mine, labels(one, 60 + 20 * (k % 2), discounts=FASTER), one)
        assert (hands < 1e-3, worth < 1e-4, gap < 0.02) == (True, True, True), (one.number, hands, worth, gap)


@pytest.mark.long
def test_turns_are_worth_what_sweeps_find() -> None:
    found = [situation(5, number, "turn", (4,)) for number in range(2)]
    for one, mine, count in zip(found, solve_situations(found, [3, 2], device="cpu"), (3, 2), strict=True):
        hands, worth, gap = off(mine, labels(one, count, discounts=FASTER), one)
        assert (hands < 1e-5, worth < 1e-6, gap < 1e-3) == (True, True, True), (one.number, hands, worth, gap)


@pytest.mark.long
def test_the_size_of_a_batch_changes_rounding_alone(rivers: list[Situation]) -> None:
    alike = [one for one in rivers if shape_of(situation_tree(one)) == shape_of(situation_tree(rivers[0]))]
    assert len(alike) > 1
    together = solve_situations(alike, [20] * len(alike), device="cpu", kind="float64")
    alone = solve_situations(alike, [20] * len(alike), device="cpu", kind="float64", batch=1)
    for a, b, one in zip(together, alone, alike, strict=True):
        assert off(a, b, one)[0] < 1e-3


def test_every_slot_is_in_one_layer_and_parents_come_first() -> None:
    tree = situation_tree(situation(5, 0, "turn", (1,)))
    for forest in tree.streets:
        found, known = layers(forest, torch.device("cpu")), set(range(forest.roots))
        assert sorted(torch.cat([slots.ravel() for _, _, slots in found]).tolist()) == list(range(forest.num_slots))
        for actor, nodes, slots in found:
            assert set(forest.actor[nodes.numpy()].tolist()) == {actor}
            assert set(nodes.tolist()) <= known
            known |= set((forest.roots + slots).ravel().tolist())


def test_a_set_made_on_a_device_is_the_same_but_for_rounding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe("river", 5, (6, 6, 6, 6, 6), intervals=(3, 4), per_shard=2)
    monkeypatch.setattr(situation_set, "AT_ONCE", {"river": 4})  # two shards at a time, then one
    monkeypatch.setattr(situation_set, "_device", lambda recipe, name, jobs, on: "cpu:0")  # torch's
    produce(tmp_path / "device", recipe, 6, device="cuda")
    monkeypatch.undo()
    produce(tmp_path / "swept", recipe, 6)
    made, swept = load(tmp_path / "device"), load(tmp_path / "swept")
    assert made.numbers == [0, 1, 2]
    for shard in range(3):
        mine, theirs = made.read(shard), swept.read(shard)
        assert np.abs(mine.values - theirs.values).mean() < 2e-3
        assert mine.exploitability == pytest.approx(theirs.exploitability, abs=0.1)


def test_devices_that_cannot_be_are_refused(tmp_path: Path) -> None:
    recipe = Recipe("river", 5, (6, 6, 6, 6, 6), per_shard=2)
    with pytest.raises(UsageError, match="leave out --jobs"):
        produce(tmp_path / "x", recipe, 2, jobs=2, device="auto")
    with pytest.raises(UsageError, match="cannot use the device 'soup'"):
        produce(tmp_path / "x", recipe, 2, device="soup")
    assert not (tmp_path / "x").exists()
