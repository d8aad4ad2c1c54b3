"""Views up to what makes no difference: the suits' names and the order of cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.cards.canonical import canonical, canonical_groups, renamed_sets
from cardai.core.fields import Views

_HOLDEM = (0, 0, 1, 1, 1, 2, 3)  # own cards, flop, turn, river


def canonical_views(views: Views) -> tuple[Views, npt.NDArray[np.int8] | None]:
    """Return views with suits renamed and cards ordered, and where each card of ``hand`` was (None without that field).

    The fields are ``hand`` with ``discarded``, or ``hole`` (2) and ``board`` (5); other views are returned as they are.
    """
    names = set(views.dtype.names or ())
    if "hand" in names:
        out = views.copy()
        if "discarded" in names:
            groups = (0,) * views["hand"].shape[1]
            out["hand"], order, renaming = canonical_groups(views["hand"], groups)
            out["discarded"] = renamed_sets(views["discarded"], renaming)
        else:
            out["hand"], order = canonical(views["hand"])
        return out, order
    if {"hole", "board"} <= names and (views["hole"].shape[1:], views["board"].shape[1:]) == ((2,), (5,)):
        out = views.copy()
        cards = canonical_groups(np.concatenate([views["hole"], views["board"]], axis=1), _HOLDEM)[0]
        out["hole"], out["board"] = cards[:, :2], cards[:, 2:]
        return out, None
    return views, None
