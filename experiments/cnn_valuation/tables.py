"""What the logs can teach at most of a player of a table: its own buckets and betting sequences, counted.

A learner that is told where in the teacher's table each decision lies, and only has to count what was played there, is
told where to look; it shares nothing between the places, which a network may.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai import make
from cardai.core.game import Game
from cardai.learn.imitation.examples import Examples, numbers_of, read_examples, read_manifest
from cardai.learn.imitation.measures import divergences, policy_of
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent

PRIOR = 1.0
"""Decisions that the actions at a betting sequence count for, whatever the bucket."""


def counted(
    teacher: str, data: str, players: list[str], limit: int, other: str = "", most: int = 0
) -> dict[str, float]:
    """Return the divergence of counts from ``teacher`` on ``limit`` held-out decisions; empty unless it plays a table.

    What is counted are the decisions to learn from in ``data``, or the first ``most`` of those in ``other``.
    """
    game = make.game(read_manifest(data).game)
    player = make.agent(teacher).for_game(game)
    if not isinstance(player, BucketAgent):
        return {}
    test = of_players(data, players, game, True).take(slice(limit))
    train = of_players(other or data, players, game, False).take(slice(most or None))
    (nodes, places), (others, where) = _places(player, train), _places(player, test)
    by_node = np.full((max(nodes.max(), others.max()) + 1, 3), 1e-3)
    np.add.at(by_node, (nodes, train.label), 1.0)
    keys, index = np.unique(np.concatenate([places, where]), return_inverse=True)
    counts = np.zeros((len(keys), 3))
    np.add.at(counts, (index[: len(train)], train.label), 1.0)
    prior = _legal(by_node[others], test)
    learned = _legal(counts[index[len(train) :]] + PRIOR * prior, test)
    policy = policy_of(teacher, game, test)
    return {
        "decisions": float(len(train)),
        "table": float(divergences(policy, learned).mean()),
        "betting": float(divergences(policy, prior).mean()),
    }


def of_players(data: str, players: list[str], game: Game, test: bool) -> Examples:
    """Return the decisions of ``players``, those that are held out or the others."""
    wanted = numbers_of(read_manifest(data), players, data)
    chosen = lambda part: part.take(np.isin(part.player, wanted) & (part.test == test))  # noqa: E731
    return read_examples(data, game, chosen)[1]


def _places(player: BucketAgent, examples: Examples) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the node (n,) and the information set (n,) of each decision."""
    nodes = player.nodes(examples.views)
    return nodes, nodes * 2**16 + player.buckets.of_hands(examples.views["hole"], examples.views["board"])


def _legal(weights: npt.NDArray[np.float64], examples: Examples) -> npt.NDArray[np.float64]:
    weights = weights * examples.legal
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def lines(found: dict[str, Any]) -> list[str]:
    """Return what was found, in sentences; ``found`` is by teacher."""
    return [
        f"A table over {name}'s own buckets and betting sequences, counted from the same {one['decisions']:,.0f} decisions, "
        f"has a KL of {one['table']:.4f}; the betting alone {one['betting']:.4f}. So much is what counting "
        "alone cannot learn from so many decisions; a network that shares between buckets and sequences can do better."
        for name, one in found.items()
        if one
    ]
