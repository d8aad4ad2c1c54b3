"""The options of a trained player's spec."""

from __future__ import annotations

from attrs import frozen, validators

from cardai.core.spec import option


@frozen
class PlayerOptions:
    """How a trained network plays."""

    least: float = option(
        0.0,
        help="actions of a smaller probability are never played (Ganzfried, Sandholm and Waugh 2012)",
        validator=[validators.ge(0), validators.lt(1)],
    )
    device: str = option("cpu", help="torch's device for playing: cpu, cuda, auto (the GPU if there is one)")
