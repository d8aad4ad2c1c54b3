"""Public betting trees from any street, in flat arrays: no cards are in them, chance nodes stand for all that can come.

The rules are :class:`~cardai.cards.poker.betting.Betting` and nothing else. A hand under way is a hand whose antes are what
both players have put in before: seat 0 acts first on every street, seat 1 has the button.

>>> from cardai.subgames.menus import menus
>>> tree = betting_tree(street_betting(2000, 1), (21000, 21000), menus("1+allin", ["river"]))
>>> tree.size, tree.streets[0].num_slots
(33, 32)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from cardai.cards.poker.betting import CONTINUES, MAX_CHIPS, ROUND_OVER, SHOWDOWN, UNCONTESTED, Betting
from cardai.core.errors import UsageError
from cardai.core.kernel import interpreted_copy
from cardai.subgames._walk_kernels import MOST_ACTIONS
from cardai.subgames.menus import ALL_IN, Menu

DECISION, CHANCE, COMPARED, FOLDED = "decision", "chance", "showdown", "fold"
TERMINATED = "terminated"
"""The end of a gadget: its player takes the values that it was promised (see :func:`gadget`)."""
MOST_NODES = 200_000
Ints = npt.NDArray[np.int32]


@frozen
class Action:
    """An edge: 0 fold, 1 check or call, 2 bet or raise to ``amount`` chips (of the whole hand).

    A gadget's are TERMINATE and FOLLOW.
    """

    kind: int
    amount: int = 0


TERMINATE, FOLLOW = -1, -2


@define(eq=False)
class Node:
    """A public node. ``spent`` are the chips each seat has put in, ``begun`` those at the street's beginning."""

    kind: str
    street: int
    actor: int
    spent: tuple[int, int]
    begun: tuple[int, int]
    actions: list[Action] = field(factory=list)
    children: list[Node] = field(factory=list, repr=False)
    index: int = -1
    """Its number in its street's forest."""


@frozen(eq=False)
class Forest:
    """The nodes of one street: roots first, then the child behind each slot."""

    nodes: list[Node] = field(repr=False)
    roots: int
    first_slot: Ints
    num_slots: int

    @property
    def chance(self) -> list[Node]:
        """The nodes that the next street follows, in order of its roots."""
        return [node for node in self.nodes if node.kind == CHANCE]


@frozen(eq=False)
class Tree:
    """A public tree: ``root``, and its nodes by street."""

    root: Node
    streets: tuple[Forest, ...]
    stacks: tuple[int, int]
    """All chips of each seat, those put in before included."""

    @property
    def size(self) -> int:
        """The number of public nodes, each chance node and what follows counted once."""
        return sum(len(forest.nodes) for forest in self.streets)

    @property
    def pot(self) -> int:
        """The chips in the pot at the root."""
        return sum(self.root.spent)


def street_betting(pot: int, rounds: int, limit: Sequence[int] = (), cap: int = 0, minimum: int = 0) -> Betting:
    """Return the betting of ``rounds`` streets over a pot that both players have paid half of.

    ``limit`` are the sizes of limit bets by street (empty: no limit), ``cap`` the most bets and raises of a street (0: 4 in
    limit, no cap otherwise), ``minimum`` the least bet.

    Raises:
        UsageError: a pot of no chips, odd, or too large.
    """
    if pot <= 0:
        raise UsageError(f"The pot must hold chips. Got {pot}.")
    if pot % 2:
        raise UsageError(f"The pot must be even, half from each player. Got {pot}: double all amounts.")
    if pot > MAX_CHIPS:
        raise UsageError(f"The pot must be at most {MAX_CHIPS:,} chips. Got {pot:,}.")
    caps = (cap or (4 if limit else 60),) * rounds
    sizes = tuple(limit) or (1,) * rounds
    return Betting(
        2, rounds, (0, 0), (0,) * rounds, caps, sizes, no_limit=not limit, ante=pot // 2, minimum_bet=minimum
    )


def betting_tree(
    betting: Betting, stacks: tuple[int, int], menus: Sequence[Menu] = (), button: int = 1, most: int = MOST_NODES
) -> Tree:
    """Return the public tree of ``betting``; ``menus`` (one a street) for no-limit betting.

    Raises:
        UsageError: the stacks are below the antes, nobody can bet, or the tree has more than ``most`` nodes.
    """
    builder = _Builder(betting, tuple(menus), most)
    root = builder.grow(stacks, button)
    forests = _forests(root, betting.num_rounds)
    return Tree(root, forests, stacks)


def tree_after(
    betting: Betting,
    stacks: tuple[int, int],
    button: int,
    history: Sequence[int],
    menus: Sequence[Menu] = (),
    until: int | None = None,
    most: int = MOST_NODES,
) -> Tree:
    """Return the public tree of what follows ``history``, a hand's actions as its views tell them, at their real amounts.

    Args:
        menus: one a street of the whole hand, for no-limit betting. A bet already made need not be on them.
        until: the last street that is grown, from 0; the tree ends in its chance nodes (default: the hand's last street).

    Raises:
        UsageError: the history is over, or the tree has more than ``most`` nodes.
    """
    builder = _Builder(betting, tuple(menus), most, betting.num_rounds - 1 if until is None else until)
    root = builder.grow_after(stacks, button, history)
    rounds = builder.until - root.street + 1
    forests = _forests(root, rounds)
    if builder.until + 1 < betting.num_rounds:  # what is not walked: the layout sees that there is more
        forests = (*forests, Forest([], 0, np.zeros(0, np.int32), 0))
    return Tree(root, forests, stacks)


