"""Charts: solved play before the flop as it is kept, and what it says: frequencies, values, ranges.

    DIR/chart.json   the rules, how it was solved, what it is worth
    DIR/chart.npz    by action and class: strategy and spread over seeds (1/255), values and noise (float16, big blinds)

Charts lie in a library (``LIBRARY/preflop/NAME``) and in the package. They are checked as files of strangers are, and run no code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import asdict, field, frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_link, refuse_links, write_json
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.notation import range_text
from cardai.poker.preflop.rules import HUNDRED, Rules
from cardai.poker.preflop.shares import Depth
from cardai.poker.preflop.tree import DECISION, FOLD, Tree, strategy_of, tree_of

HEAD, ARRAYS = "chart.json", "chart.npz"
FORMAT = "cardai preflop chart 1"
POTS = ("limped", "single", "3bet", "4bet")
"""What pots are called by how often was raised before the flop."""
LEAST = 0.02
"""A class that comes to a flop less often than so, by the side of the one that comes most, is left out of a range."""
ENOUGH = 1e-4
"""How often the others must let a class come to a decision, for what its actions bring to be kept."""


def _some(instance: object, attribute: object, value: Sequence[object]) -> None:
    if not 1 <= len(value) <= 32:
        raise ValueError(f"1 to 32 are wanted. Got {len(value)}.")


@frozen
class Head:
    """What chart.json holds."""

    rules: Rules
    shares: tuple[Depth, ...] = field(validator=_some)
    """By which flops were valued (:mod:`.shares`)."""
    seeds: tuple[int, ...] = field(validator=_some)
    iterations: int
    """Of each seed."""
    cpu_seconds: float
    hands: int
    """From which values were measured; 0: they are exact, with best play behind each action."""
    won: tuple[float, ...]
    """What each seat wins, big blinds a hand."""
    gain: tuple[float, ...]
    """What each seat would win more by taking what brings most, against the others as they are, and its 95 % interval."""
    gain_noise: tuple[float, ...]
    spread: float
    """How far seeds lie apart: the mean over decisions, as often as they come, of half the sum of differences, mean of pairs."""
    format: str = FORMAT


@frozen(eq=False)
class Chart:
    """Play before the flop. Rows of numbers are actions, in the tree's order of edges; columns are classes."""

    head: Head
    strategy: Float64s = field(repr=False)
    """(edges, 169) how often a class takes an action."""
    spread: Float64s = field(repr=False)
    """(edges, 169) the standard deviation of that over seeds."""
    values: Float64s = field(repr=False)
    """(edges, 169) what an action brings in big blinds, counted from the hand's beginning; nan: hardly ever came. Behind it all go on
    by the strategy; of two players the one who takes it does what brings most."""
    noise: Float64s = field(repr=False)
    """(edges, 169) half the length of a 95 % interval of what an action brings more than the strategy; at least what values are rounded."""

    @cached_property
    def tree(self) -> Tree:
        """The tree of its rules."""
        return tree_of(self.head.rules)

    def rows(self, node: int) -> slice:
        """Return which rows are a decision's."""
        first = int(self.tree.first[node])
        return slice(first, first + int(self.tree.count[node]))

    def node(self, line: str) -> int:
        """Return where a line of actions leads: f, x, c, a, and r or r2.5 a raise. Raises UsageError."""
        node = 0
        for word in line.split():
            actions = self.tree.actions(node)
            if word not in actions and word == "r":
                word = next((token for token in actions if token[0] == "r"), "a")
            if word not in actions:
                known = f"can do {', '.join(actions)}" if actions else "have nothing to decide"
                raise UsageError(f"The line {line[:80]!r} has {word[:20]!r} where the players {known}.")
            node = self.tree.after(node, actions.index(word))
        return node

    @cached_property
    def _reach(self) -> dict[int, Float64s]:
        return {0: np.ones((self.head.rules.players, CLASSES))}

    @cached_property
    def _above(self) -> dict[int, tuple[int, int]]:
        """By node: the decision that leads there, and the action."""
        tree = self.tree
        return {
            tree.after(node, k): (node, k)
            for node in np.flatnonzero(tree.kind == DECISION).tolist()
            for k in range(int(tree.count[node]))
        }

    def above(self, node: int) -> tuple[int, int]:
        """Return the decision that leads to a node, which is not the first, and by which action."""
        return self._above[node]

    def reach(self, node: int) -> Float64s:
        """Return (players, 169) how often each class of each seat plays so as to come to a node, where the others do."""
        known = self._reach
        if node not in known:
            above, action = self._above[node]
            out = self.reach(above).copy()
            out[int(self.tree.actor[above])] *= self.strategy[self.rows(above)][action]
            known[node] = out
        return known[node]

    def line_of(self, opener: int, other: int, raises: int) -> int:
        """Return the node at which two seats see the flop, ``opener`` having raised first, of ``raises`` raises in all.

        Where there are several raises the one that comes most is taken. Raises UsageError: the rules have no such pot.
        """
        node, raised = 0, 0
        tree = self.tree
        while tree.kind[node] == DECISION:
            seat, actions = int(tree.actor[node]), tree.actions(node)
            wanted: tuple[str, ...] = (FOLD,)
            if seat in (opener, other):
                turn = seat == (opener, other)[raised % 2]
                wanted = ("r",) if raised < raises and turn else ("c", "x")
            found = [k for k, token in enumerate(actions) if token[0] in wanted]
            if not found:
                raise UsageError("no such pot")
            own = self.reach(node)[seat] * _SHARE
            action = max(found, key=lambda k: float(own @ self.strategy[self.rows(node)][k]))
            raised += actions[action][0] == "r"
            node = tree.after(node, action)
        live = [k for k in range(self.head.rules.players) if tree.live[node, k]]
        if live != sorted((opener, other)) or raised != raises:
            raise UsageError("no such pot")
        return node

    def range_at(self, node: int, seat: int) -> str:
        """Return the range of a seat at a node in the notation of :mod:`cardai.poker.notation`. Raises UsageError: no hand."""
        return range_of(self.reach(node)[seat])

    def pot(self, node: int) -> tuple[float, float]:
        """Return the pot at a node and what each has behind, in big blinds."""
        rules = self.head.rules
        return float(self.tree.pots()[node]) / HUNDRED, (rules.behind - int(self.tree.spent[node].max())) / HUNDRED


