"""``cardai convert``: hand records between formats."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import note
from cardai.core.errors import UsageError
from cardai.core.format import LeftOut

if TYPE_CHECKING:
    from cardai.core.format import Written
    from cardai.formats.acpc.gamedef import GameDef

EXAMPLES = "examples"
SHOWN = 20
"""Hands left out that are reported one by one."""

Source = Annotated[
    str,
    typer.Argument(
        metavar="IN",
        help="A record, a log, a hand history: any format of list-plugins; - is stdin.",
        show_default=False,
    ),
]
Target = Annotated[
    str,
    typer.Argument(metavar="OUT", help="A .log, .jsonl, .phh, .phhs or .slumbot; - is stdout.", show_default=False),
]
To = Annotated[
    str,
    typer.Option(
        "--to", metavar="FORMAT", help="A format (list-plugins --kind format), or examples.", show_default="as OUT ends"
    ),
]
Game = Annotated[
    str, typer.Option("--game", "-g", metavar="GAMEDEF", help="The game definition, where the log does not tell.")
]
Strict = Annotated[bool, typer.Option("--strict", help="End with 1 if any hand had to be left out.")]
Directory = Annotated[
    str, typer.Option("--out", "-o", metavar="DIR", help="--to examples: the new directory.", show_default="OUT")
]
Encoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        "-e",
        metavar="ENCODER",
        help="--to examples: write the codes of views too.",
        show_default="none",
    ),
]
Players = Annotated[
    list[str] | None,
    typer.Option("--player", metavar="NAME", help="--to examples: whose decisions (repeatable).", show_default="all"),
]
Test = Annotated[float, typer.Option("--test", min=0.0, max=1.0, help="--to examples: share of deals held out.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="--to examples: decides which.")]


def convert(
    source: Source,
    target: Target = "",
    to: To = "",
    game: Game = "",
    strict: Strict = False,
    directory: Directory = "",
    encoder: Encoder = "",
    players: Players = None,
    test: Test = 0.2,
    seed: Seed = 0,
) -> None:
    """Convert hand records between formats: cardai's own, the poker competition's logs, PHH, rooms' hand histories.

    What IN is, is seen from its first lines. Lines that cannot be read or do not fit the rules are reported, left out and
    counted. OUT is written whole or not at all.

    With --to examples, IN (a file, or a directory of them) becomes decisions to learn from: npz shards and a manifest.
    """
    if to == EXAMPLES:
        _examples(source, directory or target, game, encoder, players or [], test, seed, strict)
    elif directory or encoder or players:
        raise UsageError("--out, --encoder and --player belong to --to examples.")
    elif not target:
        raise UsageError("OUT is missing: give the name of the file to write, or - for standard output.")
    else:
        _hands(source, target, to, game, strict)


def _hands(source: str, target: str, to: str, game: str, strict: bool) -> None:
    """Write hands in another format, and say what had to be left out."""
    from cardai.core.errors import DamagedFileError
    from cardai.core.files import Output
    from cardai.core.kernel import interpret

    interpret()
    from cardai.formats.acpc.games import find_definition

    wanted = to or _format_of(target)
    if target != "-" and os.path.exists(target) and os.path.exists(source) and os.path.samefile(source, target):
        raise UsageError(f"OUT is IN, {source!r}: what is left out would be lost. Give another name.")
    problems: Sequence[str]
    if wanted == "record" and source != "-" and _of_a_room(source):
        count, problems = _streamed(source, target)
    else:
        done = _converted(source, wanted, find_definition(game)[1] if game else None)
        count, problems = done.hands, done.left_out
        _told(problems)
        if problems and not count:
            raise DamagedFileError(f"None of the hands in {source} can be converted, so {target} was not written.")
        with Output(target) as file:
            file.write(done.text.encode(errors="replace"))
    written = f"{count:,} hands" if count != 1 else "One hand"
    note(
        f"{written} written to {'standard output' if target == '-' else target}; {len(problems) or 'none'} left out."
        f"{_reasons(problems)}"
    )
    if strict and problems:
        raise typer.Exit(1)


def _told(problems: Sequence[str]) -> None:
    """Say what was left out: where it is counted by reasons, the first ones."""
    for problem in problems[: SHOWN if _reasons(problems) else None]:
        note(f"cardai: {problem}")


def _of_a_room(source: str) -> bool:
    """Whether a file is a poker room's, whose hands are written as they are read: it may be of any length."""
    from cardai.formats import opened, peek
    from cardai.formats.rooms.room_format import RoomFormat

    with opened(source) as (name, stream):
        return isinstance(peek(name, stream)[0], RoomFormat)


