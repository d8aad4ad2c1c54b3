"""Room for the tables in flight and for the memories, with nothing in it."""

from __future__ import annotations

import numpy as np

from cardai.plugins.trainers.nfsp import _kernels as kernels

RECENT = 256
"""Transitions of each input row among which stratified minibatches draw."""


def empty_memory(rl_capacity: int, sl_capacity: int, rows: int, recent: int) -> kernels.Memory:
    """Return memories of some capacities, which know the ``recent`` latest transitions of each of so many input rows."""
    rl, sl = (2, rl_capacity), (2, sl_capacity)
    return kernels.Memory(
        rl_row=np.zeros(rl, np.int32),
        rl_action=np.zeros(rl, np.int8),
        rl_reward=np.zeros(rl, np.float32),
        rl_next=np.zeros(rl, np.int32),
        sl_row=np.zeros(sl, np.int32),
        sl_action=np.zeros(sl, np.int8),
        seen=np.zeros((2, 2), np.int64),
        recent=np.zeros((rows, recent), np.int32),
        visits=np.zeros(rows, np.int64),
    )


def empty_play(tables: int, seed: int) -> kernels.Play:
    """Return tables at which nothing is dealt yet."""
    return kernels.Play(
        node=np.zeros(tables, np.int32),
        greedy=np.zeros((tables, 2), np.bool_),
        last_row=np.full((tables, 2), -1, np.int32),
        last_action=np.zeros((tables, 2), np.int8),
        random=np.array([seed, 0], np.uint64),
        counts=np.zeros(3, np.int64),
    )
