"""What one call of the command line has set for all commands, and where its output goes."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import IO, TYPE_CHECKING, Annotated, Any, Protocol, cast

import typer
from attrs import define, field
from typer.core import TyperCommand

from cardai.commands.table import refuse_own_name
from cardai.core import registry
from cardai.core.allowed import trust_all
from cardai.core.errors import UsageError
from cardai.core.files import STANDARD, standard_output
from cardai.core.notes import show_state, tell
from cardai.core.text import clock, shown

if TYPE_CHECKING:
    from cardai.core.console import Console


@define
class Invocation:
    """The settings of this call."""

    debug: bool = False
    quiet: bool = False
    command: str = ""
    warned: set[str] = field(factory=set)
    """Warnings that were printed."""
    stdout: IO[str] | None = None
    """Where results go while a command works."""
    taken: bool = False
    """Whether standard output is a file that the command writes (a record): results then go to stderr."""
    work: str = ""
    """What long work was last shown, ..."""
    shown_at: float = 0.0
    """... and when, ..."""
    begun_at: float = float("-inf")
    """... and when it was last said that some begins."""
    at_once: bool = False
    """Whether the process ends at once when the call is over: threads may still compute, and nobody waits for them."""


_invocation = Invocation()


class Command(TyperCommand):
    """A command that refuses an option of one value which is given several times, instead of heeding the last alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for param in () if ctx.resilient_parsing else given:
            times = sum(other is param for other in given)
            if times > 1 and _takes_one(param):
                option = next((name for name in param.opts if name.startswith("--")), param.opts[0])
                raise UsageError(f"{ctx.command_path} takes {option} once. It is given {times} times.")
        return super().parse_args(ctx, args)


def _takes_one(param: Any) -> bool:
    """Whether a parameter is an option of one value."""
    return param.param_type_name == "option" and not (param.multiple or param.is_flag or param.count)


Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="The root of all randomness: the same seed, the same games.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, max=4096, help="Processes to use.")]

On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="WHERE",
        help="ray (this machine's cluster) or ray://HOST:PORT: work there instead, with the same result.",
        show_default="this machine",
    ),
]


def begin() -> None:
    """Start with no settings (called once a call of the command line)."""
    _invocation.debug = _invocation.quiet = _invocation.taken = _invocation.at_once = False
    _invocation.command = _invocation.work = ""
    _invocation.begun_at = float("-inf")
    _invocation.warned.clear()
    _invocation.stdout = None
    trust_all(False)


def current() -> Invocation:
    """Return the settings of this call."""
    return _invocation


def take_stdout(file: str | None) -> None:
    """Send results to stderr where ``file``, which the command writes, is standard output."""
    _invocation.taken = file in STANDARD


def set_debug(value: bool) -> None:
    _invocation.debug |= value


def set_quiet(value: bool) -> None:
    _invocation.quiet |= value


def set_trust(value: bool) -> None:
    if value:
        trust_all()


def add_plugins(files: list[str] | None) -> None:
    """Load the plugin files of ``--plugin``."""
    with aside():
        for file in files or ():
            for entry in registry.add_file(file):
                refuse_own_name(entry)


def add_watchers(names: list[str] | None) -> None:
    """Make the watchers of ``--watch`` active."""
    with aside():
        for name in names or ():
            registry.watch(name)


EVERYWHERE = "Options of every command"
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Load a one-file plugin (repeatable).",
        callback=add_plugins,
        expose_value=False,
        rich_help_panel=EVERYWHERE,
    ),
]
Watchers = Annotated[
    list[str] | None,
    typer.Option(
        "--watch",
        metavar="NAME",
        help="Let a watcher plugin see every finished hand or training step (repeatable).",
        callback=add_watchers,
        expose_value=False,
        rich_help_panel=EVERYWHERE,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results only: no progress, no hints.",
        callback=set_quiet,
        expose_value=False,
        rich_help_panel=EVERYWHERE,
    ),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Let the files that are read name programs and paths, now and later, as they are (see: cardai inspect).",
        callback=set_trust,
        expose_value=False,
        rich_help_panel=EVERYWHERE,
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show the traceback of an error.",
        callback=set_debug,
        expose_value=False,
        rich_help_panel=EVERYWHERE,
    ),
]


