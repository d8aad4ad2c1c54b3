"""``cardai range``: ranges of hold'em shown, counted, combined, and written as other programs have them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json, say

if TYPE_CHECKING:
    from cardai.core.arrays import Float64s

FILE_LIMIT = 1 << 20
"""Characters of a file that holds a range."""
_FILE_NAME = re.compile(r"[^\[]*(?:[/\\][^\[]*|\.[A-Za-z]\w{0,9})")
"""What can be the name of a file and no range: a / that closes no bracket, or an ending."""

First = Annotated[
    str,
    typer.Argument(
        metavar="RANGE",
        help="As people write it (22+,A2s+,KTo+:0.5, GTO+'s brackets, 15%), PioSolver's 1,326 numbers, or a file with it.",
        show_default=False,
    ),
]
Union = Annotated[
    list[str] | None, typer.Option("--union", metavar="RANGE", help="Hands of either: the larger weight (repeatable).")
]
Minus = Annotated[
    list[str] | None, typer.Option("--minus", metavar="RANGE", help="Take these weights away (repeatable).")
]
And = Annotated[
    list[str] | None, typer.Option("--and", metavar="RANGE", help="Hands of both: the smaller weight (repeatable).")
]
Dead = Annotated[
    str, typer.Option("--dead", metavar="CARDS", help="Hands with these cards are left out (a board: KsTh7s).")
]
To = Annotated[
    str, typer.Option("--to", metavar="FORM", help="Print it as notation, pio, gtoplus, equilab or grid, and no more.")
]
Png = Annotated[str, typer.Option("--png", metavar="FILE", help="Draw the 13 x 13 grid as a picture.")]


def show_range(
    text: First,
    union: Union = None,
    minus: Minus = None,
    both: And = None,
    dead: Dead = "",
    to: To = "",
    png: Png = "",
    json: Json = False,
) -> None:
    """Show, count, combine and convert ranges of hold'em.

    --union, --minus and --and are taken in that order. Shown are the grid of 13 x 13 with each class's weight in percent, how
    many of the 1,326 hands there are (a hand of weight 0.5 counts half), and the range as notation.
    """
    from cardai.poker.range_forms import written_range

    weights = _combined(text, union or [], minus or [], both or [], dead)
    if to:
        say(written_range(weights, to))
        return
    if png:
        from cardai.commands.show.range_picture import draw_range

        draw_range(weights, _title(weights), png)
    if json:
        print_json(_plain(weights))
        return
    from cardai.commands.show.range_picture import range_table

    out().print(range_table(weights))
    say(_title(weights))
    say(written_range(weights, "notation") if weights.any() else "no hand")
    if png:
        note(f"Drawn: {png}")


def _combined(text: str, union: list[str], minus: list[str], both: list[str], dead: str) -> Float64s:
    """Return the range that the options make."""
    from cardai.cards.text import parse_cards
    from cardai.core.errors import UsageError
    from cardai.poker.hands.combos import left_by
    from cardai.poker.range_forms import common, united, without

    weights = _read(text)
    for more in union:
        weights = united(weights, _read(more))
    for taken in minus:
        weights = without(weights, _read(taken))
    for other in both:
        weights = common(weights, _read(other))
    if dead:
        try:
            cards = parse_cards(dead)
        except ValueError as error:
            raise UsageError(f"--dead {dead!r} cannot be read: {error}") from error
        weights = weights * left_by(cards)
    return weights


def _read(text: str) -> Float64s:
    """Return the range that ``text`` is, or that is in the file of that name."""
    from cardai.core.errors import UsageError
    from cardai.poker.notation import parse_range

    said = range_given(text)
    try:
        return parse_range(said)
    except UsageError as error:
        raise error if said is text else UsageError(f"The file {text!r}: {error}") from error


def range_given(text: str) -> str:
    """Return ``text``, or what the file of that name holds, without its comments.

    Raises:
        UsageError: it is the name of a file, and there is none, or one that cannot be a range's.
    """
    from cardai.core.errors import UsageError
    from cardai.formats.encodings import text_of

    if len(text) < 4096 and os.path.isfile(text):
        try:
            with text_of(open(text, "rb")) as stream:
                held = stream.read(FILE_LIMIT + 1)
        except OSError as error:
            raise UsageError(f"The file {text!r} cannot be read: {error.strerror}.") from error
        if len(held) > FILE_LIMIT:
            raise UsageError(f"The file {text!r} has more than {FILE_LIMIT:,} characters: it is no range.")
        return _without_comments(held)
    if _FILE_NAME.fullmatch(text):
        what = "is a directory" if os.path.isdir(text) else "is no range, and there is no such file"
        raise UsageError(f"{text[:200]!r} {what}. Give a range (22+,A2s+,KTo+:0.5), or the name of a file with one.")
    return text


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("#", "//")))


def _title(weights: Float64s) -> str:
    """Return what a range holds in words."""
    from cardai.poker.hands.combos import COUNT
    from cardai.poker.range_forms import combos

    count = combos(weights)
    return f"{count:,.6g} of {COUNT:,} hands, {100 * count / COUNT:.2f} %"


def _plain(weights: Float64s) -> dict[str, Any]:
    """Return a range as plain values: its count, its notation, the mean weight of each class that it holds."""
    import numpy as np

    from cardai.poker.hand_classes import class_text, class_weights
    from cardai.poker.range_forms import combos, written_range

    mean = class_weights(weights)
    return {
        "combos": combos(weights),
        "share": combos(weights) / len(weights),
        "notation": written_range(weights, "notation") if weights.any() else "",
        "classes": {class_text(k): round(float(mean[k]), 9) for k in np.flatnonzero(mean).tolist()},
    }
