"""Situations drawn at random, as DeepStack drew them, and what they are worth: the examples of counterfactual value networks.

Moravcik et al., "DeepStack" (2017), supplement: a pot, a board at random, and ranges that spread their weight over the hands
in order of strength, halving at random. A situation is named by a seed and its number: the same number is the same
situation, whoever makes it. They are of no-limit hold'em on the flop (:mod:`.flop_labels`), the turn or the river, or of no-limit
Leduc's second round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from attrs import evolve, frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import Rows, derive
from cardai.core.spec import brief
from cardai.poker.contract import described, plays_holdem
from cardai.poker.ranges.cfr import RangeCfr
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import PublicTree, betting_tree, street_betting, tree_after
from cardai.poker.ranges.range_game import RangeGame, is_leduc, range_game
from cardai.poker.ranges.rows import RowSolver
from cardai.poker.ranges.solver import Solver
from cardai.poker.values.match_ups import legal_hands, strength_moments

STACK = 20_000
"""Each player's chips before the hand: 200 big blinds of 100."""
INTERVALS = ((100, 100), (200, 399), (400, 1999), (2000, 5999), (6000, 19_950))
"""What each player has put in, from and to; each interval is as likely as the others, each number within as the others."""
EVERY = tuple(range(len(INTERVALS)))
FLOP = "flop"
STREETS = (FLOP, "turn", "river")
SECOND = "second"
"""Leduc's second round."""
BOARD_CARDS = {FLOP: 3, "turn": 4, "river": 5, SECOND: 1}
BETS = "1+allin"
"""The sizes of bets on every street, if none are named."""
FASTER = (1.5, 0.5, 4.0)
"""Discounts by which values settle soonest: negative regrets are kept longer than by DCFR's (1.5, 0, 2), early iterations
count less. benchmarks/labels.py prints how far values are from those of a long solve by either."""
HOLDEM_GAME = RangeGame(street_betting(200, 4, minimum=100), (STACK, STACK), HOLDEM, (0, 3, 4, 5))
"""No-limit hold'em as its situations are drawn."""
FAR = 0.5
"""How far at most the ranges of a situation's neighbours are from its own."""
SIDE = 64
"""Leduc's situations that are solved side by side: so many fit into a core's cache."""


@frozen(eq=False)
class Situation:
    """A public state and both ranges."""

    seed: int
    number: int
    board: tuple[int, ...]
    half_pot: int
    """The chips that each player has put in."""
    ranges: Float64s
    """(2, K) probabilities by seat (seat 0 acts first); zero for hands that the board blocks."""
    game: RangeGame = HOLDEM_GAME

    @property
    def interval(self) -> int:
        """The number of the interval that the pot is from."""
        return next((k for k, (_, most) in enumerate(INTERVALS) if self.half_pot <= most), len(INTERVALS) - 1)


@frozen(eq=False)
class Labels:
    """What a situation is worth."""

    values: Float32s
    """(2, K) what each hand wins, net, of the opponent's range: counterfactual values, in units of what each player has put in."""
    exploitability: float
    """How far the strategies behind it are from equilibrium, in % of the whole pot."""


def situation_game(game: Game) -> RangeGame:
    """Return the game that situations for ``game`` are drawn in: no-limit hold'em with deep stacks, or no-limit Leduc itself.

    Raises:
        UsageError: it is neither hold'em for two nor such a Leduc.
    """
    who = "counterfactual_values"
    if plays_holdem(game, 2):
        return HOLDEM_GAME
    if not is_leduc(game):
        raise UsageError(f"{who} learns hold'em for two, or Leduc. {brief(game)} is {described(game)}.")
    found = range_game(game, who)
    if not found.betting.no_limit:
        raise UsageError(
            f"{who} learns hold'em for two, and no-limit Leduc, such as leduc_deepstack. Got {brief(game)}."
        )
    if found.betting.ante < 2 or found.betting.first[1] != 0:
        raise UsageError(f"{who} needs an ante in Leduc, and the starter to begin both rounds. Got {brief(game)}.")
    return found


