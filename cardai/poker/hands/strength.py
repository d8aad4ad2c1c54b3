"""Hand strength: the chance of hole cards to beat a random hand on the board so far, for many hands at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s
from cardai.poker.hands import _strength_kernels as kernels
from cardai.poker.hands.ranking import batch_tables

# fmt: off
PREFLOP = np.array([
    (0.503340, 0.323032, 0.331998, 0.342846, 0.340751, 0.345836, 0.368277, 0.390979, 0.416684, 0.443485, 0.472954, 0.505087, 0.549286),
    (0.359844, 0.536931, 0.351459, 0.362648, 0.360776, 0.366023, 0.374838, 0.400195, 0.425946, 0.452755, 0.482194, 0.514257, 0.558446),
    (0.368290, 0.386419, 0.570228, 0.381553, 0.380105, 0.385498, 0.394468, 0.406711, 0.435041, 0.461864, 0.491277, 0.523275, 0.567297),
    (0.378493, 0.396930, 0.414534, 0.603249, 0.399443, 0.405120, 0.414275, 0.426691, 0.442509, 0.471809, 0.501201, 0.533140, 0.576965),
    (0.376690, 0.395336, 0.413333, 0.431334, 0.632847, 0.423227, 0.432409, 0.444913, 0.460920, 0.478443, 0.510241, 0.542233, 0.576825),
    (0.381559, 0.400359, 0.418493, 0.436755, 0.453718, 0.662360, 0.450508, 0.462978, 0.479081, 0.496819, 0.517657, 0.551874, 0.588412),
    (0.402716, 0.408735, 0.427016, 0.445450, 0.462433, 0.479363, 0.691630, 0.480970, 0.497213, 0.514902, 0.535998, 0.560202, 0.598726),
    (0.424152, 0.432643, 0.438620, 0.457219, 0.474283, 0.491177, 0.508008, 0.720573, 0.515317, 0.532512, 0.553604, 0.578119, 0.607728),
    (0.448395, 0.456925, 0.465305, 0.472163, 0.489407, 0.506390, 0.523344, 0.540275, 0.750118, 0.552477, 0.572908, 0.597389, 0.627217),
    (0.473782, 0.482316, 0.490705, 0.499868, 0.506059, 0.523248, 0.540156, 0.556625, 0.575279, 0.774695, 0.581347, 0.605687, 0.635633),
    (0.501690, 0.510192, 0.518553, 0.527694, 0.536126, 0.543023, 0.560177, 0.576643, 0.594676, 0.602592, 0.799252, 0.614558, 0.644318),
    (0.532117, 0.540550, 0.548846, 0.557929, 0.566407, 0.575377, 0.583123, 0.599885, 0.617886, 0.625673, 0.634004, 0.823957, 0.653201),
    (0.573789, 0.582203, 0.590336, 0.599229, 0.599058, 0.609840, 0.619438, 0.627812, 0.646024, 0.653927, 0.662089, 0.670446, 0.852037),
])
# fmt: on
"""The chance of every starting hand to beat a random one before the flop, (13, 13), ranks 2..A = 0..12.

Pairs lie on the diagonal, [high, low] is suited, [low, high] of two suits. Exact over all deals:
``python experiments/preflop_win_rates.py`` prints it.
"""


def win_rates(hole: npt.NDArray[Any], board: npt.NDArray[Any], samples: int = 500) -> Float64s:
    """Return (n,) chances to beat a random hand, a tie counting half.

    ``hole`` is (n, 2) cards, ``board`` (n, 5) cards in dealt order, -1 where not dealt. Before the flop and on the river
    the figures are exact. On flop and turn they come from ``samples`` deals that depend on the cards alone (standard
    error at most 0.5 / sqrt(samples)), or with ``samples`` 0 from all deals (8 and 0.3 ms a hand).
    """
    out = np.empty(len(hole))
    cards = np.ascontiguousarray(hole, np.int8), np.ascontiguousarray(board, np.int8)
    kernels.win_rates(*cards, PREFLOP, batch_tables(7), samples, out)
    return out
