"""Triple draw hands that agree with a view: the opponents' cards, what they threw away, and the deck are drawn.

Views do not tell when an own card was drawn, nor which of them replaced which: the own hand is told back with the first
places exchanged at every draw, which leads to the same view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from cardai.cards.text import cards_of
from cardai.core.arrays import Int64s
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
from cardai.core.game import Setup, Tables
from cardai.core.rng import Seeds
from cardai.draw.actions import FIRST_DISCARD

if TYPE_CHECKING:
    from cardai.plugins.games.triple_draw import TripleDraw

CARDS = 5


@define
class Story:
    """The actions, and who drew how many cards, in order: (seat, count)."""

    actions: list[int] = field(factory=list)
    draws: list[tuple[int, int]] = field(factory=list)


def determinize(game: TripleDraw, view: Mapping[str, Any], rng: Source, count: int, weights: Any) -> Tables:
    """Return ``count`` hands as :meth:`TripleDraw.determinize` says."""
    need_count(count)
    need_view(game, view)
    if len(view["hand"]) != CARDS:
        raise UsageError("A hand is drawn again only where the viewer holds five cards, not between discard and draw.")
    story, me, n = _story(view), int(view["player"]), game.num_players
    needed = n * CARDS + sum(drawn for _, drawn in story.draws)
    if needed > 52:
        raise UsageError(f"{needed} cards are out, more than a deck: after a reshuffle a view does not tell enough.")
    odds = checked_weights(weights, 52, "cards")
    seed = seed_of(rng)
    seeds = hand_seeds(seed, count)
    seen = set(view["hand"]) | set(cards_of(view["discarded"]))
    unseen = np.array([card for card in range(52) if card not in seen], np.int64)
    others = [seat for seat in range(n) if seat != me]

    held = drawn(unseen, odds[unseen], seeds, CARDS * len(others), 0)  # the opponents' hands as they are now
    rest = _rest(unseen, held, seeds)

    now = {seat: held[:, k * CARDS : (k + 1) * CARDS] for k, seat in enumerate(others)}
    now[me] = np.tile(np.array(view["hand"], np.int64), (count, 1))
    gone = {me: np.tile(np.array(cards_of(view["discarded"]), np.int64).reshape(1, -1), (count, 1))}
    used = 0
    for seat in others:
        thrown = sum(k for who, k in story.draws if who == seat)
        gone[seat], used = rest[:, used : used + thrown], used + thrown
    if gone[me].shape[1] != sum(k for who, k in story.draws if who == me):
        raise UsageError("The view's discards are not as many as its history says.")

    first = game.betting.offset + int(view["button"])
    dealt = {seat: _path(seat, story, now[seat], gone[seat]) for seat in range(n)}
    parts = [dealt[(first + k) % n][0] for k in range(n)]
    replaced = {seat: iter(dealt[seat][1]) for seat in range(n)}
    parts += [next(replaced[seat]) for seat, k in story.draws if k]
    decks = np.concatenate([*parts, rest[:, used:]], axis=1)
    setup = _setup(view)
    return played_out(game, view, seed, decks, setup, story.actions)


def _rest(unseen: Int64s, held: Int64s, seeds: Seeds) -> Int64s:
    """Return the unseen cards (n, k) that nobody holds, in a random order in each of n hands."""
    left = np.ones((len(held), len(unseen)), bool)
    for column in held.T:
        left &= unseen != column[:, None]
    rest = np.broadcast_to(unseen, left.shape)[left].reshape(len(held), -1)
    return np.asarray(np.take_along_axis(rest, shuffled(range(rest.shape[1]), seeds, 1), axis=1))


def _story(view: Mapping[str, Any]) -> Story:
    story = Story()
    for said, seat in zip(view["history"], view["history_seat"], strict=True):
        if said < FIRST_DISCARD:
            story.actions.append(int(said))
            continue
        thrown = int(said) - FIRST_DISCARD
        story.draws.append((int(seat), thrown))
        story.actions.append(FIRST_DISCARD + (1 << thrown) - 1)  # the first places
    return story


def _path(seat: int, story: Story, now: Any, gone: Any) -> tuple[Any, list[Any]]:
    """Return the five cards dealt to a seat (n, 5) and the cards of each of its draws, (n, k) each.

    Every draw replaces the first k places: what stands on a place at last is its hand of now, what stood there before
    are the discards, in any order.
    """
    draws = [k for who, k in story.draws if who == seat and k]
    spent = iter(range(gone.shape[1]))
    stands = [now[:, place] for place in range(CARDS)]  # told backwards, from the hand of now
    received = []
    for k in reversed(draws):
        received.append(np.stack(stands[:k], axis=1))
        for place in range(k):
            stands[place] = gone[:, next(spent)]
    return np.stack(stands, axis=1), received[::-1]


def _setup(view: Mapping[str, Any]) -> Setup:
    limited = any(stack > 0 for stack in view["stacks"])
    stacks = tuple(behind + spent for behind, spent in zip(view["stacks"], view["spent"], strict=True))
    score = tuple(float(x) for x in view["score"]) if any(view["score"]) else ()
    return Setup(starter=int(view["button"]), score=score, stacks=stacks if limited else ())
