"""The examples that a value network learns from: made once from the seed, piece by piece, and drawn in minibatches."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.canonical import columns_back
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.fields import CanonicalForm, Views
from cardai.core.progress import tell
from cardai.core.trainer import Metrics
from cardai.plugins.trainers.poker_cnn.values.problems import Problem

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.values import PokerCnn

_CACHED = 1 << 30  # bytes of codes kept in memory; more are encoded minibatch by minibatch
_RANDOM = 200_000  # random situations where they cannot all be listed
_LISTED = 1 << 15  # situations listed between two signs of life
_PIECE = 2048  # examples labelled or encoded between two signs of life


@frozen(eq=False)
class Dataset:
    """Examples (n): what the network is shown (codes, or views where those take too much memory), values, weights."""

    layout: Layout
    shown: npt.NDArray[Any]
    values: Float32s  # (n, K), in natural units
    weights: Float32s  # (n,), 1 on average

    def __len__(self) -> int:
        return len(self.weights)

    def codes(self, index: Int64s) -> Float32s:
        """Return the codes (m, *shape) of the examples ``index`` (m,)."""
        shown = self.shown[index]
        return shown if shown.dtype.names is None else self.layout.encode(shown)


def make_dataset(
    problem: Problem, layout: Layout, form: CanonicalForm | None, options: PokerCnn, seed: int
) -> Generator[Metrics, None, Dataset]:
    """Make the dataset of a training, yielding empty metrics between pieces: the training can be stopped there.

    ``form`` shows random situations up to suits' names and order; those that are listed are in it already.
    """
    o = options
    if o.examples or not problem.size:
        rng = np.random.default_rng([seed, 0])
        views = problem.random(o.examples or _RANDOM, rng)
        values = np.empty((len(views), problem.outputs))
        for done in label(problem, views, o.redraws, rng, values):
            tell("labels", done, len(views))
            yield {}
        if o.thin:
            keep = rng.random(len(views)) < problem.shares(values)
            views, values = views[keep], values[keep]
        weights = np.ones(len(views))
        if form is not None:
            views, order = form(views)
            if order is not None:
                values = columns_back(values, np.argsort(order, axis=1).astype(np.int8))
    else:
        parts = []
        for start in range(0, problem.size, _LISTED):
            tell("labels", start, problem.size)
            yield {}
            parts.append(problem.situations(np.arange(start, min(start + _LISTED, problem.size))))
        views, values, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    shown: npt.NDArray[Any] = views
    if len(views) * int(np.prod(layout.shape)) * 4 <= _CACHED:
        shown = np.empty((len(views), *layout.shape), np.float32)
        for start in range(0, len(views), _PIECE):
            tell("codes", start, len(views))
            yield {}
            shown[start : start + _PIECE] = layout.encode(views[start : start + _PIECE])
    weights = weights / weights.mean()
    return Dataset(layout, shown, values.astype(np.float32), weights.astype(np.float32))


def label(problem: Problem, views: Views, redraws: int, rng: np.random.Generator, values: Float64s) -> Iterator[int]:
    """Fill ``values`` (n, K) with the labels of situations, piece by piece; yield how many are done."""
    sampled = problem.is_sampled(redraws)
    drawn = rng.integers(0, 2**63, len(views)).astype(np.uint64) if sampled else np.zeros(len(views), np.uint64)
    for start in range(0, len(views), _PIECE):
        part = slice(start, start + _PIECE)
        values[part] = problem.labels(views[part], redraws, drawn[part])
        yield min(start + _PIECE, len(views))
