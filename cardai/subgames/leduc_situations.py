"""Situations of Leduc's second round drawn at random, and what their hands are worth: examples for a network of values.

As DeepStack's authors drew them for their Leduc (Moravcik et al. 2017, and its public example): a board at random, chips of
each player uniform between the ante and the stack, ranges R(S, p) that halve at random down to single hands, where an odd
hand in the middle goes to either side. Situation k of a seed is the same whoever draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.poker.betting import Betting
from cardai.core.arrays import Float32s, Int64s
from cardai.core.rng import Rows, derive_many
from cardai.subgames.hands import LeducHands, deal_boards
from cardai.subgames.layout import Layout
from cardai.subgames.menus import Menu
from cardai.subgames.solver import Solver
from cardai.subgames.tree import Tree, tree_after

_DRAWS = 24
"""Random numbers of a situation: board, pot, ties, and both ranges."""


@frozen
class LeducGame:
    """What of a game of Leduc its situations need."""

    betting: Betting
    stack: int
    menus: tuple[Menu, ...]
    ranks: int = 3

    @property
    def cards(self) -> int:
        """How many hands, and boards, there are."""
        return 2 * self.ranks


@frozen(eq=False)
class Situations:
    """n situations of the second round, and what their hands are worth if they have been solved."""

    boards: Int64s
    """(n,) cards."""
    half_pots: Int64s
    """(n,) what each player has put in."""
    ranges: Float32s
    """(n, 2, K) probabilities by seat."""
    values: Float32s
    """(n, 2, K) what each hand wins of the opponent's range, net, in units of the half pot."""

    def __len__(self) -> int:
        return len(self.boards)


def draw(game: LeducGame, seed: int, first: int, count: int) -> Situations:
    """Return situations ``first`` to ``first + count`` of ``seed``, their values zero."""
    uniforms = Rows(derive_many(seed, "leduc situation", count=count, start=first)).random(_DRAWS)
    boards = (uniforms[:, 0] * game.cards).astype(np.int64)
    half_pots = game.betting.ante + (uniforms[:, 1] * (game.stack - game.betting.ante)).astype(np.int64)
    ranges = np.zeros((count, 2, game.cards), np.float32)
    strengths = np.stack([LeducHands(game.ranks).strengths((board,)) for board in range(game.cards)])
    for i, board in enumerate(boards):
        free = [card for card in range(game.cards) if card != board]
        for seat in range(2):
            draws = iter(uniforms[i, 2 + 11 * seat :])
            order = sorted(free, key=lambda card: (strengths[board, card], next(draws)))  # noqa: B023 (used at once)
            _spread(order, 1.0, draws, ranges[i, seat])
    return Situations(boards, half_pots, ranges, np.zeros_like(ranges))


def _spread(order: list[int], probability: float, draws: Any, out: Float32s) -> None:
    """Give the weaker half of ``order`` a uniform part of the probability, the stronger half the rest, and so on down."""
    if len(order) == 1:
        out[order[0]] = probability
        return
    cut = next(draws)
    odd = len(order) % 2
    middle = len(order) // 2 + (odd if odd and 2 * cut % 1 < 0.5 else 0)
    _spread(order[:middle], probability * cut, draws, out)
    _spread(order[middle:], probability * (1 - cut), draws, out)


def second_round(game: LeducGame, half_pot: int) -> Tree:
    """Return the betting of the second round over a pot of ``2 * half_pot``, both players with their stacks behind."""
    betting = Betting(
        2, 1, (0, 0), (0,), game.betting.max_raises[1:], game.betting.raise_sizes[1:], no_limit=True, ante=half_pot,
        offset=game.betting.offset, fold_anytime=game.betting.fold_anytime, minimum_bet=game.betting.ante,
    )  # fmt: skip
    return tree_after(betting, (game.stack, game.stack), 0, (), game.menus[1:])


@frozen
class Recipe:
    """How a situation is solved: ``values`` are those of the average strategies without the first ``skip`` iterations."""

    iterations: int = 400
    skip: int = 0
    variant: str | tuple[float, float, float] = "dcfr"


def solve(
    game: LeducGame, drawn: Situations, recipe: Recipe, told: Callable[[int], None] | None = None
) -> Situations:
    """Return the situations with their values. ``told`` hears of how many are done."""
    values = np.zeros_like(drawn.ranges)
    layout_of = lru_cache(None)(lambda half_pot, board: _layout(game, half_pot, board))
    for done, i in enumerate(np.argsort(drawn.half_pots, kind="stable")):
        half_pot, board = int(drawn.half_pots[i]), int(drawn.boards[i])
        solver = Solver(layout_of(half_pot, board), drawn.ranges[i].astype(np.float64), variant=recipe.variant)
        if recipe.skip:
            solver.run(recipe.skip)
            solver.forget_average()
        solver.run(recipe.iterations - recipe.skip)
        for seat in range(2):
            values[i, seat, solver.hands] = solver.root_values(seat) / half_pot
        if told is not None and done % 100 == 0:
            told(done)
    return Situations(drawn.boards, drawn.half_pots, drawn.ranges, values)


def _layout(game: LeducGame, half_pot: int, board: int) -> Layout:
    hands = LeducHands(game.ranks)
    every = np.ones((2, game.cards))
    return Layout(second_round(game, half_pot), hands, deal_boards(hands, (board,), 1, every))


def swapped(given: Situations, swaps: npt.NDArray[np.bool_]) -> Situations:
    """Return the situations with the two suits of some ranks exchanged, which changes no value but its place.

    ``swaps`` (n, ranks).
    """
    cards = np.arange(given.ranges.shape[2])
    renamed = cards[None, :] ^ swaps[:, cards // 2]  # (n, K): its own inverse
    places = np.broadcast_to(renamed[:, None, :], given.ranges.shape)
    boards = renamed[np.arange(len(given)), given.boards]
    taken = [np.take_along_axis(one, places, axis=2) for one in (given.ranges, given.values)]
    return Situations(boards, given.half_pots, *taken)
