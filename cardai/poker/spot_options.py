"""A spot as texts, as people give it: by the options of the command line, or in the fields of a page's form.

What was given makes the spot (:meth:`SpotOptions.spot`), and a spot says the options that make it (:func:`arguments`): whoever
shows a spot can show the command that solves it.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, frozen

from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.poker.ranges.spot import Spot

ENOUGH = 0.25
"""The exploitability of a new spot, in percent of the pot, unless told."""
MOST = 5000
"""Iterations unless told."""
BETS = "0.5+1+allin"
"""The bets that are looked at, unless told."""


@frozen
class Limits:
    """The numbers that bound a menu."""

    cap: int = 0
    minimum: int = 0
    add_allin: float = 0.0
    force_allin: float = 0.0
    merge: float = 0.0


@frozen
class SpotOptions:
    """The options that make up a new spot; None is one that was not given."""

    board: str | None
    pot: str | None
    stack: str | None
    ranges: list[str] | None
    bets: str | None
    rake: str | None
    rake_cap: str | None
    limits: Limits
    limit: str | None = None
    checked_down: bool = False
    locks: list[str] | None = None
    aggressor: str | None = None
    out: Path | None = None
    library: Path | None = None
    position: str | None = None
    raised: str | None = None

    def needed(self) -> dict[str, Any]:
        """Return the options without which there is no spot."""
        return {"--board": self.board, "--pot": self.pot, "--stack": self.stack}

    def named(self) -> list[str]:
        """Return the names of the options that were given."""
        other = {
            "--range": self.ranges,
            "--bets": self.bets,
            "--limit": self.limit,
            "--rake": self.rake,
            "--rake-cap": self.rake_cap,
            "--lock": self.locks,
            "--out": self.out,
            "--library": self.library,
            "--position": self.position,
            "--raised": self.raised,
            "--aggressor": self.aggressor,
            "--check-down": self.checked_down or None,
        }
        numbers = {f"--{name.replace('_', '-')}": value or None for name, value in asdict(self.limits).items()}
        return [name for name, value in {**self.needed(), **other, **numbers}.items() if value is not None]

    def label(self) -> dict[str, str]:
        """Return what a library calls the spot: the position and pot type, as far as they were given."""
        given = {"position": self.position, "raised": self.raised}
        return {name: value for name, value in given.items() if value is not None}

    def begun(self) -> SpotOptions:
        """Return these options with ranges, pot and stacks of a position where they were not given: a library's or a chart's."""
        from cardai.poker.preflop.starts import start_of

        if self.position is None and self.raised is None:
            return self
        if self.position is None or self.raised is None:
            raise UsageError("Ranges by name need --position and --raised, such as BTN-BB and single.")
        start = start_of(self.library, self.position, self.raised)
        ranges = self.ranges or [start.first, start.button]
        pot, stack = self.pot or f"{start.pot}", self.stack or "+".join(map(str, start.stacks))
        return evolve(self, ranges=ranges, pot=pot, stack=stack)

    def spot(self) -> Spot:
        """Return the spot. Raises UsageError."""
        from cardai.poker.ranges.solving import make_spot

        given = self.begun()
        if missing := [name for name, value in given.needed().items() if value is None]:
            raise UsageError(
                f"A spot needs {', '.join(given.needed())}: {missing[0]} is missing. (Or name a solved spot's directory.)"
            )
        ranges = given.ranges or []
        if len(ranges) > 2:
            raise UsageError(f"--range is given once for each player, twice at most. It is given {len(ranges)} times.")
        if self.limit is not None and self.bets is not None:
            raise UsageError("Bets are either those of --limit or those of --bets. Leave one out.")
        (pot,) = chips(str(given.pot), "--pot", most=1)
        limit = () if self.limit is None else chips(self.limit, "--limit", most=3)
        return make_spot(
            str(self.board),
            pot,
            both_stacks(str(given.stack)),
            [*ranges, "random", "random"][:2],
            self.locks or [],
            bets=BETS if self.bets is None else self.bets,
            limit=tuple(int(size) if size.is_integer() else size for size in limit),
            checked_down=self.checked_down,
            rake=0.0 if self.rake is None else percent(self.rake, "--rake", none=True) / 100,
            rake_cap=0.0 if self.rake_cap is None else chips(self.rake_cap, "--rake-cap", most=1)[0],
            aggressor=_seat(self.aggressor),
            **asdict(self.limits),
        )


def percent(text: str, option: str, none: bool = False) -> float:
    """Return a percentage above 0, or with ``none`` 0 too, that an option was given. Raises UsageError."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1.0
    if not (0.0 < value <= 100.0 or (none and value == 0.0)):
        least = "from 0 on" if none else "above 0"
        raise UsageError(f"{option} takes a percentage of the pot {least}, such as 0.25%. Got {text!r}.")
    return value


