"""Counterfactual regret minimisation: CFR, CFR+, linear, discounted and predictive CFR, on any small game.

Zinkevich et al. 2007 (CFR); Tammelin 2014 (CFR+); Brown and Sandholm 2019 (linear and discounted CFR, DCFR);
Farina, Kroer and Sandholm 2021 (predictive CFR+, PCFR+); Xu et al. 2024 (its discounted form, PDCFR+).

Presets:
    cfr_plus: CFR+: regret matching+ and a linear average (Tammelin 2014).
    linear_cfr: linear CFR: iteration t weighs t in regrets and average (Brown and Sandholm 2019).
    dcfr: discounted CFR with alpha 1.5, beta 0, gamma 2 (Brown and Sandholm 2019).
    pcfr_plus: predictive CFR+ with a quadratic average (Farina, Kroer and Sandholm 2021).
    pdcfr_plus: predictive discounted CFR+, alpha 2.3 and gamma 5 (Xu et al. 2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.arrays import Float64s
from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.spec import option
from cardai.core.trainer import Trainer
from cardai.solve._kernels import realise, sequence_values
from cardai.solve.discounting import VARIANTS, discount, kept
from cardai.solve.sequence_form import plan_of
from cardai.solve.training import TabularTrainer, TabularTraining


@kernel
def match_regrets(form: Any, player: int, t: int, rule: Any, values: Any, regret: Any, behaviour: Any) -> None:
    """Add iteration t's regrets and set the next behaviour, from the leaves to the root (``rule`` as in iterate)."""
    positive, negative = discount(t - 1, rule[0]), discount(t - 1, rule[1])
    next_positive, next_negative = discount(t, rule[0]), discount(t, rule[1])
    for i in range(form.info_start[player + 1] - 1, form.info_start[player] - 1, -1):
        first, end = form.first[i], form.end[i]
        value = 0.0  # v(I) = sum over a of sigma(I, a) v(I, a)
        for s in range(first, end):
            value += behaviour[s] * values[s]
        total = 0.0
        for s in range(first, end):
            instant = values[s] - value  # r(I, a) = v(I, a) - v(I)
            known = regret[s]
            known = known * (positive if known > 0.0 else negative) + instant
            regret[s] = known
            ahead = known * (next_positive if known > 0.0 else next_negative) + rule[3] * instant
            behaviour[s] = max(ahead, 0.0)
            total += behaviour[s]
        if total > 0.0:
            scale = 1.0 / total
            for s in range(first, end):
                behaviour[s] *= scale
        else:
            for s in range(first, end):
                behaviour[s] = 1.0 / np.float64(end - first)
        values[form.parent[i]] += value


@kernel
def average_plan(form: Any, player: int, keep: float, plan: Any, average: Any) -> None:
    """Add the player's plan to its average, of which ``keep`` is kept."""
    for s in range(form.sequence_start[player], form.sequence_start[player + 1]):
        average[s] = keep * average[s] + plan[s]


@kernel
def iterate(
    form: Any, done: int, count: int, rule: Any, values: Any, regret: Any, behaviour: Any, plan: Any, average: Any
) -> None:
    """Do ``count`` iterations after ``done`` of them, changing regret, behaviour, plan and average (S,) in place.

    ``rule`` (6,) float64: alpha, beta (discounts of positive and negative regrets), gamma (iteration t weighs t^gamma
    in the average), predictive (0 or 1), delay (iterations left out of the average), simultaneous (0 or 1).
    """
    players = len(form.info_start) - 1
    for t in range(done + 1, done + count + 1):
        keep = kept(t, rule[2], rule[4])
        if rule[5] != 0.0:
            for player in range(players):
                sequence_values(form, player, plan, values)
        for player in range(players):
            if rule[5] == 0.0:
                sequence_values(form, player, plan, values)
            average_plan(form, player, keep, plan, average)
            match_regrets(form, player, t, rule, values, regret, behaviour)
            realise(form, player, behaviour, plan)


@frozen
class CFR(TabularTrainer):
    """Minimise counterfactual regret in every information set (Zinkevich et al. 2007)."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "cfr_plus": {"variant": "cfr_plus"},
        "linear_cfr": {"variant": "linear"},
        "dcfr": {"variant": "dcfr"},
        "pcfr_plus": {"variant": "pcfr_plus"},
        "pdcfr_plus": {"variant": "pdcfr_plus"},
    }

    variant: Literal["cfr", "cfr_plus", "linear", "dcfr", "pcfr_plus", "pdcfr_plus"] = option(
        "cfr", help="which algorithm: sets the defaults of alpha, beta and gamma, and whether regrets are predicted"
    )
    alpha: float | None = option(None, infinite=True, help="positive regrets are multiplied by t^alpha / (t^alpha + 1)")
    beta: float | None = option(
        None, infinite=True, help="the same for negative regrets; -inf forgets them (regret matching+)"
    )
    gamma: float | None = option(
        None,
        help="iteration t weighs t^gamma in the average: 0 uniform, 1 linear, 2 quadratic",
        validator=validators.optional(validators.ge(0)),
    )
    delay: int = option(0, help="iterations left out of the average at the beginning", validator=validators.ge(0))
    updates: Literal["alternating", "simultaneous"] = option(
        "alternating", help="whether a player answers the others' newest policies or those of the last iteration"
    )

    @property
    def rule(self) -> Float64s:
        """The six numbers of :func:`iterate`."""
        alpha, beta, gamma, predictive = VARIANTS[self.variant]
        given = [
            own if own is not None else usual
            for own, usual in zip((self.alpha, self.beta, self.gamma), (alpha, beta, gamma), strict=True)
        ]
        return np.array([*given, predictive, self.delay, self.updates == "simultaneous"], np.float64)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> CFRTraining:
        return CFRTraining(self, game, encoder)


class CFRTraining(TabularTraining):
    """CFR under way: regrets, the current behaviour and the average plan, a number a sequence."""

    def __init__(self, options: CFR, game: Game, encoder: Encoder | None) -> None:
        super().__init__(game, encoder, options.measure_every)
        self.rule = options.rule

    def iterate(self, count: int) -> None:
        regret, behaviour, average = (self.arrays[name] for name in ("regret", "behaviour", "average"))
        plan = plan_of(self.form, behaviour)
        iterate(self.form, self.step, count, self.rule, self.zeros(), regret, behaviour, plan, average)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"cfr": CFR}