_SHARE = np.bincount(class_of(), minlength=CLASSES) / len(class_of())
"""(169,) how many of all hands are of each class."""


def class_shares() -> Float64s:
    """Return (169,) how many of all hands are of each class."""
    return _SHARE


def range_of(often: Float64s) -> str:
    """Return the range of who comes somewhere so often with each class (169,), as text. Raises UsageError: with no hand."""
    if often.max() <= 0:
        raise UsageError("No hand of a player comes there.")
    own = np.round(often / often.max(), 3)
    return range_text(np.where(own < LEAST, 0.0, own)[class_of()])


# -- files -------------------------------------------------------------------------------------------------------------


def write_chart(chart: Chart, directory: Path) -> None:
    """Write a chart's two files."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in (HEAD, ARRAYS):
        refuse_link(directory / name)
    arrays = {
        "strategy": _bytes(chart.strategy),
        "spread": _bytes(chart.spread),
        "values": chart.values.astype(np.float16),
        "noise": np.minimum(chart.noise, 60_000).astype(np.float16),
    }
    write_npz(directory / ARRAYS, arrays, level=9)
    write_json(directory / HEAD, asdict(chart.head))


def rounding(values: Float64s) -> Float64s:
    """Return by how much the file may round ``values``: half of the last place of a float16."""
    return np.asarray(np.spacing(np.abs(np.nan_to_num(values)).astype(np.float16)).astype(np.float64) / 2)


def _bytes(shares: Float64s) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.round(255 * np.clip(shares, 0, 1)).astype(np.uint8)


def read_head(directory: Path) -> Head:
    """Return a chart's head. Raises DamagedFileError."""
    what = f"The file {directory / HEAD}"
    refuse_link(directory)
    refuse_links(directory)
    head = structure(read_json(directory / HEAD), Head, what)
    if head.format != FORMAT:
        raise DamagedFileError(f"{what} is damaged or foreign: its format is {head.format[:40]!r}.")
    return head


def read_chart(directory: Path) -> Chart:
    """Return the chart in ``directory``. Raises DamagedFileError: it is not what :func:`write_chart` wrote."""
    head = read_head(directory)
    try:
        tree = tree_of(head.rules)
    except UsageError as error:
        raise DamagedFileError(f"The file {directory / HEAD} is damaged or foreign: {error}") from error
    shape = (tree.edges, CLASSES)
    found = read_npz(
        directory / ARRAYS,
        {
            "strategy": (np.uint8, shape),
            "spread": (np.uint8, shape),
            "values": (np.float16, shape),
            "noise": (np.float16, shape),
        },
    )
    strategy, values, noise = (found[name].astype(np.float64) for name in ("strategy", "values", "noise"))
    if np.isinf(values).any() or not (noise >= 0).all():
        raise DamagedFileError(f"The file {directory / ARRAYS} holds numbers that are no values: it is damaged.")
    return Chart(head, strategy_of(tree, strategy), found["spread"] / 255.0, values, noise)
