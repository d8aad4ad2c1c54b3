"""What ``cardai run`` reports about a gin player beside its win rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardai.core.game import Parts
from cardai.core.statistics import Estimate
from cardai.gin.actions import BIG_GIN, CAPPED, GIN, KNOCKED, PUSH, SCORED, UNDERCUT, VOID

if TYPE_CHECKING:
    from cardai.plugins.games.gin import Gin


def figure_parts(game: Gin, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> Parts:
    """Return what a player's figures over finished hands are made of.

    Points per round won and lost (PPRW, PPRL); shares of scored rounds that the player ended by gin, by another knock, or
    won by undercut; shares of all rounds that were void or capped; rounds a game and turns a round (of both players).
    """
    returns = hands["returns"][np.arange(len(hands)), seats]
    ending = hands["ending"]
    scored = np.isin(ending, SCORED)
    won = returns > 0
    lost = returns < 0
    knocked = (hands["knocker"] == seats) & scored
    first = hands["hand"] == 0 if "hand" in (hands.dtype.names or ()) else np.zeros(len(hands), bool)
    every = np.ones(len(hands))
    found = {
        "PPRW": (returns * won, won),
        "PPRL": (-returns * lost, lost),
        "rounds won": (won, scored),
        "gin": (knocked & (ending == GIN), scored),
        "knock": (knocked & (ending == KNOCKED), scored),
        "undercut": (won & (ending == UNDERCUT), scored),
        "undercut suffered": (lost & (ending == UNDERCUT), scored),
        "void": (ending == VOID, every),
        "capped": (ending == CAPPED, every),
        "rounds a game": (every, first),
        "turns a round": (hands["turns"], every),
    }
    if game.tie == "push":
        found["push"] = (ending == PUSH, every)
    if game.big_gin_bonus:
        found["big gin"] = (knocked & (ending == BIG_GIN), scored)
    if game.line_bonus or game.game_bonus or game.shutout != "none":
        found["settlement a game"] = (settlements(game, hands, seats), first)
    return found


def settlements(game: Gin, hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Return (n,) what the player gets of the other after each game with all bonuses, at the game's last hand, else 0.

    Points of all hands, ``line_bonus`` for each hand won, ``game_bonus`` to the winner; if the loser has no point,
    ``shutout`` doubles the winner's points of hands or the game bonus (ginrummy.com/scoring.html).
    """
    out = np.zeros(len(hands))
    if not len(hands):
        return out
    returns = hands["returns"][np.arange(len(hands)), seats]
    order = np.lexsort((hands["hand"], hands["game"]))
    starts = np.flatnonzero(np.diff(hands["game"][order], prepend=hands["game"][order[:1]] - 1))
    mine = np.add.reduceat(np.maximum(returns[order], 0), starts)
    his = np.add.reduceat(np.maximum(-returns[order], 0), starts)
    lines = np.add.reduceat(np.sign(returns[order]), starts)
    won = np.sign(mine - his)
    shut_out = np.minimum(mine, his) == 0
    points = (mine - his) * np.where(shut_out & (game.shutout == "hands"), 2, 1)
    bonus = game.game_bonus * won * np.where(shut_out & (game.shutout == "bonus"), 2, 1)
    out[order[np.append(starts[1:], len(order)) - 1]] = points + game.line_bonus * lines + bonus
    return out


def figure_rows(found: Mapping[str, Estimate]) -> list[tuple[str, str]]:
    """Return the figures as (label, text) rows."""

    def share(name: str) -> str:
        return found[name].scaled(100).text(2, "%")

    rows = [
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
    rows += [(f"{name} rounds", share(name)) for name in ("push", "big gin") if name in found]
    if "settlement a game" in found:
        rows.append(("points a game, bonuses included", found["settlement a game"].text()))
    return rows
