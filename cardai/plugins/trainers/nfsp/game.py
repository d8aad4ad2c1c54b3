"""A small game as arrays: its tree's nodes for play, every information set's encoded view as an input row, exact measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.arrays import Bools, Float32s, Float64s, Int8s, Int64s
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.trainer import Metrics
from cardai.learn.policies import greedy
from cardai.plugins.trainers.nfsp._kernels import Env
from cardai.solve import _kernels as solve_kernels
from cardai.solve.sequence_form import behaviour_of, game_form, plan_of
from cardai.solve.tree import GameTree


@frozen(eq=False)
class CompiledGame:
    """A game for the kernels: R input rows, I information sets."""

    env: Env
    tree: GameTree
    form: Any
    codes: Float32s  # (R, I): the encoded view of each row
    legal: Bools  # (R, A)
    owner: Int8s  # (R,): the seat whose row it is
    row_of_set: npt.NDArray[np.int32]  # (I,): the input row of each information set

    @property
    def reward_scale(self) -> float:
        """1 / the range of returns."""
        return 1 / max(1e-9, float(np.ptp(self.env.payoff)))

    def measure(self, policy: Float64s) -> tuple[Float64s, Float64s]:
        """Return each seat's expected value and its best response's value, for row policies (R, A)."""
        plan = plan_of(self.form, behaviour_of(self.tree, policy[self.row_of_set]))
        expected, best, values = np.zeros(2), np.zeros(2), np.zeros_like(plan)
        solve_kernels.measure(self.form, plan, values, expected, best)
        return expected, best


def compile_game(game: Game, layout: Layout, limit: int) -> CompiledGame:
    """Return ``game`` as arrays. Raises UsageError if it has more than ``limit`` nodes or cannot be enumerated."""
    tree, form = game_form(game, limit)
    sets = tree.infosets
    codes = layout.encode(sets.views).reshape(len(sets), -1)
    whole = np.concatenate([sets.player[:, None], sets.legal, codes], axis=1, dtype=np.float32)
    _, first, inverse = np.unique(whole, axis=0, return_index=True, return_inverse=True)
    row_of_set = np.array(inverse.reshape(-1), dtype=np.int32)
    return CompiledGame(
        env=_env(tree, row_of_set, np.searchsorted(sets.player[first], np.arange(3))),
        tree=tree,
        form=form,
        codes=np.ascontiguousarray(codes[first], np.float32),
        legal=np.ascontiguousarray(sets.legal[first]),
        owner=sets.player[first],
        row_of_set=row_of_set,
    )


def _env(tree: GameTree, row_of_set: npt.NDArray[np.int32], first_row: Int64s) -> Env:
    nodes = len(tree.player)
    child = np.full((nodes, tree.infosets.legal.shape[1]), -1, np.int32)
    cumulative = np.zeros(nodes)
    for node in np.flatnonzero(tree.num_children):
        children = tree.first_child[node] + np.arange(tree.num_children[node])
        if tree.player[node] >= 0:
            child[node, tree.action[children]] = children
        else:
            cumulative[children] = np.cumsum(tree.probability[children])
    payoff = np.zeros((nodes, tree.num_players), np.float32)
    payoff[tree.terminals] = tree.terminal_returns
    row = np.where(tree.infoset >= 0, row_of_set[tree.infoset], -1).astype(np.int32)
    return Env(tree.player, row, child, tree.first_child, tree.num_children, cumulative, payoff, first_row)


def exact_metrics(game: CompiledGame, average: Float64s, q: Float32s, reservoirs: Float64s | None) -> Metrics:
    """Return the metrics of the average policy, of greedy in ``q``, and of the reservoirs' frequencies, all (R, A).

    A seat's ``greedy_gap`` is what the best response to the other's average policy earns more than greedy Q does.
    """
    expected, best = game.measure(average)
    metrics = {"exploitability": float((best - expected).mean())}
    if reservoirs is not None:
        expected_there, best_there = game.measure(reservoirs)
        metrics["reservoir_exploitability"] = float((best_there - expected_there).mean())
    response = greedy(q, game.legal)
    for seat in range(2):
        mixed = np.where((game.owner == seat)[:, None], response, average)
        metrics[f"greedy_gap_{seat}"] = float(best[seat] - game.measure(mixed)[0][seat])
    return metrics


def frequencies(game: CompiledGame, rows: npt.NDArray[np.int32], actions: Int8s) -> Float64s:
    """Return how often each action occurs at each row in reservoir entries, (R, A); uniform at rows that never occur."""
    cells = rows.astype(np.int64) * game.legal.shape[1] + actions
    counts = np.bincount(cells, minlength=game.legal.size).reshape(game.legal.shape)
    total = counts.sum(axis=1, keepdims=True)
    uniform = game.legal / game.legal.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.maximum(total, 1), uniform))
