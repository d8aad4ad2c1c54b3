"""An equilibrium of any two-player game that fits in memory, solved when it is first asked; it judges others' play exactly."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.core.hookspecs import hookimpl
from cardai.core.registry import create
from cardai.core.spec import brief, option

if TYPE_CHECKING:
    from cardai.solve.values import ValuedAgent


@frozen
class Equilibrium(Agent):
    """Plays a Nash equilibrium of a zero-sum game for two, and values actions against it, going on as well as can be."""

    judges: ClassVar[int] = 3

    solver: Literal["pdcfr_plus", "pcfr_plus", "cfr_plus", "dcfr"] = option(
        "pdcfr_plus", help="The trainer that solves the game."
    )
    to: float = option(
        1e-9, help="Solve until best responses gain less than this part of a unit.", validator=validators.gt(0)
    )
    iterations: int = option(65_536, help="Stop after so many iterations in any case.", validator=validators.ge(1))

    def for_game(self, game: Game) -> Agent:
        from cardai.solve.tree import NODE_LIMIT, refuse_if_large

        if game.num_players != 2:
            raise UsageError(f"equilibrium plays zero-sum games for two. {brief(game)} has {game.num_players} seats.")
        refuse_if_large(game, NODE_LIMIT)
        return _Solved(self, game)


class _Solved(Agent):
    """The player of one game, which is solved when somebody asks."""

    def __init__(self, options: Equilibrium, game: Game) -> None:
        self.options, self.game = options, game

    @cached_property
    def player(self) -> ValuedAgent:
        """The player, from a table."""
        from cardai.core.progress import tell
        from cardai.solve.training import TabularTraining
        from cardai.solve.values import equilibrium_player

        training = create("trainer", self.options.solver).start(self.game, None, 0)
        if not isinstance(training, TabularTraining):
            raise UsageError(
                f"equilibrium solves by a tabular trainer. The one that is called {self.options.solver} is none."
            )
        if abs(training.tree.terminal_returns.sum(axis=1)).max() > 1e-9:
            raise UsageError(
                f"equilibrium plays zero-sum games for two. {brief(self.game)}'s returns do not sum to zero."
            )
        steps, name = 0, f"solving {brief(self.game)}"
        while steps < self.options.iterations:
            tell(name, steps, self.options.iterations)
            more = min(max(steps, 1024), self.options.iterations - steps)
            rows = [row for row in training.train(more) if row]
            steps += more
            if rows and float(rows[-1]["exploitability"]) * 2 < self.options.to:
                break
        tell(name, self.options.iterations, self.options.iterations)
        return equilibrium_player(self.game, training.agent({}), "The equilibrium")

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return self.player.policy(views, legal)

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self.player.action_values(views, legal)

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        return self.player.value_noise(views, legal)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Equilibrium
