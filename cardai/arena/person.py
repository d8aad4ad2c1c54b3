"""A person at a table, by plain text: sees the view and what can be done, types it, and sees how a hand ended.

The dialogue goes to stderr, so that a result on stdout stays clean; answers are read from stdin line by line, so they can
be typed or piped.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cardai.arena.display import coloured, even_words, help_text, private_rows, unit_of, view_text
from cardai.arena.lockstep import StopPlaying
from cardai.arena.menu import Menu, menu_of
from cardai.arena.moves import HandEnd
from cardai.core.agent import Agent
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Actions, Game
from cardai.core.legal import Legal, take
from cardai.core.notes import tell
from cardai.core.rng import Rows

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 100
QUITS = ("q", "quit", "exit")
_QUEEN = 10
TYPING = (
    "Type a key, an action's name or the beginning of its words, a card with its suit (7c; several: 7c kd), or an amount "
    "to bet or raise to (your chips on this street). q stops, after asking; the hand is kept where there is a --record."
)


class Person(Agent):
    """A person in one seat, who plays ``game``; as an agent, told of finished hands."""

    stateful = True  # to hear how each hand ended
    interactive = True

    def __init__(self, game: Game, seat: int = 0) -> None:
        self.game = game
        self.seat = seat
        self.hands = 0
        self.total = 0.0
        self.between = True

    def new_match(self, seat: int) -> Self:
        return type(self)(self.game, seat)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        fields = self.game.view_fields
        decided = [self.decide(unpack_view(fields, views[i]), take(legal, [i])) for i in range(len(views))]
        return np.array(decided, np.int64)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.see_end(view, returns)

    def decide(self, view: Mapping[str, Any], legal: Legal) -> int:
        """Show a view and what can be done; ask until the answer is a legal action, and return it.

        Raises:
            StopPlaying: the person has had enough, or nobody answers any more.
        """
        if self.between:
            say(coloured(self._title(), "bold"))
            self.between = False
        menu = menu_of(self.game, view, legal)
        say(coloured("\n" + view_text(self.game, view)))
        say(_shown(menu))
        while True:
            answer = ask()
            if answer.lower() in QUITS:
                answer = stop_or(menu)
            if answer == "?":
                say(coloured(help_text(self.game)))
                say(coloured("\n" + TYPING, signs=False))
            elif answer:
                action = menu.understood(answer)
                if isinstance(action, int) and _sure(self.game, action, view):
                    return action
                if isinstance(action, int):
                    continue
                say(coloured(action, signs=False))
                continue
            say(_shown(menu))

    def see_end(
        self, view: Mapping[str, Any], returns: Sequence[float], end: HandEnd | None = None, names: Sequence[str] = ()
    ) -> None:
        """Show how a hand ended: the person's last view, all cards that are turned over, and what was won.

        ``end`` and ``names``, by seat, are known at a table; over a wire only the view and the returns are.
        """
        self.hands += 1
        self.between = True
        mine = returns[self.seat]
        self.total += mine
        say(coloured("\n" + view_text(self.game, view)))
        if end is not None:
            for seat in (s for s in end.shown if s != self.seat):
                for label, cards in private_rows(self.game, view, end.views[seat]):
                    say(coloured(f"{names[seat]} (seat {seat}) shows {label} {cards}"))
            called = tuple("you" if s == self.seat else name for s, name in enumerate(names))
            for words in (
                words for family in self.game.families for words in family.told_at_end(self.game, end, called)
            ):
                say(coloured(words))
        if mine:
            result = f"You {'win' if mine > 0 else 'lose'} {abs(mine):g} {unit_of(self.game, mine)}."
        else:
            result = even_words(self.game, returns, end.outcome if end is not None else {})
        say(coloured(result, "bold green" if mine > 0 else "bold red" if mine < 0 else "bold"))

    def _title(self) -> str:
        title = f"\nHand {self.hands + 1}. You sit in seat {self.seat}"
        if self.hands:
            title += f"; {self.total:+g} {unit_of(self.game, self.total)} so far"
        return title + ". ? for help, q to stop."


def _sure(game: Game, action: int, view: Mapping[str, Any]) -> bool:
    """Ask a person at a terminal once before an action that puts in everything; whether to play it."""
    words = game.action_words(action, view)
    if "all-in" not in words or not sys.stdin.isatty():
        return True
    say(coloured(f"{words.capitalize()}? y plays it, Enter does not.", signs=False))
    return ask().lower() in ("y", "yes")


def stop_or(menu: Menu) -> str:
    """Ask whether a person who typed q means to stop; return what else he then says to the menu.

    Raises:
        StopPlaying: he does, or nobody answers.
    """
    queens = any(card % 13 == _QUEEN for choice in menu.choices for card in choice.cards)
    hint = " A queen is typed with its suit: qs." if queens else ""
    say(coloured(f"Stop playing? y stops, Enter goes on.{hint}", signs=False))
    answer = ask()
    if answer.lower() in ("y", "yes") or (answer.lower() in QUITS and not queens):
        raise StopPlaying
    return "" if answer.lower() in QUITS else answer


def ask() -> str:
    """Return one answer. Raises StopPlaying at the end of the input."""
    tell("> ", end="")
    line = sys.stdin.readline()
    if not sys.stdin.isatty():  # a piped answer, so that the dialogue reads well
        tell(line.removesuffix("\n"))
    if not line:
        raise StopPlaying
    return line.strip()


def say(text: Text) -> None:
    """Print a part of the dialogue."""
    from cardai.core.console import Console

    Console(stderr=True, width=None if sys.stderr.isatty() else WIDTH).print(text)


def _shown(menu: Menu) -> Text:
    """Return a menu's lines side by side where they fit."""
    lines, row = [], ""
    for item in menu.lines():
        if row and len(row) + len(item) + 5 > WIDTH:
            lines.append(row)
            row = ""
        row += ("   " if row else "  ") + item
    return coloured("\n".join([*lines, row]), signs=False)
