"""What the lock step asks of all its tables at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel


@kernel
def most_asked(current: Any, number: Any, agent_at: Any, rows: Any, seats: Any) -> Any:
    """Find the agent that the most tables wait for; fill ``rows`` and ``seats`` (n,) int64 with those tables and its seats there.

    ``current`` (n,) int8 is who is to act, ``number`` (n,) int64 which game is played (-1: none), ``agent_at`` (n, P) int64 who sits
    where. Its tables are in order of its seats. Returns (the agent, how many tables wait for it, how many for anybody, at how many
    the hand is over).
    """
    waiting = np.zeros(agent_at.shape[1], np.int64)
    over = 0
    for row in range(len(current)):
        if number[row] >= 0:
            if current[row] >= 0:
                waiting[agent_at[row, current[row]]] += 1
            elif current[row] == -4:
                over += 1
    agent, count = np.argmax(waiting), 0
    for seat in range(agent_at.shape[1]):
        for row in range(len(current)):
            if current[row] == seat and agent_at[row, seat] == agent and number[row] >= 0:
                rows[count] = row
                seats[count] = seat
                count += 1
    return agent, count, np.sum(waiting), over


@kernel
def count_decisions(decisions: Any, rows: Any, seats: Any) -> None:
    """Count one more decision of ``seats`` (m,) at each of ``rows`` (m,) in ``decisions`` (n, P)."""
    for i in range(len(rows)):
        decisions[rows[i], seats[i]] += 1
