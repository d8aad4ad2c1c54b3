"""Every error that cardai raises on purpose. The command line prints the message alone and exits with ``exit_code``.

    CardaiError                 1
      UsageError                2   the call was wrong: mend the command
        UnknownNameError        2   no plugin, field or option of that name
        SpecError               2   a spec string that cannot be read
        OptionError             2   an option a plugin does not have, or a value it refuses
      PluginError               1   a plugin that fails to load, two of one name, a missing extra
      IllegalActionError        1   an action that the rules refuse
      AgentError                1   an agent that answered wrongly or raised, with game, seed and hand
      DamagedFileError          1   a record, log, run or checkpoint that is truncated, foreign or half written

A message says what was wrong, what was given, what is known, and what to do.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable
from types import TracebackType


class CardaiError(Exception):
    """The base of all errors that are meant for a person to read."""

    exit_code = 1


class UsageError(CardaiError):
    """The call itself was wrong."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that nobody registered. The message suggests the nearest known one."""


class SpecError(UsageError):
    """A spec string that cannot be read."""


class OptionError(UsageError):
    """An option that a plugin does not have, or a value that it refuses."""


class PluginError(CardaiError):
    """A plugin that cannot be used: it fails to import, its name is taken twice, its extra is missing."""


class IllegalActionError(CardaiError):
    """An action that the rules refuse in this position."""


class AgentError(CardaiError):
    """An agent that raised, or answered with an illegal action or a wrong shape."""


class DamagedFileError(CardaiError):
    """A file that is truncated, half written, or not what its name says."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest known name, or an empty string."""
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def unknown_name(kind: str, name: str, known: Iterable[str], hint: str = "") -> UnknownNameError:
    """Build the one message used everywhere for a name that nobody knows."""
    names = sorted(known)
    listing = ", ".join(names) if names else "none"
    return UnknownNameError(f"There is no {kind} named {name!r}.{nearest(name, names)} Known: {listing}.{hint}")


_LIBRARIES = {"attr", "attrs", "cloudpickle", "joblib", "llvmlite", "numba", "numpy", "pluggy", "torch", "typer"}
_LONGEST = 300  # characters of an exception's own text in a message


def plugin_place(error: BaseException, ours: bool = True) -> tuple[str, str, int] | None:
    """Return where in a plugin ``error`` arose: (module, file, line), the innermost place in the plugin's own package.

    None where its traceback meets nothing but cardai, the standard library and the libraries that call plugins.
    ``ours`` says whether cardai's own plugins count.
    """
    package, found = "", None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        top = module.partition(".")[0]
        if not package and _is_plugin(module, top, trace.tb_frame.f_code.co_filename, ours):
            package = top
        if package and top == package and (top != "cardai" or module.startswith("cardai.plugins.")):
            found = module, trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def _is_plugin(module: str, top: str, file: str, ours: bool) -> bool:
    if top == "cardai":
        return ours and module.startswith("cardai.plugins.")
    return not file.startswith("<frozen") and top not in _LIBRARIES and top not in sys.stdlib_module_names


def raised(error: BaseException, fields: Iterable[str] = ()) -> str:
    """Return in words, on one line, that a plugin raised ``error``, and where: "raised KeyError: 'x' (bots.py, line 3)".

    ``fields`` are the names of what the plugin was given: a KeyError for another name lists them.
    """
    try:
        text = " ".join(str(error).split())
    except Exception:  # an exception of the plugin's own that cannot print itself
        text = ""
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + "..."
    words = f"called sys.exit({text})" if isinstance(error, SystemExit) else f"raised {type(error).__name__}: {text}"
    place = plugin_place(error)
    words = words.removesuffix(": ") + ("" if place is None else f" ({_short(place[1])}, line {place[2]})")
    known = list(fields)
    missing = _missing_name(error)
    if missing and known and missing not in known:
        words += f". There is no field {missing!r}.{nearest(missing, known)} The fields: {', '.join(known)}"
    return words


def _missing_name(error: BaseException) -> str:
    """Return the name that a dict or a structured array did not have, "" for any other error."""
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return error.args[0]
    said = str(error) if isinstance(error, ValueError) else ""
    return said.removeprefix("no field of name ") if said.startswith("no field of name ") else ""  # numpy's words


def _short(file: str) -> str:
    """Return a file's path from the working directory where it lies below that."""
    try:
        below = os.path.relpath(file)
    except (ValueError, OSError):  # another drive, or no working directory any more
        return file
    return file if below.startswith("..") else below
