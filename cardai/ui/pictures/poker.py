"""A betting game's table: the pot, the board, a line a seat with position, chips and cards, and the own cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from cardai.arena.display import field_text
from cardai.cards.draw.fields import DRAW
from cardai.cards.poker.fields import is_holdem
from cardai.core.game import Game
from cardai.ui.cards import DOWN, Face, Look, boxes, inline
from cardai.ui.pictures.fields import face_of
from cardai.ui.scene import Scene

STREETS = ("preflop", "flop", "turn", "river")
POSITIONS = {
    2: ("BTN", "BB"),
    3: ("BTN", "SB", "BB"),
    4: ("BTN", "SB", "BB", "CO"),
    5: ("BTN", "SB", "BB", "UTG", "CO"),
    6: ("BTN", "SB", "BB", "UTG", "HJ", "CO"),
}
"""What seats are called, from the button, by the number of players."""
NAME = 11
"""The width of a name."""


def lines(scene: Scene, look: Look) -> list[Text]:
    """Return the table."""
    out = [_head(scene)]
    shown = {f.name for f in scene.game.view_fields}
    if "board" in shown:
        out += _board(scene, look)
    out += [Text(), *_seats(scene, look), Text()]
    return out + _own(scene, look)


def _head(scene: Scene) -> Text:
    view = scene.view
    text = Text.assemble(("pot ", "dim"), (f"{view['pot']:,}", "bold"))
    if view["to_call"] and scene.end is None:
        text.append("   to call ", "dim").append(f"{view['to_call']:,}", "bold")
    return text.append(f"   {_round_name(scene.game, view)}", "dim")


def _round_name(game: Game, view: Mapping[str, Any]) -> str:
    number = int(view["round"])
    if is_holdem(game):
        return STREETS[min(number, 3)]
    left = f", {view['draws_left']} draws left" if game.speaks(DRAW) else ""
    return f"round {number + 1}{left}"


def _board(scene: Scene, look: Look) -> list[Text]:
    f = next(f for f in scene.game.view_fields if f.name == "board")
    faces = [face_of(scene.game, f, int(card), look) for card in scene.view["board"]]
    places = [*faces, *[Face("", empty=True)] * (f.size - len(faces))]
    return boxes([places], look, max(4, *(len(face.text) + 2 for face in places)))


def _seats(scene: Scene, look: Look) -> list[Text]:
    view, out = scene.view, []
    behind = any(view["stacks"])
    ended = scene.end
    title = f"  {'':<{NAME}} {'':<3} {'bet' if ended is None else 'won':>7} {'in all':>7}" + (
        f" {'stack':>8}" if behind else ""
    )
    out.append(Text(title, "dim"))
    for seat in range(len(scene.names)):
        called = scene.name(seat)
        mark = "▸ " if scene.to_act == seat else "  "
        row = f"{mark}{_short(called):<{NAME}} {_position(scene, seat):<3} "
        style = "dim" if view["folded"][seat] else "bold" if scene.to_act == seat else ""
        line = Text(row, style)
        if ended is None:
            line.append(f"{view['round_spent'][seat]:>7,}")
        else:
            won = ended.returns[seat]
            line.append(f"{won:>+7,g}", "bold green" if won > 0 else "red" if won < 0 else "")
        line.append(f" {view['spent'][seat]:>7,}" + (f" {view['stacks'][seat]:>8,}" if behind else ""))
        out.append(line.append("  ").append(_beside(scene, look, seat)))
        if scene.game.speaks(DRAW) and seat in scene.open and not view["folded"][seat]:
            out.append(Text("    ").append(_cards(scene.game, scene.open[seat], look)))
    return out


def _short(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


def _position(scene: Scene, seat: int) -> str:
    """Return the seat's place from the button: its name at hold'em, D for the button elsewhere."""
    away = (seat - int(scene.view["button"])) % len(scene.names)
    names = POSITIONS.get(len(scene.names), ()) if is_holdem(scene.game) else ()
    return names[away] if names else "D" if away == 0 else ""


def _beside(scene: Scene, look: Look, seat: int) -> Text:
    """Return what stands behind a seat: its cards if they are face up, that it folded, what it drew."""
    view, text = scene.view, Text()
    if view["folded"][seat]:
        text.append("folded")
    elif seat != scene.seat and seat not in scene.open:
        count = 5 if scene.game.speaks(DRAW) else next((f.size for f in scene.game.view_fields if f.name == "hole"), 0)
        text.append(" ".join([DOWN] * (0 if scene.game.speaks(DRAW) else count)), "dim")
    elif seat in scene.open:
        text.append("" if scene.game.speaks(DRAW) else _cards(scene.game, scene.open[seat], look))
    if scene.game.speaks(DRAW) and "kept" in view:
        drawn = [5 - kept for kept in view["kept"][3 * seat : 3 * seat + 3] if kept >= 0]
        text.append(
            f"{' ' if text else ''}drew {'-'.join(str(n) if n else 'pat' for n in drawn)}" if drawn else "", "dim"
        )
    return text


def _own_field(game: Game) -> str:
    return "hand" if game.speaks(DRAW) else "hole"


def _cards(game: Game, view: Mapping[str, Any], look: Look) -> Text:
    """Return a player's own cards in one line."""
    name = _own_field(game)
    f = next((f for f in game.view_fields if f.name == name), None)
    return Text() if f is None else inline(field_text(game, f, view), look.palette)


def _own(scene: Scene, look: Look) -> list[Text]:
    name = _own_field(scene.game)
    f = next((f for f in scene.game.view_fields if f.name == name), None)
    if f is None:
        return []
    faces = [face_of(scene.game, f, int(card), look) for card in scene.view[name]]
    if not faces:
        return []
    drawn = boxes([faces], look, max(4, *(len(face.text) + 2 for face in faces)))
    words = _strength(scene, faces)
    if words:
        drawn[1].append(f"  {words}", "dim")
    return drawn


def _strength(scene: Scene, faces: list[Face]) -> str:
    """Return in words what the own cards make, where that is known."""
    from cardai.cards.poker.ranking import low_text

    hand = [face.card for face in faces if face.card is not None]
    if scene.game.speaks(DRAW) and len(hand) == 5:
        return low_text(hand)
    board = list(scene.view.get("board", ()))
    if is_holdem(scene.game) and len(board) >= 3 and len(hand) == 2:
        from cardai.cards.poker.ranking import category_name, rank_high

        return category_name(int(rank_high([[*hand, *board]])[0]))
    return ""
