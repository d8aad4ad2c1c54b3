"""Matches of a fixed number of hands in which the button moves from hand to hand, as poker's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Bools, Float64s, Uint64s
from cardai.core.game import Game, IntArray, PlayedHand, Setup, setup_dtype


class ButtonMatches(Game):
    """A game whose matches last ``hands`` hands. A fast game takes this base beside :class:`~cardai.core.rows.RowGame`.

    The score is in the setup only in a match of several hands.
    """

    hands: int

    @property
    def first_starter(self) -> int:
        """The seat that starts outside a match, and in a match's first hand."""
        return 0

    @property
    def rotate(self) -> bool:
        """Whether the start moves a seat on from hand to hand of a match."""
        return True

    def next_hand(self, score: tuple[float, ...], previous: PlayedHand | None, seed: int) -> Setup:
        hand = 0 if previous is None else previous.setup.hand + 1
        starter = (self.first_starter + (hand if self.rotate else 0)) % self.num_players
        return Setup(starter=starter, hand=hand, score=score if self.hands > 1 else ())

    def next_hands(
        self,
        previous: npt.NDArray[Any] | None,
        scores: Float64s,
        returns: Float64s,
        outcomes: npt.NDArray[Any],
        seeds: Uint64s,
    ) -> npt.NDArray[Any]:
        out = np.zeros(len(scores), setup_dtype(self.num_players))
        if previous is not None:
            out["hand"] = previous["hand"] + 1
        out["starter"] = (self.first_starter + (out["hand"] if self.rotate else 0)) % self.num_players
        if self.hands > 1:
            out["in_match"] = True
            out["score"] = scores
        return out

    def match_over(self, score: tuple[float, ...], hands: int) -> bool:
        return hands >= self.hands

    def matches_over(self, scores: Float64s, hands: IntArray) -> Bools:
        return np.asarray(hands >= self.hands)
