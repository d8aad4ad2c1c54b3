"""Legal actions of n tables: a boolean mask (n, num_distinct_actions), or :class:`Amounts` where that would be too wide.

A mask is a plain numpy array, for agents to index as they like. What holds for both is asked of the functions here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.arrays import Bools, Int64s, Integers
from cardai.core.kernel import interpreted, kernel


@frozen
class Amounts:
    """The legal actions of games in which an action can be an amount: 0 and 1 are plain, N >= 2 is the amount N.

    In no-limit betting 0 folds, 1 checks or calls, and N raises to N chips in the hand. ``kinds`` is (n, 3) bool (action
    0, action 1, an amount); ``min_amount`` and ``max_amount`` are (n,) int64, inclusive, and mean something only where an
    amount is legal.
    """

    kinds: Bools
    min_amount: Int64s
    max_amount: Int64s

    def __len__(self) -> int:
        return len(self.kinds)

    def allows(self, actions: Integers) -> Bools:
        """Return for each action (n,) whether it is legal in its row."""
        kind = np.clip(actions, 0, 2)
        legal = self.kinds[np.arange(len(self)), kind] & (actions >= 0)
        amount = actions >= 2
        return np.asarray(legal & (~amount | ((actions >= self.min_amount) & (actions <= self.max_amount))))

    def take(self, rows: Any) -> Amounts:
        """Return the rows ``rows`` alone."""
        return Amounts(self.kinds[rows], self.min_amount[rows], self.max_amount[rows])


Legal = Bools | Amounts
"""Legal actions of n tables."""


def allows(legal: Legal, actions: Integers) -> Bools:
    """Return for each action (n,) whether it is legal in its row of ``legal``."""
    if isinstance(legal, Amounts):
        return legal.allows(actions)
    if _by_kernel(legal, actions):
        out = np.empty(len(legal), np.bool_)
        _allowed(legal, actions, out)
        return out
    inside = (actions >= 0) & (actions < legal.shape[1])
    return np.asarray(inside & legal[np.arange(len(legal)), np.where(inside, actions, 0)])


def all_allowed(legal: Legal, actions: Integers) -> bool:
    """Say whether each action (n,) is legal in its row of ``legal``."""
    if isinstance(legal, Amounts) or not _by_kernel(legal, actions):
        return bool(allows(legal, actions).all())
    return bool(_all_allowed(legal, actions))


def _by_kernel(legal: Bools, actions: Integers) -> bool:
    """Say whether the arrays are of the kind that the kernels below are compiled for."""
    return actions.dtype == np.int64 and actions.flags.carray and legal.flags.carray and not interpreted()


@kernel
def _all_allowed(legal: Any, actions: Any) -> Any:
    """Say whether each action (n,) is legal in its row of the mask (n, A)."""
    for i in range(len(actions)):  # noqa: SIM110
        if not (0 <= actions[i] < legal.shape[1] and legal[i, actions[i]]):
            return False
    return True


@kernel
def _allowed(legal: Any, actions: Any, out: Any) -> None:
    """Fill ``out`` (n,) with whether each action is legal in its row of the mask (n, A)."""
    for i in range(len(out)):
        action = actions[i]
        out[i] = 0 <= action < legal.shape[1] and legal[i, action]


def take(legal: Legal, rows: Any) -> Legal:
    """Return the rows ``rows`` of ``legal`` alone."""
    return legal.take(rows) if isinstance(legal, Amounts) else legal[rows]


def legal_columns(legal: Legal) -> Bools:
    """Return the legal columns (n, k) of a policy: the mask itself, or the three kinds of :class:`Amounts`."""
    return legal.kinds if isinstance(legal, Amounts) else legal


def legal_list(legal: Legal, row: int) -> list[int]:
    """Return one row's legal actions as a list (amounts: the plain actions, the smallest and the largest amount)."""
    if not isinstance(legal, Amounts):
        return [int(a) for a in np.flatnonzero(legal[row])]
    actions = [kind for kind in (0, 1) if legal.kinds[row, kind]]
    if legal.kinds[row, 2]:
        actions += sorted({int(legal.min_amount[row]), int(legal.max_amount[row])})
    return actions


def legal_text(legal: Legal, row: int) -> str:
    """Return one row's legal actions for a message: "[0, 1]", or with amounts "[0, 1, 200 to 20000]"."""
    actions: list[Any] = legal_list(legal, row)
    if isinstance(legal, Amounts) and legal.kinds[row, 2]:
        actions = [a for a in actions if a < 2] + [f"{int(legal.min_amount[row])} to {int(legal.max_amount[row])}"]
    return f"[{', '.join(map(str, actions))}]"


def copy_legal(legal: Legal) -> Legal:
    """Return a copy, for somebody who may write into it."""
    if isinstance(legal, Amounts):
        return Amounts(legal.kinds.copy(), legal.min_amount.copy(), legal.max_amount.copy())
    return legal.copy()
