"""What hands win from ranges at the ends of a hand, by products with matrices of all pairs of hands: for GPUs.

A board leaves 1,081 hands. One matrix says which of them can meet, another who then wins; all ranges at all ends are one
product with each. A CPU does the same faster by sweeps (:class:`cardai.poker.responses.street_response.Sweeps`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np
import torch
from attrs import frozen

from cardai.core.arrays import Bools, Float64s
from cardai.learn.networks import choose_device
from cardai.poker.hands.board_hands import BoardHands
from cardai.poker.hands.combos import pairs

_PAIRS = pairs().astype(np.int64)


@frozen
class DenseShowdowns:
    """:class:`cardai.poker.responses.street_response.TerminalValues` in torch, in float64, on ``device`` (cpu, cuda).

    Raises:
        UsageError: torch does not see such a device.
    """

    device: str
    at_once: ClassVar[int] = 64
    """Subtrees whose ends are worked out in one product."""

    def __attrs_post_init__(self) -> None:
        choose_device(self.device)

    def __call__(self, hands: BoardHands, weights: Float64s, showdown: Bools, amount: Float64s) -> Float64s:
        """Return (t, 1326) what each hand wins from opposing ranges ``weights`` (t, 1326); 0 for blocked hands."""
        meet, win = _matrices(self.device, hands.hands.tobytes(), hands.ends.tobytes())
        ranges = torch.from_numpy(weights[:, hands.hands]).to(self.device)
        compared = torch.from_numpy(showdown).to(self.device)
        won = torch.empty_like(ranges)
        won[compared] = ranges[compared] @ win.T
        won[~compared] = ranges[~compared] @ meet
        out = np.zeros(weights.shape)
        out[:, hands.hands] = (won * torch.from_numpy(amount).to(self.device)[:, None]).cpu().numpy()
        return out


@lru_cache(maxsize=2)
def _matrices(device: str, hands: bytes, ends: bytes) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (n, n) which hands can meet, and 1 where the row's hand then wins, -1 where it loses."""
    numbers = np.frombuffer(hands, np.int64)
    cards = torch.from_numpy(_PAIRS[numbers]).to(device)
    level = torch.from_numpy(np.frombuffer(ends, np.int64).copy()).to(device)
    meet = apart(cards).to(torch.float64)
    return meet, meet * torch.sign(level[:, None] - level[None, :])


def apart(cards: torch.Tensor) -> torch.Tensor:
    """Return (n, n) whether two of the hands ``cards`` (n, 2) share no card."""
    return (cards[:, None, :, None] != cards[None, :, None, :]).all(dim=3).all(dim=2)
