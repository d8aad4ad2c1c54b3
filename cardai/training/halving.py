"""Which runs of a sweep go on: successive halving, decided by Optuna's pruner.

Li et al., "A system for massively parallel hyperparameter tuning" (2020): every run is trained up to a first rung, and of those that
reach a rung about one in ``factor`` is trained up to the next, which is ``factor`` times as far. As published, a run is compared with
those that were there before it. Here all runs of a rung are trained before any is judged, and they are judged in an order that is
drawn from their names: so what is decided depends on their figures alone, however many are trained at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
from attrs import field, frozen

from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.schema import whole
from cardai.core.trainer import Metrics

LAST = 5
"""Rows whose mean is a run's figure: single rows of deep learners jump."""


@frozen
class Halving:
    """How runs are stopped: by which metric, at which steps, and how many of them."""

    metric: str
    rung: int = field(validator=whole(1))
    """Steps of the first rung."""
    factor: int = field(default=3, validator=whole(2, 1000))
    most: bool = False
    """Whether more is better."""

    def rungs(self, steps: int) -> list[int]:
        """Return the steps below ``steps`` at which runs are judged, ascending."""
        found = [self.rung]
        while found[-1] * self.factor < steps:
            found.append(found[-1] * self.factor)
        return [step for step in found if step < steps]

    def check(self, steps: int | None) -> None:
        """Raise UsageError unless there is a rung before the end; PluginError where Optuna is missing."""
        need_extra("optuna", "sweep --halving", "sweep")
        if steps is None or not self.rungs(steps):
            raise UsageError(
                f"Runs are stopped at steps before their last. Give --steps above the first rung, {self.rung:,}, or an "
                "earlier rung (--rung N)."
            )


def figure(rows: Sequence[Metrics], metric: str, step: int | None = None) -> float | None:
    """Return the mean of the last rows of metrics that have ``metric``, of those up to a step; None where none has it."""
    having = [row[metric] for row in rows if metric in row and (step is None or row["step"] <= step)]
    return float(np.mean(having[-LAST:])) if having else None


class Judge:
    """Judges runs rung by rung."""

    def __init__(self, halving: Halving) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=halving.rung, reduction_factor=halving.factor)
        self._study = optuna.create_study(direction="maximize" if halving.most else "minimize", pruner=pruner)
        self._trials: dict[str, optuna.Trial] = {}

    def going_on(self, figures: Mapping[str, float], step: int) -> list[str]:
        """Return which runs, by name, go beyond a rung, given all their figures there; nan goes nowhere."""
        found = []
        for name in sorted(figures, key=_drawn):
            if name not in self._trials:
                self._trials[name] = self._study.ask()
            trial = self._trials[name]
            trial.report(figures[name], step)
            if not trial.should_prune():
                found.append(name)
        return found


def _drawn(name: str) -> bytes:
    """Return what runs are put in order by: their values may be in an order of their own."""
    return blake2b(name.encode(), digest_size=8).digest()