def situation(
    seed: int, number: int, street: str = "turn", intervals: Sequence[int] = EVERY, game: RangeGame = HOLDEM_GAME
) -> Situation:
    """Return situation ``number`` (from 0) of ``seed``, with a pot from one of ``intervals``.

    In Leduc each pot that the first round can lead to is as likely, and so are the two suits of a rank, as they are in play,
    where nothing tells them apart.

    Raises:
        UsageError: a street on which none are drawn.
    """
    if street not in BOARD_CARDS:
        raise UsageError(f"Situations are drawn on the {', the '.join(STREETS)}. Got {street!r}.")

    def uniform(what: str, count: int) -> Float64s:
        return Rows(np.array([derive(seed, street, number, what)], np.uint64)).random(count).reshape(-1)

    chosen = [INTERVALS[k] for k in intervals] if game.hands.held > 1 else reachable_pots(game)
    half_pot = pot_law(uniform("interval", 2)[0], uniform("pot", 2)[0], chosen)
    deck = game.hands.deck
    dealt = np.argsort(uniform("board", len(deck)), kind="stable")[: BOARD_CARDS[street]]
    board = tuple(deck[int(place)] for place in dealt)
    return Situation(seed, number, board, half_pot, _random_ranges(board, game, uniform), game)


def _random_ranges(board: Sequence[int], game: RangeGame, uniform: Callable[[str, int], Float64s]) -> Float64s:
    """Return (2, K) ranges as DeepStack drew them, of uniform numbers by what they are for and how many."""
    hands = legal_hands(board, game.hands)
    strengths = np.round(strength_moments(board, game.hands)[0, hands], 9)
    ranges = np.zeros((2, len(game.hands.cards)))
    for seat in range(2):
        drawn = uniform(f"range {seat}", len(hands))
        if game.hands.held > 1:
            order = np.lexsort((uniform(f"ties {seat}", len(hands)), strengths))
            ranges[seat, hands[order]] = random_range(len(hands), drawn)
        else:
            ranks, of_hand, count = np.unique(strengths, return_inverse=True, return_counts=True)
            ranges[seat, hands] = (random_range(len(ranks), drawn) / count)[of_hand]
    return ranges


def nearby(one: Situation, k: int) -> Situation:
    """Return the situation with the board and the pot of ``one``, and ranges near its own: its ranges to the power of 1 - a times random
    ones to the power of a, where a is uniform from 0 to ``FAR``. ``k`` tells those of one situation apart."""

    def uniform(what: str, count: int) -> Float64s:
        return Rows(np.array([derive(one.seed, "nearby", one.number, k, what)], np.uint64)).random(count).reshape(-1)

    far = FAR * uniform("far", 2)[0]
    mixed = one.ranges ** (1 - far) * _random_ranges(one.board, one.game, uniform) ** far
    return evolve(one, ranges=mixed / mixed.sum(axis=1, keepdims=True))


def pot_law(interval: float, pot: float, intervals: Sequence[tuple[int, int]]) -> int:
    """Return what each player has put in, from two uniform numbers: one chooses the interval, one the chips in it."""
    least, most = intervals[int(len(intervals) * interval)]
    return least + int((most - least + 1) * pot)


@lru_cache(8)
def reachable_pots(game: RangeGame) -> tuple[tuple[int, int], ...]:
    """Return what each player can have put in, with chips left, when the second round begins; ascending, from and to."""
    tree = tree_after(game.betting, game.stacks, 0, (), game.menus, until=0)
    pots = {min(node.spent) for node in tree.streets[0].chance} - {game.stacks[0]}
    return tuple((pot, pot) for pot in sorted(pots))


def random_range(count: int, uniforms: Float64s) -> Float64s:
    """Return (n,) probabilities of ``count`` hands, the weakest first: R(S, p) of the supplement with p = 1.

    The weaker half (rounded down) gets a part of the probability that is uniform in ``uniforms`` (n - 1 or more), the
    stronger half the rest, and so on down to single hands.
    """
    mass = np.zeros(count)
    mass[:1] = 1.0
    for firsts, middles, used in _halvings(count):
        whole = mass[firsts]
        mass[firsts] = whole * uniforms[used]
        mass[middles] = whole - mass[firsts]
    return mass


@cache
def _halvings(count: int) -> list[tuple[Int64s, Int64s, Int64s]]:
    """Return how ``count`` hands are halved, level by level: where parts begin, their middles, and which uniforms part them.

    A part's probability stands where it begins. The uniforms are used in order of depth, the weaker halves first.
    """
    levels: list[tuple[Int64s, Int64s, Int64s]] = []
    parts = [(0, count, 0)]
    while parts := [part for part in parts if part[1] - part[0] > 1]:
        first, end, used = np.array(parts, np.int64).T
        middle = first + (end - first) // 2
        levels.append((first, middle, used))
        weaker, stronger = (first, middle, used + 1), (middle, end, used + middle - first)
        parts = [*zip(*weaker, strict=True), *zip(*stronger, strict=True)]
    return levels


