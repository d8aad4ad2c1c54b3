"""Liar's dice: everybody rolls in secret, bids on all dice rise until somebody says liar; OpenSpiel's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.core.arrays import Float64s
from cardai.core.dice import DiceGame
from cardai.core.fields import Field, Views
from cardai.core.game import Legal, Tables
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Source
from cardai.core.rows import RowKernels, row_fields
from cardai.core.spec import option

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""How faces and, as far as they go, counts are said: "two fives"."""


@frozen
class LiarsDice(DiceGame):
    """Liar's dice for two or more. Action k bids that all dice together show face k % faces + 1 at least k // faces + 1
    times, the highest face counting as any; the last action says liar. Numbers as in OpenSpiel's ``liars_dice``.
    """

    dice: int = option(1, help="Dice of each seat, 1 to 6.", validator=[validators.ge(1), validators.le(6)])
    faces: int = option(
        6, help="Faces of a die, 2 to 10; the highest is wild.", validator=[validators.ge(2), validators.le(10)]
    )
    players: int = option(2, help="Seats, 2 to 6.", validator=[validators.ge(2), validators.le(6)])

    unit: ClassVar[str] = "points"
    zero_sum: ClassVar[bool] = True
    title: ClassVar[str] = "Liar's dice"
    rules: ClassVar[str] = (
        "Everybody rolls and looks at the own dice alone. In turn, each seat bids higher or says liar to the last bid: more "
        "dice, or as many of a higher face. A bid says that all dice together show its face so often; the highest face "
        "counts as every face. At liar all dice are shown: the bidder wins a point from the caller if the bid holds, and "
        "pays one if it does not. Other seats get nothing."
    )

    @property
    def max_utility(self) -> float:
        return 1.0

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.players

    @property
    def bids(self) -> int:
        """The number of bids: so many dice of so many faces."""
        return self.players * self.dice * self.faces

    @property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        return self.bids + 1

    @property
    def num_chance_outcomes(self) -> int:  # type: ignore[override]
        return self.faces

    @property
    def default_encoder(self) -> str:  # type: ignore[override]
        """The numbers of OpenSpiel's tensor: who looks, each die, and which bids were made."""
        return "flat:fields=player+dice+made,one_hot_up_to=0"

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        actions = self.num_distinct_actions
        own = "the own dice in ascending order: 0 is a one"
        said = "actions so far, seat 0's first: bids, lowest 0, and liar at last"
        made = "1 for each action that was made: the history again, since bids only rise"
        return (
            Field("player", "seat", "whose view it is", self.players - 1, role="player"),
            Field("dice", "cards", own, self.faces - 1, self.dice, role="own"),
            Field("history", "public_history", said, self.bids, actions, role="actions"),
            Field("made", "count", made, 1, actions, role="public"),
        )

    @property
    def outcome_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        dice = self.players * self.dice
        return (
            Field("bid", "count", "the bid that was doubted", self.bids - 1),
            Field("count", "count", "how many dice showed its face or the highest", dice),
        )

    def action_to_string(self, action: int) -> str:
        if action == self.bids:
            return "liar"
        count, face = action // self.faces + 1, NUMBERS[action % self.faces]
        shown = face if count == 1 else f"{face}es" if face == "six" else f"{face}s"
        return f"{NUMBERS[count - 1] if count <= len(NUMBERS) else count} {shown}"

    def chance_to_string(self, outcome: int) -> str:
        return str(outcome + 1)

    def remembered(self, noticed: list[tuple[int, int | None]]) -> list[tuple[int, int | None]]:
        rolls = sum(actor < 0 for actor, _ in noticed)  # which of one's dice fell first says nothing
        return sorted(noticed[:rolls]) + noticed[rolls:]  # type: ignore[type-var]

    def chance_seen_by(self, row: Any) -> tuple[int, ...]:
        return (int(row["dealt"]) // self.dice,)

    @property
    def num_rolls(self) -> int:
        return self.players * self.dice

    def row_dtype(self) -> np.dtype[Any]:
        """Two sizes, not one for each number of dice and faces: kernels are compiled for a row."""
        dice, actions = (12, 73) if self.num_rolls <= 12 and self.bids <= 72 else (36, 361)
        made = ("made", np.int8, (actions,))
        return np.dtype([*row_fields(dice), made, ("last", np.int16), ("count", np.int16)])

    def rules_row(self) -> npt.NDArray[Any]:
        return np.array([(self.players, self.dice, self.faces)], [(name, np.int64) for name in _OPTIONS])

    def kernels(self) -> RowKernels:
        from cardai.plugins.games.liars_dice import _kernels as k

        return RowKernels(k.start, k.deal, k.apply, k.legal, k.views, k.returns, k.outcomes, step=k.step)

    def draw(self, view: Mapping[str, Any]) -> str:
        said = ", ".join(self.action_to_string(action) for action in view["history"])
        dice = " ".join(self.chance_to_string(die) for die in view["dice"])
        return f"Your dice: {dice} ({self.faces} is wild)\nBids: {said or 'none'}"

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands with other dice of the others; ``weights`` (H,) say which of :attr:`hands` they rather have."""
        from cardai.plugins.games.liars_dice._hands import determinize

        return determinize(self, view, rng, count, weights)

    def best_response(self, policy: Callable[[int, Views, Legal], Float64s]) -> tuple[Float64s, Float64s] | None:
        from cardai.plugins.games.liars_dice._response import best_response

        return best_response(self, policy)

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """The H hands that a seat can have, each in ascending order, in the order of ``weights``."""
        from cardai.plugins.games.liars_dice._hands import hands_of

        return hands_of(self.dice, self.faces)


_OPTIONS = ("players", "dice", "faces")


@hookimpl
def cardai_game() -> Mapping[str, type[LiarsDice]]:
    """Offer ``liars_dice``."""
    return {"liars_dice": LiarsDice}
