"""A betting game's view as a person wants to see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def draw_view(view: Mapping[str, Any], card: Callable[[int], str], amounts: bool) -> str:
    """Return the table as text: seats, chips, cards, the betting so far, and what there is to call."""
    lines = [
        f"hole {' '.join(card(c) for c in view['hole']) or '-'}   "
        f"board {' '.join(card(c) for c in view['board']) or '-'}   pot {view['pot']}"
    ]
    for seat, spent in enumerate(view["spent"]):
        marks = ["you"] if seat == view["player"] else []
        marks += ["button"] if seat == view["button"] else []
        marks += ["folded"] if view["folded"][seat] else []
        behind = f", {view['stacks'][seat]} behind" if view["stacks"][seat] else ""
        note = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  seat {seat}: {spent} in{behind}{note}")
    said = betting_text(view, amounts)
    lines.append(f"{'betting ' + said if said else 'nobody has acted'}; {view['to_call']} to call")
    return "\n".join(lines)


def betting_text(view: Mapping[str, Any], amounts: bool) -> str:
    """Return the betting as the competition writes it, a slash a round: ``cr/rc`` or ``cr300c/cr900``."""
    out = []
    last: int = 0
    for action, when in zip(view["history"], view["history_round"], strict=True):
        out.append("/" * (when - last))
        last = when
        out.append("f" if action == 0 else "c" if action == 1 else f"r{action}" if amounts else "r")
    out.append("/" * (view["round"] - last))
    return "".join(out)
