"""Trained counterfactual value networks: what they say of situations.

network = load_run("runs/river")
values = network.values(prepare([situation(1, 7, "river")]))        # (1, 2, H), in units of what each player has put in
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import asdict, field, frozen, validators

from cardai.core.arrays import Float32s, Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_links, write_json
from cardai.core.schema import structure, whole
from cardai.core.spec import parse
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network_inputs import CONTEXT_INPUTS, HAND_INPUTS, context_inputs, hand_inputs
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.range_codes import RangeCode, range_code
from cardai.poker.values.situations import BETS, BOARD_CARDS, INTERVALS, STACK
from cardai.training.runs import Run

DESCRIPTION, WEIGHTS = "network.json", "best.safetensors"
FORMAT = "cardai value network 3"
_ROWS, _CODES = 2048, 250
"""Hands that a network over hands, and situations that one over codes, is asked about at a time: what fits into a core's cache."""


@frozen
class Description:
    """What network it is: enough to make it again."""

    kind: Literal["buckets", "hands"] = field(validator=validators.in_(("buckets", "hands")))
    street: str = field(validator=validators.in_(tuple(BOARD_CARDS)))
    code: str = ""
    """The code of ranges, for ``buckets`` (:mod:`.range_codes`)."""
    stack: int = field(default=STACK, validator=whole(1))
    """What each player began the hand with."""
    least: int = field(default=INTERVALS[0][0], validator=whole(1))
    """The least that each player had put in, in the situations that it learned from."""
    bets: str = BETS
    """The bet menu of the situations that it learned from."""
    hidden: int = field(default=500, validator=whole(1, 4096))
    layers: int = field(default=7, validator=whole(1, 32))
    width: int = field(default=64, validator=whole(1, 4096))
    context: int = field(default=256, validator=whole(1, 4096))
    blocks: int = field(default=2, validator=whole(0, 32))
    equity_input: bool = True
    match_up: bool = True
    check_down: bool = True
    zero_sum: bool = True
    format: str = FORMAT


