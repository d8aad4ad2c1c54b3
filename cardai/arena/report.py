"""Results as people read them: the tables that the commands print, ``print(result)`` and notebooks show."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from cardai.core.statistics import Estimate
from cardai.core.text import one_line, shown

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.table import Table

    from cardai.arena.bootstrap import Interval
    from cardai.arena.match import MatchResult
    from cardai.arena.tournament import Standings

INTERVAL = "± is half a 95% interval."


def percent(estimate: Estimate) -> str:
    """Return a rate as "59.1 ± 2.9 %"."""
    if estimate.half_width >= 0.5:  # says nothing about a rate
        return f"{100 * estimate.mean:.1f} ± ? %"
    return estimate.scaled(100).text(1, "%")


def signed(estimate: Estimate, unit: str) -> str:
    """Return a mean as "+1.23 ± 0.31 points", with as many digits as its interval is worth."""
    width = estimate.half_width
    digits = 2 if math.isnan(width) or width == 0 else max(0, min(6, 1 - math.floor(math.log10(width))))
    mean = round(estimate.mean, digits) + 0.0  # no -0
    return f"{mean:+.{digits}f} ± {'?' if math.isnan(width) else f'{width:.{digits}f}'} {unit}"


def between(found: Interval, unit: str) -> str:
    """Return a mean as "+1.23 (+0.92 to +1.60) points", with as many digits as its interval is worth."""
    width = (found.high - found.low) / 2
    digits = 2 if math.isnan(width) or width == 0 else max(0, min(6, 1 - math.floor(math.log10(width))))
    return found.text(digits, unit, sign=True)


def columns(agents: Sequence[str]) -> list[str]:
    """Return a heading for each agent; clones are numbered."""
    return [
        one_line(name) + (f" ({agents[: i + 1].count(name)})" if agents.count(name) > 1 else "")
        for i, name in enumerate(agents)
    ]


# -- a match -----------------------------------------------------------------------------------------------------------


def match_rows(result: MatchResult) -> list[tuple[str, list[str]]]:
    """Return a match as rows: a label and a text for each agent; first what decides the game."""
    game, count = result.game, len(result.agents)
    rows: list[tuple[str, list[str]]] = []
    if count > 1:
        rows.append(("games won", [percent(result.win_rate(a)) for a in range(count)]))
    means = [signed(result.mean_return(a), game.unit) for a in range(count)]
    rows.append(("mean return a hand", means))
    if game.measure == "returns" or count == 1:
        rows.reverse()
    summaries = [dict(result.summary(a)) for a in range(count)]
    labels = dict.fromkeys(label for summary in summaries for label in summary)
    rows += [(label, [summary.get(label, "") for summary in summaries]) for label in labels]
    if any(result.forfeits):
        rows.append(("forfeits", [str(n) for n in result.forfeits]))
    nothing = ("nan", "+nan")
    return [(label, ["-" if cell.startswith(nothing) else cell for cell in cells]) for label, cells in rows]


def match_parts(result: MatchResult, in_turn: bool = False) -> Iterator[RenderableType]:
    """Yield a match for rich: its title and its table. ``in_turn``: games were played one after the other."""
    from rich.text import Text

    played = result.played.games
    if result.interrupted:
        lean = " Those that end early come first, so the figures lean to short games."
        uneven = result.wanted > 1 and result.played.hands_count > played and not in_turn
        stopped = f"Stopped after {played:,} of {result.wanted:,} games.{lean if uneven else ''}"
        yield Text(stopped, style="yellow")
    if not played:
        yield Text("No game was finished.")
        return
    yield Text(_match_title(result))
    yield Text("")
    header = ["", *columns(result.agents)] if len(result.agents) > 1 else []
    yield _SideBySide(header, [[label, *cells] for label, cells in match_rows(result)])
    if result.duplicate and len(result.agents) > 1 and len(set(result.agents)) == 1:
        yield Text(
            "\nOn deals played in every seat a player against itself scores exactly even (--no-duplicate does not)."
        )


def _match_title(result: MatchResult) -> str:
    played, hands = result.played.games, result.played.hands_count
    title = f"{' against '.join(map(one_line, result.agents))}: {played:,} {'game' if played == 1 else 'games'}"
    if hands != played:
        title += f" of {hands / played:.2f} hands"
    if result.duplicate and result.game.num_players > 1:
        deals = result.played.groups_count
        title += f", each of {deals:,} deals played in every seat" if deals > 1 else ", one deal played in every seat"
    return title + "."


def match_text(result: MatchResult) -> str:
    """Return a match as ``cardai run`` prints it."""
    return as_text([*match_parts(result), *([f"\n{INTERVAL}"] if result.played.games else [])])


def match_html(result: MatchResult) -> str:
    """Return a match as a table for notebooks."""
    if not result.played.games:
        return "<p>No game was finished.</p>"
    rows = [[label, *cells] for label, cells in match_rows(result)]
    return as_html(_match_title(result), ["", *columns(result.agents)], rows, INTERVAL)


# -- a tournament ------------------------------------------------------------------------------------------------------


def standings_title(standings: Standings, game: str) -> str:
    """Return what the numbers of a crosstable are."""
    wins = standings.game.measure == "wins"
    what = "share of games won, in %" if wins else f"mean return a hand, in {standings.game.unit}"
    return f"{game}: {what}, of the row against the column; {INTERVAL}"


def standings_rows(standings: Standings) -> list[list[str]]:
    """Return the crosstable, the best first: place, name, a cell an opponent, and the mean."""
    order = _order(standings)
    rows = []
    for place, i in enumerate(order, 1):
        cells = [_cell(standings, i, j) for j in order]
        rows.append([str(place), one_line(standings.agents[i]), *cells, _mean(standings, i)])
    return rows


def standings_table(standings: Standings) -> Table:
    """Return the crosstable for rich."""
    rows = standings_rows(standings)
    table = _table(["", "", *(row[0] for row in rows), "mean"], rows, bold=1, bold_row=-1)
    for place, column in enumerate(table.columns):
        column.justify, column.no_wrap = ("left", False) if place == 1 else ("right", True)
    table.columns[1].overflow = "fold"
    return table


def standings_parts(standings: Standings, game: str) -> Iterator[RenderableType]:
    """Yield a tournament for rich: what is shown, the crosstable, and how much was played."""
    from rich.text import Text

    yield Text(standings_title(standings, game))
    if standings.interrupted:
        yield Text("Stopped before the end; this is what is finished.", style="yellow")
    yield Text("")
    yield standings_table(standings)
    played = [len(p) for p in standings.pairings.values()]
    hands = sum(p.hands for p in standings.pairings.values())
    yield Text(f"\n{len(played)} pairing{'s' * (len(played) != 1)}, {hands:,} hands.")
    yield from ratings_parts(standings)


SHARES = {
    "wins": "the shares of games won",
    "returns": "how often a deal goes a player's way (by mean and spread of its results)",
}
"""What Elo is fitted to, by a game's measure."""


