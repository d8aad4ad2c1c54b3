"""The games that are still to be put on tables, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class GameQueue:
    """The numbers of the games of groups, in order; no more are made than are taken."""

    def __init__(self, groups: Sequence[int], size: int) -> None:
        self._groups, self._size = groups, size
        self._taken = 0

    @property
    def empty(self) -> bool:
        """Whether all games are taken."""
        return self._taken == len(self._groups) * self._size

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """Return the next ``count`` numbers, or as many as there are."""
        first, at = divmod(self._taken, self._size)
        groups = np.asarray(self._groups[first : first + -(-(at + count) // self._size)], np.int64)
        numbers = (groups[:, None] * self._size + np.arange(self._size)).ravel()[at : at + count]
        self._taken += len(numbers)
        return np.asarray(numbers, np.int64)

    def add(self, groups: Sequence[int]) -> None:
        """Put groups behind the others."""
        first, self._taken = divmod(self._taken, self._size)
        self._groups = [*self._groups[first:], *groups]
