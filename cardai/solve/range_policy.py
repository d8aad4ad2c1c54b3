"""How a player of hold'em plays whole ranges: every hand's probabilities at a public state.

A player that can say so quickly has ``range_policy`` itself; of others the views of all hands are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from cardai.cards.poker.boards import BOARD_SIZES
from cardai.cards.poker.combos import COUNT, left_by, pairs
from cardai.cards.poker.public_tree import PublicTree
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int8s, Int64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Tables
from cardai.core.legal import Legal, take
from cardai.core.spec import brief

ROWS = 100_000
"""Views that are asked for at once."""


@runtime_checkable
class RangePolicy(Protocol):
    """A player as it plays whole ranges.

    One that plays alike whatever suits are called may say ``ignores_suits = True``: boards that are the same but for the
    names of suits are then worked out once.
    """

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): for each action of each decision node (in order) each hand's probability of taking it.

        ``nodes`` (m,) are decision nodes of one street, ``board`` its cards. Hands that the board blocks get any row.
        """


class AskedRanges:
    """A player whose ``policy`` is asked with the views of all hands.

    Raises:
        UsageError: the agent remembers what happens in a match, or has no policy.
    """

    def __init__(self, game: Game, agent: Agent, tree: PublicTree) -> None:
        self.game, self.tree, self.agent = game, tree, agent.for_game(game)
        need_policy(self.agent, agent)
        self._turned = int(_first_actor(game) != tree.actor[0])

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`RangePolicy`."""
        live = np.flatnonzero(left_by(board))
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        out[:, live] = self.of_hands(nodes, board, live)
        return out

    def of_hands(self, nodes: Int64s, board: Sequence[int], hands: Int64s) -> Float64s:
        """Return (rows, h): the same for ``hands`` (h,) alone, which the board does not block."""
        step = max(1, ROWS // len(hands))
        return np.concatenate([self._ask(nodes[k : k + step], board, hands) for k in range(0, len(nodes), step)])

    def _ask(self, nodes: Int64s, board: Sequence[int], live: Int64s) -> Float64s:
        tables = self._at(nodes, board)
        found = np.empty((len(nodes), len(live), self.game.num_distinct_actions))
        seats = self.tree.actor[nodes] ^ self._turned
        for seat in np.unique(seats):
            rows = np.flatnonzero(seats == seat)
            views = np.repeat(tables.views(int(seat), rows), len(live))
            views["hole"] = np.tile(_PAIRS[live], (len(rows), 1))
            legal = take(tables.legal(rows), np.repeat(np.arange(len(rows)), len(live)))
            policy = np.asarray(self.agent.policy(views, legal))
            found[rows] = policy.reshape(len(rows), len(live), -1)
        counts, actions = self.tree.num_children[nodes], self.tree.action[nodes]
        return np.concatenate([one[:, a[:n]].T for one, a, n in zip(found, actions, counts, strict=True)])

    def views_at(self, nodes: Int64s, board: Sequence[int]) -> tuple[Views, Legal]:
        """Return the views (m,) of who acts at each node, holding any cards, and the legal actions."""
        tables = self._at(nodes, board)
        seats = self.tree.actor[nodes] ^ self._turned
        views = np.concatenate([tables.views(int(seat), np.array([row])) for row, seat in enumerate(seats)])
        return views, tables.legal(np.arange(len(nodes)))

    def _at(self, nodes: Int64s, board: Sequence[int]) -> Tables:
        """Return tables at the nodes (m,)."""
        tables = self.game.tables(len(nodes))
        tables.reset(np.zeros(len(nodes), np.uint64), np.tile(deck_with(board), (len(nodes), 1)))
        paths = [self.tree.path(int(node)) for node in nodes]
        for k in range(max(map(len, paths))):
            rows = np.array([row for row, path in enumerate(paths) if len(path) > k])
            tables.apply(rows, np.array([paths[row][k] for row in rows], np.int64))
        return tables


_PAIRS = pairs().astype(np.int64)


def deck_with(board: Sequence[int]) -> Int8s:
    """Return a deck (52,) that lays ``board``, or begins so; what two players hold is none of it."""
    others = [card for card in range(52) if card not in board]
    return np.array([*others[:4], *board, *others[4:]], np.int8)


def _first_actor(game: Game) -> int:
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    return int(tables.current_players()[0])


def need_policy(bound: Agent, agent: Agent) -> None:
    """Raise UsageError, naming ``agent``, unless it, ``bound`` to a game, says its probabilities for all hands at once."""
    if bound.stateful or not bound.has_policy():
        what = "remembers what happens in a match" if bound.has_policy() else "has no policy, only act"
        raise UsageError(f"Ranges are what a player would do with all its hands. {brief(agent)} {what}.")


def range_player(game: Game, agent: Agent, tree: PublicTree) -> RangePolicy:
    """Return the agent as a player of whole ranges in ``game`` with the public tree ``tree``. Raises UsageError."""
    bound = agent.for_game(game)
    need_policy(bound, agent)
    return bound if isinstance(bound, RangePolicy) else AskedRanges(game, agent, tree)


def blind_policy(player: RangePolicy, tree: PublicTree, hands: int = 24) -> Float64s | None:
    """Return (N, A) each node's probabilities of a player that plays all hands alike; None: it looks at its cards.

    Judged by ``hands`` hands on one board at every decision node.
    """
    board = (3, 17, 30, 44, 50)
    live = np.flatnonzero(left_by(board))
    chosen = live[:: len(live) // hands]
    out = np.zeros(tree.child.shape)
    for street in range(4):
        nodes, shown = tree.decisions[tree.street[tree.decisions] == street], board[: BOARD_SIZES[street]]
        for start in range(0, len(nodes), 64):
            part = nodes[start : start + 64]
            if isinstance(player, AskedRanges):
                rows = player.of_hands(part, shown, chosen)
            else:
                rows = player.range_policy(part, shown)[:, chosen]
            if (rows != rows[:, :1]).any():
                return None
            ends = np.cumsum(tree.num_children[part])
            for node, end in zip(part, ends, strict=True):
                count = tree.num_children[node]
                out[node, :count] = rows[end - count : end, 0]
    return out