def situation_tree(one: Situation, bets: str = BETS) -> PublicTree:
    """Return the public tree of a situation to the end of the game. Raises UsageError: ``bets`` cannot be read."""
    streets = (SECOND,) if one.game.hands.held == 1 else STREETS[len(one.board) - 3 :]
    betting = street_betting(2 * one.half_pot, len(streets), minimum=one.game.betting.minimum_bet)
    return betting_tree(betting, one.game.stacks, menus(bets, streets))


def labels(
    one: Situation, iterations: int, bets: str = BETS, discounts: str | tuple[float, float, float] = "dcfr"
) -> Labels:
    """Solve a situation to the end of the game, and return what every hand is worth.

    Args:
        discounts: as a :class:`~cardai.poker.ranges.solver.Solver` takes them for its ``variant``.
    """
    return _solved(one, iterations, bets, discounts, ())[0]


def _solved(
    one: Situation,
    iterations: int,
    bets: str,
    discounts: str | tuple[float, float, float],
    neighbours: Sequence[Situation],
) -> list[Labels]:
    """Return the labels of a situation that is solved, and of ``neighbours`` by its strategies."""
    tree, hands = situation_tree(one, bets), one.game.hands
    boards = deal_boards(hands, one.board, len(tree.streets), one.ranges, every=True, isomorphic=not neighbours)
    solver = Solver(TreeLayout(tree, hands, boards), one.ranges, variant=discounts)
    solver.run(iterations)
    found = labels_of(solver, solver.hands, [one])
    for other in neighbours:
        solver.meet(other.ranges[None])
        found += labels_of(solver, solver.hands, [other])
    return found


def all_labels(
    situations: Sequence[Situation],
    iterations: Sequence[int],
    bets: str = BETS,
    discounts: str | tuple[float, float, float] = FASTER,
    rows: int = 1,
) -> list[Labels]:
    """Return the :func:`labels` of situations of one game; Leduc's, of one board and pot each, are solved side by side.

    Of each ``rows`` in turn the first alone is solved. The others, its neighbours (:func:`nearby`), are worth what the strategies of both
    players in its solution win there: the idea of TurboReBeL (openreview yMo7Z670f6). The further their ranges are, the less are those
    an equilibrium's.
    """
    solves = range(0, len(situations), rows)
    if not situations or situations[0].game.hands.held > 1:
        solved = (_solved(situations[k], iterations[k], bets, discounts, situations[k + 1 : k + rows]) for k in solves)
        return list(chain.from_iterable(solved))
    alike: dict[tuple[tuple[int, ...], int, int], list[int]] = {}
    for k in solves:
        one = situations[k]
        alike.setdefault((one.board, one.half_pot, iterations[k]), []).append(k)
    found: dict[int, Labels] = {}
    for (board, half_pot, count), group in alike.items():
        layout = _layout(situations[group[0]].game, board, half_pot, bets)
        for first in range(0, len(group), SIDE):
            members = group[first : first + SIDE]
            solver = RowSolver(layout, np.stack([situations[k].ranges for k in members]), variant=discounts)
            solver.run(count)
            for row in range(rows):
                each = [situations[k + row] for k in members]
                if row:
                    solver.meet(np.stack([one.ranges for one in each]))
                found |= zip([k + row for k in members], labels_of(solver, solver.hands, each), strict=True)
    return [found[k] for k in range(len(situations))]


@lru_cache(64)
def _layout(game: RangeGame, board: tuple[int, ...], half_pot: int, bets: str) -> TreeLayout:
    even = np.ones((2, len(game.hands.cards)))
    tree = situation_tree(Situation(0, 0, board, half_pot, even, game), bets)
    return TreeLayout(tree, game.hands, deal_boards(game.hands, board, 1, even))


def labels_of(solver: RangeCfr, hands: Int64s, situations: Sequence[Situation]) -> list[Labels]:
    """Return what the M ``situations`` that have been solved are worth; ``hands`` (n,) or (M, n) are the vectors' hands."""
    pots = np.array([one.half_pot for one in situations])
    out = np.zeros((len(situations), *situations[0].ranges.shape), np.float32)
    for seat in range(2):
        out[np.arange(len(out))[:, None], seat, hands] = solver.root_values(seat) / pots[:, None]
    gaps = [100 * one.exploitability for one in solver.measures()]
    return [Labels(*one) for one in zip(out, (gaps / (2 * pots)).tolist(), strict=True)]
