"""Ranges as other programs write them: PioSolver's 1,326 numbers, GTO+'s brackets, Equilab's words, a grid of 13 x 13.

>>> from cardai.poker.notation import parse_range
>>> from cardai.poker.range_forms import written_range
>>> written_range(parse_range("QQ+,AKs:0.5,AKo:0.5"), "gtoplus")
'QQ+,[50]AKs,AKo[/50]'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import class_of, class_text, class_weights
from cardai.poker.notation import range_parts, range_text
from cardai.poker.range_numbers import pio_order


def written_range(weights: Float64s, form: str) -> str:
    """Return weights (1326,) in one of :data:`FORMS`.

    Raises:
        UsageError: there is no such form, or it cannot say these weights.
    """
    if form not in FORMS:
        raise UsageError(f"There is no form {form!r} of ranges. Known: {', '.join(FORMS)}.")
    return FORMS[form](weights)


def _pio(weights: Float64s) -> str:
    return " ".join(f"{weight:.6g}" for weight in weights[pio_order()])


def _gtoplus(weights: Float64s) -> str:
    """Return words, those of one weight together in brackets of it in percent."""
    groups: dict[str, list[str]] = {}
    for name, weight in range_parts(weights):
        groups.setdefault(f"{100 * weight:.6g}", []).append(name)
    return ",".join(
        ",".join(names) if weight == "100" else f"[{_plain(weight)}]{','.join(names)}[/{_plain(weight)}]"
        for weight, names in sorted(groups.items(), key=lambda group: -float(group[0]))
        if float(weight) > 0
    )


def _plain(number: str) -> str:
    """Return a number without an exponent."""
    return f"{float(number):.9f}".rstrip("0").rstrip(".") if "e" in number else number


def _equilab(weights: Float64s) -> str:
    """Return words, a weight behind an @ in percent."""
    words = [(name, f"{100 * weight:.6g}") for name, weight in range_parts(weights)]
    return ",".join(name if weight == "100" else f"{name}@{weight}%" for name, weight in words if float(weight) > 0)


def _grid(weights: Float64s) -> str:
    """Return 13 lines of 13 numbers, the mean weight of each class, aces first, suited above the diagonal.

    Raises:
        UsageError: the hands of some class have different weights.
    """
    classes, mean = class_of(), class_weights(weights)
    if not np.allclose(mean[classes], weights, atol=5e-7):
        number = int(classes[np.abs(mean[classes] - weights).argmax()])
        raise UsageError(f"A grid has one weight a class, and the hands of {class_text(number)} have several.")
    return "\n".join(" ".join(f"{value:.6g}" for value in row) for row in mean.reshape(13, 13))


FORMS: Mapping[str, Callable[[Float64s], str]] = {
    "notation": range_text,
    "pio": _pio,
    "gtoplus": _gtoplus,
    "equilab": _equilab,
    "grid": _grid,
}
"""How a range can be written; :func:`~cardai.poker.notation.parse_range` reads all of them back."""


def united(*ranges: Float64s) -> Float64s:
    """Return (1326,) the larger weight of each hand."""
    return np.asarray(np.maximum.reduce(ranges))


def common(*ranges: Float64s) -> Float64s:
    """Return (1326,) the smaller weight of each hand."""
    return np.asarray(np.minimum.reduce(ranges))


def without(weights: Float64s, taken: Float64s) -> Float64s:
    """Return (1326,) what is left of each hand's weight after ``taken``, at least 0."""
    return np.maximum(weights - taken, 0.0)


def combos(weights: Float64s) -> float:
    """Return how many hands a range holds, each counted by its weight."""
    return math.fsum(weights.tolist())
