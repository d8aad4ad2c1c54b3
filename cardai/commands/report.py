"""``cardai report``: one spot on many flops, and ``cardai flops``: which flops stand for all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands import spot_options
from cardai.commands.invocation import Jobs, Json, On, note, out, print_json, progress
from cardai.core.errors import UsageError
from cardai.poker.spot_options import Limits, SpotOptions, percent

if TYPE_CHECKING:
    from cardai.poker.ranges.flop_report import Row
    from cardai.poker.ranges.flops import Subset

DirectoryArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A library: what is solved is kept there.")]
Flops = Annotated[int, typer.Option("--flops", metavar="N", help="25, 49, 74, 95, 184, or all 1755.")]
Board = Annotated[
    list[str] | None,
    typer.Option("--board", metavar="CARDS", help="These flops instead, or turns, each with the same weight."),
]
Turns = Annotated[
    bool, typer.Option("--turns", help="Solve every turn of the flops: ranges, pot and stacks are of the turn.")
]
To = Annotated[str, typer.Option("--to", metavar="PERCENT", help="The exploitability of each flop, in % of the pot.")]
Iterations = Annotated[int, typer.Option("--iterations", metavar="N", min=1, help="Stop there in any case.")]
At = Annotated[
    str, typer.Option("--at", metavar="LINE", help="The decision that is reported, 'x b2'; * is any card: 'x b2 c *'.")
]
Only = Annotated[
    str, typer.Option("--only", metavar="TEXTURE", help="monotone, 'rainbow paired', connected, trips ...")
]
Sort = Annotated[str, typer.Option("--sort", metavar="COLUMN", help="The largest first; -COLUMN the smallest.")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows there too.")]
Page = Annotated[Path | None, typer.Option("--page", metavar="FILE", help="Write them as a page (.html) there too.")]
Count = Annotated[int, typer.Argument(metavar="N", help="25, 49, 74, 95 or 184; with --choose any number.")]
ANY_FLOP = "2c3c4c"
"""In the place of those that the report is over."""
Choose = Annotated[bool, typer.Option("--choose", help="Choose them anew, which takes some minutes.")]


def report(
    directory: DirectoryArgument,
    flops: Flops = 25,
    board: Board = None,
    turns: Turns = False,
    pot: spot_options.Pot = None,
    stack: spot_options.Stack = None,
    range_: spot_options.Range = None,
    position: spot_options.Position = None,
    raised: spot_options.Raised = None,
    bets: spot_options.Bets = None,
    rake: spot_options.RakeShare = None,
    rake_cap: spot_options.RakeCap = None,
    add_allin: spot_options.AddAllin = 0.0,
    force_allin: spot_options.ForceAllin = 0.0,
    merge: spot_options.Merge = 0.0,
    to: To = "0.5%",
    iterations: Iterations = 1000,
    at: At = "",
    only: Only = "",
    sort: Sort = "",
    csv: Csv = None,
    page: Page = None,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Solve one spot on many flops or turns, and show each one's equities, worth and frequencies, and the weighted mean.

    Example: cardai report lib --flops 25 --range A2s+,KQs,77+ --range 22+,A9o+ --pot 5.5 --stack 97.5 --bets 0.33+1/3x --to 0.5%

    What was solved is kept in the library, so that a report that was stopped goes on, and another line takes no time: --at x.

    Every turn of one flop, after a bet and a call there: --board Ks7d2c --at "x b2 c *".
    """
    limits = Limits(add_allin=add_allin, force_allin=force_allin, merge=merge)
    given = SpotOptions(
        ANY_FLOP, pot, stack, range_, bets, rake, rake_cap, limits, library=directory, position=position, raised=raised
    )
    rows = _rows(directory, given, _flops(flops, board, turns), (percent(to, "--to"), iterations), at, jobs, on)
    shown = _chosen(rows, only, sort)
    if page is not None:
        _write_page(page, shown, given, at)
    _show(shown, csv, json)


def _flops(count: int, boards: list[str] | None, every_turn: bool) -> Subset:
    from cardai.poker.ranges.flops import Subset, subset, turns
    from cardai.poker.ranges.spot import parse_board

    if not boards:
        found = subset(count)
    else:
        lengths = (3,) if every_turn else (3, 4)
        if wrong := [board for board in boards if len(parse_board(board)) not in lengths]:
            raise UsageError(
                f"--board is a flop here, three cards{', or a turn' * (not every_turn)}. Got {wrong[0]!r}."
            )
        if len({len(parse_board(board)) for board in boards}) > 1:
            raise UsageError("A report is over flops or over turns. Leave some of --board out.")
        found = Subset(tuple(boards), (1 / len(boards),) * len(boards), 0.0, 0.0, 0.0)
    return turns(found) if every_turn else found


