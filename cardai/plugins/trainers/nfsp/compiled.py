"""A small game compiled to arrays for play: its tree's nodes, and every information set's encoded view as an input row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.arrays import Bools, Float32s, Int8s, Int64s
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.plugins.trainers.nfsp._kernels import Env
from cardai.solve.sequence_form import game_form
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
