"""Hands of board games that agree with a view: the opponents' hole cards and the cards to come are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.determinize import (
    Source,
    checked_weights,
    drawn,
    hand_seeds,
    need_count,
    need_view,
    played_out,
    seed_of,
    shuffled,
)
from cardai.core.errors import UsageError
from cardai.core.game import Setup, Tables, pack_setups
from cardai.core.rng import Seeds
from cardai.core.spec import brief
from cardai.poker.hands import combos
from cardai.poker.rules.betting import stacks_before

if TYPE_CHECKING:
    from cardai.poker.rules.board_game import BoardPoker


def determinize(game: BoardPoker, view: Mapping[str, Any], rng: Source, count: int, weights: Any) -> Tables:
    """Return ``count`` hands as :meth:`BoardPoker.determinize` says."""
    need_count(count)
    need_view(game, view)
    if len(view["hole"]) != game.hole.count:
        raise UsageError("Before its own cards are dealt a player's view tells nothing to draw hands by.")
    seed = seed_of(rng)
    setup = setup_of(game, view)
    decks = _decks(game, view, hand_seeds(seed, count), weights)
    return played_out(game, view, seed, decks, setup, actions_of(game, view, setup, decks[:1]))


def setup_of(game: BoardPoker, view: Mapping[str, Any]) -> Setup:
    """Return how the hand of a view began."""
    limited = any(stack > 0 for stack in view["stacks"])
    stacks = stacks_before(game.betting, view)
    score = tuple(float(x) for x in view["score"]) if any(view["score"]) else ()
    return Setup(starter=int(view["button"]), score=score, stacks=stacks if limited else ())


def _decks(game: BoardPoker, view: Mapping[str, Any], seeds: Seeds, weights: Any) -> Int64s:
    """Return decks (n, D) in dealing order: hole cards from the first seat dealt to, the board, the rest."""
    left = [int(card) for card in game.deck_template()]
    for card in (*view["hole"], *view["board"]):
        if card not in left:
            raise UsageError(f"The view's cards cannot be dealt from one deck: {card} lies there twice.")
        left.remove(int(card))
    seats, size = game.num_players, game.hole.count
    others = [
        seat for k in range(seats) if (seat := (view["button"] + game.betting.offset + k) % seats) != view["player"]
    ]
    holes, rest = _holes(game, np.array(left, np.int64), len(others), seeds, weights)
    parts = {seat: holes[:, k * size : (k + 1) * size] for k, seat in enumerate(others)}
    parts[view["player"]] = np.tile(np.array(view["hole"], np.int64), (len(seeds), 1))
    dealt = [parts[(view["button"] + game.betting.offset + k) % seats] for k in range(seats)]
    board = np.tile(np.array(view["board"], np.int64).reshape(1, -1), (len(seeds), 1))
    return np.concatenate([*dealt, board, rest], axis=1)


def _holes(game: BoardPoker, left: Int64s, opponents: int, seeds: Seeds, weights: Any) -> tuple[Int64s, Int64s]:
    """Return the opponents' hole cards (n, opponents * size) and what is then left, (n, rest), in random order."""
    size, count = game.hole.count, len(seeds)
    if weights is None:
        cards = shuffled(left.tolist(), seeds, 0)
        return cards[:, : opponents * size], cards[:, opponents * size :]
    if size == 1:
        single = checked_weights(weights, game.num_chance_outcomes, "cards")[left]
        _some(bool(single.any()))
        holes = drawn(left, single, seeds, opponents, 0)
    elif size > 2:
        raise UsageError(f"Weights are for one or two hole cards. {brief(game)} deals {size}: leave them out.")
    else:
        holes = _pairs(left, opponents, seeds, checked_weights(weights, combos.COUNT, "hands"))
    mask = np.ones((count, len(left)), bool)
    for column in holes.T:  # one copy of each card goes, of equal cards the first
        mask[np.arange(count), (mask & (left == column[:, None])).argmax(axis=1)] = False
    kept = np.broadcast_to(left, mask.shape)[mask].reshape(count, -1)
    order = shuffled(range(kept.shape[1]), seeds, 1)
    return holes, np.take_along_axis(kept, order, axis=1)


def _pairs(left: Int64s, opponents: int, seeds: Seeds, weights: Float64s) -> Int64s:
    """Return two cards an opponent, (n, 2 * opponents), drawn by the weights of the hands that are left."""
    cards = combos.pairs().astype(np.int64)
    free = np.isin(cards, left).all(axis=1)
    _some(bool(weights[free].any()))
    dealt = np.zeros((len(seeds), 52), bool)
    out = []
    for opponent in range(opponents):
        open_ = free & ~dealt[:, cards[:, 0]] & ~dealt[:, cards[:, 1]]
        _some(bool((open_ * weights > 0).any(axis=1).all()))
        hand = drawn(np.arange(combos.COUNT), np.where(open_, weights, 0.0), seeds, 1, 2 + opponent)[:, 0]
        out.append(cards[hand])
        for column in out[-1].T:
            dealt[np.arange(len(seeds)), column] = True
    return np.concatenate(out, axis=1)


def _some(any_left: bool) -> None:
    if not any_left:
        raise UsageError("The weights leave the opponent no hand: all above zero hold cards that the viewer sees.")


def actions_of(game: BoardPoker, view: Mapping[str, Any], setup: Setup, deck: Int64s) -> list[int]:
    """Return the view's actions as the game takes them: on a bet ladder the rung that each amount is."""
    history = [int(action) for action in view["history"]]
    if not game.ladder:
        return history
    table, row = game.tables(1), np.zeros(1, np.int64)
    table.reset(np.zeros(1, np.uint64), deck, setups=pack_setups(game.num_players, [setup]))
    actions = []
    for k, said in enumerate(history):
        legal = np.flatnonzero(table.legal(row)[0])  # type: ignore[index]
        actions.append(
            next((int(a) for a in legal if (said < 2 and a == said) or _says(game, table, int(a), k, said)), -1)
        )
        if actions[-1] < 0:
            raise UsageError(f"The view's raise to {said} is on no rung of the ladder there.")
        table.apply(row, np.array(actions[-1:], np.int64))
    return actions


def _says(game: BoardPoker, table: Tables, action: int, place: int, said: int) -> bool:
    """Say whether ``action`` would stand as ``said`` in the history."""
    other, row = game.tables(1), np.zeros(1, np.int64)
    other.copy_rows(table, row)
    other.apply(row, np.array([action], np.int64))
    return action >= 2 and int(other.views(0, row)["history"][0, place]) == said
