"""What is to be seen at one moment, from one seat: made once, drawn by whoever likes, and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from cardai.arena.display import action_name, card_name, unit_of, without_cards
from cardai.arena.menu import Menu
from cardai.arena.moves import HIDDEN, HandEnd, Move
from cardai.core.game import Game
from cardai.core.statistics import Estimate
from cardai.core.text import one_line
from cardai.poker.fields import POKER


def _lines(names: Sequence[str]) -> tuple[str, ...]:
    """Return names, a record's or a plugin's, each as it may be shown in one line."""
    return tuple(map(one_line, names))


@frozen
class Entry:
    """One line of the log: who did it (None: the table) and what."""

    seat: int | None
    words: str


@frozen
class Standing:
    """What a person has won so far: hands, their sum and mean with its interval, games won of games finished."""

    hands: int
    total: float
    mean: Estimate
    won: int = 0
    games: int = 0


@frozen(eq=False)
class Scene:
    """What ``seat`` sees.

    ``view`` is the seat's, ``names`` are by seat, ``open`` holds the views of other seats whose cards are face up. ``menu``
    is what the person may do, None when it is not the person's turn; ``end`` is there once the hand is over.
    """

    game: Game
    seat: int
    view: Mapping[str, Any]
    names: tuple[str, ...] = field(converter=_lines)
    to_act: int | None
    title: str
    log: tuple[Entry, ...] = ()
    open: Mapping[int, Mapping[str, Any]] = {}
    menu: Menu | None = None
    end: HandEnd | None = None
    standing: Standing | None = None
    game_over: bool = False
    blind: int = 0
    """The chips of a big blind, where amounts are shown in these."""
    person: bool = True
    """Whether the seat is that of the person who looks, who is called "you"."""

    def name(self, seat: int) -> str:
        """Return what a seat is called: "you", or its player's name."""
        return "you" if self.person and seat == self.seat else self.names[seat]

    def says(self, seat: int) -> str:
        """Return what stands between a seat's name and what it did: "you check", but "heisenbot: check"."""
        return " " if self.person and seat == self.seat else ": "


def entries_of(
    game: Game,
    move: Move,
    mover: Mapping[str, Any],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    open_to: bool = False,
    watcher: int = 0,
) -> list[Entry]:
    """Return the log lines of a move for the seat ``watcher``, whose views before and after it are given.

    ``mover`` is the view of who moved, before; ``open_to`` says whether the watcher may know all of it.
    """
    entries = []
    if open_to or move.seat == watcher:
        entries.append(Entry(move.seat, action_name(game, move.action, mover)))
    elif move.seen[watcher] == HIDDEN:
        entries.append(Entry(move.seat, _said_of_hidden(game, before, after)))
    elif move.seen[watcher] is not None:
        entries.append(Entry(move.seat, action_name(game, move.action, without_cards(game, mover))))
    if game.speaks(POKER):
        entries += [Entry(None, words) for words in _new_cards(game, before, after)]
    return entries


def _said_of_hidden(game: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return what a public history says of an action whose cards were not seen: "discard 2"."""
    for f in game.view_fields:
        if f.kind == "public_history" and f.labels and len(after[f.name]) > len(before[f.name]):
            return f.labels[int(after[f.name][-1])]
    return "something hidden"


def _new_cards(game: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the public cards that have come: "board A♠ K♦ 2♣"."""
    lines = []
    for f in game.view_fields:
        if f.kind == "cards" and f.role == "public" and len(after[f.name]) > len(before[f.name]):
            cards = [card_name(game, int(card)) for card in after[f.name][len(before[f.name]) :]]
            lines.append(f"{f.name.replace('_', ' ')} {' '.join(cards)}")
    return lines


def result_words(game: Game, names: Sequence[str], returns: Sequence[float]) -> list[str]:
    """Return what each seat won: "you +20 chips"."""
    return [f"{name} {amount:+,g} {unit_of(game, amount)}" for name, amount in zip(names, returns, strict=True)]
