"""What solvers share: small games as arrays, exact values and best responses of any player with a policy.

>>> from cardai.solve import exploitability
>>> exploitability(game, agent)  # doctest: +SKIP

The names below are loaded on first use; the modules hold more. Called, the room is a function of another: ``cardai.solve(...)``
solves a spot of hold'em (:func:`cardai.poker.ranges.solving.solve_spot`).
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cardai import CallableRoom

if TYPE_CHECKING:
    from cardai.solve.measures import Measured as Measured
    from cardai.solve.measures import expected_value as expected_value
    from cardai.solve.measures import exploitability as exploitability
    from cardai.solve.measures import head_to_head as head_to_head
    from cardai.solve.measures import measure as measure
    from cardai.solve.measures import nash_conv as nash_conv
    from cardai.solve.tree import game_tree as game_tree
    from cardai.solve.values import best_response as best_response

sys.modules[__name__].__class__ = CallableRoom
_PLACES = {"game_tree": "tree", "best_response": "values"}
__all__ = [
    "Measured",
    "best_response",
    "expected_value",
    "exploitability",
    "game_tree",
    "head_to_head",
    "measure",
    "nash_conv",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'cardai.solve' has no attribute {name!r}")
    return getattr(import_module(f"cardai.solve.{_PLACES.get(name, 'measures')}"), name)
