"""``cardai inspect PATH``: what a file or directory from somebody else names, needs and holds, before anything is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import Json, out, print_json
from cardai.core.text import shortened

if TYPE_CHECKING:
    from rich.text import Text

    from cardai.arena.inspection import Inspection
    from cardai.core.console import Console

SHOWN = 40
"""Files that are listed; of more, the largest."""

Where = Annotated[
    str,
    typer.Argument(metavar="PATH", help="A run, record, sweep, spot, package of players, ...", show_default=False),
]
All = Annotated[bool, typer.Option("--all", help="List every file, however many there are.")]


def inspect(path: Where, all_files: All = False, json: Json = False) -> None:
    """Show what a file or directory of cardai's names, what it would need to be allowed, and what is in it.

    Nothing is made of it. What it says itself is its own word; hashes, sizes and links are measured.
    """
    from cardai.arena.inspection import as_plain
    from cardai.arena.inspection import inspect as look

    found = look(path)
    if json:
        print_json(as_plain(found))
    else:
        _print(out(), found, all_files)


def _print(console: Console, found: Inspection, all_files: bool) -> None:
    console.print(_line(("bold", found.path), f" is {found.what}."), soft_wrap=True)
    if found.said:
        console.print("It says of itself: " + ", ".join(f"{k} {_words(v)}" for k, v in found.said.items()))
    _print_named(console, found)
    for link in found.links:
        console.print(_line(("bold", "Link"), f"  {link.name} leads to {link.link}: it is refused."), soft_wrap=True)
    for file in found.unreadable:
        console.print(_line(("bold", "Unreadable"), f"  {file.name}: what is in it is not known."), soft_wrap=True)
    if found.code:
        listed = ", ".join(found.code[:SHOWN])
        console.print(_line(("bold", "Code"), f"  {listed}: it runs if it is installed and used."))
    for words in found.damaged:
        console.print(_line(("bold", "Damaged"), f"  {shortened(words)}"))
    _print_files(console, found, all_files)


def _line(*parts: str | tuple[str, str]) -> Text:
    """Return a line of plain texts and (style, text)."""
    from rich.text import Text

    return Text.assemble(*(part if isinstance(part, str) else (part[1], part[0]) for part in parts))


def _print_named(console: Console, found: Inspection) -> None:
    console.print()
    for named in found.named:
        place = "" if named.place == named.kind else f"{named.place}: "
        console.print(f"  {named.file}, {place}{named.kind} {shortened(named.spec, 400)}", soft_wrap=True)
        for need in named.needs:
            state = "allowed, as the file is now" if named.allowed else "refused unless you add --trust"
            console.print(_line("      ", ("bold", "needs"), f" {shortened(str(need), 400)}: {state}"), soft_wrap=True)
        if named.unknown:
            console.print(
                _line("      ", ("bold", "cannot be used here"), f": {shortened(named.unknown, 400)}"), soft_wrap=True
            )
    if not found.named:
        console.print("  It names no game and no player.")
    elif not any(named.needs for named in found.named):
        console.print("  Nothing in it needs to be allowed.")
    console.print()


def _print_files(console: Console, found: Inspection, all_files: bool) -> None:
    from rich.table import Table

    shown = found.files
    if not all_files and len(shown) > SHOWN:
        largest = sorted(shown, key=lambda file: -file.bytes)[:SHOWN]
        shown = tuple(file for file in shown if file in largest)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("file")
    table.add_column("bytes", justify="right")
    table.add_column("SHA-256", no_wrap=True)
    for file in shown:
        table.add_row(file.name, f"{file.bytes:,}", file.sha256[:16] or "-")
    console.print(table)
    total = sum(file.bytes for file in found.files)
    rest = "" if len(shown) == len(found.files) else f", the {len(shown)} largest shown: --all lists them"
    files = "1 file" if len(found.files) == 1 else f"{len(found.files):,} files"
    console.print(f"{files}, {total:,} bytes{rest}.")


def _words(value: object) -> str:
    if isinstance(value, dict):
        return shortened("(" + ", ".join(f"{key} {item}" for key, item in value.items()) + ")", 400)
    return shortened(" ".join(str(item) for item in value) if isinstance(value, list) else str(value), 400)
