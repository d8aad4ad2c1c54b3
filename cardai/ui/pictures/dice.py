"""Dice as dice: of a game that rolls them, the own ones, and at the end all that lie open."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from cardai.core.dice import DiceGame
from cardai.ui.cards import PAPER, Palette
from cardai.ui.scene import Scene

PIPS = {
    1: ("   ", " ● ", "   "),
    2: ("●  ", "   ", "  ●"),
    3: ("●  ", " ● ", "  ●"),
    4: ("● ●", "   ", "● ●"),
    5: ("● ●", " ● ", "● ●"),
    6: ("● ●", "● ●", "● ●"),
}
"""The three rows of a die by what it shows; higher faces have their number in the middle."""
GAP = "  "


def dice_of(scene: Scene) -> list[tuple[str, list[int]]]:
    """Return whose dice lie open to the person and what they show, his own first; nothing where the game rolls none."""
    game = scene.game
    if not isinstance(game, DiceGame):
        return []
    own = [f for f in game.view_fields if f.role == "own" and f.kind == "cards"]
    views = [(scene.seat, scene.view), *scene.open.items()]
    return [(scene.name(seat), [int(die) + 1 for f in own for die in view[f.name]]) for seat, view in views]


def rows_of(die: int) -> tuple[str, str, str]:
    """Return the three rows of a die."""
    return PIPS.get(die, ("   ", f"{die:^3}", "   "))


def lines(scene: Scene, palette: Palette) -> list[Text]:
    """Return the dice of each seat that shows some, drawn behind its name."""
    out: list[Text] = []
    style = Style(bold=True) if palette == "mono" else Style(bold=True, color="#101010", bgcolor=PAPER)
    shown = dice_of(scene)
    width = max((len(name) for name, _ in shown), default=0)
    for name, dice in shown:
        for row in range(3):
            line = Text(f"{name if row == 1 else '':<{width}}  ", "dim")
            for die in dice:
                part = " ".join(rows_of(die)[row])
                line.append(f"│{part}│" if palette == "mono" else f" {part} ", style).append(GAP)
            out.append(line)
        out.append(Text())
    return out
