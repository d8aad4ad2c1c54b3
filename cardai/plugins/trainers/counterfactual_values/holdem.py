"""Learning from a directory of solved situations of hold'em.

network.json    what the network is: with best.safetensors what cardai.poker.values.network loads
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import asdict, evolve

from cardai.core.agent import Agent
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import write_json
from cardai.learn import tensors
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.counterfactual_values.learners import BucketLearner, HandLearner
from cardai.plugins.trainers.counterfactual_values.training import State, ValueTraining
from cardai.poker.values.network import DESCRIPTION, Description, ValueNetwork
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.range_codes import CODES, range_code
from cardai.poker.values.situation_set import SituationSet, check_fingerprint, load
from cardai.poker.values.splits import TEST, TRAIN, VALIDATION, load_enough, parts

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues


class SetTraining(ValueTraining):
    """Learns from the situations of a directory: a tenth of all boards chooses the epoch, a tenth is left for tests."""

    def __init__(self, options: CounterfactualValues, seed: int) -> None:
        super().__init__(options, seed)
        _check_code(options)
        self.found: SituationSet | None = None
        self.shards: tuple[int, ...] = ()

    def begin(self, shards: Sequence[int] = ()) -> None:
        """Read the situations now, so that what is wrong with them is said before the first epoch.

        ``shards`` are those to learn from; none given: all that there are.
        """
        o = self.options
        if not o.situations:
            raise UsageError("counterfactual_values learns from solved situations: --set situations=DIR.")
        found = load(o.situations)
        check_fingerprint(found)
        if not found.numbers:
            raise UsageError(
                f"{o.situations} has no solved situation yet. Go on with: cardai situations {o.situations}"
            )
        self.found, device = found, choose_device(o.device)
        network = self._network(found)
        network.module.to(device)
        self.shards = tuple(shards or found.numbers)
        needed = {TRAIN: o.solves, VALIDATION: HandLearner.judged_by[VALIDATION], TEST: 1}
        data = load_enough(found, self.shards, needed) if o.solves else load_prepared(found, self.shards)
        split = parts(data.boards)
        train = np.flatnonzero(split == TRAIN)
        train = train[: o.solves] if o.solves else train
        rows = {TRAIN: train, VALIDATION: np.flatnonzero(split == VALIDATION), TEST: np.flatnonzero(split == TEST)}
        if min(len(some) for some in rows.values()) == 0:
            raise UsageError(f"{o.situations} has too few situations to learn, choose and test: {len(data)}.")
        learner = (BucketLearner if o.shape == "buckets" else HandLearner)(o, network, data)
        learner.rows = rows
        self.learn_by(learner)

    def _network(self, found: SituationSet) -> ValueNetwork:
        o = self.options
        self.description = Description(
            kind=o.shape,
            street=found.recipe.street,
            bets=found.recipe.bets,
            code=o.code,
            **{name: getattr(o, name) for name in ("hidden", "layers", "width", "context", "blocks")},
            **{name: getattr(o, name) for name in ("equity_input", "match_up", "check_down", "zero_sum")},
        )
        with tensors.seeded(self.seed, torch.device("cpu")):
            return ValueNetwork(self.description)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        raise UsageError(
            "A network of counterfactual values is no player: it values the ends of subgames that are solved."
        )

    def state(self) -> State:
        assert self.found is not None
        return evolve(super().state(), fingerprint=self.found.fingerprint, shards=self.shards)

    def save(self, directory: Path) -> None:
        super().save(directory)
        write_json(directory / DESCRIPTION, asdict(self.description))

    def take_up(self, state: State, directory: Path) -> None:
        if self.found is None or self.shards != state.shards:
            self.begin(state.shards)
        assert self.found is not None
        if state.fingerprint != self.found.fingerprint:
            raise DamagedFileError(
                f"The situations {self.options.situations!r} are not those that this run has learned from."
            )


def _check_code(options: CounterfactualValues) -> None:
    """Raise UsageError where the shape and the code of ranges do not go together."""
    if options.shape == "hands":
        if options.code:
            raise UsageError("The shape hands sees hands by themselves and takes no code of ranges. Leave out code.")
        return
    if not options.code:
        raise UsageError(f"The shape buckets needs a code of ranges: --set code=e_hs2. Codes: {', '.join(CODES)}.")
    if options.images and not range_code(options.code).shows_board:
        raise UsageError("Suits are renamed for range_1326 alone: bucketed codes do not tell the images apart.")