def ratings_parts(standings: Standings) -> Iterator[RenderableType]:
    """Yield Elo and alpha-rank for rich, in the order of the crosstable; nothing where nobody can be rated."""
    from rich.text import Text

    from cardai.arena.ratings import ratings

    found = ratings(standings)
    if all(math.isnan(estimate.mean) for estimate in found.elo):
        return
    rows = []
    for place, i in enumerate(_order(standings), 1):
        rated = "-" if math.isnan(found.elo[i].mean) else found.elo[i].text(0, sign=True)
        ranked = [percent(found.alpha_rank[i])] if found.alpha_rank else []
        rows.append([str(place), one_line(standings.agents[i]), rated, *ranked])
    yield Text("")
    table = _table(["", "", "Elo", *(["alpha-rank"] if found.alpha_rank else [])], rows, bold=1, bold_row=-1)
    for column in table.columns[2:]:
        column.justify = "right"
    yield table
    yield Text(f"\nElo: maximum likelihood of {SHARES[standings.game.measure]}, mean 0. {INTERVAL}")
    if found.alpha_rank:
        yield Text("alpha-rank: the share of time that evolution spends on each; a cycle shares it.")


def _order(standings: Standings) -> list[int]:
    """Return the players' numbers, the best mean first."""
    return sorted(range(len(standings.agents)), key=lambda i: _rank(standings, i))


def _rank(standings: Standings, i: int) -> float:
    """Return a sorting key: the best mean first, who has not played last."""
    value = standings.row_mean(i)
    return float("inf") if value != value else -value


def _cell(standings: Standings, i: int, j: int) -> str:
    estimate = standings.cell(i, j) if i != j else None
    if estimate is None:
        return "-"
    if standings.game.measure == "wins":
        return percent(estimate).removesuffix(" %")
    return signed(estimate, "").strip()


def _mean(standings: Standings, i: int) -> str:
    value = standings.row_mean(i)
    if value != value:
        return "-"
    return f"{100 * value:.1f}" if standings.game.measure == "wins" else f"{value:+.3g}"


# -- any table ---------------------------------------------------------------------------------------------------------


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], bold: int = -1, bold_row: int = 0) -> Table:
    """Return a table for rich without lines, with a ``header`` if there is one; one row and one column stand out."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=bool(header))
    for place, name in enumerate(header or [""] * len(rows[0])):
        table.add_column(Text(name, style="bold"), no_wrap=place > 0)
    for place, row in enumerate(rows):
        cells = [Text(cell, style="bold" if column == bold else "") for column, cell in enumerate(row)]
        table.add_row(*cells, style="bold" if place == bold_row else "")
    return table


@frozen
class _SideBySide:
    """A table for rich whose columns, behind the labels, stand side by side as far as there is room, the others below."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return console.measure(_table(self.header, self.rows), options=options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        first, end = 1, len(self.rows[0])
        wide = options.update(max_width=10_000)
        while first < end:
            last = end
            while (
                last > first + 1 and console.measure(self._part(first, last), options=wide).maximum > options.max_width
            ):
                last -= 1
            if first > 1:
                yield ""
            yield self._part(first, last)
            first = last

    def _part(self, first: int, last: int) -> Table:
        """Return the labels and the columns from ``first`` up to ``last``."""
        header = [*self.header[:1], *self.header[first:last]]
        return _table(header, [[row[0], *row[first:last]] for row in self.rows])


def as_text(parts: Sequence[RenderableType], width: int = 120) -> str:
    """Return what rich would print, as plain text: as wide as its tables need."""
    from cardai.core.console import Console

    console = Console(file=io.StringIO(), width=width)
    for part in parts:
        most = console.measure(part, options=console.options.update(max_width=10_000)).maximum
        console.width = max(width, most)
        console.print(part)
    file: Any = console.file
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n"))


def as_html(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], footer: str = "") -> str:
    """Return a table for a page."""
    cells = "".join(f"<th>{_html(name)}</th>" for name in header)
    lines = []
    for row in rows:
        first, *others = map(_html, row)
        lines.append(
            f"<tr><th style='text-align:left'>{first}</th>{''.join(f'<td>{cell}</td>' for cell in others)}</tr>"
        )
    below = f"<p>{_html(footer)}</p>" if footer else ""
    return (
        f"<div><p>{_html(title)}</p><table><thead><tr>{cells}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>{below}</div>"
    )


def _html(text: str) -> str:
    return html.escape(shown(text))
