"""Hands and trees for the checks to look at: random play that reaches rare actions, and whole trees of small games."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from attrs import define, frozen

from cardai.core.errors import IllegalActionError
from cardai.core.fields import Views, pack_views
from cardai.core.game import CHANCE, Amounts, Game, Legal, Setup, State
from cardai.core.rng import derive
from cardai.testing._checks import CheckFailed

LONGEST_HAND = 10_000
SMALL = 20_000
"""A game with at most so many nodes is checked as a whole tree."""


@frozen
class Step:
    """One event of a hand: who acted (-1 chance), what, who saw it (chance only), and what else was possible."""

    actor: int
    action: int
    seen_by: tuple[int, ...]
    choices: tuple[int, ...]


@frozen
class SeenState:
    """One state as seen from outside: everything that the knowledge checks compare."""

    parent: int
    action: int
    current: int
    legal: tuple[int, ...]
    seen_by: tuple[int, ...]
    keys: tuple[bytes, ...]
    views: tuple[bytes, ...]


@define
class StateTree:
    """Nodes in preorder (a parent stands before its children); ``complete`` if it is the game's whole tree."""

    nodes: list[SeenState]
    complete: bool

    def path(self, index: int) -> list[int]:
        """Return the history of node ``index``."""
        actions: list[int] = []
        while self.nodes[index].parent >= 0:
            actions.append(self.nodes[index].action)
            index = self.nodes[index].parent
        return actions[::-1]


def prefer(legal: Sequence[int], taste: int, rng: Random) -> int:
    """Return a random action; each hand has a ``taste`` of its own, so that rare actions are reached in some hands."""
    if len(legal) > 64:
        legal = [*legal[:3], legal[-1], *rng.sample(list(legal), 5)]
    weights = [math.exp(4.0 * derive(taste, action) / 2**64) for action in legal]
    return rng.choices(list(legal), weights)[0]


def play_hand(game: Game, seed: int, setup: Setup | None = None, limit: int = LONGEST_HAND) -> tuple[list[Step], State]:
    """Play one hand at random and return its steps and the finished state. Raises CheckFailed if it does not end."""
    rng = Random(seed)
    state = game.new_initial_state(setup)
    steps: list[Step] = []
    while not state.is_terminal():
        if len(steps) >= limit:
            raise CheckFailed(f"A hand of random play was not over after {limit:,} actions (seed {seed}).", "endless")
        actor = state.current_player()
        if actor == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            step = Step(actor, rng.choices(outcomes, chances)[0], tuple(state.chance_seen_by()), tuple(outcomes))
        else:
            legal = state.legal_actions()
            if not legal:
                raise CheckFailed(f"Player {actor} is to act but has no legal action: {shorten(state.history)}.")
            step = Step(actor, prefer(legal, seed, rng), (), tuple(legal) if len(legal) <= 64 else ())
        state.apply_action(step.action)
        steps.append(step)
    return steps, state


def seconds_a_hand(game: Game) -> float:
    """Return the CPU seconds of a hand of random play, the quicker of two: the first may load and compile."""
    took = []
    for seed in range(2):
        began = time.process_time()
        play_hand(game, seed)
        took.append(time.process_time() - began)
    return min(took)


def replay(game: Game, history: Sequence[int], setup: Setup | None = None) -> State:
    """Return the state after ``history``."""
    state = game.new_initial_state(setup)
    for action in history:
        state.apply_action(action)
    return state


def shorten(history: Sequence[int]) -> str:
    """Return a history as text, its middle left out if it is long."""
    shown = [*history[:25], "...", *history[-12:]] if len(history) > 40 else history
    return " ".join(str(item) for item in shown) or "(none)"


def packed(game: Game, state: State, player: int) -> bytes:
    """Return a view as bytes. Raises CheckFailed where it does not fit the game's fields."""
    view = state.view(player)
    try:
        return bytes(pack_views(game.view_fields, [view])[0].tobytes())
    except ValueError as error:
        raise misfitting(error, f"Player {player}'s view after {shorten(state.history)}") from error


def misfitting(error: ValueError, where: str) -> CheckFailed:
    """Return the failure for a view that cannot be packed: the same cause for one field in any hand."""
    return CheckFailed(f"{where}: {error}", str(error).partition(" cannot hold ")[0])


def look(game: Game, state: State, parent: int, action: int) -> SeenState:
    """Return ``state`` as a SeenState."""
    current = state.current_player()
    players = range(game.num_players)
    return SeenState(
        parent,
        action,
        current,
        tuple(state.legal_actions()) if current >= 0 else (),
        tuple(state.chance_seen_by()) if current == CHANCE else (),
        tuple(state.key(p) for p in players),
        tuple(packed(game, state, p) for p in players),
    )


