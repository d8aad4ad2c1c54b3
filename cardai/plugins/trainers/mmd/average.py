"""The averaged policy: a network that learns how all actors so far have played, from a reservoir of their decisions.

What an actor played at its own decisions is weighted by its own reach, as the average of strategies wants (Heinrich and Silver
2016, section 3.2), but also by how often the other seats' actors of the moment came there: it is that average as far as they
changed slowly. The reservoir holds whole policies, not single actions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from cardai.core.arrays import Float32s
from cardai.core.errors import DamagedFileError
from cardai.core.npz import check_counts, read_npz, write_npz
from cardai.core.rng import Rows, derive_many
from cardai.learn import tensors
from cardai.learn.distinct import distinct
from cardai.learn.networks import device_of
from cardai.plugins.trainers.mmd.losses import ILLEGAL
from cardai.plugins.trainers.mmd.rollouts import Batch

RATE = 1e-3
"""Learning rate of Adam for the averaged policy."""
LEAST = 1e-30
"""What is kept of a legal action that was never played: 0 says that it is not legal."""
FILES = ("average.npz", "average.safetensors")


class Average:
    """A reservoir of ``capacity`` decisions and the network that learns it, ``updates`` minibatches an iteration."""

    def __init__(self, network: nn.Module, inputs: int, actions: int, capacity: int, updates: int, seed: int) -> None:
        self.network, self.updates, self.seed = network, updates, seed
        self.optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
        self.codes: Float32s = np.zeros((capacity, inputs), np.float32)
        self.policies: Float32s = np.zeros((capacity, actions), np.float32)
        self.seen = 0

    @property
    def held(self) -> int:
        """How many decisions the reservoir holds."""
        return min(self.seen, len(self.codes))

    def remember(self, batch: Batch) -> None:
        """Offer a batch's decisions to the reservoir: each so far is in it with the same probability (Vitter 1985)."""
        number = self.seen + np.arange(len(batch))
        drawn = Rows(derive_many(self.seed, "reservoir", count=len(batch), start=self.seen)).random()
        place = np.where(number < len(self.codes), number, (drawn * (number + 1)).astype(np.int64))
        kept = np.flatnonzero(place < len(self.codes))
        self.codes[place[kept]] = batch.codes[kept]  # of several at one place the last stays
        played = np.where(batch.legal, np.maximum(batch.policies, LEAST), 0)
        self.policies[place[kept]] = played[kept]
        self.seen += len(batch)

    def learn(self, step: int, size: int) -> None:
        """Take ``updates`` steps on the cross entropy of ``size`` decisions each; ``step`` draws them with the seed."""
        rng = np.random.default_rng([self.seed, step])
        for _ in range(self.updates):
            rows = rng.integers(0, self.held, size)
            first, inverse = distinct(self.codes[rows])
            wanted = np.zeros((len(first), self.policies.shape[1]))
            np.add.at(wanted, inverse, self.policies[rows] / size)
            target = tensors.given(wanted.astype(np.float32), device_of(self.network))
            logits = self.network(tensors.given(self.codes[rows][first], target.device))
            loss = -(target * logits.masked_fill(target == 0, ILLEGAL).log_softmax(1).clamp(min=-30)).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def save(self, directory: Path) -> None:
        """Write the reservoir and the optimiser's state; the network is its owner's to write."""
        held = {"codes": self.codes[: self.held], "policies": self.policies[: self.held], "seen": np.int64(self.seen)}
        write_npz(directory / FILES[0], held)
        tensors.write(directory / FILES[1], tensors.optimizer_tensors(self.optimizer, "optimizer"))

    def load(self, directory: Path) -> None:
        """Take up what :meth:`save` wrote. Raises DamagedFileError."""
        path = directory / FILES[0]
        inputs, actions = self.codes.shape[1], self.policies.shape[1]
        expected = {"codes": (np.float32, (None, inputs)), "policies": (np.float32, (None, actions))}
        found = read_npz(path, {**expected, "seen": (np.int64, ())})
        check_counts(path, found, "seen")
        seen, held = int(found["seen"]), len(found["codes"])
        numbers = np.isfinite(found["codes"]).all() and np.isfinite(found["policies"]).all()
        if held != len(found["policies"]) or held != min(seen, len(self.codes)) or not numbers:
            raise DamagedFileError(f"The file {path} holds no reservoir of {len(self.codes)} decisions: it is damaged.")
        state = tensors.read(directory / FILES[1])
        tensors.restore_optimizer(self.optimizer, state, "optimizer", directory / FILES[1])
        self.seen = seen
        self.codes[:held], self.policies[:held] = found["codes"], found["policies"]
