"""Players over a value network: holds of video poker, draws with the published heuristic's bets, and that alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from attrs import frozen
from torch import nn

from cardai.cards.canonical import columns_back
from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s
from cardai.core.encoder import Layout
from cardai.core.fields import CanonicalForm, Views
from cardai.core.game import Game
from cardai.core.legal import Legal, legal_columns
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.draw.contract import is_draw_poker
from cardai.draw.values import hand_values
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.policies import greedy
from cardai.poker.contract import deals_holdem
from cardai.poker.heuristic import betting_policy
from cardai.poker.kinds import spread

_BASELINE = 0.40


@frozen(eq=False)
class ValueNetwork:
    """A value network with all that is needed to ask it.

    ``by_policy``: holds by the policy head. ``plain`` leaves of a view what the network was taught with; ``form`` shows that
    up to suits' names and order (None: as dealt).
    """

    module: nn.Module
    layout: Layout
    form: CanonicalForm | None
    by_policy: bool
    device: torch.device
    plain: Callable[[Views], Views]

    def outputs(self, views: Views, by_policy: bool = False) -> Float64s:
        """Return the outputs (n, K); holds of ``hand`` as the cards lie in the view."""
        plain = self.plain(views)
        shown, order = (plain, None) if self.form is None else self.form(plain)

        def head(codes: torch.Tensor) -> torch.Tensor:
            if by_policy and isinstance(self.module, SuitNetwork):
                return self.module.both(codes)[1]
            made: torch.Tensor = self.module(codes)
            return made

        out = tensors.in_chunks(head, self.layout.encode(shown), self.device).astype(np.float64)
        return out if order is None else columns_back(out, order)


class ValuePlayer(Agent):
    """A player over a value network, of the game that it was trained on."""

    def __init__(self, game: Game, network: ValueNetwork) -> None:
        self.game, self.network = game, network

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of poker_cnn was trained on")
        return self


class HoldPlayer(ValuePlayer):
    """Plays the hold with the greatest output; a game's action is the hold's number."""

    @property
    def suits_alike(self) -> bool:
        """Whether hands that differ by suits' names or cards' order alone are played alike."""
        return self.network.form is not None

    def hold_values(self, views: Views) -> Float64s:
        """Return what the acting head says of each hold (bit i keeps card i of ``hand``), (n, 32)."""
        return self.network.outputs(views, self.network.by_policy)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return greedy(self.hold_values(views), np.ones((len(views), HOLDS), np.bool_))


class DrawPlayer(HoldPlayer):
    """Draws by the network and bets by the published heuristic, over the value of the network's best hold."""

    def policy(self, views: Views, legal: Legal) -> Float64s:
        assert isinstance(legal, np.ndarray)
        out = np.zeros(legal.shape)
        drawing = legal[:, FIRST_DISCARD:].any(axis=1)
        rows = np.flatnonzero(drawing)
        if len(rows):
            out[rows, FIRST_DISCARD + 31 - self.hold_values(views[rows]).argmax(axis=1)] = 1.0
        rows = np.flatnonzero(~drawing)
        if len(rows):
            out[rows, :FIRST_DISCARD] = betting_policy(
                self.worth(views[rows]), views[rows], legal[rows, :FIRST_DISCARD], _BASELINE
            )
        return out

    def worth(self, views: Views) -> Float64s:
        """Return the value (n,), in [0, 1], of hands: the best hold's, or without draws the hand's own."""
        out = hand_values(views["hand"]) / 1000
        rows = np.flatnonzero(views["draws_left"] > 0)
        if len(rows):
            out[rows] = self.network.outputs(views[rows]).max(axis=1)
        return out


class StrengthPlayer(ValuePlayer):
    """Hold'em: bets by the published heuristic, over the network's chance to beat a random hand."""

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        kinds = np.stack([mask[:, 0], mask[:, 1], mask[:, 2:].any(axis=1)], axis=1)
        return spread(betting_policy(self.network.outputs(views)[:, 0], views, kinds, _BASELINE), mask)


def player_of(game: Game, network: ValueNetwork) -> Agent:
    """Return the player of a game, by the families it speaks."""
    if is_draw_poker(game):
        return DrawPlayer(game, network)
    if deals_holdem(game):
        return StrengthPlayer(game, network)
    return HoldPlayer(game, network)
