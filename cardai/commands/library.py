"""``cardai library``: what a library of spots holds, and ranges for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json
from cardai.commands.spot_options import Position, Pot, Raised, Range, Stack
from cardai.core.errors import UsageError
from cardai.poker.spot_options import both_stacks, chips

if TYPE_CHECKING:
    from cardai.poker.ranges.library import Entry, Library

DirectoryArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A library.")]
Board = Annotated[str, typer.Option("--board", metavar="CARDS", help="Spots of this board alone.")]


def library(
    directory: DirectoryArgument,
    board: Board = "",
    position: Position = None,
    raised: Raised = None,
    range_: Range = None,
    pot: Pot = None,
    stack: Stack = None,
    json: Json = False,
) -> None:
    """List the solved spots and the ranges of a library; with --range twice, --pot and --stack, keep ranges by their name.

    Example: cardai library lib --position BTN-BB --raised single --range 22+,A2s+ --range 22+,K2s+ --pot 5.5 --stack 97.5

    Then: cardai solve --library lib --position BTN-BB --raised single --board KsTh7s
    """
    from cardai.poker.ranges.library import Library, Start

    known = Library(directory)
    if range_ or pot or stack:
        if range_ is None or len(range_) != 2 or None in (position, raised, pot, stack):
            raise UsageError("Ranges are kept with --position, --raised, --range twice, --pot and --stack.")
        (before,) = chips(str(pot), "--pot", most=1)
        start = Start(str(position), str(raised), range_[0], range_[1], before, both_stacks(str(stack)))
        note(f"Kept: {known.add(start)}")
        return
    if not directory.is_dir():
        raise UsageError(f"There is no library in {str(directory)!r}.")
    _show(known, board, position or "", raised or "", json)


def _show(known: Library, board: str, position: str, raised: str, json: bool) -> None:
    from attrs import asdict

    found, starts = known.find(board=board, position=position, raised=raised), known.starts()
    for text in known.damaged:
        note(text)
    if json:
        spots: list[dict[str, Any]] = [
            {
                "directory": str(one.path),
                "position": one.position,
                "raised": one.raised,
                "spot": asdict(one.spot),
                "iterations": one.iterations,
                "exploitability_percent": one.exploitability if one.measured else None,
            }
            for one in found
        ]
        print_json({"spots": spots, "ranges": [asdict(one) for one in starts]})
        return
    out().print(_table(found))
    out().print(
        f"{len(found):,} spot{'s' * (len(found) != 1)}; ranges: "
        f"{', '.join(f'{one.position} {one.raised}' for one in starts) or 'none'}."
    )


def _table(found: list[Entry]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("board", "position", "raised", "pot", "stacks", "bets", "exploitability", "directory"):
        table.add_column(name)
    for one in found:
        stacks = "+".join(f"{each:,}" for each in dict.fromkeys(one.spot.stacks))
        percent = f"{one.exploitability:.3g} %" if one.measured else "not measured"
        cells = (
            one.spot.board,
            one.position,
            one.raised,
            f"{one.spot.pot:,}",
            stacks,
            one.spot.bets,
            percent,
            str(one.path),
        )
        table.add_row(*cells)
    return table
