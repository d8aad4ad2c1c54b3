"""Learning by minibatches: the order in which examples come, learning rates, and one step of an optimiser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from attrs import field, frozen
from torch import Tensor, nn

from cardai.core.arrays import Int64s
from cardai.core.errors import CardaiError
from cardai.core.schema import counted
from cardai.learn import tensors


class Epochs:
    """Permutations of ``count`` examples, one an epoch, from ``seed`` and the epoch's number alone."""

    def __init__(self, count: int, *seed: int) -> None:
        self.count = count
        self._seed: Sequence[int] = seed
        self._last: tuple[int, Int64s] | None = None

    def order(self, epoch: int) -> Int64s:
        """Return the examples' numbers (count,) in the order of an epoch (the last one asked for is remembered)."""
        if self._last is None or self._last[0] != epoch:
            self._last = epoch, np.random.default_rng([*self._seed, epoch]).permutation(self.count)
        return self._last[1]

    def at(self, places: Int64s) -> Int64s:
        """Return the examples (n,) at ``places`` (n,) of all epochs one after another."""
        out = np.empty(len(places), np.int64)
        for epoch in np.unique(places // self.count):
            inside = places // self.count == epoch
            out[inside] = self.order(int(epoch))[places[inside] % self.count]
        return out

    def minibatch(self, step: int, size: int) -> Int64s:
        """Return the examples (size,) of minibatch ``step``, where an epoch's last ones that fill none are left out."""
        epoch, place = divmod(step, max(1, self.count // size))
        return self.order(epoch)[place * size : (place + 1) * size]


def annealed(rate: float, step: int, over: int) -> float:
    """Return a learning rate that falls to a hundredth by a cosine, ``over`` so many steps; 0: that does not fall."""
    if not over:
        return rate
    return rate * (0.01 + 0.99 * 0.5 * (1 + float(np.cos(np.pi * min(1.0, step / over)))))


@frozen
class LossSum:
    """The losses of the minibatches since the last row of metrics, added up; a checkpoint keeps it."""

    total: float = 0.0
    count: int = field(default=0, validator=counted())

    def plus(self, loss: float) -> LossSum:
        """Return the sum with one more minibatch's loss."""
        return LossSum(self.total + loss, self.count + 1)

    @property
    def mean(self) -> float:
        """The mean loss of a minibatch, 0 where there was none."""
        return self.total / max(1, self.count)


def take_step(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    rate: float,
    threads: int,
    seed: int,
    losses: Callable[[], Iterable[Tensor]],
) -> list[float]:
    """Take one step down the sum of ``losses`` at a learning rate, and return each; dropout is drawn from ``seed``.

    Raises:
        CardaiError: a loss is infinite or no number; no step was taken.
    """
    for group in optimizer.param_groups:
        group["lr"] = rate
    network.train()
    with tensors.threads(threads), tensors.seeded(seed, next(network.parameters()).device):
        found = list(losses())
        numbers = sound(float(loss.detach()) for loss in found)
        optimizer.zero_grad()
        sum(found[1:], found[0]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return numbers


def sound(losses: Iterable[float]) -> list[float]:
    """Return a minibatch's losses where they are numbers: a network that learns from others is one of no numbers itself.

    Raises:
        CardaiError: a loss is infinite or no number.
    """
    found = list(losses)
    if not np.isfinite(found).all():
        raise CardaiError(
            "The losses of this training are no longer numbers: the learning rate is too high. What it was before can still be "
            "played, step=... of its run. Start a new run with a smaller learning rate."
        )
    return found
