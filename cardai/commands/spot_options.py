"""The options that make up a spot of hold'em: of ``cardai solve``, and of whatever solves spots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import evolve, frozen

from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.poker.ranges.spot import Spot

Board = Annotated[str | None, typer.Option("--board", metavar="CARDS", help="Three, four or five cards.")]
Pot = Annotated[
    str | None, typer.Option("--pot", metavar="CHIPS", help="The pot, half from each player; cents are fine.")
]
Stack = Annotated[
    str | None, typer.Option("--stack", metavar="CHIPS", help="Chips behind; two joined by + if they differ.")
]
Range = Annotated[
    list[str] | None,
    typer.Option("--range", "-r", metavar="RANGE", help="Of who acts first, then of the button: 22+,A2s+,KTo+:0.5."),
]
Bets = Annotated[
    str | None,
    typer.Option(
        "--bets",
        metavar="SIZES",
        help="0.5+1+allin; / for raises (1/2.5x); river=1/allin by street; button.river=, donk= by player.",
    ),
]
Limit = Annotated[
    str | None, typer.Option("--limit", metavar="SIZES", help="Limit bets: the size on each street to come, 2+4+4.")
]
Cap = Annotated[int, typer.Option("--cap", metavar="N", min=0, help="Bets and raises a street (limit: 4).")]
Minimum = Annotated[int, typer.Option("--minimum", metavar="CHIPS", min=0, help="The least bet.")]
CheckDown = Annotated[bool, typer.Option("--check-down", help="Nobody bets behind this street.")]
RakeShare = Annotated[str | None, typer.Option("--rake", metavar="PERCENT", help="The house's share of the pot, 5%.")]
RakeCap = Annotated[str | None, typer.Option("--rake-cap", metavar="CHIPS", help="The most that the house takes.")]
Locks = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="LOCK", help="'LINE: [HANDS:] ACTION=SHARE ...', 'x b100: AA,KQs: c=0.7 f=0.3'."),
]
AddAllin = Annotated[
    float, typer.Option("--add-allin", metavar="POTS", min=0, help="Add all-in where it is at most so many pots.")
]
ForceAllin = Annotated[
    float,
    typer.Option("--force-allin", metavar="POTS", min=0, help="Go all-in where at most so many pots would be left."),
]
Merge = Annotated[
    float, typer.Option("--merge", metavar="SHARE", min=0, help="Leave out sizes that are this close to a larger one.")
]
Aggressor = Annotated[
    str | None,
    typer.Option("--aggressor", metavar="WHO", help="Who bet last before this street, for donk=: first or button."),
]


LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library", metavar="DIR", help="A library: what it has is not solved again, what is solved is kept."
    ),
]
Position = Annotated[
    str | None,
    typer.Option(
        "--position", metavar="NAME", help="Ranges, pot and stacks of a chart (hu20.SB-BB) or the library: BTN-BB."
    ),
]
Raised = Annotated[str | None, typer.Option("--raised", metavar="NAME", help="The pot type of them: single, 3bet.")]


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
        }
        return [name for name, value in {**self.needed(), **other}.items() if value is not None]

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
        from attrs import asdict

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
            bets="0.5+1+allin" if self.bets is None else self.bets,
            limit=tuple(int(size) for size in limit),
            checked_down=self.checked_down,
            rake=0.0 if self.rake is None else percent(self.rake, "--rake") / 100,
            rake_cap=0.0 if self.rake_cap is None else chips(self.rake_cap, "--rake-cap", most=1)[0],
            aggressor=_seat(self.aggressor),
            **asdict(self.limits),
        )


def percent(text: str, option: str) -> float:
    """Return a percentage above 0 that an option was given. Raises UsageError."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 100.0:
        raise UsageError(f"{option} takes a percentage of the pot above 0, such as 0.25%. Got {text!r}.")
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
