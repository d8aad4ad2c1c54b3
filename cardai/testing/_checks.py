"""What a check is: a named function of a subject that raises CheckFailed, or NotApplicable with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import SkipTest

from attrs import frozen


class CheckFailed(AssertionError):
    """The plugin breaks the contract; the message says where and how.

    ``cause`` is what is wrong in itself, for one fault that several checks meet in different hands (default: the
    message).
    """

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause or message


class NotApplicable(SkipTest):
    """The check has no meaning for this plugin (pytest reports the case as skipped, with the reason)."""


@frozen
class Check:
    """One named claim about every plugin of a kind."""

    kind: str
    name: str
    claim: str
    function: Callable[[Any], None]


CHECKS: dict[str, list[Check]] = {"game": [], "encoder": [], "agent": [], "trainer": []}
"""All checks, by kind, in the order in which they run: what is basic comes first."""

F = Callable[[Any], None]


def check(*kinds: str) -> Callable[[F], F]:
    """Register the decorated function as a check; its name is the function's, its claim the docstring's first line."""

    def register(function: F) -> F:
        name = function.__name__.replace("_", "-")
        claim = (function.__doc__ or "").strip().splitlines()[0]
        for kind in kinds:
            CHECKS[kind].append(Check(kind, name, claim, function))
        return function

    return register


def require(condition: object, message: str) -> None:
    """Raise CheckFailed with ``message`` unless ``condition`` is true."""
    if not condition:
        raise CheckFailed(message)
