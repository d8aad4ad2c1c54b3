"""Hands compared as a game declares it, in values and in words: hold'em's, short deck's, Omaha's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from cardai.core.errors import UsageError
from cardai.poker.contract import HIGH, SHORT_HIGH, BoardCards, described
from cardai.poker.hands.names import full_name
from cardai.poker.hands.ranking import CATEGORIES, SHORT_DECK_CATEGORIES, Values, rank_high, rank_omaha, rank_short_deck


def hand_values(game: BoardCards, holes: npt.ArrayLike, boards: npt.ArrayLike) -> Values:
    """Return (n,) int32 values of hands by the ranking that ``game`` declares: bigger is better, equal values tie.

    ``holes`` is (n, H) cards, ``boards`` (n, 3) to (n, 5).

    Raises:
        UsageError: the ranking is another than of the best five cards. ValueError: no cards of the deck.
    """
    own, common = np.asarray(holes), np.asarray(boards)
    if game.ranking == HIGH and game.hole.playing == 2:
        return rank_omaha(own, common)
    if game.ranking not in (HIGH, SHORT_HIGH) or game.hole.playing:
        raise UsageError(f"Five cards are not what is compared in {described(game)}.")
    return (rank_high if game.ranking == HIGH else rank_short_deck)(np.concatenate([own, common], axis=1))


def hand_name(game: BoardCards, hole: Sequence[int], board: Sequence[int]) -> str:
    """Return what one hand makes, in words: "full house"; nothing before the flop, or where five cards are not compared."""
    if game.ranking not in (HIGH, SHORT_HIGH) or len(hole) != game.hole.count or len(board) < 3:
        return ""
    names = CATEGORIES if game.ranking == HIGH else SHORT_DECK_CATEGORIES
    return names[int(hand_values(game, [list(hole)], [list(board)])[0]) >> 26]


def full_hand_name(game: BoardCards, hole: Sequence[int], board: Sequence[int], kickers: bool = True) -> str:
    """Return in full what one hand makes: "two pair, aces and kings, queen kicker"; nothing where :func:`hand_name` does.

    The best five cards are found among all that may make the hand, as the game ranks them.
    """
    category = hand_name(game, hole, board)
    if not category:
        return ""
    own, lying = [int(card) for card in hole], [int(card) for card in board]
    if game.hole.playing == 2:
        hands = [(*two, *three) for two in combinations(own, 2) for three in combinations(lying, 3)]
    else:
        hands = list(combinations(own + lying, 5))
    values = (rank_high if game.ranking == HIGH else rank_short_deck)(np.array(hands))
    return full_name(category, hands[int(np.argmax(values))], kickers)
