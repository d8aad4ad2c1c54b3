"""Gin hands that agree with a view: what the opponent holds unseen, when he got it, and the stock are drawn.

The view's turns are told again: whose they were, whether the draw was face up, and the discard. What the opponent threw
away and had not taken face up came from the deck, dealt or drawn no later than that turn; every place in which it can have
come to him is equally likely. What he holds now beside the cards he took is drawn from the unseen ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from cardai.cards.text import cards_of
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
from cardai.core.game import Setup, Tables
from cardai.core.rng import Rows, Seeds
from cardai.gin.actions import ASK_KNOCK, DISCARD, OFFER, PASS, PLAY_ON, SHOW, STOCK, TAKE

if TYPE_CHECKING:
    from cardai.plugins.games.gin import Gin

HAND = 10


@define
class Story:
    """What a view tells of its hand, in order."""

    actions: list[int] = field(factory=list)
    stock: list[tuple[int, int]] = field(factory=list)
    """Stock draws: (seat, turn)."""
    hidden: list[tuple[int, int]] = field(factory=list)
    """The opponent's discards that came from the deck: (card, turn)."""
    discards: set[int] = field(factory=set)
    """The places in ``actions`` of discards after which the discarder may be asked whether to knock."""


def determinize(game: Gin, view: Mapping[str, Any], rng: Source, count: int, weights: Any) -> Tables:
    """Return ``count`` hands as :meth:`Gin.determinize` says."""
    need_count(count)
    need_view(game, view)
    me = int(view["player"])
    if view["phase"] >= SHOW or view["to_act"] != me:
        raise UsageError("Gin's hands are drawn for the player who is to act, before any cards are laid open.")
    if game.max_moves:
        raise UsageError("With max_moves a hand's length depends on what views do not show: it cannot be drawn again.")
    odds = checked_weights(weights, 52, "cards")
    seed = seed_of(rng)
    seeds = hand_seeds(seed, count)
    story = _told(game, view)
    decks = _decks(view, story, seeds, odds)
    setup = Setup(starter=int(view["starter"]), score=tuple(float(x) for x in view["score"]))

    def play_on(tables: Any, i: int) -> None:
        if i in story.discards:
            asked = np.flatnonzero(tables.data["phase"] == ASK_KNOCK)
            if len(asked):  # only hands that could have knocked; they did not
                tables.apply(asked, np.full(len(asked), PLAY_ON, np.int64))

    return played_out(game, view, seed, decks, setup, story.actions, play_on)


def _told(game: Gin, view: Mapping[str, Any]) -> Story:
    """Return the hand's actions so far and where the opponent's cards came from."""
    story, me = Story(), int(view["player"])
    opener, turns = int(view["opener"]), int(view["turns"])
    if game.up_card_phase:
        story.actions += _offer(view)
    if opener < 0:
        return story
    pile, taken = [int(view["first_up_card"])], set[int]()
    underway = view["phase"] == DISCARD
    for turn in range(turns + underway):
        seat = (opener + turn) % 2
        face_up = view["taken_card"] >= 0 if turn == turns else view["history"][turn] >= 52
        if turn or not game.up_card_phase:
            story.actions.append(TAKE if face_up else STOCK)
        if face_up:
            card = pile.pop()
            if seat != me:
                taken.add(card)
        else:
            story.stock.append((seat, turn))
        if turn == turns:
            break
        card = int(view["history"][turn]) % 52
        if not (view["phase"] == ASK_KNOCK and turn == turns - 1):  # the viewer is being asked about that one
            story.discards.add(len(story.actions))
        story.actions.append(card)
        pile.append(card)
        if seat != me:
            if card in taken:
                taken.remove(card)
            else:
                story.hidden.append((card, turn))
    return story


def _offer(view: Mapping[str, Any]) -> list[int]:
    """Return what was answered to the offer of the first up-card."""
    starter, opener = int(view["starter"]), int(view["opener"])
    if view["phase"] == OFFER:
        return [PASS] * int(view["to_act"] != starter)
    if view["turns"]:
        took = view["history"][0] >= 52
    else:
        took = view["taken_card"] >= 0
    return [TAKE] if took and opener == starter else [PASS, TAKE] if took else [PASS, PASS]


