"""Situations whose board and ranges are from self-play: hands are dealt and played, and what both have shown is the ranges.

The pot is drawn as DeepStack drew it, whatever the self-play's was: so ranges of limit betting serve no-limit networks too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from cardai import make
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.rng import Rows, derive
from cardai.poker.contract import plays_holdem
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import COUNT, left_by, pair_index
from cardai.poker.range_policy import RangePolicy, range_player
from cardai.poker.ranges.public_tree import DEAL, DECISION, PublicTree, holdem_tree
from cardai.poker.values.situations import BOARD_CARDS, EVERY, INTERVALS, STREETS, Situation, pot_law

ATTEMPTS = 10_000
"""Hands that are played before a player counts as one who never sees the street."""


def played_situation(
    player: str, game: str, seed: int, number: int, street: str = "turn", intervals: Sequence[int] = EVERY
) -> Situation:
    """Return situation ``number`` of ``seed`` with ranges of ``player``, an agent's spec, playing itself in ``game``.

    Raises:
        UsageError: not hold'em for two, the player has no policy, or it never comes to ``street``.
    """
    if street not in STREETS:
        raise UsageError(f"Situations are drawn on the {', the '.join(STREETS)}. Got {street!r}.")
    tree, policy = _player(player, game)

    def uniform(what: str, count: int, attempt: int = 0) -> Float64s:
        return Rows(np.array([derive(seed, street, number, what, attempt)], np.uint64)).random(count).reshape(-1)

    half_pot = pot_law(uniform("interval", 2)[0], uniform("pot", 2)[0], [INTERVALS[k] for k in intervals])
    for attempt in range(ATTEMPTS):
        dealt = np.argsort(uniform("deck", 52, attempt), kind="stable")
        board = tuple(int(card) for card in dealt[: BOARD_CARDS[street]])
        held = pair_index(dealt[10:14:2], dealt[11:14:2])
        ranges = _play(tree, policy, board, (int(held[0]), int(held[1])), uniform("actions", 60, attempt))
        if ranges is not None:
            return Situation(seed, number, board, half_pot, ranges)
    raise UsageError(f"{player} never came to the {street} of {game} in {ATTEMPTS:,} hands against itself.")


@lru_cache(maxsize=2)
def _player(player: str, game: str) -> tuple[PublicTree, RangePolicy]:
    played = make.game(game)
    if not plays_holdem(played) or played.num_players != 2:
        raise UsageError(f"Ranges from self-play are of hold'em for two. {game} is not.")
    tree = holdem_tree(played, "Self-play for situations")
    return tree, range_player(played, make.agent(player), tree)


def _play(
    tree: PublicTree, policy: RangePolicy, board: Sequence[int], held: tuple[int, int], uniforms: Float64s
) -> Float64s | None:
    """Play one deal to the street of ``board``, and return both ranges (2, 1326) there by seat; None: it ends before."""
    wanted = len(board) - 2  # the number of the street: 1 flop, 2 turn, 3 river
    alive = left_by(board).astype(np.float64)
    reach = np.stack([alive, alive])
    node = 0
    for drawn in uniforms:
        while tree.kind[node] == DEAL:
            node = int(tree.child[node, 0])
        if tree.kind[node] != DECISION:
            return None
        if tree.street[node] == wanted:
            break
        actor, street = int(tree.actor[node]), int(tree.street[node])
        found = policy.range_policy(np.array([node]), board[: BOARD_SIZES[street]])
        chances = np.cumsum(found[:, held[actor]])
        action = int(min(np.searchsorted(chances, drawn * chances[-1], side="right"), len(chances) - 1))
        reach[actor] *= found[action]
        node = int(tree.child[node, action])
    else:
        return None
    first = int(tree.actor[node])
    ranges = reach[[first, 1 - first]]
    totals = ranges.sum(axis=1, keepdims=True)
    if (totals <= 0).any() or not _meet(ranges):
        return None
    return np.asarray(ranges / totals)


def _meet(ranges: Float64s) -> bool:
    """Say whether some pair of hands of both ranges shares no card."""
    from cardai.poker.hands.combos import pairs
    from cardai.poker.ranges.cfr import meetings

    return float(ranges[0] @ meetings(pairs().astype(np.int64), ranges[1], 52)) > 1e-12 * COUNT
