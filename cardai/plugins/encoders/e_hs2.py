"""Expected squared strength: hands of like E[HS^2] are one bucket, 1,326 equal bins (arXiv 1807.00900)."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen, validators

from cardai.core.arrays import Int64s
from cardai.core.encoder import Encoder
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.subgames.range_codes import RangeEncoder, equal_bins, strength_moments


@frozen
class ExpectedSquare(RangeEncoder):
    """The mean over rivers of the squared chance to beat a hand at random, in bins of equal width."""

    bins: int = option(1326, help="how many equal bins", validator=validators.in_(range(2, 65_536)))

    @property
    def size(self) -> int:
        return self.bins

    def buckets(self, board: Sequence[int]) -> Int64s:
        return equal_bins(strength_moments(board)[1], self.bins)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    return ExpectedSquare
