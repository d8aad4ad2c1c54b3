"""OpenSpiel's games: any sequential one with explicit chance, by its name there (openspiel:name=liars_dice)."""

from __future__ import annotations

from cardai.bridges.spiel_games import OpenSpiel
from cardai.core.hookspecs import hookimpl


@hookimpl
def cardai_game() -> type[OpenSpiel]:
    """Offer the game."""
    return OpenSpiel
