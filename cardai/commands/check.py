"""``cardai check KIND NAME``: the conformance kit on any installed plugin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from attrs import asdict

from cardai.commands.invocation import Json, out, print_json
from cardai.commands.list_plugins import known_kind

if TYPE_CHECKING:
    from cardai.testing import Result

STYLE = {"ok": "green", "failed": "bold red", "skipped": "dim", "exempt": "yellow"}


def check(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="game, encoder, agent or trainer.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The plugin's name, or a spec with options.")],
    game: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="On this game (repeatable). Default: all that it takes.")
    ] = None,
    encoder: Annotated[str | None, typer.Option("--encoder", "-e", help="The encoder for a trainer.")] = None,
    steps: Annotated[int, typer.Option("--steps", min=1, help="How long a trainer trains in each check.")] = 3,
    json: Json = False,
) -> None:
    """Run every conformance check on an installed plugin and say which fails and why.

    Ends with 1 if a check fails. A check that has no meaning for the plugin is shown as skipped, with the reason.
    """
    from cardai import testing

    cases = testing.checks_for(known_kind(kind), name, game=game or None, encoder=encoder, steps=steps)
    results = testing.run_checks(cases)
    if json:
        done = list(results)
        print_json([asdict(result) for result in done])
        failed = sum(result.status == "failed" for result in done)
    else:
        failed = _show(results)
    if failed:
        raise typer.Exit(1)


def _show(results: Iterable[Result]) -> int:
    """Print each result as it comes, and the count at last; return the number of failed checks."""
    from rich.text import Text

    console = out()
    counts: dict[str, int] = {}
    about = ""
    for result in results:
        if result.about != about:
            about = result.about
            console.print(Text(about, style="bold"))
        counts[result.status] = counts.get(result.status, 0) + 1
        line = Text(f"  {result.status:8}", style=STYLE[result.status])
        console.print(line.append(f"{result.check}", style="default"))
        if result.reason:
            console.print(Text(f"          {result.reason}", style="dim" if result.status == "skipped" else "default"))
        if result.status == "failed":
            console.print(Text(f"          The claim: {result.claim}", style="dim"))
    console.print(Text(", ".join(f"{count} {status}" for status, count in counts.items())))
    return counts.get("failed", 0)
