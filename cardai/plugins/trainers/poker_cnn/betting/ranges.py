"""Betting networks that answer whole ranges of hold'em fast: cards and situations meet only in the second hidden layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork
from cardai.plugins.trainers.poker_cnn.betting.acting import BettingAgent
from cardai.poker.contract import plays_holdem
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.range_policy import RangeAdapter
from cardai.poker.ranges.public_tree import PublicTree, holdem_tree

_PAIRS = pairs().astype(np.int8)


class RangeBettingAgent(BettingAgent):
    """One network that plays its policy head alone, in hold'em for two.

    The first layer after the cards is linear in their features and in the situation's numbers, so it is worked out once a
    hand and once a node, and each pair of them costs a sum and one layer less. That differs from ``policy`` by rounding.
    """

    def __init__(self, plain: BettingAgent) -> None:
        super().__init__(plain.networks, plain.abstraction, plain.acting, plain.game, plain.unit)
        self.plain = plain
        self._board: tuple[tuple[int, ...], Int64s, Tensor] | None = None

    def for_game(self, game: Game) -> Agent:
        plain = self.plain.for_game(game)
        return self if game == self.game else plain

    @cached_property
    def tree(self) -> PublicTree:
        """The public tree of its game."""
        return holdem_tree(self.game, "A player of whole ranges")

    @cached_property
    def _adapter(self) -> RangeAdapter:
        return RangeAdapter(self.game, self.plain, self.tree)

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        network, module = self.networks[0], self.networks[0].module
        assert isinstance(module, SuitNetwork)
        views, legal = self._adapter.views_at(nodes, board)
        assert isinstance(legal, np.ndarray)
        _, live, of_hands = self._of_cards(views[:1], tuple(int(card) for card in board))
        first, second = cast(nn.Linear, module.body[0]), module.body[2]
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        row = 0
        with tensors.threads(1), torch.inference_mode():
            context = module.context(torch.from_numpy(network.layout.encode(views)).to(network.device))
            of_nodes = context @ first.weight[:, -context.shape[1] :].T + first.bias
            for k, node in enumerate(nodes):
                hidden = torch.relu(second(torch.relu(of_hands + of_nodes[k])))
                raw = module.policy(hidden).cpu().numpy().astype(np.float64)
                offered = np.broadcast_to(legal[k], raw.shape)
                chances = network.heads.policy(raw, raw, offered)
                count = self.tree.num_children[node]
                out[row : row + count, live] = chances[:, self.tree.action[node][:count]].T
                row += count
        return out

    def _of_cards(self, views: np.ndarray, board: tuple[int, ...]) -> tuple[tuple[int, ...], Int64s, Tensor]:  # type: ignore[type-arg]
        """Return the hands that ``board`` leaves and what the first layer makes of their cards, (h, hidden); kept."""
        if self._board is None or self._board[0] != board:
            network, module = self.networks[0], self.networks[0].module
            assert isinstance(module, SuitNetwork)
            live = np.flatnonzero(left_by(board))
            batch = np.repeat(views, len(live))
            batch["hole"] = _PAIRS[live]
            codes = network.layout.encode(network.form(batch)[0])[:, module.card_planes]
            features = tensors.in_chunks(module.trunk, np.ascontiguousarray(codes), network.device)
            with tensors.threads(1), torch.inference_mode():
                weight = cast(nn.Linear, module.body[0]).weight[:, : features.shape[1]]
                self._board = board, live, torch.from_numpy(features).to(network.device) @ weight.T
        return self._board


def for_ranges(player: BettingAgent) -> BettingAgent:
    """Return the player in a form that answers whole ranges fast, where that can be; else as it is."""
    a, network, game = player.acting, player.networks[0], player.game
    split = (
        isinstance(network.module, SuitNetwork) and bool(network.module.context_planes) and not network.heads.published
    )
    by_policy = a.policy_mix == 1.0 and not a.repair and not a.noise and player.explore == 0.0
    if len(player.networks) > 1 or not split or not by_policy or not plays_holdem(game) or game.num_players != 2:
        return player
    plain = player.abstraction.count == game.num_distinct_actions
    return RangeBettingAgent(player) if plain else player
