"""OpenSpiel's bots as agents, at OpenSpiel's games.

A bot wants a state, not a view. It is handed a state of OpenSpiel's in which its player sees what it sees at our table; one that
looks at its player's observations alone learns nothing else from it. From Python any ``pyspiel.Bot`` can be seated::

    game = cardai.game("openspiel", name="kuhn_poker")
    bot = seat(game, lambda theirs, player, seed: pyspiel.make_uniform_random_bot(player, seed))
    cardai.play(game, [bot, "random"], games=100)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from attrs import field, frozen

from cardai.bridges.spiel_games import OpenSpiel
from cardai.core.agent import Agent
from cardai.core.fields import Views
from cardai.core.game import Actions
from cardai.core.legal import Legal
from cardai.core.rng import Rows

Maker = Callable[[Any, int, int], Any]
"""make(their game, the player's number, a seed) -> a ``pyspiel.Bot``."""


def seat(game: OpenSpiel, make: Maker) -> SeatedBot:
    """Return the bot that ``make`` makes as an agent of ``game``: a new one for each hand and seat."""
    game.recent.watched = True
    return SeatedBot(game, make)


@frozen(eq=False)
class SeatedBot(Agent):
    """A bot in a seat."""

    stateful = True

    game: OpenSpiel
    make: Maker
    _made: list[Any] = field(factory=list)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        chosen = np.empty(len(views), np.int64)
        for row in range(len(views)):
            player = int(views["player"][row])
            if not self._made:
                self._made.append(self.make(self.game.theirs, player, rng.generator(row).getrandbits(31)))
            chosen[row] = self._made[0].step(self.game.recent.state(player, views["tensor"][row]).clone())
        return chosen

    def new_match(self, seat: int) -> Self:
        return type(self)(self.game, self.make)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self._made.clear()
