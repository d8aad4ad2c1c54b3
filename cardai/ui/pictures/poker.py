"""A betting game's table: the pot, the board, a line a seat with position, chips and cards, and the own cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve
from rich.text import Text

from cardai.arena.display import field_text, is_french
from cardai.core.game import Game
from cardai.draw.fields import DRAW
from cardai.poker.contract import BoardCards, board_cards
from cardai.ui.amounts import money
from cardai.ui.cards import DOWN, CardStyle, Face, boxes, inline
from cardai.ui.pictures.fields import face_of
from cardai.ui.scene import Scene

STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
"""What a round of hold'em and its relatives is called, by the cards on the board."""
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
BESIDE = 2
"""So many cards of a seat stand in its line; more stand below it."""


def lines(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return the table."""
    scene = evolve(scene, view=called_view(scene))
    out = [_head(scene)]
    shown = {f.name for f in scene.game.view_fields}
    if "board" in shown:
        out += _board(scene, card_style)
    out += [Text(), *_seats(scene, card_style), Text()]
    return out + _own(scene, card_style)


def called_view(scene: Scene) -> Mapping[str, Any]:
    """Return what is seen; once the hand is over, chips that nobody called are no longer in the pot but their owner's."""
    view = scene.view
    most, called = sorted(view["spent"], reverse=True)[:2]
    if scene.end is None or most == called:
        return view
    back = [most - called if spent == most else 0 for spent in view["spent"]]
    behind = any(view["stacks"])  # zeros where chips are unlimited
    return {
        **view,
        "pot": view["pot"] - sum(back),
        "spent": [spent - one for spent, one in zip(view["spent"], back, strict=True)],
        "stacks": [stack + one * behind for stack, one in zip(view["stacks"], back, strict=True)],
    }


def _head(scene: Scene) -> Text:
    view = scene.view
    text = Text.assemble(("pot ", "dim"), (money(view["pot"], scene.blind), "bold"))
    if view["to_call"] and scene.end is None:
        text.append("   to call ", "dim").append(money(view["to_call"], scene.blind), "bold")
    return text.append(f"   {round_name(scene.game, view)}", "dim")


def round_name(game: Game, view: Mapping[str, Any]) -> str:
    number = int(view["round"])
    said = board_cards(game)
    if said is not None and has_streets(said):
        return STREETS[said.board[number]]
    left = f", {view['draws_left']} draws left" if game.speaks(DRAW) else ""
    return f"round {number + 1}{left}"


def has_streets(said: BoardCards) -> bool:
    """Whether the rounds of a game are those of hold'em: preflop, flop, turn and river, or the last of them."""
    return said.board[-1] == max(STREETS) and set(said.board) <= set(STREETS)


def _board(scene: Scene, card_style: CardStyle) -> list[Text]:
    f = next(f for f in scene.game.view_fields if f.name == "board")
    faces = [face_of(scene.game, int(card), card_style) for card in scene.view["board"]]
    places = [*faces, *[Face("", empty=True)] * (f.size - len(faces))]
    return boxes([places], card_style, max(4, *(len(face.text) + 2 for face in places)))


def _seats(scene: Scene, card_style: CardStyle) -> list[Text]:
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
        row = f"{mark}{_short(called):<{NAME}} {position(scene, seat):<3} "
        style = "dim" if view["folded"][seat] else "bold" if scene.to_act == seat else ""
        line = Text(row, style)
        if ended is None:
            line.append(f"{money(view['round_spent'][seat], scene.blind):>7}")
        else:
            won = ended.returns[seat]
            line.append(
                f"{money(won, scene.blind, True) if scene.blind else f'{won:+,g}':>7}",
                "bold green" if won > 0 else "red" if won < 0 else "",
            )
        put, left = money(view["spent"][seat], scene.blind), money(view["stacks"][seat], scene.blind)
        line.append(f" {put:>7}" + (f" {left:>8}" if behind else ""))
        out.append(line.append("  ").append(_beside(scene, card_style, seat)))
        if held(scene.game) > BESIDE and seat in scene.open and not view["folded"][seat]:
            out.append(Text("    ").append(_cards(scene.game, scene.open[seat], card_style)))
    return out


def _short(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


def position(scene: Scene, seat: int) -> str:
    """Return the seat's place from the button: its name at hold'em, D for the button elsewhere."""
    away = (seat - int(scene.view["button"])) % len(scene.names)
    said = board_cards(scene.game)
    names = POSITIONS.get(len(scene.names), ()) if said is not None and has_streets(said) else ()
    return names[away] if names else "D" if away == 0 else ""


def _beside(scene: Scene, card_style: CardStyle, seat: int) -> Text:
    """Return what stands behind a seat: its cards if they are face up, that it folded, what it drew."""
    view, text = scene.view, Text()
    if view["folded"][seat]:
        text.append("folded")
    elif seat != scene.seat and seat not in scene.open:
        count = held(scene.game)
        down = " ".join([DOWN] * count) if count <= BESIDE else f"{DOWN} x{count}"
        text.append("" if scene.game.speaks(DRAW) else down, "dim")
    elif seat in scene.open and held(scene.game) <= BESIDE:
        text.append(_cards(scene.game, scene.open[seat], card_style))
    drew = drew_words(scene, seat)
    return text.append(f"{' ' if text and drew else ''}{drew}", "dim")


def drew_words(scene: Scene, seat: int) -> str:
    """Return how many cards a seat drew, "" where it has not: "drew 3-1-pat"."""
    if not scene.game.speaks(DRAW) or "kept" not in scene.view:
        return ""
    drew = [5 - kept for kept in scene.view["kept"][3 * seat : 3 * seat + 3] if kept >= 0]
    return f"drew {'-'.join(str(n) if n else 'pat' for n in drew)}" if drew else ""


def held(game: Game) -> int:
    """Return how many cards of its own a seat holds."""
    said = board_cards(game)
    return 5 if game.speaks(DRAW) else 0 if said is None else said.hole.count


def own_field(game: Game) -> str:
    return "hand" if game.speaks(DRAW) else "hole"


def _cards(game: Game, view: Mapping[str, Any], card_style: CardStyle) -> Text:
    """Return a player's own cards in one line."""
    name = own_field(game)
    f = next((f for f in game.view_fields if f.name == name), None)
    return Text() if f is None else inline(field_text(game, f, view), card_style.palette)


def _own(scene: Scene, card_style: CardStyle) -> list[Text]:
    name = own_field(scene.game)
    if all(f.name != name for f in scene.game.view_fields):
        return []
    faces = [face_of(scene.game, int(card), card_style) for card in scene.view[name]]
    if not faces:
        return []
    drawn = boxes([faces], card_style, max(4, *(len(face.text) + 2 for face in faces)))
    words = strength(scene, len(faces) <= BESIDE)
    if words:
        drawn[1].append(f"  {words}", "dim")
    return drawn


def strength(scene: Scene, full: bool = True) -> str:
    """Return in words what the own cards make, where that is known: in ``full`` "pair of nines", else "pair"."""
    from cardai.poker.hands.ranking import low_text

    name = own_field(scene.game)
    cards = [int(card) for card in scene.view[name]] if any(f.name == name for f in scene.game.view_fields) else []
    hand = [card for card in cards if is_french(scene.game, card)]
    if scene.game.speaks(DRAW) and len(hand) == 5:
        return low_text(hand)
    said = board_cards(scene.game)
    if said is None:
        return ""
    from cardai.poker.rules.showdown import full_hand_name, hand_name

    return (
        full_hand_name(said, hand, scene.view["board"], False) if full else hand_name(said, hand, scene.view["board"])
    )
