"""The trained players: strategies from advantages, one iteration's drawn a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import Views, with_role
from cardai.core.game import Amounts, Game, Legal
from cardai.core.rng import Rows
from cardai.learn import tensors
from cardai.learn.policies import greedy

WAYS = ("average", "drawn", "current")


def policy_of(network: nn.Module, codes: Float32s, legal: Bools) -> Float64s:
    """Return the strategy (n, A) that a network's advantages at codes (n, C) match: legal actions by what is positive of
    theirs, the best alone where nothing is (Brown et al. 2019, section 5.1)."""
    if not len(codes):
        return np.zeros(legal.shape)
    advantages = tensors.in_chunks(network, codes, torch.device("cpu"), 256)
    positive = np.where(legal, np.maximum(advantages, 0), 0).astype(np.float64)
    total = positive.sum(axis=1, keepdims=True)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), greedy(advantages, legal))


def matched(options: Mapping[str, Any], small: bool) -> str:
    """Return which policy a player's options ask for; ``small``: the average is there. Raises OptionError."""
    unknown = sorted(options.keys() - {"policy"})
    if unknown:
        raise OptionError(f"The player of single deep CFR has no option {unknown[0]!r}. It has one: policy.")
    chosen = str(options.get("policy", "average" if small else "drawn"))
    if chosen not in WAYS:
        raise OptionError(f"The option 'policy' must be average, drawn or current. Got {chosen!r} instead.")
    if chosen == "average" and not small:
        raise OptionError("This game is too large for the average policy itself: play policy=drawn, which is the same.")
    return chosen


class DrawnAgent(Agent):
    """Plays each hand by one iteration's networks, drawn by its number: by Kuhn's theorem the average of all iterations
    (Steinberger 2019, section 4.1). ``current``: always the last iteration's, which is a policy.
    """

    stateful = True

    def __init__(
        self, networks: Sequence[Sequence[nn.Module]], game: Game, layout: Layout, current: bool = False
    ) -> None:
        self._networks, self._game, self._layout, self._current = networks, game, layout, current
        self.stateful = not current  # type: ignore[misc]
        self._drawn = -1
        seat = with_role(game.view_fields, "player")
        assert seat is not None  # the trainer takes no other games
        self._seat = seat.name

    def for_game(self, game: Game) -> Agent:
        need_game(self._game, game, "This policy was trained on")
        return self

    def new_match(self, seat: int) -> Self:
        return type(self)(self._networks, self._game, self._layout, self._current)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self._drawn = -1

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return self._of(-1, views, legal)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Int64s:
        count = len(self._networks[0])
        if self._drawn < 0 and not self._current:  # iteration t with a chance in proportion to t
            self._drawn = int(rng.fork(1000).choice(np.arange(1.0, count + 1)[None])[0]) if count else 0
        return rng.choice(self._of(-1 if self._current else self._drawn, views, legal))

    def _of(self, number: int, views: Views, legal: Legal) -> Float64s:
        if isinstance(legal, Amounts):
            raise UsageError("This policy plays games with a mask of legal actions only.")
        out, seat = np.zeros(legal.shape), views[self._seat]
        codes = self._layout.encode(views).reshape(len(views), -1)
        for player in (0, 1):
            own = np.flatnonzero(seat == player)
            if not self._networks[player]:
                out[own] = legal[own] / legal[own].sum(axis=1, keepdims=True)
            else:
                out[own] = policy_of(self._networks[player][number], codes[own], legal[own])
        return out
