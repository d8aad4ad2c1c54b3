"""What each action was worth: generalised advantages, all actions by a critic that sees all, or exactly by the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.kernel import kernel
from cardai.solve._kernels import sequence_values
from cardai.solve.measures import Measured, measure_plan
from cardai.solve.sequence_form import behaviour_of, game_form, plan_of


@kernel
def generalised(
    hands: Any, seats: Any, values: Any, returns: Any, discount: float, decay: float, held: Any, out: Any
) -> None:
    """Set ``out`` (N,) to generalised advantage estimates (Schulman et al. 2016, eq. 16) over each seat's own decisions.

    ``values`` (N,) are the critic's. A hand's ``returns`` (H, P) come after a seat's last decision. ``held`` (H, P, 3) is
    scratch, zero before: whether a later decision was seen, its value, and its advantage.
    """
    for i in range(len(hands) - 1, -1, -1):
        after = held[hands[i], seats[i]]
        if after[0] == 0.0:
            advantage = returns[hands[i], seats[i]] - values[i]
        else:
            advantage = discount * after[1] - values[i] + discount * decay * after[2]
        after[0], after[1], after[2] = 1.0, values[i], advantage
        out[i] = advantage


@kernel
def corrected(
    hands: Any, seats: Any, policies: Any, chosen: Any, q: Any, decay: float, estimates: Any, targets: Any
) -> None:
    """Set ``targets`` (N, P) to what the chosen actions led to, for every seat, the one to act first.

    ``q`` (N, A, P) is the critic's, seats in the same order. ``estimates`` (H, P), the hands' returns before, are moved
    backwards: u = sum_a pi(a) q(a) + decay (u' - q(chosen)), the baseline-corrected value of a history (Schmid et al.,
    "Variance reduction in Monte Carlo counterfactual regret minimization", 2019, eq. 9) where ``decay`` is 1, and
    expected SARSA(decay) where it is less.
    """
    players = estimates.shape[1]
    for i in range(len(hands) - 1, -1, -1):
        for k in range(players):
            seat = (seats[i] + k) % players
            mean = 0.0
            for a in range(policies.shape[1]):
                mean += policies[i, a] * q[i, a, k]
            targets[i, k] = estimates[hands[i], seat]
            estimates[hands[i], seat] = mean + decay * (targets[i, k] - q[i, chosen[i], k])


@kernel
def _node_reaches(player: Any, parent: Any, infoset: Any, action: Any, chance: Any, policy: Any, out: Any) -> None:
    """Set ``out`` (N,) to the probability with which all players and chance come to each node."""
    out[0] = 1.0
    for node in range(1, len(parent)):
        above = parent[node]
        step = chance[node] if player[above] < 0 else policy[infoset[above], action[node]]
        out[node] = out[above] * step


@kernel
def _values_below(form: Any, player: int, behaviour: Any, values: Any) -> None:
    """Turn what the hands that end with the player's sequences earn into what comes below them, all playing on."""
    for i in range(form.info_start[player + 1] - 1, form.info_start[player] - 1, -1):
        total = 0.0
        for s in range(form.first[i], form.end[i]):
            total += behaviour[s] * values[s]
        values[form.parent[i]] += total


@frozen(eq=False)
class ExactGame:
    """A game whose tree is known: R input rows (different codes), I information sets."""

    tree: Any
    form: Any
    codes: Float32s  # (R, C)
    legal: Bools  # (R, A)
    row_of_set: Int64s  # (I,)

    @classmethod
    def of(cls, game: Game, layout: Layout, limit: int) -> ExactGame:
        """Return ``game`` laid out. Raises UsageError if it has more than ``limit`` nodes or cannot be enumerated."""
        tree, form = game_form(game, limit)
        sets = tree.infosets
        codes = layout.encode(sets.views).reshape(len(sets), -1)
        whole = np.concatenate([sets.legal, codes], axis=1, dtype=np.float32)
        _, first, inverse = np.unique(whole, axis=0, return_index=True, return_inverse=True)
        return cls(tree, form, codes[first], sets.legal[first], np.asarray(inverse, np.int64).reshape(-1))

    def measure(self, policy: Float64s) -> Measured:
        """Return the exact values of a policy (R, A)."""
        return measure_plan(self.form, plan_of(self.form, self._behaviour(policy)))

    def advantages(self, policy: Float64s) -> tuple[Float64s, Float64s]:
        """Return (weights (R,), advantages (R, A)): how often each row is come to in a hand, as a share of all
        decisions, and what each action earns there more than the policy (R, A), all playing it.

        Both are the expectations of what self-play would sample.
        """
        tree, form, sets = self.tree, self.form, self.tree.infosets
        behaviour = self._behaviour(policy)
        plan, values = plan_of(form, behaviour), np.zeros(len(behaviour))
        for player in range(tree.num_players):
            sequence_values(form, player, plan, values)
            _values_below(form, player, behaviour, values)
        table, reach = policy[self.row_of_set], np.empty(len(tree.parent))
        _node_reaches(tree.player, tree.parent, tree.infoset, tree.action, tree.probability, table, reach)
        acting = tree.infoset >= 0
        weight = np.bincount(tree.infoset[acting], reach[acting], len(sets))
        worth = np.zeros(sets.legal.shape)  # of each action, times the reach of all
        taken = sets.sequence_infoset >= 0
        at = sets.sequence_infoset[taken]
        worth[at, sets.sequence_action[taken]] = values[taken] * plan[sets.parent_sequence[at]]
        rows = len(self.codes)
        weights = np.bincount(self.row_of_set, weight, rows)
        summed = np.zeros((rows, worth.shape[1]))
        np.add.at(summed, self.row_of_set, worth)
        q = summed / np.maximum(weights, 1e-300)[:, None]
        gain = np.where(self.legal, q - (policy * q).sum(axis=1, keepdims=True), 0.0)
        return weights / weights.sum(), gain

    def _behaviour(self, policy: Float64s) -> Float64s:
        return behaviour_of(self.tree, policy[self.row_of_set])


def generalised_advantages(batch: Any, values: Float64s, returns: Float64s, discount: float, decay: float) -> Float64s:
    """Return (N,) for a batch's decisions: see :func:`generalised`; ``returns`` (H, P) in the critic's unit."""
    out = np.empty(len(batch))
    generalised(batch.hands, batch.seats, values, returns, discount, decay, np.zeros((*returns.shape, 3)), out)
    return out


def corrected_targets(batch: Any, q: Float64s, returns: Float64s, decay: float) -> Float64s:
    """Return (N, P) for a batch's decisions: see :func:`corrected`."""
    targets: Float64s = np.empty((len(batch), returns.shape[1]))
    corrected(batch.hands, batch.seats, batch.policies, batch.chosen, q, decay, returns.copy(), targets)
    return targets
