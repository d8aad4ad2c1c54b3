"""What each of the 169 classes of hands wins against each other all-in before the flop, counted over all 2,598,960 boards.

    python experiments/preflop_equities.py [--write]

Half a minute of CPU. Compares with cardai/poker/preflop/equities.npz, and with --write writes it.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from math import comb
from pathlib import Path

import numpy as np

from cardai.core.npz import write_npz
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.boards import boards
from cardai.poker.hands.combos import pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.preflop import _equity_kernels as kernels
from cardai.poker.preflop.equities import ABOVE, FILE, class_equities, meetings


def main() -> None:
    """Count, and compare."""
    known = boards(5)
    wins, ties = np.zeros((CLASSES, CLASSES), np.int64), np.zeros((CLASSES, CLASSES), np.int64)
    kernels.classes_on_boards(
        known.cards, known.weights.astype(np.int64), pairs(), class_of(), batch_tables(7), wins, ties
    )
    met = wins + wins.T + ties
    assert (met == meetings() * comb(48, 5)).all()
    found = (wins + 0.5 * ties) / met
    if "--write" in sys.argv[1:]:
        place = Path(str(files("cardai.poker.preflop").joinpath(FILE)))
        write_npz(place, {"above": found[ABOVE].astype(np.float32)}, level=9)
    apart = float(np.abs(class_equities() - found).max())
    print(f"{len(ABOVE[0]):,} pairs of classes over {comb(52, 5):,} boards; the file is off by {apart:.1e} at most.")


if __name__ == "__main__":
    main()
