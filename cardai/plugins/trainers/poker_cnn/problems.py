"""What a value network learns: problems whose answers are exact, or sampled where that is asked for."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cardai.cards.canonical import canonical
from cardai.core.errors import UsageError
from cardai.core.fields import Views, empty_views
from cardai.core.game import Game
from cardai.solve import video_poker as exact
from cardai.solve.holds import canonical_hands

Floats = npt.NDArray[np.float32]
Generator = np.random.Generator


class Problem(Protocol):
    """Situations with known values."""

    outputs: int
    """How many values a situation has."""
    size: int
    """How many situations there are up to symmetry."""

    def situations(
        self, index: npt.NDArray[np.int64]
    ) -> tuple[Views, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return views (n,), values (n, outputs) in natural units, and weights (n,) of the situations ``index``."""
        ...

    def sampled(self, count: int, rng: Generator, redraws: int) -> tuple[Views, npt.NDArray[np.float64]]:
        """Return random situations: views (n,), values (n, outputs); ``redraws`` > 0: Monte Carlo labels from so many."""
        ...


class VideoPokerHolds:
    """The 32 holds of every hand: 134,459 hands up to suits' names, each weighted by the hands it stands for."""

    outputs = 32

    def __init__(self, game: Game, pays: exact.Pays) -> None:
        self._game = game
        self._pays = pays
        self._values = exact.hold_values(pays)
        hands, self._weights = canonical_hands()
        self._hands = canonical(hands)[0]
        self.size = len(self._hands)

    def _views(self, hands: npt.NDArray[np.int8]) -> Views:
        views = empty_views(self._game.view_fields, len(hands))
        views["hand"] = hands
        views["draws_left"] = 1
        return views

    def situations(
        self, index: npt.NDArray[np.int64]
    ) -> tuple[Views, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        hands = self._hands[index]
        return self._views(hands), self._values(hands), self._weights[index].astype(np.float64)

    def sampled(self, count: int, rng: Generator, redraws: int) -> tuple[Views, npt.NDArray[np.float64]]:
        hands = np.argsort(rng.random((count, 52)), axis=1)[:, :5].astype(np.int8)
        values = self._values(hands)
        if redraws:
            values = _monte_carlo(hands, values, self._pays, rng, redraws)
        return self._views(hands), values


def _monte_carlo(
    hands: npt.NDArray[np.int8], values: npt.NDArray[np.float64], pays: exact.Pays, rng: Generator, redraws: int
) -> npt.NDArray[np.float64]:
    """Return the mean payout of ``redraws`` random completions of each hold (n, 32) in place of its exact value.

    Ten times as many for holds that are part of a royal flush, and a royal flush by any other hold counts as a straight
    flush, as in Poker-CNN.
    """
    from cardai.plugins.trainers.poker_cnn._kernels import redraw_means

    out = np.empty_like(values)
    redraw_means(hands, np.array(pays, np.int64), redraws, rng.integers(0, 2**63, len(hands)).astype(np.uint64), out)
    return out


def problem_of(game: Game) -> Problem:
    """Return the value problem of a game.

    Raises:
        UsageError: the game has none.
    """
    names = {f.name for f in game.view_fields}
    pays: Any = getattr(game, "pays", None)
    if game.num_players == 1 and {"hand", "draws_left"} <= names and pays is not None:
        return VideoPokerHolds(game, pays)
    raise UsageError(
        f"poker_cnn learns values of holds and hands: {type(game).__name__} is neither video poker, nor a draw game, nor "
        f"hold'em (fields: {', '.join(sorted(names))})."
    )
