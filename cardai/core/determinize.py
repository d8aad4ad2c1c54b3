"""Determinization: hands drawn at random that agree with all that a view says, for Monte Carlo players.

A game that offers it overrides :meth:`cardai.core.game.Game.determinize`: it draws what the viewer has not seen, lays the
cards in a deck in the order in which they were dealt, and plays the view's actions again with :func:`played_out`, so that
the rules themselves make the hands. Games in plain Python whose views hold all actions get :func:`by_rejection`.

Without weights every deal that the view leaves possible is equally likely: what the opponent's actions tell about his
cards is for the caller's weights to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import IllegalActionError, UsageError
from cardai.core.fields import pack_views
from cardai.core.game import CHANCE, Game, Setup, Tables, pack_setups
from cardai.core.rng import Rows, Seeds, derive, derive_many
from cardai.core.rng import Source as Source
from cardai.core.spec import brief

TRIES = 2_000
"""How many deals are tried for each hand that is wanted, where hands are found by rejection."""


def seed_of(rng: Source) -> int:
    """Return the seed (0 <= seed < 2**64) that a source of randomness stands for; a Random moves on."""
    if isinstance(rng, Rows):
        return derive(int(rng.fork(1000).seeds[0]), "determinize")
    if isinstance(rng, Random):
        return rng.getrandbits(64)
    return derive(rng, "determinize")


def hand_seeds(seed: int, count: int) -> Seeds:
    """Return a seed for each hand, (count,) uint64: a hand does not depend on how many are drawn with it."""
    return derive_many(seed, "hand", count=count)


def shuffled(items: Sequence[int], seeds: Seeds, counter: int) -> Int64s:
    """Return ``items`` (k,) in a random order for each seed, (n, k) int64; equal weights."""
    return drawn(np.asarray(items, np.int64), np.ones(len(items)), seeds, len(items), counter)


def drawn(items: Int64s, weights: Float64s, seeds: Seeds, count: int, counter: int) -> Int64s:
    """Return ``count`` of ``items`` (k,) for each seed, (n, count) int64: one after another, without replacement, each
    with a chance proportional to its weight (k,) or (n, k) among those left.

    By exponential keys (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006). Items of weight 0
    come only when no others are left. ``counter`` numbers the draw among those of one seed.
    """
    if not count or not len(items):
        return np.zeros((len(seeds), count), np.int64)
    uniform = Rows(seeds).fork(1000 + counter).random(len(items)).reshape(len(seeds), len(items))
    with np.errstate(divide="ignore"):
        keys = -np.log(np.maximum(uniform, 2.0**-60)) / np.maximum(weights, 1e-280)
    return items[np.argsort(keys, axis=1, kind="stable")[:, :count]]


def player_of(game: Game, view: Mapping[str, Any]) -> int:
    """Return who looks. Raises UsageError where the view does not say."""
    for f in game.view_fields:
        if f.role == "player" and f.name in view:
            return int(view[f.name])
    raise UsageError(f"A view of {brief(game)} does not say whose it is: no field has the role 'player'.")


def need_view(game: Game, view: Mapping[str, Any]) -> None:
    """Raise UsageError, naming the fields, unless ``view`` has exactly the game's."""
    odd = sorted({f.name for f in game.view_fields}.symmetric_difference(view))
    if odd:
        raise UsageError(f"This is no view of {brief(game)}. Missing or unknown fields: {', '.join(odd)}.")


def need_count(count: int) -> None:
    """Raise UsageError unless ``count`` is a number of hands."""
    if count < 1:
        raise UsageError(f"The number of hands to draw must be at least 1. Got {count}.")


def checked_weights(weights: Any, size: int, what: str) -> Float64s:
    """Return weights (size,) as float64 (None: all one).

    Raises:
        UsageError: another shape, a negative weight, one that is not finite, or none above zero.
    """
    if weights is None:
        return np.ones(size)
    out = np.asarray(weights, np.float64)
    if out.shape != (size,):
        raise UsageError(f"The weights are one for each of the {size} {what}. Got an array of the shape {out.shape}.")
    if not np.isfinite(out).all() or (out < 0).any() or not out.any():
        raise UsageError(f"The weights of {what} must be finite, not negative, and not all zero.")
    return out


