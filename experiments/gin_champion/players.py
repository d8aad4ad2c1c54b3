"""The champion with a part exchanged or left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

import cardai
from cardai.cards.gin.actions import ASK_KNOCK, DISCARD, DRAW, OFFER
from cardai.core.agent import Agent
from cardai.learn.gin_values import RememberingPlayer, ValuePlayer, read_values
from cardai.plugins.agents.champion import WEIGHTS

PHASES = {
    "discards": (DISCARD,),
    "draws": (OFFER, DRAW),
    "knocks": (ASK_KNOCK,),
}


class Exchanged(Agent):
    """The champion with some phases decided by another player."""

    stateful = True

    def __init__(self, own: Agent, other: Agent, phases: tuple[int, ...]) -> None:
        self.own, self.other, self.phases = own, other, phases

    def new_match(self, seat: int) -> Self:
        return type(self)(self.own.new_match(seat), self.other, self.phases)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.own.hand_finished(view, returns)

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        theirs = np.isin(views["phase"], self.phases)
        return np.where(theirs, self.other.act(views, legal, rng), self.own.act(views, legal, rng))

    def act_together(self, copies: Any, views: Any, legal: Any, rng: Any) -> Any:
        theirs = np.isin(views["phase"], self.phases)
        own = self.own.act_together([copy.own for copy in copies], views, legal, rng)
        return np.where(theirs, self.other.act(views, legal, rng), own)


def exchanged(part: str, other: str = "gin_lookahead") -> Agent:
    """Return the champion whose decisions of one kind ``other`` makes."""
    game = cardai.game("gin")
    return Exchanged(cardai.agent("champion").for_game(game), cardai.agent(other).for_game(game), PHASES[part])


def without(part: str) -> Agent:
    """Return the champion without its belief (all unseen cards alike), or playing for points instead of the match."""
    game, values = cardai.game("gin"), read_values(WEIGHTS)
    if part == "belief":
        values.belief[:] = 0
    else:
        values.wins[:] = np.add.outer(np.arange(101.0), -np.arange(101.0)) / 200 + 0.5
    return RememberingPlayer(ValuePlayer(values).for_game(game), game)
