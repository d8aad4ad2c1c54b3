"""The view fields of a betting game, and what a match of it is summed up in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.cards.poker.betting import Betting
from cardai.core.fields import Field
from cardai.core.statistics import Estimate, group_sums, ratio


def betting_fields(betting: Betting, most: int) -> tuple[Field, ...]:
    """Return the single and by-seat view fields of every betting game; ``most``: the most chips a seat can put in."""
    n, end = betting.num_players, 2**31 - 1
    return (
        Field("player", "seat", "Who looks.", n - 1),
        Field("button", "seat", "The seat of the button (the dealer, or whoever starts).", n - 1),
        Field("round", "count", "The betting round, from 0.", betting.num_rounds - 1),
        Field("pot", "chips", "All chips in, of all rounds.", n * most, unit="chips"),
        Field("to_call", "chips", "What the player needs to put in to call.", most, unit="chips"),
        Field("spent", "chips", "Chips put in during the hand, by seat.", most, n, unit="chips"),
        Field("round_spent", "chips", "Chips put in during this round, by seat.", most, n, unit="chips"),
        Field("stacks", "chips", "Chips behind, by seat (0 if unlimited).", most, n, unit="chips"),
        Field("folded", "flag", "Who has folded, by seat.", 1, n),
        Field("raises", "count", "Bets and raises this round (the blind not counted).", max(betting.max_raises)),
        Field("score", "chips", "The match's score, by seat (rounded; zeros outside a match).", end, n, unit="chips"),
    )


def history_fields(betting: Betting, most: int) -> tuple[Field, ...]:
    """Return the history fields of every betting game."""
    n, length = betting.num_players, betting.history_length
    raised, top = ("N raise to N chips in the hand", most) if betting.no_limit else ("2 bet or raise", 2)
    return (
        Field("history", "public_history", f"Actions in order: 0 fold, 1 check or call, {raised}.", top, length),
        Field("history_round", "public_history", "The round of each action.", betting.num_rounds - 1, length),
        Field("history_seat", "public_history", "Who did each action.", n - 1, length),
    )


def figures(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]], big_blind: int) -> dict[str, Estimate]:
    """Return milli-big-blinds a hand and the share of hands that were compared, intervals over groups."""
    played = group_sums(hands["group"], np.ones(len(hands)))
    won = hands["returns"][np.arange(len(hands)), seats] * (1000 / big_blind)
    return {
        "mbb/g": ratio(group_sums(hands["group"], won), played),
        "showdowns": ratio(group_sums(hands["group"], hands["showdown"]), played),
    }


def summary_rows(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]], big_blind: int) -> list[tuple[str, str]]:
    """Return the figures as (label, text) rows."""
    if not len(hands):
        return []
    found = figures(hands, seats, big_blind)
    return [("mbb/g", found["mbb/g"].text(1, sign=True)), ("showdowns", found["showdowns"].scaled(100).text(1, "%"))]
