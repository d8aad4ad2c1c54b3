"""The options of a trained player's spec."""

from __future__ import annotations

from collections.abc import Mapping

PLAYER_OPTIONS: Mapping[str, str] = {
    "act": "argmax: the likeliest action; sample: drawn by its probability (default: as trained)",
    "temperature": "probabilities to the power 1/temperature before drawing (default 1)",
    "bet": "no-limit: a raise is of this share of the pot (default: as trained)",
}
