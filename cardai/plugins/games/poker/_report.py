"""What a match of a betting game is summed up in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.arena.statistics import Estimate, group_sums, ratio


def figures(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]], big_blind: int) -> dict[str, Estimate]:
    """Return milli-big-blinds a hand and the share of hands that were compared, intervals over groups."""
    played = group_sums(hands["group"], np.ones(len(hands)))
    won = hands["returns"][np.arange(len(hands)), seats] * (1000 / big_blind)
    return {
        "mbb/g": ratio(group_sums(hands["group"], won), played),
        "showdowns": ratio(group_sums(hands["group"], hands["showdown"]), played),
    }


def summary_rows(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]], big_blind: int) -> list[tuple[str, str]]:
    """Return the figures as (label, text) rows."""
    if not len(hands):
        return []
    found = figures(hands, seats, big_blind)
    return [("mbb/g", found["mbb/g"].text(1, sign=True)), ("showdowns", found["showdowns"].scaled(100).text(1, "%"))]
