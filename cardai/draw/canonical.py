"""Hands of five cards up to what makes no difference: the suits' names and the order of cards."""

from __future__ import annotations

from cardai.cards.canonical import canonical, canonical_groups, renamed_sets
from cardai.core.arrays import Int8s
from cardai.core.fields import Views


def hand_form(views: Views) -> tuple[Views, Int8s]:
    """Return views with ``hand`` in canonical form, and where each of its cards was, (n, 5)."""
    out = views.copy()
    out["hand"], order = canonical(views["hand"])
    return out, order


def hand_and_discards_form(views: Views) -> tuple[Views, Int8s]:
    """Return views with ``hand`` and ``discarded`` in canonical form, and where each card of the hand was, (n, 5)."""
    out = views.copy()
    out["hand"], order, renaming = canonical_groups(views["hand"], (0,) * views["hand"].shape[1])
    out["discarded"] = renamed_sets(views["discarded"], renaming)
    return out, order
