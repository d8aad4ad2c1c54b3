"""The command line: parse, call, print. Each command lies in a module of its own that is imported when it is called.

:data:`~cardai.commands.table.COMMANDS` is the map; plugins bring more. A target is a function in typer's style (annotated options), or a ``typer.Typer``
for a command with commands of its own. Options of every command (``--plugin``, ``--watch``, ``--quiet``, ``--debug``)
are added here, so that they can stand before or after the command's name.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from cardai.commands import invocation
from cardai.commands.invocation import Debug, Plugins, Quiet, Trust, Watchers
from cardai.commands.process import (
    BROKEN_PIPE,
    ENDED,
    INTERRUPTED,
    close_streams,
    ended_by,
    leave,
    open_streams,
    signals,
    write_error,
)
from cardai.commands.table import COMMANDS, FROM_PLUGINS, plugin_commands
from cardai.core import registry
from cardai.core.blame import plugin_place, raised
from cardai.core.damaged import blamed_package
from cardai.core.errors import CardaiError, nearest, unknown_name
from cardai.core.memory import guard_numpy
from cardai.core.progress import listening
from cardai.core.text import shortened, shown

COMPLETING = "_CARDAI_COMPLETE"
"""What the shell sets where it asks how a line may go on."""
MOVABLE = {"--seed": 1, "--jobs": 1, "--json": 0}
"""Options of single commands that may also stand before the command's name, with how many values they take."""


class Commands(TyperGroup):
    """The top group: lists commands from the map and from plugins' metadata, imports one when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *plugin_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMANDS:
            command = COMMANDS[cmd_name]
            return TyperCommand(name=cmd_name, help=command.help, rich_help_panel=command.panel)
        entry = plugin_commands().get(cmd_name)
        if entry is None:
            return None
        said = entry.summary() if entry.status == "ok" else entry.status
        return TyperCommand(name=cmd_name, help=as_text(said), rich_help_panel=FROM_PLUGINS)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, behind_command(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args[0] not in COMMANDS and args[0] not in (known := self.list_commands(ctx)):
            if ctx.resilient_parsing:
                return None, None, args[1:]
            raise unknown_name("command", args[0], known, " See 'cardai --help'.")
        invocation.current().command = args[0]
        return args[0], load_command(args[0]), args[1:]


def behind_command(args: list[str]) -> list[str]:
    """Return ``args`` with ``--seed``, ``--jobs`` and ``--json`` moved from before the command's name to behind it.

    ``help COMMAND`` becomes ``COMMAND --help``.
    """
    if args[:1] == ["help"]:
        return [*args[1:], "--help"]
    moved: list[str] = []
    front: list[str] = []
    i = 0
    while i < len(args) and args[i].startswith("-") and args[i] != "--":
        name, equals, _ = args[i].partition("=")
        takes = 0 if equals else MOVABLE.get(name, 1 if name in ("--plugin", "--watch") else 0)
        (moved if name in MOVABLE else front).extend(args[i : i + 1 + takes])
        i += 1 + takes
    return [*front, *args[i : i + 1], *moved, *args[i + 1 :]] if i < len(args) else [*front, *moved]


def load_command(name: str) -> Any:
    """Import the command ``name``, ours or a plugin's, and return it with the options of every command added.

    Raises:
        PluginError: the plugin that brings it is broken.
    """
    command = get_command(_own(name) if name in COMMANDS else _plugins_own(name))
    command.name = name
    _add_common(command)
    _set_aside(command)
    if COMPLETING in os.environ:
        from cardai.commands.completion import complete

        complete(command)
    return command


def _own(name: str) -> typer.Typer:
    """Return the app of one of our commands."""
    line = COMMANDS[name]
    module = importlib.import_module(line.module)
    if not line.members:
        return _app_of(getattr(module, line.target.partition(":")[2]), name, line.help)
    app = _typer()
    app.callback(help=line.help)(_nothing)
    for member in line.members:
        app.command(member, cls=invocation.Command)(getattr(module, member))
    return app


def _plugins_own(name: str) -> typer.Typer:
    """Return the app of a command that a plugin brings."""
    with invocation.aside():
        target = registry.command(name)
    return _app_of(target, name, as_text(plugin_commands()[name].summary()))


def as_text(said: str) -> str:
    """Return what a stranger says of a plugin as typer's help shows it literally: nothing hidden, no markup."""
    from rich.markup import escape

    return escape(shown(said))


