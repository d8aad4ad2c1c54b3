"""The options of a trained player's spec."""

from __future__ import annotations

from typing import Literal

from attrs import frozen, validators

from cardai.core.spec import option


@frozen
class PlayerOptions:
    """How the network plays: ``act`` and ``bet`` are as trained where nothing is said."""

    act: Literal["argmax", "sample"] = option(
        "argmax", help="argmax: the likeliest action; sample: drawn by its probability (default: as trained)"
    )
    temperature: float = option(
        1.0, help="probabilities to the power 1/temperature before drawing", validator=validators.gt(0)
    )
    bet: float = option(
        1.0,
        help="no-limit: a raise is of this share of the pot (default: as trained)",
        validator=[validators.gt(0), validators.lt(1e6)],
    )
