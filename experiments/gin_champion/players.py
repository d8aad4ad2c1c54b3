"""The champion with a part exchanged or left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

import cardai
from cardai.core.agent import Agent
from cardai.gin._style_kernels import STYLES
from cardai.gin._value_kernels import worths
from cardai.gin.actions import ASK_KNOCK, DISCARD, DRAW, KNOCK, OFFER, PLAY_ON
from cardai.gin.values import RememberingPlayer, ValuePlayer, read_values
from cardai.plugins.agents.champion import LEAGUE, WEIGHTS

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


class Told(Agent):
    """The champion, told from the first hand on who its opponent is."""

    def __init__(self, opponent: str) -> None:
        self.player = ValuePlayer(read_values(WEIGHTS)).for_game(cardai.game("gin"))
        self.style = LEAGUE.index(opponent)

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        styles = np.zeros((len(views), STYLES))
        styles[:, self.style] = 1
        return self.player.act_against(views, legal, rng, styles)


class Hesitant(ValuePlayer):
    """Knocks only where that seems to win ``MARGIN`` of a match more than playing on does."""

    MARGIN: ClassVar[float] = 0.02

    def act_against(self, views: Any, legal: Any, rng: Any, styles: Any) -> Any:
        out = super().act_against(views, legal, rng, styles)
        knocks = np.flatnonzero((views["phase"] == ASK_KNOCK) & (out == KNOCK))
        if len(knocks):
            found = np.empty((len(knocks), legal.shape[1]))
            worths(views[knocks], legal[knocks], styles[knocks], self.nets, False, found)
            gain = found[:, KNOCK] - found[:, PLAY_ON]
            out[knocks[(found[:, KNOCK] >= 0) & (gain < self.MARGIN)]] = PLAY_ON  # gin is not compared
        return out


def hesitant() -> Agent:
    """Return the champion that knocks less."""
    game = cardai.game("gin")
    return RememberingPlayer(Hesitant(read_values(WEIGHTS)).for_game(game), game)


def without(part: str) -> Agent:
    """Return the champion without its belief (all unseen cards alike), or playing for points instead of the match."""
    game, values = cardai.game("gin"), read_values(WEIGHTS)
    if part == "belief":
        values.belief[:] = 0
    else:
        values.wins[:] = np.add.outer(np.arange(101.0), -np.arange(101.0)) / 200 + 0.5
    return RememberingPlayer(ValuePlayer(values).for_game(game), game)
