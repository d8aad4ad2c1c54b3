"""What a value network learns: problems whose answers are exact, or sampled where that is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from cardai.cards.canonical import canonical
from cardai.core.arrays import Float64s, Int8s, Int64s, Uint64s
from cardai.core.fields import Views, empty_views
from cardai.core.game import Game
from cardai.draw import video_poker as exact
from cardai.draw.actions import HOLDS
from cardai.draw.contract import is_draw_poker, is_solo_draw
from cardai.draw.holds import canonical_hands
from cardai.draw.values import DRAWS, draw_values
from cardai.plugins.trainers.poker_cnn.values._kernels import final_odds
from cardai.plugins.trainers.poker_cnn.values.options import refuse_game
from cardai.plugins.trainers.poker_cnn.values.published import redraw_labels, share_by_kept, share_by_pat_value
from cardai.poker.fields import POKER, last_round
from cardai.poker.hands.ranking import batch_tables

Generator = np.random.Generator
_DEALS = 1000  # deals behind a label of hold'em before the river
_AT_ONCE = 1 << 16


class Problem(ABC):
    """Situations with known values. The defaults are those of a game whose situations are too many to list."""

    outputs: int
    """How many values a situation has."""
    size = 0
    """How many situations there are up to symmetry; 0: too many to list."""
    holds = False
    """Whether the values are those of the 32 holds (bit i keeps card i of ``hand``)."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def situations(self, index: Int64s) -> tuple[Views, Float64s, Float64s]:
        """Return views (n,), values (n, outputs) in natural units, and weights (n,) of those listed at ``index``."""
        raise NotImplementedError

    @abstractmethod
    def random(self, count: int, rng: Generator) -> Views:
        """Return the views (count,) of random situations."""

    def is_sampled(self, redraws: int) -> bool:
        """Say whether :meth:`labels` are Monte Carlo means, which need seeds, rather than exact."""
        return True

    @abstractmethod
    def labels(self, views: Views, redraws: int, seeds: Uint64s) -> Float64s:
        """Return the values (n, outputs) of situations; where they are sampled, from ``redraws`` by ``seeds`` (n,)."""

    def shares(self, values: Float64s) -> Float64s:
        """Return the chance (n,) at which Poker-CNN used a situation of such values (n, outputs)."""
        return np.ones(len(values))

    @abstractmethod
    def plain(self, views: Views) -> Views:
        """Return views of play as they are learned: the same cards and draws left, and nothing else that has happened."""

    def _blank(self, count: int) -> Views:
        """Return views (count,) in which nothing has happened yet; of betting, by a player who is not the button."""
        views = empty_views(self._game.view_fields, count)
        if self._game.speaks(POKER):
            views["player"], views["button"] = 0, 1
        return views


class DrawHolds(Problem):
    """The 32 holds of every hand with 1, 2 and 3 draws left: expected final values in [0, 1], exact.

    Hands are listed up to suits' names, 134,459 of them, each weighted by the hands it stands for.
    """

    outputs = HOLDS
    holds = True

    def __init__(self, game: Game, draws: int) -> None:
        super().__init__(game)
        self._draws = draws
        hands, self._weights = canonical_hands()
        self._hands = canonical(hands)[0]
        self.size = len(self._hands) * draws

    def _views(self, hands: Int8s, left: npt.NDArray[np.integer]) -> Views:
        views = self._blank(len(hands))
        views["hand"], views["draws_left"] = hands, left
        if is_draw_poker(self._game):
            views["kept"] = -1
        return views

    def situations(self, index: Int64s) -> tuple[Views, Float64s, Float64s]:
        left, hand = 1 + index // len(self._hands), index % len(self._hands)
        views = self._views(self._hands[hand], left)
        return views, self.values(views), self._weights[hand].astype(np.float64)

    def values(self, views: Views) -> Float64s:
        """Return the exact value (n, 32) of each hold."""
        return exact_holds(views)

    def random(self, count: int, rng: Generator) -> Views:
        return self._views(_deal(count, 5, rng), rng.integers(1, self._draws + 1, count))

    def is_sampled(self, redraws: int) -> bool:
        return False  # as in the publication, whose labels of draw games are exact too

    def labels(self, views: Views, redraws: int, seeds: Uint64s) -> Float64s:
        return self.values(views)

    def shares(self, values: Float64s) -> Float64s:
        return share_by_pat_value(values)

    def plain(self, views: Views) -> Views:
        return self._views(views["hand"], views["draws_left"])


