"""Damaged spots and situations, for fuzz.py: their heads and a shard's arrays (nothing is solved here)."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from attrs import asdict
from fuzz_inputs import Target, World, _copy_of, _damaged_npz, damaged_value, json_text

from cardai.core.files import write_json
from cardai.poker.ranges.spot import SPOT, Spot, read_spot
from cardai.poker.values import situation_set
from cardai.poker.values.situation_set import Recipe, SituationSet


def spot_target(world: World) -> Target:
    """A spot.json."""
    folder = world.folder / "spot"
    folder.mkdir()
    spot = Spot("KsTh7s4d2c", 100, (150, 150), ("QQ+,AKs", "JJ,KJo,98s:0.5"), "1+allin")
    good = {
        "format": "cardai spot 1",
        "spot": asdict(spot),
        "iterations": 7,
        "arrays": "solution-7.npz",
        "measured": None,
    }
    write_json(folder / SPOT, good)
    fresh = _copy_of(world, "spot-copy", folder)

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        path, text = fresh(), json_text(damaged_value(json.loads(json.dumps(good)), rng))
        (path / SPOT).write_text(text, encoding="utf-8", errors="surrogatepass")
        return text, lambda: read_spot(path)

    return target


def situations_target(world: World) -> Target:
    """A situations.json, or a shard's arrays."""
    folder = world.folder / "situations"
    folder.mkdir()
    empty = SituationSet(folder, Recipe("river", 1, (3,) * 5, per_shard=2), "0" * 64, {})
    arrays = {"values": np.zeros((2, 2, 1081), np.float16), "exploitability": np.zeros(2, np.float32)}
    situation_set._keep(empty, 0, arrays)
    good = json.loads((folder / situation_set.HEAD).read_text())
    fresh = _copy_of(world, "situations-copy", folder)

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        path = fresh()
        if rng.random() < 0.6:
            text = json_text(damaged_value(json.loads(json.dumps(good)), rng))
            (path / situation_set.HEAD).write_text(text, encoding="utf-8", errors="surrogatepass")
        else:
            file = path / situation_set.SHARD.format(0)
            data = _damaged_npz(file, rng)
            file.write_bytes(data)
            text = f"{file.name} {len(data)}"
            if rng.random() < 0.8:  # so that what is behind the checksum is read
                head = json.loads(json.dumps(good))
                head["shards"][file.name] = situation_set.file_digest(file)
                write_json(path / situation_set.HEAD, head)
        return text, lambda: situation_set.load(path).read(0)

    return target


TARGETS: dict[str, Callable[[World], Target]] = {"spot": spot_target, "situations": situations_target}
