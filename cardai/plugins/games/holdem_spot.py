"""A spot of hold'em as a game: both hands from their ranges, the bets of the spot (what cardai solve keeps)."""

from __future__ import annotations

from functools import cached_property

from attrs import frozen

from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.poker.ranges.solution import read_spot
from cardai.poker.ranges.spot import Spot
from cardai.poker.ranges.spot_game import SMALL, SpotGame


@frozen(slots=False)
class HoldemSpot(SpotGame):
    """A spot of hold'em: the solved one in a directory, or a small river."""

    directory: str = option(
        "", holds="path", help="A solved spot's directory (cardai solve --out); without, a small river spot."
    )

    @cached_property
    def spot(self) -> Spot:  # type: ignore[override]
        return read_spot(self.directory) if self.directory else SMALL


@hookimpl
def cardai_game() -> type[HoldemSpot]:
    return HoldemSpot
