"""Rule-based gin rummy players: any draw, discard and knock policy of the Heisenbot paper, and its five players.

Presets:
    simple: takes what makes a meld, discards to the least deadwood, knocks at once (Eicholtz et al. 2021).
    greedy: simple, but knocks at 5 or less (Eicholtz et al. 2021).
    always-draw: simple, but never takes the face-up card (Eicholtz et al. 2021).
    rule-based: simple, but knocks by turn, deadwood and score (Eicholtz et al. 2021).
    heisenbot: looks ahead in drawing, discards safely, knocks by rules (Eicholtz et al. 2021).
    gin-only: simple, but waits for gin; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import attrs
import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent, need_family
from cardai.core.fields import Views
from cardai.core.game import Actions, Game, Legal
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.gin.fields import GIN

_DRAWS = ("random", "immediate", "future", "deck")
_DISCARDS = ("deadwood", "value", "melds", "triangles", "safety", "heisenbot")
_KNOCKS = {"simple": 1000, "greedy": 5, "gin": 0, "rules": -1}
_COUNT = validators.in_(range(1000))
_RANKS = validators.in_(range(14))

_OPTIONS_DTYPE = np.dtype(
    [
        ("draw", np.int64),
        ("discard", np.int64),
        ("knock_at", np.int64),
        ("take_chance", np.float64),
        ("always_take", np.int64),
        ("triangle_moves", np.int64),
        ("own_moves", np.bool_),
        ("doubles_until", np.int64),
        ("protect_ranks", np.int64),
        ("prognosticate", np.bool_),
        ("least_likelihood", np.int64),
        ("lead", np.int64),
        ("trail", np.int64),
        ("early", np.int64),
        ("late", np.int64),
        ("low", np.int64),
        ("few_cards", np.int64),
        ("both_turns", np.bool_),
        ("otherwise", np.bool_),
    ]
)


def _check_knock(_: Any, attribute: Any, value: str) -> None:
    if value not in _KNOCKS and not (value.isdecimal() and int(value) <= 100):
        raise ValueError(f"knock must be one of {', '.join(_KNOCKS)}, or a number of points. Got {value!r} instead.")


@frozen
class GinRules(Agent):
    """A gin player of three separate policies. The readings of what the paper leaves open are options.

    Source of the policies: Eicholtz, Moss, Traino, Roberson: Heisenbot: A Rule-Based Game Agent for Gin Rummy (AAAI
    2021). ``simple`` is the EAAI challenge's SimpleGinRummyPlayer.
    """

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "simple": {},
        "greedy": {"knock": "greedy"},
        "always-draw": {"draw": "deck"},
        "rule-based": {"knock": "rules"},
        "heisenbot": {"draw": "future", "discard": "heisenbot", "knock": "rules"},
        "gin-only": {"knock": "gin"},
    }

    draw: Literal["random", "immediate", "future", "deck"] = option(
        "immediate",
        help="Take the face-up card at random; if it makes a meld; also if it is low or, early, makes a triangle; or never.",
    )
    discard: Literal["deadwood", "value", "melds", "triangles", "safety", "heisenbot"] = option(
        "deadwood",
        help="Discard what leaves the least deadwood; else an unmelded card: the highest, the one with fewest melds to come, "
        "one outside triangles, the one with the lowest safety count, or Heisenbot's mixture.",
    )
    knock: str = option(
        "simple",
        help="Knock when allowed (simple), at 5 or less (greedy), with gin only (gin), by the rules, or at a number of points.",
        validator=_check_knock,
    )
    take_chance: float = option(
        0.5, help="draw=random: the chance of taking the face-up card.", validator=[validators.ge(0), validators.le(1)]
    )
    always_take: int = option(2, help="draw=future: always take ranks up to this (ace 1).", validator=_RANKS)
    triangle_moves: int = option(5, help="draw=future: take for a triangle in the first moves only.", validator=_COUNT)
    count_moves: Literal["both", "own"] = option("both", help="draw=future: whose turns those moves are.")
    doubles_until: int = option(
        8, help="discard=heisenbot: from this own turn on doubles are deadwood.", validator=_COUNT
    )
    protect_ranks: int = option(
        3, help="discard=heisenbot: ranks up to this (ace 1) are kept while another card is loose.", validator=_RANKS
    )
    prognosticate: bool = option(
        True, help="discard=heisenbot: melds that the opponent's likelihood table makes unlikely are no danger."
    )
    least_likelihood: int = option(0, help="The least likelihood sum of a meld's other two cards to be a danger.")
    lead: int = option(30, help="knock=rules: ahead by this many points, knock with gin only.", validator=_COUNT)
    trail: int = option(30, help="knock=rules: behind by this many points, knock with gin only.", validator=_COUNT)
    early: int = option(4, help="knock=rules: before this turn, knock.", validator=_COUNT)
    late: int = option(13, help="knock=rules: after this turn, knock.", validator=_COUNT)
    low: int = option(5, help="knock=rules: at this deadwood or less, knock.", validator=_COUNT)
    few_cards: int = option(3, help="knock=rules: with fewer deadwood cards than this, wait.", validator=_COUNT)
    count_turns: Literal["own", "both"] = option("own", help="knock=rules: whose turns are counted.")
    otherwise: bool = option(True, help="knock=rules: whether to knock when no rule fires.")

    def for_game(self, game: Game) -> Agent:
        need_family(game, GIN, "gin_rules plays")
        return self

    @cached_property
    def options_row(self) -> np.ndarray[Any, Any]:
        """Return the options as kernels read them: a structured array of length 1."""
        row = np.zeros(1, _OPTIONS_DTYPE)
        for name, value in attrs.asdict(self).items():
            if name in (_OPTIONS_DTYPE.names or ()) and name not in ("draw", "discard"):
                row[name] = value
        row["draw"] = _DRAWS.index(self.draw)
        row["discard"] = _DISCARDS.index(self.discard)
        row["knock_at"] = _KNOCKS[self.knock] if self.knock in _KNOCKS else int(self.knock)
        row["own_moves"] = self.count_moves == "own"
        row["both_turns"] = self.count_turns == "both"
        return row

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        from cardai.plugins.agents.gin_rules._kernels import act

        out = np.empty(len(views), np.int64)
        act(views, legal, rng.seeds, self.options_row, out)
        return out


@hookimpl
def cardai_agent() -> Mapping[str, type[Agent]]:
    return {"gin_rules": GinRules}
