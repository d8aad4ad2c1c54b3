"""Scenes as text: a family of games has its own drawing, a game that draws itself keeps that, others are drawn from fields.

A picture is a rich Text whose cards carry their number (``meta["card"]``), so that they can be clicked.
"""

from __future__ import annotations

from rich.text import Text

from cardai.draw.contract import is_solo_draw
from cardai.gin.fields import GIN
from cardai.poker.fields import POKER
from cardai.ui.cards import CardStyle
from cardai.ui.pictures import dice, draw, fields, gin, poker
from cardai.ui.scene import Scene


def picture(scene: Scene, card_style: CardStyle) -> Text:
    """Return a scene as text of several lines."""
    game = scene.game
    if game.speaks(GIN):
        lines = gin.lines(scene, card_style)
    elif is_solo_draw(game):
        lines = draw.lines(scene, card_style)
    elif game.speaks(POKER):
        lines = poker.lines(scene, card_style)
    elif game.draw(scene.view) is not None:
        lines = dice.lines(scene, card_style.palette) + fields.drawn_lines(scene, card_style)
    else:
        lines = fields.lines(scene, card_style)
    return Text("\n").join(lines)
