"""The exact best response to another player, in any game that fits in memory: what exploitability promises, played."""

from __future__ import annotations

from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.registry import create
from cardai.core.spec import option


@frozen
class BestResponse(Agent):
    """Plays perfectly against one player, in whichever seat (with several opponents, all of them that player)."""

    to: str = option("random", holds="agent", help="the player to answer: a plugin's spec or a trained run's directory")

    def for_game(self, game: Game) -> Agent:
        from cardai.solve.values import best_response

        return best_response(game, create("agent", self.to), self.to)

    def check_game(self, game: Game) -> None:
        from cardai.solve.tree import NODE_LIMIT, refuse_if_large

        refuse_if_large(game, NODE_LIMIT)
        create("agent", self.to).check_game(game)


@hookimpl
def cardai_agent() -> type[Agent]:
    return BestResponse
