"""What games declare in which five cards are exchanged: draw poker, and one player's draw (video poker).

>>> from cardai import game
>>> from cardai.draw.contract import is_draw_poker, is_solo_draw
>>> is_draw_poker(game("triple_draw")), is_solo_draw(game("triple_draw")), is_solo_draw(game("video_poker"))
(True, False, True)
"""

from __future__ import annotations

from typing import TypeGuard

from cardai.core.game import Game
from cardai.poker.contract import BettingGame

DEUCE_TO_SEVEN = "the worst high hand, aces high"
"""Straights and flushes count against a hand: 7-5-4-3-2 of several suits is best."""


class DrawPoker(BettingGame):
    """Betting between draws: actions are fold, call, raise, then 32 discards (:mod:`cardai.draw.actions`).

    It speaks the families poker and draw, and its views have the optional fields ``kept`` and ``drawing``.
    Every attribute is required.
    """

    draws: int
    """How often every player may exchange cards."""
    stacks: tuple[int, ...]
    """Each seat's chips at the start of a hand; none: as many as betting asks for."""
    ranking: str
    """Which hand wins: :data:`DEUCE_TO_SEVEN`, or another."""


class SoloDraw(Game):
    """One player holds any of five cards of a 52-card deck, gets new ones for the others, and is paid by the hand.

    Actions are the 32 holds (:mod:`cardai.draw.actions`). It speaks the family draw.
    """

    pays: tuple[int, ...]
    """What a stake of 1 gets by category (:data:`cardai.poker.hands.ranking.PAYING_HANDS`), (10,)."""


def is_draw_poker(game: Game) -> TypeGuard[DrawPoker]:
    """Whether ``game`` declares betting with draws in which the worst high hand wins."""
    return isinstance(game, DrawPoker) and game.ranking == DEUCE_TO_SEVEN


def is_solo_draw(game: Game) -> TypeGuard[SoloDraw]:
    """Whether ``game`` declares one player's draw and what it pays."""
    return isinstance(game, SoloDraw)
