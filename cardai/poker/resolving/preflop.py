"""What is done before the flop, from a table: 169 classes of hands at every decision of a ladder of bets, at several depths of stacks.

    preflop.json    the ladder and the depths, in big blinds
    preflop.npz     chances_K (actions, 169) float16: of all decisions of depth K, in order of the tree's nodes

The table is solved behind a network of the flop (:mod:`cardai.poker.resolving.preflop_solving`), or is what blueprints do that were trained
on a ladder (``bucket_mccfr``). It plays any stacks and blinds: at the depth that is nearest in proportion. Bets of any size are translated
(:mod:`cardai.poker.resolving.translation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from attrs import asdict, evolve, field, frozen

from cardai import make
from cardai.core.arrays import Float32s, Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_links, write_json
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure
from cardai.core.spec import brief
from cardai.poker.contract import BoardGame, board_game, need_holdem
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.menus import ALL_IN, Menu
from cardai.poker.ranges.public_tree import Action, Node, PublicTree, holdem_tree, tree_after
from cardai.poker.resolving.player import Plan
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.translation import Line, Translation
from cardai.training.runs import Run

HEAD, ARRAYS = "preflop.json", "preflop.npz"
FORMAT = "cardai preflop 1"
MOST_DEPTHS = 32
BLIND = 100
"""A big blind, in chips."""


def _depths(_: object, __: object, value: tuple[int, ...]) -> None:
    rising = list(value) == sorted(set(value)) and all(1 <= depth <= 10_000 for depth in value)
    if not rising or not 1 <= len(value) <= MOST_DEPTHS:  # a tree is made for each
        raise ValueError(f"depths must be 1 to {MOST_DEPTHS} rising numbers of big blinds. Got {str(value)[:60]}.")


def _rungs(_: object, __: object, value: tuple[float, ...]) -> None:
    if not 1 <= len(value) <= 8 or not all(rung == ALL_IN or 0 < rung < 1000 for rung in value):
        raise ValueError(f"ladder must be a few fractions of the pot, -1 for all-in. Got {value}.")


@frozen
class _Head:
    """What preflop.json holds."""

    format: str
    ladder: tuple[float, ...] = field(validator=_rungs)
    depths: tuple[int, ...] = field(validator=_depths)


def check_table(ladder: Sequence[float], depths: Sequence[int]) -> None:
    """Raise UsageError unless there can be a table of such a ladder and depths."""
    try:
        _Head(FORMAT, tuple(ladder), tuple(depths))
    except ValueError as error:
        raise UsageError(f"There is no such table of play before the flop: {error}") from None


@frozen(eq=False)
class PreflopTable:
    """The table."""

    ladder: tuple[float, ...]
    depths: tuple[int, ...]
    chances: Mapping[int, Float32s] = field(repr=False)
    """By depth: (actions, 169), rows of a decision behind one another."""

    @cached_property
    def trees(self) -> dict[int, PublicTree]:
        """The tree of each depth before the flop, seat 0 on the button, the big blind 100."""
        return {depth: ladder_tree(self.ladder, depth) for depth in self.depths}

    @cached_property
    def _first(self) -> dict[int, dict[int, int]]:
        """By depth and decision: the first of its rows."""
        out = {}
        for depth, tree in self.trees.items():
            nodes, counts = tree.decisions, tree.num_children[tree.decisions]
            out[depth] = dict(zip(nodes.tolist(), (np.cumsum(counts) - counts).tolist(), strict=True))
        return out

    def depth(self, blinds: float) -> int:
        """Return the depth that is nearest to stacks of ``blinds``, in proportion."""
        return min(self.depths, key=lambda depth: abs(np.log(depth / blinds)))

    def strategy(self, depth: int, node: Node) -> Float64s:
        """Return (A, 169) how often each class takes each action of a decision."""
        first = self._first[depth][node.number]
        rows = self.chances[depth][first : first + len(node.actions)].astype(np.float64)
        total = rows.sum(axis=0)  # halves of 16 bits do not add up to 1
        return np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1 / len(rows))


def ladder_tree(ladder: Sequence[float], depth: int) -> PublicTree:
    """Return the tree before the flop of stacks of ``depth`` big blinds, seat 0 on the button."""
    betting = _said(f"acpc_nolimit_2p:stack={depth * BLIND}").betting
    return tree_after(betting, (depth * BLIND,) * 2, 0, (), (Menu((tuple(ladder),)),) * 4, until=0)


def _said(spec: str) -> BoardGame:
    found = board_game(make.game(spec))
    assert found is not None
    return found


# -- made, written, read -----------------------------------------------------------------------------------------------


def table_of(runs: Sequence[Path]) -> PreflopTable:
    """Return what trained players do before the flop: one of each depth, all on one ladder.

    Raises:
        UsageError: a run is of another game than acpc_nolimit_2p with a ladder of bets and stacks of whole big blinds, or
            they differ in their ladder, or two have one depth.
    """
    chances: dict[int, Float32s] = {}
    ladders = set()
    for path in runs:
        game = Run.open(path).game()
        said = board_game(game)
        usual = _said("acpc_nolimit_2p").betting
        if (
            said is None
            or not said.ladder
            or said.stacks[0] % BLIND
            or evolve(said.betting, deepest=usual.deepest) != usual
        ):
            raise UsageError(
                f"A table of play before the flop is of acpc_nolimit_2p with a ladder of bets. {path} is of another game."
            )
        rungs = tuple(float(rung) for rung in said.ladder)
        ladders.add((*[rung for rung in rungs if rung != ALL_IN], *[ALL_IN] * (ALL_IN in rungs)))
        depth = said.stacks[0] // BLIND
        if depth in chances:
            raise UsageError(f"Two runs are of stacks of {depth} big blinds. Give one of each depth.")
        whole_tree = holdem_tree(game, "A table of play before the flop")
        policy = range_player(game, make.agent(str(path)), whole_tree)
        nodes = whole_tree.decisions[whole_tree.street[whole_tree.decisions] == 0]
        chances[depth] = by_class(policy.range_policy(nodes, ()))
    if len(ladders) != 1:
        raise UsageError(f"The runs have {len(ladders)} ladders of bets. One table has one.")
    (ladder,) = ladders
    return PreflopTable(ladder, tuple(sorted(chances)), chances)


def by_class(rows: Float64s) -> Float32s:
    """Return (n, 169) the means over each class's hands of (n, 1326)."""
    classes = class_of()
    sums = np.stack([np.bincount(classes, row, CLASSES) for row in rows])
    return np.asarray(sums / np.bincount(classes), np.float32)


