"""Best responses of whole ranges, street by street, against a player of two-player hold'em.

The responder plays the player's own strategy up to a street and then, knowing it, answers it as well as can be to the
end. Boards up to that street are sampled, what comes later is enumerated; nothing is chosen on sampled information, so
the mean gain is an unbiased value of a legal response: a lower bound on what a perfect opponent gains (exploitability),
and exploitability itself from before the flop.

A *street's subtree* holds the nodes of one street below a DEAL node (or the root). Ranges go down through it as vectors
over the 1,326 hands, values come back up; at its DEAL nodes another street's subtrees hang.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.cards.poker.combos import COUNT, compatible, pairs
from cardai.cards.poker.public_tree import DEAL, DECISION, PublicTree
from cardai.cards.poker.ranges import BoardHands, board_hands
from cardai.cards.text import card_set
from cardai.core.rng import derive, derive_many
from cardai.solve import _street_kernels as kernels

Vectors = npt.NDArray[np.float64]
PAIRINGS = 1081 * 990
"""How many pairs of hands (one a seat) a board of five leaves possible."""
_PAIRS = pairs().astype(np.int64)


class RangePolicy(Protocol):
    """A player as it plays whole ranges."""

    def range_policy(self, nodes: npt.NDArray[np.int64], board: Sequence[int]) -> npt.NDArray[np.floating]:  # type: ignore[type-arg]
        """Return (rows, 1326): for each action of each decision node (in order) each hand's probability of taking it.

        ``nodes`` (m,) are decision nodes of one street, ``board`` its cards. Hands that the board blocks get any row.
        """


@frozen(eq=False)
class StreetTree:
    """One street's subtree: its nodes in the public tree, and as the kernels take it."""

    root: int
    nodes: npt.NDArray[np.int64] = field(repr=False)
    """(m,) ascending, the root first."""
    decisions: npt.NDArray[np.int64] = field(repr=False)
    """Those of them that are decisions."""
    deals: npt.NDArray[np.int64] = field(repr=False)
    """The roots of the next street's subtrees, in the order of the DEAL nodes."""
    deal_places: npt.NDArray[np.int64] = field(repr=False)
    """The places of the DEAL nodes among ``nodes``."""
    street: kernels.Street = field(repr=False)


def street_trees(tree: PublicTree) -> dict[int, StreetTree]:
    """Return the subtrees of all streets by the number of their root."""
    roots = tree.roots
    order = np.argsort(roots, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(roots, minlength=len(roots)))[:-1])
    return {root: _street_tree(tree, root, nodes) for root, nodes in enumerate(groups) if len(nodes)}


def _street_tree(tree: PublicTree, root: int, nodes: npt.NDArray[np.int64]) -> StreetTree:
    kind = tree.kind[nodes]
    count = np.where(kind == DECISION, tree.num_children[nodes], 0).astype(np.int64)
    deals = kind == DEAL
    node = np.stack(
        [kind, tree.actor[nodes], count, np.cumsum(count) - count, np.cumsum(deals) - deals], axis=1
    ).astype(np.int64)
    child = np.searchsorted(nodes, np.maximum(tree.child[nodes], 0))
    loser = np.maximum(tree.actor[nodes], 0)
    rows = np.arange(len(nodes))
    amount = np.where(node[:, 1] >= 0, tree.spent[nodes][rows, loser], tree.spent[nodes].min(axis=1)).astype(np.float64)
    return StreetTree(
        root,
        nodes,
        nodes[kind == DECISION],
        tree.child[nodes[deals], 0].astype(np.int64),
        np.flatnonzero(deals),
        kernels.Street(node, child.astype(np.int64), amount),
    )


class Walker:
    """Walks ranges through the streets of one game, both seats playing ``player`` or one answering it."""

    def __init__(self, tree: PublicTree, player: RangePolicy) -> None:
        self.tree, self.player = tree, player
        self.trees = street_trees(tree)
        self.streets: list[list[StreetTree]] = [[], [], [], []]
        for root, one in self.trees.items():
            self.streets[tree.street[root]].append(one)

    def ranges_at(self, street: int, board: Sequence[int]) -> dict[int, Vectors]:
        """Return both seats' ranges (2, 1326) at the roots of ``street`` if both play the player, on ``board``.

        ``board`` has at least the cards of that street; hands that share a card with it have weight 0.
        """
        open_hands = compatible(np.array([card_set(board)], np.uint64))[0].astype(np.float64)
        found = {0: np.stack([open_hands, open_hands])}
        for earlier in range(street):
            shown = board[: _SHOWN[earlier]]
            for one in self.streets[earlier]:
                policy = self.player.range_policy(one.decisions, shown)
                ranges = found.pop(one.root)
                for seat in range(2):
                    reaches = self.reaches(one, seat, ranges[seat], policy)
                    for root, place in zip(one.deals, one.deal_places, strict=True):
                        found.setdefault(int(root), np.empty((2, COUNT)))[seat] = reaches[place]
        return found

    @staticmethod
    def reaches(one: StreetTree, seat: int, start: Vectors, policy: npt.NDArray[np.floating]) -> Vectors:  # type: ignore[type-arg]
        """Return (m, 1326) the range of ``seat`` at each node of a subtree that it enters with ``start`` (1326,)."""
        out = np.empty((len(one.nodes), COUNT))
        out[0] = start
        kernels.reach(one.street, seat, policy, out)
        return out

    def river_gains(self, board: Sequence[int]) -> tuple[Vectors, Vectors]:
        """Return what each seat (2,) wins from the river on, playing on and answering best, in chips a deal.

        ``board`` (5,) is given; what is won before the river is in neither figure.
        """
        ranges, hands = self.ranges_at(3, board), board_hands(board)
        own, best = np.zeros(2), np.zeros(2)
        after = np.zeros((1, COUNT))
        for one in self.streets[3]:
            policy = self.player.range_policy(one.decisions, board)
            values = np.empty((len(one.nodes), COUNT))
            for seat in range(2):
                reaches = self.reaches(one, 1 - seat, ranges[one.root][1 - seat], policy)
                for total, choose in ((own, False), (best, True)):
                    self.respond(one, seat, choose, policy, reaches, hands, after, values)
                    total[seat] += ranges[one.root][seat] @ values[0]
        return own / PAIRINGS, best / PAIRINGS

    @staticmethod
    def respond(
        one: StreetTree,
        seat: int,
        best: bool,
        policy: npt.NDArray[np.floating],  # type: ignore[type-arg]
        reaches: Vectors,
        hands: BoardHands,
        after: Vectors,
        out: Vectors,
    ) -> None:
        """Fill ``out`` (m, 1326) with the values of ``seat``'s hands below each node (see the kernel)."""
        kernels.respond(one.street, seat, best, policy, reaches, (_PAIRS, hands.hands, hands.ends), after, out)


_SHOWN = (0, 3, 4, 5)


def random_boards(seed: int, count: int) -> Iterator[list[int]]:
    """Yield ``count`` boards of five cards as they are dealt, each from a stream of its own."""
    for stream in derive_many(derive(seed, "boards"), count=count):
        deck = np.argsort(derive_many(int(stream), "cards", count=52))
        yield [int(card) for card in deck[:5]]
