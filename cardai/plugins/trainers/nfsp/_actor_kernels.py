"""Kernels of several actors: a round of play by networks that stay as they are, and learning from what it brought."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardai.core.kernel import kernel
from cardai.plugins.trainers.nfsp._kernels import learn, play_step, remember_action, remember_transition


class Log(NamedTuple):
    """What N actors offer the memories in I iterations, as :class:`~cardai.plugins.trainers.nfsp._kernels.Memory` has it."""

    rl_row: Any  # (N, 2, L) int32
    rl_action: Any  # (N, 2, L) int8
    rl_reward: Any  # (N, 2, L) float32
    rl_next: Any  # (N, 2, L) int32
    sl_row: Any  # (N, 2, L) int32
    sl_action: Any  # (N, 2, L) int8
    seen: Any  # (N, I, 2, 2) int64: how many there were of each after each iteration


@kernel
def play_round(env: Any, play: Any, memory: Any, answers: Any, legal: Any, settings: Any, seen: Any) -> None:
    """Play len(``seen``) iterations by ``answers`` that are known for all rows, and note what ``memory`` had seen after each."""
    for i in range(len(seen)):
        play_step(env, play, memory, answers, legal, settings)
        play.counts[0] += 1
        seen[i] = memory.seen


@kernel
def learn_round(env: Any, play: Any, memory: Any, learners: Any, inputs: Any, settings: Any, log: Log) -> None:
    """Do the iterations of a log: put what each brought into the memories, actor after actor, and learn."""
    for i in range(log.seen.shape[1]):
        for a in range(log.seen.shape[0]):
            for p in range(2):
                for k in range(log.seen[a, i - 1, p, 0] if i else 0, log.seen[a, i, p, 0]):
                    row, action = log.rl_row[a, p, k], log.rl_action[a, p, k]
                    remember_transition(memory, p, row, action, log.rl_reward[a, p, k], log.rl_next[a, p, k])
                for k in range(log.seen[a, i - 1, p, 1] if i else 0, log.seen[a, i, p, 1]):
                    remember_action(memory, p, play.random, log.sl_row[a, p, k], log.sl_action[a, p, k])
        learn(env, play, memory, learners, inputs, settings)
