"""The trained player: the last actor's policy, what it likes best, or the average of all."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import torch
from torch import nn

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float32s, Float64s
from cardai.core.encoder import Layout
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Amounts, Game, Legal
from cardai.learn import tensors
from cardai.learn.networks import choose_device, device_of
from cardai.learn.policies import greedy, legal_softmax

_ON_DEVICE = 8192
"""Rows that a network on a GPU is asked of at a time."""


def asked(network: nn.Module, codes: Float32s, legal: Bools) -> Float64s:
    """Return a network's probabilities (n, A) of the ``legal`` actions (n, A) for codes (n, C), all in one batch."""
    with torch.inference_mode():
        return legal_softmax(network(tensors.given(codes, device_of(network))).cpu().numpy(), legal)


class MMDAgent(Agent):
    """Plays with the last actor, by its likeliest actions alone, or with the averaged policy where one was learned."""

    def __init__(
        self, networks: Mapping[str, nn.Module], game: Game, layout: Layout, options: Mapping[str, Any]
    ) -> None:
        unknown = sorted(options.keys() - {"policy", "device"})
        if unknown:
            raise OptionError(
                f"The player of a policy gradient has no option {unknown[0]!r}. It has two: policy and device."
            )
        chosen = str(options.get("policy", "last"))
        if chosen not in ("last", "greedy", "average"):
            raise OptionError(f"The option 'policy' must be last, greedy or average. Got {chosen!r} instead.")
        if chosen == "average" and "average" not in networks:
            raise OptionError("This run has no averaged policy: train with average=N, or play policy=last.")
        self._game, self._layout = game, layout
        self._network = networks["average" if chosen == "average" else "actor"]
        if "device" in options:
            self._network = deepcopy(self._network).to(choose_device(str(options["device"])))
        self._shape = greedy if chosen == "greedy" else legal_softmax

    def for_game(self, game: Game) -> Agent:
        need_game(self._game, game, "This policy was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts):
            raise UsageError("This policy plays games with a mask of legal actions only.")
        return self.on_codes(self._layout.encode(views).reshape(len(views), -1), legal)

    def on_codes(self, codes: Float32s, legal: Bools) -> Float64s:
        """Return probabilities (n, A) for codes (n, C); a row's do not depend on the others."""
        where = device_of(self._network)
        rows = tensors.CHUNK if where.type == "cpu" else _ON_DEVICE
        return self._shape(tensors.in_chunks(self._network, codes, where, rows), legal)
