"""Ladders of bets as options: ``0.5+pot+allin``; and caps on raises."""

from __future__ import annotations

from typing import Any

from attrs import Attribute

MAX_RUNGS = 32
"""The most rungs of a ladder."""


def ladder_fraction(text: str) -> float:
    """Return a rung of a bet ladder as kernels take it: a fraction of the pot, or -1 for all-in.

    Raises:
        ValueError: it is none of ``pot``, ``half``, ``allin`` and a positive number.
    """
    named = {"pot": 1.0, "half": 0.5, "allin": -1.0}
    try:
        value = named[text] if text in named else float(text)
    except ValueError:
        value = 0.0
    if text not in named and not 0.0 < value < 1e6:
        raise ValueError(
            f"A rung of bets must be a positive number (a fraction of the pot), pot, half or allin. Got {text!r}."
        )
    return value


def few(instance: Any, attribute: Any, value: tuple[int, ...]) -> None:
    """Refuse caps beyond the competition's largest."""
    if max(value) > 255:
        raise ValueError(f"{attribute.name} must be at most 255 a round. Got {value}.")


def check_ladder(instance: Any, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
    """Refuse a ladder that is too long or not ascending with all-in last."""
    if len(value) > MAX_RUNGS:
        raise ValueError(f"{attribute.name} has room for {MAX_RUNGS} rungs. Got {len(value)}.")
    fractions = [ladder_fraction(rung) for rung in value]
    sizes = [f for f in fractions if f > 0]
    if sizes != sorted(set(sizes)) or -1.0 in fractions[:-1]:
        raise ValueError(f"{attribute.name} must ascend, with allin last. Got {'+'.join(value)}.")
