"""Betting in words, with its amounts, to the player who acts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cardai.poker.fields import POKER
from cardai.poker.rules.betting import Betting, stacks_before

FRACTIONS = {1.0: "pot", 0.5: "half pot"}
"""Rungs of a ladder of bets that have a name; others are so many of the pot."""
_BETS = re.compile(r"(call|bet|raise to|buy in again for) \d")
_WON = re.compile(r"(?<= )([+-]\d+(?:,\d{3})*) chips?$")
_AMOUNT = re.compile(r"\d+(?:,\d{3})*")


def betting_words(action: int, view: Mapping[str, Any], raise_to: int = 0) -> str:
    """Return fold, check or call, or a raise, in words: "fold", "check", "call 50", "bet 100", "raise to 300".

    ``view`` is that of the player to act in a game of the poker family; ``raise_to`` is what a raise raises to, in chips
    of the whole hand. Words count the chips of this street alone, as players do: its first bet is what it puts in, a raise
    is to what then lies before the player. All of the player's chips are said to be that.
    """
    player = view["player"]
    spent, behind = view["spent"][player], view["stacks"][player]
    if action == 0:
        return "fold"
    if action == 1:
        put_in = view["to_call"]
        words = f"call {put_in:,}" if put_in else "check"
    else:
        put_in = raise_to - spent
        words = f"raise to {raise_to - before_street(view):,}" if max(view["round_spent"]) else f"bet {put_in:,}"
    return words + (", all-in" if behind and put_in == behind else "")


def before_street(view: Mapping[str, Any]) -> int:
    """Return what the player who looks put in before this street began: antes and earlier streets."""
    return POKER.counted_from(view)


def in_big_blinds(words: str, big_blind: int) -> str:
    """Return a bet, or what was won, in words with its amount in big blinds: "raise to 250" is "raise to 2.5 bb", "bet 100..900"
    both, "you +250 chips" is "you +2.5 bb"; others as they are."""
    if not big_blind:
        return words
    if not _BETS.match(words):
        return _WON.sub(lambda found: f"{int(found[1].replace(',', '')) / big_blind:+,.4g} bb", words)
    bet, opened, more = words.partition(" (")
    return _AMOUNT.sub(lambda found: f"{int(found[0].replace(',', '')) / big_blind:,.4g} bb", bet) + opened + more


def limit_raise(betting: Betting, view: Mapping[str, Any]) -> int:
    """Return what the one raise of limit betting raises to."""
    player = view["player"]
    most = view["spent"][player] + view["stacks"][player] if view["stacks"][player] else betting.deepest
    return int(min(max(view["spent"]) + betting.raise_sizes[view["round"]], most))


def ladder_raise(betting: Betting, ladder: tuple[float, ...], rung: int, view: Mapping[str, Any]) -> int:
    """Return what a rung of a ladder of bets raises to, 0 where it is not legal: the betting is played again."""
    from cardai.poker.rules.growing_tree import GrowingTree, rung_amounts  # for the few who ask

    stacks = stacks_before(betting, view)
    return rung_amounts(GrowingTree(betting, view["button"], stacks).follow(view["history"]), ladder)[rung]


def rung_words(fraction: float) -> str:
    """Return a rung of a ladder in words: "pot", "half pot", "0.75 of the pot", "all-in"."""
    return "all-in" if fraction < 0 else FRACTIONS.get(fraction, f"{fraction:g} of the pot")
