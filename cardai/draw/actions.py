"""The draw family's actions.

A *hold* is a mask: bit i keeps card i of ``hand``. In draw games without betting the 32 actions are the holds; with
betting, action ``FIRST_DISCARD + mask`` discards the cards of the mask, after fold, call and raise.
"""

# kernel constants

from __future__ import annotations

FIRST_DISCARD = 3
HOLDS = 32
"""How many holds, or discards, five cards have."""
