"""The players: the public node and the bucket are looked up, whole ranges at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardai.core.agent import Agent, need_game
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.core.spec import brief, convert
from cardai.plugins.trainers.bucket_mccfr import _agent_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr import _kernels as columns
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout, holdem_tree
from cardai.plugins.trainers.bucket_mccfr.textures import Textured
from cardai.poker.buckets.tables import Buckets
from cardai.poker.contract import board_game
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import known_nodes
from cardai.poker.ranges.public_tree import PublicTree
from cardai.solve.training import policy_option

PLAYER_OPTIONS = {
    "policy": "average (default: the one that converges) or current (the last iterate)",
    "purify": "true plays the likeliest action alone (default: false)",
}
"""The options of a trained player's spec, with their help."""
FILES = {"average": "average", "current": "regret"}
"""By policy: the table of a checkpoint that is played."""
_ALL = np.arange(COUNT)


class BucketAgent(Agent):
    """Plays a table of weights over the information sets of a layout: proportionally, or with ``purify`` the likeliest
    action alone. Weights below 0 count nothing; an information set without weight plays all actions alike.
    """

    ignores_suits: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        layout: BucketLayout,
        buckets: Buckets | Textured,
        table: npt.NDArray[np.float32],
        purify: bool,
        name: str,
    ) -> None:
        self.game, self.layout, self.buckets, self.table = game, layout, buckets, table
        self.purify, self.name = purify, name
        self.tree = layout.tree
        """The public tree of the game that is played."""

    def for_game(self, game: Game) -> Agent:
        """Return the player for ``game``: the one it was trained on, or the same with all chips multiplied.

        Raises:
            UsageError: another betting tree.
        """
        words = f"{self.name} was trained on"
        said = board_game(self.game)
        if game.amounts and said is not None and said.ladder:
            raise UsageError(
                f"{words} {brief(self.game)}, whose bets are few: where any amount can be bet, let translated:run=DIR play it. "
                f"Got {brief(game)}."
            )
        need_game(self.game, game, words)
        tree = holdem_tree(game)
        if not _same_play(tree, self.layout.tree):
            raise UsageError(f"{words} {brief(self.game)}: it cannot play {brief(game)}, whose bets differ.")
        return self.with_tree(tree)

    def with_tree(self, tree: PublicTree) -> Agent:
        """Return the same player of a game with another ``tree`` of the same shape."""
        made = BucketAgent(self.game, self.layout, self.buckets, self.table, self.purify, self.name)
        made.tree = tree
        return made

    def policy(self, views: Views, legal: Legal) -> npt.NDArray[np.float64]:
        nodes = self.nodes(views)
        places = self.buckets.of_hands(views["hole"], views["board"])
        out = np.zeros((len(views), self.game.num_distinct_actions))
        tree = self.layout.nodes.node, self.tree.action
        kernels.answer(tree, nodes, places, self.table, self.purify, out)
        return out

    def nodes(self, views: Views) -> npt.NDArray[np.int64]:
        """Return (n,) the decision nodes at which views are taken. Raises UsageError for betting that is not known."""
        return known_nodes(self.tree, views, self.game, self.name)

    def range_policy(self, nodes: npt.NDArray[np.int64], board: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        out = np.empty((int(self.tree.num_children[nodes].sum()), COUNT))
        places = np.broadcast_to(self.buckets.of(board, _ALL), (len(nodes), COUNT))
        kernels.answer_ranges(self.layout.nodes.node, nodes, np.ascontiguousarray(places), self.chances, out)
        return out

    def bucket_count(self, street: int) -> int:
        """Return how many buckets a street has: see :class:`cardai.poker.range_policy.TablePolicy`."""
        return self.buckets.counts[street]

    def bucket_policy(self, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return (rows, buckets): see :class:`cardai.poker.range_policy.TablePolicy`."""
        return rows_of(self.layout, nodes, self.buckets.counts[self.tree.street[nodes[0]]], self.chances)

    def buckets_at(
        self, roots: npt.NDArray[np.int64], board: Sequence[int], hands: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return (2, n, s): see :class:`cardai.poker.range_policy.TablePolicy`."""
        return np.broadcast_to(self.buckets.of(board, hands)[:, None], (2, len(hands), len(roots)))

    def places_in_ranges(self) -> None:
        """Return None: its buckets follow from the cards alone."""

    @cached_property
    def chances(self) -> npt.NDArray[np.float32]:
        """The probabilities that the table means, worked out once for those who ask for whole ranges."""
        return chances_of(self.layout, self.buckets.counts, self.table, self.purify)


def chances_of(
    layout: BucketLayout, counts: Sequence[int], table: npt.NDArray[np.float32], purify: bool
) -> npt.NDArray[np.float32]:
    """Return (S,) the probability of every action of ``counts`` buckets a street, where ``table`` (S,) has its weight."""
    out = np.zeros(layout.size, np.float32)
    kernels.all_chances(layout.nodes.node, np.array(counts, np.int64), table, purify, out)
    return out


def rows_of(
    layout: BucketLayout, nodes: npt.NDArray[np.int64], count: int, chances: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return (rows, count) the probabilities of each action of ``nodes`` (in order) in each of ``count`` buckets."""
    known = layout.nodes.node
    firsts = np.concatenate([known[at, columns.BASE] + np.arange(known[at, columns.COUNT]) for at in nodes.tolist()])
    strides = np.repeat(known[nodes, columns.STRIDE], known[nodes, columns.COUNT])
    return np.asarray(chances[firsts[:, None] + strides[:, None] * np.arange(count)])


def _same_play(one: PublicTree, other: PublicTree) -> bool:
    """Say whether two trees have the same actions everywhere and the same chips but for a factor."""
    if one.small.shape != other.small.shape or not (one.small == other.small).all():
        return False
    chips, others = one.spent.astype(np.int64), other.spent.astype(np.int64)
    return bool((one.action == other.action).all() and (chips * others.max() == others * chips.max()).all())


def policy_options(options: Mapping[str, Any], who: str = "A trained hold'em player") -> tuple[str, bool]:
    """Return (policy, purify) from a trained player's options; ``who`` is told in messages. Raises OptionError."""
    policy = policy_option(options, who, tuple(PLAYER_OPTIONS))
    return policy, convert(options.get("purify", False), bool, f"The option 'purify' of {who[0].lower() + who[1:]}")
