"""Monte Carlo CFR: external and outcome sampling, a hand at a time instead of the whole tree.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games", 2009;
Lanctot's thesis, 2013, for the averages.

Presets:
    outcome_mccfr: one sampled hand an iteration, with exploration (Lanctot et al. 2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError
from cardai.core.game import CHANCE, TERMINAL, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.rng import derive, hash64, uniform
from cardai.core.spec import brief, option
from cardai.core.trainer import Trainer
from cardai.solve.sampling import Nodes, draw_chance, match, pick, sampling_nodes
from cardai.solve.training import TabularTrainer, TabularTraining

# Each walk is one loop over leaves that take few arrays: handing all of them to a helper once a node costs more than the
# node (reference counts): 3.0 us an iteration of external sampling on Leduc instead of 0.5.


@kernel
def external(
    nodes: Nodes, done: int, count: int, seed: Any, epsilon: float, regret: Any, behaviour: Any, average: Any
) -> None:
    """Do ``count`` iterations of external sampling: each player in turn tries all its actions (2009, section 3.2)."""
    players = nodes.returns.shape[1]
    values = np.zeros(len(regret) + 1)  # of sequences; the last entry is the root's
    waiting, above = np.empty(len(regret) + 1, np.uint64), np.empty(len(regret) + 1, np.uint64)
    for walk in range(done * players, (done + count) * players):
        player, stream, drawn = walk % players, hash64(seed, walk), 0
        waiting[0], above[0] = np.uint64(0), np.uint64(len(regret))
        found, decisions, at = 1, 0, 0
        while at < found:  # walk down, one sampled path after the other
            node = waiting[at]
            while nodes.node[node, 0] != player and nodes.node[node, 0] != TERMINAL:  # sample the others' and chance's
                drawn += 1
                if nodes.node[node, 0] == CHANCE:
                    node = draw_chance(nodes, node, hash64(stream, drawn))
                    continue
                first = np.uint64(nodes.node[node, 3])
                end = first + np.uint64(nodes.node[node, 2])
                if nodes.node[node, 0] == (player + 1) % players:
                    remember(average, behaviour, first, end, 1.0)
                node = np.uint64(nodes.node[node, 1]) + pick(behaviour, first, end, uniform(stream, drawn))
            if nodes.node[node, 0] == TERMINAL:
                values[above[at]] = nodes.returns[nodes.node[node, 1], player]
            else:
                child, first = np.uint64(nodes.node[node, 1]), np.uint64(nodes.node[node, 3])
                for k in range(np.uint64(nodes.node[node, 2])):
                    waiting[found], above[found] = child + k, first + k
                    found += 1
                # nothing up to ``at`` is read again: keep the decisions there, for the way back
                waiting[decisions], above[decisions] = node, above[at]
                decisions += 1
            at += 1
        for d in range(decisions - 1, -1, -1):
            first = np.uint64(nodes.node[waiting[d], 3])
            values[above[d]] = learn(regret, behaviour, values, first, first + np.uint64(nodes.node[waiting[d], 2]))


@kernel
def remember(average: Any, behaviour: Any, first: Any, end: Any, sampled: float) -> None:
    """Add the behaviour of the sequences ``first`` to ``end`` to the average, by how likely it was ``sampled``."""
    for s in range(first, end):
        average[s] += behaviour[s] / sampled


@kernel
def learn(regret: Any, behaviour: Any, values: Any, first: Any, end: Any) -> Any:
    """Add the regrets of the actions ``first`` to ``end``; return v(I) = sum over a of sigma(I, a) v(I, a)."""
    value = 0.0
    for s in range(first, end):
        value += behaviour[s] * values[s]
    for s in range(first, end):
        regret[s] += values[s] - value
    match(regret, first, end, behaviour)
    return value


@kernel
def outcome(
    nodes: Nodes, done: int, count: int, seed: Any, epsilon: float, regret: Any, behaviour: Any, average: Any
) -> None:
    """Do ``count`` iterations of outcome sampling: each player in turn learns from one hand (2009, section 3.1)."""
    players = nodes.returns.shape[1]
    path, taken = np.empty(len(regret), np.uint64), np.empty(len(regret), np.uint64)
    for walk in range(done * players, (done + count) * players):
        player, stream = walk % players, hash64(seed, walk)
        node, drawn, length = np.uint64(0), 0, 0
        sampled = 1.0  # the product of the probabilities with which the player's own actions were sampled
        while nodes.node[node, 0] != TERMINAL:
            seat = nodes.node[node, 0]
            if seat == CHANCE:
                node = draw_chance(nodes, node, hash64(stream, drawn))
                drawn += 1
                continue
            first = np.uint64(nodes.node[node, 3])
            end = first + np.uint64(nodes.node[node, 2])
            if seat == player:
                k = explore(behaviour, first, end, uniform(stream, drawn), epsilon)
                path[length], taken[length] = node, first + k
                length += 1
                sampled *= epsilon / np.float64(end - first) + (1.0 - epsilon) * behaviour[first + k]
            else:
                if seat == (player + 1) % players:
                    remember(average, behaviour, first, end, sampled)
                k = pick(behaviour, first, end, uniform(stream, drawn))
            node = np.uint64(nodes.node[node, 1]) + k
            drawn += 1
        # The others' and chance's reach cancel against how they were sampled: W = u(z) / sampled (equation 10)
        weight = nodes.returns[nodes.node[node, 1], player] / sampled
        tail = 1.0  # pi(z[I]a, z): the player's own probability of the rest of the hand
        for d in range(length - 1, -1, -1):
            first = np.uint64(nodes.node[path[d], 3])
            end = first + np.uint64(nodes.node[path[d], 2])
            chosen = behaviour[taken[d]]
            for s in range(first, end):
                regret[s] += weight * ((tail if s == taken[d] else 0.0) - tail * chosen)
            match(regret, first, end, behaviour)
            tail *= chosen


@kernel
def explore(behaviour: Any, first: Any, end: Any, threshold: float, epsilon: float) -> Any:
    """Return an action (uint64, from 0): any with the chance ``epsilon``, else one by the behaviour."""
    if threshold < epsilon:
        return np.uint64(threshold / epsilon * np.float64(end - first))
    return pick(behaviour, first, end, (threshold - epsilon) / (1.0 - epsilon))


@frozen
class MCCFR(TabularTrainer):
    """Minimise counterfactual regret from sampled hands (Lanctot et al. 2009)."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"outcome_mccfr": {"sampling": "outcome"}}

    sampling: Literal["external", "outcome"] = option(
        "external", help="try all own actions and sample the rest, or sample one hand"
    )
    epsilon: float = option(
        0.6, help="outcome sampling explores so often", validator=[validators.gt(0), validators.lt(1)]
    )

    def check_game(self, game: Game) -> None:
        super().check_game(game)
        if game.num_players < 2:
            raise UsageError(
                "mccfr averages what a player does while another one learns. "
                f"{brief(game)} is for one alone: take cfr, which walks the whole tree."
            )

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> MCCFRTraining:
        return MCCFRTraining(self, game, encoder, seed)


class MCCFRTraining(TabularTraining):
    """MCCFR under way: regrets and the average policy's weights, a number a sequence.

    Iteration t draws from a stream of its own, so a run goes on exactly where it was left.
    """

    def __init__(self, options: MCCFR, game: Game, encoder: Encoder | None, seed: int) -> None:
        super().__init__(game, encoder, options.measure_every)
        self.options = options
        self.seed = np.uint64(derive(seed, "mccfr"))
        self.nodes = sampling_nodes(self.tree)

    def iterate(self, count: int) -> None:
        sample = external if self.options.sampling == "external" else outcome
        regret, behaviour, average = (self.arrays[name] for name in ("regret", "behaviour", "average"))
        sample(self.nodes, self.step, count, self.seed, self.options.epsilon, regret, behaviour, average)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"mccfr": MCCFR}
