"""What the lock step asks of all its tables at once."""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel


@kernel
def by_agent(current: Any, agent_at: Any, seat: Any, rows: Any, until: Any) -> None:
    """Fill ``rows`` (n,) int64 with the tables at which ``seat`` is to act, those of agent 0 first, then those of agent 1, ...

    ``current`` (n,) int8 is who is to act, ``agent_at`` (n, P) int64 who sits where. ``until`` (P,) int64 becomes the places in
    ``rows`` behind each agent's last.
    """
    count = 0
    for agent in range(len(until)):
        for row in range(len(current)):
            if current[row] == seat and agent_at[row, seat] == agent:
                rows[count] = row
                count += 1
        until[agent] = count


@kernel
def count_decisions(decisions: Any, rows: Any, seat: Any) -> None:
    """Count one more decision of ``seat`` at each of ``rows`` (m,) in ``decisions`` (n, P)."""
    for i in range(len(rows)):
        decisions[rows[i], seat] += 1
