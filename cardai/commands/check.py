"""``cardai check KIND NAME``: the conformance kit on any installed plugin."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer
from attrs import asdict

from cardai.commands.invocation import Json, note, out, print_json
from cardai.commands.list_plugins import known_kind

if TYPE_CHECKING:
    from cardai.testing import Result

SLOW = 0.1
"""Seconds of a hand from which on it is said that the checks take long."""
HANDS = 400
"""About how many hands they play."""
STYLE = {"ok": "green", "failed": "bold red", "skipped": "dim", "exempt": "yellow"}


Kind = Annotated[str, typer.Argument(metavar="KIND", help="game, encoder, agent or trainer.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The plugin's name, or a spec with options.")]
Game = Annotated[
    list[str] | None, typer.Option("--game", "-g", help="On this game (repeatable). Default: all that it takes.")
]
Encoder = Annotated[str | None, typer.Option("--encoder", "-e", help="The encoder for a trainer.")]
Steps = Annotated[int, typer.Option("--steps", min=1, help="How long a trainer trains in each check.")]


def check(
    kind: Kind,
    name: Name,
    game: Game = None,
    encoder: Encoder = None,
    steps: Steps = 3,
    json: Json = False,
) -> None:
    """Run every conformance check on an installed plugin and say which fails and why.

    Ends with 1 if a check fails. A check that has no meaning for the plugin is shown as skipped, with the reason.
    """
    from cardai import testing

    cases = testing.checks_for(known_kind(kind), name, game=game or None, encoder=encoder, steps=steps)
    if known_kind(kind) == "game":
        _tell_if_slow(name)
    results = testing.run_checks(cases)
    if json:
        done = list(results)
        print_json([asdict(result) for result in done])
        failed = sum(result.status == "failed" for result in done)
    else:
        failed = _show(results)
    if failed:
        raise typer.Exit(1)


def _tell_if_slow(name: str) -> None:
    """Say beforehand that the checks of a game take minutes, where they do."""
    from cardai import make
    from cardai.testing import seconds_a_hand

    with suppress(Exception):  # the checks say what is wrong
        seconds = seconds_a_hand(make.game(name))
        if seconds > SLOW:
            note(f"A hand of {name} takes {seconds:.1f} s here, and the checks play some {HANDS}: they take minutes.")


def _show(results: Iterable[Result]) -> int:
    """Print each result as it comes, then each cause of failures once; return the number of failed checks."""
    from rich.text import Text

    console = out()
    counts: dict[str, int] = {}
    causes: dict[tuple[str, str], list[Result]] = {}
    about = ""
    for result in results:
        if result.about != about:
            about = result.about
            console.print(Text(about, style="bold"))
        counts[result.status] = counts.get(result.status, 0) + 1
        line = Text(f"  {result.status:8}", style=STYLE[result.status]).append(result.check, style="default")
        if result.status == "failed":
            met = causes.setdefault((result.about, result.cause), [])
            met.append(result)
            line.append(f"  cause {list(causes).index((result.about, result.cause)) + 1}", style="dim")
        console.print(line)
        if result.reason and result.status != "failed":
            console.print(Text(f"          {result.reason}", style="dim" if result.status == "skipped" else "default"))
    for number, met in enumerate(causes.values(), 1):
        _show_cause(number, met)
    console.print(Text(", ".join(f"{count} {status}" for status, count in counts.items())))
    return counts.get("failed", 0)


def _show_cause(number: int, met: list[Result]) -> None:
    """Print one cause: what happened, where in the plugin, and which checks it failed."""
    from rich.text import Text

    console = out()
    first = met[0]
    console.print(Text(f"\nCause {number} ({len(met)} check{'s' * (len(met) != 1)}, {first.about})", style="bold red"))
    console.print(Text(f"  {first.reason}"))
    if first.place:
        console.print(Text(f"  At {first.place}"), soft_wrap=True)
    console.print(Text(f"  The claim: {first.claim}", style="dim"))
    if len(met) > 1:
        console.print(Text(f"  Also met by: {', '.join(result.check for result in met[1:])}.", style="dim"))
