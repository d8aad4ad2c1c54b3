"""Triple draw's view as a person wants to see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardai.cards.text import cards_glyphs, cards_of
from cardai.poker.hands.ranking import low_text

LETTERS = ("f", "c", "r")


def draw_view(view: Mapping[str, Any]) -> str:
    """Return the hand, the seats, and the betting and drawing so far."""
    hand = [*view["hand"], *[-1] * 5][:5]
    title = f"{low_text(hand)}; " if min(hand) >= 0 else ""
    left = view["draws_left"]
    lines = [
        f"{cards_glyphs(hand, '   ')}   ({title}{left} draw{'' if left == 1 else 's'} left)",
    ]
    if view["discarded"]:
        lines.append(f"discarded {cards_glyphs(cards_of(view['discarded']))}")
    for seat, spent in enumerate(view["spent"]):
        marks = ["you"] if seat == view["player"] else []
        marks += ["button"] if seat == view["button"] else []
        marks += ["folded"] if view["folded"][seat] else []
        behind = f", {view['stacks'][seat]} behind" if view["stacks"][seat] else ""
        drawn = [5 - kept for kept in view["kept"][3 * seat : 3 * seat + 3] if kept >= 0]
        drew = f", drew {'-'.join(str(n) if n else 'pat' for n in drawn)}" if drawn else ""
        note = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  seat {seat}: {spent} in{behind}{drew}{note}")
    said = betting_text(view)
    lines.append(f"pot {view['pot']}, {view['to_call']} to call; {'betting ' + said if said else 'nobody has acted'}")
    return "\n".join(lines)


def betting_text(view: Mapping[str, Any]) -> str:
    """Return what happened, a slash a round: f, c, r for betting, d and a number for a draw ("crc/d2d1rc")."""
    out = []
    last = 0
    for action, when in zip(view["history"], view["history_round"], strict=True):
        out.append("/" * (when - last))
        last = when
        out.append(LETTERS[action] if action < 3 else f"d{action - 3}")
    return "".join(out)
