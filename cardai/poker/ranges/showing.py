"""A solution as people read it: tables, rows for other tables, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict

from cardai.arena.report import as_text
from cardai.cards.text import cards_text
from cardai.core.text import clock
from cardai.poker.hands.combos import pairs
from cardai.poker.ranges.position import Position

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cardai.poker.ranges.layout import TreeLayout
    from cardai.poker.ranges.solution import Solution


def standing(solution: Solution) -> str:
    """Return how far a solution is and what the spot is worth."""
    if solution.measured is None:
        return f"{solution.iterations:,} iterations, not measured."
    first, button = solution.values
    taken = f", the house {solution.spot.pot - first - button:,.2f}" if solution.spot.rake else ""
    return (
        f"{solution.iterations:,} iterations, exploitability {solution.exploitability:.3g} % of the pot of "
        f"{solution.spot.pot:,}. Worth: first to act {first:,.2f}, button {button:,.2f}{taken}."
    )


def effort(layout: TreeLayout, packed: bool) -> str:
    """Return what is to be solved, what it takes in memory, and how long an iteration will take."""
    size, seconds = layout.num_bytes("int16" if packed else "float32") / 2**20, layout.seconds
    boards, hands = layout.boards[-1], len(layout.boards[0].hands[0])
    counted = f"{len(boards):,} boards of the last street, " if len(boards) > 1 else ""
    each = f"{float(f'{1e3 * seconds:.2g}'):,g} ms" if seconds < 1 else f"{seconds:.2g} s"
    return (
        f"{layout.tree.size:,} public nodes, {counted}{hands:,} hands: {size:,.1f} MiB, about {each} "
        f"of CPU an iteration, so {clock(200 * seconds)} to {clock(1000 * seconds)} for the usual 200 to 1,000."
        + (
            f" {layout.tree.below:,} bets of the menu are below the least raise, and left out."
            * bool(layout.tree.below)
        )
    )


def parts(solution: Solution) -> Iterator[RenderableType]:
    """Yield a solution for rich: how far it is, and its first decision."""
    from rich.text import Text

    position = solution.at("")
    yield Text(standing(solution))
    yield Text(position.title)
    yield position.table()


def text(solution: Solution) -> str:
    """Return what ``print(solution)`` shows."""
    return as_text(list(parts(solution)))


def page(solution: Solution) -> str:
    """Return a solution's first decision as HTML."""
    return solution.at("").page(standing(solution))


def columns(position: Position) -> dict[str, Any]:
    """Return a decision as columns, a row a hand of the range: hand, weight, and of each action how often and its worth."""
    own = np.flatnonzero(position.weights[position.seat] > 0)
    found: dict[str, Any] = {"hand": _names(position)[own], "weight": position.weights[position.seat][own]}
    for token, often, worth in zip(position.tokens, position.strategy, position.values, strict=True):
        found[f"often_{token}"] = often[own]
        found[f"worth_{token}"] = worth[own]
    found["worth"] = (position.strategy * np.nan_to_num(position.values)).sum(axis=0)[own]
    return found


def as_json(solution: Solution, position: Position) -> dict[str, Any]:
    """Return a solution and one of its decisions as JSON; chips are from the decision on, a fold is worth 0."""
    names, own, hands = _names(position), position.weights[position.seat], []
    for k in np.flatnonzero(own > 0):
        worth = [None if x != x else float(x) for x in position.values[:, k]]
        often = [float(x) for x in position.strategy[:, k]]
        hands.append({"hand": str(names[k]), "weight": float(own[k]), "frequencies": often, "values": worth})
    found = zip(position.actions, position.tokens, position.frequencies, position.action_values, strict=True)
    return {
        "spot": asdict(solution.spot),
        "iterations": solution.iterations,
        "exploitability_percent": solution.exploitability,
        "values": list(solution.values),
        "line": position.line,
        "board": cards_text(position.board),
        "seat": position.seat,
        "pot": position.pot,
        "actions": [
            {"action": words, "token": token, "frequency": often, "value": None if worth != worth else worth}
            for words, token, often, worth in found
        ],
        "value": position.value,
        "hands": hands,
    }


def _names(position: Position) -> Any:
    return np.array([cards_text(one) for one in pairs()[position.hands][:, ::-1]])
