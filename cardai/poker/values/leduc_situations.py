"""Situations of Leduc's second round drawn at random, and what their hands are worth: examples for a network of values.

As DeepStack's authors drew them for their Leduc (Moravcik et al. 2017, and its public example): a board at random, chips of
each player uniform between the ante and the stack, ranges R(S, p) that halve at random down to single hands, where an odd
hand in the middle goes to either side. Situation k of a seed is the same whoever draws it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import fields_dict, frozen

from cardai.core.arrays import Float32s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import Rows, derive_many
from cardai.core.spec import brief
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import deal_boards
from cardai.poker.ranges.layout import Layout
from cardai.poker.ranges.public_tree import PublicTree, tree_after
from cardai.poker.ranges.range_game import RangeGame, range_game
from cardai.poker.ranges.rows import RowSolver
from cardai.poker.rules.betting import Betting

_DRAWS = 24
"""Random numbers of a situation: board, pot, ties, and both ranges."""
_SIDE = 64
"""Subgames that are solved side by side: so many fit into a core's cache."""


def leduc_game(game: Game) -> RangeGame:
    """Return no-limit Leduc of two players. Raises UsageError unless ``game`` is that."""
    found = range_game(game, "counterfactual_values")
    if not found.betting.no_limit or found.board_cards != (0, 1):
        raise UsageError(
            f"counterfactual_values learns hold'em for two, and no-limit Leduc, such as leduc_deepstack. Got {brief(game)}."
        )
    if len(found.hands.deck) != 6:
        raise UsageError(
            f"counterfactual_values learns Leduc with three ranks of two suits. {brief(game)} has {len(found.hands.deck)} cards."
        )
    if found.betting.ante < 2 or found.betting.first[1] != 0:
        raise UsageError(
            f"counterfactual_values needs an ante in Leduc, and the starter to begin both rounds. Got {brief(game)}."
        )
    return found


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


def draw(
    game: RangeGame, seed: int, first: int, count: int, pots: Sequence[int] = (), alike: bool = False
) -> Situations:
    """Return situations ``first`` to ``first + count`` of ``seed``, their values zero.

    ``pots``: what each player can have put in, each as likely (default: any number of chips from the ante to the stack).
    ``alike``: the two suits of a rank are as likely, as they are in play, where nothing tells them apart.
    """
    uniforms = Rows(derive_many(seed, "leduc situation", count=count, start=first)).random(_DRAWS)
    boards = (uniforms[:, 0] * len(game.hands.cards)).astype(np.int64)
    half_pots = game.betting.ante + (uniforms[:, 1] * (game.stacks[0] - game.betting.ante)).astype(np.int64)
    if pots:
        half_pots = np.array(pots)[(uniforms[:, 1] * len(pots)).astype(np.int64)]
    ranges = np.zeros((count, 2, len(game.hands.cards)), np.float32)
    strengths = np.stack([game.hands.strengths((board,)) for board in range(len(game.hands.cards))])
    for i, board in enumerate(boards):
        free = [card for card in range(len(game.hands.cards)) if card != board]
        groups = [[card] for card in free]
        if alike:
            groups = [[card for card in free if card // 2 == rank] for rank in range(len(game.hands.deck) // 2)]
        for seat in range(2):
            draws = iter(uniforms[i, 2 + 11 * seat :])
            ties = [next(draws) for _ in groups]
            order = sorted(range(len(groups)), key=lambda k: (strengths[board, groups[k][0]], ties[k]))
            _spread([groups[k] for k in order], 1.0, draws, ranges[i, seat])
    return Situations(boards, half_pots, ranges, np.zeros_like(ranges))


def _spread(order: list[list[int]], probability: float, draws: Any, out: Float32s) -> None:
    """Give the weaker half of ``order`` a uniform part of the probability, the stronger half the rest, and so on down."""
    if len(order) == 1:
        out[order[0]] = probability / len(order[0])
        return
    cut = next(draws)
    odd = len(order) % 2
    middle = len(order) // 2 + (odd if odd and 2 * cut % 1 < 0.5 else 0)
    _spread(order[:middle], probability * cut, draws, out)
    _spread(order[middle:], probability * (1 - cut), draws, out)


def reachable_pots(game: RangeGame) -> list[int]:
    """Return what each player can have put in, with chips left, when the second round begins; ascending."""
    tree = tree_after(game.betting, game.stacks, 0, (), game.menus, until=0)
    return sorted({min(node.spent) for node in tree.streets[0].chance} - {game.stacks[0]})


def second_round(game: RangeGame, half_pot: int) -> PublicTree:
    """Return the betting of the second round over a pot of ``2 * half_pot``, both players with their stacks behind."""
    betting = Betting(
        2, 1, (0, 0), (0,), game.betting.max_raises[1:], game.betting.raise_sizes[1:], no_limit=True, ante=half_pot,
        offset=game.betting.offset, fold_anytime=game.betting.fold_anytime, minimum_bet=game.betting.ante,
    )  # fmt: skip
    return tree_after(betting, game.stacks, 0, (), game.menus[1:])


@lru_cache(maxsize=64)
def _layout(game: RangeGame, half_pot: int, board: int) -> Layout:
    hands = game.hands
    tree = second_round(game, half_pot)
    return Layout(tree, hands, deal_boards(hands, (board,), 1, np.ones((2, len(game.hands.cards)))))


def solve(game: RangeGame, drawn: Situations, settings: SolverSettings) -> Situations:
    """Return the situations with their values. Those of one board and pot are solved side by side."""
    iterations = settings.of_round(1)
    values = np.zeros_like(drawn.ranges)
    keys = drawn.half_pots * len(game.hands.cards) + drawn.boards
    order = np.argsort(keys, kind="stable")
    alike = np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
    for rows in [group[k : k + _SIDE] for group in alike for k in range(0, len(group), _SIDE)]:
        half_pot, board = int(drawn.half_pots[rows[0]]), int(drawn.boards[rows[0]])
        solver = RowSolver(_layout(game, half_pot, board), drawn.ranges[rows], variant=settings.variant)
        solver.run(settings.skip)
        solver.forget_average()
        solver.run(iterations - settings.skip)
        for seat in range(2):
            values[rows[:, None], seat, solver.hands] = solver.root_values(seat).astype(np.float32) / half_pot
    return Situations(drawn.boards, drawn.half_pots, drawn.ranges, values)


def joined(*parts: Situations) -> Situations:
    """Return the situations of several, one behind the other; there must be one at least."""
    return Situations(*(np.concatenate([getattr(one, name) for one in parts]) for name in fields_dict(Situations)))


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