def played_out(
    game: Game,
    view: Mapping[str, Any],
    seed: int,
    decks: Int64s,
    setup: Setup,
    actions: Sequence[int],
    after: Callable[[Tables, int], None] | None = None,
) -> Tables:
    """Return tables of the hands that ``decks`` (n, D) and ``actions`` lead to, and check that they show ``view``.

    ``after(tables, i)`` is called after action i, for what only some of the hands ask.

    Raises:
        UsageError: the actions are not legal there, or the view is another one: it is no view of this game.
    """
    count = len(decks)
    tables = game.tables(count)
    rows = np.arange(count)
    setups = pack_setups(game.num_players, [setup] * count)
    try:
        tables.reset(hand_seeds(derive(seed, "deck"), count), decks, setups=setups)
        for i, action in enumerate(actions):
            tables.apply(rows, np.full(count, action, np.int64))
            if after is not None:
                after(tables, i)
    except IllegalActionError as error:
        raise UsageError(f"The view's actions cannot be played in {brief(game)}: {error}") from error
    shown = tables.views(player_of(game, view), rows)
    given = pack_views(game.view_fields, [view])
    odd = [name for name in shown.dtype.names or () if not (shown[name] == given[name]).all()]
    if odd:
        raise UsageError(f"No hand of {brief(game)} has this view: its {', '.join(odd)} do not follow from the rest.")
    return tables


def by_rejection(game: Game, view: Mapping[str, Any], rng: Source, count: int) -> Tables:
    """Return hands of a small game: deals are drawn by chance's own probabilities until the view's actions show it.

    For games whose views hold everybody's actions in a field of the role "actions".

    Raises:
        UsageError: there is no such field, or no deal was found in 2,000 tries a hand.
    """
    need_count(count)
    need_view(game, view)
    player = player_of(game, view)
    name = next((f.name for f in game.view_fields if f.role == "actions"), None)
    if name is None:
        raise UsageError(
            f"{brief(game)} cannot be determinized: its views have no field of the role 'actions'. Such a game writes "
            "its own Game.determinize."
        )
    actions, wanted = [int(a) for a in view[name]], pack_views(game.view_fields, [view])[0].tobytes()
    starter = next((int(view[f.name]) for f in game.view_fields if f.role == "starter"), 0)
    setup = Setup(starter=starter)
    found: list[list[int]] = []
    random = Random(seed_of(rng))
    for _ in range(TRIES * count):
        deck = _tried(game, player, setup, actions, wanted, random)
        if deck is not None:
            found.append(deck)
            if len(found) == count:
                break
    else:
        raise UsageError(f"No deal of {brief(game)} with this view was found in {TRIES * count:,} tries.")
    tables = game.tables(count)
    tables.reset(
        hand_seeds(random.getrandbits(64), count), found, setups=pack_setups(game.num_players, [setup] * count)
    )
    for action in actions:
        tables.apply(np.arange(count), np.full(count, action, np.int64))
    return tables


def _tried(
    game: Game, player: int, setup: Setup, actions: list[int], wanted: bytes, random: Random
) -> list[int] | None:
    """Return the chance outcomes of one random deal in which ``actions`` lead to the view, or None."""
    state, deck, left = game.new_initial_state(setup), [], list(reversed(actions))
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            deck.append(random.choices(outcomes, chances)[0])
            state.apply_action(deck[-1])
        elif not left:
            break
        elif left[-1] not in state.legal_actions():
            return None
        else:
            state.apply_action(left.pop())
    try:
        shown = pack_views(game.view_fields, [state.view(player)])[0].tobytes()
    except ValueError:
        return None
    return deck if shown == wanted and not left else None
