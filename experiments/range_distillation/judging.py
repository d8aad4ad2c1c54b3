"""Where a distilled network loses to its teacher, and how good its hints are: by street and by action."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.core.arrays import Float64s, Int64s
from cardai.core.game import Game
from cardai.plugins.trainers.range_distillation import RangeDistillation, the_tree
from cardai.plugins.trainers.range_distillation.training import DistilledAgent, Distilling
from cardai.plugins.trainers.range_distillation.worth import WorthLessons
from cardai.poker.contract import need_holdem
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import RangePolicy, range_player
from cardai.poker.ranges.public_tree import DECISION, PublicTree
from cardai.poker.responses.street_response import ALONE, Walker, pairings
from cardai.training.runs import Run

STREETS = ("preflop", "flop", "turn", "river")
ACTIONS = ("fold", "call", "raise")
_SEED = 77


def against(run: str, teacher: str, boards: int) -> dict[str, Any]:
    """Return what a run wins from its teacher, counted out over all hands and betting on sampled whole boards: mbb a hand.

    Mean over both seats, by the street on which a hand ends too; half widths of 95 % over boards.
    """
    game, tree, player, other = _both(run, teacher)
    found = _counted_out(game, tree, (player, other), boards)  # (boards, 4)
    by_street = {name: _interval(found[:, k]) for k, name in enumerate(STREETS)}
    return {"boards": boards, "all": _interval(found.sum(axis=1)), **by_street}


def streets(run: str, teacher: str, boards: int) -> dict[str, Any]:
    """Return what is won from the teacher by who plays as the run on one street alone, counted out on the same boards for all."""
    game, tree, player, other = _both(run, teacher)
    found = {
        name: _counted_out(game, tree, (_OneStreet(player, other, number), other), boards).sum(axis=1)
        for number, name in enumerate(STREETS)
    }
    return {name: {"boards": boards, **_interval(won)} for name, won in found.items()}


def _both(run: str, teacher: str) -> tuple[Game, PublicTree, RangePolicy, RangePolicy]:
    game = Run.open(Path(run.partition(":")[0])).game()
    tree = the_tree(game)
    return game, tree, range_player(game, make.agent(run), tree), range_player(game, make.agent(teacher), tree)


def _counted_out(game: Game, tree: PublicTree, players: tuple[RangePolicy, RangePolicy], boards: int) -> Float64s:
    """Return (boards, 4) mbb a hand that the first of two players wins in hands that end on each street, mean over both seats."""
    rng, rows = np.random.default_rng(_SEED), []
    walkers = [Walker(tree, _Seated(tree, players[seat], players[1 - seat]), ALONE) for seat in range(2)]
    for _ in range(boards):
        board = tuple(int(card) for card in rng.permutation(52)[:5])
        rows.append(sum(_played_out(walker, seat, board) for seat, walker in enumerate(walkers)))
    return 1000 / need_holdem(game, "This measure").big_blind / 2 / pairings(5) * np.array(rows)


@frozen
class _OneStreet:
    """Plays as ``player`` on one street and as ``other`` on the rest."""

    player: RangePolicy
    other: RangePolicy
    street: int

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        who = self.player if len(board) == BOARD_SIZES[self.street] else self.other
        return who.range_policy(nodes, board)


@frozen
class _Seated:
    """Two players at one table, as one: :class:`cardai.poker.range_policy.RangePolicy`."""

    tree: PublicTree
    first: RangePolicy
    second: RangePolicy

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        actors = np.repeat(self.tree.actor[nodes], self.tree.num_children[nodes])
        out = np.zeros((len(actors), COUNT))
        for seat, player in enumerate((self.first, self.second)):
            if (own := self.tree.actor[nodes] == seat).any():
                out[actors == seat] = player.range_policy(nodes[own], board)
        return out


def _played_out(walker: Walker, seat: int, board: tuple[int, ...]) -> Float64s:
    """Return (4,) what a seat wins in hands that end on each street, summed over all pairs of hands that a board leaves."""
    out = np.zeros(4)
    found = {0: np.tile(left_by(board).astype(np.float64), (2, 1))}
    for street, size in enumerate(BOARD_SIZES):
        for one in walker.streets[street]:
            ranges = found.pop(one.root)
            reaches = walker.reaches(one.root, ranges, board[:size])
            found |= one.below(reaches)
            ends = walker.at_the_ends([one], seat, [reaches[1 - seat]], board)[0]
            out[street] += (reaches[seat][one.ends] * ends).sum()
    return out


def actions(run: Path, teacher: str, boards: int) -> dict[str, Any]:
    """Return what the run gives away on the river by taking each action more or less often than its teacher.

    Counted out over all betting and hands on sampled boards: mbb a hand, with half a 95 % interval over boards. It is to first
    order: both come to the river, and go on behind a decision, as the teacher does.
    """
    training = training_of(run, teacher)
    worth, player = training.worth_lessons(), training.agent({})
    assert isinstance(player, DistilledAgent)
    rng, rows = np.random.default_rng(_SEED), []
    for _ in range(boards):
        rows.append(_given_away(worth, player, tuple(int(card) for card in rng.permutation(52)[:5])))
    scale = 1000 / need_holdem(training.game, "This measure").big_blind
    found = scale * np.array(rows)  # (boards, 3)
    out = {name: _interval(found[:, k]) for k, name in enumerate(ACTIONS)}
    return {"boards": boards, "all": _interval(found.sum(axis=1)), **out}


def _given_away(worth: WorthLessons, player: DistilledAgent, board: tuple[int, ...]) -> Float64s:
    """Return (3,) chips a hand that are given away on one board, by action; mean over both seats."""
    tree, out = worth.lessons.tree, np.zeros(3)
    for root, ranges in worth.walker.ranges_at(3, board).items():
        if not ranges.any(axis=1).all():
            continue
        nodes, won, _, reaches = worth.walked(root, ranges, board, worth.counted(board))
        one = worth.walker.trees[root]
        asked = worth.lessons.teacher.range_policy(one.decisions, board), player.range_policy(one.decisions, board)
        for place in np.flatnonzero(tree.kind[nodes] == DECISION).tolist():
            count, first = one.street.node[place, 2:4].tolist()
            seat, node = int(tree.actor[nodes[place]]), int(nodes[place])
            taught, learned = (rows[first : first + count] for rows in asked)
            below = won[seat, one.street.child[place, :count]]  # (count, 1326), times the other's mass
            better = below - (below * taught).sum(axis=0)
            lost = -((learned - taught) * better * reaches[seat, place]).sum(axis=1)
            np.add.at(out, tree.action[node, :count].astype(np.int64), lost)
    return out / 2 / pairings(len(board))


def hints(run: Path, teacher: str, boards: tuple[int, int]) -> dict[str, Any]:
    """Return how far what the run says of actions is from what they are worth, on so many turn and river boards, counted out.

    In big blinds, by how likely hands come there: the mean error, how much there is to be known (the standard deviation of what
    actions are worth, and of the error), and what the action that it thinks best costs.
    """
    training = training_of(run, teacher)
    blind = need_holdem(training.game, "This measure").big_blind
    out = {}
    for street, count in zip((2, 3), boards, strict=True):
        rows = []
        for number in range(count):
            rng = np.random.default_rng([_SEED, street, number])
            board = tuple(int(card) for card in rng.permutation(52)[: street + 2])
            rows.append(_hinted(training, street, board, rng) / blind)
        found = np.array(rows)
        out[STREETS[street]] = {
            "boards": count,
            "error": _interval(found[:, 0]),
            "spread": float(np.sqrt(np.mean(found[:, 1] ** 2))),
            "left": float(np.sqrt(np.mean(found[:, 2] ** 2))),
            "costs": _interval(1000 * found[:, 3]),
        }
    return out


def _hinted(training: Distilling, street: int, board: tuple[int, ...], rng: np.random.Generator) -> Float64s:
    """Return (4,) of one board in chips: mean error, standard deviations of worth and error, cost of the action thought best."""
    lesson = training.worth_lessons().on(street, board, rng, exact=True)
    pots = training.tree.spent[lesson.nodes].sum(axis=1).astype(np.float64)[:, None, None]
    told, known = training.told(lesson) * pots, lesson.targets * pots
    shares = (lesson.weights / pots)[..., :-1].astype(np.float64)
    told, known, shares = told[..., :-1], known[..., :-1], shares / shares.sum()
    middle = (shares * known).sum()
    chosen = np.where(shares > 0, told, -np.inf).argmax(axis=2)[..., None]
    best = np.where(shares > 0, known, -np.inf).max(axis=2)
    lost = best - np.take_along_axis(known, chosen, axis=2)[..., 0]
    there = shares.max(axis=2) > 0
    weight = shares.max(axis=2)[there]
    return np.array(
        [
            (shares * np.abs(told - known)).sum(),
            np.sqrt((shares * (known - middle) ** 2).sum()),
            np.sqrt((shares * (told - known) ** 2).sum()),
            (weight * lost[there]).sum() / weight.sum(),
        ]
    )


def training_of(path: Path, teacher: str) -> Distilling:
    """Return the training of a run as far as it is, with ``teacher`` to be compared with."""
    run = Run.open(path)
    checkpoint, trainer = run.latest()[0], run.trainer()
    assert checkpoint is not None
    assert isinstance(trainer, RangeDistillation)
    made = Distilling(evolve(trainer, teacher=teacher, device="cpu"), run.game(), the_tree(run.game()), run.seed)
    made.load_player(checkpoint.path)
    return made


def _interval(found: Float64s) -> dict[str, float]:
    """Return the mean with half a 95 % interval over boards."""
    wide = 1.96 * float(found.std(ddof=1)) / np.sqrt(len(found)) if len(found) > 1 else float("nan")
    return {"mean": float(found.mean()), "half_width": float(wide)}
