"""Clusters that come with cardai: to find them takes the strengths of all hands on all boards; to use them, one board's.

clusters.npz    by a hash of what a street's table depends on: the centres (k, 24) int16 of flop and turn, or the bucket
                (1981,) uint16 of each strength on the river; written by ``python experiments/bucket_clusters.py``
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from cardai.core.files import digest_of
from cardai.core.npz import read_npz
from cardai.poker.buckets._store import VERSION

FILE = Path(__file__).with_name("clusters.npz")


def name_of(wanted: Mapping[str, Any]) -> str:
    """Return the name of the clusters that a street's table with these options has."""
    return digest_of({"version": VERSION, **wanted})[:16]


def clusters(wanted: Mapping[str, Any]) -> npt.NDArray[Any] | None:
    """Return the clusters of a street's table (``BucketOptions.of_street``); None where they do not come with cardai."""
    return read_npz(FILE).get(name_of(wanted))
