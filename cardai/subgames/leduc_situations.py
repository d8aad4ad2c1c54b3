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
from attrs import frozen

from cardai.cards.poker.betting import Betting
from cardai.core.arrays import Float32s, Int64s
from cardai.core.rng import Rows, derive_many
from cardai.solve.discounting import VARIANTS
from cardai.subgames._batch_kernels import solve_many
from cardai.subgames.hands import LeducHands
from cardai.subgames.menus import Menu
from cardai.subgames.tree import COMPARED, DECISION, FOLDED, Tree, tree_after

_DRAWS = 24
"""Random numbers of a situation: board, pot, ties, and both ranges."""
_SIDE = 64
"""Subgames that are solved side by side: so many fit into a core's cache."""


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


def draw(
    game: LeducGame, seed: int, first: int, count: int, pots: Sequence[int] = (), alike: bool = False
) -> Situations:
    """Return situations ``first`` to ``first + count`` of ``seed``, their values zero.

    ``pots``: what each player can have put in, each as likely (default: any number of chips from the ante to the stack).
    ``alike``: the two suits of a rank are as likely, as they are in play, where nothing tells them apart.
    """
    uniforms = Rows(derive_many(seed, "leduc situation", count=count, start=first)).random(_DRAWS)
    boards = (uniforms[:, 0] * game.cards).astype(np.int64)
    half_pots = game.betting.ante + (uniforms[:, 1] * (game.stack - game.betting.ante)).astype(np.int64)
    if pots:
        half_pots = np.array(pots)[(uniforms[:, 1] * len(pots)).astype(np.int64)]
    ranges = np.zeros((count, 2, game.cards), np.float32)
    strengths = np.stack([LeducHands(game.ranks).strengths((board,)) for board in range(game.cards)])
    for i, board in enumerate(boards):
        free = [card for card in range(game.cards) if card != board]
        groups = [[card] for card in free]
        if alike:
            groups = [[card for card in free if card // 2 == rank] for rank in range(game.ranks)]
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


def reachable_pots(game: LeducGame) -> list[int]:
    """Return what each player can have put in, with chips left, when the second round begins; ascending."""
    tree = tree_after(game.betting, (game.stack, game.stack), 0, (), game.menus, until=0)
    return sorted({min(node.spent) for node in tree.streets[0].chance} - {game.stack})


def second_round(game: LeducGame, half_pot: int) -> Tree:
    """Return the betting of the second round over a pot of ``2 * half_pot``, both players with their stacks behind."""
    betting = Betting(
        2, 1, (0, 0), (0,), game.betting.max_raises[1:], game.betting.raise_sizes[1:], no_limit=True, ante=half_pot,
        offset=game.betting.offset, fold_anytime=game.betting.fold_anytime, minimum_bet=game.betting.ante,
    )  # fmt: skip
    return tree_after(betting, (game.stack, game.stack), 0, (), game.menus[1:])


_cached = lru_cache(maxsize=8)(second_round)


@frozen
class Recipe:
    """How a situation is solved: ``values`` are those of the average strategies without the first ``skip`` iterations."""

    iterations: int = 400
    skip: int = 0
    variant: str | tuple[float, float, float] = "dcfr"


def solve(game: LeducGame, drawn: Situations, recipe: Recipe) -> Situations:
    """Return the situations with their values. Those of one board and pot are solved side by side."""
    values = np.zeros_like(drawn.ranges)
    keys = drawn.half_pots * game.cards + drawn.boards
    order = np.argsort(keys, kind="stable")
    alike = np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
    for rows in [group[k : k + _SIDE] for group in alike for k in range(0, len(group), _SIDE)]:
        half_pot, board = int(drawn.half_pots[rows[0]]), int(drawn.boards[rows[0]])
        ranges = np.ascontiguousarray(drawn.ranges[rows].transpose(1, 2, 0))  # (2, K, M)
        found = _solve_alike(game, _cached(game, half_pot), board, ranges, recipe)
        values[rows] = found.transpose(2, 0, 1) / half_pot
    return Situations(drawn.boards, drawn.half_pots, drawn.ranges, values)


def _solve_alike(game: LeducGame, tree: Tree, board: int, ranges: Float32s, recipe: Recipe) -> Float32s:
    """Return (2, K, M) what each hand is worth, in chips, in M subgames of one tree and board."""
    (forest,), hands = tree.streets, LeducHands(game.ranks)
    nodes, groups = forest.nodes, _groups(game, board, ranges)
    gain = np.zeros((2, len(nodes)), np.float32)
    for node in nodes:
        if node.kind == COMPARED:
            gain[:, node.index] = min(node.spent)
        elif node.kind == FOLDED:
            gain[:, node.index] = node.spent[node.actor]
            gain[node.actor, node.index] *= -1
    known = (
        np.array([node.actor if node.kind == DECISION else -1 for node in nodes]),
        forest.first_slot.astype(np.int64),
        np.array([len(node.children) for node in nodes]),
        np.array([node.kind == COMPARED for node in nodes]),
        gain,
    )
    strengths, size = hands.strengths((board,))[[cards[0] for cards in groups]], ranges.shape[2]
    held = np.array([len(cards) for cards in groups], np.float32)
    meets = 1 - np.diag(1 / held)  # a hand meets all of another group, but not itself
    wins = np.sign(strengths[:, None] - strengths[None, :]).astype(np.float32) * meets
    shape, rule = (
        (len(groups), size),
        VARIANTS[recipe.variant][:3] if isinstance(recipe.variant, str) else recipe.variant,
    )
    slots = [np.zeros((forest.num_slots, *shape), np.float32) for _ in range(3)]
    work = (
        *slots,
        np.zeros((2, len(nodes), *shape), np.float32),
        np.zeros((len(nodes), *shape), np.float32),
        np.zeros(size, np.float32),
    )
    out, own = np.zeros_like(ranges), np.zeros((2, *shape), np.float32)
    solve_many(
        known,
        wins,
        meets,
        np.stack([ranges[:, cards].sum(axis=1) for cards in groups], axis=1),
        recipe.iterations,
        recipe.skip,
        np.array(rule),
        work,
        own,
    )
    for k, cards in enumerate(groups):
        out[:, cards] = own[:, [k]]
    return out


def _groups(game: LeducGame, board: int, ranges: Float32s) -> list[list[int]]:
    """Return the hands that the board leaves, those together that are alike: a rank's two if no range tells them apart."""
    pairs = [[card for card in (2 * rank, 2 * rank + 1) if card != board] for rank in range(game.ranks)]
    if all((ranges[:, pair[0]] == ranges[:, pair[-1]]).all() for pair in pairs):
        return pairs
    return [[card] for pair in pairs for card in pair]


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
