"""What a player of draw poker draws: by what it holds, whether it draws first or last, and what it saw the other draw.

>>> from cardai.draw.draws_made import HELD, held_kinds
>>> import numpy as np
>>> hands = np.array([[0, 1, 2, 3, 18], [0, 1, 2, 18, 24], [0, 13, 26, 38, 51]])  # 2c3c4c5c7d 2c3c4c7dKd 2c2d2hAhAs
>>> [HELD[kind] for kind in held_kinds(hands)]
['pat 7', 'four to a 7', 'one or none']
"""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import Rows, derive, derive_many
from cardai.core.spec import brief
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.draw.contract import is_draw_poker
from cardai.draw.values import PAIRED, hand_values

WHO = "The table of draws"
HELD = (
    *("pat 7", "pat 8", "pat 9", "pat T", "pat J or worse"),
    *("four to a 7", "four to an 8", "four to a 9 or worse"),
    *("three to a 7", "three to an 8", "two", "one or none"),
)
"""What is held: five different ranks that make no straight or flush, else the different cards up to the eight."""
SEEN = ("nothing yet", "none", "one", "two", "three or more")
"""What the other was last seen to draw."""
DRAWN = ("none", "one", "two", "three or more")
BATCH = 2000
_COUNTS = np.array([min(mask.bit_count(), 3) for mask in range(HOLDS)])
_SEVEN, _EIGHT, _NINE = 5, 6, 7


@frozen(eq=False)
class Draws:
    """How often which number of cards was drawn."""

    shares: Float64s = field(repr=False)
    """(draws, 2, kinds, seen, 4): by draw, first or last to draw, what was held and seen: the share of each number; nan
    where it never came up."""
    cases: Int64s = field(repr=False)
    """(draws, 2, kinds, seen): how many cases."""
    hands: int


def held_kinds(hands: Int64s) -> Int64s:
    """Return (n,) the places in :data:`HELD` of hands (n, 5)."""
    ranks = np.sort(np.asarray(hands, np.int64) % 13, axis=1)
    pat = hand_values(hands) > PAIRED
    pat |= (np.diff(ranks, axis=1) > 0).all(axis=1) & (
        hand_values(hands) == PAIRED
    )  # the worst ace-high hand has that value
    worst = np.clip(ranks[:, 4] - _SEVEN, 0, 4)
    new = np.concatenate([np.ones((len(ranks), 1), bool), np.diff(ranks, axis=1) > 0], axis=1)
    sevens, eights, nines = ((new & (ranks <= top)).sum(axis=1) for top in (_SEVEN, _EIGHT, _NINE + 5))
    kinds = np.select(
        [sevens >= 4, eights >= 4, (nines >= 4) & (eights < 3), sevens >= 3, eights >= 3, eights == 2],
        [5, 6, 7, 8, 9, 10],
        11,
    )
    return np.where(pat, worst, kinds)


def draws_made(game: str | Game, agent: str | Agent, hands: int, seed: int) -> Draws:
    """Return what a player draws in ``hands`` that it plays against itself. Raises UsageError for other games than draw poker."""
    played, player = make.as_game(game), make.as_agent(agent)
    if not is_draw_poker(played) or played.num_players != 2:
        raise UsageError(f"{WHO} is for draw poker of two players. Got {brief(played)}.")
    player = player.for_game(played)
    if player.stateful or not player.has_policy():
        raise UsageError(f"{WHO} asks a player for its probabilities, and {brief(player)} has none.")
    shape = (played.draws, 2, len(HELD), len(SEEN))
    sums, cases = np.zeros((*shape, len(DRAWN))), np.zeros(shape, np.int64)
    for first in range(0, hands, BATCH):
        tables = played.tables(min(BATCH, hands - first))
        tables.reset(derive_many(derive(seed, "deal"), count=tables.count, start=first))
        turn = 0
        while True:
            acting = tables.current_players()
            if (acting < 0).all():
                break
            for seat in range(2):
                rows = np.flatnonzero(acting == seat)
                if len(rows):
                    views, legal = tables.views(seat, rows), tables.legal(rows)
                    assert isinstance(legal, np.ndarray)
                    chances = player.policy(views, legal)
                    drawing = np.flatnonzero(legal[:, FIRST_DISCARD])
                    _count(views[drawing], chances[drawing], played.draws, sums, cases)
                    streams = derive_many(derive(seed, "act", turn, seat), count=tables.count, start=first)[rows]
                    tables.apply(rows, Rows(streams).choice(chances))
            turn += 1
    with np.errstate(invalid="ignore"):
        return Draws(sums / cases[..., None], cases, hands)


def _count(views: np.ndarray, chances: Float64s, draws: int, sums: Float64s, cases: Int64s) -> None:  # type: ignore[type-arg]
    """Add decisions about draws to ``sums`` and ``cases``."""
    if not len(views):
        return
    rows, seat = np.arange(len(views)), views["player"].astype(np.int64)
    draw = draws - views["draws_left"].astype(np.int64)
    kept = views["kept"].reshape(len(views), -1, 3)[rows, 1 - seat]  # (n, draws) by the other, -1 before
    last = (kept[rows, draw] >= 0).astype(np.int64)  # whether the other has drawn already
    drawn = np.where(kept >= 0, np.minimum(5 - kept, 3), -1)
    seen = np.where(last == 1, drawn[rows, draw], np.where(draw > 0, drawn[rows, draw - 1], -1)) + 1
    place = draw, last, held_kinds(views["hand"]), seen
    by_number = np.stack(
        [chances[:, FIRST_DISCARD:][:, count == _COUNTS].sum(axis=1) for count in range(len(DRAWN))], axis=1
    )
    np.add.at(sums, place, by_number)
    np.add.at(cases, place, 1)