def _rows(
    directory: Path, given: SpotOptions, flops: Subset, goal: tuple[float, int], at: str, jobs: int, on: str
) -> list[Row]:
    """Return the report's rows, in order of the flops' weights, solving what is missing."""
    from cardai.core.locks import DirectoryLock
    from cardai.poker.ranges.flop_report import Goal, reports
    from cardai.poker.ranges.library import Library

    spot, rows = given.spot(), []
    with DirectoryLock(directory, "The library {} is being added to"), progress("flops", "solved") as advance:
        for one in reports(Library(directory), spot, flops, Goal(*goal), at, jobs=jobs, on=on, label=given.label()):
            rows.append(one)
            if advance is not None:
                advance(len({row["flop"][: len(flops.flops[0])] for row in rows}), len(flops.flops))
    return sorted(rows, key=lambda one: -one["weight"])


def _chosen(rows: list[Row], only: str, sort: str) -> list[Row]:
    """Return the rows of a texture, in order. Raises UsageError: there are none."""
    from cardai.poker.ranges.flop_report import chosen

    shown = chosen(rows, only, sort)
    if not shown:
        raise UsageError(
            f"No flop of the report is {only!r}. Textures: {', '.join(sorted({one['texture'] for one in rows}))}."
        )
    return shown


def _write_page(file: Path, shown: list[Row], given: SpotOptions, at: str) -> None:
    from cardai.commands.show.report_page import page
    from cardai.core.files import write_atomically
    from cardai.core.text import one_line
    from cardai.poker.ranges.flop_report import columns, mean

    spot = given.spot()
    named = " ".join(filter(None, (given.position, given.raised)))
    told = (
        f"{len(shown)} {'flops' if len(shown[0]['flop']) == 6 else 'boards'}{f', {named}' if named else ''}; the pot is {spot.pot:g}, stacks {' and '.join(f'{s:g}' for s in spot.stacks)}, "
        f"bets {spot.bets}{f', after {at}' if at else ''}. First to act: {spot.ranges[0]}. Button: {spot.ranges[1]}."
    )
    text = page(shown, mean(shown), columns(shown), f"Report over flops {named}".rstrip(), one_line(told))
    write_atomically(file, text.encode())
    note(f"Written: {file}")


def _show(shown: list[Row], csv: Path | None, json: bool) -> None:
    from cardai.core.files import Output
    from cardai.core.text import cell
    from cardai.poker.ranges.flop_report import columns, mean

    names, last = columns(shown), mean(shown)
    if csv is not None:
        lines = [",".join(cell(str(one.get(name, ""))) for name in names) for one in [*shown, last]]
        with Output(csv) as file:
            file.write(("\n".join([",".join(map(cell, names)), *lines]) + "\n").encode())
        note(f"Written: {csv}")
    if json:
        print_json({"flops": shown, "mean": last})
        return
    out().print(_table([*shown, last], names))


def _table(rows: list[Row], names: list[str]) -> Any:
    from rich.table import Table

    from cardai.cards.text import cards_glyphs, parse_cards

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        left = name in ("flop", "texture")
        table.add_column(name.replace("_", " "), justify="left" if left else "right", no_wrap=name == "flop")
    for one in rows:
        cells = [f"{one[name]:.2f}" if isinstance(one.get(name), float) else str(one.get(name, "")) for name in names]
        cells[2] = f"{one['weight']:.4f}"
        if one["flop"] != "all":
            cells[0] = cards_glyphs(parse_cards(one["flop"]))
        table.add_row(*cells, style="bold" if one["flop"] == "all" else "")
    return table


def flops(count: Count = 25, choose: Choose = False, json: Json = False) -> None:
    """Show few flops that stand for all 1,755, with their weights and how far equities over them lie from those over all.

    Example: cardai flops 25
    """
    from attrs import asdict

    from cardai.poker.ranges import flops as known

    if not choose:
        found = known.subset(count)
    else:
        import numpy as np

        if not 5 <= count <= 1000:
            raise UsageError(f"5 to 1,000 flops can be chosen. Got {count}.")
        cards, parts = known.classes()[0], []
        with progress("flops", "weighed") as advance:
            for k, one in enumerate(cards):
                parts.append(known.winnings(one))
                if advance is not None and k % 20 == 0:
                    advance(k, len(cards))
        found = known.choose(known.residuals(np.array(parts)), count)
    if json:
        print_json(asdict(found))
        return
    for flop, weight in zip(found.flops, found.weights, strict=True):
        out().print(f"{flop}  {100 * weight:7.3f} %  {known.texture(flop)}")
    out().print(
        f"Equities of starting hands over these {count} flops are off by {found.error:.3f} % of the pot (root mean square; at "
        f"most {found.worst:.2f}); over as many at random by {found.random:.3f}."
    )
    every = known.tones(known.subset(1755))
    shares = (f"{tone} {100 * share:.1f} % ({100 * every[tone]:.1f} %)" for tone, share in known.tones(found).items())
    out().print(f"Their weights by suits, and those of all flops: {', '.join(shares)}.")
