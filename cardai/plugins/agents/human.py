"""You, at the keyboard: the view as a person wants it, numbered legal actions, ? for help, q to stop.

The dialogue goes to stderr, so that a result on stdout stays clean; answers are read from stdin line by line, so they
can be typed or piped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from attrs import frozen

from cardai.arena.display import action_name, coloured, help_text, view_text
from cardai.arena.lockstep import StopPlaying
from cardai.core.agent import Agent
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Actions, Amounts, Game, Legal
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 100
_AMOUNT = re.compile(r"(?:r|raise|bet)?(?:\s*to)?\s*(\d[\d,]*)")


@frozen
class Human(Agent):
    """A person: sees the view, types a number, an action's name (or part of it), or an amount to raise to."""

    interactive = True

    def for_game(self, game: Game) -> Agent:
        return AtTable(game)


class AtTable(Agent):
    """A person at one seat of one table."""

    stateful = True  # to hear how each hand ended
    interactive = True

    def __init__(self, game: Game, seat: int = 0) -> None:
        self.game = game
        self.seat = seat
        self.hands = 0
        self.between = True

    def new_match(self, seat: int) -> Self:
        return type(self)(self.game, seat)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        return np.array([self._decide(views[i], _take(legal, i)) for i in range(len(views))], np.int64)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.hands += 1
        self.between = True
        mine = returns[self.seat]
        if mine:
            unit = self.game.unit.removesuffix("s") if abs(mine) == 1 else self.game.unit
            result = f"You {'win' if mine > 0 else 'lose'} {abs(mine):g} {unit}."
        else:
            result = "Nobody wins." if len(returns) > 1 and not any(returns) else "You win nothing."
        _say(coloured(view_text(self.game, view)))
        _say(coloured(result, "bold green" if mine > 0 else "bold red" if mine < 0 else "bold"))

    def _decide(self, row: Any, legal: Legal) -> int:
        """Show one view and its legal actions; ask until the answer is one of them."""
        view = unpack_view(self.game.view_fields, row)
        if self.between:
            title = f"Hand {self.hands + 1}" if self.hands else "A new game"
            _say(coloured(f"\n{title}. You sit in seat {self.seat}; ? for help, q to stop.", "bold"))
            self.between = False
        _say(coloured("\n" + view_text(self.game, view)))
        choices = [0, 1, 2] if isinstance(legal, Amounts) else []
        if isinstance(legal, Amounts):
            choices = [kind for kind in choices if legal.kinds[0, kind]]
        else:
            choices = [int(action) for action in np.flatnonzero(legal[0])]
        names = [self._name(action, legal) for action in choices]
        _say(_columns([f"{i} {name}" for i, name in enumerate(names, 1)]))
        while True:
            answer = _ask()
            if answer == "?":
                _say(coloured(help_text(self.game) + "\n\n" + _TYPING))
                _say(_columns([f"{i} {name}" for i, name in enumerate(names, 1)]))
                continue
            action = understood(answer, choices, names, legal)
            if isinstance(action, int):
                return action
            _say(coloured(action))

    def _name(self, action: int, legal: Legal) -> str:
        if action == 2 and isinstance(legal, Amounts):
            return f"raise to {int(legal.min_amount[0]):,}..{int(legal.max_amount[0]):,} (type the amount)"
        return action_name(self.game, action)


_TYPING = "Type an action's number, its name or a part of it (a card: 7c), an amount to raise to; q stops and keeps the record."


def understood(answer: str, choices: list[int], names: list[str], legal: Legal) -> int | str:
    """Return the action that ``answer`` means, or a sentence that says why it means none."""
    text = _without_glyphs(answer)
    amount = _AMOUNT.fullmatch(text) if isinstance(legal, Amounts) and legal.kinds[0, 2] else None
    if text.isdigit() and 1 <= int(text) <= len(choices):
        chosen = choices[int(text) - 1]
        if not (chosen == 2 and isinstance(legal, Amounts)):
            return chosen
        return f"Raise to how much? Type {names[choices.index(2)].removesuffix(' (type the amount)')}."
    if isinstance(legal, Amounts) and legal.kinds[0, 2]:
        low, high = int(legal.min_amount[0]), int(legal.max_amount[0])
        wanted = {"min": low, "max": high, "allin": high, "all-in": high, "all in": high}.get(text)
        if wanted is None and amount:
            wanted = int(amount.group(1).replace(",", ""))
        if wanted is not None:
            return wanted if low <= wanted <= high else f"A raise goes to {low:,} at least and {high:,} at most."
    plain = [_without_glyphs(name) for name in names]
    same = [i for i, name in enumerate(plain) if name == text]
    found = same or [i for i, name in enumerate(plain) if text and text in name]
    if len(found) == 1 and not (choices[found[0]] == 2 and isinstance(legal, Amounts)):
        return choices[found[0]]
    if len(found) > 1:
        return f"{answer!r} could be {', '.join(names[i] for i in found[:6])}. Type its number."
    return f"There is no action {answer!r} here. Type 1 to {len(choices)}, ? for help, q to stop."


def _without_glyphs(name: str) -> str:
    return name.lower().translate(str.maketrans("♣♦♥♠", "cdhs"))


def _take(legal: Legal, row: int) -> Legal:
    return legal.take([row]) if isinstance(legal, Amounts) else legal[row : row + 1]


def _ask() -> str:
    """Read one answer. Raises StopPlaying for q, quit, or the end of the input."""
    sys.stderr.write("> ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        sys.stderr.write(
            line if line.endswith("\n") else line + "\n"
        )  # a piped answer, so that the dialogue reads well
    if not line or line.strip().lower() in ("q", "quit", "exit"):
        raise StopPlaying
    return line.strip()


def _say(text: Text) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else WIDTH).print(text)


def _columns(items: list[str]) -> Text:
    """Return items side by side in as many columns as fit."""
    wide = max(len(item) for item in items) + 3
    each = max(1, WIDTH // wide)
    rows = [items[i : i + each] for i in range(0, len(items), each)]
    return coloured("\n".join("  " + "".join(item.ljust(wide) for item in row).rstrip() for row in rows))


@hookimpl
def cardai_agent() -> type[Agent]:
    return Human
