"""Runs of counterfactual_values as those who measure them see them: the network, and the situations held out for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from attrs import field, frozen

from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.files import read_json
from cardai.core.needs import check
from cardai.core.schema import structure
from cardai.core.spec import parse
from cardai.poker.values.network import ValueNetwork, latest_checkpoint, load_network
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.situation_set import SituationSet, check_fingerprint, load
from cardai.poker.values.splits import TEST, load_enough, parts, shard_numbers


@frozen
class _Learned:
    """What a checkpoint says of the situations that it has learned from: the numbers of their shards."""

    shards: tuple[int, ...] = field(validator=shard_numbers)


def _shards(checkpoint: Path) -> tuple[int, ...]:
    file = checkpoint / "state.json"
    return structure(read_json(file), _Learned, f"The file {file}").shards


def held_out(
    run: Path, situations: Path | None = None, most: int = 2000, part: int = TEST
) -> tuple[ValueNetwork, Prepared, SituationSet]:
    """Return a run's best network, at most ``most`` situations of ``part``, and the set that they are of.

    Those of the run itself are the ones that its checkpoint knows, though there may be more by now.

    Raises:
        UsageError: it is no such run, has no checkpoint, or there is no such situation of its street. UntrustedError: the
            run is from somebody else and names situations outside it.
    """
    opened, checkpoint = latest_checkpoint(run)
    network = load_network(checkpoint)
    if situations is None:
        check(registry.load, "trainer", parse(opened.trainer_spec), "train")
        situations = Path(parse(opened.trainer_spec).values()["situations"])
        known = _shards(checkpoint)
    else:
        known = None
    found = load(situations)
    check_fingerprint(found)
    if found.recipe.street != network.description.street:
        raise UsageError(
            f"{run} values the {network.description.street}; {situations} is on the {found.recipe.street}."
        )
    numbers = found.numbers if known is None else known
    if not numbers:
        raise UsageError(f"{situations} has no situations yet.")
    data = load_enough(found, numbers, {part: most})
    rows = np.flatnonzero(parts(data, found.recipe.rows) == part)[:most]
    if len(rows) < 2:
        raise UsageError(f"{situations} has no two situations of that part.")
    return network, data.take(rows), found
