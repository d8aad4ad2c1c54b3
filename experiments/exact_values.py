"""The exact numbers of Kuhn and Leduc poker in the literature, measured here beside them, as a Markdown table.

python experiments/exact_values.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import cardai
from cardai.core.registry import create
from cardai.solve.measures import Measured, measure_behaviour
from cardai.solve.sequence_form import behaviour_of, game_form
from cardai.solve.tree import game_tree

FOLD, CALL, RAISE = 0, 1, 2


def trivial(game: str, *favourites: int) -> Measured:
    """Measure the player that takes the first of ``favourites`` that is legal (none: all actions alike)."""
    tree, form = game_form(cardai.game(game))
    legal = tree.infosets.legal
    table = legal / legal.sum(axis=1, keepdims=True)
    for action in reversed(favourites):
        table[legal[:, action]] = np.eye(legal.shape[1])[action]
    return measure_behaviour(form, behaviour_of(tree, table))


def solved(game: str, spec: str, steps: int) -> dict[str, float]:
    """Return the metrics after ``steps`` iterations."""
    training = create("trainer", spec).start(cardai.game(game), None, 0)
    training.iterate(steps)
    metrics: dict[str, float] = training.metrics()
    return metrics


def public(game: str) -> int:
    """Return the number of nodes of a game's public tree."""
    return sum(1 for _ in game_tree(cardai.game(game)).public_histories())


Row = tuple[str, str, Callable[[], float]]

ROWS: tuple[Row, ...] = (
    ("Kuhn: value for the first player (Kuhn 1950)", "-1/18", lambda: solved("kuhn", "pdcfr_plus", 20_000)["value"]),
    ("Leduc: value for the first player (linear program)", "-0.085606424", lambda: solved("leduc", "pdcfr_plus", 30_000)["value"]),
    ("Leduc: exploitability of uniform play (OpenSpiel)", "2.373611", lambda: trivial("leduc").exploitability),
    ("... of always raising (OpenSpiel)", "2.366667", lambda: trivial("leduc", RAISE, CALL).exploitability),
    ("... of always calling (OpenSpiel)", "1.466667", lambda: trivial("leduc", CALL).exploitability),
    ("... of folding whenever allowed (OpenSpiel)", "1.0", lambda: trivial("leduc", FOLD, CALL).exploitability),
    ("... after 1,000 iterations of CFR (OpenSpiel)", "0.01182", lambda: solved("leduc", "cfr", 1_000)["exploitability"]),
    ("... after 1,000 iterations of CFR+ (OpenSpiel)", "0.000257", lambda: solved("leduc", "cfr_plus", 1_000)["exploitability"]),
    ("NashConv after 1,063 iterations of XFP (Heinrich and Silver 2016, read off)", "0.112", lambda: 2 * solved("leduc", "xfp", 1_063)["exploitability"]),
    ("DeepStack-Leduc: public nodes", "653", lambda: public("leduc_deepstack")),
    ("... without the unprompted fold", "591", lambda: public("leduc_deepstack:fold_anytime=false")),
    ("... exploitability of uniform play, chips a dealt hand", "210.625", lambda: trivial("leduc_deepstack").exploitability),
    ("... in its own unit, 36 pairs of which 30 can be dealt (tutorial: a bit over 175)", "175.5208333", lambda: trivial("leduc_deepstack").exploitability * 30 / 36),
    ("... after its own solver: regret matching+, simultaneous, iterations 501 to 1,000 averaged (tutorial: about 1.0)", "1.0", lambda: solved("leduc_deepstack", "cfr_plus:updates=simultaneous,gamma=0,delay=500", 1_000)["exploitability"] * 30 / 36),
)  # fmt: skip


def lines() -> Iterator[str]:
    """Yield the table's lines as they are measured."""
    yield "| what | published | measured | CPU s |"
    yield "|---|---|---|---|"
    for name, published, measured in ROWS:
        began = time.process_time()
        value = measured()
        yield f"| {name} | {published} | {value:.10g} | {time.process_time() - began:.2f} |"


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