def absolute(path: str | None) -> str | None:
    """Return the path of a file or directory to be written, whatever plugins make of the working directory from here on.

    ``-`` is stdout and stays.
    """
    return path if path in (None, "-") else os.path.abspath(path)


@contextmanager
def aside() -> Iterator[None]:
    """Send to stderr whatever is printed inside, by plugins: results go where :func:`stdout` says, and stand alone."""
    before = _invocation.stdout
    _invocation.stdout = stdout()
    try:
        with redirect_stdout(sys.stderr), standard_output(_invocation.stdout):
            yield
    finally:
        _invocation.stdout = before


def stdout() -> IO[str]:
    """Return the stream for results."""
    return sys.stderr if _invocation.taken else _invocation.stdout or sys.stdout


class _Trimmed:
    """The stream for results without the blanks that tables leave at the ends of lines, for files and pipes."""

    def write(self, text: str) -> int:
        return stdout().write(_TRAILING.sub("", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(stdout(), name)


_TRAILING = re.compile(r" +(?=\n)")


def out() -> Console:
    """Return the console for results: as wide as the terminal, or 120 columns in a file or pipe."""
    from cardai.core.console import Console

    if stdout().isatty():
        return Console(file=stdout())
    return Console(width=120, file=cast(IO[str], _Trimmed()))


def note(message: str) -> None:
    """Print a line about the work itself on stderr, unless --quiet."""
    if not _invocation.quiet:
        tell(message)


def print_json(value: Any) -> None:
    """Print ``value`` as JSON on stdout."""
    say(json.dumps(value, indent=2))


def say(text: str) -> None:
    """Print a line of the result on stdout."""
    stdout().write(f"{shown(text)}\n")


def show_work(label: str, done: int, total: int) -> None:
    """Show on stderr how far long work is (a listener of :mod:`cardai.core.progress`): a line that changes on a
    terminal, else a line when something begins, unless one was just written; nothing with --quiet.
    """
    if _invocation.quiet:
        return
    if sys.stderr.isatty():
        share = f" {100 * done // total} %" if total else f" {done:,}" if done else ""
        show_state("" if total and done >= total else f"{label}{share}")
    elif label != _invocation.work and time.monotonic() - _invocation.begun_at > BRIEF:
        note(f"{label} ...")
        _invocation.shown_at = _invocation.begun_at = time.monotonic()
    elif _due():
        note(f"{label}: {done:,} of {total:,}" if total else f"{label}: {done:,}")
    _invocation.work = label


SILENCE = 30.0
"""Seconds after which long work says in a file or a pipe how far it is."""
BRIEF = 10.0
"""Seconds within which no two lines say there that something begins: boards that take a moment are no news."""


def _due() -> bool:
    """Whether nothing has been said for so long that something should be."""
    now = time.monotonic()
    if now - _invocation.shown_at < SILENCE:
        return False
    _invocation.shown_at = now
    return True


class Advance(Protocol):
    """What a progress bar is told: how much is done of how much."""

    def __call__(self, done: int, total: int) -> None: ...


@contextmanager
def progress(label: str, unit: str = "games") -> Iterator[Advance | None]:
    """Show a progress bar on stderr, where that is no terminal a line now and then; yield None where --quiet was given."""
    if _invocation.quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield _Lines(label, unit)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from cardai.core.console import Console

    said, counted = TextColumn("{task.description}", markup=False), TextColumn(unit, markup=False)
    columns = (said, BarColumn(), MofNCompleteColumn(), counted)
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Lines:
    """Progress where nobody watches a bar: a line of a log, seldom enough to be read."""

    def __init__(self, label: str, unit: str) -> None:
        self._label, self._unit = label, unit
        self._begun, self._first = time.monotonic(), -1
        _invocation.shown_at = self._begun

    def __call__(self, done: int, total: int) -> None:
        if self._first < 0:
            self._first = done  # what was there when it went on took no time
        if not _due() or done >= total:
            return
        took, new = time.monotonic() - self._begun, done - self._first
        left = f", about {clock(took / new * (total - done))} left" if new > 0 else ""
        note(f"{self._label}: {done:,} of {total:,} {self._unit}{left}.")
