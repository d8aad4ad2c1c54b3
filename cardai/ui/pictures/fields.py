"""Any game's table, drawn from its fields alone: own cards as boxes, public and others' below, a row a seat, what was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from cardai.arena.display import card_name, field_text, is_french, private_rows, value_text
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.ui.cards import CardStyle, Face, boxes, inline
from cardai.ui.scene import Scene

CARDS = ("card", "cards", "card_set")
SAID_ELSEWHERE = ("player", "to_act", "seat_of", "round_of")
"""Roles of fields that the seats' rows, the title and the histories tell."""


def lines(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return the table: first what the player holds, then what lies open, the seats, and the rest by label."""
    game, view = scene.game, scene.view
    out: list[Text] = []
    for f in game.view_fields:
        if is_dealt(f):
            out += cards_of_field(game, f, view, card_style)
    for seat, other in scene.open.items():
        out += [
            inline(f"{scene.name(seat)}: {label} {cards}", card_style.palette)
            for label, cards in private_rows(game, view, other)
        ]
    out += seat_rows(scene, card_style)
    rest = labelled(scene)
    width = max((len(label) for label, _ in rest), default=0)
    out += [Text.assemble((f"{label:<{width}}  ", "dim"), inline(text, card_style.palette)) for label, text in rest]
    return out


def is_dealt(f: Field) -> bool:
    """Whether a field is cards that lie by themselves, not a set or a place a seat."""
    return f.kind in CARDS and not (f.kind == "card_set" and f.size) and f.role != "by_seat"


def labelled(scene: Scene) -> list[tuple[str, str]]:
    """Return (label, text) for what is no card and is told nowhere else."""
    return [
        (f.name.replace("_", " "), field_text(scene.game, f, scene.view))
        for f in scene.game.view_fields
        if f.kind not in CARDS and f.role != "by_seat" and f.role.partition(":")[0] not in SAID_ELSEWHERE
    ]


def drawn_lines(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return the game's own drawing, and the cards that others show."""
    drawn = scene.game.draw(scene.view) or ""
    out = [inline(line, card_style.palette) for line in drawn.splitlines()]
    for seat, other in scene.open.items():
        rows = private_rows(scene.game, scene.view, other)
        out += [inline(f"{scene.name(seat)}: {label} {cards}", card_style.palette) for label, cards in rows]
    return out


def face_of(game: Game, card: int, card_style: CardStyle) -> Face:
    """Return a card of a field as it is drawn, whatever the deck."""
    if is_french(game, card):
        return card_style.face(card)
    return Face(card_name(game, card), None)


def cards_of_field(game: Game, f: Field, view: Mapping[str, Any], card_style: CardStyle) -> list[Text]:
    """Return a field's cards as boxes behind its label; a label and a dash where there are none."""
    cards = cards_in(f, view[f.name])
    label = f.name.replace("_", " ")
    if not cards:
        return [Text.assemble((label, "dim"), "  -")]
    faces = [face_of(game, card, card_style) for card in cards]
    inner = max(2 if len(faces) > 8 else 4, *(len(face.text) for face in faces))
    drawn = boxes([faces], card_style, inner + (inner % 2 if inner > 4 else 0))
    for i, line in enumerate(drawn):
        line_label = Text(f"{label if i == 1 else '':<10} ", "dim")
        drawn[i] = line_label.append(line)
    return drawn


def cards_in(f: Field, value: Any) -> list[int]:
    """Return the cards that the value of a dealt field is."""
    if f.kind == "card":
        return [int(card) for card in value] if f.size else [int(value)] if int(value) >= 0 else []
    return [int(card) for card in value] if f.kind == "cards" else [c for c in range(64) if int(value) >> c & 1]


def seat_cells(scene: Scene) -> tuple[list[str], list[list[str]]]:
    """Return the labels of the fields of the role by_seat, and for each seat what they say of it."""
    game = scene.game
    columns = [f for f in game.view_fields if f.role == "by_seat" and f.size and f.size % game.num_players == 0]
    rows: list[list[str]] = []
    for seat in range(game.num_players):
        cells = []
        for f in columns:
            each = f.size // game.num_players
            entries = scene.view[f.name][seat * each : (seat + 1) * each]
            cells.append(" ".join(value_text(game, f, entry, scene.seat) for entry in entries))
        rows.append(cells)
    return [f.name.replace("_", " ") for f in columns], rows


def seat_rows(scene: Scene, card_style: CardStyle) -> list[Text]:
    """Return a row a seat, a column a field of the role by_seat."""
    labels, cells = seat_cells(scene)
    if not labels:
        return []
    names = [f"{'▸ ' if scene.to_act == seat else '  '}{scene.name(seat)}" for seat in range(len(cells))]
    rows = [["", *labels], *([name, *row] for name, row in zip(names, cells, strict=True))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    out = []
    for number, row in enumerate(rows):
        text = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        out.append(Text(text, "dim") if number == 0 else inline(text, card_style.palette))
    return out
