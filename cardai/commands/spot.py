"""``cardai spot``: reading a solved spot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json

if TYPE_CHECKING:
    from cardai.poker.ranges.position import Position

DirectoryArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A solved spot (cardai solve --out).")]
At = Annotated[
    str, typer.Option("--at", metavar="LINE", help="The decision, 'x b100'; with --cards what comes before a card.")
]
Cards = Annotated[bool, typer.Option("--cards", help="Every card that can come after the line.")]
Tree = Annotated[
    Path | None, typer.Option("--tree", metavar="FILE", help="Write all decisions as .json, .csv or .parquet.")
]
Compare = Annotated[
    Path | None,
    typer.Option("--compare", metavar="DIR", help="What another solution does differently at the decision."),
]
Hands = Annotated[int, typer.Option("--hands", metavar="N", min=0, help="How many hands are shown, with --compare.")]
Streets = Annotated[int, typer.Option("--streets", metavar="N", min=1, max=3, help="Of so many streets, with --tree.")]


def spot(
    directory: DirectoryArgument,
    at: At = "",
    cards: Cards = False,
    tree: Tree = None,
    streets: Streets = 1,
    compare: Compare = None,
    hands: Hands = 20,
    json: Json = False,
) -> None:
    """Show the hands of a decision by what they are (made hand, draw, blocker), all next cards, what another solution does
    differently, or write the tree to a file.

    Example: cardai spot spots/river --at x
    """
    from cardai.poker.ranges import reading
    from cardai.poker.ranges.solution import load

    solution = load(directory)
    if tree is not None:
        rows = reading.write_tree(solution, tree, streets)
        note(f"Written: {tree}, {rows:,} {'decisions' if tree.suffix == '.json' else 'rows'}")
        return
    if cards:
        cards_found = reading.next_cards(solution, at)
        if json:
            print_json([{**one, "equity_first": _said(one["equity_first"])} for one in cards_found])
        else:
            out().print(_cards(cards_found))
        return
    position = solution.at(at)
    if compare is not None:
        found = reading.compared(position, load(compare).at(at))
        if json:
            print_json(found)
        else:
            _compared(found, hands)
        return
    if json:
        share, each = reading.equities(position)
        equities = {"equities": [_said(x) for x in share], "equity": [_said(x) for x in each]}
        print_json({**equities, "groups": reading.groups(position)})
        return
    _show(position)


def _show(position: Position) -> None:
    from cardai.poker.ranges import reading

    share, _ = reading.equities(position)
    out().print(position.title)
    if share[0] == share[0]:
        out().print(f"Equity: first to act {100 * share[0]:.2f} %, button {100 * share[1]:.2f} %.")
    else:
        out().print("Nobody comes there.")
    table = _table("hands", "share", *position.actions, "equity", "worth")
    for one in reading.groups(position):
        often = [f"{100 * x:.1f} %" for x in one["frequencies"]]
        name = one["name"] if one["kind"] != "draw" else f"draw: {one['name']}"
        table.add_row(
            name, f"{100 * one['share']:.2f} %", *often, f"{100 * one['equity']:.1f} %", f"{one['worth']:,.2f}"
        )
    out().print(table)


def _cards(found: list[dict[str, Any]]) -> Any:
    actions = list(dict.fromkeys(token for one in found for token in one["frequencies"]))
    table = _table("card", "equity first", "worth first", *actions)
    for one in found:
        often = [f"{100 * one['frequencies'][token]:.1f} %" if token in one["frequencies"] else "" for token in actions]
        equity = _said(one["equity_first"])
        known = ("", "") if equity is None else (f"{100 * equity:.2f} %", f"{one['worth_first']:,.2f}")
        table.add_row(one["card"], *known, *often)
    return table


def _said(number: float) -> float | None:
    """Return a number as JSON has it, None where there is none because nobody comes there."""
    return None if number != number else float(number)


def _compared(found: dict[str, Any], most: int) -> None:
    table = _table("action", "line", "here", "there", "change")
    for one in found["actions"]:
        here, there = one["frequencies"]
        table.add_row(
            one["action"], one["token"], f"{100 * here:.2f} %", f"{100 * there:.2f} %", f"{100 * one['change']:+.2f} %"
        )
    out().print(table)
    here, there = found["values"]
    out().print(
        f"Worth {here:,.2f} here and {there:,.2f} there; hands play {100 * found['distance']:.2f} % of the time otherwise."
    )
    tokens = [one["token"] for one in found["actions"]]
    each = _table("hand", "apart", *(f"{token}" for token in tokens), "worth")
    for one in found["hands"][:most]:
        often = [f"{100 * a:.1f} > {100 * b:.1f}" for a, b in zip(*one["frequencies"], strict=True)]
        each.add_row(one["hand"], f"{100 * one['distance']:.1f} %", *often, "{:,.2f} > {:,.2f}".format(*one["values"]))
    out().print(each)


def _table(*names: str) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(names):
        table.add_column(name, justify="left" if k == 0 else "right")
    return table
