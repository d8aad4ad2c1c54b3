"""A report over flops or turns: one spot on many boards, a row a board, and the weighted mean of all.

A card of its line may be ``*``: then each board has a row for every card that can come there, from what was solved once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai.cards.text import card_text, parse_cards
from cardai.core.errors import UsageError
from cardai.pieces import Work
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.flops import SIZES, Subset, subset, texture
from cardai.poker.ranges.kept import KeptSolver, kept_arrays
from cardai.poker.ranges.library import Entry, Library, canonical, image
from cardai.poker.ranges.lines import words_of
from cardai.poker.ranges.position import Position, Suits
from cardai.poker.ranges.reading import equities
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import Spot

FIXED = ("flop", "texture", "weight", "equity_first", "equity_button", "ev_first", "ev_button")
LAST = ("reached", "exploitability")
"""The columns before those of actions; what is reached, and the exploitability, stand last."""
ANY = "*"
"""Any card, in a line."""
Row = dict[str, Any]


@frozen
class Goal:
    """How far each flop is solved."""

    to: float
    iterations: int


def reports(
    library: Library,
    spot: Spot,
    flops: Subset,
    goal: Goal,
    line: str = "",
    *,
    jobs: int = 1,
    on: str = "",
    label: Mapping[str, str] | None = None,
    heard: Callable[[Solution], bool] | None = None,
) -> Iterator[Row]:
    """Yield a row a flop or turn (or a row a card, see the module's text), those that the library has first; what is solved is
    kept in it at once, but for what is less exact than what it has (the iterations ended it), which is shown then.

    ``heard`` is told of the flop that is being solved every second or so, in this process; what it raises ends the report.

    Raises:
        UsageError: the spot makes no sense on a flop, or the line leads nowhere.
    """
    spots, weights = dict[str, Spot](), dict[str, float]()
    named = dict[str, tuple[Spot, Suits]]()
    for flop, weight in zip(flops.flops, flops.weights, strict=True):
        one, suits = image(evolve(spot, board=flop))
        named.setdefault(one.board, (canonical(evolve(spot, board=flop)), suits))
        spots[one.board], weights[one.board] = one, weights.get(one.board, 0.0) + weight
    pieces, before = [], dict[str, float]()
    for board, one in spots.items():
        known = library.get(named[board][0])
        if known is not None and known.exploitability <= goal.to:
            yield from rows(known, line, weights[board])
        else:
            before[board] = float("inf") if known is None else known.exploitability
            pieces.append((board, (one,)))
    if not pieces:
        return
    if heard is None:
        done = Work(solve_piece, goal, on=on, jobs=jobs, pieces=pieces).run()
    else:
        done = ((board, solve_piece(goal, one, heard)) for board, (one,) in pieces)
    for board, (iterations, measured, arrays) in done:
        one = spots[board]
        solution = Solution(one, KeptSolver(one.layout(small=True), one.weights(), iterations, arrays))
        solution.measured, solution.measured_at = measured, iterations
        better = library.get(named[board][0]) if before[board] < solution.exploitability else None
        if better is None:
            library.keep(solution, **(label or {}))
        yield from rows(better or solution.renamed(*named[board]), line, weights[board])


def solve_piece(
    goal: Goal, spot: Spot, heard: Callable[[Solution], bool] | None = None
) -> tuple[int, Measured, dict[str, Any]]:
    """Return a board's solution as it is kept: iterations, measure, arrays."""
    if spot.checked_down or len(spot.cards()) > 4:
        raise UsageError("A report is over flops or turns that are solved to the river.")
    solution = solve(prepare(spot), goal.to, goal.iterations, heard)
    assert solution.measured is not None
    return solution.iterations, solution.measured, kept_arrays(solution.solver)


def rows(solution: Solution, line: str, weight: float) -> Iterator[Row]:
    """Yield a board's row, or a row for every card that can come in the place of :data:`ANY` in the line, with its share of the
    weight.

    Raises:
        UsageError: the line leads nowhere, or has several such places.
    """
    words = words_of(line)
    if ANY not in words:
        yield row(solution, line, weight)
        return
    place, board = words.index(ANY), solution.spot.cards()
    if words.count(ANY) > 1:
        raise UsageError(f"A report's line has one {ANY} at most. Got {line!r}.")
    came = [card for card in range(51, -1, -1) if card not in board and card_text(card) not in words]
    for card in came:
        found = row(solution, " ".join([*words[:place], card_text(card), *words[place + 1 :]]), weight / len(came))
        found["flop"] += card_text(card)
        found["texture"] = texture(found["flop"])
        found["reached"] *= len(came) / (len(came) - 4)  # of the hands that leave the card there
        yield found


def row(solution: Solution, line: str, weight: float) -> Row:
    """Return a flop's row: equities and EVs of both, how often each action is taken, how often the line is reached.

    Where the line is never reached there is nothing to say of what is done and worth there: those columns are left out.
    """
    position = solution.at(line, house=bool(line))
    reached = _together(position) / _together(solution.at("")) if line else 1.0
    found: Row = {"flop": solution.spot.board, "texture": texture(solution.spot.board), "weight": weight}
    if reached > 0:
        equity = equities(position)[0]
        values = position.worths if line else solution.values
        found |= {"equity_first": 100 * equity[0], "equity_button": 100 * equity[1]}
        found |= {"ev_first": values[0], "ev_button": values[1]}
        found |= {words: 100 * often for words, often in zip(position.actions, position.frequencies, strict=True)}
    return found | {"reached": 100 * reached, "exploitability": solution.exploitability}


def _together(position: Position) -> float:
    """Return the weight of all pairs of hands that come to a decision."""
    return float(position.weights[position.seat] @ position.met)


@frozen
class KeptReport:
    """Spots of a library that differ in their flop alone."""

    spot: Spot
    """One of them."""
    entries: Mapping[str, Entry]
    """By the flop, as :func:`~.library.image` writes it."""
    flops: Subset
    """Which of them the report is over, with their weights."""
    chosen: bool
    """Whether these are flops that stand for all, rather than all that there are, each with the same weight."""

    @property
    def to(self) -> float:
        """The exploitability, in % of the pot, that all of them have reached, rounded up."""
        worst = max(self.entries[flop].exploitability for flop in self.flops.flops)
        return float(np.ceil(1000 * worst) / 1000)


def kept_reports(library: Library) -> list[KeptReport]:
    """Return the reports that a library has the spots of, two flops at least, the largest first."""
    alike: dict[Spot, dict[str, Entry]] = {}
    for one in library:
        if one.spot.locks or one.spot.checked_down or one.measured is None or len(one.spot.cards()) != 3:
            continue  # no report has such spots
        spot = image(one.spot)[0]
        alike.setdefault(evolve(spot, board=""), {})[spot.board] = one
    found = []
    for entries in alike.values():
        if len(entries) > 1:
            spot = image(next(iter(entries.values())).spot)[0]
            found.append(KeptReport(spot, entries, *_weighed(spot, entries)))
    return sorted(found, key=lambda one: -len(one.flops.flops))


def _weighed(spot: Spot, entries: Mapping[str, Entry]) -> tuple[Subset, bool]:
    """Return the largest subset in the box of which all flops are there; else all that are there, of the same weight."""
    for count in reversed(SIZES):
        if count <= len(entries):
            known = subset(count)
            names = tuple(image(evolve(spot, board=flop))[0].board for flop in known.flops)
            if all(name in entries for name in names):
                return evolve(known, flops=names), True
    boards = tuple(sorted(entries))
    return Subset(boards, (1 / len(boards),) * len(boards), 0.0, 0.0, 0.0), False


def columns(rows: Sequence[Row]) -> list[str]:
    """Return the columns: the fixed ones, the actions of all rows, and the last two."""
    actions = dict.fromkeys(name for one in rows for name in one if name not in (*FIXED, *LAST))
    return [*FIXED, *actions, *LAST]


def mean(rows: Sequence[Row]) -> Row:
    """Return the weighted mean of rows: what is done by how often it is reached, all else by the flops' weights.

    A line that is reached on none of them has no mean of what is done there.
    """
    weights = np.array([one["weight"] for one in rows])
    found: Row = {"flop": "all", "texture": "", "weight": float(weights.sum())}
    for name in columns(rows)[3:]:
        values = np.array([one.get(name, 0.0) for one in rows])
        by = weights * [one["reached"] for one in rows] if name not in LAST else weights
        if by.sum() > 0:
            found[name] = float(values @ by / by.sum())
    return found


def chosen(rows: Sequence[Row], only: str, sort: str) -> list[Row]:
    """Return the rows of a texture (words that it must have), by a column, the largest first; "-NAME" the smallest first.

    Raises:
        UsageError: no such column.
    """
    left = [one for one in rows if all(word in one["texture"].split() for word in only.split())]
    if not sort:
        return left
    name = sort.removeprefix("-")
    known = columns(rows)
    if name not in known:
        raise UsageError(f"There is no column {name!r} to sort by. Known: {', '.join(known)}.")
    if name == "flop":
        return sorted(left, key=lambda one: [-(card % 13) for card in parse_cards(one["flop"])])
    blank = "" if name == "texture" else 0.0
    return sorted(left, key=lambda one: one.get(name, blank), reverse=not sort.startswith("-"))
