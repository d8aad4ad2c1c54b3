"""The options of a trained player's spec."""

from __future__ import annotations

from attrs import frozen, validators

from cardai.core.spec import option
from cardai.plugins.trainers.poker_cnn.betting.options import ActingOptions


@frozen(slots=False)
class PlayerOptions(ActingOptions):
    """What the spec of a trained betting player takes (runs/x:noise=0); ways of acting are as trained where nothing is said."""

    generation: int | None = option(None, help="the generation to play (default: the newest)")
    mix: int = option(
        1, help="how many of the newest generations play, one drawn for each decision", validator=validators.ge(1)
    )