def _streamed(source: str, target: str) -> tuple[int, list[str]]:
    """Write a room's hands as records, one at a time; return how many, and what was left out.

    The names of all players stand in a record's first line, so that the hands wait in a temporary file.
    """
    import shutil
    import tempfile

    from cardai.arena.records import header_line, record_line
    from cardai.core.errors import DamagedFileError
    from cardai.core.files import Output
    from cardai.formats import stream_hands

    count, problems = 0, list[str]()
    with tempfile.TemporaryFile() as waiting, stream_hands(source) as stream:
        for item in stream.hands:
            if isinstance(item, str):
                problems.append(item)
            else:
                waiting.write(record_line(item))
                count += 1
        _told(problems)
        if not count:
            raise DamagedFileError(f"None of the hands in {source} can be converted, so {target} was not written.")
        with Output(target) as file:
            file.write(header_line({"game": stream.game, "agents": stream.agents, "seed": 0, "duplicate": False}))
            waiting.seek(0)
            shutil.copyfileobj(waiting, file)
    return count, problems


def _examples(
    source: str, out: str, game: str, encoder: str, players: list[str], test: float, seed: int, strict: bool
) -> None:
    """Write a directory of examples, with a line for each of the first hands left out, and say what it holds."""
    from functools import partial
    from pathlib import Path

    from cardai.commands.invocation import show_work
    from cardai.formats.acpc.games import find_definition
    from cardai.formats.stream import sources, stream_hands
    from cardai.learn.imitation.convert import Settings
    from cardai.learn.imitation.convert import convert as convert_hands

    if not out:
        raise UsageError("--to examples needs a directory to write: --out DIR.")
    shown = iter(range(SHOWN))

    def problem(text: str) -> None:
        if next(shown, None) is not None:
            note(f"cardai: {text}")

    definition = find_definition(game)[1] if game else None
    settings = Settings(encoder, players, test, seed, problem, lambda hands: show_work("Hands read:", hands, 0))
    manifest = convert_hands(sources(source), partial(stream_hands, game=definition), Path(out), settings)
    show_work("Hands read:", 1, 1)
    if manifest.left_out > SHOWN:
        note(f"cardai: {manifest.left_out - SHOWN:,} more were left out.")
    repeated = f", {manifest.repeated:,} hands that were there twice" if manifest.repeated else ""
    note(
        f"{manifest.examples:,} decisions of {manifest.hands:,} hands written to {out}; left out: "
        f"{manifest.left_out:,} bad hands and lines{repeated}. {manifest.same_deal:,} hands have the cards of another."
    )
    if manifest.interrupted:
        note("Stopped before the end; this is what was read.")
        raise typer.Exit(130)
    if strict and manifest.left_out:
        raise typer.Exit(1)


def _converted(source: str, wanted: str, game: GameDef | None) -> Written:
    """Return OUT's text, how many hands it holds, and what had to be left out."""
    from attrs import evolve

    from cardai.core import registry
    from cardai.formats import read_hands, read_log
    from cardai.formats.log_format import LogFormat, differ

    target = registry.create("format", wanted)
    varied = source != "-" and _of_a_room(source)
    if isinstance(target, LogFormat) and varied and target.one_game:
        raise UsageError(
            f"{wanted} files hold hands of one game with equal stacks, and those of a poker room differ from hand to hand. "
            "Convert them to record (.jsonl), .phhs or with --to pokerstars."
        )
    file = None
    if isinstance(target, LogFormat) and not target.one_game and source != "-" and not varied:
        file = read_hands(source, game)
        varied = differ(file.hands)
    if isinstance(target, LogFormat) and not varied:
        return target.write_log(read_log(source, game))  # nothing is lost between two forms of one log
    file = read_hands(source, game) if file is None else file
    header = {**file.header, "not_shown": file.not_shown} if file.not_shown else file.header  # no chance which they are
    written = target.write(header, file.hands)
    return evolve(written, left_out=(*file.left_out, *written.left_out))


def _format_of(target: str) -> str:
    """Return the format whose files end as ``target`` does. Raises UsageError where none does."""
    from cardai.core import registry
    from cardai.formats import endings

    known = endings()
    found = known.get(os.path.splitext(target)[1])
    if found is None:
        names = ", ".join([*(entry.name for entry in registry.entries("format")), EXAMPLES])
        raise UsageError(f"OUT {target!r} does not tell its format. End it in {', '.join(known)}, or --to {names}.")
    return found


def _reasons(left_out: Sequence[str]) -> str:
    """Return how many hands were left out for which reason, in words; nothing where no reason is known."""
    counts = Counter(item.reason for item in left_out if isinstance(item, LeftOut))
    return "".join(f"\n{count:8,}  {reason}" for reason, count in counts.most_common())
