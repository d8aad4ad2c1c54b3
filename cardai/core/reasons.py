"""Why one action is better than another: a number that is there, and a sentence that says it."""

from __future__ import annotations

from attrs import frozen


@frozen
class Reason:
    """One reason: what the number is of ("deadwood", "equity"), the number, and a sentence for people."""

    name: str
    number: float
    words: str
