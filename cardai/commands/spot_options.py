"""The options that make up a spot of hold'em: of ``cardai solve``, and of whatever solves spots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
