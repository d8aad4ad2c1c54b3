"""``cardai buckets``: which hands of hold'em an abstraction treats alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, out, print_json

if TYPE_CHECKING:
    from cardai.poker.buckets.report import BucketReport, Example
    from cardai.poker.buckets.tables import BucketOptions, Buckets

_BARS = " ▁▂▃▄▅▆▇█"


Options = Annotated[
    str,
    typer.Option(
        "--options",
        metavar="OPTION=VALUE,...",
        help="The abstraction: flop, turn, river (numbers of buckets), river_feature (strength or ochs), seed.",
    ),
]
Street = Annotated[
    str | None, typer.Option(help="preflop, flop, turn or river (with --board: its own).", show_default=False)
]
Board = Annotated[
    str, typer.Option(metavar="CARDS", help="A board (Kd7s2c9h); with --hand: the bucket of the hand on it.")
]
Hand = Annotated[str, typer.Option(metavar="CARDS", help="Two cards (AhKh).", show_default=False)]
Bucket = Annotated[int | None, typer.Option(metavar="N", help="Show this bucket of --street.")]
Examples = Annotated[int, typer.Option(min=1, max=100, help="Hands to show of a bucket.")]


def buckets(
    options: Options = "",
    street: Street = None,
    board: Board = "",
    hand: Hand = "",
    bucket: Bucket = None,
    examples: Examples = 8,
    json: Json = False,
) -> None:
    """Show an abstraction of hold'em: how many buckets each street has, the bucket of a hand, and what a bucket holds.

    The tables are made when they are first needed (a minute or two), and kept in the user's cache directory.
    """
    from cardai.core.errors import UsageError
    from cardai.poker.buckets.report import example, report
    from cardai.poker.buckets.tables import buckets as tables

    wanted = _options(options)
    cards, number, held = _question(street, board, hand, bucket)
    made = tables(wanted)
    if held is not None:
        place = int(made.of(cards, [_hand_number(held)])[0])
        shown = example(cards, held)
    elif number is None:
        _overview(made, json)
        return
    else:
        assert bucket is not None
        place, shown = bucket, None
    try:
        found = report(made, number if number is not None else _street_of(cards), place, examples)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if json:
        print_json({"hand": None if shown is None else _plain(shown), **_plain_report(found)})
    else:
        _print(found, shown)


def _options(text: str) -> BucketOptions:
    """Return the abstraction that ``text`` names. Raises OptionError."""
    from cardai.core.spec import build, parse
    from cardai.poker.buckets.tables import BucketOptions

    spec = parse(f"buckets:{text}" if text else "buckets")
    made: BucketOptions = build(BucketOptions, spec.values(), "The abstraction")
    return made


def _question(
    street: str | None, board: str, hand: str, bucket: int | None
) -> tuple[tuple[int, ...], int | None, tuple[int, int] | None]:
    """Return the board, the street's number (None: none was named) and the hand, checked. Raises UsageError."""
    from cardai.cards.text import parse_cards
    from cardai.core.errors import UsageError
    from cardai.poker.buckets.tables import STREETS

    if street is not None and street not in STREETS:
        raise UsageError(f"--street must be one of {', '.join(STREETS)}. Got {street!r}.")
    try:
        cards, held = tuple(parse_cards(board)), tuple(parse_cards(hand))
    except ValueError as error:
        raise UsageError(str(error)) from error
    if len(cards) not in (0, 3, 4, 5):
        raise UsageError(f"--board takes 3, 4 or 5 cards, or none before the flop. Got {board!r}.")
    if hand and (len(held) != 2 or len({*cards, *held}) != len(cards) + 2):
        raise UsageError(f"--hand takes two cards that are not on the board. Got {hand!r} on {board or 'no board'!r}.")
    number = None if street is None else STREETS.index(street)
    if hand and number not in (None, _street_of(cards)):
        raise UsageError(f"The board {board!r} belongs to the {STREETS[_street_of(cards)]}, not the {street}.")
    if hand and bucket is not None:
        raise UsageError("Give --hand (which bucket is it in?) or --bucket (what does it hold?), not both.")
    if not hand and (number is None) != (bucket is None):
        raise UsageError("--street and --bucket go together: --street turn --bucket 17. Or give --board and --hand.")
    if board and not hand:
        raise UsageError(f"--board {board} needs --hand: two cards, such as --hand AhKh.")
    return cards, number, (held[0], held[1]) if hand else None


def _street_of(cards: tuple[int, ...]) -> int:
    return (0, 3, 4, 5).index(len(cards))


def _hand_number(hand: tuple[int, int]) -> int:
    low, high = sorted(hand)
    return high * (high - 1) // 2 + low


def _overview(made: Buckets, json: bool) -> None:
    """Print how many buckets each street has, and how evenly hands fall into them."""
    import numpy as np
    from rich.table import Table

    from cardai.poker.buckets.report import shares
    from cardai.poker.buckets.tables import STREETS

    rows = []
    for number, street in enumerate(STREETS):
        share = shares(made, number)
        rows.append({
            "street": street, "buckets": made.counts[number], "least": float(share.min()),
            "median": float(np.median(share)), "most": float(share.max()),
        })  # fmt: skip
    if json:
        print_json(rows)
        return
    table = Table("street", "buckets", "least", "median", "most", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(
            str(row["street"]),
            f"{row['buckets']:,}",
            *(f"{100 * float(str(row[k])):.3f} %" for k in ("least", "median", "most")),
        )
    console = out()
    console.print("How many buckets each street has, and the share of all hands that a bucket holds:")
    console.print(table)


def _print(found: BucketReport, shown: Example | None) -> None:
    from rich.table import Table

    from cardai.cards.text import cards_text

    console = out()
    if shown is not None:
        console.print(f"{cards_text(shown.hand)} on {cards_text(shown.board) or 'no board'}:")
    console.print(
        f"bucket {found.bucket} of {found.of:,} on the {found.street}, {100 * found.share:.3f} % of all hands there; "
        f"its examples win {100 * found.strength:.1f} % against a random hand."
    )
    table = Table("board", "hand", "wins", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    if found.street != "preflop":
        table.add_column("ends weak to strong")
    for one in ((shown,) if shown is not None else ()) + found.examples:
        row = [cards_text(one.board), cards_text(one.hand), f"{100 * one.strength:.1f} %"]
        table.add_row(*row, *([_bars(one.outcomes)] if found.street != "preflop" else []))
    console.print(table)


def _bars(outcomes: tuple[float, ...]) -> str:
    """Return shares of tenths as a line of bars, the highest one full."""
    most = max(max(outcomes), 1e-9)
    return "".join(_BARS[round(8 * share / most)] for share in outcomes)


def _plain(one: Example) -> dict[str, Any]:
    from cardai.cards.text import cards_text

    return {
        "board": cards_text(one.board), "hand": cards_text(one.hand), "strength": one.strength,
        "outcomes": list(one.outcomes),
    }  # fmt: skip


def _plain_report(found: BucketReport) -> dict[str, Any]:
    return {
        "street": found.street, "bucket": found.bucket, "of": found.of, "share": found.share,
        "strength": found.strength, "outcomes": list(found.outcomes), "examples": [_plain(one) for one in found.examples],
    }  # fmt: skip
