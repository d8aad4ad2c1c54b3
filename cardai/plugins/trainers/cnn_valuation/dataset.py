"""What is learned from: the examples of chosen players, split, and the order in which they come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardai.core.arrays import Float32s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.learn.imitation.examples import Examples, numbers_of, read_examples, read_manifest
from cardai.learn.minibatches import Epochs
from cardai.plugins.trainers.cnn_valuation.ladder import Ladder

OUTCOMES = ("the player wins", "the opponent wins", "split")


def load(
    directory: str, players: Sequence[str], game: Game, batch: int, ladder: Ladder | None = None, most: int = 0
) -> tuple[Examples, Examples]:
    """Return the examples to learn from and those held out, of the classes of the ``ladder`` where there is one.

    Of those to learn from, the first ``most`` (0: all).

    Raises:
        UsageError: there are none of ``game``, a player is not in them, they are fewer than a minibatch or all of one class.
    """
    if not directory:
        raise UsageError(
            "cnn_valuation learns from examples: give --set data=DIR (cardai convert LOG --to examples --out DIR)."
        )
    manifest = read_manifest(directory)
    wanted = numbers_of(manifest, players, directory)
    _, examples = read_examples(directory, game, lambda part: part.take(np.isin(part.player, wanted)))
    if ladder is not None:
        examples = ladder.relabelled(examples)
    train, test = examples.take(~examples.test).take(slice(most or None)), examples.take(examples.test)
    if len(train) < batch:
        raise UsageError(
            f"The examples {directory!r} have {len(train):,} decisions to learn from, fewer than a minibatch of {batch:,}. "
            "Convert more hands, or make batch smaller."
        )
    if len(np.unique(train.label)) < 2:
        names = manifest.classes if ladder is None else ladder.names
        raise UsageError(
            f"All {len(train):,} decisions in {directory!r} are of one class, {names[int(train.label[0])]!r}: "
            "there is nothing to learn. Take logs of other players."
        )
    return train, test


def literal_targets(examples: Examples, gamma: float) -> Float32s:
    """Return (n, 3) gamma^later times one-hot (the player wins, the opponent wins, split), in the order of OUTCOMES.

    The target at a decision is gamma times that at the player's next one (eq. 4, with the terminal outputs of step 1).
    """
    out = np.zeros((len(examples), 3), np.float32)
    out[np.arange(len(examples)), outcomes(examples)] = np.power(gamma, examples.later.astype(np.float64))
    return out


def outcomes(examples: Examples) -> Int64s:
    """Return (n,) who won the hand: 0 the player, 1 the opponent, 2 split."""
    return np.asarray(np.select([examples.value > 0, examples.value < 0], [0, 1], 2), np.int64)


class Backwards:
    """Minibatches of states of ``batch`` records each: first all records' last states, then those before, and so on.

    A record is a player's decisions in one hand. Records come in epochs, each a permutation of its own.
    """

    def __init__(self, examples: Examples, batch: int, seed: int) -> None:
        self._ends = np.flatnonzero(examples.later == 0)
        self._sizes = np.diff(self._ends, prepend=-1)
        self._batch = batch
        self._depth = int(self._sizes.max())
        self._epochs = Epochs(len(self._ends), seed, 4)

    def at(self, step: int) -> Int64s:
        """Return the examples of minibatch ``step``; none where no record of its group is that long."""
        groups = -(-len(self._ends) // self._batch)
        number, back = divmod(step, self._depth)
        epoch, group = divmod(number, groups)
        records = self._epochs.order(epoch)[group * self._batch : (group + 1) * self._batch]
        return np.asarray(self._ends[records][self._sizes[records] > back] - back, np.int64)