def chips(text: str, option: str, most: int) -> tuple[float, ...]:
    """Return up to ``most`` numbers of chips that an option was given. Raises UsageError."""
    try:
        numbers = tuple(float(word.replace(",", "")) for word in text.split("+"))
    except ValueError:
        numbers = (0.0,)
    if not all(0 < number < 1e15 for number in numbers) or len(numbers) > most:
        joined = ", joined by +" if most > 1 else ""
        raise UsageError(f"{option} takes chips, numbers above 0{joined}. Got {text!r}.")
    return numbers


def both_stacks(text: str) -> tuple[float, ...]:
    """Return the stacks that --stack was given: one number is both. Raises UsageError."""
    stacks = chips(text, "--stack", most=2)
    return stacks * 2 if len(stacks) == 1 else stacks


def _seat(text: str | None) -> int:
    if text not in (None, "first", "button"):
        raise UsageError(f"--aggressor is first or button. Got {text!r}.")
    return -1 if text is None else ("first", "button").index(text)


def arguments(spot: Spot) -> list[str]:
    """Return the options of ``cardai solve`` that make a spot. Raises UsageError where no options do.

    >>> from cardai.poker.ranges.spot import Spot
    >>> command("solve", *arguments(Spot("KsTh7s4d2c", 7.5, (20, 30), ("AA", "random"), "1+allin", rake=0.05)))
    'cardai solve --board KsTh7s4d2c --pot 7.5 --stack 20+30 --range AA --range random --bets 1+allin --rake 5%'
    """
    from cardai.poker.ranges.locks import lock_text

    if not spot.isomorphic or any(lock.images for lock in spot.locks):
        raise UsageError("This spot was made in Python, with what no option of the command line says.")
    stacks = [f"{chips:.15g}" for chips in dict.fromkeys(spot.stacks)]
    found = ["--board", spot.board, "--pot", f"{spot.pot:.15g}", "--stack", "+".join(stacks)]
    for text in spot.ranges:
        found += ["--range", text]
    found += ["--limit", "+".join(map(str, spot.limit))] if spot.limit else ["--bets", spot.bets]
    numbers = {name: getattr(spot, name) for name in asdict(Limits())}
    found += [
        word for name, value in numbers.items() if value for word in (f"--{name.replace('_', '-')}", f"{value:.15g}")
    ]
    found += ["--check-down"] if spot.checked_down else []
    found += ["--rake", f"{100 * spot.rake:.12g}%"] if spot.rake else []
    found += ["--rake-cap", f"{spot.rake_cap:.15g}"] if spot.rake_cap else []
    found += ["--aggressor", ("first", "button")[spot.aggressor]] if spot.aggressor >= 0 else []
    return [*found, *(word for lock in spot.locks for word in ("--lock", lock_text(lock)))]


def command(*words: str) -> str:
    """Return a call of cardai as a shell takes it."""
    return shlex.join(["cardai", *words])
