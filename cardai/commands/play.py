"""``cardai play``: sit down at a table yourself, in the terminal or in the browser."""

from __future__ import annotations

import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cardai.commands.invocation import absolute, current, note, say, stdout
from cardai.commands.process import ENDING
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra

if TYPE_CHECKING:
    from cardai.ui.app import PlayOptions
    from cardai.ui.cards import Palette
    from cardai.ui.drilling import Drill

SESSIONS = 64


class When(StrEnum):
    """When the coach speaks by himself."""

    never, after, now = "never", "after", "now"


Game = Annotated[
    str | None,
    typer.Argument(
        metavar="[GAME]", help="The game, such as gin or gin:target=50; or drill:library=DIR.", show_default="ask"
    ),
]
Vs = Annotated[
    list[str] | None,
    typer.Option(
        "--vs", "-v", metavar="AGENT", help="Your opponent; once for all seats, or once a seat.", show_default="ask"
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with your last match, or with that of --record.")]
Record = Annotated[
    str | None,
    typer.Option("--record", metavar="FILE", help="Keep the match here.", show_default="a file of its own"),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", min=0, help="Decides the cards.", show_default="drawn")
]
FourColours = Annotated[bool, typer.Option("--four-colours", help="Draw each suit in a colour of its own.")]
BigBlinds = Annotated[bool, typer.Option("--big-blinds", help="Show amounts in big blinds.")]
Coach = Annotated[
    When,
    typer.Option("--coach", help="When the coach says what your decisions cost.", show_default="when M asks"),
]
Browser = Annotated[bool, typer.Option("--browser", help="Play in a page of your browser.")]
Listen = Annotated[
    str,
    typer.Option(
        "--listen",
        metavar="ADDRESS",
        help="With --browser: where to listen; others than this machine's let others in.",
    ),
]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="With --browser: the port, 0 any free one.")
]
Sessions = Annotated[
    int, typer.Option("--sessions", metavar="N", min=1, max=1024, help="With --browser: the most tables at a time.")
]
Library = Annotated[
    Path | None,
    typer.Option("--library", metavar="DIR", help="With --browser: solved spots and reports that the study shows."),
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="With --browser: print the address and open nothing.")]


def play(
    game: Game = None,
    vs: Vs = None,
    resume: Resume = False,
    record: Record = None,
    seed: Seed = None,
    four_colours: FourColours = False,
    big_blinds: BigBlinds = False,
    coach: Coach = When.never,
    browser: Browser = False,
    listen: Listen = "127.0.0.1",
    port: Port = 0,
    sessions: Sessions = SESSIONS,
    no_open: NoOpen = False,
    library: Library = None,
) -> None:
    """Play a game yourself: choose a game and an opponent, then play by keys or mouse. ? explains, q stops.

    The match is kept after every action, and --resume goes on with it. drill:library=DIR deals a library's solved spots and
    grades each decision at once. In a pipe, or without textual: run --agent human.
    """
    if not browser:
        need_textual()
    kept, opponents = absolute(record), tuple(vs or ())
    drill = _drilled(game, bool(opponents or resume or record))
    if drill is None:
        _check(game, opponents, resume)
    if kept is not None and not resume and os.path.isfile(kept) and os.path.getsize(kept):
        raise UsageError(f"{record} is there already. Go on with it by --resume, or name another file.")
    if browser:
        if four_colours or big_blinds or coach is not When.never:
            raise UsageError(
                "--four-colours, --big-blinds and --coach are of the terminal: a page has them in its settings (⚙)."
            )
        return _serve(game, opponents, resume, kept, seed, library, drill, listen, port, sessions, not no_open)
    if library is not None:
        raise UsageError("--library is what the study shows in the browser: add --browser.")
    if drill is None:
        need_terminal("play")
    else:
        need_terminal("play drill", "In the browser it needs none: add --browser.")
    from cardai.ui.app import PlayOptions

    colours: Palette = "four" if four_colours else "two"
    _run(PlayOptions(game, opponents, resume, kept, seed, colours, _when(coach), big_blinds, drill))


