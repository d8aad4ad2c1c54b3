"""Public betting states as a tree that grows as it is walked, over the one set of betting rules of cardai.cards.poker.betting.

Dealer, client and log readers all ask the same few things of a state (its text, who acts, what is legal, what comes
next), thousands of times a second and mostly of states seen before; so each state is computed once and kept.
Positions are the competition's: 0 is the first player after the button.
"""

from __future__ import annotations

from typing import Any

from cardai.cards.poker.betting import CONTINUES, ROUND_OVER, SHOWDOWN, UNCONTESTED, Betting
from cardai.core.errors import IllegalActionError
from cardai.core.kernel import interpreted_copy
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.states import CALL, FOLD, RAISE, action_text

rules = interpreted_copy("cardai.cards.poker._betting_kernels")
ranking = interpreted_copy("cardai.cards.poker._ranking_kernels")

FINISHED = -4
"""``actor`` of a finished hand."""
_SUIT = 8191  # 13 ones
_KEPT = {False: 30_000, True: 4_000}
"""Nodes kept in limit and no-limit games, about 1 kB each: heads-up limit hold'em has about 20,000 in all; of no-limit's
endlessly many, those seen first are those that come again."""


_NONE: Any = {}


class Node:
    """The betting after some actions. Read its fields; step with :meth:`Tree.after`.

    ``wire`` is the betting string as bytes, ``round`` the betting rounds begun less one, ``actor`` the position to act
    (:data:`FINISHED` when betting is over), ``contested`` whether two or more have not folded. ``parent`` and
    ``action`` lead back to the root. ``children`` maps actions to nodes; ``scratch`` is the callers'. ``kept`` says whether
    the tree keeps the node; the mappings of others stay empty and are never written.
    """

    __slots__ = (
        "_bounds",
        "action",
        "actor",
        "children",
        "contested",
        "kept",
        "parent",
        "round",
        "row",
        "rules",
        "scratch",
        "wire",
    )

    def __init__(
        self, parent: Node | None, action: int, row: dict[str, Any], rules: dict[str, Any], wire: bytes, kept: bool
    ) -> None:
        self.parent = parent
        self.action = action
        self.row = row
        self.rules = rules
        self.wire = wire
        self.round: int = row["round"]
        self.actor: int = row["current"]
        self.contested = True
        self.children: dict[int, Node] = {} if kept else _NONE
        self.kept = kept
        self.scratch: dict[Any, Any] = {} if kept else _NONE
        self._bounds: tuple[int, int] | None = None  # found when first asked for: many nodes are only passed through

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

    def path(self) -> list[Node]:
        """Return the nodes from the first action's to this one (the root, which no action led to, is left out)."""
        nodes = []
        node = self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


class Tree:
    """The betting tree of one game. ``known`` maps betting strings to the nodes that are kept."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.betting = betting_of(game)
        self.rules = self.betting.rules()
        self.no_limit = game.no_limit
        self._room = _KEPT[game.no_limit]
        row = self.betting.new_row(game.button, game.stack)
        over = rules.post(row, self.rules) != CONTINUES
        self.root = Node(None, -1, row, self.rules, b"/" * (game.num_rounds - 1) if over else b"", True)
        self.known = {self.root.wire: self.root}

    def after(self, node: Node, action: int) -> Node:
        """Return the node after ``action`` (0 fold, 1 call, 2 raise in limit games, N raise to N in no-limit).

        Raises:
            IllegalActionError: naming the action and what is legal.
        """
        known = node.children.get(action)
        if known is not None:
            return known
        if not self.allows(node, action):
            raise IllegalActionError(
                f"The action {action_text(action, self.no_limit)!r} is not legal after {node.text!r}. "
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
        child = Node(node, action, row, self.rules, wire, kept)
        child.contested = outcome != UNCONTESTED
        if kept:
            self._room -= 1
            node.children[action] = self.known[wire] = child
        return child

    def allows(self, node: Node, action: int) -> bool:
        """Say whether ``action`` is legal at ``node``."""
        if node.actor < 0 or action < FOLD:
            return False
        if action == FOLD:
            return node.can_fold
        if action == CALL:
            return True
        if self.no_limit:
            return 0 < node.least <= action <= node.most
        return action == RAISE and node.least > 0

    def legal_text(self, node: Node) -> str:
        """Return what is legal at ``node`` in words."""
        if node.actor < 0:
            return "nothing, the betting is over"
        words = ["f"] if node.can_fold else []
        words.append("c")
        if node.least:
            words.append(f"r{node.least} to r{node.most}" if self.no_limit else "r")
        return ", ".join(words)

    def walk(self, rounds: tuple[tuple[int, ...], ...]) -> Node:
        """Return the node after the actions of each round.

        Raises:
            IllegalActionError: an action that the rules refuse, or rounds that end too early or too late.
        """
        node = self.root
        for number, actions in enumerate(rounds):
            for action in actions:
                if node.round != number:
                    raise IllegalActionError(f"The betting has a / too many or too few after {node.text!r}.")
                node = self.after(node, action)
        if len(rounds) != node.round + 1:
            raise IllegalActionError(f"The betting {node.text!r} does not have {len(rounds)} rounds.")
        return node

    def values(self, node: Node, cards: list[int]) -> list[float]:
        """Return each position's result of a finished hand; ``cards`` are the hole cards by position, then the board.

        What counts of the hands is who has the better one, so a node that is kept remembers its results.
        """
        n, size = self.game.num_players, self.game.num_hole
        ranks = [0] * n
        if node.contested:
            board = 0
            for card in cards[n * size :]:
                board |= 1 << card
            folded = node.row["folded"]
            for position in range(n):
                if not folded[position]:
                    bits = board
                    for card in cards[position * size : position * size + size]:
                        bits |= 1 << card
                    ranks[position] = ranking.rank_suits(
                        bits & _SUIT, bits >> 13 & _SUIT, bits >> 26 & _SUIT, bits >> 39, 1
                    )
        order = tuple(map(sorted(ranks).index, ranks))
        known: list[float] | None = node.scratch.get(order)
        if known is not None:
            return known
        out = [0.0] * n
        rules.payoffs(node.row, self.rules, ranks, out)
        if node.kept:
            node.scratch[order] = out
        return out


def betting_of(game: GameDef) -> Betting:
    """Return the betting rules of a game definition; a seat of the rules is a position of the competition."""
    return Betting(
        num_players=game.num_players,
        num_rounds=game.num_rounds,
        blinds=game.blind,
        first=game.first_player,
        max_raises=game.max_raises,
        raise_sizes=game.raise_size or (0,) * game.num_rounds,
        no_limit=game.no_limit,
        empty_raises=True,
    )
