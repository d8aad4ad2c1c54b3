"""What solvers share: small games as arrays, exact values and best responses of any player with a policy.

>>> from cardai import solve
>>> solve.exploitability(game, agent)  # doctest: +SKIP

The names below are loaded on first use; the modules hold more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardai.solve.measures import Measured as Measured
    from cardai.solve.measures import expected_value as expected_value
    from cardai.solve.measures import exploitability as exploitability
    from cardai.solve.measures import head_to_head as head_to_head
    from cardai.solve.measures import measure as measure
    from cardai.solve.measures import nash_conv as nash_conv
    from cardai.solve.tree import game_tree as game_tree
    from cardai.solve.values import best_response as best_response

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
