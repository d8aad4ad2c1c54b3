"""Scenes as text: a family of games has its own drawing, a game that draws itself keeps that, others are drawn from fields.

A picture is a rich Text whose cards carry their number (``meta["card"]``), so that they can be clicked.
"""

from __future__ import annotations

from rich.text import Text

from cardai.cards.draw.fields import is_solo_draw
from cardai.cards.gin.fields import GIN
from cardai.cards.poker.fields import POKER
from cardai.ui.cards import Look
from cardai.ui.pictures import draw, fields, gin, poker
from cardai.ui.scene import Scene


def picture(scene: Scene, look: Look) -> Text:
    """Return a scene as text of several lines."""
    game = scene.game
    if game.speaks(GIN):
        lines = gin.lines(scene, look)
    elif is_solo_draw(game):
        lines = draw.lines(scene, look)
    elif game.speaks(POKER):
        lines = poker.lines(scene, look)
    elif game.draw(scene.view) is not None:
        lines = fields.drawn_lines(scene, look)
    else:
        lines = fields.lines(scene, look)
    return Text("\n").join(lines)
