"""A player that acts on E(S): the publication's text by the word, with its valuation in place of a policy.

The network says how likely its player is to win. What an action is worth is read off the same state with the chips of that
action in the pot (nothing else that the planes show changes before the other acts). ``chance``: the action after which
E is the largest, where folding loses. ``chips``: what the action wins on average if E is the chance to win the pot, and
a raise is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cardai import make as known
from cardai.arena import match
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal, legal_columns
from cardai.learn.policies import greedy
from cardai.plugins.trainers.cnn_valuation import CnnValuation
from cardai.plugins.trainers.cnn_valuation.players import outputs
from cardai.plugins.trainers.cnn_valuation.training import ValuationTraining
from cardai.poker.contract import need_holdem
from cardai.training.runs import Run


class ActsOnValues(Agent):
    """Limit hold'em by the values of a run of cnn_valuation_literal."""

    def __init__(self, path: Path, worth: str) -> None:
        run = Run.open(path)
        checkpoint, trainer, encoder = run.latest()[0], run.trainer(), run.encoder()
        assert isinstance(trainer, CnnValuation)
        assert checkpoint is not None
        assert encoder is not None
        self.worth, self.training = worth, ValuationTraining(trainer, run.game(), encoder, run.seed)
        self.training.load(checkpoint.path)
        self.sizes = np.array(need_holdem(run.game(), "This player").betting.raise_sizes)

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        asked = views["to_call"].astype(np.int64)
        more = self.sizes[views["round"].astype(np.int64)]
        call, raised = self._wins(views, asked), self._wins(views, asked + more)
        if self.worth == "chips":
            pot = views["pot"].astype(np.float64)
            call, raised = call * (pot + asked) - asked, raised * (pot + asked + 2 * more) - asked - more
        worth = np.stack([np.zeros(len(views)), call, raised], axis=1)
        return greedy(worth, legal_columns(legal))

    def _wins(self, views: Views, paid: Any) -> Float64s:
        """Return (n,) the chance to win, a split counting half, with ``paid`` (n,) more chips in the pot."""
        after = views.copy()
        after["pot"] = views["pot"] + paid
        one = self.training
        found = 1 / (1 + np.exp(-outputs(one.network.eval(), one.layout, after, one.device)))
        return np.asarray((found[:, 0] + found[:, 2] / 2) / found.sum(axis=1), np.float64)


def won_by_values(path: Path, game: str, teacher: str, worth: str, deals: int) -> dict[str, Any]:
    """Return what the player wins from the teacher, mbb a hand over duplicate deals, and how often it folds."""
    made = known.game(game)
    result = match.play(
        made, [ActsOnValues(path, worth), teacher], games=2 * deals, seed=77, names=["values", "teacher"]
    )
    estimate = result.mean_return(0).scaled(1000 / need_holdem(made, "This player").big_blind)
    return {"worth": worth, "deals": deals, "mean": estimate.mean, "half_width": estimate.half_width}
