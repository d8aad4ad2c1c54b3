"""Gin rummy by looking one draw ahead: least deadwood after it, danger of the discard; knocks early or goes for gin."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent, need_family
from cardai.core.fields import Views
from cardai.core.game import Actions, Game, Legal
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.gin.fields import GIN

EARLY_TURNS = 4
"""Own turns with a knocking threshold of their own."""
NEVER = 101

_OPTIONS_DTYPE = np.dtype(
    [
        ("present", np.float64),
        ("next", np.float64),
        ("danger", np.float64),
        ("refused", np.float64),
        ("gain", np.float64),
        ("knock_from", np.int64, (EARLY_TURNS,)),
    ]
)
_WEIGHT = [validators.ge(0), validators.le(1000)]
_FROM = validators.in_(range(NEVER + 1))


@frozen
class GinLookahead(Agent):
    """Discards the card after which this is least: ``present`` times the deadwood, ``next`` times its mean after one draw
    from the unseen cards and the best discard, and ``danger`` times the chance that the opponent melds the card.

    It takes the face-up card only where that makes a meld and leaves less deadwood. The form follows what is published
    of MARJJ, the EAAI challenge's winner (Ahmed, Leppo, Lesniewski, Patel, Perez, Blum, AAAI 2021): a hand's strength by
    deadwood and a draw looked ahead, the danger of a discard, knocks in the first turns and gin later.
    """

    present: float = option(0.05, help="The weight of the deadwood that a discard leaves.", validator=_WEIGHT)
    next: float = option(1.0, help="The weight of the mean deadwood after one more draw.", validator=_WEIGHT)
    danger: float = option(5.0, help="The points that a meld for the opponent costs.", validator=_WEIGHT)
    refused: float = option(
        0.2,
        help="What the chance of a pair is multiplied by if it goes with a card that the opponent left or threw away.",
        validator=[validators.ge(0), validators.le(1)],
    )
    gain: float = option(0.25, help="Take the face-up card if it saves more deadwood than this.", validator=_WEIGHT)
    knock_1: int = option(
        1, help="In the first own turn, knock with at least this deadwood (101: gin only).", validator=_FROM
    )
    knock_2: int = option(1, help="The same in the second own turn.", validator=_FROM)
    knock_3: int = option(5, help="The same in the third own turn.", validator=_FROM)
    knock_4: int = option(10, help="The same in the fourth own turn; later, gin only.", validator=_FROM)

    def for_game(self, game: Game) -> Agent:
        need_family(game, GIN, "gin_lookahead plays")
        return self

    @cached_property
    def options_row(self) -> np.ndarray[Any, Any]:
        """Return the options as kernels read them: a structured array of length 1."""
        row = np.zeros(1, _OPTIONS_DTYPE)
        for name in ("present", "next", "danger", "refused", "gain"):
            row[name] = getattr(self, name)
        row["knock_from"] = [getattr(self, f"knock_{turn}") for turn in range(1, EARLY_TURNS + 1)]
        return row

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        from cardai.plugins.agents.gin_lookahead._kernels import act

        out = np.empty(len(views), np.int64)
        act(views, legal, rng.seeds, self.options_row, out)
        return out


@hookimpl
def cardai_agent() -> type[Agent]:
    return GinLookahead
