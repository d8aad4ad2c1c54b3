"""AIVAT of a match that is played for it: a deal at a time, each weighed while the players remember what they solved for it.

``cardai run --aivat`` plays all hands and weighs them afterwards, so that a player which takes seconds for a decision takes them
twice, and a weighing that is stopped begins anew. Here a deal is a piece of a measure (:mod:`cardai.poker.responses.measure`): it is
kept, gone on with, and worked out by several processes or machines, with the very hands that ``cardai run`` plays.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.arena.match import prepare
from cardai.arena.records import Record
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.aivat.named import named_now, values_named
from cardai.poker.responses.measure import Options, Response, Sampler, need_pairs
from cardai.solve.aivat import estimator, refuse

WHO = "A match that is played for AIVAT"


@frozen
class MatchOptions(Options):
    """``hands`` of the agent against ``other``, each deal played in both seats."""

    other: str | Agent
    hands: int = 2000
    seed: int = 0
    values: str | None = None
    """The value function by name (:func:`~cardai.poker.aivat.named.values_named`; None: equity)."""

    def sampler(self) -> Sampler:
        return Deals(make.as_game(self.game), make.as_agent(self.agent), make.as_agent(self.other), self)

    def sent(self, sampler: Sampler) -> Options:
        return evolve(self, game=sampler.game, agent=sampler.agent, other=make.as_agent(self.other))

    def known_by(self) -> list[str | int]:
        return ["match", make.spec_now(self.other), *named_now(self.values), self.seed]


class Deals(Sampler):
    """A piece is a deal, played in both seats: (what was won, the same by AIVAT), the mean over seats."""

    shape = (2,)

    def __init__(self, game: Game, agent: Agent, other: Agent, options: MatchOptions) -> None:
        need_pairs(options.hands)
        super().__init__(game, agent, options.hands // 2, WHO)
        refuse(game, agent, brief(agent))
        if other.interactive:
            raise UsageError(
                f"{WHO} is of programs. {brief(other)} is a person: play with cardai run --record, and weigh the record."
            )
        player = agent.for_game(game)  # the very one is weighed: what it has solved is asked again
        self.engine = prepare(game, [player, other], ["agent", "other"], options.seed, duplicate=True, recording=True)
        values = values_named(options.values, game, player)
        self.weigh = estimator(game, player, values, brief(agent), options.seed)

    def piece(self, number: int) -> Float64s:
        hands: list[Record] = []
        for part in self.engine.run([number]):
            if part.interrupted:  # Ctrl-C: the deal was not played to its end
                raise KeyboardInterrupt
            hands += part.records
        return np.asarray(np.mean([self._found(hand) for hand in hands], axis=0), np.float64)

    def _found(self, hand: Record) -> tuple[float, float]:
        seat = hand["seats"].index(0)
        return float(hand["returns"][seat]), self.weigh(hand, seat)

    def response(self, found: Float64s, done: Bools) -> Response:
        return evolve(super().response(found[:, 0], done), aivat=found[done, 1])
