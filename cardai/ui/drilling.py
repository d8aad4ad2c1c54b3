"""Drills over a library of solved spots: a hand of one is dealt, its solution plays the other seat and grades every decision.

Spots that are due come first, the dearest first, then those that were never met, each from either seat. A hand without a cost
brings its spot back after 1, 2, 4, ... days, one with a cost later in the same sitting (:mod:`cardai.study.drills`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.arena.moves import Move
from cardai.arena.records import Record
from cardai.arena.table import Table
from cardai.cards.text import cards_glyphs
from cardai.core.errors import UsageError
from cardai.core.rng import derive
from cardai.core.spec import Spec, build, option, parse, write_value
from cardai.poker.ranges.library import Entry, Library
from cardai.poker.ranges.spot import STREETS
from cardai.poker.ranges.spot_game import SpotGame
from cardai.study.coach import Coach
from cardai.study.drills import order
from cardai.ui import again, kept
from cardai.ui.match import Match
from cardai.ui.scene import Entry as Said
from cardai.ui.scene import Scene

NAME = "drill"
"""What stands in place of a game: ``drill:library=DIR``."""
NAMES = ("human", "solved_spot")
YOU = ("act first", "are on the button")


@frozen
class Drill:
    """What is drilled: the spots of a library, all or those of a position and pot type."""

    library: str = option("", help="A library of solved spots (cardai library); without, those that the study keeps.")
    position: str = option("", help="Only spots of this position, such as BTN-BB.")
    raised: str = option("", help="Only spots of this pot type, such as single.")

    def spots(self, say: Callable[[str], object] = lambda words: None) -> list[Entry]:
        """Return the spots that can be drilled; ``say`` hears of each that is damaged. Raises UsageError: there are none."""
        library = Library(Path(self.library) if self.library else kept.folder() / kept.SPOTS)
        everything = list(library)
        for words in library.damaged:
            say(words)
        whole = [one for one in everything if not one.spot.rake and not one.spot.checked_down]
        ready = [one for one in whole if one.measured is not None]
        found = [one for one in ready if self.position in ("", one.position) and self.raised in ("", one.raised)]
        if not found:
            known = ", ".join(sorted({f"{one.position} {one.raised}".strip() for one in ready} - {""}))
            of = " ".join(word for word in (self.position, self.raised) if word)
            why = f" of {of!r}" if of and ready else ""
            unplayed = f" {len(everything)} with rake, checked down or not yet solved cannot be played."
            left = unplayed if everything and not ready else ""
            there = f" Known: {known or 'spots without a position'}." if ready else left
            raise UsageError(
                f"There is no spot{why} to drill in {str(library.directory)!r}.{there} Keep some: cardai solve ... --library DIR"
            )
        return found


def drill_of(game: str | None) -> Drill | None:
    """Return the drill that stands in place of a game, None: it is a game. Raises OptionError, SpecError."""
    if game is None or game.partition(":")[0] != NAME:
        return None
    drill: Drill = build(Drill, parse(game).values(), "The drill")
    return drill


class Drilling(Match):
    """A sitting over the spots of a drill, a hand of one after the other, from a root ``seed``.

    Raises:
        UsageError: there is no spot to drill. DamagedFileError: one cannot be read, or how the last ones went.
    """

    praise = "Nothing was better."

    def __init__(self, drill: Drill, seed: int) -> None:
        self.spots = {one.path.name: one for one in drill.spots()}
        self.seed, self._count, self._over = seed, 0, list[Record]()
        self._queue: list[str] = []
        self.blind = 0
        self._deal()
        self._make_ready()

    @property
    def records(self) -> Sequence[Record]:
        return [*self._over, *self.table.records]

    def scene(self) -> Scene:
        found, game = super().scene(), self.game
        assert isinstance(game, SpotGame)
        if game.tree.scale == 1:
            return found
        end = None if found.end is None else evolve(found.end, views=tuple(map(game.in_chips, found.end.views)))
        open_ = {seat: game.in_chips(view) for seat, view in found.open.items()}
        return evolve(found, view=game.in_chips(found.view), open=open_, end=end)

    def next_hand(self) -> None:
        """Deal a hand of the next spot."""
        self._over += self.table.records
        self.table.close()
        self._deal()

    def _deal(self) -> None:
        if not self._queue:
            names = [f"{name} {seat}" for name in self.spots for seat in range(2)]
            rng = np.random.default_rng(derive(self.seed, "drill", self._count))
            self._queue = order(names, again.due(), again.today(), rng)
        self.name = self._queue.pop(0)
        key, _, seat = self.name.rpartition(" ")
        self.entry = self.spots[key]
        game = make.game(Spec("holdem_spot", (("directory", write_value(str(self.entry.path))),)))
        groups = itertools.count(2 * self._count + int(seat))  # an odd one seats the person on the button
        self._count += 1
        seed, self._solution = derive(self.seed, "spot", self._count), make.agent("solved_spot").for_game(game)
        table = Table(game, [None, self._solution], seed=seed, groups=groups, names=NAMES, stepwise=True)
        self._sit(table, Coach(game, self._solution))  # the solution is read once for both
        self._log = [Said(None, self._about())]

    def _make_ready(self) -> None:
        """Play and grade a hand on the side: what has to be compiled is compiled before the first decision."""
        other = Match(Table(self.game, [None, self._solution], stepwise=True))
        other.coach = self.coach
        while not other.table.hand_over:
            if other.waiting:
                other.step()
                continue
            actions = other.table.legal_actions()
            other.judged(actions[-1])
            other.act(1)

    def _about(self) -> str:
        spot, entry = self.entry.spot, self.entry
        kind = ", ".join(words for words in (entry.position, f"{entry.raised} raised" if entry.raised else "") if words)
        stacks = " and ".join(f"{stack:,g}" for stack in dict.fromkeys(spot.stacks))
        place = f"{STREETS[len(spot.cards()) - 3]} {cards_glyphs(spot.cards())}"
        return f"{kind + ': ' if kind else ''}{place}, pot {spot.pot:,g}, {stacks} behind. You {YOU[self.seat]}."

    def _title(self) -> str:
        left = len(self._queue)
        return f"spot {self._count}, {left} more {'is' if left == 1 else 'are'} due" if left else f"spot {self._count}"

    def _tell(self, move: Move, mover: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        super()._tell(move, mover, before)
        if self.table.hand_over:
            self._keep()

    def _keep(self) -> None:
        """Keep how the hand went; one in which nothing could be decided is as if it had not been dealt."""
        graded = self.graded()
        if graded.decisions:
            again.keep(self.name, not graded.cost, graded.cost)
