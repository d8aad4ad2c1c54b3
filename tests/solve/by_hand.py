"""Small trees walked in plain Python, slowly and as the definitions have it, for tests of solvers."""

from __future__ import annotations

import numpy as np

from cardai.core.game import CHANCE, TERMINAL
from cardai.solve.tree import GameTree


def some_behaviour(tree: GameTree, seed: int) -> np.ndarray:
    """Return a behaviour (S,) at random, some of it 0."""
    rng, out = np.random.default_rng(seed), np.ones(tree.infosets.num_sequences)
    for first, count in zip(tree.infosets.first_sequence, tree.infosets.num_actions, strict=True):
        weights = rng.random(count)
        weights[rng.integers(count)] *= rng.random() < 0.7
        out[first : first + count] = weights / weights.sum()
    return out


def policy_at(tree: GameTree, node: int, behaviour: np.ndarray) -> np.ndarray:
    """Return the probabilities of a node's children under chance and a behaviour."""
    first, count = tree.first_child[node], tree.num_children[node]
    if tree.player[node] == CHANCE:
        return tree.probability[first : first + count]
    start = tree.infosets.first_sequence[tree.infoset[node]]
    return behaviour[start : start + count]


def exact(tree: GameTree, behaviour: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counterfactual regrets of ``player`` and what the next seat's average should get, by the whole tree.

    The average gets the next seat's reach times its policy (Zinkevich et al. 2007, equation 4), times chance's reach of
    the information set, which is the same in every iteration.
    """
    regret, average = np.zeros_like(behaviour), np.zeros_like(behaviour)
    index = {int(node): row for row, node in enumerate(tree.terminals)}

    def value(node: int, own: float, others: float, chance: float) -> float:
        """Return the expected return below ``node``; the reach of the next seat is ``own``, of all but the player ``others``."""
        if tree.player[node] == TERMINAL:
            return float(tree.terminal_returns[index[node], player])
        policy, seat = policy_at(tree, node, behaviour), tree.player[node]
        below = np.array(
            [
                value(
                    int(tree.first_child[node] + k),
                    own * (p if seat == (player + 1) % tree.num_players else 1),
                    others * (p if seat != player else 1),
                    chance * (p if seat == CHANCE else 1),
                )
                for k, p in enumerate(policy)
            ]
        )
        if seat != CHANCE:
            start = tree.infosets.first_sequence[tree.infoset[node]]
            places = slice(start, start + len(policy))
            if seat == player:
                regret[places] += others * (below - policy @ below)
            elif seat == (player + 1) % tree.num_players:
                average[places] += chance * own * policy
        return float(policy @ below)

    value(0, 1.0, 1.0, 1.0)
    return regret, average


def reached(tree: GameTree, behaviour: np.ndarray) -> np.ndarray:
    """Return the product of a player's probabilities on the way to and including each sequence (S,)."""
    sets, plan = tree.infosets, np.ones(len(behaviour))
    for parent, first, count in zip(sets.parent_sequence, sets.first_sequence, sets.num_actions, strict=True):
        plan[first : first + count] = plan[parent] * behaviour[first : first + count]
    return plan


def matched(tree: GameTree, weights: np.ndarray) -> np.ndarray:
    """Return a behaviour (S,) in proportion to the positive ones of ``weights`` (S,); uniform where there are none."""
    sets, out = tree.infosets, np.ones(len(weights))
    for first, count in zip(sets.first_sequence, sets.num_actions, strict=True):
        positive = np.maximum(weights[first : first + count], 0)
        out[first : first + count] = positive / positive.sum() if positive.sum() > 0 else 1 / count
    return out
