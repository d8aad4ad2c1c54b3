"""Kernels on a game in sequence form: values of sequences, realisation plans, best responses.

Shapes, with S sequences, I information sets, P players and K payoff cells over all players: a *plan* (S,) holds each
sequence's realisation weight (the product of its player's probabilities on the way there; 1 for empty sequences), a
*behaviour* (S,) the probability of the sequence's last action at its information set, *values* (S,) what a sequence
earns its player, counted with the others' and chance's probabilities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel


class Form(NamedTuple):
    """A game in sequence form, as kernels take it (see :func:`cardai.solve.sequence_form.sequence_form`)."""

    info_start: Any  # (P + 1,) int64: player p's information sets
    sequence_start: Any  # (P + 1,) int64: player p's sequences, the empty one first
    parent: Any  # (I,) uint32: the player's last sequence before the information set
    first: Any  # (I,) uint32: its first sequence; those of one information set follow one another
    end: Any  # (I,) uint32: one past its last sequence
    row_start: Any  # (S + 1,) int64: a sequence's payoff cells
    others: Any  # (K, P - 1) uint32: the other players' sequences of a cell
    payoff: Any  # (K,) float64: the returns of the row's player, times chance


@kernel
def sequence_values(form: Form, player: int, plan: Any, values: Any) -> None:
    """Set ``values`` of the player's sequences to what the hands that end with them earn, others playing ``plan``."""
    several = form.others.shape[1] != 1
    for s in range(form.sequence_start[player], form.sequence_start[player + 1]):
        total = 0.0
        if several:
            for k in range(form.row_start[s], form.row_start[s + 1]):
                weight = form.payoff[k]
                for q in range(form.others.shape[1]):
                    weight *= plan[form.others[k, q]]
                total += weight
        else:
            for k in range(form.row_start[s], form.row_start[s + 1]):
                total += form.payoff[k] * plan[form.others[k, 0]]
        values[s] = total


@kernel
def realise(form: Form, player: int, behaviour: Any, plan: Any) -> None:
    """Set ``plan`` of the player's sequences to the products of ``behaviour`` on the way to them."""
    plan[form.sequence_start[player]] = 1.0
    for i in range(form.info_start[player], form.info_start[player + 1]):
        reach = plan[form.parent[i]]
        for s in range(form.first[i], form.end[i]):
            plan[s] = reach * behaviour[s]


@kernel
def behave(form: Form, player: int, plan: Any, behaviour: Any) -> None:
    """Set ``behaviour`` to the probabilities that ``plan`` means; uniform where the plan never comes."""
    for i in range(form.info_start[player], form.info_start[player + 1]):
        total = 0.0
        for s in range(form.first[i], form.end[i]):
            total += plan[s]
        for s in range(form.first[i], form.end[i]):
            behaviour[s] = plan[s] / total if total > 0.0 else 1.0 / np.float64(form.end[i] - form.first[i])


@kernel
def best_value(form: Form, player: int, values: Any) -> float:
    """Return what the best response earns; ``values`` (from sequence_values) end as the values below each sequence."""
    for i in range(form.info_start[player + 1] - 1, form.info_start[player] - 1, -1):
        best = values[form.first[i]]
        for s in range(form.first[i] + np.uint32(1), form.end[i]):
            best = max(best, values[s])
        values[form.parent[i]] += best
    return float(values[form.sequence_start[player]])


@kernel
def best_choices(form: Form, player: int, values: Any, behaviour: Any) -> None:
    """Set ``behaviour`` to the pure best response to ``values`` as :func:`best_value` leaves them (first of equals)."""
    behaviour[form.sequence_start[player]] = 1.0
    for i in range(form.info_start[player], form.info_start[player + 1]):
        best = form.first[i]
        for s in range(form.first[i] + np.uint32(1), form.end[i]):
            behaviour[s] = 0.0
            if values[s] > values[best]:
                best = s
        behaviour[form.first[i]] = 0.0
        behaviour[best] = 1.0


@kernel
def measure(form: Form, plan: Any, values: Any, expected: Any, best: Any) -> None:
    """Set each player's ``expected`` (P,) value under ``plan`` and its ``best`` (P,) response's value against it."""
    for player in range(len(expected)):
        sequence_values(form, player, plan, values)
        total = 0.0
        for s in range(form.sequence_start[player], form.sequence_start[player + 1]):
            total += plan[s] * values[s]
        expected[player] = total
        best[player] = best_value(form, player, values)
