"""The public tree of any betting game, grown as it is walked, over the rules of :mod:`cardai.poker.rules.betting`.

What can be enumerated is laid out at once (:mod:`cardai.poker.ranges.public_tree`). Full no-limit betting cannot be, and who
follows hands that others play (dealer, client, readers of logs) asks the same few things of a state thousands of times a
second, mostly of states seen before: who acts, what is legal, what comes next. So each state is computed once, on plain
ints and lists without compiling anything, and kept while there is room.

>>> tree = GrowingTree(Betting(2, 4, (100, 50), (1, 0, 0, 0), (60,) * 4, (0,) * 4, no_limit=True), stacks=(20_000, 20_000))
>>> node = tree.follow([300, 1, 1])
>>> node.text, node.actor, node.least, node.most
('r300c/c', 0, 400, 20000)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from cardai.core.errors import IllegalActionError
from cardai.core.kernel import interpreted_copy
from cardai.poker.rules.betting import CALL, CONTINUES, FOLD, RAISE, ROUND_OVER, SHOWDOWN, UNCONTESTED, Betting

rules = interpreted_copy("cardai.poker.rules._betting_kernels")

FINISHED = -4
"""``actor`` of a finished hand."""
KEPT = {False: 30_000, True: 4_000}
"""Nodes kept in limit and no-limit games, about 1 kB each: heads-up limit hold'em has about 20,000 in all; of no-limit's
endlessly many, those seen first are those that come again."""
_NONE: Any = {}


@define(eq=False, repr=False)
class BettingNode:
    """The betting after some actions. Read its fields, step with :meth:`GrowingTree.after`.

    ``wire`` is the betting as the competition writes it, ``round`` the betting rounds begun less one, ``actor`` the position to act
    (:data:`FINISHED` when betting is over), ``contested`` whether two or more have not folded. ``parent`` and
    ``action`` lead back to the root. ``children`` maps actions to nodes; ``scratch`` is the callers'. ``kept`` says whether
    the tree keeps the node; the mappings of others stay empty and are never written.
    """

    parent: BettingNode | None
    action: int
    row: dict[str, Any]
    rules: dict[str, Any]
    wire: bytes
    kept: bool
    contested: bool = True
    round: int = field(init=False)
    actor: int = field(init=False)
    children: dict[int, BettingNode] = field(init=False)
    scratch: dict[Any, Any] = field(init=False)
    _bounds: tuple[int, int] | None = field(
        default=None, init=False
    )  # found when first asked for: many are passed through

    def __attrs_post_init__(self) -> None:
        self.round, self.actor = self.row["round"], self.row["current"]
        self.children, self.scratch = ({}, {}) if self.kept else (_NONE, _NONE)

    @property
    def can_fold(self) -> bool:
        """Whether a fold is legal."""
        return self.actor >= 0 and bool(rules.can_fold(self.row, self.rules))

    @property
    def least(self) -> int:
        """The least that a raise may raise to; 0: none is legal."""
        return (self._bounds or self._found_bounds())[0]

    @property
    def most(self) -> int:
        """The most that a raise may raise to; 0: none is legal."""
        return (self._bounds or self._found_bounds())[1]

    def _found_bounds(self) -> tuple[int, int]:
        self._bounds = (0, 0) if self.actor < 0 else rules.raise_bounds(self.row, self.rules)
        return self._bounds

    @property
    def text(self) -> str:
        """The betting string."""
        return self.wire.decode()

    def path(self) -> list[BettingNode]:
        """Return the nodes from the first action's to this one (the root, which no action led to, is left out)."""
        nodes = []
        node = self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


class GrowingTree:
    """The betting tree of one game. ``known`` maps betting strings to the nodes that are kept.

    ``stacks`` by seat default to unlimited chips.
    """

    def __init__(self, betting: Betting, button: int = 0, stacks: Sequence[int] = ()) -> None:
        self.betting = betting
        self.rules = betting.rules()
        self.no_limit = betting.no_limit
        self._room = KEPT[betting.no_limit]
        row = betting.new_row(button, stacks)
        over = rules.post(row, self.rules) != CONTINUES
        self.root = BettingNode(None, -1, row, self.rules, b"/" * (betting.num_rounds - 1) if over else b"", True)
        self.known = {self.root.wire: self.root}

    def after(self, node: BettingNode, action: int) -> BettingNode:
        """Return the node after ``action`` (0 fold, 1 call, 2 raise in limit games, N raise to N in no-limit).

        Raises:
            IllegalActionError: naming the action and what is legal.
        """
        known = node.children.get(action)
        if known is not None:
            return known
        if not self.allows(node, action):
            raise IllegalActionError(
                f"The action {self._written(action)!r} is not legal after {node.text!r}. "
                f"Legal: {self.legal_text(node)}."
            )
        row = dict(node.row)
        for name in ("spent", "round_spent", "folded"):
            row[name] = row[name].copy()
        outcome = rules.act(row, self.rules, action)  # its history is shared by all rows and never read
        wire = node.wire + (b"r%d" % action if action > CALL and self.no_limit else b"fcr"[action : action + 1])
        if outcome in (ROUND_OVER, SHOWDOWN):
            wire += b"/" * (row["round"] - node.round)
        kept = node.kept and self._room > 0
        child = BettingNode(node, action, row, self.rules, wire, kept, outcome != UNCONTESTED)
        if kept:
            self._room -= 1
            node.children[action] = self.known[wire] = child
        return child

    def allows(self, node: BettingNode, action: int) -> bool:
        """Whether ``action`` is legal at ``node``."""
        if node.actor < 0 or action < FOLD:
            return False
        if action == FOLD:
            return node.can_fold
        if action == CALL:
            return True
        if self.no_limit:
            return 0 < node.least <= action <= node.most
        return action == RAISE and node.least > 0

    def legal_text(self, node: BettingNode) -> str:
        """Return what is legal at ``node`` in words."""
        if node.actor < 0:
            return "nothing, the betting is over"
        words = ["f"] if node.can_fold else []
        words.append("c")
        if node.least:
            words.append(f"r{node.least} to r{node.most}" if self.no_limit else "r")
        return ", ".join(words)

    def follow(self, history: Iterable[int]) -> BettingNode:
        """Return the node after the actions ``history``. Raises IllegalActionError as :meth:`after` does."""
        node = self.root
        for action in history:
            node = self.after(node, action)
        return node

    def _written(self, action: int) -> str:
        """Return an action as the competition writes it."""
        return "fc"[action] if action < RAISE else f"r{action}" if self.no_limit else "r"


def rung_amounts(node: BettingNode, ladder: Sequence[float]) -> list[int]:
    """Return what each rung of a ladder of bets raises to at ``node`` (0 where it is not legal)."""
    if not node.least:
        return [0] * len(ladder)
    known = {"rungs": len(ladder), "fractions": ladder, "num_players": node.rules["num_players"]}
    return [int(rules.rung_amount(node.row, known, rung, node.least, node.most)) for rung in range(len(ladder))]
