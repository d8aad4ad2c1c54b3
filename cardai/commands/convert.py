"""``cardai convert``: hand records between formats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cardai.commands.invocation import note
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.formats.acpc.gamedef import GameDef

Format = Literal["acpc", "record", "phh", "slumbot"]
SUFFIXES: dict[str, Format] = {".log": "acpc", ".jsonl": "record", ".phh": "phh", ".phhs": "phh", ".slumbot": "slumbot"}


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A record, an ACPC log, Slumbot's or PHH; - is stdin.", show_default=False),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="OUT", help="A .log, .jsonl, .phh, .phhs or .slumbot; - is stdout.", show_default=False),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="acpc, record, phh or slumbot.", show_default="as OUT ends")
    ] = "",
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAMEDEF", help="The game definition, where the log does not tell.")
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="End with 1 if any hand had to be left out.")] = False,
) -> None:
    """Convert hand records between formats: cardai's own, the poker competition's logs, PHH, Slumbot's dialect.

    What IN is, is seen from its first lines. Lines that cannot be read or do not fit the rules are reported, left out and
    counted. OUT is written whole or not at all.
    """
    from cardai.core.errors import DamagedFileError
    from cardai.core.files import Output
    from cardai.core.kernel import interpret

    interpret()
    from cardai.formats.acpc.gamedef import load_game

    wanted = to or SUFFIXES.get(os.path.splitext(target)[1], "")
    if wanted not in SUFFIXES.values():
        known = ", ".join(dict.fromkeys(SUFFIXES.values()))
        raise UsageError(f"OUT {target!r} does not tell its format. End it in {', '.join(SUFFIXES)}, or --to {known}.")
    text, count, problems = _converted(source, wanted, load_game(game) if game else None)
    for problem in problems:
        note(f"cardai: {problem}")
    if problems and not count:
        raise DamagedFileError(f"None of the hands in {source} can be converted, so {target} was not written.")
    with Output(target) as file:
        file.write(text.encode(errors="replace"))
    written = f"{count:,} hands" if count != 1 else "One hand"
    note(f"{written} written to {'standard output' if target == '-' else target}; {len(problems) or 'none'} left out.")
    if strict and problems:
        raise typer.Exit(1)


def _converted(source: str, wanted: str, game: GameDef | None) -> tuple[str, int, list[str]]:
    """Return the text of OUT, how many hands it holds, and what had to be left out."""
    from cardai.formats import read_hands, read_log

    if wanted == "record":
        from cardai.arena.records import header_line, record_line

        record = read_hands(source, game)
        lines = [header_line(record.header), *map(record_line, record.hands)]
        return b"".join(lines).decode(), len(record.hands), record.damaged
    log = read_log(source, game)
    if wanted == "phh":
        from cardai.formats.phh import log_to_phh, phh_text

        histories = log_to_phh(log)
        return phh_text(histories), len(histories), [str(problem) for problem in log.problems]
    if wanted == "slumbot":
        from cardai.formats.slumbot import lines_of

        return "".join(lines_of(log)), len(log.hands), [str(problem) for problem in log.problems]
    return "".join(log.lines()), len(log.hands), [str(problem) for problem in log.problems]