def _app_of(target: Any, name: str, help: str) -> typer.Typer:
    if isinstance(target, typer.Typer):
        return target
    app = _typer()
    app.command(name, cls=invocation.Command, help=None if target.__doc__ else help)(target)
    return app


def _set_aside(command: Any) -> None:
    """Let whatever a plugin prints while the command works go to stderr."""
    for member in command.commands.values() if isinstance(command, TyperGroup) else ():
        _set_aside(member)
    work = command.callback

    def callback(*given: Any, **options: Any) -> Any:
        with invocation.aside():
            return work(*given, **options)

    if work is not None:
        command.callback = callback


def _nothing() -> None:
    """Do nothing before a group's command."""


def _typer() -> typer.Typer:
    return typer.Typer(add_completion=False, no_args_is_help=False, context_settings=HELP_NAMES)


HELP_NAMES = {"help_option_names": ["--help", "-h"]}


def _common(
    plugin: Plugins = None,
    watch: Watchers = None,
    quiet: Quiet = False,
    trust: Trust = False,
    debug: Debug = False,
) -> None:
    """Carry the options of every command."""


def _add_common(command: Any) -> None:
    for member in command.commands.values() if isinstance(command, TyperGroup) else ():
        _add_common(member)
    app = _typer()
    app.command()(_common)
    taken = {name for param in command.params for name in param.opts}
    command.params += [p for p in get_command(app).params if p.opts[0].startswith("--") and not taken & set(p.opts)]


def _show_version(wanted: bool) -> None:
    if wanted:
        from cardai import __version__

        typer.echo(f"cardai {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True, expose_value=False),
    ] = False,
    plugin: Plugins = None,
    watch: Watchers = None,
    quiet: Quiet = False,
    trust: Trust = False,
    debug: Debug = False,
) -> None:
    """Imperfect-information card games: play, watch, train, measure. Every game and player is a plugin.

    Start with: cardai run --game gin --agent heisenbot --vs simple
    """


def build() -> Any:
    """Return the whole command line as a command (importing no command)."""
    app = typer.Typer(cls=Commands, add_completion=True, context_settings=HELP_NAMES)
    app.callback()(_root)
    return get_command(app)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    0 done, 1 failed, 2 used wrongly, 129 the terminal was closed, 130 interrupted, 141 the reader of the output is gone,
    143 terminated.
    """
    open_streams()
    guard_numpy()
    invocation.begin()
    before, warnings.showwarning = warnings.showwarning, _warn
    try:
        with signals(), listening(invocation.show_work):
            given = sys.argv[1:] if arguments is None else arguments
            if COMPLETING in os.environ:
                from cardai.commands.completion import mend_bash_words

                mend_bash_words()
                os.environ["COLUMNS"] = "1000"  # what stands beside a name is one line
            done = build().main(args=given or ["--help"], prog_name="cardai", standalone_mode=False)
            code = done if isinstance(done, int) else 0
    except BaseException as error:
        code = _code_of(error)
    finally:
        warnings.showwarning = before
    if code in (0, INTERRUPTED):
        code = ended_by() or code
    if code in ENDED and not invocation.current().quiet:
        write_error(f"cardai: {ENDED[code]}\n")
    lost = close_streams()
    code = lost if lost and code in (0, 1) else code
    if invocation.current().at_once:
        leave(code)
    # Python ends by SIGINT for a Ctrl-C that came inside an exec, though we have dealt with it: another exec forgets it.
    exec("")
    sys.exit(code)


def _code_of(error: BaseException) -> int:
    """Say in a sentence what went wrong, and return the exit code."""
    if isinstance(error, SystemExit) and COMPLETING in os.environ:  # the shell has its answer
        return int(error.code or 0)
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return INTERRUPTED
    if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
        return BROKEN_PIPE
    if isinstance(error, CardaiError):
        _complain(error, str(error))
        return error.exit_code
    if hasattr(error, "format_message"):  # typer's usage errors, whichever module they live in
        _complain(error, _reworded(error))
        return 2
    _complain(error, _unexpected(error))
    return 1


def _warn(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print a warning in one line, once; those that are for programmers only with --debug."""
    warned = invocation.current().warned
    if str(message) not in warned and (issubclass(category, UserWarning) or invocation.current().debug):
        warned.add(str(message))
        write_error(f"cardai: {message}\n")


def _complain(error: BaseException, message: str) -> None:
    """Print one message on stderr; with --debug the traceback before it."""
    if invocation.current().debug:
        import traceback

        write_error("".join(traceback.format_exception(error)))
    write_error(f"cardai: {shortened(message, 4000)}\n")


