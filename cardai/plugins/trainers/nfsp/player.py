"""NFSP's player: the average policy, or on request the best response or the mixture of both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float32s, Float64s
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import Views, with_role
from cardai.core.game import Amounts, Game, Legal
from cardai.learn import native
from cardai.learn.networks import evaluate, load_networks
from cardai.plugins.trainers.nfsp.networks import layout_of, make_networks, pick

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

POLICIES = ("average", "best_response", "mixture")


class NFSPAgent(Agent):
    """Plays with trained networks, one of each role a seat."""

    values_of = "chips of the hand, by the best response's network"

    def __init__(
        self,
        networks: Mapping[str, nn.Sequential],
        game: Game,
        layout: Layout,
        options: NFSP,
        chosen: Mapping[str, Any],
    ) -> None:
        unknown = sorted(chosen.keys() - {"policy"})
        if unknown:
            raise OptionError(f"A player trained by NFSP has no option {unknown[0]!r}. Its options: policy.")
        policy = str(chosen.get("policy", "average"))
        if policy not in POLICIES:
            raise OptionError(f"The option 'policy' must be one of {', '.join(POLICIES)}. Got {policy!r} instead.")
        self._networks, self._game, self._layout = networks, game, layout
        self._chosen, self._eta, self._scale = policy, options.eta, options.reward_scale
        self._native = native.suits(options.hidden)
        looks = with_role(game.view_fields, "player")
        assert looks is not None  # checked when the layout was made
        self._seat = looks.name

    def for_game(self, game: Game) -> Agent:
        need_game(self._game, game, "This NFSP run was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts):
            raise UsageError("NFSP plays games with a mask of legal actions only.")
        codes = self._layout.encode(views).reshape(len(views), -1)
        average = self._average(codes, legal, views[self._seat])
        if self._chosen == "average":
            return average
        greedy = self._greedy(codes, legal, views[self._seat])
        return greedy if self._chosen == "best_response" else (1 - self._eta) * average + self._eta * greedy

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts) or not self._scale:
            return super().action_values(views, legal)
        codes = self._layout.encode(views).reshape(len(views), -1)
        return np.where(legal, self._ask("acting", codes, legal, views[self._seat]) / self._scale, np.nan)

    def _average(self, codes: Float32s, legal: Bools, seats: Any) -> Float64s:
        outputs = np.where(legal, self._ask("policy", codes, legal, seats), -np.inf)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _greedy(self, codes: Float32s, legal: Bools, seats: Any) -> Float64s:
        values = np.where(legal, self._ask("acting", codes, legal, seats), -np.inf)
        return np.asarray(np.arange(legal.shape[1]) == values.argmax(axis=1)[:, None], np.float64)

    def _ask(self, role: str, codes: Float32s, legal: Bools, seats: Any) -> Float64s:
        out = np.zeros(legal.shape)
        for seat, network in enumerate(pick(self._networks, role)):
            mine = np.flatnonzero(np.asarray(seats) == seat)
            if not len(mine):
                continue
            if self._native:
                inputs = native.sparse_inputs(codes[mine], legal[mine])
                out[mine] = native.answer(native.net_of(network), inputs, np.arange(len(mine)))
            else:
                out[mine] = evaluate(network, codes[mine], torch.device("cpu"))
        return out


def load_player(
    options: NFSP, game: Game, encoder: Encoder | None, directory: Path, chosen: Mapping[str, Any]
) -> Agent:
    """Return the player in a checkpoint; only the networks are read.

    Raises:
        OptionError: a wrong policy. DamagedFileError: the networks are not this run's.
    """
    layout = layout_of(game, encoder)
    networks = make_networks(options, game, layout, 0)
    load_networks(directory / "networks.safetensors", networks)
    return NFSPAgent(networks, game, layout, options, chosen)
