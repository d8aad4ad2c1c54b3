"""``cardai convert``: hand records between formats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cardai.commands.invocation import note, stdout
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.formats.acpc.gamedef import GameDef
    from cardai.formats.acpc.logs import Log

Format = Literal["acpc", "record", "phh", "slumbot"]
SUFFIXES: dict[str, Format] = {".log": "acpc", ".jsonl": "record", ".phh": "phh", ".phhs": "phh", ".slumbot": "slumbot"}


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A record, an ACPC log or Slumbot's; - is stdin.", show_default=False)
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
) -> None:
    """Convert hand records between formats: cardai's own, the poker competition's logs, PHH, Slumbot's dialect.

    What IN is, is seen from its first line. Lines that cannot be read or do not fit the rules are reported and left out.
    """
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
    if target == "-":
        stdout().write(text)
    else:
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    note(f"{count} hands written to {target}." if count != 1 else f"One hand written to {target}.")


def _converted(source: str, wanted: str, game: GameDef | None) -> tuple[str, int, list[str]]:
    """Return the text of OUT, how many hands it holds, and what had to be left out."""
    from cardai.formats import read_hands, read_log

    if wanted == "record":
        import json

        from cardai.arena.records import FORMAT

        record = read_hands(source, game)
        lines = [{"cardai": "record", "format": FORMAT, **record.header}, *record.hands]
        return (
            "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines),
            len(record.hands),
            record.damaged,
        )
    log = read_log(source, game)
    if wanted == "phh":
        from cardai.formats.phh import log_to_phh, phh_text

        histories = log_to_phh(log)
        return phh_text(histories), len(histories), [str(problem) for problem in log.problems]
    lines_out = _slumbot_lines(log) if wanted == "slumbot" else log.lines()
    return "".join(lines_out), len(log.hands), [str(problem) for problem in log.problems]


def _slumbot_lines(log: Log) -> list[str]:
    from cardai.formats.slumbot import hand_text

    return [hand_text(hand) + "\n" for hand in log.hands]