_NO_ROOM = ("DefaultCPUAllocator", "CUDA out of memory", "Maximum allowed dimension exceeded", "array is too big")
"""What torch says, in a RuntimeError, and numpy, in a ValueError, where an array does not fit."""


def _unexpected(error: BaseException) -> str:
    if package := blamed_package(error):
        return f"{package}."
    from cardai.core.memory import SHORT, address_space

    if (left := address_space()) < SHORT:  # libraries then fail in words of their own
        return (
            f"There is not enough memory: the limit (ulimit -v) leaves {left >> 20} MiB. Raise it: ulimit -v unlimited."
        )
    if isinstance(error, MemoryError):
        return f"There is not enough memory{': ' if str(error) else ''}{error}.".replace("..", ".")
    if isinstance(error, (RuntimeError, ValueError)) and any(words in str(error) for words in _NO_ROOM):
        return "There is not enough memory for arrays of these sizes."
    place = plugin_place(error, ours=False)
    if place is not None:
        return f"{registry.owner(place[0])} {raised(error)}."
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename}" if error.filename is not None else ".")
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("cardai"):
        return f"The Python module {error.name!r} is not installed. What needs it says which package brings it."
    hint = "" if invocation.current().debug else " Add --debug to see where."
    return f"This is a mistake in the program: {type(error).__name__}: {error}.{hint}"


def _reworded(error: Any) -> str:
    """Return a typer usage error in our own style: what was wrong, what was given, what is known, where to read."""
    context, kind = getattr(error, "ctx", None), type(error).__name__
    path = context.command_path if context else f"cardai {invocation.current().command}".strip()
    param, option = getattr(error, "param", None), getattr(error, "option_name", None)
    if kind == "NoSuchOption" and context:
        known = [name for param in context.command.get_params(context) for name in param.opts]
        message = f"{path} has no option {option}.{nearest(str(option), known)}"
    elif kind == "MissingParameter" and param is not None:
        message = f"{path} needs {_called(param)}."
    elif kind == "BadParameter" and param is not None:
        said = str(error.message).removeprefix("Value error, ").rstrip(".")
        message = f"{_called(param)} of {path}" + (
            f" {n}" if (n := _number(error)) else f": {said[:1].lower()}{said[1:]}."
        )
    elif context and isinstance(context.command, TyperGroup) and param is None:
        known = context.command.list_commands(context)  # a group without its command, or with another word
        given = str(error.format_message()).partition("'")[2].partition("'")[0]  # empty where none was given
        message = f"{path} needs one of its commands: {', '.join(known)}."
        message += f" Got {given!r}.{nearest(given, known)}" if given else ""
    else:
        message = str(error.format_message()).strip().replace("'?.", "'?")
        message = message if message.endswith(("?", ".")) else message + "."
    return f"{message} See '{path} --help'."


def _called(param: Any) -> str:
    """Return how a person writes a parameter: --games, or FILE."""
    options = [name for name in param.opts if name.startswith("--")]
    return options[0] if options else str(param.metavar or param.name).upper()


def _number(error: Any) -> str:
    """Return what an option that takes a number must be and what was given; "" for any other mistake.

    typer up to 0.28 says it in a sentence, beside the type with its bounds; later ones in pydantic's details.
    """
    details = getattr(error.__cause__ or error.__context__, "errors", None)
    found = details()[0] if callable(details) and details() else None
    if found is not None:
        kind, given = str(found["type"]), repr(found["input"])
        whole, number = kind.startswith("int_"), kind.startswith("float_")
        low, high = (found.get("ctx", {}).get(name) for name in ("ge", "le"))
    else:
        words = str(error.message).rstrip(".").split()
        given = words[0] if words[0].startswith("'") else repr(words[0])
        invalid, outside = words[1:5] == ["is", "not", "a", "valid"], words[1:5] == ["is", "not", "in", "the"]
        whole, number = invalid and words[5].startswith("int"), invalid and words[5] == "float"
        low, high = (
            getattr(getattr(error.param, "type", None), name, None) if outside else None for name in ("min", "max")
        )
    if whole or number:
        return f"must be a {'whole ' if whole else ''}number. Got {given}."
    bounds = [f"{words} {bound:,}" for words, bound in (("at least", low), ("at most", high)) if bound is not None]
    return f"must be {' and '.join(bounds)}. Got {given}." if bounds else ""