def _decks(view: Mapping[str, Any], story: Story, seeds: Seeds, odds: Float64s) -> Int64s:
    """Return decks (n, 52): the hands dealt in turn, the first up-card, the stock in the order of its draws."""
    me, count = int(view["player"]), len(seeds)
    own_first = _own_first_hand(view)
    seen = set(cards_of(view["hand"])) | set(cards_of(view["discard_set"])) | set(cards_of(view["opponent_known"]))
    unseen = np.array([card for card in range(52) if card not in seen], np.int64)
    opponents = [turn for seat, turn in story.stock if seat != me]
    since = np.array([-1] * HAND + opponents)  # the turn from which each of the opponent's places was filled
    places = _hidden_discards(story.hidden, since, seeds)
    free = int((places[0] < 0).sum())
    if len(unseen) < free:
        raise UsageError("The view's cards do not add up: the opponent holds more than there are unseen.")
    held = drawn(unseen, odds[unseen], seeds, free, 500)
    held = np.take_along_axis(held, shuffled(range(free), seeds, 501), axis=1)
    places[places < 0] = held.ravel()
    left = np.ones((count, len(unseen)), bool)
    for column in held.T:
        left &= unseen != column[:, None]
    stock = np.broadcast_to(unseen, left.shape)[left].reshape(count, -1)
    stock = np.take_along_axis(stock, shuffled(range(stock.shape[1]), seeds, 502), axis=1)

    decks = np.zeros((count, 52), np.int64)
    decks[:, me : 2 * HAND : 2] = own_first
    decks[:, 1 - me : 2 * HAND : 2] = places[:, :HAND]
    decks[:, 2 * HAND] = view["first_up_card"]
    own = iter(_own_stock_draws(view, story))
    his = iter(range(HAND, places.shape[1]))
    for k, (seat, _) in enumerate(story.stock):
        decks[:, 2 * HAND + 1 + k] = next(own) if seat == me else places[:, next(his)]
    decks[:, 2 * HAND + 1 + len(story.stock) :] = stock
    return decks


def _hidden_discards(hidden: list[tuple[int, int]], since: Int64s, seeds: Seeds) -> Int64s:
    """Put each hidden discard on a place that was filled by its turn, (n, places) cards, -1 elsewhere.

    Places that suit an earlier discard suit all later ones, so that choosing evenly, in order, is even over all ways.
    """
    places = np.full((len(seeds), len(since)), -1, np.int64)
    for k, (card, turn) in enumerate(hidden):
        luck = Rows(seeds).fork(2000 + k).random(max(2, len(since)))[:, : len(since)]
        chosen = np.where((places < 0) & (since <= turn), luck, -1.0).argmax(axis=1)
        places[np.arange(len(seeds)), chosen] = card
    return places


def _own_turns(view: Mapping[str, Any]) -> list[int]:
    """Return the numbers of the viewer's turns, the one under way included."""
    if view["opener"] < 0:
        return []
    turns = int(view["turns"]) + (view["phase"] == DISCARD)
    return [turn for turn in range(turns) if (view["opener"] + turn) % 2 == view["player"]]


def _own_first_hand(view: Mapping[str, Any]) -> list[int]:
    """Return the ten cards that the viewer was dealt: its hand with all turns taken back."""
    hand = set(cards_of(view["hand"]))
    for turn, card in reversed(list(zip(_own_turns(view), view["draws"], strict=True))):
        if turn < view["turns"]:
            hand.add(int(view["history"][turn]) % 52)
        hand.discard(int(card))
    if len(hand) != HAND:
        raise UsageError(f"The view's own draws and discards do not lead back to ten cards, but to {len(hand)}.")
    return sorted(hand)


def _own_stock_draws(view: Mapping[str, Any], story: Story) -> list[int]:
    """Return the cards that the viewer drew from the stock, in order."""
    from_stock = {turn for seat, turn in story.stock if seat == view["player"]}
    return [int(card) for turn, card in zip(_own_turns(view), view["draws"], strict=True) if turn in from_stock]
