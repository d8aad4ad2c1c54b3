"""Triple draw: Poker-CNN's heuristic player, which draws exactly and bets by how good its hand may become, and a caller.

Presets:
    draw_caller: draws as exactly as draw_heuristic, and checks and calls whatever it holds; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.draw.contract import is_draw_poker
from cardai.draw.values import draw_values
from cardai.poker.heuristic import betting_policy
from cardai.poker.rules.betting import CALL


@frozen
class DrawHeuristic(Agent):
    """Draws to the best expected hand value, and bets by that value against a bar that rises with rounds and bets.

    ``draw_caller`` draws likewise and calls every bet: what Poker-CNN's measurements mean by always-call.
    """

    baseline: float = option(
        0.40,
        validator=[validators.ge(0.0), validators.le(1.0)],
        help="the bar for a hand before the first draw, of 1 (Poker-CNN's data of June 2015 used 0.30)",
    )

    bets: Literal["heuristic", "call"] = option(
        "heuristic", help="how it bets: by the hand's value, or it always calls"
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"draw_caller": {"bets": "call"}}

    def for_game(self, game: Game) -> Agent:
        if not is_draw_poker(game):
            raise UsageError(
                "draw_heuristic plays draw games with betting: the families poker and draw, and the actions fold, call, "
                f"raise and 32 discards. {brief(game)} is something else."
            )
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        assert isinstance(legal, np.ndarray)
        out = np.zeros((len(views), FIRST_DISCARD + HOLDS))
        drawing = legal[:, FIRST_DISCARD]
        for draws_left in range(1, 4):
            rows = np.flatnonzero(drawing & (views["draws_left"] == draws_left))
            if len(rows):
                keep = np.argmax(draw_values().holds(views["hand"][rows], draws_left), axis=1)
                out[rows, FIRST_DISCARD + (31 - keep)] = 1.0
        rows = np.flatnonzero(~drawing)
        if self.bets == "call":
            out[rows, CALL] = 1.0
        elif len(rows):
            value = draw_values().best(views["hand"][rows], views["draws_left"][rows]) / 1000
            out[rows, :FIRST_DISCARD] = betting_policy(value, views[rows], legal[rows, :FIRST_DISCARD], self.baseline)
        return out


@hookimpl
def cardai_agent() -> type[DrawHeuristic]:
    """Offer the player."""
    return DrawHeuristic
