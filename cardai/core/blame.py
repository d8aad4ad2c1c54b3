"""Whose fault an exception in play is: where in a plugin it arose, and what a person should read about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import TracebackType

from cardai.core.damaged import blamed_package
from cardai.core.errors import nearest

_LIBRARIES = {
    "attr",
    "attrs",
    "click",
    "cloudpickle",
    "joblib",
    "llvmlite",
    "numba",
    "numpy",
    "pluggy",
    "rich",
    "textual",
    "torch",
    "typer",
}
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
    if package := blamed_package(error):
        words += f". {package}"
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
