"""Imitators that answer whole ranges of hold'em fast: hands and situations meet only behind the first layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from cardai.core.arrays import Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.learn.policies import greedy, legal_softmax
from cardai.plugins.trainers.cnn_valuation.networks import LevelPolicy
from cardai.plugins.trainers.cnn_valuation.players import VIEWS, ImitationAgent
from cardai.poker.contract import plays_holdem
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import RangeAdapter, holding
from cardai.poker.ranges.public_tree import PublicTree, holdem_tree


class RangeImitator(ImitationAgent):
    """A network of levels in hold'em for two, without amounts.

    Its first layer is linear in what follows from the hand (its strength, its bucket) and in the rest, so that it is worked
    out once a hand and once a node, and each pair of them costs a sum and two layers. That differs from ``policy`` by
    rounding.
    """

    _board: tuple[tuple[int, ...], Int64s, Tensor] | None = None

    @cached_property
    def tree(self) -> PublicTree:
        """The public tree of its game."""
        return holdem_tree(self.game, "A player of whole ranges")

    @cached_property
    def _adapter(self) -> RangeAdapter:
        return RangeAdapter(self.game, self, self.tree)

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        network = cast(LevelPolicy, self.network)
        views, legal = self._adapter.views_at(nodes, board)
        assert isinstance(legal, np.ndarray)
        _, live, of_hands = self._of_hands(views[:1], tuple(int(card) for card in board))
        first, hand = cast(nn.Linear, network.body[0]), self._hand_columns
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        row = 0
        with tensors.threads(1), torch.inference_mode():
            levels = self._read(views)[0]
            of_nodes = levels[:, ~hand] @ first.weight[:, : len(hand)][:, ~hand].T + first.bias
            for k, node in enumerate(nodes):
                raw = network.body[1:](of_hands + of_nodes[k]).cpu().numpy().astype(np.float64)
                offered = np.broadcast_to(legal[k], raw.shape)
                chances = legal_softmax(raw / self.temperature, offered)
                chances = greedy(chances, offered) if self.likeliest else chances
                count = self.tree.num_children[node]
                out[row : row + count, live] = chances[:, self.tree.action[node][:count]].T
                row += count
        return out

    @cached_property
    def _hand_columns(self) -> Tensor:
        """(K,) whether each of the levels that the network sees follows from the hand and the board."""
        planes = getattr(self.layout, "hand_planes", ())
        return torch.tensor([p in planes for p in cast(LevelPolicy, self.network).levels])

    def _read(self, views: Views) -> tuple[Tensor, Tensor]:
        """Return the levels (n, K) and the marked cells (n,) of views (n,)."""
        network, parts = cast(LevelPolicy, self.network), []
        for start in range(0, len(views), VIEWS):
            codes = torch.from_numpy(self.layout.encode(views[start : start + VIEWS]))
            parts.append(network.read(codes.to(self.device)))
        levels, marked = zip(*parts, strict=True)
        return torch.cat(levels), torch.cat(marked)

    def _of_hands(self, views: Views, board: tuple[int, ...]) -> tuple[tuple[int, ...], Int64s, Tensor]:
        """Return the hands that ``board`` leaves and what the first layer makes of them, (h, hidden); kept."""
        if self._board is None or self._board[0] != board:
            network, live = cast(LevelPolicy, self.network), np.flatnonzero(left_by(board))
            weight, hand = cast(nn.Linear, network.body[0]).weight, self._hand_columns
            with tensors.threads(1), torch.inference_mode():
                levels, marked = self._read(holding(views, live))
                of_levels = levels[:, hand] @ weight[:, : len(hand)][:, hand].T
                self._board = board, live, of_levels + network.embedding(marked) @ weight[:, len(hand) :].T
        return self._board


def answers_ranges(network: nn.Module, layout: Layout, game: Game) -> bool:
    """Whether an imitator answers whole ranges fast: a network of levels over planes that say which follow from the hand."""
    told = isinstance(network, LevelPolicy) and hasattr(layout, "hand_planes")
    return told and not game.amounts and game.num_players == 2 and plays_holdem(game)
