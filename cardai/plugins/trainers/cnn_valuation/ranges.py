"""Imitators that answer whole ranges of hold'em fast: hands and situations meet only behind the first layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import cast

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn import tensors
from cardai.learn.policies import greedy, legal_softmax
from cardai.plugins.trainers.cnn_valuation.networks import LevelPolicy, SuitPolicy
from cardai.plugins.trainers.cnn_valuation.players import VIEWS, ImitationAgent
from cardai.poker.contract import plays_holdem
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import RangeAdapter, holding
from cardai.poker.ranges.public_tree import PublicTree, holdem_tree

_KEPT = 256
"""Situations whose answers on a board are kept: the publication's planes show many alike."""


@frozen(eq=False)
class Parted:
    """A network whose first layer is a sum: of what follows from the hand and the board, and of all else."""

    of_hands: Callable[[Tensor], Tensor]
    """From planes (h, P, H, W) to the first layer's share (h, ...)."""
    of_nodes: Callable[[Tensor], Tensor]
    """From planes (m, P, H, W) to its other share (m, ...), bias included."""
    rest: Callable[[Tensor], Tensor]
    """From the sum (h, ...) to the outputs (h, C)."""


class RangeImitator(ImitationAgent):
    """A network in hold'em for two, without amounts, whose first layer is linear in what follows from the hand.

    That layer is worked out once a hand and once a node, and each pair of them costs a sum and the layers behind it. Nodes that
    the encoder shows alike are answered once. What comes out differs from ``policy`` by rounding. A hand is two cards in
    rising order: an encoder that shows in which order they were dealt is asked for that one alone.
    """

    _board: tuple[tuple[int, ...], Int64s, Tensor] | None = None

    @cached_property
    def tree(self) -> PublicTree:
        """The public tree of its game."""
        return holdem_tree(self.game, "A player of whole ranges")

    @cached_property
    def _adapter(self) -> RangeAdapter:
        return RangeAdapter(self.game, self, self.tree)

    @cached_property
    def _parted(self) -> Parted:
        found = parted(self.network, self.layout)
        assert found is not None
        return found

    @cached_property
    def _nodes(self) -> dict[int, int]:
        """By node the number of what it is shown as."""
        return {}

    @cached_property
    def _shown(self) -> list[tuple[Tensor, Bools]]:
        """By number: the first layer's share of what nodes are shown as, and which classes (C,) are legal."""
        return []

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {}

    @cached_property
    def _answers(self) -> dict[int, Float64s]:
        """What each hand that the board leaves does, (h, C), by the number of a node."""
        return {}

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        self._meet(nodes, board)
        live, of_hands = self._of_hands(nodes[:1], tuple(int(card) for card in board))
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        row = 0
        for node in nodes.tolist():
            chances = self._answered(node, of_hands)
            count = self.tree.num_children[node]
            out[row : row + count, live] = chances[:, self.tree.action[node][:count]].T
            row += count
        return out

    def _answered(self, node: int, of_hands: Tensor) -> Float64s:
        number = self._nodes[node]
        of_node, legal = self._shown[number]
        if number not in self._answers:
            if len(self._answers) >= _KEPT:
                self._answers.clear()
            with tensors.threads(1), torch.inference_mode():
                parts = [self._parted.rest(of_hands[k : k + VIEWS] + of_node) for k in range(0, len(of_hands), VIEWS)]
            raw = torch.cat(parts).cpu().numpy().astype(np.float64)
            offered = np.broadcast_to(legal, raw.shape)
            chances = legal_softmax(raw / self.temperature, offered)
            self._answers[number] = greedy(chances, offered) if self.likeliest else chances
        return self._answers[number]

    def _meet(self, nodes: Int64s, board: Sequence[int]) -> None:
        """Work out what the first layer makes of nodes that were not met before: it does not depend on the board."""
        new = np.array([node for node in nodes.tolist() if node not in self._nodes], np.int64)
        if not len(new):
            return
        views, legal = self._adapter.views_at(new, board)
        assert isinstance(legal, np.ndarray)
        for start in range(0, len(new), VIEWS):
            part = slice(start, start + VIEWS)
            with tensors.threads(1), torch.inference_mode():
                found = self._parted.of_nodes(self._codes(views[part]))
            for node, one, offered in zip(new[part].tolist(), found, legal[part], strict=True):
                key = one.cpu().numpy().tobytes() + offered.tobytes()
                if key not in self._numbers:
                    self._numbers[key] = len(self._shown)
                    self._shown.append((one.clone(), offered.astype(bool)))
                self._nodes[node] = self._numbers[key]

    def _codes(self, views: Views) -> Tensor:
        return torch.from_numpy(self.layout.encode(views)).to(self.device)

    def _of_hands(self, nodes: Int64s, board: tuple[int, ...]) -> tuple[Int64s, Tensor]:
        """Return the hands (h,) that ``board`` leaves and what the first layer makes of them, (h, ...); kept."""
        if self._board is None or self._board[0] != board:
            live = np.flatnonzero(left_by(board))
            views = holding(self._adapter.views_at(nodes, board)[0], live)
            with tensors.threads(1), torch.inference_mode():
                parts = [self._parted.of_hands(self._codes(views[k : k + VIEWS])) for k in range(0, len(views), VIEWS)]
            self._board = board, live, torch.cat(parts)
            self._answers.clear()
        return self._board[1:]


