"""The sequence form of a game: payoffs as sparse rows over sequences, chance folded in.

A realisation plan gives each sequence the product of its player's probabilities; expected values are then linear in
each player's plan, so a player's whole update is one sparse product and one sweep over its information sets
(von Stengel 1996; Koller, Megiddo and von Stengel 1996).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.game import Game
from cardai.solve import _kernels
from cardai.solve._kernels import Form
from cardai.solve.tree import NODE_LIMIT, GameTree, game_tree


@lru_cache(maxsize=8)
def sequence_form(tree: GameTree) -> Form:
    """Return the arrays that kernels take, remembered; finished nodes with equal sequences share one payoff cell."""
    return fresh_form(tree)


def fresh_form(tree: GameTree) -> Form:
    """Return :func:`sequence_form` of a tree that nobody asks about again: it pushes none out that somebody does."""
    sets = tree.infosets
    cells, cell = np.unique(tree.terminal_sequences, axis=0, return_inverse=True)
    payoffs = np.zeros((len(cells), tree.num_players))
    np.add.at(payoffs, cell.reshape(-1), tree.terminal_returns * tree.terminal_reach[:, None])
    rows, others, payoff = [], [], []
    for player in range(tree.num_players):
        order = np.argsort(cells[:, player], kind="stable")
        rows.append(cells[order, player])
        others.append(np.delete(cells[order], player, axis=1))
        payoff.append(payoffs[order, player])
    lengths = np.bincount(np.concatenate(rows), minlength=sets.num_sequences)
    return Form(
        info_start=sets.start.astype(np.int64),
        sequence_start=sets.sequence_start.astype(np.int64),
        parent=sets.parent_sequence.astype(np.uint32),
        first=sets.first_sequence.astype(np.uint32),
        end=(sets.first_sequence + sets.num_actions).astype(np.uint32),
        row_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        others=np.ascontiguousarray(np.concatenate(others), np.uint32),
        payoff=np.concatenate(payoff),
    )


def game_form(game: Game, limit: int = NODE_LIMIT) -> tuple[GameTree, Form]:
    """Return a game's tree and sequence form, both remembered. Raises UsageError (see :func:`game_tree`)."""
    tree = game_tree(game, limit)
    return tree, sequence_form(tree)


def behaviour_of(tree: GameTree, policy: Float64s) -> Float64s:
    """Return a policy table (I, num_distinct_actions) as a behaviour (S,), 1 at empty sequences."""
    sets = tree.infosets
    out = np.ones(sets.num_sequences)
    taken = sets.sequence_infoset >= 0
    out[taken] = policy[sets.sequence_infoset[taken], sets.sequence_action[taken]]
    return out


def policy_table(tree: GameTree, behaviour: Float64s) -> Float64s:
    """Return a behaviour (S,) as a policy table (I, num_distinct_actions), 0 at illegal actions."""
    sets = tree.infosets
    out = np.zeros(sets.legal.shape)
    taken = sets.sequence_infoset >= 0
    out[sets.sequence_infoset[taken], sets.sequence_action[taken]] = behaviour[taken]
    return out


def uniform_behaviour(form: Form) -> Float64s:
    """Return the behaviour (S,) that plays all legal actions alike."""
    out = np.ones(len(form.row_start) - 1)
    for player in range(len(form.info_start) - 1):
        _kernels.behave(form, player, np.zeros_like(out), out)
    return out


def plan_of(form: Form, behaviour: Float64s) -> Float64s:
    """Return all players' realisation plans (S,) under a behaviour (S,)."""
    plan = np.empty(len(behaviour))
    for player in range(len(form.info_start) - 1):
        _kernels.realise(form, player, behaviour, plan)
    return plan


def behaviour_of_plan(form: Form, plan: Float64s) -> Float64s:
    """Return the behaviour (S,) that a plan (S,) means, uniform where it never comes."""
    out = np.ones(len(plan))
    for player in range(len(form.info_start) - 1):
        _kernels.behave(form, player, plan, out)
    return out
