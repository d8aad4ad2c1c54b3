"""cardai: games, representations, players and learners for imperfect-information card games, as plugins.

The names below are loaded on first use, so that ``import cardai`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardai.api import agent as agent
    from cardai.api import encoder as encoder
    from cardai.api import game as game
    from cardai.api import make_env as make_env
    from cardai.api import play as play
    from cardai.api import solve_spot as solve_spot
    from cardai.api import to_openspiel as to_openspiel
    from cardai.api import vector_env as vector_env

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "agent",
    "encoder",
    "game",
    "hookimpl",
    "make_env",
    "play",
    "solve_spot",
    "to_openspiel",
    "vector_env",
]


def __getattr__(name: str) -> Any:
    if name == "hookimpl":
        from cardai.core.hookspecs import hookimpl

        return hookimpl
    if name in __all__:
        from cardai import api

        return getattr(api, name)
    raise AttributeError(f"module 'cardai' has no attribute {name!r}")
