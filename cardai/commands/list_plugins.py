"""``cardai list-plugins``: what is installed, read from metadata; nothing is imported unless --check asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from cardai.commands.invocation import Json, out, print_json
from cardai.commands.table import own_name
from cardai.core.errors import unknown_name
from cardai.core.registry import GROUPS, Entry, broken, check_all, entries
from cardai.core.text import one_line

FOR = ("encoder", "agent", "trainer")
"""The kinds of plugins that are made for games."""


Kind = Annotated[
    str | None,
    typer.Option(
        "--kind", "-k", metavar="KIND", help="Only game, encoder, agent, trainer, watcher, command or format."
    ),
]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="GAME", help="Only what can play, encode or train this game (they are loaded)."),
]
Check = Annotated[bool, typer.Option("--check", help="Load each plugin and say which cannot be used.")]


def list_plugins(
    kind: Kind = None,
    for_: For = None,
    check: Check = False,
    json: Json = False,
) -> None:
    """List the plugins that are installed: games, encoders, agents, trainers, watchers, commands and formats.

    Nothing is imported, so a broken plugin cannot spoil the list; --check loads them all and ends with 1 if one fails,
    --for loads them and leaves out what cannot take a game, or not without an option being given.
    """
    wanted = None if kind is None else known_kind(kind)
    rows = list(check_all(wanted)) if check else [(entry, entry.status) for entry in entries(wanted)]
    rows = [(entry, own_name(entry) or status) for entry, status in rows]
    if for_ is not None:
        rows = _fitting(rows, for_)
    damaged = broken()
    if json:
        unlisted = [{"kind": "distribution", "name": b.distribution, "status": f"broken: {b.why}"} for b in damaged]
        print_json([*(_as_json(entry, status) for entry, status in rows), *unlisted])
    else:
        _print(rows, check)
        for distribution in damaged:
            out().print(f"broken: {one_line(distribution.distribution)}, {distribution.why}.", style="red")
    if check and (damaged or any(status != "ok" and not entry.missing for entry, status in rows)):
        raise typer.Exit(1)


def _fitting(rows: list[tuple[Entry, str]], spec: str) -> list[tuple[Entry, str]]:
    """Return the rows of what can play, encode or train a game."""
    from cardai import make

    game = make.game(spec)
    return [row for row in rows if row[0].kind in FOR and make.takes(row[0].kind, row[0].name, game)]


def known_kind(text: str) -> str:
    """Return a kind of plugin by its name or plural. Raises UnknownNameError."""
    singular = text.lower().removesuffix("s")
    if singular not in GROUPS:
        raise unknown_name("kind of plugin", text, GROUPS)
    return singular


def _as_json(entry: Entry, status: str) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "name": entry.name,
        "preset_of": entry.preset_of or None,
        "summary": entry.summary(),
        "distribution": entry.distribution,
        "version": entry.version,
        "module": entry.module,
        "extras": list(entry.extras),
        "status": status,
    }


def _in_order(rows: list[tuple[Entry, str]]) -> Iterator[tuple[Entry, str]]:
    """Yield the rows with each preset under its general plugin."""
    names = {(entry.kind, entry.name) for entry, _ in rows}
    for entry, status in rows:
        if entry.preset_of and (entry.kind, entry.preset_of) in names:
            continue
        yield entry, status
        yield from ((e, s) for e, s in rows if e.preset_of == entry.name and e.kind == entry.kind)


def _print(rows: list[tuple[Entry, str]], checked: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    console = out()
    said = {(entry.kind, entry.name): status for entry, status in rows}
    foreign = any(entry.distribution != "cardai" for entry, _ in rows)
    for kind in GROUPS:
        mine = [row for row in rows if row[0].kind == kind]
        if not mine:
            continue
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for entry, status in _in_order(mine):
            nested = entry.preset_of and any(e.name == entry.preset_of for e, _ in mine)
            name = Text(("    " if nested else "  ") + entry.name, style="" if nested else "bold")
            line = Text(entry.preset_line() or f"preset of {entry.preset_of}" if entry.preset_of else entry.summary())
            if foreign and entry.distribution != "cardai":
                line.append(f"  [{one_line(f'{entry.distribution} {entry.version}'.strip())}]", style="cyan")
            if status != "ok" and not (nested and said[kind, entry.preset_of] == status):
                line.append(f"\n{status}", style="red")
            elif status == "ok" and checked:
                line.append("  ok", style="green")
            table.add_row(name, line)
        console.print(Text(kind + "s", style="bold underline"))
        console.print(table)
    if not rows:
        console.print("No plugins.")
