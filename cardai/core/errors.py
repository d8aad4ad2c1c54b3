"""Every error that cardai raises on purpose. The command line prints the message alone and exits with ``exit_code``.

    CardaiError                 1
      UsageError                2   the call was wrong: mend the command
        UnknownNameError        2   no plugin, field or option of that name
        SpecError               2   a spec string that cannot be read
        OptionError             2   an option a plugin does not have, or a value it refuses
        TooLargeError           2   what is asked for needs more memory than there is, or more places than are kept
      UntrustedError          2   a file names what only its owner may allow: add --trust
      PluginError               1   a plugin that fails to load, two of one name, a missing extra
      IllegalActionError        1   an action that the rules refuse
      AgentError                1   an agent that answered wrongly or raised, with game, seed and hand
      DamagedFileError          1   a record, log, run or checkpoint that is truncated, foreign or half written
      WriteError                1   a file that cannot be written: the disk is full, the place has gone
      RemoteError               1   a service on the network that refuses, is busy, or cannot be reached

A message says what was wrong, what was given, what is known, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from numbers import Integral

from cardai.core.text import shown


class CardaiError(Exception):
    """The base of all errors that are meant for a person to read: what it quotes is shown as text, here already, since
    Python prints it where nobody catches it.
    """

    exit_code = 1

    def __str__(self) -> str:
        return shown(super().__str__())


class UsageError(CardaiError):
    """The call itself was wrong."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that nobody registered. The message suggests the nearest known one."""


class SpecError(UsageError):
    """A spec string that cannot be read."""


class OptionError(UsageError):
    """An option that a plugin does not have, or a value that it refuses."""


class TooLargeError(UsageError):
    """More memory than there is, or more places than a tree may have."""


class UntrustedError(UsageError):
    """A file that names what only its owner may allow: a program, a path that leads out of it, the network."""


class PluginError(CardaiError):
    """A plugin that cannot be used: it fails to import, its name is taken twice, its extra is missing."""


class IllegalActionError(CardaiError):
    """An action that the rules refuse in this position."""


class AgentError(CardaiError):
    """An agent that raised, or answered with an illegal action or a wrong shape."""


class DamagedFileError(CardaiError):
    """A file that is truncated, half written, or not what its name says."""


class WriteError(CardaiError):
    """A file that cannot be written: the disk is full, the place has gone."""


class RemoteError(CardaiError):
    """A service on the network that refuses, is busy, or cannot be reached."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest known name, or an empty string."""
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def wrong_type(what: str, wanted: str, got: object) -> UsageError:
    """Build the message for a value of a wrong type; it says so where brackets were forgotten."""
    name = getattr(got, "__name__", "")
    if isinstance(got, type):
        return UsageError(f"{what} must be {wanted}. Got the class {name} instead: write {name}(...).")
    if callable(got) and name:
        return UsageError(f"{what} must be {wanted}. Got the function {name} instead: write {name}(...) to call it.")
    shown = " ".join(line.strip() for line in repr(got).splitlines())
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return UsageError(f"{what} must be {wanted}. Got {shown} instead.")


def need_whole(what: str, value: object) -> int:
    """Return ``value`` as an int. Raises UsageError unless it is a whole number, numpy's too; ``what`` begins the message: "The seed"."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong_type(what, "a whole number", value)
    return int(value)


def unknown_name(kind: str, name: str, known: Iterable[str], hint: str = "") -> UnknownNameError:
    """Build the one message used everywhere for a name that nobody knows."""
    names = sorted(known)
    listing = ", ".join(names) if names else "none"
    return UnknownNameError(f"There is no {kind} named {name!r}.{nearest(name, names)} Known: {listing}.{hint}")
