"""What a match of a betting game is summed up in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.game import Parts
from cardai.core.statistics import Estimate


def figure_parts(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]], big_blind: int) -> Parts:
    """Return what milli-big-blinds a hand and the share of hands that were compared are made of."""
    played = np.ones(len(hands))
    won = hands["returns"][np.arange(len(hands)), seats] * (1000 / big_blind)
    return {"mbb/g": (won, played), "showdowns": (hands["showdown"], played)}


def figure_rows(found: Mapping[str, Estimate]) -> list[tuple[str, str]]:
    """Return the figures as (label, text) rows."""
    return [("mbb/g", found["mbb/g"].text(1, sign=True)), ("showdowns", found["showdowns"].scaled(100).text(1, "%"))]