def choices_of(state: State) -> list[int]:
    """Return the actions or chance outcomes that are possible now."""
    return [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()


def whole_tree(game: Game, limit: int = SMALL) -> StateTree | None:
    """Return the game's whole tree, or None if it has more than ``limit`` nodes."""
    if _estimate(game) > 2 * limit:
        return None
    nodes: list[SeenState] = []
    pending: list[tuple[State, int, int]] = [(game.new_initial_state(), -1, -1)]
    while pending:
        if len(nodes) >= limit:
            return None
        state, parent, action = pending.pop()
        nodes.append(look(game, state, parent, action))
        here = len(nodes) - 1
        for choice in reversed([] if state.is_terminal() else choices_of(state)):
            child = state.clone()
            child.apply_action(choice)
            pending.append((child, here, choice))
    return StateTree(nodes, complete=True)


def _estimate(game: Game, probes: int = 12) -> float:
    """Estimate the number of nodes by random descents (Knuth, "Estimating the efficiency of backtrack programs")."""
    total = 0.0
    for probe in range(probes):
        rng = Random(probe)
        state, product = game.new_initial_state(), 1.0
        for _ in range(LONGEST_HAND):
            total += product / probes
            if state.is_terminal() or total > 100 * SMALL:
                break
            choices = choices_of(state)
            product *= len(choices)
            state.apply_action(rng.choice(choices))
    return total


def sampled_tree(game: Game, hands: int = 8, siblings: int = 2, enough: int = 700) -> StateTree:
    """Return the states of some random hands, each with up to ``siblings`` children that were not played.

    No further hand is begun when there are ``enough`` nodes.
    """
    nodes: list[SeenState] = []
    for seed in range(hands):
        if len(nodes) >= enough:
            break
        rng = Random(seed)
        steps, _ = play_hand(game, seed)
        state = game.new_initial_state()
        nodes.append(look(game, state, -1, -1))
        here = len(nodes) - 1
        for step in steps:
            others = [a for a in choices_of(state) if a != step.action]
            for action in rng.sample(others, min(siblings, len(others))):
                child = state.clone()
                child.apply_action(action)
                nodes.append(look(game, child, here, action))
            state.apply_action(step.action)
            nodes.append(look(game, state, here, step.action))
            here = len(nodes) - 1
    return StateTree(nodes, complete=False)


class GameSubject:
    """A game under test, with what several checks look at: built once, when first asked for."""

    def __init__(self, game: Game) -> None:
        self.plugin = self.game = game

    @property
    def hands(self) -> list[tuple[Setup | None, list[Step], State]]:
        """Some finished hands of random play: outside a match, and as the first of one."""
        if isinstance(self._hands, CheckFailed):
            raise self._hands
        return self._hands

    @cached_property
    def _hands(self) -> list[tuple[Setup | None, list[Step], State]] | CheckFailed:
        found = []
        for seed in range(24):
            setup = None if seed % 2 == 0 else self.game.next_hand((0.0,) * self.game.num_players, None, seed)
            try:
                found.append((setup, *play_hand(self.game, seed, setup)))
            except CheckFailed as error:  # said once by each check, but played only once
                return error
        return found

    @cached_property
    def tree(self) -> StateTree:
        """The whole tree of a small game, else a sample."""
        return whole_tree(self.game) or sampled_tree(self.game, len(self.hands) // 3)


def positions(game: Game, count: int = 96, seed: int = 0) -> list[tuple[int, Views, Legal]]:
    """Return batches of decisions met in random play: (player, views (n,), legal of n), about ``count`` in all."""
    batches: list[tuple[int, Views, Legal]] = []
    for player, views, legal in _decisions(game, seed):
        batches.append((player, views, legal))
        if sum(len(v) for _, v, _ in batches) >= count and len({p for p, _, _ in batches}) == game.num_players:
            break
    return batches


def _decisions(game: Game, seed: int, width: int = 8) -> Iterator[tuple[int, Views, Legal]]:
    tables = game.tables(width)
    rng = Random(seed)
    for hand in range(12):
        tables.reset(np.array([derive(seed, "position", hand, i) for i in range(width)], np.uint64))
        for _ in range(400):
            current = tables.current_players()
            live = np.flatnonzero(current >= 0)
            if not len(live):
                break
            for player in range(game.num_players):
                rows = np.flatnonzero(current == player)
                if len(rows):
                    yield player, tables.views(player, rows), tables.legal(rows)
            tables.apply(live, random_actions(tables.legal(live), hand, rng))


def random_actions(legal: Legal, taste: int, rng: Random) -> Any:
    """Return (n,) random legal actions, int64."""
    return np.array([prefer(all_legal(legal, i), derive(taste, i), rng) for i in range(len(legal))], np.int64)


def all_legal(legal: Legal, row: int) -> list[int]:
    """Return the legal actions of a row (no-limit: of the raises the smallest, the largest and two between)."""
    if not isinstance(legal, Amounts):
        return [int(a) for a in np.flatnonzero(legal[row])]
    actions = [kind for kind in (0, 1) if legal.kinds[row, kind]]
    if legal.kinds[row, 2]:
        low, high = int(legal.min_amount[row]), int(legal.max_amount[row])
        actions += sorted({low, high, low + (high - low) // 3, low + (high - low) // 7})
    return actions


def refuses(call: Any) -> bool:
    """Whether ``call()`` raises IllegalActionError."""
    try:
        call()
    except IllegalActionError:
        return True
    return False