class VideoPokerHolds(DrawHolds):
    """The same of video poker's one draw: expected payouts, exact or by sampled redraws."""

    def __init__(self, game: Game, pays: exact.Pays) -> None:
        super().__init__(game, 1)
        self._pays, self._values = pays, exact.hold_values(pays)

    def values(self, views: Views) -> Float64s:
        return self._values(views["hand"])

    def is_sampled(self, redraws: int) -> bool:
        return redraws > 0

    def labels(self, views: Views, redraws: int, seeds: Uint64s) -> Float64s:
        return redraw_labels(views["hand"], self._pays, redraws, seeds) if redraws else self.values(views)

    def shares(self, values: Float64s) -> Float64s:
        return share_by_kept(values)


class HoldemStrength(Problem):
    """Hole cards on a random street: the chance to beat a random hand, then those of the eleven final categories.

    The chance is exact on the river and else sampled; the categories are those of video poker with a low pair beside
    nothing: high card, low pair, jacks or better, two pair, ..., straight flush, royal flush.
    """

    outputs = 12

    def _views(self, hole: Int8s, board: Int8s) -> Views:
        views = self._blank(len(hole))
        views["hole"], views["board"] = hole, board
        views["round"] = np.minimum(np.maximum((board >= 0).sum(axis=1) - 2, 0), last_round(self._game))
        return views

    def random(self, count: int, rng: Generator) -> Views:
        cards = _deal(count, 7, rng)
        dealt = np.array([0, 3, 4, 5])[rng.integers(0, 4, count)]
        return self._views(cards[:, :2], np.where(np.arange(5) < dealt[:, None], cards[:, 2:], -1))

    def labels(self, views: Views, redraws: int, seeds: Uint64s) -> Float64s:
        values = np.empty((len(views), self.outputs))
        hole, board = (np.ascontiguousarray(views[name], np.int8) for name in ("hole", "board"))
        final_odds(hole, board, batch_tables(7), redraws or _DEALS, seeds, values)
        return values

    def plain(self, views: Views) -> Views:
        return self._views(views["hole"], views["board"])


def exact_holds(views: Views) -> Float64s:
    """Return the value (n, 32), in [0, 1], of each hold of ``hand`` with the draws left (deuce-to-seven low)."""
    out = np.zeros((len(views), HOLDS))
    for left in range(1, DRAWS + 1):
        rows = np.flatnonzero(views["draws_left"] == left)
        if len(rows):
            out[rows] = draw_values().holds(views["hand"][rows], left) / 1000
    return out


def _deal(count: int, cards: int, rng: Generator) -> Int8s:
    """Return ``cards`` different random cards, (count, cards)."""
    out = np.empty((count, cards), np.int8)
    for start in range(0, count, _AT_ONCE):
        part = out[start : start + _AT_ONCE]
        part[:] = np.argsort(rng.random((len(part), 52)), axis=1)[:, :cards]
    return out


def problem_of(game: Game) -> Problem:
    """Return the value problem of a game.

    Raises:
        UsageError: the game has none.
    """
    refuse_game(game)
    if is_solo_draw(game):
        return VideoPokerHolds(game, game.pays)
    if is_draw_poker(game):
        return DrawHolds(game, min(game.draws, DRAWS))
    return HoldemStrength(game)
