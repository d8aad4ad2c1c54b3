"""Extensive-form fictitious play over the whole tree (XFP): both players answer the other's average, for ever.

Heinrich, Lanctot and Silver, "Fictitious self-play in extensive-form games", 2015, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen, validators

from cardai.core.arrays import Float64s
from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.spec import option
from cardai.core.trainer import Trainer
from cardai.solve._kernels import best_choices, best_value, realise, sequence_values
from cardai.solve.sequence_form import behaviour_of_plan, plan_of, uniform_behaviour
from cardai.solve.training import TabularTrainer, TabularTraining


@kernel
def iterate(
    form: Any, done: int, count: int, gamma: float, values: Any, behaviour: Any, average: Any, response: Any
) -> None:
    """Do ``count`` iterations after ``done`` of them, changing the plans ``average`` and ``response`` (S,) in place."""
    players = len(form.info_start) - 1
    for j in range(done + 1, done + count + 1):
        for player in range(players):  # beta_{j+1} = best response to pi_j
            sequence_values(form, player, average, values)
            best_value(form, player, values)
            best_choices(form, player, values, behaviour)
            realise(form, player, behaviour, response)
        # pi_{j+1} = (1 - alpha) pi_j + alpha beta: mixing the plans mixes the strategies with the right reach (theorem 7)
        alpha = (gamma + 1.0) / (gamma + 1.0 + j)
        for s in range(len(average)):
            average[s] += alpha * (response[s] - average[s])


@frozen
class XFP(TabularTrainer):
    """Fictitious play with full-width best responses (Heinrich et al. 2015)."""

    gamma: float = option(
        0.0,
        help="the step is (gamma + 1) / (gamma + 1 + j): 0 averages all responses alike, as the paper; 1 linearly",
        validator=validators.ge(0),
    )

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> XFPTraining:
        return XFPTraining(self, game, encoder)


class XFPTraining(TabularTraining):
    """XFP under way: the average plan and the last best response's, a number a sequence."""

    def __init__(self, options: XFP, game: Game, encoder: Encoder | None) -> None:
        super().__init__(game, encoder, options.measure_every)
        self.options = options
        start = plan_of(self.form, uniform_behaviour(self.form))
        self.arrays = {"average": start, "response": start.copy()}

    def iterate(self, count: int) -> None:
        plans = self.arrays["average"], self.arrays["response"]
        iterate(self.form, self.step, count, self.options.gamma, self.zeros(), self.zeros(), *plans)

    def behaviour(self, policy: str) -> Float64s:
        return behaviour_of_plan(self.form, self.arrays["average" if policy == "average" else "response"])


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"xfp": XFP}
