"""Several actors that play for one learner, each at tables of its own, by what the networks said at the round's beginning.

An iteration of the learner takes in what an iteration of every actor brought, and learns as with one: so there is more play to
learn from and not more learning, which is most of the work, and one after another. Actors play a round of iterations at a time; a
round that is cut short goes on by the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.learn.policies import legal_softmax
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.plugins.trainers.nfsp._actor_kernels import Log, play_round
from cardai.plugins.trainers.nfsp.checkpoints import check_play
from cardai.plugins.trainers.nfsp.empty import empty_memory, empty_play
from cardai.plugins.trainers.nfsp.game import CompiledGame
from cardai.plugins.trainers.nfsp.networks import answers_by_seat

ROUND = 50
"""Iterations that are played by the same networks."""
FILE = "actors.npz"


class Ground(NamedTuple):
    """What actors keep: the game as arrays, and the options of play."""

    env: kernels.Env
    legal: Any
    settings: kernels.Settings


class Said(NamedTuple):
    """What the networks said of all rows, and how many iterations are played by it now."""

    q: Any  # (R, A) float32
    policy: Any  # (R, A) float32
    iterations: int


def played(ground: Ground, said: Said, play: kernels.Play) -> tuple[kernels.Play, Log]:
    """Play an actor's tables on; return them, and what that brought, (2, L) each: the piece of work."""
    play = kernels.Play(*(array.copy() for array in play))
    tables, rows = len(play.node), len(ground.legal)
    most = 2 * tables * said.iterations
    memory = empty_memory(most, most, rows, 1)
    answers = kernels.Answers(said.q, said.policy, np.zeros((rows, 2), np.int64))
    seen = np.zeros((said.iterations, 2, 2), np.int64)
    play_round(ground.env, play, memory, answers, ground.legal, ground.settings, seen)
    ends = memory.seen.max(axis=0)
    parts = [array[:, : ends[int(k >= 4)]].copy() for k, array in enumerate(memory[:6])]
    return play, Log(*[*parts, seen])


def together(logs: Sequence[Log]) -> Log:
    """Return what several actors brought as one log, each part as long as the longest."""
    parts = []
    for arrays in zip(*(log[:6] for log in logs), strict=True):
        out = np.zeros((len(logs), 2, max(array.shape[1] for array in arrays)), arrays[0].dtype)
        for k, array in enumerate(arrays):
            out[k, :, : array.shape[1]] = array
        parts.append(out)
    return Log(*[*parts, np.stack([log.seen for log in logs])])


class Actors:
    """The actors' tables, and what the networks said at the beginning of the round."""

    def __init__(self, compiled: CompiledGame, settings: kernels.Settings, count: int, tables: int, seed: int) -> None:
        self.compiled = compiled
        self.ground = Ground(compiled.env, np.ascontiguousarray(compiled.legal), settings)
        self.plays = [empty_play(tables, derive(seed, "play", k)) for k in range(count)]
        for play in self.plays:
            kernels.deal_all(compiled.env, play, settings.eta)
        self.q = np.zeros(compiled.legal.shape, np.float32)
        self.policy = np.zeros(compiled.legal.shape, np.float32)

    def ask(self, nets: Mapping[str, Any], inputs: Any) -> None:
        """Ask the networks about all rows: a round begins."""
        owner, legal = self.compiled.owner, self.compiled.legal
        self.q = answers_by_seat(nets, "q", inputs, owner)
        self.policy = legal_softmax(answers_by_seat(nets, "policy", inputs, owner), legal).astype(np.float32)

    def said(self, iterations: int) -> Said:
        """Return what actors go by for some iterations."""
        return Said(self.q, self.policy, iterations)

    def take(self, brought: Sequence[tuple[kernels.Play, Log]]) -> Log:
        """Take the tables as they stand now, and return what the actors brought."""
        self.plays = [play for play, _ in brought]
        return together([log for _, log in brought])

    def counts(self) -> Any:
        """Return (2,): steps and hands of all actors."""
        return np.sum([play.counts[1:] for play in self.plays], axis=0)

    def _arrays(self) -> dict[str, Any]:
        tables = {name: np.stack([play._asdict()[name] for play in self.plays]) for name in kernels.Play._fields}
        return {**tables, "q": self.q, "policy": self.policy}

    def save(self, directory: Path) -> None:
        """Write everything to a checkpoint."""
        write_npz(directory / FILE, self._arrays())

    def load(self, directory: Path, step: int) -> None:
        """Take up what :meth:`save` wrote at ``step``. Raises DamagedFileError."""
        file = directory / FILE
        found = read_npz(file, {name: (array.dtype, array.shape) for name, array in self._arrays().items()})
        self.q, self.policy = found.pop("q"), found.pop("policy")
        for k in range(len(self.plays)):
            play = {name: found[name][k].copy() for name in kernels.Play._fields}
            check_play(file, {**play, "step": step}, self.compiled)
            self.plays[k] = kernels.Play(**play)
