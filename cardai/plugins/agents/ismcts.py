"""Information set tree search: draws hidden cards and searches one tree of what each seat sees; any game that can draw them."""

from __future__ import annotations

from typing import ClassVar, Literal

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option


@frozen
class Ismcts(Agent):
    """Information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012), for two or more players."""

    judges: ClassVar[int] = 1

    simulations: int = option(400, help="Hands played out a decision.", validator=validators.ge(1))
    seconds: float = option(
        0.0, help="Seconds a decision, instead of simulations; 0: not limited by time.", validator=validators.ge(0)
    )
    rollout: str = option(
        "",
        holds="agent",
        help="Who plays hands out beyond the tree; none: random, or where any amount can be bet always_call.",
    )
    exploration: float = option(
        1.0, help="How much what was tried little is preferred, in standard deviations.", validator=validators.ge(0)
    )
    worlds: int = option(32, help="Hands that go on in lock step.", validator=[validators.ge(1), validators.le(4096)])
    plays: Literal["most", "visits"] = option("most", help="The action tried most, or each as often as it was tried.")
    patience: float = option(
        1.0, help="Seconds a decision, at most, where a person waits; 0: however long.", validator=validators.ge(0)
    )
    seed: int = option(0, help="Of the search's own chance; what it finds at a view is always the same.")

    def for_game(self, game: Game) -> Agent:
        from cardai.solve.search import Budget, Search

        budget = Budget(self.simulations, self.seconds, self.worlds, self.exploration, self.patience)
        return Search(game, budget, self.rollout, together=True, by_visits=self.plays == "visits", seed=self.seed)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Ismcts
