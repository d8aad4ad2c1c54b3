"""What ``cardai run`` reports about a gin player beside its win rate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.arena.statistics import Estimate, group_sums, ratio
from cardai.cards.gin.actions import CAPPED, GIN, KNOCKED, UNDERCUT, VOID


def figures(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> dict[str, Estimate]:
    """Return a player's figures over finished hands; intervals are over groups (duplicate pairs).

    Points per round won and lost (PPRW, PPRL); shares of scored rounds that the player ended by gin, by another knock, or
    won by undercut; shares of all rounds that were void or capped; rounds a game and turns a round (of both players).
    """
    returns = hands["returns"][np.arange(len(hands)), seats]
    ending = hands["ending"]
    scored = ending < VOID
    won = returns > 0
    lost = returns < 0
    knocked = (hands["knocker"] == seats) & scored
    first = hands["hand"] == 0 if "hand" in (hands.dtype.names or ()) else np.zeros(len(hands), bool)

    def per(what: npt.NDArray[Any], of: npt.NDArray[Any]) -> Estimate:
        return ratio(group_sums(hands["group"], what), group_sums(hands["group"], of))

    every = np.ones(len(hands))
    return {
        "PPRW": per(returns * won, won),
        "PPRL": per(-returns * lost, lost),
        "rounds won": per(won, scored),
        "gin": per(knocked & (ending == GIN), scored),
        "knock": per(knocked & (ending == KNOCKED), scored),
        "undercut": per(won & (ending == UNDERCUT), scored),
        "undercut suffered": per(lost & (ending == UNDERCUT), scored),
        "void": per(ending == VOID, every),
        "capped": per(ending == CAPPED, every),
        "rounds a game": per(every, first),
        "turns a round": per(hands["turns"], every),
    }


def summary(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
    """Return the figures as (label, text) rows."""
    found = figures(hands, seats)

    def share(name: str) -> str:
        return found[name].scaled(100).text(2, "%")

    return [
        ("points per round won (PPRW)", found["PPRW"].text()),
        ("points per round lost (PPRL)", found["PPRL"].text()),
        ("rounds won", share("rounds won")),
        ("gin", share("gin")),
        ("knock", share("knock")),
        ("undercut", share("undercut")),
        ("undercut suffered", share("undercut suffered")),
        ("void rounds", share("void")),
        ("capped rounds", share("capped")),
        ("rounds a game", found["rounds a game"].text()),
        ("turns a round", found["turns a round"].text()),
    ]