def gadget(tree: Tree, player: int) -> Tree:
    """Return ``tree`` behind a choice of ``player``: each of its hands takes what it was promised, or plays on.

    Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (2014): with the promised values
    those of a strategy of the other, re-solving makes that strategy no easier to exploit. ``tree`` is no longer of use.
    """
    root = tree.root
    choice = Node(DECISION, root.street, player, root.spent, root.begun, [Action(TERMINATE), Action(FOLLOW)])
    choice.children = [Node(TERMINATED, root.street, -1, root.spent, root.begun), root]
    walked = [forest for forest in tree.streets if forest.nodes]
    forests = _forests(choice, len(walked))
    return Tree(choice, (*forests, *tree.streets[len(walked) :]), tree.stacks)


@cache
def _rules() -> Any:
    return interpreted_copy("cardai.cards.poker._betting_kernels")


@define
class _Builder:
    betting: Betting
    menus: tuple[Menu, ...]
    most: int
    until: int = 100
    """The last street that is grown."""
    rules: dict[str, Any] = field(init=False)
    kernels: Any = field(init=False)
    count: int = 0

    def __attrs_post_init__(self) -> None:
        self.kernels = _rules()
        self.rules = {**self.betting.rules(), "rungs": 0, "fractions": []}

    def grow(self, stacks: tuple[int, int], button: int) -> Node:
        row = self.betting.new_row(button, stacks)
        status = self.kernels.post(row, self.rules)
        return self._node(row, status, 0, (row["spent"][0], row["spent"][1]))

    def grow_after(self, stacks: tuple[int, int], button: int, history: Sequence[int]) -> Node:
        """Return the tree behind the actions of ``history``."""
        row = self.betting.new_row(button, stacks)
        status = self.kernels.post(row, self.rules)
        begun = (row["spent"][0], row["spent"][1])
        for action in history:
            if status in (SHOWDOWN, UNCONTESTED):
                break
            status = self.kernels.act(row, self.rules, int(action))
            begun = (row["spent"][0], row["spent"][1]) if status == ROUND_OVER else begun
        if status in (SHOWDOWN, UNCONTESTED):
            raise UsageError(f"Nobody is to act after the actions {list(history)}: the betting is over.")
        return self._node(row, CONTINUES, row["round"], begun)

    def _node(self, row: dict[str, Any], status: int, street: int, begun: tuple[int, int]) -> Node:
        """Return the node that the hand ``row`` stands at after an action that led to ``status``."""
        self.count += 1
        if self.count > self.most:
            raise UsageError(
                f"The public tree has more than {self.most:,} nodes. Take fewer or larger bets, or begin on a later street."
            )
        spent = (row["spent"][0], row["spent"][1])
        if status == UNCONTESTED:
            loser = 0 if row["folded"][0] else 1
            return Node(FOLDED, street, loser, spent, begun)
        if status == SHOWDOWN:
            return self._run_out(street, spent, begun)
        if status == ROUND_OVER:
            chance = Node(CHANCE, street, -1, spent, begun)
            if street < self.until:
                chance.children.append(self._node(row, CONTINUES, street + 1, spent))
            return chance
        node = Node(DECISION, street, row["current"], spent, begun)
        for action in self._actions(row, street):
            after = {name: list(value) if isinstance(value, list) else value for name, value in row.items()}
            kind = action.kind if action.kind < 2 or not self.betting.no_limit else action.amount
            status = self.kernels.act(after, self.rules, kind)
            node.actions.append(action)
            node.children.append(self._node(after, status, street, begun))
        return node

    def _run_out(self, street: int, spent: tuple[int, int], begun: tuple[int, int]) -> Node:
        """Return the showdown, behind the streets that are still to be dealt."""
        if street + 1 >= self.betting.num_rounds:
            return Node(COMPARED, street, -1, spent, begun)
        self.count += 1
        chance = Node(CHANCE, street, -1, spent, begun)
        if street < self.until:
            chance.children.append(self._run_out(street + 1, spent, spent))
        return chance

    def _actions(self, row: dict[str, Any], street: int) -> list[Action]:
        k, rules = self.kernels, self.rules
        actions = [Action(0)] if k.can_fold(row, rules) else []
        actions.append(Action(1))
        low, high = k.raise_bounds(row, rules)
        if high and not self.betting.no_limit:
            actions.append(Action(2, int(high)))
        elif high:
            rungs = self.menus[street](row["raises"])
            rules["rungs"], rules["fractions"] = len(rungs), list(rungs)
            amounts = {int(k.rung_amount(row, rules, i, low, high)) for i in range(len(rungs))} - {0}
            if ALL_IN in rungs:
                amounts.add(int(high))
            actions += [Action(2, amount) for amount in sorted(amounts)]
        if len(actions) > MOST_ACTIONS:
            raise UsageError(f"A menu of at most {MOST_ACTIONS - 2} bets is possible. Got {len(actions) - 2}.")
        return actions


def _forests(root: Node, rounds: int) -> tuple[Forest, ...]:
    forests, roots = [], [root]
    for _ in range(rounds):
        nodes, slots = list(roots), 0
        first: list[int] = []
        for node in nodes:  # grows while it is walked
            node.index = len(first)
            first.append(slots)
            if node.kind == DECISION:
                slots += len(node.children)
                nodes.extend(node.children)
        forests.append(Forest(nodes, len(roots), np.array(first, np.int32), slots))
        roots = [child for node in nodes if node.kind == CHANCE for child in node.children]
    return tuple(forests)
