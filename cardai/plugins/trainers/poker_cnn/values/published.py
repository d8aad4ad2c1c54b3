"""What only the publication does in value learning: compressed payouts, labels by redraws, fewer of the usual hands.

Source: the repository of Poker-CNN's authors (simulated draw values, the training's sampling of examples).
"""

from __future__ import annotations

import numpy as np
import torch

from cardai.core.arrays import Float64s, Int8s, Uint64s
from cardai.draw.actions import HOLDS
from cardai.draw.video_poker import Pays
from cardai.plugins.trainers.poker_cnn.values._kernels import redraw_means

_KEPT = np.array([hold.bit_count() for hold in range(HOLDS)])


def compressed(values: torch.Tensor) -> torch.Tensor:
    """Return Poker-CNN's scale of payouts: v up to 4, then 4 + sqrt(v - 4)."""
    return torch.where(values <= 4, values, 4 + torch.sqrt(torch.clamp(values - 4, min=0)))


def redraw_labels(hands: Int8s, pays: Pays, redraws: int, seeds: Uint64s) -> Float64s:
    """Return the mean payout of ``redraws`` random completions of each hold, (n, 32), of hands (n, 5).

    Ten times as many for holds that are part of a royal flush, and a royal flush by any other hold counts as a straight
    flush, as in Poker-CNN.
    """
    out = np.empty((len(hands), HOLDS))
    redraw_means(np.ascontiguousarray(hands), np.array(pays, np.int64), redraws, seeds, out)
    return out


def share_by_kept(values: Float64s) -> Float64s:
    """Return the chance (n,) at which a video poker hand is used: half where the best hold keeps one or two cards."""
    kept = _KEPT[values.argmax(axis=1)]
    return np.where((kept == 1) | (kept == 2), 0.5, 1.0)


def share_by_pat_value(values: Float64s) -> Float64s:
    """Return the chance (n,) at which a hand of a draw game is used, by what standing pat is worth.

    All up to 0.08 and from 0.5 on; between 0.1 and 0.5 a share that rises from 30% to 100%.
    """
    pat = values[:, 31]
    return np.where(pat <= 0.08, 1.0, np.interp(pat, [0.1, 0.5], [0.3, 1.0]))
