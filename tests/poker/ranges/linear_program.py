"""Small river games as linear programs: their values, and best responses where the house takes its share."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from cardai.poker.hands.combos import pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.public_tree import DECISION, FOLD, SHOWDOWN, Node
from cardai.poker.ranges.solver import Solver


def _met(layout: TreeLayout) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the hands (n,), who can meet whom (n, n), and who beats whom: 1, -1, or 0 at a tie."""
    hands = layout.boards[0].hands[0]
    cards = pairs()[hands]
    meet = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    strengths = river_strengths(layout.boards[0].boards[0])[hands]
    return hands, meet, np.sign(strengths[:, None] - strengths[None, :]) * meet


def linear_program(layout: TreeLayout, ranges: np.ndarray) -> float:
    """Return what seat 0 wins in equilibrium, in chips, from the sequence form as one linear program (von Stengel 1996).

    A locked hand of seat 0 has its plan fixed at the decision, one of seat 1 has its value there fixed by its actions'.
    """
    hands, meet, wins = _met(layout)
    n, street = len(hands), layout.streets[0]
    locked = {one.node: one.play[:, hands] for one in layout.locks}
    w0, w1 = ranges[:, hands]
    nodes = layout.tree.streets[0].nodes
    bounds = [node.index for node in nodes if node.kind == DECISION and node.actor == 1]
    rows = sorted({int(street.row_of[0, node.index]) for node in nodes})
    x = {row: k * n for k, row in enumerate(rows)}  # seat 0's plan
    u = {index: (len(rows) + k) * n for k, index in enumerate(bounds)}  # what seat 1 gets from its decisions
    size = (len(rows) + len(bounds)) * n

    def worth(node: Node) -> np.ndarray:
        """Return (n, size): what seat 1's hands get from a node on, times its weights."""
        out = np.zeros((n, size))
        if node.kind == DECISION and node.actor == 0:
            return np.sum([worth(child) for child in node.children], axis=0)
        if node.kind == DECISION:
            out[np.arange(n), u[node.index] + np.arange(n)] = 1.0
            return out
        gain = wins * min(node.spent) if node.kind == SHOWDOWN else meet * node.spent[node.actor] * (1, -1)[node.actor]
        start = x[int(street.row_of[0, node.index])]
        out[:, start : start + n] = w1[:, None] * gain
        return out

    above, equal, right = [], [], []
    for node in (nodes[i] for i in bounds):
        play = locked.get(node.number, np.full((len(node.children), n), -1.0))
        fixed = play[0] >= 0
        above += [(worth(child) - worth(node))[~fixed] for child in node.children]
        given = sum(play[a][:, None] * worth(child) for a, child in enumerate(node.children)) - worth(node)
        equal.append(given[fixed])
        right.append(np.zeros(int(fixed.sum())))
    for node in nodes:
        if node.kind == DECISION and node.actor == 0:
            flow = np.zeros((n, size))
            for child in node.children:
                flow[np.arange(n), x[int(street.row_of[0, child.index])] + np.arange(n)] += 1.0
            row = np.zeros((n, size))
            row[np.arange(n), x[int(street.row_of[0, node.index])] + np.arange(n)] = 1.0
            equal.append(flow - row)
            right.append(np.zeros(n))
            play = locked.get(node.number)
            for a, child in enumerate(node.children if play is not None else ()):
                one = np.zeros((n, size))
                one[np.arange(n), x[int(street.row_of[0, child.index])] + np.arange(n)] = 1.0
                equal.append((one - play[a][:, None] * row)[play[0] >= 0])
                right.append(np.zeros(int((play[0] >= 0).sum())))
    first = np.zeros((n, size))
    first[np.arange(n), x[0] + np.arange(n)] = 1.0
    limits = [(0, None)] * (len(rows) * n) + [(None, None)] * (len(bounds) * n)
    found = linprog(
        worth(nodes[0]).sum(axis=0),
        A_ub=np.concatenate(above),
        b_ub=np.zeros(sum(map(len, above))),
        A_eq=np.concatenate([*equal, first]),
        b_eq=np.concatenate([*right, w0]),
        bounds=limits,
        method="highs",
    )
    assert found.status == 0
    return float(-found.fun / (w0 @ meet @ w1))


def best_response(solver: Solver, seat: int) -> float:
    """Return what the best response of ``seat`` to the other's average strategy earns, in chips of the tree.

    Every end pays as it is said: the stake, less the rake of the pot for who wins and half of it at a tie.
    """
    layout = solver.layout
    hands, meet, wins = _met(layout)
    n, tree, weights = len(hands), layout.tree, solver.ranges
    locked = {one.node: one.play[:, hands] for one in layout.locks}
    reach = {0: weights[1 - seat]}
    plan, ends, equal, count = {0: 0}, [], [], 1
    for node in tree.streets[0].nodes:
        if node.kind != DECISION:
            ends.append(node)
            continue
        played = solver.average((), node)[1]
        for a, child in enumerate(node.children):
            reach[child.number] = reach[node.number] * (1.0 if node.actor == seat else played[a])
            plan[child.number] = plan[node.number] if node.actor != seat else count
            count += node.actor == seat
        if node.actor == seat:
            equal.append((plan[node.number], [plan[child.number] for child in node.children], locked.get(node.number)))
    rake = tree.rake
    gain = np.zeros(count * n)
    for node in ends:
        stake = min(node.spent)
        paid = min(rake.rate * 2 * stake, rake.cap)
        if node.kind == FOLD:
            each = meet * (-stake if node.actor == seat else stake - paid)
        else:
            assert node.kind == SHOWDOWN
            each = np.where(wins > 0, stake - paid, np.where(wins < 0, -stake, -paid / 2)) * meet
        start = plan[node.number] * n
        gain[start : start + n] += each @ reach[node.number]
    rows, right = [np.eye(n, count * n)], [weights[seat]]
    for above, below, play in equal:
        flow = sum(np.eye(n, count * n, one * n) for one in below) - np.eye(n, count * n, above * n)
        rows.append(flow)
        right.append(np.zeros(n))
        for a, one in enumerate(below if play is not None else ()):
            fixed = play[0] >= 0
            rows.append((np.eye(n, count * n, one * n) - play[a][:, None] * np.eye(n, count * n, above * n))[fixed])
            right.append(np.zeros(int(fixed.sum())))
    found = linprog(-gain, A_eq=np.concatenate(rows), b_eq=np.concatenate(right), bounds=(0, None), method="highs")
    assert found.status == 0
    return float(-found.fun / (weights[0] @ meet @ weights[1]))
