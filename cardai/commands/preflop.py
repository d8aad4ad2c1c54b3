"""``cardai preflop``: play before the flop, shown from a chart or solved anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import frozen

from cardai.commands.invocation import Json, note, out, print_json, progress
from cardai.core.errors import DamagedFileError, UsageError

if TYPE_CHECKING:
    from cardai.poker.preflop.charts import Chart
    from cardai.poker.preflop.rules import Rules

Library = Annotated[
    Path | None, typer.Argument(metavar="[DIR]", help="A library, whose charts are known too.", show_default=False)
]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Which chart.", show_default="all")]
At = Annotated[str, typer.Option("--at", metavar="LINE", help="The decision: 'f f r' (f, x, c, r or r2.5, a).")]
Players = Annotated[int, typer.Option("--players", metavar="N", min=2, max=9, help="Solve: so many players, ...")]
Stack = Annotated[float, typer.Option("--stack", metavar="BB", help="... each with so many big blinds, ...")]
Ante = Annotated[float, typer.Option("--ante", metavar="BB", help="... who put in so much each beside the blinds.")]
Raises = Annotated[
    str,
    typer.Option("--raises", metavar="SIZES", help="Raises, as multiples of the bet before, a level between two /."),
]
BlindRaises = Annotated[str, typer.Option("--blind-raises", metavar="SIZES", help="Those of the blinds.")]
Callers = Annotated[
    int, typer.Option("--callers", metavar="N", min=0, max=7, help="How many call an open before the big blind.")
]
Limp = Annotated[bool, typer.Option("--limp/--no-limp", help="Whether the small blind may limp.")]
Rake = Annotated[float, typer.Option("--rake", metavar="PERCENT", min=0, max=20, help="The room's share of flops.")]
RakeCap = Annotated[
    float, typer.Option("--rake-cap", metavar="BB", min=0, help="The most that it takes (0: there is no such bound).")
]
CheckDown = Annotated[bool, typer.Option("--check-down", help="Flops are worth their equity, whatever is behind.")]
Iterations = Annotated[
    int | None,
    typer.Option("--iterations", metavar="N", min=1, help="Solve, or go on, for so many a seed.", show_default=False),
]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", min=1, max=32, help="How many seeds.")]
Hands = Annotated[
    int,
    typer.Option(
        "--hands", metavar="N", min=1000, help="Hands from which values of three players or more are measured."
    ),
]
Values = Annotated[
    str,
    typer.Option(
        "--values",
        metavar="RUN",
        help="Solve a table into DIR instead, for resolving:preflop=DIR: the network of the flop that values what lies behind it, ...",
        show_default=False,
    ),
]
Depths = Annotated[str, typer.Option("--depths", metavar="BB", help="... the stacks in big blinds, joined by +, ...")]
Bets = Annotated[str, typer.Option("--bets", metavar="SIZES", help="... its ladder of bets, fractions of the pot, ...")]
Flops = Annotated[
    int, typer.Option("--flops", metavar="N", help="... and how many flops stand for all (cardai flops).")
]


_TABLE = ("depths", "bets", "flops")
_RULES = ("players", "stack", "ante", "raises", "blind_raises", "callers", "limp", "rake", "rake_cap")
_CHART = (*_RULES, "check_down", "seeds", "hands")
"""Options that say something of a table alone, and of a chart that is solved."""


@frozen
class _Asked:
    """How a chart is to be solved."""

    iterations: int
    seeds: int
    hands: int
    check_down: bool


def preflop(
    context: typer.Context,
    library: Library = None,
    name: Name = None,
    at: At = "",
    iterations: Iterations = None,
    seeds: Seeds = 3,
    hands: Hands = 2_000_000,
    players: Players = 6,
    stack: Stack = 100.0,
    ante: Ante = 0.0,
    raises: Raises = "2.5/3/2.2",
    blind_raises: BlindRaises = "3/4/2.2",
    callers: Callers = 1,
    limp: Limp = True,
    rake: Rake = 0.0,
    rake_cap: RakeCap = 0.0,
    check_down: CheckDown = False,
    values: Values = "",
    depths: Depths = "10+20+40+100+200",
    bets: Bets = "0.5+1+allin",
    flops: Flops = 95,
    json: Json = False,
) -> None:
    """Show play before the flop from a chart: what each class of hands does, and what it brings; or solve one into a library, or a
    table for a player that re-solves.

    Example: cardai preflop --name 6max --at "f f f r f"

    Then: cardai preflop lib --name mine --players 6 --stack 60 --iterations 400
    """
    if values:
        _refuse(context, (*_CHART, "at"), "--values solves a table, to which {} says nothing.")
        from cardai.commands.preflop_table import Asked, solve

        solve(library, name, Asked(values, depths, bets, flops, iterations or 400), json)
        return
    _refuse(context, _TABLE, "{} says what table is solved: it needs --values RUN.")
    if iterations is None:
        _refuse(context, _CHART, "{} says how a chart is solved: it needs --iterations N.")
        if name is None:
            _refuse(context, ("at",), "{} names a decision of a chart: it needs --name, as the list of charts has it.")
    else:
        rules = _rules(players, stack, ante, raises, blind_raises, callers, limp, rake, rake_cap)
        _solve(library, name, rules, _Asked(iterations, seeds, hands, check_down))
    _tell(library, name, at, json)


def _refuse(context: typer.Context, names: tuple[str, ...], why: str) -> None:
    """Raise UsageError, ``why``, if an option of these ``names`` was given: nobody would look at it."""
    for name in names:
        source = context.get_parameter_source(name)  # typer brings a click of its own: not to be compared with click's
        if source is not None and source.name == "COMMANDLINE":
            option = next(one for one in context.command.params if one.name == name)
            raise UsageError(why.format("/".join([*option.opts, *option.secondary_opts])))


def _tell(library: Path | None, name: str | None, at: str, json: bool) -> None:
    if library is not None and not library.is_dir():
        raise UsageError(f"There is no library in {str(library)!r}.")
    if name is None:
        _list(library, json)
        return
    from cardai.poker.preflop.starts import chart_of

    chart = chart_of(library, name)
    if json:
        print_json(_plain(chart, at))
    else:
        _show(chart, name, at)


def _rules(
    players: int,
    stack: float,
    ante: float,
    raises: str,
    blind_raises: str,
    callers: int,
    limp: bool,
    rake: float,
    rake_cap: float,
) -> Rules:
    from cardai.poker.preflop.rules import Rules

    if rake_cap and not rake:
        raise UsageError("--rake-cap bounds what the room takes: it needs --rake PERCENT.")
    try:
        found = Rules(
            players, stack, ante=ante, raises=raises, blind_raises=blind_raises, callers=callers, limp=limp,
            rake=rake / 100, rake_cap=rake_cap,
        )  # fmt: skip
    except ValueError as error:
        raise UsageError(f"No such play before the flop: {error}") from None
    found.behind  # noqa: B018 - raises where nothing is behind the ante
    return found


def _solve(library: Path | None, name: str | None, rules: Rules, asked: _Asked) -> None:
    if library is None or name is None:
        raise UsageError(
            "A chart is solved into a library under a name: cardai preflop DIR --name NAME --iterations N."
        )
    from cardai.core.locks import DirectoryLock
    from cardai.poker.preflop.making import Goal, Making
    from cardai.poker.preflop.shares import CHECKED_DOWN, FITTED
    from cardai.poker.preflop.starts import place_of

    directory = place_of(library, name)
    directory.mkdir(parents=True, exist_ok=True)
    goal = Goal(tuple(range(asked.seeds)), asked.iterations, asked.hands)
    with DirectoryLock(directory, "The chart {} is being solved"), progress("preflop", "iterations") as advance:
        making = Making(directory, rules, CHECKED_DOWN if asked.check_down else FITTED)

        def told(what: str, done: int, whole: int) -> None:
            if advance is not None:
                advance(done, whole)

        try:
            making.chart(making.solve(goal, told), goal, told)
        except KeyboardInterrupt:
            note("Stopped. The same command goes on from what was kept, some seconds ago at most.")
            raise typer.Exit(130) from None


def _list(library: Path | None, json: bool) -> None:
    from attrs import asdict

    from cardai.poker.preflop.starts import charts, head_of

    found = []
    for one in charts(library):
        try:
            found.append((one, head_of(one)))
        except DamagedFileError as error:  # spoils no other
            note(f"Left out: {error}")
    if json:
        print_json({"charts": [{"name": one.name, "place": one.place, **asdict(head)} for one, head in found]})
        return
    table = _table(
        "chart", "players", "stack", "ante", "raises", "seeds", "iterations", "spread", "gain", "CPU s", "place"
    )
    for one, head in found:
        rules = head.rules
        table.add_row(
            one.name, str(rules.players), f"{rules.stack:g}", f"{rules.ante:g}", rules.raises, str(len(head.seeds)),
            f"{head.iterations:,}", f"{100 * head.spread:.1f} %", f"{1000 * sum(head.gain) / rules.players:.1f} mbb",
            f"{head.cpu_seconds:,.0f}", one.place,
        )  # fmt: skip
    out().print(table)
    out().print(
        "spread: how differently seeds play, in % of decisions. gain: what a seat wins more by taking what brings most, the mean."
    )


def _show(chart: Chart, name: str, at: str) -> None:
    from cardai.commands.show.range_grid import table_of
    from cardai.poker.ranges.grid import Grid, shown_actions

    node = chart.node(at)
    rules, console = chart.head.rules, out()
    console.print(_title(chart, name))
    if not chart.tree.count[node]:
        pot, behind = chart.pot(node)
        console.print(f"{at}: nothing is left to decide. The pot is {pot:g} big blinds, {behind:g} are behind.")
        return
    seat = int(chart.tree.actor[node])
    words = tuple(_words(token) for token in chart.tree.actions(node))
    console.print(f"\n{rules.positions[seat]} after {at or 'nothing'!r}; the pot is {chart.pot(node)[0]:g} big blinds.")
    console.print(_actions(chart, node))
    own = chart.reach(node)[seat]
    shares = chart.strategy[chart.rows(node)] * (own > 1e-6 * max(float(own.max()), 1e-300))
    console.print(f"How often each hand {shown_actions(words)[1]}, in % (- does not come here):")
    console.print(table_of(Grid(own, shares), words))


def _title(chart: Chart, name: str) -> str:
    head = chart.head
    rules = head.rules
    what = f"{name}: {rules.players} players, {rules.stack:g} big blinds" + f", ante {rules.ante:g}" * bool(rules.ante)
    gain = ", ".join(
        f"{seat} {1000 * one:.1f} ± {1000 * wide:.1f}" if head.hands else f"{seat} {1000 * one:.2f}"
        for seat, one, wide in zip(rules.positions, head.gain, head.gain_noise, strict=True)
    )
    return (
        f"{what}. {len(head.seeds)} seed{'s' * (len(head.seeds) > 1)} of {head.iterations:,} iterations, {head.cpu_seconds:,.0f} CPU s; seeds differ in "
        f"{100 * head.spread:.1f} % of what they do. Taking what brings most would win so many mbb more: {gain}."
        + " These and what actions bring are exact where flops are shared by the rule."
        * (not head.hands)
    )


def _words(token: str) -> str:
    named = {"f": "fold", "x": "check", "c": "call", "a": "all-in"}
    return named.get(token, f"raise to {token[1:]}")


def _actions(chart: Chart, node: int) -> Any:
    """Return a table of a decision's actions: how often each is taken, and what it brings to who takes it."""
    import numpy as np

    from cardai.poker.preflop.charts import class_shares

    rows = chart.rows(node)
    seat = int(chart.tree.actor[node])
    own = chart.reach(node)[seat] * class_shares()
    table = _table("action", "how often", "brings", "spread over seeds")
    for k, token in enumerate(chart.tree.actions(node)):
        taken, value = own * chart.strategy[rows][k], chart.values[rows][k]
        weighed = np.where(np.isnan(value), 0.0, taken)  # what is unknown is not 0
        worth = f"{np.nansum(weighed * value) / weighed.sum():+.3f} bb" if weighed.any() else "-"
        spread = (own * chart.spread[rows][k]).sum() / max(own.sum(), 1e-300)
        often = taken.sum() / max(own.sum(), 1e-300)
        table.add_row(_words(token), f"{100 * often:.1f} %", worth, f"{100 * spread:.1f} %")
    return table


def _plain(chart: Chart, at: str) -> dict[str, Any]:
    from attrs import asdict

    from cardai.poker.hand_classes import class_text

    node = chart.node(at)
    rows, tree = chart.rows(node), chart.tree
    actions = tree.actions(node)
    seat = int(tree.actor[node])
    hands: dict[str, Any] = {}
    for number in range(169) if actions else ():
        known = chart.values[rows][:, number]
        hands[class_text(number)] = {
            "comes": round(float(chart.reach(node)[seat][number]), 6),
            "frequencies": [round(float(x), 4) for x in chart.strategy[rows][:, number]],
            "values": [None if x != x else round(float(x), 4) for x in known],
            "noise": [None if x > 1000 else round(float(x), 4) for x in chart.noise[rows][:, number]],
        }
    pot, behind = chart.pot(node)
    return {
        "head": asdict(chart.head), "line": at, "pot": pot, "behind": behind, "actions": list(actions),
        "seat": chart.head.rules.positions[seat] if actions else None, "hands": hands,
    }  # fmt: skip


def _table(*names: str) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(names):
        table.add_column(name, justify="left" if k == 0 else "right")
    return table