def _drilled(game: str | None, more: bool) -> Drill | None:
    """Return the drill that is asked for in place of a game, None: none is. Refuse what cannot be drilled, and ``more`` with it."""
    from cardai.ui.drilling import drill_of

    drill = drill_of(game)
    if drill is None:
        return None
    if more:
        raise UsageError("A drill has its own opponent and keeps how it went: leave out --vs, --resume and --record.")
    drill.spots(note)
    return drill


def _when(coach: When) -> Literal["", "after", "now"]:
    return "after" if coach is When.after else "now" if coach is When.now else ""


def need_textual() -> None:
    """Raise PluginError, with what to install, where textual is not there."""
    need_extra("textual", "cardai play", "play")


def need_terminal(
    command: str, instead: str = "In a pipe, play in plain text: cardai run --game GAME --agent human"
) -> None:
    """Raise UsageError, which ends with what to do ``instead``, unless the app can be shown."""
    if not (sys.__stdin__ and sys.__stdin__.isatty() and sys.stderr.isatty()):
        raise UsageError(f"cardai {command} needs a terminal. {instead}")


def _check(game: str | None, opponents: tuple[str, ...], resume: bool) -> None:
    """Refuse what cannot be played before anything is shown."""
    from cardai import make
    from cardai.arena.asking import bound

    if resume and (game is not None or opponents):
        raise UsageError("--resume goes on with a match as it was: leave out the game and --vs.")
    if game is None:
        if opponents:
            raise UsageError("--vs needs the game before it: cardai play GAME --vs AGENT.")
        return
    made = make.game(game)
    seats = made.num_players - 1
    if opponents and len(opponents) not in (1, seats):
        raise UsageError(
            f"{game} has {seats} seats beside yours: give --vs once, or once for each. Got {len(opponents)}."
        )
    if opponents and not seats:
        raise UsageError(f"{game} is played alone. Leave out --vs {' --vs '.join(opponents)}.")
    for opponent in opponents:
        if bound(opponent, made).interactive:
            raise UsageError(f"{opponent} is a person: cardai play seats one. Give a program by --vs.")


def _run(options: PlayOptions) -> None:
    """Show the app until the person leaves it."""
    from cardai.arena.journal import journal_of
    from cardai.ui.app import PlayApp

    app = PlayApp(options)
    app.run()
    if app.problem is not None:
        raise app.problem
    if app.return_code:
        raise typer.Exit(app.return_code)
    held = None if app.file is None else journal_of(app.file)  # of who leaves while a program thinks, beside it
    if held is not None and held.exists():
        note(f"Your match is in {held}. Go on with it: cardai play --resume{_named(options)}")
        note(f"Look at it again: cardai replay {shlex.quote(str(held))}")


def _named(options: PlayOptions) -> str:
    return f" --record {shlex.quote(options.record)}" if options.record is not None else ""


def _serve(
    game: str | None, opponents: tuple[str, ...], resume: bool, record: str | None, seed: int | None,
    library: Path | None, drill: Drill | None, listen: str, port: int, sessions: int, show: bool,
) -> None:  # fmt: skip
    """Offer the pages until Ctrl-C."""
    for module in ("starlette", "uvicorn", "websockets", "jinja2"):
        need_extra(module, "cardai play --browser", "play")
    from cardai.web.pages import Asked
    from cardai.web.serving import serve

    if library is not None and not library.is_dir():
        raise UsageError(f"There is no library in {str(library)!r}.")
    asked = Asked.of(None if drill else game, opponents, resume, record, seed, library, drill)
    try:
        came = serve(asked, listen, port, sessions, show, _say_at_once, note)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{listen}:{port} cannot be listened on: {why}. Give another --port.") from error
    current().at_once = True
    if came in ENDING:
        raise typer.Exit(128 + came)


def _say_at_once(words: str) -> None:
    """Print the address, also where a program reads it."""
    say(words)
    stdout().flush()
