"""Perfect information Monte Carlo: draws hidden cards and searches each world as if all were open; any game that can draw them."""

from __future__ import annotations

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option


@frozen
class Pimc(Agent):
    """Perfect information Monte Carlo sampling (Long, Sturtevant, Buro and Furtak 2010), for two or more players.

    It thinks that it will know later what is hidden now (strategy fusion): it neither bluffs nor pays to find out.
    """

    simulations: int = option(400, help="Hands played out a decision, in all worlds.", validator=validators.ge(1))
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
    worlds: int = option(32, help="Worlds a decision, at most.", validator=[validators.ge(1), validators.le(4096)])
    patience: float = option(
        1.0, help="Seconds a decision, at most, where a person waits; 0: however long.", validator=validators.ge(0)
    )
    seed: int = option(0, help="Of the search's own chance; what it finds at a view is always the same.")

    def for_game(self, game: Game) -> Agent:
        from cardai.solve.search import Budget, Search

        budget = Budget(self.simulations, self.seconds, self.worlds, self.exploration, self.patience)
        return Search(game, budget, self.rollout, together=False, seed=self.seed)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Pimc