def answers_ranges(network: nn.Module, layout: Layout, game: Game) -> bool:
    """Whether an imitator answers whole ranges fast: planes that say which follow from the hand, before a linear layer."""
    return parted(network, layout) is not None and not game.amounts and game.num_players == 2 and plays_holdem(game)


def parted(network: nn.Module, layout: Layout) -> Parted | None:
    """Return the network in parts; None where the layout does not say which planes follow from the hand, or not so built."""
    planes = {*getattr(layout, "card_planes", ()), *getattr(layout, "hand_planes", ())}
    if not planes:
        return None
    if isinstance(network, LevelPolicy):
        return _of_levels(network, planes)
    if isinstance(network, SuitPolicy):
        return _of_suits(network, planes)
    if isinstance(network, nn.Sequential) and isinstance(network[0], nn.Conv2d):
        first = network[0]
        shown = [p in planes for p in range(layout.shape[0])]
        hand = torch.tensor(shown, device=first.weight.device)[:, None, None]
        share = partial(nn.functional.conv2d, weight=first.weight, stride=first.stride)
        return Parted(lambda x: share(x * hand), lambda x: first(x * ~hand), network[1:])
    return None


def _of_levels(network: LevelPolicy, planes: set[int]) -> Parted:
    first, hand = cast(nn.Linear, network.body[0]), torch.tensor([p in planes for p in network.levels])
    seen = first.weight[:, : len(hand)]

    def of_hands(x: Tensor) -> Tensor:
        levels, marked = network.read(x)
        known = network.embedding(marked) @ first.weight[:, len(hand) :].T
        return torch.as_tensor(levels[:, hand] @ seen[:, hand].T + known)

    return Parted(of_hands, lambda x: network.read(x)[0][:, ~hand] @ seen[:, ~hand].T + first.bias, network.body[1:])


def _of_suits(network: SuitPolicy, planes: set[int]) -> Parted:
    inner, hand = network.network, torch.tensor([p in planes for p in network.levels])
    first = cast(nn.Linear, inner.body[0])
    features = first.in_features - len(hand) - (0 if network.embedding is None else network.embedding.out_features)
    of_cards, seen, marked = torch.tensor_split(first.weight, [features, features + len(hand)], dim=1)

    def of_hands(x: Tensor) -> Tensor:
        out = inner.trunk(x[:, network.planes]) @ of_cards.T
        out = out + x[:, network.levels].mean(dim=(2, 3))[:, hand] @ seen[:, hand].T
        if network.embedding is not None:
            out = out + network.embedding(x[:, network.cells].flatten(1)) @ marked.T
        return torch.as_tensor(out)

    def of_nodes(x: Tensor) -> Tensor:
        levels = x[:, network.levels].mean(dim=(2, 3))
        return torch.as_tensor(levels[:, ~hand] @ seen[:, ~hand].T + first.bias)

    return Parted(of_hands, of_nodes, lambda x: inner.policy(inner.body[1:](x)))