def write_table(table: PreflopTable, directory: Path) -> None:
    """Write a table's two files into ``directory``."""
    write_json(directory / HEAD, asdict(_Head(FORMAT, table.ladder, table.depths)))
    arrays = {f"chances_{depth}": table.chances[depth].astype(np.float16) for depth in table.depths}
    write_npz(directory / ARRAYS, arrays, level=9)


def read_table(directory: Path) -> PreflopTable:
    """Return the table in ``directory``. Raises DamagedFileError: it is not what :func:`write_table` wrote."""
    what = f"The file {directory / HEAD}"
    refuse_links(directory)
    head = structure(read_json(directory / HEAD), _Head, what)
    if head.format != FORMAT:
        raise DamagedFileError(f"{what} is damaged or foreign: its format is {head.format[:40]!r}.")
    rows = {depth: ladder_tree(head.ladder, depth).edges for depth in head.depths}
    expected = {f"chances_{depth}": (np.float16, (count, CLASSES)) for depth, count in rows.items()}
    found = read_npz(directory / ARRAYS, expected)
    if not all(np.isfinite(one).all() and (one >= 0).all() for one in found.values()):
        raise DamagedFileError(f"The file {directory / ARRAYS} holds numbers that are no probabilities: it is damaged.")
    chances = {depth: found[f"chances_{depth}"].astype(np.float32) for depth in head.depths}
    return PreflopTable(head.ladder, head.depths, chances)


# -- played ------------------------------------------------------------------------------------------------------------


@frozen(eq=False)
class Preflop:
    """What a table does in a game of no-limit hold'em, as a :class:`~cardai.poker.resolving.blueprint.Blueprint` says it."""

    game: BoardGame
    table: PreflopTable

    def plan(self, public: Public) -> Plan:
        """Return what each hand does at a decision before the flop."""
        return self._with_stacks(public).plan(public)

    def ranges(self, public: Public) -> Float64s:
        """Return (2, 1326) both ranges, by seat, after the actions of ``public`` before the flop."""
        return self._with_stacks(public).ranges(public)

    def _with_stacks(self, public: Public) -> _WithStacks:
        return _WithStacks(self.game, self.table, min(public.stacks or self.game.stacks[:2]))


class _WithStacks:
    """The same for hands in which ``stack`` chips can be lost."""

    def __init__(self, game: BoardGame, table: PreflopTable, stack: int) -> None:
        self.game, self.table, self.stack = game, table, stack
        self.depth = table.depth(stack / max(*game.betting.blinds, 1))
        self._menus = (Menu((table.ladder,)),) * game.betting.num_rounds
        of_depth = partial(table.strategy, self.depth)
        self._translation = Translation(table.trees[self.depth].root, of_depth, _EACH, self.depth * BLIND)

    def plan(self, public: Public) -> Plan:
        """Return what each hand does at a decision before the flop."""
        betting = self.game.betting
        if public.actions and self.stack <= betting.ante + max(betting.blinds):
            # the button is all-in by a call: the big blind can only check
            return Plan((Action(1),), np.ones((1, COUNT)))
        real = tree_after(
            self.game.betting, (self.stack,) * 2, public.button, public.history, self._menus, until=0
        ).root
        played = self._translation.played(self._lines(public), real, self._opener(public))
        return Plan(tuple(real.actions), played[:, class_of()])

    def ranges(self, public: Public) -> Float64s:
        """Return (2, 1326) both ranges, by seat, after the actions of ``public`` before the flop."""
        return np.asarray(self._translation.ranges(self._lines(public), self._opener(public))[:, class_of()])

    def _lines(self, public: Public) -> list[Line]:
        opened = evolve(public.preflop, button=self._opener(public))
        return self._translation.lines(self.game.betting, opened, self.stack)

    def _opener(self, public: Public) -> int:
        """Return the seat that posts the small blind: the table's button, even where the big blind has it."""
        return self.game.betting.starter(public.button, 0)


_EACH = np.bincount(class_of(), minlength=CLASSES).astype(np.float64)
"""How many hands each class has."""


def preflop_player(directory: str, game: Game) -> Preflop:
    """Return what plays before the flop of ``game`` by the table in ``directory``.

    Raises:
        UsageError: the game is not no-limit hold'em for two without a ladder, or there is no table.
    """
    said = need_holdem(game, "A table of play before the flop")
    if not game.amounts or said.num_players != 2:
        raise UsageError(f"A table of play before the flop is for no-limit hold'em of two players. Got {brief(game)}.")
    if not (Path(directory) / HEAD).is_file():
        raise UsageError(f"There is no table of play before the flop in {directory!r}: it has no {HEAD}.")
    return Preflop(said, read_table(Path(directory)))