class ValueNetwork:
    """A network with its description. ``module`` is the torch network."""

    def __init__(self, description: Description) -> None:
        from cardai.poker.values import torch_networks as value_networks

        self.description = d = description
        self.code: RangeCode | None = None
        if d.kind == "buckets":
            self.code = range_code(d.code)
            self.module: Any = value_networks.BucketNetwork(self.code.size, self.code.width, d.hidden, d.layers)
            return
        options = value_networks.HandOptions(
            width=d.width,
            context=d.context,
            blocks=d.blocks,
            equity_input=d.equity_input,
            match_up=d.match_up,
            check_down=d.check_down,
            zero_sum=d.zero_sum,
        )
        self.module = value_networks.HandNetwork(options, CONTEXT_INPUTS, HAND_INPUTS)

    def values(self, data: Prepared) -> Float32s:
        """Return (n, 2, H) counterfactual values in units of what each player has put in."""
        from cardai.poker.values import torch_networks as value_networks

        if self.code is not None:
            own = hand_buckets(self.code, data)
            return of_hands(self.of_buckets(data, own), own)
        parts = []
        self.module.eval()
        step = max(1, _ROWS // data.ranges.shape[2])
        for start in range(0, len(data), step):
            part = data.take(slice(start, start + step))
            hands, met = hand_inputs(part, None, self.description.equity_input)
            ranges = part.ranges.astype(np.float32) / part.ranges.shape[2]
            context = context_inputs(part, self.description.stack)
            parts.append(value_networks.hand_values(self.module, context, hands, met, ranges))
        return np.concatenate(parts) if parts else np.zeros(data.values.shape, np.float32)

    def of_buckets(self, data: Prepared, buckets: Int64s) -> Float32s:
        """Return (n, 2, size) the values of buckets; ``buckets`` (n, H) those of the hands. For networks over a code."""
        from cardai.poker.values import torch_networks as value_networks

        assert self.code is not None
        self.module.eval()
        parts = []
        for start in range(0, len(data), _CODES):
            part = slice(start, start + _CODES)
            inputs = codes(self.code, data.take(part), buckets[part], self.description.stack)
            parts.append(value_networks.bucket_values(self.module, inputs))
        return np.concatenate(parts) if parts else np.zeros((0, 2, self.code.size), np.float32)

    def save(self, directory: Path) -> None:
        """Write the description and the weights."""
        from cardai.poker.values import torch_networks as value_networks

        write_json(directory / DESCRIPTION, asdict(self.description))
        value_networks.write_network(self.module, directory / WEIGHTS)


def load_network(directory: Path) -> ValueNetwork:
    """Return the network in ``directory``, a checkpoint. Raises DamagedFileError."""
    from cardai.poker.values import torch_networks as value_networks

    what = f"The file {directory / DESCRIPTION}"
    refuse_links(directory)
    description = structure(read_json(directory / DESCRIPTION), Description, what)
    if description.format != FORMAT:
        raise DamagedFileError(f"{what} is damaged or foreign: its format is {description.format[:40]!r}.")
    try:
        network = ValueNetwork(description)
    except UsageError as error:
        raise DamagedFileError(f"{what} is damaged or foreign: {error}") from error
    value_networks.read_network(network.module, directory / WEIGHTS)
    return network


def load_run(directory: str | Path) -> ValueNetwork:
    """Return the best network of a run of counterfactual_values, of its last checkpoint.

    Raises:
        UsageError: it is no such run, or has no checkpoint yet. DamagedFileError.
    """
    return load_network(latest_checkpoint(Path(directory))[1])


def latest_checkpoint(directory: Path) -> tuple[Run, Path]:
    """Return a run of counterfactual_values and the directory of its last good checkpoint. Raises UsageError, DamagedFileError."""
    run = Run.open(directory)
    name = parse(run.trainer_spec).name
    if not name.startswith(("counterfactual_values", "leduc_values")):
        raise UsageError(f"The run {directory} is of {name}: it has no counterfactual values.")
    checkpoint, refused = run.latest()
    if checkpoint is None and refused:
        raise DamagedFileError(f"The run {directory} has no good checkpoint: {' '.join(refused)}")
    if checkpoint is None:
        raise UsageError(f"The run {directory} has no checkpoint yet.")
    return run, checkpoint.path


def hand_buckets(code: RangeCode, data: Prepared) -> Int64s:
    """Return (n, H) the bucket of each hand that the board leaves."""
    out = np.empty((len(data), data.ranges.shape[2]), np.int64)
    for row, board in zip(out, data.boards.tolist(), strict=True):
        row[:] = code.buckets(board)[legal_hands(board, code.hands)]
    return out


def codes(code: RangeCode, data: Prepared, buckets: Int64s, stack: float = STACK) -> Float32s:
    """Return (n, width) the codes of situations: masses of both players' buckets, the share of ``stack`` that is in, the board."""
    n, size = len(data), code.size
    out = np.zeros((n, code.width), np.float32)
    place = np.arange(n)[:, None, None] * 2 * size + np.arange(2)[:, None] * size + buckets[:, None]
    weights = data.ranges.astype(np.float64).ravel() / data.ranges.shape[2]
    out[:, : 2 * size] = np.bincount(place.ravel(), weights, n * 2 * size).reshape(n, 2 * size)
    out[:, 2 * size] = data.half_pots / stack
    if code.shows_board:
        out[np.arange(n)[:, None], 2 * size + 1 + data.boards.astype(np.int64)] = 1.0
    return out


def of_hands(values: Float32s, buckets: Int64s) -> Float32s:
    """Return (n, 2, H) the values (n, 2, size) of buckets copied to their hands; ``buckets`` (n, H)."""
    index = np.broadcast_to(buckets[:, None], (len(buckets), 2, buckets.shape[1]))
    return np.asarray(np.take_along_axis(values, index, axis=2))


def bucket_means(buckets: Int64s, values: npt.NDArray[Any], size: int) -> tuple[Float32s, Float32s]:
    """Return ((n, 2, size) the mean value (n, 2, H) of each bucket's hands, (n, 1, size) 1 where it has a hand)."""
    n = len(buckets)
    place = (np.arange(n)[:, None] * size + buckets).ravel()
    counts = np.bincount(place, minlength=n * size).reshape(n, 1, size)
    sums = [np.bincount(place, values[:, k].astype(np.float64).ravel(), n * size).reshape(n, 1, size) for k in range(2)]
    means = np.concatenate(sums, axis=1) / np.maximum(counts, 1)
    return means.astype(np.float32), (counts > 0).astype(np.float32)
