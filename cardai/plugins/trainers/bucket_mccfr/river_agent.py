"""The player with a river of its own: before it the blueprint's, on it buckets by place in the ranges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from cardai.core.agent import Agent
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.plugins.trainers.bucket_mccfr import _agent_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent, chances_of, rows_of
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.plugins.trainers.bucket_mccfr.river import RIVER, RiverPlaces
from cardai.poker.hands.combos import COUNT, pair_index
from cardai.poker.range_policy import PlacesInRanges


class RiverAgent(Agent):
    """Plays ``earlier`` until the river, and there ``table`` by the buckets of ``places``."""

    ignores_suits: ClassVar[bool] = True

    def __init__(
        self, earlier: BucketAgent, layout: BucketLayout, places: RiverPlaces, table: npt.NDArray[np.float32]
    ) -> None:
        self.earlier, self.layout, self.places, self.table = earlier, layout, places, table
        self.tree = earlier.tree
        """The public tree of the game that is played."""

    def for_game(self, game: Game) -> Agent:
        """Return the player for ``game``. Raises UsageError for a game other than its own (see BucketAgent)."""
        earlier = self.earlier.for_game(game)
        assert isinstance(earlier, BucketAgent)
        return RiverAgent(earlier, self.layout, self.places, self.table)

    def policy(self, views: Views, legal: Legal) -> npt.NDArray[np.float64]:
        out = self.earlier.policy(views, legal)
        nodes = self.earlier.nodes(views)
        rows = np.flatnonzero(self.tree.street[nodes] == RIVER)
        if len(rows):
            out[rows] = self._on_the_river(views[rows], nodes[rows])
        return out

    def _on_the_river(self, views: Views, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return (n, A): rows of one board and one subtree are answered together, whole ranges as fast as one hand."""
        hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
        roots = self.tree.roots[nodes]
        boards = np.ascontiguousarray(views["board"])
        keys = np.concatenate([boards.astype(np.int64), roots[:, None]], axis=1)
        order = np.lexsort(keys.T[::-1])
        changes = np.flatnonzero((keys[order][1:] != keys[order][:-1]).any(axis=1)) + 1
        places = np.empty(len(views), np.int64)
        for group in np.split(order, changes):
            found = self.places.of(boards[group[0]].tolist(), int(roots[group[0]]))
            places[group] = found[self.tree.actor[nodes[group]], hands[group]]
        out = np.zeros((len(views), self.tree.child.shape[1]))
        tree = self.layout.nodes.node, self.tree.action
        kernels.answer(tree, nodes, places, self.table, self.earlier.purify, out)
        return out

    def range_policy(self, nodes: npt.NDArray[np.int64], board: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        if self.tree.street[nodes[0]] < RIVER:
            return self.earlier.range_policy(nodes, board)
        places = np.empty((len(nodes), COUNT), np.int64)
        roots, actors = self.tree.roots[nodes], self.tree.actor[nodes]
        for root in np.unique(roots).tolist():
            own = np.flatnonzero(roots == root)
            places[own] = self.places.of(board, root)[actors[own]]
        out = np.empty((int(self.tree.num_children[nodes].sum()), COUNT))
        kernels.answer_ranges(self.layout.nodes.node, nodes, places, self.chances, out)
        return out

    def bucket_count(self, street: int) -> int:
        """Return how many buckets a street has: see :class:`cardai.poker.range_policy.TablePolicy`."""
        return self.places.kind.count if street == RIVER else self.earlier.bucket_count(street)

    def bucket_policy(self, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return (rows, buckets): see :class:`cardai.poker.range_policy.TablePolicy`."""
        if self.tree.street[nodes[0]] < RIVER:
            return self.earlier.bucket_policy(nodes)
        return rows_of(self.layout, nodes, self.places.kind.count, self.chances)

    def buckets_at(
        self, roots: npt.NDArray[np.int64], board: Sequence[int], hands: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return (2, n, s): see :class:`cardai.poker.range_policy.TablePolicy`."""
        if len(board) < 5:
            return self.earlier.buckets_at(roots, board, hands)
        return self.places.among(board, hands, roots)

    def places_in_ranges(self) -> PlacesInRanges:
        """Return how its river's buckets follow from the blueprint's ranges."""
        kind = self.places.kind
        return PlacesInRanges(kind.own, kind.equity, self.places.blueprint)

    @cached_property
    def chances(self) -> npt.NDArray[np.float32]:
        """The probabilities that the river's table means."""
        counts = (1, 1, 1, self.places.kind.count)
        return chances_of(self.layout, counts, self.table, self.earlier.purify)
